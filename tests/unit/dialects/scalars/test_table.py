"""The table of scalar operations: a row for each, and the columns of a row agree with each other.

numpy defines what an operation computes. On edge values and random ones, generated Python and C (under sanitizers) give the same; results
are inside of the interval that the operands' intervals lead to; a neutral element changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pytest
from xdsl.dialects.arith import Arith, ConstantOp
from xdsl.dialects.math import Math
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.formats.c.rules import EXTENDED, RULES
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.dialects.element_types import is_float
from loomir.dialects.quads import DotOp
from loomir.dialects.scalars import CONVERSIONS, FLOATS, SCALARS
from loomir.dialects.scalars.integers import INTEGERS, QUADS
from loomir.dialects.scalars.intervals import Interval, contains
from loomir.dialects.scalars.row import CInteger, CLibrary, Scalar, is_integer, type_range
from loomir.dialects.vectors import MaskedSelectOp
from tests.support import assert_agree
from tests.support_c import run_sanitized
from tests.support_elementwise import DTYPES, WIDTHS, floats, held, integers

TYPES = list(DTYPES)
INTEGER_TYPES = list(WIDTHS)
FLOAT_TYPES = [t for t in TYPES if t not in WIDTHS]
CONTEXT = make_context()


class Use:
    """An operation on operands of some types, as text of MLIR's generic form and as an operation."""

    def __init__(
        self, op_class: type[Operation], operands: Sequence[str], results: Sequence[str], properties: str = ""
    ) -> None:
        self.row: Scalar = SCALARS[op_class]
        self.operands, self.results = tuple(operands), tuple(results)
        self.name, self.properties = op_class.name, properties
        self.op = self._parsed()

    def __str__(self) -> str:
        return self.text("…")

    def text(self, operands: str) -> str:
        types = f"({', '.join(self.operands)}) -> ({', '.join(self.results)})"
        return f'"{self.name}"({operands}) {self.properties} : {types}'

    def _parsed(self) -> Operation:
        names = ", ".join(f"%v{k}" for k in range(len(self.operands)))
        given = f'{names} = "test.op"() : () -> ({", ".join(self.operands)})'
        module = Parser(CONTEXT, f"{given}\n{self.text(names)}").parse_module()
        return list(module.ops)[1]

    def numpy(self, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        with np.errstate(all="ignore"):
            found = self.row.numpy(self.op)(*arrays)
        return tuple(np.asarray(a) for a in (found if isinstance(found, tuple) else (found,)))


def uses(op_class: type[Operation]) -> Iterator[Use]:
    """An operation in all types that it has."""
    word = op_class.name.partition(".")[2]
    arity = len(op_class.get_irdl_definition().operands)
    if op_class in EXTENDED:
        for t in ("i8", "i16", "i32", "i64"):
            yield Use(op_class, (t, t), (t, "i1" if word == "addui_extended" else t))
    elif op_class in INTEGERS:
        for t in INTEGER_TYPES:
            yield Use(op_class, [t] * arity, [t])
    elif op_class is DotOp:
        for zero, sign in ((0, ""), (0, ", unsigned"), (-128, ""), (83, ""), (255, ", unsigned")):
            yield Use(op_class, ["i32"] * 3, ["i32"], f"<{{zero = {zero} : i32{sign}}}>")
    elif word == "fpowi":
        for t in FLOAT_TYPES:
            yield Use(op_class, (t, "i32"), [t])
    elif op_class in FLOATS:
        for t in FLOAT_TYPES:
            yield Use(op_class, [t] * arity, [t])
    else:
        yield from conversions(op_class, word)


def conversions(op_class: type[Operation], word: str) -> Iterator[Use]:
    """The same for choices, comparisons and casts."""
    numbers = [t for t in INTEGER_TYPES if t != "index"]
    sizes = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
    narrower = [(a, b) for a in numbers for b in numbers if WIDTHS[a] < WIDTHS[b]]
    smaller = [(a, b) for a in sizes for b in sizes if sizes[a] < sizes[b]]
    match word:
        case "select":
            for t in TYPES:
                yield Use(op_class, ("i1", t, t), [t])
        case "cmpi":
            for t in INTEGER_TYPES:
                for k in range(10):
                    yield Use(op_class, (t, t), ["i1"], f"<{{predicate = {k} : i64}}>")
        case "cmpf":
            for t in FLOAT_TYPES:
                for k in range(16):
                    yield Use(op_class, (t, t), ["i1"], f"<{{predicate = {k} : i64}}>")
        case "index_cast":
            for t in numbers:
                yield Use(op_class, [t], ["index"])
                yield Use(op_class, ["index"], [t])
        case "bitcast":
            for a, b in (("f16", "i16"), ("bf16", "i16"), ("f32", "i32"), ("f64", "i64")):
                yield Use(op_class, [a], [b])
                yield Use(op_class, [b], [a])
        case "extsi" | "extui":
            yield from (Use(op_class, [a], [b]) for a, b in narrower)
        case "trunci":
            yield from (Use(op_class, [b], [a]) for a, b in narrower)
        case "extf":
            yield from (Use(op_class, [a], [b]) for a, b in smaller)
        case "truncf":
            yield from (Use(op_class, [b], [a]) for a, b in smaller)
        case "sitofp" | "uitofp":
            yield from (Use(op_class, [a], [b]) for a in numbers for b in sizes)
        case _:
            assert word in ("fptosi", "fptoui")
            yield from (Use(op_class, [b], [a]) for a in numbers for b in sizes)


@cache
def all_uses() -> list[Use]:
    return [use for op_class in SCALARS for use in uses(op_class)]


def values(t: str, count: int, seed: int) -> np.ndarray:
    """Edge values in random order, and random values."""
    rng = random.Random(f"{t}{seed}")
    if t in WIDTHS:
        half = 1 << (WIDTHS[t] - 1)
        near = [rng.randrange(max(-half, -70), min(half, 70)) for _ in range(count // 3)]
        wide = [rng.randrange(-half, half) for _ in range(count // 3)]
        edges = integers(t)
        return held([*near, *wide, *(rng.choice(edges) for _ in range(count - len(near) - len(wide)))], t)
    edges = floats(t)
    chosen = [edges[rng.randrange(len(edges))] for _ in range(count // 2)]
    with np.errstate(over="ignore"):
        drawn = np.array([rng.uniform(-4, 4) for _ in range(count - len(chosen))]).astype(DTYPES[t])
    return np.concatenate([np.array(chosen, DTYPES[t]), drawn])


def test_every_operation_has_a_row() -> None:
    admitted = {*Arith.operations, *Math.operations, DotOp, MaskedSelectOp} - {ConstantOp}
    assert set(SCALARS) == admitted
    assert set(INTEGERS) | set(FLOATS) | set(CONVERSIONS) | set(QUADS) == admitted
    assert set(RULES) | set(EXTENDED) == admitted | {ConstantOp}
    assert {type(use.op) for use in all_uses()} == admitted - {MaskedSelectOp}


COUNT = 240


def in_c(use: Use) -> bool:
    """Return True if C has the operation in these types."""
    types = (*use.operands, *use.results)
    if type(use.op) in INTEGERS and "i1" in use.operands:
        return isinstance(use.row.c, CInteger) and bool(use.row.c.boolean)
    return not (type(use.op).name in ("arith.fptosi", "arith.fptoui") and "i1" in types)


def program(chosen: Sequence[Use], *, lanes: bool) -> tuple[str, dict[str, np.ndarray]]:
    """A LOOPS program that applies each operation to inputs of its types, and the inputs; an index is i64 in memory."""
    arguments: list[str] = []
    body: list[str] = []
    feed: dict[str, np.ndarray] = {}
    for k, use in enumerate(chosen):
        names = []
        for position, t in enumerate(use.operands):
            name, stored = f"{t}_{position}", "i64" if t == "index" else t
            if name not in feed:
                feed[name] = values(t, COUNT, position)
                arguments.append(
                    f'%{name}_: memref<{COUNT}x{stored}> {{loomir.name = "{name}", loomir.role = "input"}}'
                )
                loaded = f"%{name}" if t != "index" else f"%{name}_i"
                body.insert(0, f"{loaded} = memref.load %{name}_[%i] : memref<{COUNT}x{stored}>")
                if t == "index":
                    body.insert(1, f"%{name} = arith.index_cast {loaded} : i64 to index")
            names.append(f"%{name}")
        results = [f"%r{k}_{n}" for n in range(len(use.results))]
        body.append(f"{', '.join(results)} = {use.text(', '.join(names))}")
        for result, t in zip(results, use.results):
            stored = "i64" if t == "index" else t
            if t == "index":
                body.append(f"{result}_i = arith.index_cast {result} : index to i64")
                result = f"{result}_i"
            name = f"out_{result[1:]}".removesuffix("_i")
            body.append(f"memref.store {result}, %{name}[%i] : memref<{COUNT}x{stored}>")
            arguments.append(
                f'%{name}: memref<{COUNT}x{stored}> {{loomir.name = "{name}", loomir.role = "output"}}'
            )
    inputs = sorted(arguments, key=lambda text: "output" in text)
    # A carried value keeps a loop from becoming lanes.
    carried = "" if lanes else " iter_args(%j = %zero) -> (index)"
    head = f"{'' if lanes else '%k = '}scf.for %i = %zero to %n step %one{carried} {{"
    end = "}" if lanes else "scf.yield %j : index\n}"
    text = f"""
        func.func @main({", ".join(inputs)}) {{
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          %n = arith.constant {COUNT} : index
          {head}
            {chr(10).join(body)}
          {end}
          func.return
        }}"""
    return text, feed


def agree(actual: np.ndarray, expected: np.ndarray, use: Use, engine: str) -> None:
    """Equal, bit by bit but for a NaN's payload; near where a library computes: which one, in numpy, depends on the array's length."""
    what = f"{use}, {engine}"
    if isinstance(use.row.c, CLibrary) or use.name in ("math.rsqrt", "math.fpowi"):
        assert_agree(actual, expected, what)
        return
    assert actual.dtype == expected.dtype, what
    with np.errstate(invalid="ignore"):
        number = expected == expected
        np.testing.assert_array_equal(actual == actual, number, err_msg=what)
    bits = np.dtype(f"u{expected.dtype.itemsize}")
    np.testing.assert_array_equal(actual.view(bits)[number], expected.view(bits)[number], err_msg=what)


@pytest.mark.parametrize("t", TYPES)
def test_engines_agree_with_numpy(t: str) -> None:
    """All operations whose last operand is of a type, in one program."""
    chosen = [use for use in all_uses() if use.operands[-1] == t]
    printed = [use for use in chosen if in_c(use)]
    for engine, found in (("lanes", chosen), ("scalar", chosen), ("C", printed)):
        text, feed = program(found, lanes=engine != "scalar")
        module = parse_module(text, context=CONTEXT)
        actual = run_sanitized(module, feed) if engine == "C" else LoopsEngine(module)(feed)
        for k, use in enumerate(found):
            expected = use.numpy([feed[f"{u}_{position}"] for position, u in enumerate(use.operands)])
            for n, result in enumerate(expected):
                agree(np.asarray(actual[f"out_r{k}_{n}"]), result, use, engine)


def narrowed(interval: Interval, rng: random.Random) -> Interval:
    """A part of an interval: all of it, a few numbers, or one."""
    low, high = interval
    middle = rng.choice([low, high, max(low, min(high, rng.randrange(-9, 10))), rng.randint(low, high)])
    reach = rng.choice([0, 1, 3, 40, high - low])
    return max(low, middle - rng.randint(0, reach)), min(high, middle + rng.randint(0, reach))


def points(interval: Interval, rng: random.Random) -> list[int]:
    low, high = interval
    return [
        low,
        high,
        *(min(high, low + k) for k in range(1, 4)),
        *(rng.randint(low, high) for _ in range(3)),
    ]


@pytest.mark.parametrize("use", [u for u in all_uses() if u.row.interval is not None], ids=str)
def test_results_are_inside_of_the_interval(use: Use) -> None:
    rng = random.Random(str(use))
    decided = 0
    for _ in range(300):
        of: dict[SSAValue, Interval] = {}
        columns = []
        for value, t in zip(use.op.operands, use.operands):
            if not is_integer(value.type):
                columns.append(floats(t)[:1])
                continue
            of[value] = narrowed(type_range(value.type), rng)
            columns.append(held(points(of[value], rng), t))
        assert use.row.interval is not None
        interval = use.row.interval(use.op, of.__getitem__) if len(of) == len(columns) else None
        if interval is None or not contains(type_range(use.op.results[0].type), interval):
            continue
        decided += 1
        grid = [np.ravel(a) for a in np.meshgrid(*columns)]
        (result,) = use.numpy(grid)
        low, high = int(result.min()), int(result.max())
        assert contains(interval, (low, high)), (
            f"{list(of.values())} gives {low} to {high}, not in {interval}"
        )
    assert decided or any(is_float(v.type) for v in use.op.operands) or "i1" in (*use.operands, *use.results)


@pytest.mark.parametrize("use", [u for u in all_uses() if u.row.defined is not None], ids=str)
def test_what_is_defined_is_defined(use: Use) -> None:
    """No division by zero or of the least number by -1, no shift by the width or more."""
    rng = random.Random(str(use))
    for _ in range(200):
        assert use.row.defined is not None
        of = {v: narrowed(type_range(v.type), rng) for v in use.op.operands if is_integer(v.type)}
        if not use.row.defined(use.op, lambda v, of=of: of[v]):
            continue
        least = type_range(use.op.operands[0].type)[0]
        a, b = (of[v] for v in use.op.operands)
        if use.op.name in ("arith.shli", "arith.shrui", "arith.shrsi"):
            assert contains((0, WIDTHS[use.operands[0]] - 1), b)
            continue
        assert not contains(b, (0, 0))
        if "ui" not in use.op.name:
            assert not (contains(a, (least, least)) and contains(b, (-1, -1)))


@pytest.mark.parametrize("use", [u for u in all_uses() if u.row.neutral is not None], ids=str)
def test_the_neutral_element_changes_nothing(use: Use) -> None:
    t = use.operands[0]
    assert use.row.neutral is not None
    number = use.row.neutral(use.op.results[0].type)
    if number is None:
        assert t == "index"
        return
    x = values(t, COUNT, 0)
    element = np.full(COUNT, number if t not in WIDTHS else held([int(number)], t)[0], DTYPES[t])
    for operands in ([x, element], [element, x])[: 2 if use.row.commutative else 1]:
        result, given = (
            a.astype(np.float64 if t in FLOAT_TYPES else a.dtype) for a in (use.numpy(operands)[0], x)
        )
        np.testing.assert_array_equal(result, given)
