"""Indexing: embedding bags, SliceScatter, GatherTree and Eye.

- Embedding bags: gathered rows are added to their bags by a scatter.
- SliceScatter becomes ScatterUpdate.
- GatherTree becomes a loop from the last step to the first.
- Eye is a comparison of positions.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.dialects.element_types import bf16, f16, f32, i32, i64
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.inference import integers, length
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.comparison import EqualOp, GreaterOp, LessOp, SelectOp
from loomir.dialects.ov.operators.constant import EyeOp
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, LoopOp, NextOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MaximumOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.gathering import (
    EmbeddingBagOffsetsOp,
    EmbeddingBagPackedOp,
    EmbeddingOperation,
    EmbeddingSegmentsSumOp,
    GatherElementsOp,
    GatherOp,
)
from loomir.dialects.ov.operators.reduction import CumSumOp, ReduceMeanOp, ReduceSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.scattering import ScatterNDUpdateOp, ScatterUpdateOp, SliceScatterOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.operators.sorting import GatherTreeOp
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.errors import Error
from loomir.passes.graph.lib.decompositions import Size, Sizes, decomposes, rank_of


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


@decomposes(SliceScatterOp)
def slice_scatter(op: SliceScatterOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose `data[s0, s1] = u` axis by axis.

    It becomes `d0 = data[s0]; d0[:, s1] = u; data[s0] = d0`, with the positions of each axis the same slice of
    0 … extent - 1. Error: `unknown-axes` if the axes or the rank are not known.
    """
    count = next((n for v in (op.start, op.stop, op.step) if (n := length(build.fact(v))) is not None), None)
    rank = build.fact(op.data).rank
    named = list(range(count or 0)) if op.axes is None else integers(build.fact(op.axes), "axes", 1)
    if count is None or rank is None or named is None:
        raise Error(
            "unknown-axes",
            "the rank of data, or which axes are sliced, is not known",
            hint="fix the shapes of the inputs",
        )
    if not count:
        return [op.updates]
    zero, sizes = build.scalar(0, i64), Sizes(build)

    def one(value: SSAValue, k: int) -> SSAValue:
        return build.make(GatherOp, value, build.integers([k]), zero)

    parts: list[tuple[SSAValue, SSAValue, int]] = []
    value = op.data
    for k, axis in enumerate(normalise_axes(named, rank)):
        whole = sizes.positions(sizes.of(value)[axis])
        cut = [one(v, k) for v in (op.start, op.stop, op.step)]
        places = build.make(SliceOp, whole, *cut, build.integers([0]))
        parts.append((value, places, axis))
        if k + 1 < count:
            value = build.make(SliceOp, value, *cut, build.integers([axis]))
    made = op.updates
    for value, places, axis in reversed(parts):
        made = build.make(ScatterUpdateOp, value, places, made, build.scalar(axis, i64))
    return [made]


BACKWARDS = Slicing(axis=0, start=-1, end=0, stride=-1)


@decomposes(GatherTreeOp)
def gather_tree(op: GatherTreeOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose GatherTree to a loop that carries each beam's parent beam.

    Beyond the lengths, the parent of a beam is the beam itself.
    """
    (inferred,) = op.infer([build.fact(o) for o in op.operands])
    rank_of(build, op.step_ids, "step_ids")
    assert inferred.shape is not None
    t, n, w = inferred.shape
    sizes = Sizes(build)

    def whole(value: SSAValue) -> SSAValue:
        return build.make(ConvertOp, value, attributes={"destination_type": i64})

    steps, batch, beams = sizes.of(op.step_ids)
    end = build.make(ReshapeOp, op.end_token, build.integers([]))
    lengths = build.make(UnsqueezeOp, whole(op.max_seq_len), build.integers([1]))
    own = build.make(BroadcastOp, sizes.positions(beams), sizes.vector([batch, beams]))
    last = sizes.scalar(sizes.sub(steps, 1))

    carried, part = Fact(i64, (n, w)).type, (Dim(1, 1), n, w)
    block = Block(arg_types=[TRIP_TYPE, carried, Fact(inferred.element, part).type, Fact(i64, part).type])
    for argument in block.args:
        argument.location = build.location
    inside = build.inside(block)
    iteration, parent, step_part, parent_part = block.args
    first = inside.integers([0])
    valid = inside.make(LessOp, inside.make(SubtractOp, last, iteration), lengths)
    ids, parents = (inside.make(SqueezeOp, v, first) for v in (step_part, parent_part))
    at_parent = {"axis": 1}
    shown = inside.make(
        SelectOp, valid, inside.make(GatherElementsOp, ids, parent, attributes=at_parent), end
    )
    found = inside.make(GatherElementsOp, parents, parent, attributes=at_parent)
    next_parent = inside.make(SelectOp, valid, found, parent)
    shown = inside.make(UnsqueezeOp, shown, first)
    inside.emit(NextOp.build(operands=[[], [next_parent], [], [shown]]))
    loop = build.emit(
        LoopOp.of(
            trip=None,
            cond=None,
            carried=[own],
            sliced=[op.step_ids, whole(op.parent_ids)],
            slices=[BACKWARDS, BACKWARDS],
            concats=[BACKWARDS],
            final_types=[carried],
            last_types=[],
            concat_types=[Fact(inferred.element, (t, n, w)).type],
            body=Region(block),
        )
    )
    made = loop.concat[0]
    ended = build.make(ConvertOp, build.make(EqualOp, made, end), attributes={"destination_type": i32})
    before = build.make(CumSumOp, ended, build.scalar(0, i64), attributes={"exclusive": True})
    return [build.make(SelectOp, build.make(GreaterOp, before, build.scalar(0, i32)), end, made)]


@decomposes(EyeOp)
def eye(op: EyeOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`row + diagonal == column`. Error: `unknown-length` where the rank of the result is not known."""
    sizes = Sizes(build)
    rows, columns, diagonal = (
        sizes.element(v, 0)
        if build.fact(v).rank
        else sizes.element(build.make(ReshapeOp, v, build.integers([1])), 0)
        for v in (op.num_rows, op.num_columns, op.diagonal_index)
    )
    # Beyond either corner there is nothing, however far.
    diagonal = sizes.clamp(diagonal, sizes.sub(0, rows), columns)
    row = build.make(UnsqueezeOp, sizes.positions(rows), build.integers([1]))
    wanted = build.make(AddOp, row, sizes.value(diagonal))
    column = build.make(UnsqueezeOp, sizes.positions(columns), build.integers([0]))
    matrix = build.make(
        ConvertOp, build.make(EqualOp, wanted, column), attributes={"destination_type": op.output_type}
    )
    if op.batch_shape is None:
        return [matrix]
    n = build.fact(op.batch_shape).static
    if n is None:
        raise Error(
            "unknown-length",
            "how many extents batch_shape has is not known",
            hint="fix the shapes of the inputs",
        )
    outer = [sizes.element(op.batch_shape, k) for k in range(n[0])]
    return [build.make(BroadcastOp, matrix, sizes.vector([*outer, *sizes.of(matrix)]))]
