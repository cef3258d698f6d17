"""Programs for each rule by which elements get into vectors: every element type, lengths that leave tails of every width.

A program is an ONNX model with one result for each use of an operator. Of 31 elements 16, 8, 4, 2 and 1 are done at a time where
vectors have 16 lanes; the other lengths take turns, so that each operator has two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

LENGTHS = (2, 3, 5, 6, 7, 10, 11, 13, 17)
LONG = 31

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64", "float16", "bfloat16")
"""(16-bit floats have no vectors: functions compute them, beside what does.)"""
TYPES = (*SIGNED, *UNSIGNED, *FLOATS)
OPSET = 20


def onnx_type(name: str) -> int:
    """The number of an element type in ONNX."""
    word = {"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper())
    return getattr(TensorProto, word)


def values(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Values of a type, half of them those at which operations differ."""
    rng = np.random.default_rng(seed)
    if name == "bool":
        return rng.random(shape) < 0.5
    if name in FLOATS:
        special = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, np.inf, -np.inf, np.nan])
        plain = rng.standard_normal(shape) * 4
        dtype = np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)
    else:
        dtype = np.dtype(name)
        info = np.iinfo(dtype)
        special = np.array([0, 1, 2, 3, info.min, info.max, info.max - 1, info.min + 1], dtype)
        plain = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    chosen = special[rng.integers(0, len(special), shape)]
    return np.where(rng.random(shape) < 0.5, chosen, plain).astype(dtype)


