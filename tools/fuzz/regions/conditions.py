"""Conditions of branches and loops, and numbers of trips."""

from __future__ import annotations

from loomir.tools.fuzz.builder import Builder
from loomir.tools.fuzz.program import Op, Value, elements


def condition(b: Builder) -> Value:
    """Return a boolean that changes with the data.

    It is an existing boolean, or a comparison of integers or of the sum of floats.
    """
    kind = b.integer(0, 9)
    if kind < 3:
        found = b.pick("bool", lambda v: v.shape == ())
        if found is not None:
            return found
    if kind < 9:
        number = integer_scalar(b)
        kind = b.choose(("Less", "Greater", "Equal", "GreaterOrEqual", "LessOrEqual"))
        return b.emit(kind, [number, b.number(b.integer(-1, 5), number.dtype)], "bool", (), 1)
    x = b.any_of(b.float)
    # Not limited, and read by the comparison only.
    total = b.value("sum", x.dtype, (), x.limit * elements(x.shape or ()), 0.0)
    b.append(Op("ReduceSum", (x,), (total,), {"keepdims": 0}))
    bound = b.number(float(b.numpy.uniform(-0.5, 0.5)), x.dtype)
    b.feature("condition of floats")
    return b.emit(b.choose(("Less", "Greater")), [total, bound], "bool", (), 1)


def integer_scalar(b: Builder, dtype: str = "i64") -> Value:
    """Return an integer of rank 0: an existing one or a sum.

    The sum is that of a tensor.
    """
    number = b.any_of(dtype, lambda v: v.shape == ()) if b.chance(0.7) else b.any_of(dtype)
    if number.shape == ():
        return number
    count = max(elements(number.shape or ()), 1)
    return b.emit("ReduceSum", [number], dtype, (), number.limit * count, keepdims=0)


def false_at_run_time(b: Builder) -> Value:
    """Return a condition that never holds: |n| < -1.

    No compiler is expected to find this out.
    """
    number = integer_scalar(b)
    size = b.emit("Abs", [number], "i64", (), number.limit)
    return b.emit("Less", [size, b.number(-1)], "bool", (), 1)
