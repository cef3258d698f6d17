"""The row of sums of products of quads (`loomir.dialects.quads`)."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from loomir.dialects.quads import SIZE, DotOp
from loomir.dialects.scalars import intervals
from loomir.dialects.scalars.intervals import Interval
from loomir.dialects.scalars.row import Array, Function, IntervalOf, Scalar


def bytes_of(quads: Array, *, unsigned: bool) -> list[Array]:
    """Return the four bytes of each quad as 64-bit integers, lowest first."""
    bits = np.asarray(quads).astype(np.int64)
    found = [bits >> 8 * i & 255 for i in range(SIZE)]
    return found if unsigned else [(byte ^ 128) - 128 for byte in found]


def _dot(op: DotOp) -> Function:
    zero, unsigned = op.zero.value.data, op.unsigned is not None

    def function(accumulator: Array, lhs: Array, rhs: Array) -> Array:
        pairs = zip(bytes_of(lhs, unsigned=unsigned), bytes_of(rhs, unsigned=False), strict=True)
        return (np.asarray(accumulator) + sum((a - zero) * b for a, b in pairs)).astype(np.int32)

    return function


def added_by(op: DotOp) -> Interval:
    """Between which numbers lies what is added to the accumulator."""
    zero, least = op.zero.value.data, 0 if op.unsigned is not None else -128
    low, high = intervals.multiply((least - zero, least + 255 - zero), (-128, 127))
    return SIZE * low, SIZE * high


def _interval(op: DotOp, of: IntervalOf) -> Interval | None:
    return intervals.add(of(op.accumulator), added_by(op))


QUADS: dict[type[Operation], Scalar] = {DotOp: Scalar(numpy=_dot, interval=_interval)}
