"""Steps that fill vectors and leave a tail.

They produce rows of many lengths, comparisons and logic converted to numbers, and integers of every width. What passes
put into the lanes of vectors, and C compilers into registers, depends on the number and width of the elements. Lengths
are static; half of them are 2 or 3 modulo 4, so that the tail after whole vectors is a vector of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loomir.tools.fuzz.builder import Builder, replaced
from loomir.tools.fuzz.program import FLOATS, INTEGERS, NARROW, WIDE, Value

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


STEPS: dict[Callable[[Builder], None], int] = {
    mask_as_numbers: 3,
    narrow_arithmetic: 2,
}
