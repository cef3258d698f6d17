"""Integers of one scale as integers of another one: a multiplication, an addition, a shift (`proving.py` says by which numbers).

    round(ratio · a)  =  (a · m + c) >> s        for all a that occur, m < 2^31

with halves rounded to the even number. Where halves occur, one is taken off again of what is just above an odd number:

    t = a · m + c;    r = t >> s;    r − (r & 1)        where the last s bits of t are no more than w

A sum of two quantised tensors is requantised in one step: t = a · m + b · n + c. What rounding to steps left of a bias is in the addend,
one for each channel; what limits the sum before it is quantised limits the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from xdsl.dialects.builtin import UnitAttr, i32, i64
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.bitwise import BitwiseAndOp, BitwiseRightShiftOp
from loomir.dialects.ov.operators.comparison import LessEqualOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.scalars.constants import type_range
from loomir.passes.analysis.integer_weights import STORED
from loomir.passes.graph.ov_to_integer.proving import Requantisation, requantisation
from loomir.passes.graph.ov_to_integer.proving_sums import Term, requantisation_of_sum
from loomir.passes.graph.ov_to_integer.scaled import (
    Biased,
    Numbers,
    Scaled,
    Terms,
    constant_of,
    integers,
    rounded,
    single,
)

_MOST_STEPS = 1 << 20
"""Results, of all channels together, that a proof looks at: each of 8 bits of 4,096 channels."""

_MOST_RATIO = 1 << 20
"""The largest ratio: a multiplier of 31 bits has 11 behind the point then."""

_MOST_RESULT = 1 << 30
"""The largest result before it is limited: 32 bits hold it with an offset."""

_MOST_ERROR = Fraction(1, 4)
"""Of a step: by how much what is rounded may be away from what floats would round."""

_MOST_PAIRS = 1 << 17
"""Pairs of values that a proof of a sum looks at: all of two tensors of 8 bits."""


def ratio_of(x: Scaled, ratio: Numbers) -> Numbers:
    """The ratio, or 1 where it is so near to it that each integer is rounded to itself: of a scale and what floats made of it."""
    low, high = x.span
    largest = max(abs(int(low.min())), abs(int(high.max())))
    near = x.is_exact and np.abs(ratio - 1).max() * largest < Fraction(1, 2)
    return ratio * 0 + 1 if near else ratio


def can_be_requantised(x: Scaled, ratio: Numbers, least: Numbers | int, most: Numbers | int) -> bool:
    """Whether a proof is not too long, ratios not so large that integers of 32 bits do not hold the results, and steps so fine that what
    was rounded to them changes the results by no more than one.
    """
    if isinstance(x.terms, Biased):
        return can_be_requantised(x.terms.of, _ratio_of_biased(x, x.terms, ratio), least, most)
    low, high = x.span
    if ratio.max() > _MOST_RATIO:
        return False
    largest = np.maximum(np.maximum(np.abs(low), np.abs(high)), high - low)
    if (ratio * largest).max() > _MOST_RESULT:
        return False
    if x.terms is not None and np.size(least) == 1 and _terms(x, x.terms, ratio) is not None:
        return True
    if x.error * ratio.max() > _MOST_ERROR:
        return False
    first, last = np.maximum(rounded(ratio * low), least), np.minimum(rounded(ratio * high), most)
    return int(np.maximum(last - first, 0).sum()) <= _MOST_STEPS


def requantised(
    build: GraphBuilder,
    x: Scaled,
    ratio: Numbers,
    offset: Numbers | int,
    least: int,
    most: int,
    target: Attribute,
) -> tuple[SSAValue, Requantisation | None]:
    """round(ratio · (value − zero)) + offset, limited, as integers of the type `target`; None where nothing is rounded. The offset is one
    for all or one for each channel.
    """
    offset = integers(offset)
    lowest, highest = type_range(target)
    least, most = max(least, lowest), min(most, highest)
    if isinstance(x.terms, Biased):
        return _biased(build, x, x.terms, ratio, offset, (least, most), target)
    low, high = x.span
    found: Requantisation | None = None
    same = (ratio == 1).all() and (x.zero == offset).all() and x.element == target
    if same and x.low.min() >= least and x.high.max() <= most:
        return x.value, None
    terms = None if x.terms is None or offset.size > 1 else _terms(x, x.terms, ratio)
    if x.terms is not None and terms is not None:
        if x.terms.positive:
            least = min(max(least, int(offset[0])), most)
        found = requantisation_of_sum(terms, least - int(offset[0]), most - int(offset[0]))
        value = _sum(build, (x.terms.a, x.terms.b), found)
        low = single(sum(round(term.ratio * term.low) for term in terms) - 1)
        high = single(sum(round(term.ratio * term.high) for term in terms) + 1)
    elif (ratio == 1).all():
        value = x.centred(build)
    else:
        found = requantisation(ratio, low, high, least - offset, most - offset)
        value = _scaled(build, x.centred(build), found)
        low, high = rounded(ratio * low) - 1, rounded(ratio * high) + 1
    reached = low + offset, high + offset
    return _limited(build, value, offset, reached, (integers(least), integers(most)), target), found


def _limited(
    build: GraphBuilder,
    value: SSAValue,
    offset: Numbers,
    reached: tuple[Numbers, Numbers],
    limits: tuple[Numbers, Numbers],
    target: Attribute,
) -> SSAValue:
    """What was rounded, with an offset, between limits, which are one for all or one for each channel, as integers of a type."""
    (low, high), (least, most) = reached, limits
    if offset.any():
        value = build.make(AddOp, value, constant_of(build, offset, np.int32))
    if least.size == most.size == 1:
        if (low < least).any() or (high > most).any():
            ends = {"min": float(least.reshape(-1)[0]), "max": float(most.reshape(-1)[0])}
            value = build.make(ClampOp, value, attributes=ends)
    else:
        if (low < least).any():
            value = build.make(MaximumOp, value, constant_of(build, least, np.int32))
        if (high > most).any():
            value = build.make(MinimumOp, value, constant_of(build, most, np.int32))
    if target != i32:
        value = build.make(ConvertOp, value, attributes={"destination_type": target})
    return value


def _biased(
    build: GraphBuilder,
    x: Scaled,
    terms: Biased,
    ratio: Numbers,
    offset: Numbers,
    limits: tuple[int, int],
    target: Attribute,
) -> tuple[SSAValue, Requantisation]:
    """round(ratio · (value − zero + rest)) + offset, limited by the program and by the type. Rounding keeps the order of numbers: what the
    limits are rounded to limits what is rounded.
    """
    ratio, sum_ = _ratio_of_biased(x, terms, ratio), terms.of
    least, most = (
        single(limit)
        if end is None
        else np.clip(np.asarray(rounded(ratio * end / sum_.scale) + offset, object), *limits)
        for end, limit in zip((terms.least, terms.most), limits, strict=True)
    )
    low, high = sum_.span
    found = requantisation(ratio, low, high, least - offset, most - offset, terms.rest)
    value = _scaled(build, sum_.centred(build), found)
    low, high = (rounded(ratio * (end + terms.rest)) + offset for end in (low, high))
    return _limited(build, value, offset, (low - 1, high + 1), _one_for_all(least, most), target), found


def _one_for_all(least: Numbers, most: Numbers) -> tuple[Numbers, Numbers]:
    """Limits for each channel, or one pair for all where all have the same."""
    first = least.reshape(-1)[0], most.reshape(-1)[0]
    same = (least == first[0]).all() and (most == first[1]).all()
    return (single(first[0]), single(first[1])) if same else (least, most)


def _ratio_of_biased(x: Scaled, terms: Biased, ratio: Numbers) -> Numbers:
    """The ratio to steps of the result that the sum has."""
    return ratio_of(terms.of, np.asarray(ratio * terms.of.scale / x.scale, object))


def _scaled(build: GraphBuilder, value: SSAValue, found: Requantisation) -> SSAValue:
    """The multiplication, the addition and the shift, in 64 bits; the result in 32."""
    value = build.make(ConvertOp, value, attributes={"destination_type": i64})
    return _shifted(build, build.make(MultiplyOp, value, _wide(build, found.multipliers)), found)


def _terms(x: Scaled, terms: Terms, ratio: Numbers) -> tuple[Term, Term] | None:
    """The ratios of what was added to steps of the result; None where there is one for each channel, there are too many pairs for a proof,
    or a ratio is too large.
    """
    if ratio.size > 1:
        return None
    to_steps = Fraction(ratio.reshape(-1)[0]) / x.scale.reshape(-1)[0]
    a, b = (
        Term(part.scale.reshape(-1)[0] * to_steps, *(int(bound.reshape(-1)[0]) for bound in part.span))
        for part in (terms.a, terms.b)
    )
    return (a, b) if a.count * b.count <= _MOST_PAIRS and max(a.ratio, b.ratio) <= _MOST_RATIO else None


def _sum(build: GraphBuilder, parts: Sequence[Scaled], found: Requantisation) -> SSAValue:
    """Tensors, each times its own multiplier, and the shift."""
    products = [
        build.make(
            MultiplyOp,
            build.make(ConvertOp, part.centred(build), attributes={"destination_type": i64}),
            build.scalar(int(m), i64),
        )
        for part, m in zip(parts, found.multipliers, strict=True)
    ]
    return _shifted(build, build.make(AddOp, *products), found)


def _shifted(build: GraphBuilder, value: SSAValue, found: Requantisation) -> SSAValue:
    moved = _added(build, value, found)
    value = build.make(BitwiseRightShiftOp, moved, constant_of(build, found.shifts, np.int64))
    if found.window is not None:
        rest = build.make(
            BitwiseAndOp, moved, constant_of(build, (1 << found.shifts.astype(object)) - 1, np.int64)
        )
        half = build.make(LessEqualOp, rest, build.scalar(found.window, i64))
        odd = build.make(
            BitwiseAndOp, build.make(ConvertOp, half, attributes={"destination_type": i64}), value
        )
        value = build.make(SubtractOp, value, odd)
    return build.make(ConvertOp, value, attributes={"destination_type": i32})


def _added(build: GraphBuilder, value: SSAValue, found: Requantisation) -> SSAValue:
    """The addend: one for all, or what each channel has more than one for all."""
    if found.addends.size == 1:
        return build.make(AddOp, value, constant_of(build, found.addends, np.int64))
    middle = 1 << (int(found.shifts.max()) - 1)
    more = found.addends - middle
    if np.abs(more).max() >= 1 << 31:
        return build.make(AddOp, value, build.constant(found.addends))
    value = build.make(AddOp, value, _wide(build, more))
    return build.make(AddOp, value, build.scalar(middle, i64))


def _wide(build: GraphBuilder, numbers: np.ndarray) -> SSAValue:
    """As a constant of 64 bits; several are stored in 32."""
    if numbers.size == 1:
        return constant_of(build, numbers, np.int64)
    stored = build.constant(numbers.astype(np.int32))
    wide = build.make(ConvertOp, stored, attributes={"destination_type": i64})
    build.emitted[-1].attributes[STORED] = UnitAttr()
    return wide