def whole(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Small whole numbers, of which sums are exact in any order."""
    low = 0 if name in (*UNSIGNED, "bool") else -4
    return np.random.default_rng(seed).integers(low, 5, shape).astype(name)


@dataclass
class Program:
    """A model as it grows."""

    name: str
    integers: bool = False
    """True if the program is loaded with `integers=True`."""
    nodes: list[NodeProto] = field(default_factory=list)
    feed: dict[str, np.ndarray] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    """Description of each output in words."""

    def input(self, name: str, array: np.ndarray) -> str:
        """An input of this name, the same one again where there is one."""
        self.feed.setdefault(name, array)
        return name

    def constant(self, array: np.ndarray | np.generic) -> str:
        """An initialiser."""
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array)
        return name

    def op(self, kind: str, *operands: str, **attributes: Any) -> str:
        """A node with one result."""
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(operands), [name], **attributes))
        return name

    def cast(self, value: str, to: str) -> str:
        """A cast to an element type."""
        return self.op("Cast", value, to=onnx_type(to))

    def result(self, value: str, type_: str, what: str) -> None:
        """Give this out."""
        name = f"y{len(self.results)}"
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.types[name] = onnx_type(type_)
        self.results[name] = what

    def model(self, *, opens: bool = False) -> ModelProto:
        """The model; with `opens` the last extent of each input is not known."""
        inputs = [
            helper.make_tensor_value_info(
                name,
                helper.np_dtype_to_tensor_dtype(array.dtype),
                [*array.shape[:-1], f"n{array.shape[-1]}"] if opens else array.shape,
            )
            for name, array in self.feed.items()
        ]
        outputs = [helper.make_tensor_value_info(name, type_, None) for name, type_ in self.types.items()]
        constants = [numpy_helper.from_array(array, name) for name, array in self.constants.items()]
        graph = helper.make_graph(self.nodes, "main", inputs, outputs, constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


Use = Callable[[Program, str, str, str], tuple[str, str]]
"""Makes a value of two rows of a type, and says of which type it is."""


def _plain(kind: str, operands: int = 2, **attributes: Any) -> Use:
    return lambda p, x, z, t: (p.op(kind, *(x, z)[:operands], **attributes), t)


COMPARISONS = ("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual")


def mask_uses(to: str) -> dict[str, Use]:
    """Comparisons and logic of them, made numbers of a type, or what chooses."""
    uses: dict[str, Use] = {}
    for kind in COMPARISONS:
        uses[f"{kind} as {to}"] = lambda p, x, z, t, kind=kind: (p.cast(p.op(kind, x, z), to), to)
        uses[f"{kind} chooses"] = lambda p, x, z, t, kind=kind: (p.op("Where", p.op(kind, x, z), x, z), t)
        uses[f"Not {kind} as its type"] = lambda p, x, z, t, kind=kind: (
            p.cast(p.op("Not", p.op(kind, x, z)), t),
            t,
        )
    for kind in ("And", "Or", "Xor"):
        uses[f"{kind} as {to}"] = lambda p, x, z, t, kind=kind: (
            p.cast(p.op(kind, p.op("Less", x, z), p.op("Equal", x, p.op("Abs", x))), to),
            to,
        )
    uses[f"chosen numbers of {to}"] = lambda p, x, z, t: (
        p.op("Where", p.op("Less", x, z), *(p.cast(p.constant(np.array(n)), to) for n in (1, 0))),
        to,
    )
    return uses


def integer_uses(t: str) -> dict[str, Use]:
    """Operators on integers of a type."""
    kinds = ["Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "BitwiseAnd", "BitwiseOr", "BitwiseXor"]
    uses: dict[str, Use] = {kind: _plain(kind) for kind in kinds}
    uses |= {kind: _plain(kind, 1) for kind in ("Sign", "Abs", "BitwiseNot", "Neg")}
    if t in UNSIGNED:
        del uses["Neg"]
        for direction in ("LEFT", "RIGHT"):
            uses[f"BitShift {direction}"] = _plain("BitShift", direction=direction)
            uses[f"BitShift {direction} by 3"] = lambda p, x, z, t, direction=direction: (
                p.op("BitShift", x, p.constant(np.array(3, t)), direction=direction),
                t,
            )
    uses["Clip"] = lambda p, x, z, t: (p.op("Clip", x, *(p.constant(np.array(n, t)) for n in (1, 100))), t)
    uses["Mul by 3, Add 1"] = lambda p, x, z, t: (
        p.op("Add", p.op("Mul", x, p.constant(np.array(3, t))), p.constant(np.array(1, t))),
        t,
    )
    return uses


def float_uses(t: str) -> dict[str, Use]:
    """Operators on floats of a type."""
    uses: dict[str, Use] = {kind: _plain(kind) for kind in ("Add", "Sub", "Mul", "Div", "Min", "Max")}
    kinds = [
        "Sign",
        "Abs",
        "Neg",
        "Floor",
        "Ceil",
        "Round",
        "Relu",
        "Sigmoid",
        "Tanh",
        "Erf",
        "LeakyRelu",
        "HardSigmoid",
    ]
    uses |= {
        kind: _plain(kind, 1) for kind in kinds if t != "bfloat16" or kind not in ("Round", "HardSigmoid")
    }
    uses["Sqrt"] = lambda p, x, z, t: (p.op("Sqrt", p.op("Abs", x)), t)
    uses["Exp"] = lambda p, x, z, t: (p.op("Exp", p.op("Neg", p.op("Abs", x))), t)
    uses["Log"] = lambda p, x, z, t: (p.op("Log", p.op("Add", p.op("Abs", x), p.constant(np.ones((), t)))), t)
    uses["IsNaN"] = lambda p, x, z, t: (p.cast(p.op("IsNaN", x), "int32"), "int32")
    uses["Clip"] = lambda p, x, z, t: (p.op("Clip", x, *(p.constant(np.array(n, t)) for n in (-1.5, 2))), t)
    uses["Mul, Add"] = lambda p, x, z, t: (p.op("Add", p.op("Mul", x, z), x), t)
    return uses


def uses_of(t: str, number: int) -> dict[str, dict[str, Use]]:
    """By group, what there is for a type; `number` chooses other types for masks and casts."""
    floating = t in FLOATS
    others = [TYPES[(number + k) % len(TYPES)] for k in (1, 5, 8)]
    own = float_uses(t) if floating else integer_uses(t)
    casts: dict[str, Use] = {
        f"Cast to {to}": lambda p, x, z, t, to=to: (p.cast(x, to), to) for to in TYPES if to != t
    }
    if t == "int32":
        for factor in (-7, 5_000_000_000):
            casts[f"Cast to int64, Mul by {factor}"] = lambda p, x, z, t, factor=factor: (
                p.op("Mul", p.cast(x, "int64"), p.constant(np.array(factor))),
                "int64",
            )
    return {
        "masks": {k: v for to in others for k, v in mask_uses(to).items()},
        "arithmetic": own,
        "casts": casts,
    }


def elementwise(group: str) -> Iterator[Program]:
    """A program for each type."""
    for number, t in enumerate(TYPES):
        program = Program(f"{group} of {t}")
        for turn, (what, use) in enumerate(uses_of(t, number)[group].items()):
            for n in (LENGTHS[(turn + number) % len(LENGTHS)], LONG):
                x, z = (program.input(f"{name}{n}", values(t, (n,), n + k)) for k, name in enumerate("xz"))
                program.result(*use(program, x, z, t), f"{what} of {n} {t}")
        yield program


def sums(t: str, number: int) -> Program:
    """Reductions along either axis, products, and what is made of them."""
    program = Program(f"sums of {t}")
    for turn, n in enumerate((*LENGTHS[number % 3 :: 3], LONG)):
        x = program.input(f"x{n}", whole(t, (3, n), n))
        k = (1, 2, 4, 8)[turn % 4]
        kinds = ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd")[turn % 2 :: 2]
        if t in ("int8", "uint8"):
            kinds = ("ReduceMax", "ReduceMin")
        for kind in kinds:
            for axis in (0, 1):
                reduced = program.op(kind, x, program.constant(np.array([axis])), keepdims=0)
                program.result(reduced, t, f"{kind} of 3 x {n} {t} along {axis}")
        if t in ("int8", "uint8"):
            continue
        a, b = program.input(f"a{k}", whole(t, (5, k), k)), program.constant(whole(t, (k, n), n + 1))
        product = program.op("MatMul", a, b)
        program.result(product, t, f"MatMul of 5 x {k} by {k} x {n} {t}")
        turned = program.input(f"t{n}", whole(t, (n, 5), n + 2))
        # (Of a product that nothing else reads, so that what follows is done with it in registers.)
        again = program.op("MatMul", a, program.constant(whole(t, (k, n), n + 3)))
        joined = program.op("Add", again, program.op("Transpose", turned))
        program.result(joined, t, f"its sum with what is turned, {n} {t}")
        again = program.op("MatMul", a, program.constant(whole(t, (k, n), n + 4)))
        program.result(
            program.op("Transpose", program.op("Add", again, again)), t, f"a product turned, {n} {t}"
        )
        program.result(
            program.op("Max", product, program.constant(np.array(1, t))), t, f"its Max with 1, {n}"
        )
        program.result(
            program.op("MatMul", program.op("Transpose", x), x), t, f"MatMul of what is turned, {n} {t}"
        )
    return program


def products_of_bytes(integers: bool) -> Program:
    """Quads, zero points, requantisation, by floats or by integers."""
    program = Program("products of bytes", integers)
    for turn, n in enumerate((*LENGTHS, LONG)):
        k = (4, 8, 3, 12, 20)[turn % 5]
        of_left, of_right = (("uint8", "int8"), ("int8", "int8"), ("uint8", "uint8"))[turn % 3]
        a = program.input(f"a{n}", values(of_left, (5, k), n))
        b = program.constant(values(of_right, (k, n), n + 1))
        zeros = [program.constant(np.array(z, t)) for z, t in ((3, of_left), (0, of_right))]
        product = program.op("MatMulInteger", a, b, *zeros)
        program.result(product, "int32", f"MatMulInteger of 5 x {k} by {k} x {n}")
        scales = [program.constant(np.float32(s)) for s in (0.05, 0.01, 0.7)]
        quantised = program.op(
            "QLinearMatMul",
            a,
            scales[0],
            zeros[0],
            b,
            scales[1],
            zeros[1],
            scales[2],
            program.constant(np.int8(4)),
        )
        program.result(quantised, "int8", f"QLinearMatMul of 5 x {k} by {k} x {n}")
        if not integers:
            # (Padding keeps the zero point in the product; channels come last.)
            of_image, zero = (("uint8", 3), ("int8", -128), ("int8", 5), ("uint8", 0))[turn % 4]
            image = program.input(f"i{n}", values(of_image, (1, 4, 3, 8), n))
            weights, at = program.constant(values("int8", (n, 8, 3, 1), n)), np.array(zero, of_image)
            turned = program.op("Transpose", image, perm=[0, 3, 1, 2])
            convolved = program.op("ConvInteger", turned, weights, program.constant(at), pads=[1, 0, 1, 0])
            last = program.op("Transpose", convolved, perm=[0, 2, 3, 1])
            program.result(last, "int32", f"ConvInteger of {of_image} less {zero} to {n} channels")
    return program


def layouts(t: str) -> Program:
    """Elements that lie apart, are padded, cut, gathered or spread, on their way into vectors."""
    program = Program(f"layouts of {t}")
    for n in (*LENGTHS, LONG):
        x = program.input(f"x{n}", whole(t, (3, n), n))
        row = program.input(f"r{n}", whole(t, (n,), n + 2))
        column = program.constant(whole(t, (3, 1), n + 3))
        turned = program.input(f"t{n}", whole(t, (n, 3), n + 4))
        found = {
            "a row for each": program.op("Add", x, row),
            "a number for each": program.op("Mul", x, column),
            "turned": program.op("Add", program.op("Transpose", turned), x),
            "every other": program.op(
                "Add",
                program.op("Slice", row, *(program.constant(np.array([v])) for v in (0, n, 0, 2))),
                program.constant(np.array(1, t)),
            ),
            "reversed": program.op(
                "Add",
                program.op("Slice", row, *(program.constant(np.array([v])) for v in (-1, -n - 1, 0, -1))),
                row,
            ),
            "gathered": program.op(
                "Add",
                program.op("Gather", row, program.constant(np.arange(n) * 7 % n), axis=0),
                row,
            ),
            "padded": program.op(
                "Mul",
                program.op("Pad", row, program.constant(np.array([1, 2]))),
                program.constant(np.array(3, t)),
            ),
            "joined": program.op(
                "Add", program.op("Concat", row, row, axis=0), program.op("Concat", row, row, axis=0)
            ),
        }
        for what, value in found.items():
            program.result(value, t, f"{what}, {n} {t}")
    return program


def nests() -> Program:
    """Convolutions and what normalises, in floats."""
    program = Program("nests of floats")
    for turn, n in enumerate((*LENGTHS, LONG)):
        image = program.input(f"i{n}", whole("float32", (1, 3, 6, n), n))
        weights = program.constant(whole("float32", (4, 3, 3, 2), n))
        convolved = program.op("Conv", image, weights, pads=[1, turn % 2, 1, 0])
        program.result(convolved, "float32", f"Conv of 6 x {n}")
        program.result(program.op("Relu", convolved), "float32", f"its Relu, {n}")
        channels = program.op("Conv", image, program.constant(whole("float32", (3, 1, 3, 1), n)), group=3)
        program.result(channels, "float32", f"Conv by channels of 6 x {n}")
        row = program.input(f"x{n}", values("float32", (5, n), n).clip(-9, 9))
        numbers = program.op("Where", program.op("IsNaN", row), program.constant(np.float32(0)), row)
        program.result(program.op("Softmax", numbers), "float32", f"Softmax of 5 x {n}")
        for pads in ([0, 0, 0, 0], [1, 1, 1, 1]):
            pooled = program.op("MaxPool", image, kernel_shape=[2, 2], strides=[1, 1], pads=pads)
            program.result(pooled, "float32", f"MaxPool of 6 x {n}, {pads}")
    return program


GROUPS: Mapping[str, Callable[[], list[Program]]] = {
    **{group: (lambda group=group: list(elementwise(group))) for group in ("masks", "arithmetic", "casts")},
    "sums": lambda: [
        sums(t, k) for k, t in enumerate((*FLOATS[:2], *SIGNED[2:], *UNSIGNED[2:], "int8", "uint8"))
    ],
    "products of bytes": lambda: [products_of_bytes(integers) for integers in (False, True)],
    "layouts": lambda: [layouts(t) for t in ("float32", "int8", "uint16", "int64")],
    "nests": lambda: [nests()],
}
"""Programs by what they are about."""
