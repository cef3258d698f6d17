"""Attention from matrix products and Softmax."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.element_types import i1, i64
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.attention import ScaledDotProductAttentionOp
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.comparison import LessEqualOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp
from loomir.dialects.ov.operators.elementwise_unary import SqrtOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.dialects.ov.operators.normalisation import SoftmaxOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, UnsqueezeOp
from loomir.passes.graph.decompositions import decomposes
from loomir.passes.graph.decompositions.narrow import like, wide


@decomposes(ScaledDotProductAttentionOp)
def scaled_dot_product_attention(op: ScaledDotProductAttentionOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose attention, scaling the query instead of the larger scores.

    The weights of f16 and bf16 are computed in f32.
    """
    query = build.make(MultiplyOp, op.query, _scale(op, build))
    scores = build.make(MatMulOp, query, op.key, attributes={"transpose_b": True})
    scores = wide(build, scores)
    mask = op.attention_mask
    if to_bool(op.causal):
        scores = _visible(build, _earlier(op, build), scores)
    elif mask is not None and build.fact(mask).element == i1:
        scores = _visible(build, mask, scores)
    elif mask is not None:
        scores = build.make(AddOp, scores, wide(build, mask))
    weights = build.make(SoftmaxOp, scores, attributes={"axis": -1})
    return [build.make(MatMulOp, like(build, weights, op.query), op.value)]


def _extent(build: GraphBuilder, value: SSAValue, axis: int) -> SSAValue:
    """An extent as a scalar."""
    shape = build.fact(value).shape
    if shape is not None and (extent := shape[axis].static) is not None:
        return build.scalar(extent, i64)
    return build.make(GatherOp, build.make(ShapeOfOp, value), build.scalar(axis, i64), build.scalar(0, i64))


def _scale(op: ScaledDotProductAttentionOp, build: GraphBuilder) -> SSAValue:
    query = build.fact(op.query)
    if op.scale is not None:
        return build.make(ReshapeOp, op.scale, build.integers([]))
    extent = None if query.shape is None else query.shape[-1].static
    if extent:
        return build.like(1 / math.sqrt(extent), op.query)
    real = build.make(ConvertOp, _extent(build, op.query, -1), attributes={"destination_type": query.element})
    return build.make(DivideOp, build.like(1.0, op.query), build.make(SqrtOp, real))


def _visible(build: GraphBuilder, mask: SSAValue, scores: SSAValue) -> SSAValue:
    return build.make(SelectOp, mask, scores, build.like(-math.inf, scores))


def _earlier(op: ScaledDotProductAttentionOp, build: GraphBuilder) -> SSAValue:
    """Emit the causal mask: key positions not behind the query position.

    The key positions run along the last dimension.
    """

    def positions(value: SSAValue) -> SSAValue:
        stop = _extent(build, value, -2)
        return build.make(
            RangeOp, build.scalar(0, i64), stop, build.scalar(1, i64), attributes={"output_type": i64}
        )

    rows = build.make(UnsqueezeOp, positions(op.query), build.integers([1]))
    return build.make(LessEqualOp, positions(op.key), rows)
