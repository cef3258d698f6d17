"""Requantisation that rounds as exact arithmetic does.

It emits a multiplication, an addition and a shift; `proving.py` chooses their numbers:

    round(ratio · a)  =  (a · m + c) >> s        for all a that occur, m < 2^31

Halves are rounded to even. Where halves occur, 1 is subtracted again from a result that is just above an odd number:

    t = a · m + c;    r = t >> s;    r − (r & 1)        where the last s bits of t are no more than w

A sum of two quantised tensors is requantised in one step: t = a · m + b · n + c. The residual of a bias that was
rounded to steps is in the addend, which is then one for each channel. Limits applied to the sum before its quantisation
limit the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LessEqualOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    BitwiseAndOp,
    BitwiseRightShiftOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.passes.analysis.integer_weights import Product
from loomir.passes.graph.ov_to_integer.proving import (
    Requantisation,
    Summand,
    requantisation,
    requantisation_of_sum,
)
from loomir.passes.graph.ov_to_integer.scaled import (
    MOST_ERROR,
    MOST_RATIO,
    MOST_RESULT,
    Biased,
    Numbers,
    OutputLimits,
    Rounded,
    Scaled,
    TensorSum,
    constant_of,
    integers,
    ratio_of,
    rounded,
    single,
    wide,
    wide_constant,
)

_MOST_STEPS = 1 << 20
"""Maximum number of results that a proof examines, over all channels.

This is every 8-bit result of 4,096 channels.
"""

_MOST_PAIRS = 1 << 17
"""Maximum number of value pairs that a proof of a sum examines.

