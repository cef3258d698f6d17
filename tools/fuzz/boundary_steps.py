"""Steps for boundary values: 64-bit ends, and tails of vectors.

Negation, addition and the absolute value of an end of the 64-bit range wrap round. Such numbers are constants of the
program, which passes fold, or elements of the input `Builder.ends`, of which nothing but the type is known. ONNX Runtime
(1.32) takes the end INT64_MAX of a backward Slice for the other end (by the specification nothing is left). No program
contains this, so a Slice that may go backwards never gets an end that is fed.

Rows of many lengths fill vectors and leave a tail. Steps convert comparisons and logic on them to numbers, and compute
with integers of every width. What passes put into the lanes of vectors, and C compilers into registers, depends on the
number and width of the elements. Lengths are static; half of them are 2 or 3 modulo 4, so that the tail after whole
vectors is a vector of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from loomir.tools.fuzz import FLOATS, INTEGERS, NARROW, WIDE, Value, least, most
from loomir.tools.fuzz.builder import Builder, replaced
from loomir.tools.fuzz.movement_steps import onnx_slice

LEAST, MOST = -(2**63), 2**63 - 1
ENDS = (LEAST, LEAST + 1, MOST - 1, MOST)
"""The ends of the range of i64, and their neighbours."""

LIMIT = 2.0**63


def ends_input(b: Builder) -> Value:
    """Create an input that is fed with `ENDS`.

    Ordinary steps do not find it: they rely on small numbers.
    """
    b.ends = b.value("e", "i64", (b.integer(2, 3),), LIMIT)
    return b.ends


def feed_of_ends(b: Builder, shape: list[int]) -> np.ndarray:
    """Return a feed of that input."""
    numbers = [b.choose(ENDS) for _ in range(shape[0])]
    return np.array(numbers, np.int64)


def fed_end(b: Builder) -> Value | None:
    """Return an end that is fed, of shape [1], or None.

    The result is None in a program without that input.
    """
    if b.ends is None:
        return None
    b.feature("fed ends of 64 bits")
    place = b.integer(0, most((b.ends.shape or (1,))[0]) - 1)
    return b.hidden("Slice", [b.ends, b.vector(place), b.vector(place + 1)], "i64", (1,), LIMIT)


def some_end(b: Builder) -> Value:
    """One of the ends: fed, or a constant of rank 0."""
    found = fed_end(b) if b.chance(0.5) else None
    return b.number(b.choose(ENDS)) if found is None else found


def some_integers(b: Builder) -> Value:
    """Integers that are there, or one of the ends."""
    return some_end(b) if b.chance(0.2) else b.any_of("i64")


def slice_to_the_ends(b: Builder) -> None:
    """Emit a slice from, to, or in steps of, a 64-bit end.

    A 64-bit end is an end of the 64-bit range. Each of them may be fed. The axis is static or dynamic.
    """
    dtype = "bool" if b.chance(0.1) else b.any_type()
    x = b.pick(dtype, lambda v: any(most(e) > 0 for e in v.shape or ()))
    if x is None or x.shape is None:
        return
    axis = b.choose([i for i, e in enumerate(x.shape) if most(e) > 0])
    low, high = least(x.shape[axis]), most(x.shape[axis])
    which = {b.integer(0, 2), b.integer(0, 2)}
    step = b.choose(ENDS) if 2 in which else b.choose((1, 1, 2, -1, -1, -2))
    start = b.choose(ENDS) if 0 in which else b.integer(-high, high - 1)
    end = b.integer(-high - 1, high + 1)
    fed = {k: value for k in sorted(which) if b.chance(0.6) and (value := fed_end(b)) is not None}
    if step < 0 or 2 in fed:
        # What is fed as the end could be INT64_MAX.
        fed.pop(1, None)
        end = b.choose(ENDS[:-1]) if 1 in which else end
    elif 1 in which:
        end = b.choose(ENDS)
    if (2 in fed or not any(counts(start, end, step, low, high))) and b.chance(0.75):
        # From inside to beyond one of the ends of the axis, so that something is taken.
        start = b.integer(-low, low - 1) if low else 0
        end = b.choose((LEAST, LEAST, MOST - 1)) if 2 in fed else LEAST if step < 0 else MOST
    if fed:
        taken = b.open(0, high)
        b.feature("slice to fed ends of 64 bits")
    else:
        numbers = counts(start, end, step, low, high)
        taken = b.open(min(numbers), max(numbers))
        b.feature("slice to the ends of 64 bits")
    if 2 in which:
        b.feature("step of an end of 64 bits")
    limits = [fed.get(k) or b.vector(number) for k, number in enumerate((start, end, step))]
    given = axis - len(x.shape) if b.chance(0.3) else axis
    operands = [x, *limits[:2], b.vector(given), limits[2]]
    b.emit("Slice", operands, x.dtype, replaced(x.shape, axis, taken), x.limit)


def counts(start: int, end: int, step: int, low: int, high: int) -> list[int]:
    """Return the Slice's number of elements for each extent.

    The extents are those from `low` to `high`.
    """
    return [len(range(*onnx_slice(start, end, step, extent))) for extent in range(low, high + 1)]


def compare_ends(b: Builder) -> None:
    """Integers compared with an end of 64 bits, on either side."""
    x, end = some_integers(b), some_end(b)
    operands = [x, end] if b.chance(0.5) else [end, x]
    shape = b.broadcast(x.shape or (), end.shape or ())
    kind = b.choose(("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"))
    b.feature("comparison with the ends of 64 bits")
    b.emit(kind, operands, "bool", shape, 1)


def limit_ends(b: Builder) -> None:
    """Emit the minimum or maximum of integers and a 64-bit end.

    Alternatively, the integers are clamped between two ends of 64 bits.
    """
    x = some_integers(b)
    kind = b.choose(("Min", "Max", "Clip"))
    b.feature("limit of the ends of 64 bits")
    if kind == "Clip":
        # Limits of a Clip are scalars; the lower one is not above the upper one.
        low, high = (b.number(n) for n in sorted((b.choose(ENDS), b.choose((*ENDS, 0)))))
        operands = b.choose(([x, low, high], [x, low], [x, None, high]))
        b.emit(kind, operands, "i64", x.shape, LIMIT)
        return
    end = some_end(b)
    operands = [x, end] if b.chance(0.5) else [end, x]
    b.emit(kind, operands, "i64", b.broadcast(x.shape or (), end.shape or ()), LIMIT)


def wrap_ends(b: Builder) -> None:
    """Sums, differences, products, negations and absolute values that wrap round."""
    end = some_end(b)
    kind = b.choose(("Add", "Sub", "Mul", "Neg", "Abs"))
    b.feature("wrapping integers")
    if kind in ("Neg", "Abs"):
        b.emit(kind, [end], "i64", end.shape, LIMIT)
        return
    x = some_integers(b)
    operands = [x, end] if b.chance(0.5) else [end, x]
    b.emit(kind, operands, "i64", b.broadcast(x.shape or (), end.shape or ()), LIMIT)


EXTREMES: dict[Callable[[Builder], None], int] = {
    slice_to_the_ends: 3,
    compare_ends: 1,
    limit_ends: 1,
    wrap_ends: 1,
}


LENGTHS = (2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 34, 35, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 32, 33)
"""Lengths of rows.

