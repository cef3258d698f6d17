"""Random ONNX programs of nested loops and branches: typed, terminating, and alike in every correct engine.

`program(seed)` is a model with feeds. What it holds by construction:

- Names are unique, every operand has the right type, and shapes fit. An extent is a number or a *symbol*: two values with one
  symbol have the same extent whenever both exist. `Builder.least` and `Builder.most` bound symbols.
- Every loop ends: a constant bound, a bounded number of trips, or a counter that runs to a constant.
- Floats stay within a few units (`Value.limit`), so that rounding differences stay small; integers stay within 10⁴.
- Conditions are made of integers, or of floats whose sums hit a threshold by accident only: no engine's rounding flips one.
- No shape depends on the number of trips without a static bound: the engines below GRAPH need one.

ONNX Runtime is the oracle, so its known faults are avoided: with an omitted condition the body's is true; a Scan has at
least one step and neither takes nor gives empty tensors (a division by zero ends the process); reductions of what may be
empty count their axes from the front; scan outputs of a loop that may not run have static inner extents.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Extent = int | str
Shape = tuple[Extent, ...]

F32, I64, BOOL = "f", "i", "b"
PROTO_TYPES = {F32: TensorProto.FLOAT, I64: TensorProto.INT64, BOOL: TensorProto.BOOL}
LARGEST_FLOAT = 4.0
LARGEST_INTEGER = 10_000.0
MAX_DEPTH = 3


@dataclass(frozen=True)
class Value:
    """A named tensor: element type, shape, and a bound of its absolute value."""

    name: str
    dtype: str
    shape: Shape
    limit: float

    @property
    def static(self) -> bool:
        """Whether every extent is a number."""
        return all(isinstance(e, int) for e in self.shape)

    def info(self) -> onnx.ValueInfoProto:
        """Its declaration; symbols become names of dimensions."""
        return helper.make_tensor_value_info(self.name, PROTO_TYPES[self.dtype], list(self.shape))


@dataclass
class Scope:
    """A graph being made: nodes so far, values that can be read (its own ones last)."""

    parent: Scope | None = None
    depth: int = 0
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)

    def visible(self) -> list[Value]:
        """All values that a node here may read."""
        return [*(self.parent.visible() if self.parent else []), *self.values]


@dataclass
class Program:
    """A model and what to feed it with, call by call."""

    seed: int
    model: onnx.ModelProto
    feeds: list[dict[str, np.ndarray]]


@dataclass(frozen=True)
class Growth:
    """A carried value (by index) that gets `step` elements longer on an axis in each iteration, from `low` on."""

    index: int
    axis: int
    low: int
    step: int


def program(seed: int, *, size: int = 14, open_shapes: bool = False) -> Program:
    """The program of a seed; `size` is about the number of its steps.

    With `open_shapes`, one extent of an input is open and differs from feed to feed.
    """
    return Builder(seed, size).program(open_shapes)


class Builder:
    """Makes one program; all choices come from one seeded generator."""

    def __init__(self, seed: int, size: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.size = size
        self.names = 0
        self.least: dict[str, int] = {}
        self.most: dict[str, int] = {}
        self.scope = Scope()
        self.regions = 0
        self.plain: list[tuple[int, Callable[[], None]]] = [
            (6, self.unary),
            (8, self.binary),
            (2, self.matmul),
            (3, self.concat),
            (3, self.slice),
            (2, self.dynamic_slice),
            (3, self.gather),
            (2, self.transpose),
            (3, self.reduce),
            (2, self.reshape),
            (2, self.where),
            (2, self.cast),
            (2, self.compare),
            (1, self.expand),
            (1, self.shape),
            (1, self.softmax),
            (1, self.split),
            (1, self.pad),
            (1, self.range),
            (1, self.filled),
            (1, self.tile),
        ]

    # -- the whole program

    def program(self, open_shapes: bool) -> Program:
        """Inputs, steps, outputs, feeds."""
        extents: list[Extent]
        extents = [self.random.choice([1, 2, 3, 4]) for _ in range(2)]
        if open_shapes:
            extents[0] = self.symbol(1, 4)
        inputs = [self.value("x", F32, (extents[0], extents[1]), LARGEST_FLOAT)]
        inputs.append(self.value("x", F32, (extents[self.random.randrange(2)],), LARGEST_FLOAT))
        inputs.append(self.value("n", I64, (), 9))
        inputs.append(self.value("n", I64, (self.random.choice([2, 3]),), 9))
        inputs.append(self.value("c", BOOL, (), 1))
        self.scope.values += inputs
        self.steps(self.size, force_region=True)
        outputs = self.outputs(inputs)
        graph = helper.make_graph(
            self.scope.nodes, f"seed_{self.seed}", [i.info() for i in inputs], [o.info() for o in outputs]
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=8)
        return Program(self.seed, model, [self.feed(inputs) for _ in range(2)])

    def feed(self, inputs: Sequence[Value]) -> dict[str, np.ndarray]:
        """Random arrays for the inputs."""
        result: dict[str, np.ndarray] = {}
        extents: dict[Extent, int] = {}
        for value in inputs:
            for e in value.shape:
                extents.setdefault(
                    e, e if isinstance(e, int) else self.random.randint(self.low(e), self.high(e))
                )
            shape = [extents[e] for e in value.shape]
            if value.dtype == F32:
                array = np.clip(self.numpy.normal(size=shape), -LARGEST_FLOAT, LARGEST_FLOAT).astype(
                    np.float32
                )
            elif value.dtype == I64:
                array = np.asarray(self.numpy.integers(-2, 8, size=shape), np.int64)
            else:
                array = np.asarray(self.numpy.integers(0, 2, size=shape) == 1)
            result[value.name] = np.asarray(array)
        return result

    def outputs(self, inputs: Sequence[Value]) -> list[Value]:
        """Some of the values made at the top, mostly late ones; each under a name of its own."""
        made = [v for v in self.scope.values if v not in inputs]
        chosen = [v for i, v in enumerate(made) if self.chance(0.25 + 0.5 * i / max(1, len(made)))]
        chosen = chosen[-8:] or made[-1:]
        return chosen or [self.emit("Identity", [inputs[0]], F32, inputs[0].shape, inputs[0].limit)]

    def steps(self, count: int, *, force_region: bool = False) -> None:
        """Random operations in the present scope; some are loops and branches."""
        for index in range(count):
            room = self.scope.depth < MAX_DEPTH and self.regions < 8
            wanted = self.chance(0.22) or (force_region and index in (2, 5))
            if room and wanted:
                self.regions += 1
                self.weighted([(5, self.loop), (3, self.if_), (2, self.scan)])()
            else:
                self.weighted(self.plain)()

    # -- choices

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    def weighted(self, choices: Sequence[tuple[int, Callable[[], None]]]) -> Callable[[], None]:
        """One of the functions, by weight."""
        return self.random.choices([f for _, f in choices], [w for w, _ in choices])[0]

    def pick(self, dtype: str, test: Callable[[Value], bool] = lambda v: True) -> Value | None:
        """A value of this element type that can be read here; late and inner ones more often."""
        found = [v for v in self.scope.visible() if v.dtype == dtype and test(v)]
        if not found:
            return None
        position = max(self.random.random(), self.random.random())
        return found[int(position * len(found))]

    def any_of(self, dtype: str, test: Callable[[Value], bool] = lambda v: True) -> Value:
        """`pick`, or a constant of a small shape where there is none."""
        return self.pick(dtype, test) or self.random_constant(dtype, (2,))

    # -- making values

    def value(self, prefix: str, dtype: str, shape: Shape, limit: float) -> Value:
        """A value with a fresh name."""
        self.names += 1
        return Value(f"{prefix}{self.names}", dtype, shape, limit)

    def symbol(self, least: int, most: int) -> str:
        """A fresh extent that is known within bounds only."""
        self.names += 1
        name = f"d{self.names}"
        self.least[name], self.most[name] = least, most
        return name

    def low(self, extent: Extent) -> int:
        """The least number that an extent can be."""
        return extent if isinstance(extent, int) else self.least[extent]

    def high(self, extent: Extent) -> int:
        """The greatest number that an extent can be."""
        return extent if isinstance(extent, int) else self.most[extent]

    def elements(self, shape: Shape) -> int:
        """The greatest number of elements."""
        return int(np.prod([self.high(e) for e in shape], dtype=np.int64))

    def emit(
        self,
        op: str,
        inputs: Sequence[Value | None],
        dtype: str,
        shape: Shape,
        limit: float,
        **attributes: Any,
    ) -> Value:
        """Append a node of one result; the result is made small again where it could grow."""
        result = self.value(op.lower()[:3], dtype, shape, limit)
        names = [i.name if i else "" for i in inputs]
        self.scope.nodes.append(helper.make_node(op, names, [result.name], **attributes))
        if dtype == F32 and limit > LARGEST_FLOAT:
            return self.limited(result)
        if dtype == I64 and limit > LARGEST_INTEGER:
            modulus = self.number(np.array(97, np.int64))
            return self.emit("Mod", [result, modulus], I64, shape, 96)
        self.scope.values.append(result)
        return result

    def limited(self, value: Value) -> Value:
        """A float brought back into its range."""
        if self.chance(0.5):
            return self.emit("Tanh", [value], F32, value.shape, 1)
        low, high = (self.number(np.array(v, np.float32)) for v in (-2.75, 3.25))
        return self.emit("Clip", [value, low, high], F32, value.shape, 3.25)

    def number(self, array: np.ndarray) -> Value:
        """A constant that no later step reads."""
        dtype = {"f": F32, "i": I64, "b": BOOL}[array.dtype.kind]
        limit = float(np.abs(array).max()) if array.size and dtype != BOOL else 1.0
        result = self.value("k", dtype, array.shape, limit)
        tensor = numpy_helper.from_array(array, result.name)
        self.scope.nodes.append(helper.make_node("Constant", [], [result.name], value=tensor))
        return result

    def vector(self, *numbers: int) -> Value:
        """A constant i64 vector."""
        return self.number(np.array(numbers, np.int64))

    def random_constant(self, dtype: str, shape: Sequence[int]) -> Value:
        """A constant with random contents, which later steps may read."""
        if dtype == F32:
            array = self.numpy.uniform(-1.5, 1.5, size=shape).astype(np.float32)
        elif dtype == I64:
            array = self.numpy.integers(-4, 9, size=shape).astype(np.int64)
        else:
            array = self.numpy.integers(0, 2, size=shape) == 1
        result = self.number(np.asarray(array))
        self.scope.values.append(result)
        return result

    # -- plain steps

    def unary(self) -> None:
        """An elementwise operation of one operand."""
        if self.chance(0.25):
            x = self.any_of(I64)
            op = self.random.choice(["Neg", "Abs", "Sign"])
            self.emit(op, [x], I64, x.shape, 1 if op == "Sign" else x.limit)
            return
        x = self.any_of(F32)
        op = self.random.choice(
            ["Tanh", "Sigmoid", "Relu", "Neg", "Abs", "LeakyRelu", "Exp", "Sqrt", "Identity"]
        )
        if op == "Exp":
            x = self.emit("Neg", [self.emit("Abs", [x], F32, x.shape, x.limit)], F32, x.shape, x.limit)
        elif op == "Sqrt":
            bump = self.number(np.array(0.375, np.float32))
            x = self.emit(
                "Add", [self.emit("Abs", [x], F32, x.shape, x.limit), bump], F32, x.shape, x.limit + 1
            )
        small = op in ("Tanh", "Sigmoid", "Exp")
        self.emit(op, [x], F32, x.shape, 1.0 if small else x.limit)

    def binary(self) -> None:
        """An elementwise operation of two operands that broadcast."""
        dtype = F32 if self.chance(0.7) else I64
        a = self.any_of(dtype)
        b = self.pick(dtype, lambda v: self.broadcast(a.shape, v.shape) is not None)
        if b is None or self.chance(0.2):
            shape = [e if isinstance(e, int) else 1 for e in a.shape][
                self.random.randrange(len(a.shape) + 1) :
            ]
            b = self.random_constant(dtype, shape)
        if self.chance(0.5):
            a, b = b, a
        self.combine(dtype, a, b)

    def combine(self, dtype: str, a: Value, b: Value) -> Value:
        """A random elementwise operation of two values that broadcast."""
        shape = self.broadcast(a.shape, b.shape)
        assert shape is not None
        op = self.random.choice(["Add", "Sub", "Mul", "Max", "Min", "Div" if dtype == F32 else "Mod"])
        if op == "Div":
            one = self.number(np.array(1.125, np.float32))
            b = self.emit("Abs", [b], F32, b.shape, b.limit)
            b = self.emit("Add", [b, one], F32, b.shape, b.limit + 1.125)
            return self.emit("Div", [a, b], F32, shape, a.limit)
        if op == "Mod":
            # Divided by a constant that is not zero; both signs and both roundings.
            b = self.number(np.array(self.random.choice([2, 3, 5, 7, -3]), np.int64))
            if self.chance(0.4):
                return self.emit("Div", [a, b], I64, a.shape, a.limit)
            return self.emit("Mod", [a, b], I64, a.shape, b.limit, fmod=self.random.randrange(2))
        limit = {"Add": a.limit + b.limit, "Sub": a.limit + b.limit, "Mul": a.limit * b.limit}
        return self.emit(op, [a, b], dtype, shape, limit.get(op, max(a.limit, b.limit)))

    def broadcast(self, a: Shape, b: Shape) -> Shape | None:
        """The shape that both broadcast to, or None where they surely or possibly don't."""
        rank = max(len(a), len(b))
        result: list[Extent] = []
        for x, y in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b):
            if x == y or y == 1:
                result.append(x)
            elif x == 1:
                result.append(y)
            else:
                return None
        shape = tuple(result)
        allowed = max(96, self.elements(a), self.elements(b))
        return shape if rank <= 4 and self.elements(shape) <= allowed else None

    def matmul(self) -> None:
        """A matrix product of small operands, with or without a batch."""
        a = self.any_of(F32, lambda v: len(v.shape) in (1, 2, 3) and v.static)
        if not a.shape:
            return
        inner = a.shape[-1]
        b = self.pick(F32, lambda v: len(v.shape) == 2 and v.shape[0] == inner)
        if b is None:
            assert isinstance(inner, int)
            b = self.random_constant(F32, (inner, self.random.choice([1, 2, 3])))
        limit = a.limit * b.limit * self.high(inner)
        self.emit("MatMul", [a, b], F32, (*a.shape[:-1], b.shape[1]), limit)

    def concat(self) -> None:
        """Two or three values joined along an axis."""
        a = self.any_of(self.random.choice([F32, F32, I64]), lambda v: len(v.shape) > 0)
        axis = self.random.randrange(len(a.shape))

        def fits(v: Value) -> bool:
            same = (*v.shape[:axis], *v.shape[axis + 1 :]) == (*a.shape[:axis], *a.shape[axis + 1 :])
            return same and len(v.shape) == len(a.shape)

        parts = [a, *(self.any_of(a.dtype, fits) for _ in range(self.random.choice([1, 1, 2])))]
        parts = [p for p in parts if fits(p)]
        extents = [p.shape[axis] for p in parts]
        total: Extent
        if all(isinstance(e, int) for e in extents):
            total = sum(self.low(e) for e in extents)
        else:
            total = self.symbol(sum(map(self.low, extents)), sum(map(self.high, extents)))
        if self.high(total) > 12:
            return
        self.random.shuffle(parts)
        shape = (*a.shape[:axis], total, *a.shape[axis + 1 :])
        given = axis if self.chance(0.6) else axis - len(shape)
        self.emit("Concat", parts, a.dtype, shape, max(p.limit for p in parts), axis=given)

    def slice(self) -> None:
        """A part along one static axis, with any step."""
        x = self.any_of(
            self.random.choice([F32, F32, I64]), lambda v: any(isinstance(e, int) for e in v.shape)
        )
        axes = [i for i, e in enumerate(x.shape) if isinstance(e, int) and e > 0]
        if not axes:
            return
        axis = self.random.choice(axes)
        extent = self.low(x.shape[axis])
        step = self.random.choice([1, 1, 2, -1, -2])
        start, end = self.random.randrange(-extent, extent), self.random.randrange(-extent - 1, extent + 2)
        taken = len(range(*self.onnx_slice(start, end, step, extent)))
        if taken == 0:
            return
        shape = (*x.shape[:axis], taken, *x.shape[axis + 1 :])
        inputs = [x, *(self.vector(n) for n in (start, end, axis, step))]
        self.emit("Slice", inputs, x.dtype, shape, x.limit)

    @staticmethod
    def onnx_slice(start: int, end: int, step: int, extent: int) -> tuple[int, int, int]:
        """The range of a Slice after clamping, as ONNX specifies it."""
        start, end = (v + extent if v < 0 else v for v in (start, end))
        if step > 0:
            return min(max(start, 0), extent), min(max(end, 0), extent), step
        return min(max(start, 0), extent - 1), min(max(end, -1), extent - 1), step

    def dynamic_slice(self) -> None:
        """From an index that is computed to the end, or of one element there."""
        x = self.any_of(self.random.choice([F32, F32, I64]), lambda v: any(self.low(e) > 0 for e in v.shape))
        axes = [i for i, e in enumerate(x.shape) if isinstance(e, int) and e > 0]
        if not axes:
            return
        axis = self.random.choice(axes)
        extent = self.low(x.shape[axis])
        start = self.index(extent, (1,))
        if self.chance(0.5):
            one = self.vector(1)
            end = self.emit("Add", [start, one], I64, (1,), extent)
            taken: Extent = 1
        else:
            end = self.vector(2**62)
            taken = self.symbol(1, extent)
        shape = (*x.shape[:axis], taken, *x.shape[axis + 1 :])
        self.emit("Slice", [x, start, end, self.vector(axis)], x.dtype, shape, x.limit)

    def index(self, extent: int, shape: tuple[int, ...]) -> Value:
        """A computed i64 of this shape (rank 0 or 1) within 0..extent-1."""
        source = self.any_of(I64, lambda v: v.shape == shape or v.shape == ())
        if source.shape != shape and shape == (1,):
            source = self.emit("Reshape", [source, self.vector(1)], I64, shape, source.limit)
        if source.shape != shape:
            source = self.random_constant(I64, shape)
        return self.emit("Mod", [source, self.number(np.array(extent, np.int64))], I64, shape, extent)

    def gather(self) -> None:
        """Elements along one static axis by constant or computed indices."""
        x = self.any_of(self.random.choice([F32, F32, I64]), lambda v: any(self.low(e) > 0 for e in v.shape))
        axes = [i for i, e in enumerate(x.shape) if isinstance(e, int) and e > 0]
        if not axes:
            return
        axis = self.random.choice(axes)
        extent = self.low(x.shape[axis])
        if self.chance(0.4):
            shape = self.random.choice([(), (2,), (1, 2)])
            indices = self.number(np.asarray(self.numpy.integers(-extent, extent, size=shape), np.int64))
        else:
            indices = self.index(extent, self.random.choice([(), (), (1,)]))
        shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
        if len(shape) <= 4:
            self.emit("Gather", [x, indices], x.dtype, shape, x.limit, axis=axis)

    def transpose(self) -> None:
        """A permutation of the axes."""
        x = self.any_of(F32, lambda v: len(v.shape) > 1)
        perm = list(range(len(x.shape)))
        self.random.shuffle(perm)
        self.emit("Transpose", [x], F32, tuple(x.shape[p] for p in perm), x.limit, perm=perm)

    def reduce(self) -> None:
        """A sum, mean or maximum over some axes; an extent that may be 0 is only summed."""
        dtype = self.random.choice([F32, F32, I64])
        x = self.any_of(dtype, lambda v: len(v.shape) > 0)
        axes = sorted(self.random.sample(range(len(x.shape)), self.random.randint(1, len(x.shape))))
        keep = self.chance(0.5)
        shape = tuple(1 if i in axes else e for i, e in enumerate(x.shape) if keep or i not in axes)
        empty = any(self.low(x.shape[a]) == 0 for a in axes)
        ops = ["ReduceSum"] if empty else ["ReduceSum", "ReduceSum", "ReduceMax", "ReduceMin"]
        if dtype == F32 and not empty:
            ops.append("ReduceMean")
        op = self.random.choice(ops)
        count = self.elements(tuple(x.shape[a] for a in axes)) if op == "ReduceSum" else 1
        # ONNX Runtime takes negative axes of an empty tensor to be none of its axes.
        counted_back = self.filled_surely(x) and self.chance(0.4)
        given = self.vector(*(a - len(x.shape) * counted_back for a in axes))
        self.emit(op, [x, given], dtype, shape, x.limit * max(count, 1), keepdims=int(keep))

    def reshape(self) -> None:
        """The same elements in another shape, or an axis of 1 more or less."""
        x = self.any_of(self.random.choice([F32, F32, I64]))
        kind = self.random.randrange(3)
        if kind == 0 and len(x.shape) < 4:
            axis = self.random.randrange(len(x.shape) + 1)
            shape = (*x.shape[:axis], 1, *x.shape[axis:])
            self.emit("Unsqueeze", [x, self.vector(axis)], x.dtype, shape, x.limit)
        elif kind == 1 and 1 in x.shape:
            axis = x.shape.index(1)
            self.emit(
                "Squeeze", [x, self.vector(axis)], x.dtype, (*x.shape[:axis], *x.shape[axis + 1 :]), x.limit
            )
        elif x.static and len(x.shape) > 0:
            shape = [self.low(e) for e in reversed(x.shape)]
            if self.chance(0.3):
                shape = [self.elements(x.shape)]
            given = list(shape)
            if 0 not in shape and self.chance(0.5):
                given[self.random.randrange(len(given))] = -1
            if 0 not in shape:
                self.emit("Reshape", [x, self.vector(*given)], x.dtype, tuple(shape), x.limit)

    def reshaped(self, value: Value) -> Value:
        """A value of static shape, by a Reshape to that shape."""
        extents = self.vector(*(self.low(e) for e in value.shape))
        return self.emit("Reshape", [value, extents], value.dtype, value.shape, value.limit, allowzero=1)

    def where(self) -> None:
        """A choice element by element."""
        mask = self.any_of(BOOL)
        dtype = self.random.choice([F32, F32, I64])
        a = self.any_of(dtype, lambda v: self.broadcast(mask.shape, v.shape) is not None)
        shape = self.broadcast(mask.shape, a.shape)
        if shape is None:
            return
        b = self.pick(dtype, lambda v: self.broadcast(shape, v.shape) is not None)
        if b is None:
            return
        result = self.broadcast(shape, b.shape)
        assert result is not None
        self.emit("Where", [mask, a, b], dtype, result, max(a.limit, b.limit))

    def cast(self) -> None:
        """An integer or a boolean becomes a float, a boolean an integer, an integer a boolean."""
        source, to = self.random.choice([(I64, F32), (BOOL, F32), (BOOL, I64), (I64, BOOL)])
        x = self.any_of(source)
        self.emit("Cast", [x], to, x.shape, 1.0 if to == BOOL else x.limit, to=PROTO_TYPES[to])

    def compare(self) -> None:
        """A boolean of integers (exact) or of other booleans."""
        if self.chance(0.3):
            a = self.any_of(BOOL)
            b = self.pick(BOOL, lambda v: self.broadcast(a.shape, v.shape) is not None)
            if b is None or self.chance(0.3):
                self.emit("Not", [a], BOOL, a.shape, 1)
                return
            shape = self.broadcast(a.shape, b.shape)
            assert shape is not None
            self.emit(self.random.choice(["And", "Or", "Xor"]), [a, b], BOOL, shape, 1)
            return
        a = self.any_of(I64)
        b = self.pick(I64, lambda v: self.broadcast(a.shape, v.shape) is not None)
        if b is None or self.chance(0.5):
            b = self.number(np.array(self.random.randint(-1, 5), np.int64))
        shape = self.broadcast(a.shape, b.shape)
        assert shape is not None
        op = self.random.choice(["Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"])
        self.emit(op, [a, b], BOOL, shape, 1)

    def expand(self) -> None:
        """A value repeated along axes of 1."""
        x = self.any_of(F32, lambda v: v.static)
        shape = tuple(self.random.choice([2, 3]) if e == 1 else self.low(e) for e in (1, *x.shape))
        if len(shape) <= 4 and self.elements(shape) <= 96:
            self.emit("Expand", [x, self.vector(*shape)], F32, shape, x.limit)

    def shape(self) -> None:
        """The extents of a value, as integers."""
        x = self.any_of(F32, lambda v: len(v.shape) > 0)
        limit = max(self.high(e) for e in x.shape)
        self.emit("Shape", [x], I64, (len(x.shape),), float(limit))

    def softmax(self) -> None:
        """exp(x) / sum(exp(x)) along an axis, out of simpler operations."""
        x = self.any_of(F32, lambda v: len(v.shape) > 0 and v.static and self.elements(v.shape) > 0)
        axis = self.vector(self.random.randrange(len(x.shape)))
        position = numpy_helper.to_array(self.scope.nodes[-1].attribute[0].t)[0]
        if x.shape[position] == 0:
            return
        shape = tuple(1 if i == position else e for i, e in enumerate(x.shape))
        top = self.emit("ReduceMax", [x, axis], F32, shape, x.limit, keepdims=1)
        # At most 0, so no bound is needed: what emit would do to a larger limit is not what is meant.
        shifted = self.emit("Sub", [x, top], F32, x.shape, LARGEST_FLOAT)
        power = self.emit("Exp", [shifted], F32, x.shape, 1)
        total = self.emit("ReduceSum", [power, axis], F32, shape, LARGEST_FLOAT, keepdims=1)
        self.emit("Div", [power, total], F32, x.shape, 1)

    def split(self) -> None:
        """Two parts along an axis, of given or of nearly equal lengths."""
        x = self.any_of(F32, lambda v: any(isinstance(e, int) and e > 1 for e in v.shape))
        axes = [i for i, e in enumerate(x.shape) if isinstance(e, int) and e > 1]
        if not axes:
            return
        axis = self.random.choice(axes)
        extent = self.low(x.shape[axis])
        first = self.random.randrange(1, extent)
        inputs: list[str] = [x.name, self.vector(first, extent - first).name]
        attributes: dict[str, Any] = {"axis": axis}
        if self.chance(0.4):
            first = -(-extent // 2)
            inputs, attributes["num_outputs"] = [x.name], 2
        shapes = [self.replaced(x.shape, axis, e) for e in (first, extent - first)]
        parts = [self.value("part", F32, shape, x.limit) for shape in shapes]
        self.scope.nodes.append(helper.make_node("Split", inputs, [p.name for p in parts], **attributes))
        self.scope.values += parts

    def pad(self) -> None:
        """Some constant elements before or behind, on one static axis."""
        x = self.any_of(self.random.choice([F32, I64]), lambda v: len(v.shape) > 0 and v.static)
        if not x.static or not x.shape:
            return
        axis = self.random.randrange(len(x.shape))
        before, behind = self.random.randrange(3), self.random.randrange(3)
        pads = [0] * (2 * len(x.shape))
        pads[axis], pads[axis + len(x.shape)] = before, behind
        shape = self.replaced(x.shape, axis, self.low(x.shape[axis]) + before + behind)
        if self.elements(shape) <= 96:
            fill = self.number(np.array(1, np.float32 if x.dtype == F32 else np.int64))
            self.emit("Pad", [x, self.vector(*pads), fill], x.dtype, shape, max(x.limit, 1))

    def range(self) -> None:
        """The numbers below one that is computed."""
        limit = self.index(self.random.choice([3, 5]), ())
        zero, one = (self.number(np.array(n, np.int64)) for n in (0, 1))
        most = int(limit.limit) - 1
        self.emit("Range", [zero, limit, one], I64, (self.symbol(0, most),), most)

    def filled(self) -> None:
        """A constant of the shape of another value."""
        x = self.any_of(F32, lambda v: len(v.shape) > 0)
        shape = self.emit("Shape", [x], I64, (len(x.shape),), 12)
        fill = numpy_helper.from_array(np.array([0.25], np.float32))
        self.emit("ConstantOfShape", [shape], F32, x.shape, 1, value=fill)

    def tile(self) -> None:
        """A value repeated along its axes."""
        x = self.any_of(F32, lambda v: len(v.shape) > 0 and v.static)
        if not x.static or not x.shape:
            return
        repeats = [self.random.choice([1, 1, 2]) for _ in x.shape]
        shape = tuple(self.low(e) * r for e, r in zip(x.shape, repeats))
        if self.elements(shape) <= 96:
            self.emit("Tile", [x, self.vector(*repeats)], F32, shape, x.limit)

    # -- conditions

    def condition(self) -> Value:
        """A boolean scalar: read, of integers, or of the sum of floats."""
        choice = self.random.random()
        found = self.pick(BOOL, lambda v: v.shape == ())
        if choice < 0.3 and found is not None:
            return found
        if choice < 0.75:
            number = self.any_of(I64, lambda v: v.shape == ())
            if number.shape != ():
                number = self.emit("ReduceSum", [number], I64, (), number.limit * 12, keepdims=0)
            bound = self.number(np.array(self.random.randint(-1, 5), np.int64))
            op = self.random.choice(["Less", "Greater", "Equal", "GreaterOrEqual"])
            return self.emit(op, [number, bound], BOOL, (), 1)
        x = self.any_of(F32)
        # Not limited, and read by the comparison only.
        total = self.value("sum", F32, (), 0)
        self.scope.nodes.append(helper.make_node("ReduceSum", [x.name], [total.name], keepdims=0))
        bound = self.number(np.array(self.random.uniform(-0.5, 0.5), np.float32))
        return self.emit(self.random.choice(["Less", "Greater"]), [total, bound], BOOL, (), 1)

    def true(self) -> Value:
        """The boolean true."""
        return self.number(np.array(True))

    # -- regions

    def nested(self) -> Scope:
        """Enter a subgraph."""
        self.scope = Scope(self.scope, self.scope.depth + 1)
        return self.scope

    def leave(self) -> None:
        """Go back to the scope around."""
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def renamed(self, value: Value) -> Value:
        """The value under a name of its own: a graph's outputs are its own values, each of another name."""
        result = self.value("out", value.dtype, value.shape, value.limit)
        self.scope.nodes.append(helper.make_node("Identity", [value.name], [result.name]))
        return result

    def if_(self) -> None:
        """Two branches; results differ in some extent now and then."""
        cond = self.condition()
        signature: list[Value] = []
        graphs: list[onnx.GraphProto] = []
        results: list[list[Value]] = []
        count = self.random.choice([1, 1, 2, 3])
        for name in ("then", "else"):
            scope = self.nested()
            self.steps(self.random.randint(1, 4))
            if name == "then":
                signature = [self.any_of(self.random.choice([F32, F32, I64, BOOL])) for _ in range(count)]
                chosen = signature
            else:
                chosen = [self.alike(v) for v in signature]
            outputs = [self.renamed(v) for v in chosen]
            self.leave()
            graphs.append(
                helper.make_graph(
                    scope.nodes, self.value(name, F32, (), 0).name, [], [o.info() for o in outputs]
                )
            )
            results.append(outputs)
        joined: list[Value] = []
        for a, b in zip(*results):
            shape = tuple(self.joined(x, y) for x, y in zip(a.shape, b.shape))
            joined.append(self.value("if", a.dtype, shape, max(a.limit, b.limit)))
        self.scope.nodes.append(
            helper.make_node(
                "If", [cond.name], [r.name for r in joined], then_branch=graphs[0], else_branch=graphs[1]
            )
        )
        self.scope.values += joined

    def joined(self, a: Extent, b: Extent) -> Extent:
        """The extent of a value that is either's; symbols of a branch mean nothing outside of it."""
        if a == b and (isinstance(a, int) or self.known_outside(a)):
            return a
        return self.symbol(min(self.low(a), self.low(b)), max(self.high(a), self.high(b)))

    def known_outside(self, symbol: Extent) -> bool:
        """Whether a value of the present scope or of one around it has this symbol."""
        return any(symbol in v.shape for v in self.scope.visible())

    def alike(self, wanted: Value) -> Value:
        """A value of the same type and rank: of the same shape, or one that differs in extents."""
        if self.chance(0.3):
            other = self.pick(wanted.dtype, lambda v: len(v.shape) == len(wanted.shape) and len(v.shape) > 0)
            if other is not None:
                return other
        same = self.pick(wanted.dtype, lambda v: v.shape == wanted.shape)
        if same is not None:
            return same
        shape = [e if isinstance(e, int) else self.high(e) for e in wanted.shape]
        return self.random_constant(wanted.dtype, shape)

    def loop(self) -> None:
        """A Loop: trips and condition of one of several kinds; carried values that change, stay, swap, grow or are dead."""
        kind = self.random.choice(
            ["static", "static", "static", "bounded", "condition", "condition", "while"]
        )
        most = self.random.choice([0, 1, 2, 3, 3, 4, 5])
        trip: Value | None = None
        cond: Value | None = None
        least = most if kind == "static" else 0
        if kind == "bounded":
            number = self.any_of(I64, lambda v: v.shape == ())
            if number.shape != ():
                number = self.emit("ReduceSum", [number], I64, (), number.limit * 12, keepdims=0)
            trip = self.emit("Min", [number, self.number(np.array(most, np.int64))], I64, (), LARGEST_INTEGER)
        elif kind != "while":
            trip = self.number(np.array(most, np.int64))
        if kind in ("condition", "while"):
            cond = self.condition() if self.chance(0.35) else self.true()
        elif self.chance(0.4):
            cond = self.true()
        carried = [
            self.any_of(self.random.choice([F32, F32, F32, I64, BOOL]))
            for _ in range(self.random.choice([0, 1, 2, 2, 3]))
        ]
        if self.chance(0.2) and carried and len(carried) < 4:
            carried.append(carried[0])
        if kind == "while":
            carried.append(self.number(np.array(0, np.int64)))
        growth = self.growth(carried) if kind != "while" and self.chance(0.3) else None
        scope = self.nested()
        iteration = self.value("i", I64, (), 20)
        incoming = self.value("ci", BOOL, (), 1)
        arguments = [self.carried_argument(v) for v in carried]
        if growth is not None:
            grown = arguments[growth.index]
            longest = growth.low + growth.step * most
            shape = self.replaced(grown.shape, growth.axis, self.symbol(growth.low, longest))
            arguments[growth.index] = Value(grown.name, grown.dtype, shape, grown.limit)
        scope.values += [*arguments, iteration]
        if cond is not None:
            scope.values.append(incoming)
        counter = arguments[-1] if kind == "while" else None
        self.steps(self.random.randint(1, 5))
        following = self.following(arguments)
        if growth is not None:
            following[growth.index] = self.grow(arguments[growth.index], growth)
        again = self.true()
        if kind == "condition":
            again = self.condition()
        elif kind == "while":
            assert counter is not None
            one, bound = self.number(np.array(1, np.int64)), self.number(np.array(most, np.int64))
            following[-1] = self.emit("Add", [counter, one], I64, (), 20)
            again = self.emit("Less", [following[-1], bound], BOOL, (), 1)
            if self.chance(0.4):
                again = self.emit("And", [again, self.condition()], BOOL, (), 1)
        elif cond is not None and self.chance(0.5):
            again = incoming
        scans: list[Value] = []
        if kind != "while":
            for _ in range(self.random.choice([0, 1, 1, 2])):
                v = self.pick(
                    self.random.choice([F32, F32, I64, BOOL]),
                    lambda v: v.static and self.elements(v.shape) <= 32,
                )
                if v is not None and len(v.shape) < 4:
                    scans.append(v)
        if not carried and not scans:
            scans.append(self.any_of(F32, lambda v: v.static and len(v.shape) < 4))
        if not (kind == "static" and most > 0):
            # With no trips the inner extents are what inference knows of them, so make it know.
            scans = [self.reshaped(v) for v in scans]
        limits = [max(a.limit, b.limit) for a, b in zip(carried, following)]
        outputs = [self.renamed(v) for v in (again, *following, *scans)]
        self.leave()
        graph = helper.make_graph(
            scope.nodes,
            self.value("body", F32, (), 0).name,
            [self.plain_info(v) for v in (iteration, incoming, *arguments)],
            [self.plain_info(v) for v in outputs],
        )
        extent: Extent = most if kind == "static" else self.symbol(least, most)
        results: list[Value] = []
        for index, (initial, argument, limit) in enumerate(zip(carried, arguments, limits)):
            shape = initial.shape
            if growth is not None and growth.index == index:
                longest = growth.low + growth.step * most
                grown = longest if kind == "static" else self.symbol(growth.low, longest)
                shape = self.replaced(shape, growth.axis, grown)
            results.append(self.value("l", initial.dtype, shape, max(limit, argument.limit)))
        results += [self.value("s", v.dtype, (extent, *v.shape), v.limit) for v in scans]
        inputs = [trip.name if trip else "", cond.name if cond else "", *(v.name for v in carried)]
        self.scope.nodes.append(helper.make_node("Loop", inputs, [r.name for r in results], body=graph))
        self.scope.values += results

    def carried_argument(self, initial: Value) -> Value:
        """What a body sees of a carried value: any value within the ranges, since the body may change it."""
        limit = {F32: LARGEST_FLOAT, I64: LARGEST_INTEGER, BOOL: 1.0}[initial.dtype]
        return self.value("a", initial.dtype, initial.shape, limit)

    def following(self, arguments: Sequence[Value]) -> list[Value]:
        """The next carried values."""
        return [self.next_of(argument, arguments) for argument in arguments]

    def next_of(self, argument: Value, arguments: Sequence[Value]) -> Value:
        """A carried value's next one: a new one, itself, another carried one, or any value of its type."""

        def same(v: Value) -> bool:
            return v.dtype == argument.dtype and v.shape == argument.shape

        choice = self.random.random()
        own = [v for v in self.scope.values if same(v) and v not in arguments]
        others = [v for v in arguments if same(v) and v is not argument]
        if choice < 0.12:
            return argument
        if choice < 0.35 and others:
            return self.random.choice(others)
        if choice < 0.42:
            return self.pick(argument.dtype, same) or argument
        if own and choice < 0.8:
            return own[-1]
        if argument.dtype == BOOL:
            return self.emit("Not", [argument], BOOL, argument.shape, 1)

        def fits(v: Value) -> bool:
            return self.broadcast(argument.shape, v.shape) == argument.shape

        return self.combine(argument.dtype, argument, self.pick(argument.dtype, fits) or argument)

    def growth(self, carried: Sequence[Value]) -> Growth | None:
        """Which carried value grows along which axis, by how many elements in an iteration."""
        found = [
            (index, axis)
            for index, v in enumerate(carried)
            for axis, e in enumerate(v.shape)
            if v.static and isinstance(e, int) and e <= 4 and v.dtype != BOOL
        ]
        if not found:
            return None
        index, axis = self.random.choice(found)
        return Growth(index, axis, self.low(carried[index].shape[axis]), self.random.choice([1, 1, 2]))

    def grow(self, argument: Value, growth: Growth) -> Value:
        """The argument with some more elements at either end."""
        shape = self.replaced(argument.shape, growth.axis, growth.step)
        more = self.pick(argument.dtype, lambda v: v.shape == shape)
        if more is None:
            more = self.random_constant(argument.dtype, [self.low(e) for e in shape])
        parts = [argument, more] if self.chance(0.6) else [more, argument]
        longer = self.symbol(self.low(argument.shape[growth.axis]), self.high(argument.shape[growth.axis]))
        result = self.replaced(argument.shape, growth.axis, longer)
        return self.emit("Concat", parts, argument.dtype, result, argument.limit, axis=growth.axis)

    @staticmethod
    def replaced(shape: Shape, axis: int, extent: Extent) -> Shape:
        """The shape with another extent on an axis."""
        return (*shape[:axis], extent, *shape[axis + 1 :])

    def plain_info(self, value: Value) -> onnx.ValueInfoProto:
        """A declaration inside a body; a symbol is left open, since a name there would be taken for an equality."""
        shape = [e if isinstance(e, int) else None for e in value.shape]
        return helper.make_tensor_value_info(value.name, PROTO_TYPES[value.dtype], shape)

    def filled_surely(self, value: Value) -> bool:
        """Whether it has an element in any case."""
        return all(self.low(e) > 0 for e in value.shape)

    def scan(self) -> None:
        """A Scan over one or two inputs of the same length, any axes, forward or reverse."""
        first = self.any_of(F32, lambda v: len(v.shape) > 0 and self.filled_surely(v))
        length = self.random.choice(first.shape)
        inputs = [first]
        if self.chance(0.5):
            dtype = self.random.choice([F32, I64])
            second = self.pick(dtype, lambda v: length in v.shape and self.filled_surely(v))
            inputs += [second] if second is not None else []
        input_axes = [self.random.choice([i for i, e in enumerate(v.shape) if e == length]) for v in inputs]
        directions = [int(self.chance(0.4)) for _ in inputs]
        states = [
            self.any_of(self.random.choice([F32, F32, I64])) for _ in range(self.random.choice([0, 1, 2]))
        ]
        scope = self.nested()
        arguments = [self.carried_argument(v) for v in states]
        parts = [
            self.value("p", v.dtype, (*v.shape[:a], *v.shape[a + 1 :]), v.limit)
            for v, a in zip(inputs, input_axes)
        ]
        scope.values += [*arguments, *parts]
        self.steps(self.random.randint(1, 5))
        following = self.following(arguments)
        scans: list[Value] = []
        for _ in range(self.random.choice([0, 1, 2]) if states else self.random.choice([1, 2])):
            v = self.any_of(
                self.random.choice([F32, F32, I64]),
                lambda v: v.static and 0 < self.elements(v.shape) <= 32 and len(v.shape) < 4,
            )
            scans.append(v)
        if not states and not scans:
            scans.append(self.random_constant(F32, (2,)))
        outputs = [self.renamed(v) for v in (*following, *scans)]
        self.leave()
        graph = helper.make_graph(
            scope.nodes,
            self.value("body", F32, (), 0).name,
            [self.plain_info(v) for v in (*arguments, *parts)],
            [self.plain_info(v) for v in outputs],
        )
        results = [
            self.value("l", v.dtype, v.shape, max(v.limit, a.limit, f.limit))
            for v, a, f in zip(states, arguments, following)
        ]
        output_axes: list[int] = []
        for v in scans:
            axis = self.random.randrange(len(v.shape) + 1)
            results.append(self.value("s", v.dtype, (*v.shape[:axis], length, *v.shape[axis:]), v.limit))
            output_axes.append(axis if self.chance(0.7) else axis - len(v.shape) - 1)
        attributes: dict[str, Any] = {"num_scan_inputs": len(inputs), "body": graph}
        given = [a if self.chance(0.7) else a - len(v.shape) for a, v in zip(input_axes, inputs)]
        attributes |= {"scan_input_axes": given, "scan_input_directions": directions}
        if scans:
            attributes["scan_output_axes"] = output_axes
            attributes["scan_output_directions"] = [int(self.chance(0.4)) for _ in scans]
        self.scope.nodes.append(
            helper.make_node(
                "Scan", [v.name for v in (*states, *inputs)], [r.name for r in results], **attributes
            )
        )
        self.scope.values += results
