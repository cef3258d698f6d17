"""Operations that move elements, select some of them, or select the greatest.

The result has the scale of the operand.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from loomir.dialects.ov.attributes import to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.pooling import MaxPoolOp
from loomir.dialects.ov.operators.reduction import ReduceMaxOp, ReduceMinOp
from loomir.dialects.ov.operators.splitting import SplitOp, VariadicSplitOp
from loomir.dialects.scalars.constants import type_range
from loomir.passes.analysis.empty_windows import may_have_empty_windows
from loomir.passes.analysis.known_arrays import known_array
from loomir.passes.graph.ov_to_integer.forms import Form, Forms, attributes_of
from loomir.passes.graph.ov_to_integer.scaled import Scaled, integers


def move(forms: Forms, op: OvOperation, build: GraphBuilder) -> Form | None:
    """Apply an operation that only moves elements to the integers."""
    x = forms.scaled(op.operands[0])
    if x is None or not x.is_uniform:
        return None
    moved = build.emit(type(op).make(x.value, *op.operands[1:], attributes=attributes_of(op)))
    return _flat(x).changed(value=moved.results[0])


def pick(forms: Forms, op: OvOperation, build: GraphBuilder) -> Form | None:
    """Apply an operation that only selects elements to the integers.

    The operation must not produce zeros for an index out of range, which the integers would not represent, nor a least
    number where there are no elements.
    """
    x = forms.scaled(op.operands[0])
    if x is None:
        return None
    if isinstance(op, GatherOp) and not op.checks_indices and x.zero.any() and not _is_inside(op):
        return None
    if isinstance(op, ReduceMaxOp | ReduceMinOp):
        shape = fact_of(op.operands[0]).shape
        if shape is None or any(extent.lo < 1 for extent in shape):
            return None
    return move(forms, op, build)


def greatest(forms: Forms, op: MaxPoolOp, build: GraphBuilder) -> Form | None:
    """Apply a max pooling to the integers.

    Not supported if a window may hold nothing but padding: no integer represents -inf.
    """
    return None if may_have_empty_windows(op) else move(forms, op, build)


def _is_inside(op: GatherOp) -> bool:
    """Return True if all indices are known and within the axis."""
    data, indices, axis = fact_of(op.operands[0]), known_array(op.operands[1]), known_array(op.operands[2])
    if data.shape is None or indices is None or axis is None:
        return False
    extent = data.shape[int(axis.reshape(-1)[0])].lo
    return bool(((indices >= -extent) & (indices < extent)).all())


def split(forms: Forms, op: SplitOp | VariadicSplitOp, build: GraphBuilder) -> Form | None:
    """Split the integers and return the form of the first part.

    The forms of the other parts are recorded here.
    """
    x = forms.scaled(op.operands[0])
    if x is None or not x.is_uniform:
        return None
    moved = build.emit(
        type(op).make(x.value, *op.operands[1:], attributes=attributes_of(op), results=len(op.results))
    )
    parts = [_flat(x).changed(value=part) for part in moved.results]
    forms.of_values.update(zip(op.results[1:], parts[1:], strict=True))
    return parts[0]


def pad(forms: Forms, op: PadOp, build: GraphBuilder) -> Form | None:
    """Pad the integers with the integer that represents the padding value."""
    x, value = forms.scaled(op.data), None if op.pad_value is None else known_array(op.pad_value)
    if x is None or not x.is_uniform or value is None or to_str(op.pad_mode) != "constant":
        return None
    if value.size != 1 or not np.isfinite(value).all():
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
        value=joined,
        low=integers(low),
        high=integers(high),
        error=max(part.error for part in found),
        parts=first.parts if all(part.parts == first.parts for part in found) else None,
    )


def _flat(x: Scaled) -> Scaled:
    """A uniform one with numbers that broadcast to any rank."""
    return x.changed(
        scale=x.scale.reshape(1),
        zero=x.zero.reshape(1),
        low=integers(int(x.low.min())),
        high=integers(int(x.high.max())),
    )