They cover short vectors, whole vectors of 4, 8 and 16 lanes, and lengths that differ from these by one or more
elements.
"""

LONG = tuple(n for n in LENGTHS if n > 4)

SMALL = 97
"""Exclusive upper limit of integers before their conversion to narrow ones.

The integers may have any type.
"""

_CHOSEN = ("i8", "ui8", "i32", "ui32", "i64")
"""Integer types for which ONNX Runtime supports choice and maximum."""


def row_inputs(b: Builder) -> list[Value]:
    """Create inputs of floats, integers and booleans in rows of one length.

    An input is a single row, or several rows behind each other.
    """
    length = b.choose(LENGTHS)
    b.feature(f"row of {length % 4} modulo 4")
    return [
        b.value("r", dtype, (b.integer(2, 3), length) if length < 16 and b.chance(0.2) else (length,), limit)
        for dtype, limit in ((b.float, 4), (b.choose(INTEGERS), 9), ("bool", 1))
    ]


def _row(b: Builder, dtype: str) -> Value | None:
    """Return a value of a length that short extents do not have.

    If there is none, return any value whose last extent is a number above 1.
    """

    def has(v: Value, lengths: Sequence[int]) -> bool:
        return v.static and bool(v.shape) and v.shape[-1] in lengths

    return b.pick(dtype, lambda v: has(v, LONG)) or b.pick(dtype, lambda v: has(v, LENGTHS))


def mask_as_numbers(b: Builder) -> None:
    """Emit comparisons, logic on them, and the result as numbers.

    The numbers are a cast to any type, a choice, or a sum.
    """
    x = _row(b, b.any_type())
    if x is None:
        return
    mask = _comparison(b, x)
    for _ in range(b.integer(0, 2)):
        kind = b.choose(("Not", "Not", "And", "Or", "Xor"))
        others = [] if kind == "Not" else [_comparison(b, x)]
        mask = b.hidden(kind, [mask, *others], "bool", x.shape, 1)
    b.publish(mask)
    b.feature("mask as numbers")
    kind = b.integer(0, 3)
    if kind == 0:
        dtype = b.choose(_CHOSEN)
        operands = [b.number(n, dtype) for n in (b.integer(0, 3), b.integer(1, 100))]
        _widened(b, b.hidden("Where", [mask, *operands], dtype, x.shape, 100))
        return
    dtype = b.choose((*INTEGERS, b.float, *NARROW, *WIDE))
    number = b.hidden("Cast", [mask], dtype, x.shape, 1, gain=0.0, to=dtype)
    if kind == 1 and dtype in INTEGERS:
        axis = b.integer(0, x.rank - 1)
        shape = replaced(x.shape or (), axis, 1)
        b.emit("ReduceSum", [number, b.vector(axis)], dtype, shape, max(LENGTHS), keepdims=1)
    elif kind == 2:
        # Once more, so that there is arithmetic in the type.
        other = b.hidden("Cast", [_comparison(b, x)], dtype, x.shape, 1, gain=0.0, to=dtype)
        _widened(b, b.hidden(b.choose(("Add", "Mul")), [number, other], dtype, x.shape, 2, gain=0.0))
    else:
        _widened(b, number)


def narrow_arithmetic(b: Builder) -> None:
    """Emit arithmetic on integers of any width.

    It covers signs, absolute values, comparisons, limits, and operations that wrap round.
    """
    x = _row(b, b.choose(INTEGERS))
    if x is None:
        return
    dtype = b.choose((*NARROW, *WIDE))
    x = b.hidden("Mod", [x, b.number(SMALL, x.dtype)], x.dtype, x.shape, SMALL, fmod=int(dtype[0] == "i"))
    x = b.hidden("Cast", [x], dtype, x.shape, SMALL, to=dtype)
    b.feature(f"arithmetic of {dtype}")
    kinds = ["Sign", "Sign", "Abs", "Add", "Sub", "Mul", "Mod", "BitwiseAnd", "Less", "Greater", "Equal"]
    kinds += ["Max", "Min"] if dtype in _CHOSEN else []
    kind = b.choose(kinds)
    if kind in ("Sign", "Abs"):
        _widened(b, b.hidden(kind, [x], dtype, x.shape, SMALL))
        return
    operands = [x, b.number(b.integer(1, SMALL), dtype)]
    if kind in ("Less", "Greater", "Equal"):
        mask = b.hidden(kind, operands, "bool", x.shape, 1)
        to = b.choose((dtype, *INTEGERS))
        _widened(b, b.hidden("Cast", [mask], to, x.shape, 1, to=to))
    else:
        _widened(b, b.hidden(kind, operands, dtype, x.shape, SMALL * SMALL))


def _comparison(b: Builder, x: Value) -> Value:
    """Emit a comparison of elements with a number.

    It tests that the elements are less or greater than the number, or than what is fed beside them.
    """
    kinds = ("Less", "Greater") if x.dtype in FLOATS else ("Less", "Greater", "Equal", "LessOrEqual")
    bound = float(b.numpy.uniform(-0.9, 0.9)) if x.dtype in FLOATS else b.integer(-1, 5)
    return b.hidden(b.choose(kinds), [x, b.number(bound, x.dtype)], "bool", x.shape, 1)


def _widened(b: Builder, x: Value) -> None:
    """Convert integers to a type that other steps read.

    Now and then they keep their own type, which results of programs then have.
    """
    if x.dtype not in (*NARROW, *WIDE):
        b.tamed(x)
    elif b.chance(0.3):
        b.publish(x)
    else:
        to = b.choose(INTEGERS)
        b.emit("Cast", [x], to, x.shape, 2.0**63, to=to)


LANES: dict[Callable[[Builder], None], int] = {
    mask_as_numbers: 3,
    narrow_arithmetic: 2,
}
