"""What moves elements about, and averages, which are sums of a finer scale."""

from __future__ import annotations

from fractions import Fraction
from math import prod

from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_bool, to_ints, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp
from loomir.dialects.ov.operators.reduction import ReduceMeanOp, ReduceSumOp
from loomir.dialects.scalars.constants import type_range
from loomir.passes.analysis.integer_weights import known_array
from loomir.passes.graph.ov_to_integer.forms import Form, Forms, attributes_of, fits
from loomir.passes.graph.ov_to_integer.scaled import Scaled, integers, single


def move(forms: Forms, op: OvOperation, build: GraphBuilder) -> Form | None:
    """What only moves elements moves the integers."""
    x = forms.scaled(op.operands[0])
    if x is None or not x.is_uniform:
        return None
    moved = build.emit(type(op).make(x.value, *op.operands[1:], attributes=attributes_of(op)))
    return _flat(x).changed(value=moved.results[0])


def pad(forms: Forms, op: PadOp, build: GraphBuilder) -> Form | None:
    """What is padded is the integer that stands for the padding."""
    x, value = forms.scaled(op.data), None if op.pad_value is None else known_array(op.pad_value)
    if x is None or not x.is_uniform or value is None or to_str(op.pad_mode) != "constant":
        return None
    exact = Fraction(value.reshape(-1)[0].item()) / x.scale.reshape(-1)[0] + int(x.zero.reshape(-1)[0])
    least, most = type_range(x.element)
    if exact.denominator != 1 or not least <= exact <= most:
        return None
    zero = int(exact)
    moved = build.make(
        PadOp,
        x.value,
        op.pads_begin,
        op.pads_end,
        build.scalar(zero, x.element),
        attributes=attributes_of(op),
    )
    low, high = min(int(x.low.min()), zero), max(int(x.high.max()), zero)
    return _flat(x).changed(value=moved, low=integers(low), high=integers(high))


def concat(forms: Forms, op: ConcatOp, build: GraphBuilder) -> Form | None:
    """Tensors of one scale and zero point."""
    parts = [forms.scaled(operand) for operand in op.operands]
    first = parts[0]
    if first is None or not first.is_uniform:
        return None
    found = [part for part in parts if part is not None and part.is_uniform and part.element == first.element]
    same = all(part.scale == first.scale and part.zero == first.zero for part in found)
    if len(found) < len(parts) or not same:
        return None
    joined = build.make(ConcatOp, [part.value for part in found], attributes=attributes_of(op))
    low, high = min(int(part.low.min()) for part in found), max(int(part.high.max()) for part in found)
    return _flat(first).changed(
        value=joined, low=integers(low), high=integers(high), error=max(part.error for part in found)
    )


def _flat(x: Scaled) -> Scaled:
    """A uniform one with numbers that broadcast to any rank."""
    return x.changed(
        scale=x.scale.reshape(1),
        zero=x.zero.reshape(1),
        low=integers(int(x.low.min())),
        high=integers(int(x.high.max())),
    )


def average(forms: Forms, op: AvgPoolOp | ReduceMeanOp, build: GraphBuilder) -> Form | None:
    """A sum, whose scale is that of its parts divided by their number."""
    x, extents = forms.scaled(op.operands[0]), _extents_of(op.operands[0])
    if x is None or not x.is_uniform:
        return None
    if isinstance(op, AvgPoolOp):
        rank = len(extents)
        axes, keep = list(range(2, rank)), True
        result = _extents_of(op.results[0])
        if any(result[axis] != 1 for axis in axes) or list(to_ints(op.kernel)) != extents[2:]:
            return None
        if any(window.padding(extent) != (0, 0) for window, extent in zip(op.windows(), extents[2:])):
            return None
    else:
        known = known_array(op.operands[1])
        if known is None:
            return None
        axes, keep = [int(axis) for axis in known.reshape(-1)], to_bool(op.keep_dims)
    count = prod(extents[axis] for axis in axes)
    low, high = (bound * count for bound in x.span)
    if count < 1 or not fits(low, high):
        return None
    total = build.make(ReduceSumOp, x.centred(build), build.integers(axes), attributes={"keep_dims": keep})
    return Scaled(
        total,
        single(x.scale.reshape(-1)[0] / count),
        integers(0),
        integers(int(low.min())),
        integers(int(high.max())),
        error=x.error * count,
    )


def _extents_of(value: SSAValue) -> list[int]:
    """The extents of a value, 0 for those that are not known."""
    shape = fact_of(value).shape
    return [] if shape is None else [d.static or 0 for d in shape]
