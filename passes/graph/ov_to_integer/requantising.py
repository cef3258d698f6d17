"""Integers of one scale as integers of another one: a multiplication, an addition, a shift.

    round(ratio · a)  =  (a · m + 2^(s−1)) >> s        for all a that occur, m < 2^31

with halves rounded to the even number. That the two are equal is proved: both grow with a, so each value of the result begins at some least
a, and these are compared, channel by channel. Where a ratio is m / 2^s exactly, halves occur, and one is taken off again where the sum of a
half is odd:

    r = (a · m + 2^(s−1)) >> s;    r − (r & 1)        where the last s bits of a · m + 2^(s−1) are 0
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from xdsl.dialects.builtin import UnitAttr, i32, i64
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.bitwise import BitwiseAndOp, BitwiseRightShiftOp
from loomir.dialects.ov.operators.comparison import EqualOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.scalars.constants import type_range
from loomir.passes.analysis.integer_weights import STORED
from loomir.passes.graph.ov_to_integer.scaled import Numbers, Scaled, constant_of, rounded

_BITS = 31
"""Of a multiplier: the product with 32 bits fits in 64."""
_MOST_SHIFT = 62


_MOST_STEPS = 1 << 20
"""Results, of all channels together, that a proof looks at: each of 8 bits of 4,096 channels."""


@dataclass(frozen=True)
class Requantisation:
    """Multipliers, one shift, whether halves are made even, and of how many `values` that may come how many are rounded otherwise."""

    multipliers: np.ndarray
    shift: int
    even: bool
    values: int
    wrong: int


def can_be_requantised(x: Scaled, ratio: Numbers, least: int, most: int) -> bool:
    """Whether a proof is not too long, and ratios not so large that integers of 32 bits do not hold the results."""
    low, high = x.span
    if ratio.max() > 1 << 20:
        return False
    first, last = np.maximum(rounded(ratio * low), least), np.minimum(rounded(ratio * high), most)
    return int(np.maximum(last - first, 0).sum()) <= _MOST_STEPS


def requantisation(ratio: Numbers, low: Numbers, high: Numbers, least: int, most: int) -> Requantisation:
    """For values from `low` to `high`, of which results below `least` and above `most` are limited to these."""
    shift = _MOST_SHIFT
    largest = max(abs(int(low.min())), abs(int(high.max())), 1)
    while round(ratio.max() * (1 << shift)) * largest + (1 << shift) >= 1 << 63 or (
        round(ratio.max() * (1 << shift)) >= 1 << _BITS
    ):
        shift -= 1
    exact = [Fraction(r) * (1 << shift) for r in ratio.reshape(-1)]
    multipliers = [round(m) for m in exact]
    even = all(m.denominator == 1 for m in exact)
    if even:
        # Without the factors of two that all have in common: the shift says how many bits tell a half.
        common = min(min((m & -m).bit_length() - 1 for m in multipliers), shift - 1)
        multipliers, shift = [m >> common for m in multipliers], shift - common
    shape = np.broadcast_shapes(ratio.shape, low.shape, high.shape)
    ratios, firsts, lasts = (np.broadcast_to(each, shape).reshape(-1) for each in (ratio, low, high))
    given = np.broadcast_to(np.array(multipliers, object).reshape(ratio.shape), shape).reshape(-1)
    values = sum(int(last) - int(first) + 1 for first, last in zip(firsts, lasts))
    if even:
        return Requantisation(np.array(multipliers, np.int64).reshape(ratio.shape), shift, even, values, 0)
    wrong, chosen = 0, list[int]()
    for r, m, first, last in zip(ratios, given, firsts, lasts):
        least_wrong = None
        # The nearest multiplier, or where that rounds some value otherwise, one of its neighbours.
        for candidate in (m, m + 1, m - 1):
            if candidate < 0:
                continue
            differing = _differing(Fraction(r), candidate, shift, int(first), int(last), least, most)
            if candidate < 1 << _BITS and (least_wrong is None or differing < least_wrong[0]):
                least_wrong = differing, candidate
            if differing == 0:
                break
        assert least_wrong is not None
        wrong += least_wrong[0]
        chosen.append(least_wrong[1])
    one_each = len(set(chosen)) > 1 or ratio.size > 1
    array = np.array(chosen, np.int64).reshape(shape) if one_each else np.array(chosen[:1], np.int64)
    return Requantisation(array, shift, even, values, wrong)


def _differing(ratio: Fraction, m: int, shift: int, low: int, high: int, least: int, most: int) -> int:
    """How many values are rounded otherwise than exactly."""
    p, q, half = ratio.numerator, ratio.denominator, 1 << (shift - 1)
    first, last = max(round(ratio * low), least), min(round(ratio * high), most)
    count = 0
    for k in range(first, last + 2):
        odd = (2 * k - 1) * q
        # ratio · a ≥ k − 1/2, where a half belongs to an even k.
        exact = -(-odd // (2 * p)) if k % 2 == 0 else odd // (2 * p) + 1
        # A channel whose weights are next to nothing may have the multiplier 0: all its results are 0.
        found = -(-((k << shift) - half) // m) if m else (high + 1 if k > 0 else low)
        if k > least and k <= most:
            count += abs(min(max(exact, low), high + 1) - min(max(found, low), high + 1))
    return count


def requantised(
    build: GraphBuilder, x: Scaled, ratio: Numbers, offset: int, least: int, most: int, target: Attribute
) -> tuple[SSAValue, Requantisation | None]:
    """round(ratio · (value − zero)) + offset, limited, as integers of the type `target`; None where nothing is rounded."""
    lowest, highest = type_range(target)
    least, most = max(least, lowest), min(most, highest)
    low, high = x.span
    found: Requantisation | None = None
    same = (ratio == 1).all() and not offset and not x.zero.any()
    if same and x.element == target and low.min() >= least and high.max() <= most:
        return x.value, None
    value = x.centred(build)
    if (ratio != 1).any():
        found = requantisation(ratio, low, high, least - offset, most - offset)
        value = _scaled(build, value, found)
        low, high = rounded(ratio * low) - 1, rounded(ratio * high) + 1
    if offset:
        value = build.make(AddOp, value, build.scalar(offset, i32))
    if int(low.min()) + offset < least or int(high.max()) + offset > most:
        value = build.make(ClampOp, value, attributes={"min": float(least), "max": float(most)})
    if target != i32:
        value = build.make(ConvertOp, value, attributes={"destination_type": target})
    return value, found


def _scaled(build: GraphBuilder, value: SSAValue, found: Requantisation) -> SSAValue:
    """The multiplication, the addition and the shift, in 64 bits; the result in 32."""
    value = build.make(ConvertOp, value, attributes={"destination_type": i64})
    value = build.make(MultiplyOp, value, _multipliers(build, found.multipliers))
    moved = build.make(AddOp, value, build.scalar(1 << (found.shift - 1), i64))
    value = build.make(BitwiseRightShiftOp, moved, build.scalar(found.shift, i64))
    if found.even:
        rest = build.make(BitwiseAndOp, moved, build.scalar((1 << found.shift) - 1, i64))
        half = build.make(EqualOp, rest, build.scalar(0, i64))
        odd = build.make(
            BitwiseAndOp, build.make(ConvertOp, half, attributes={"destination_type": i64}), value
        )
        value = build.make(SubtractOp, value, odd)
    return build.make(ConvertOp, value, attributes={"destination_type": i32})


def _multipliers(build: GraphBuilder, numbers: np.ndarray) -> SSAValue:
    """As a constant of 64 bits; several are stored in 32."""
    if numbers.size == 1:
        return constant_of(build, numbers, np.int64)
    stored = build.constant(numbers.astype(np.int32))
    wide = build.make(ConvertOp, stored, attributes={"destination_type": i64})
    build.emitted[-1].attributes[STORED] = UnitAttr()
    return wide
