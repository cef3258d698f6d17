"""Steps that compute with the ends of the 64-bit range.

Negation, addition and the absolute value of such a number wrap round. The numbers are constants of the program, which
passes fold, or elements of the input `Builder.ends`, of which nothing but the type is known. ONNX Runtime (1.32) takes
the end INT64_MAX of a backward Slice for the other end (by the specification nothing is left). No program contains
this, so a Slice that may go backwards never gets an end that is fed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loomir.tools.fuzz.builder import Builder, replaced
from loomir.tools.fuzz.operations.indexing import onnx_slice
from loomir.tools.fuzz.program import Value, least, most

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


STEPS: dict[Callable[[Builder], None], int] = {
    slice_to_the_ends: 3,
    compare_ends: 1,
    limit_ends: 1,
    wrap_ends: 1,
}
