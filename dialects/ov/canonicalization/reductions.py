"""Reductions of tensors of which not even the rank is known."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import UnrankedTensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.base import int64_array
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.reduction import ReductionOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp
from loomir.dialects.tensors import set_type


@canonicalizes(ReductionOp)
class OfAllAxes(RewritePattern):
    """`reduce(x, range(0, rank of x))` → `reduce(reshape(x, [-1]), [0])`

    Applies if the rank is unknown and no axis is kept: the result is a scalar.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ReductionOp)
        if not isinstance(op.data.type, UnrankedTensorType) or to_bool(op.keep_dims):
            return
        if not is_every_axis(op.axes, op.data):
            return
        all_, first = (ConstantOp.of(int64_array([k])) for k in (-1, 0))
        flat = ReshapeOp.make(op.data, all_)
        scalar = type(op).make(flat, first, attributes={"keep_dims": False})
        # Types are refined by inference alone.
        set_type(scalar.results[0], op.output.type)
        made = [all_, first, flat, scalar]
        for each in made:
            each.location = op.location
        rewriter.replace(op, made, scalar.results)


def is_every_axis(axes: SSAValue, of: SSAValue) -> bool:
    """Return True if the axes are computed as all of a tensor.

    That is, as a range from 0 to the tensor's rank.
    """
    made = axes.owner
    if not isinstance(made, RangeOp):
        return False
    start, step = (constant_of(v) for v in (made.start, made.step))
    if start is None or step is None or not (np.all(start == 0) and np.all(step == 1)):
        return False
    stop = made.stop.owner
    while isinstance(stop, ReshapeOp | SqueezeOp | ConvertOp):
        stop = stop.data.owner
    shape = stop.data.owner if isinstance(stop, ShapeOfOp) else None
    return isinstance(shape, ShapeOfOp) and shape.data is of
