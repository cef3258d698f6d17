"""Embedding bags: gathered rows are added to their bags by a scatter."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import bf16, f16, f32, i64
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.comparison import EqualOp, LessOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.cumulative import CumSumOp
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, MaximumOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.embedding import (
    EmbeddingBagOffsetsOp,
    EmbeddingBagPackedOp,
    EmbeddingOperation,
    EmbeddingSegmentsSumOp,
)
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reduction import ReduceMeanOp, ReduceSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, UnsqueezeOp
from loomir.dialects.ov.operators.scattering import ScatterNDUpdateOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.passes.graph.decompositions import decomposes
from loomir.passes.graph.decompositions.extents import Size, Sizes, rank_of


@decomposes(EmbeddingBagPackedOp)
def packed(op: EmbeddingBagPackedOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """A sum or mean over the second dimension of the rows."""
    rows = _rows(op, op.per_sample_weights, build)
    reduce = ReduceMeanOp if op.means(op.per_sample_weights is not None) else ReduceSumOp
    made = build.make(reduce, rows, build.integers([1]), attributes={"keep_dims": False})
    return [_back(op, made, build)]


@decomposes(EmbeddingBagOffsetsOp)
def offsets(op: EmbeddingBagOffsetsOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Compute the bag of each position.

    The bag is the number of offsets up to the position, minus one. This number is a cumulative sum of ones that are added
    at the offsets.
    """
    sizes = Sizes(build)
    (count,), (bags,) = sizes.of(op.indices), sizes.of(op.offsets)
    starts = build.make(ConvertOp, op.offsets, attributes={"destination_type": i64})
    # One element more: bags at the end may be empty.
    marks = _scattered(build, _zeros(build, [sizes.add(count, 1)], i64), starts, _full(build, 1, bags))
    ids = build.make(CumSumOp, marks, build.scalar(0, i64))
    ids = build.make(SubtractOp, ids, build.scalar(1, i64))
    one = build.integers([1])
    ids = build.make(SliceOp, ids, build.integers([0]), sizes.value(count), one, build.integers([0]))
    return _bags(op, op.default_index, op.per_sample_weights, ids, bags, count, build)


@decomposes(EmbeddingSegmentsSumOp)
def segments(op: EmbeddingSegmentsSumOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """The segments are given."""
    sizes = Sizes(build)
    (count,) = sizes.of(op.indices)
    number = build.make(ReshapeOp, op.num_segments, build.integers([1]))
    bags = sizes.element(number, 0)
    return _bags(op, op.default_index, op.per_sample_weights, op.segment_ids, bags, count, build)


def _bags(
    op: EmbeddingOperation,
    default: SSAValue,
    weights: SSAValue | None,
    ids: SSAValue,
    bags: Size,
    count: Size,
    build: GraphBuilder,
) -> Sequence[SSAValue]:
    rows = _rows(op, weights, build)
    element, rank = build.fact(rows).element, rank_of(build, rows, "emb_table")
    begin = _zeros(build, [bags, *Sizes(build).of(rows)[1:]], element)
    mean = op.means(weights is not None)
    known = build.fact(default).value
    none = known is not None and int(known.reshape(-1)[0]) < 0
    if none and not mean:
        return [_back(op, _scattered(build, begin, ids, rows), build)]
    numbers = _scattered(build, _zeros(build, [bags], i64), ids, _full(build, 1, count))
    if rank > 1:
        numbers = build.make(UnsqueezeOp, numbers, build.integers(range(1, rank)))
    if not none:
        empty = build.make(EqualOp, numbers, build.scalar(0, i64))
        begin = build.make(SelectOp, empty, _default_row(op, default, element, build), begin)
    made = _scattered(build, begin, ids, rows)
    if mean:
        divisor = build.make(MaximumOp, numbers, build.scalar(1, i64))
        divisor = build.make(ConvertOp, divisor, attributes={"destination_type": element})
        made = build.make(DivideOp, made, divisor, attributes={"m_pythondiv": False})
    return [_back(op, made, build)]


def _default_row(op: EmbeddingOperation, default: SSAValue, element: object, build: GraphBuilder) -> SSAValue:
    """Return the table's row for empty bags.

    A negative index yields zeros, as does any index outside of the table.
    """
    table = op.operands[0]
    at = build.make(
        ConvertOp, build.make(ReshapeOp, default, build.integers([])), attributes={"destination_type": i64}
    )
    outside = build.scalar(2**62, i64)
    at = build.make(SelectOp, build.make(LessOp, at, build.scalar(0, i64)), outside, at)
    row = build.make(GatherOp, table, at, build.scalar(0, i64))
    return (
        row
        if element == build.fact(table).element
        else build.make(ConvertOp, row, attributes={"destination_type": f32})
    )


def _rows(op: EmbeddingOperation, weights: SSAValue | None, build: GraphBuilder) -> SSAValue:
    """Return the table's rows at the indices, multiplied by their weights.

    The rows are in the type that is used for the sums.
    """
    table, indices = op.operands[:2]
    rows = build.make(GatherOp, table, indices, build.scalar(0, i64), attributes={"out_of_range": "error"})
    narrow = build.fact(table).element in (f16, bf16)
    if narrow:
        rows = build.make(ConvertOp, rows, attributes={"destination_type": f32})
    if weights is None:
        return rows
    if narrow:
        weights = build.make(ConvertOp, weights, attributes={"destination_type": f32})
    rank, own = rank_of(build, rows, "emb_table"), rank_of(build, indices, "indices")
    if rank > own:
        weights = build.make(UnsqueezeOp, weights, build.integers(range(own, rank)))
    return build.make(MultiplyOp, rows, weights)


def _back(op: EmbeddingOperation, value: SSAValue, build: GraphBuilder) -> SSAValue:
    element = build.fact(op.operands[0]).element
    if build.fact(value).element == element:
        return value
    return build.make(ConvertOp, value, attributes={"destination_type": element})


def _scattered(build: GraphBuilder, data: SSAValue, ids: SSAValue, updates: SSAValue) -> SSAValue:
    """The updates added to the rows of data that the ids name."""
    at = build.make(UnsqueezeOp, ids, build.integers([1]))
    return build.make(ScatterNDUpdateOp, data, at, updates, attributes={"reduction": "sum"})


def _zeros(build: GraphBuilder, sizes: Sequence[Size], element: Attribute) -> SSAValue:
    zero = build.scalar(0, element)
    return build.make(BroadcastOp, zero, Sizes(build).vector(sizes))


def _full(build: GraphBuilder, number: int, size: Size) -> SSAValue:
    return build.make(BroadcastOp, build.scalar(number, i64), Sizes(build).vector([size]))