This covers all pairs of two 8-bit tensors.
"""


class ExactRounding:
    """The nearest integer of an exact product, halves to the even one."""

    def scale_of_steps(self, step: Numbers) -> Numbers:
        """The exact one."""
        return step

    def scale_of_product(self, op: Product, scale: Numbers) -> Numbers:
        """The exact one."""
        return scale

    def takes(self, x: Scaled, ratio: Numbers, least: Numbers | int, most: Numbers | int) -> bool:
        """Proofs must not be too long either."""
        if isinstance(x.terms, Biased):
            ratio = _ratio_of_biased(x, x.terms, ratio)
            # (What is further away than the limits counts as much as these.)
            limit = np.maximum(np.abs(integers(least)), np.abs(integers(most)))
            reach = np.minimum(np.abs(ratio * x.terms.rest), limit)
            return bool((reach < MOST_RESULT // 2).all()) and self.takes(x.terms.of, ratio, least, most)
        low, high = x.span
        if ratio.max() > MOST_RATIO or x.is_far:
            return False
        largest = np.maximum(np.maximum(np.abs(low), np.abs(high)), high - low)
        if (ratio * largest).max() > MOST_RESULT:
            return False
        if x.terms is not None and np.size(least) == 1 and _terms(x, x.terms, ratio) is not None:
            return True
        if x.error * ratio.max() > MOST_ERROR:
            return False
        first, last = np.maximum(rounded(ratio * low), least), np.minimum(rounded(ratio * high), most)
        return int(np.maximum(last - first, 0).sum()) <= _MOST_STEPS

    def rounded(self, build: GraphBuilder, x: Scaled, ratio: Numbers, limits: OutputLimits) -> Rounded:
        """Round with numbers that are proved exact as far as possible."""
        if isinstance(x.terms, Biased):
            return _biased(build, x, x.terms, ratio, limits)
        low, high = x.span
        offset, least, most = limits.offset, limits.least, limits.most
        terms = None if x.terms is None or offset.size > 1 else _terms(x, x.terms, ratio)
        if x.terms is not None and terms is not None:
            by = int(offset.reshape(-1)[0])
            if x.terms.positive:
                least = min(max(least, by), most)
            found = requantisation_of_sum(terms, least - by, most - by)
            value = _sum(build, (x.terms.a, x.terms.b), found)
            low, high = (
                sum(round(term.ratio * end) for term, end in zip(terms, ends, strict=True))
                for ends in ([term.low for term in terms], [term.high for term in terms])
            )
            return Rounded(value, single(low - 1), single(high + 1), single(least), single(most), found)
        if (ratio == 1).all():
            return Rounded(x.centred(build), low, high, single(least), single(most), None)
        found = requantisation(ratio, low, high, least - offset, most - offset)
        low, high = rounded(ratio * low) - 1, rounded(ratio * high) + 1
        return Rounded(_scaled(build, x, found), low, high, single(least), single(most), found)


def _scaled(build: GraphBuilder, x: Scaled, found: Requantisation) -> SSAValue:
    """Emit the 64-bit multiplication, addition and shift; the result has 32 bits."""
    product = build.make(MultiplyOp, wide(build, x.centred(build)), wide_constant(build, found.multipliers))
    return _shifted(build, product, found)


def _biased(build: GraphBuilder, x: Scaled, terms: Biased, ratio: Numbers, limits: OutputLimits) -> Rounded:
    """Emit `round(ratio · (value − zero + rest))`, limited by program and type.

    Rounding is monotonic: the rounded limits limit the rounded values.
    """
    ratio, sum_, offset = _ratio_of_biased(x, terms, ratio), terms.of, limits.offset
    least, most = (
        single(limit)
        if end is None
        else np.clip(
            np.asarray(rounded(ratio * end / sum_.scale) + offset, object), limits.least, limits.most
        )
        for end, limit in ((terms.least, limits.least), (terms.most, limits.most))
    )
    low, high = sum_.span
    found = requantisation(ratio, low, high, least - offset, most - offset, terms.rest)
    low, high = (rounded(ratio * (end + terms.rest)) for end in (low, high))
    return Rounded(_scaled(build, sum_, found), low - 1, high + 1, *_one_for_all(least, most), found)


def _one_for_all(least: Numbers, most: Numbers) -> tuple[Numbers, Numbers]:
    """Return limits per channel, or one pair if all channels share them."""
    first = least.reshape(-1)[0], most.reshape(-1)[0]
    same = (least == first[0]).all() and (most == first[1]).all()
    return (single(first[0]), single(first[1])) if same else (least, most)


def _ratio_of_biased(x: Scaled, terms: Biased, ratio: Numbers) -> Numbers:
    """The ratio to steps of the result that the sum has."""
    return ratio_of(terms.of, np.asarray(ratio * terms.of.scale / x.scale, object))


def _terms(x: Scaled, terms: TensorSum, ratio: Numbers) -> tuple[Summand, Summand] | None:
    """Return the ratios of the two addends to result steps, or None.

    Return None if each channel has its own ratio, if there are too many pairs for a proof, or if a ratio is too large.
    """
    if ratio.size > 1:
        return None
    to_steps = Fraction(ratio.reshape(-1)[0]) / x.scale.reshape(-1)[0]
    a, b = (
        Summand(part.scale.reshape(-1)[0] * to_steps, *(int(bound.reshape(-1)[0]) for bound in part.span))
        for part in (terms.a, terms.b)
    )
    return (a, b) if a.count * b.count <= _MOST_PAIRS and max(a.ratio, b.ratio) <= MOST_RATIO else None


def _sum(build: GraphBuilder, parts: Sequence[Scaled], found: Requantisation) -> SSAValue:
    """Tensors, each times its own multiplier, and the shift."""
    products = [
        build.make(MultiplyOp, wide(build, part.centred(build)), build.scalar(int(m), i64))
        for part, m in zip(parts, found.multipliers, strict=True)
    ]
    return _shifted(build, build.make(AddOp, *products), found)


def _shifted(build: GraphBuilder, value: SSAValue, found: Requantisation) -> SSAValue:
    """The addition and the shift, in 64 bits; the result in 32."""
    moved = _added(build, value, found)
    value = build.make(BitwiseRightShiftOp, moved, constant_of(build, found.shifts, np.int64))
    if found.window is not None:
        rest = build.make(
            BitwiseAndOp, moved, constant_of(build, (1 << found.shifts.astype(object)) - 1, np.int64)
        )
        half = build.make(LessEqualOp, rest, build.scalar(found.window, i64))
        odd = build.make(BitwiseAndOp, wide(build, half), value)
        value = build.make(SubtractOp, value, odd)
    return build.make(ConvertOp, value, attributes={"destination_type": i32})


def _added(build: GraphBuilder, value: SSAValue, found: Requantisation) -> SSAValue:
    """Emit the addition of the addend.

    The addend is one number for all channels, or a common number plus the excess of each channel.
    """
    if found.addends.size == 1:
        return build.make(AddOp, value, constant_of(build, found.addends, np.int64))
    middle = 1 << (int(found.shifts.max()) - 1)
    more = found.addends - middle
    if np.abs(more).max() >= 1 << 31:
        return build.make(AddOp, value, build.constant(found.addends))
    value = build.make(AddOp, value, wide_constant(build, more))
    return build.make(AddOp, value, build.scalar(middle, i64))
