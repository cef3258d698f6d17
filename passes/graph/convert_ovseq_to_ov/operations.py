"""Conversion of the operations of `ovseq`.

The converted operations work on the tensors that hold the sequences and optionals.

A tensor is split into a sequence, and a sequence is joined. If the parts are not all alike, this takes a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import i1, i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing, to_int
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.inference import integers
from loomir.dialects.ov.operators.comparison import EqualOp, GreaterEqualOp, GreaterOp
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, LoopOp, NextOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.internal import FailOp, RowEraseOp, RowInsertOp
from loomir.dialects.ov.operators.joining import ConcatOp as JoinOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalAndOp, ReduceSumOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.dialects.ovseq import SeqOperation
from loomir.dialects.ovseq.sequences import (
    AtOp,
    ConstructOp,
    EmptyOp,
    EraseOp,
    GetOp,
    HasOp,
    InsertOp,
    LengthOp,
    NoneOp,
    SomeOp,
)
from loomir.dialects.ovseq.splitting import ConcatOp, SplitOp
from loomir.dialects.ovseq.types import SequenceFact, sequence_fact
from loomir.errors import Error
from loomir.passes.graph.convert_ovseq_to_ov.layouts import (
    MixedSlots,
    Parts,
    Rewriter,
    Rows,
    Slots,
    as_i64,
    first,
)
from loomir.passes.graph.lib.branches import emit_switch


def split_rows(op: SplitOp, to: Rewriter) -> Parts | None:
    """Split a tensor into equal parts by a transposition.

    The parts have one known extent that surely divides the axis. None otherwise.
    """
    layout = to.sequence(op.output)
    shape = to.layouts.inference.fact(op.data).shape
    if not isinstance(layout, Rows) or shape is None:
        return None
    axis = normalise_axis(to_int(op.axis, 0), len(shape))
    size = 1
    if op.split is not None:
        known = integers(to.layouts.inference.fact(op.split), "split")
        extent = shape[axis].static
        if extent is None or not known or any(n != known[0] or n < 1 for n in known) or extent % known[0]:
            return None
        size = known[0]
    rank = len(shape)
    value = op.data
    if size != 1:
        # [.., n * size, ..] → [.., n, size, ..]
        static = [d.static for d in shape]
        if any(n is None for n in static):
            return None
        numbers = [n for n in static if n is not None]
        value = to.reshape(value, [*numbers[:axis], numbers[axis] // size, size, *numbers[axis + 1 :]])
        return [to.transpose(value, [axis, *(k for k in range(rank + 1) if k != axis)])]
    value = to.transpose(value, [axis, *(k for k in range(rank) if k != axis)])
    return [value if op.removes_axis else to.unsqueeze(value, axis + 1)]


def split_in_a_loop(op: SplitOp, to: Rewriter) -> Parts:
    """One part in each iteration: from where the one before ended."""
    build, layout = to.build, to.sequence(op.output)
    fact = to.layouts.inference.fact(op.data)
    if fact.shape is None:
        raise Error("unresolved-rank", "the rank of a tensor that is split is not known", op=op.name)
    axis = normalise_axis(to_int(op.axis, 0), len(fact.shape))
    extent = _extent(to, op.data, axis)
    zero, one = build.scalar(0, i64), build.scalar(1, i64)
    sizes: SSAValue | None = None
    size = one
    if op.split is None:
        count = extent
    else:
        given = as_i64(build, op.split)
        if to.layouts.inference.fact(op.split).rank == 0:
            good = build.make(GreaterEqualOp, given, one)
            size = to.build.require(given, good, "shape", "an axis cannot be split into parts of this extent")
            # A part that is larger than the axis is all of it; sums with larger ones would wrap.
            size = build.make(MinimumOp, size, build.make(MaximumOp, extent, one))
            before = build.make(SubtractOp, build.make(AddOp, extent, size), one)
            count = build.make(DivideOp, before, size, attributes={"m_pythondiv": False})
        else:
            axes = build.integers([0])
            # One more than there is, is too much, too: the sum of larger ones would wrap.
            given = build.make(MinimumOp, given, build.make(AddOp, extent, one))
            total = build.make(ReduceSumOp, given, axes, attributes={"keep_dims": False})
            whole = build.make(EqualOp, total, extent)
            reason = "the parts of a tensor do not make up its axis"
            sizes = to.build.require(given, whole, "shape", reason)
            positive = build.make(GreaterEqualOp, sizes, zero)
            every = build.make(ReduceLogicalAndOp, positive, axes, attributes={"keep_dims": False})
            sizes = to.build.require(sizes, every, "shape", reason)
            count = to.count([sizes])
    if sequence_fact(to.layouts.inference.any_fact(op.output)).length.hi == 0:
        # What other values have decided about the elements need not go with these parts: there are none.
        empty = to.zeros(layout)
        if op.split is None:
            return empty
        none = build.make(EqualOp, count, zero)
        return [to.build.require(v, none, "shape", "an axis of extent 0 has parts") for v in empty]
    block = Block(arg_types=[TRIP_TYPE, TRIP_TYPE])
    inner = _inside(to, block)
    iteration, begin = block.args
    if sizes is not None:
        size = inner.gather(sizes, iteration)
    end = inner.build.make(AddOp, begin, size)
    if sizes is None and op.split is not None:
        end = inner.build.make(MinimumOp, end, extent)
    bounds = [inner.unsqueeze(v, 0) for v in (begin, end)]
    part = inner.build.make(
        SliceOp, op.data, *bounds, inner.build.integers([1]), inner.build.integers([axis])
    )
    if op.removes_axis:
        part = _without(inner, part, axis, fact)
    if isinstance(layout, Rows):
        # Inference knows that all parts are alike, if there are any.
        part = inner.reshape(part, layout.shape)
    values = inner.row(layout, part)
    slicing = Slicing()
    block.add_op(NextOp.build(operands=[[], [end], [], values], properties={}))
    return _loop(to, block, count, [zero], values, [slicing] * len(values))[1:]


def join_in_a_loop(
    op: ConcatOp, to: Rewriter, layout: Slots | MixedSlots, parts: Parts, count: SSAValue
) -> SSAValue:
    """Join the elements in a loop.

    They are stacked, or appended to the front axis of a loop-carried value, which is then moved to its place.
    """
    if isinstance(layout, MixedSlots):
        return _join_of_one_rank(op, to, layout, parts, count)
    axis = op.normalised_axis(layout.rank)
    build = to.build
    if op.stacks:
        block = Block(arg_types=[TRIP_TYPE])
        inner = _inside(to, block)
        element = inner.unsqueeze(inner.element(layout, parts, block.args[0]), axis)
        block.add_op(NextOp.build(operands=[[], [], [], [element]], properties={}))
        return _loop(to, block, count, [], [element], [Slicing(axis=axis)])[0]
    front = [axis, *(k for k in range(layout.rank) if k != axis)]
    zero = build.scalar(0, i64)
    first = to.transpose(to.element(layout, parts, zero), front)
    none = [build.integers([0])] * 2
    start = build.make(SliceOp, first, *none, build.integers([1]), build.integers([0]))
    carried = TensorType(layout.element, [-1 if k == 0 else d for k, d in enumerate(_shape(start))])
    block = Block(arg_types=[TRIP_TYPE, carried])
    inner = _inside(to, block)
    element = inner.transpose(inner.element(layout, parts, block.args[0]), front)
    longer = inner.build.make(JoinOp, [block.args[1], element], attributes={"axis": 0})
    block.add_op(NextOp.build(operands=[[], [longer], [], []], properties={}))
    whole = _loop(to, block, count, [start], [], [], [carried])[0]
    return to.transpose(whole, [*range(1, axis + 1), 0, *range(axis + 1, layout.rank)])


def _join_of_one_rank(
    op: ConcatOp, to: Rewriter, layout: MixedSlots, parts: Parts, count: SSAValue
) -> SSAValue:
    """Join elements of any rank, which must all have the same one.

    The rank is that of the first element.
    """
    slots, shapes, ranks = parts
    rank = to.gather(ranks, to.build.scalar(0, i64))
    alike = to.build.make(EqualOp, ranks, rank)
    every = to.build.make(ReduceLogicalAndOp, alike, to.build.integers([0]), attributes={"keep_dims": False})
    slots = to.build.require(slots, every, "shape", "tensors of different ranks are put together")

    def of_rank(alone: Slots, build: GraphBuilder) -> list[SSAValue]:
        if not -alone.rank - op.stacks <= to_int(op.axis, 0) < alone.rank + op.stacks:
            reason = f"axis {to_int(op.axis, 0)} of tensors of rank {alone.rank}"
            return list(build.emit(FailOp.of(reason, [op.output.type])).results)
        own = [first(build, slots, alone.size, axis=1), first(build, shapes, alone.rank, axis=1)]
        return [join_in_a_loop(op, Rewriter(build, to.layouts, to.parts), alone, own, count)]

    cases = [
        (len(most), partial(of_rank, Slots(layout.element, least, most)))
        for least, most in zip(layout.least, layout.most)
    ]
    return emit_switch(to.build, rank, cases, [UnrankedTensorType(layout.element)])[0].output[0]


def _loop(
    to: Rewriter,
    block: Block,
    count: SSAValue,
    carried: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    joins: Sequence[Slicing],
    types: Sequence[Attribute] | None = None,
) -> Parts:
    """Emit a loop over a number of elements; its results."""
    concat_types: list[Attribute] = []
    for value, join in zip(outputs, joins):
        shape = [-1 if k == join.axis else d for k, d in enumerate(_shape(value))]
        concat_types.append(TensorType(Fact.of_type(value.type).element, shape))
    loop = LoopOp.of(
        trip=count,
        cond=None,
        carried=carried,
        sliced=[],
        slices=[],
        concats=joins,
        final_types=[v.type for v in carried] if types is None else types,
        last_types=[],
        concat_types=concat_types,
        body=Region(block),
    )
    return list(to.build.emit(loop).results)


def _inside(to: Rewriter, block: Block) -> Rewriter:
    return Rewriter(to.build.inside(block), to.layouts, to.parts)


def _extent(to: Rewriter, value: SSAValue, axis: int) -> SSAValue:
    from loomir.dialects.ov.operators.reshape import ShapeOfOp

    shape = to.build.make(ShapeOfOp, value, attributes={"output_type": i64})
    return to.gather(shape, to.build.scalar(axis, i64))


def _without(to: Rewriter, part: SSAValue, axis: int, fact: Fact) -> SSAValue:
    from loomir.dialects.ov.operators.reshape import SqueezeOp

    return to.build.make(SqueezeOp, part, to.build.integers([axis]), attributes={"strict": True})


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tensor_type_of(value).get_shape()


EMPTY = "an empty sequence cannot be put together"


def convert_operation(op: SeqOperation, rewriter: Rewriter) -> Parts:
    """Return the tensors that hold the result of an operation.

    Errors, with its place: `unresolved-rank`, `unbounded-shape`.
    """
    try:
        return _CONVERSIONS[type(op)](op, rewriter)
    except Error as error:
        raise located(error, op) from None


# -- sequences


def _empty(op: EmptyOp, to: Rewriter) -> Parts:
    return to.zeros(to.sequence(op.output))


def _construct(op: ConstructOp, to: Rewriter) -> Parts:
    layout = to.sequence(op.output)
    rows = [to.row(layout, tensor) for tensor in op.inputs]
    if len(rows) == 1:
        return rows[0]
    return [to.build.make(JoinOp, list(column), attributes={"axis": 0}) for column in zip(*rows)]


def _insert(op: InsertOp, to: Rewriter) -> Parts:
    row = to.row(to.sequence(op.output), op.tensor)
    sequence = to.parts(op.sequence)
    if op.position is None:
        # What a loop appends to the value that it carries is written in place.
        return [to.build.make(JoinOp, [a, b], attributes={"axis": 0}) for a, b in zip(sequence, row)]
    position = to.scalar_position(op.position)
    return [to.build.make(RowInsertOp, a, b, position) for a, b in zip(sequence, row)]


def _erase(op: EraseOp, to: Rewriter) -> Parts:
    position = to.build.scalar(-1, i64) if op.position is None else to.scalar_position(op.position)
    return [to.build.make(RowEraseOp, part, position) for part in to.parts(op.sequence)]


def _at(op: AtOp, to: Rewriter) -> Parts:
    position = to.scalar_position(op.position)
    return [to.element(to.sequence(op.sequence), to.parts(op.sequence), position)]


def _length(op: LengthOp, to: Rewriter) -> Parts:
    return [to.count(to.parts(op.sequence))]


def _split(op: SplitOp, to: Rewriter) -> Parts:
    return split_rows(op, to) or split_in_a_loop(op, to)


def _fails_when_run(op: ConcatOp, to: Rewriter) -> SSAValue:
    """Emit a run-time failure for joining an empty sequence.

    A sequence that is known to be empty may not even have a rank, nor has the result of joining it.
    """
    known = Fact.of_type(op.output.type)
    rank = to_int(op.axis, 0) + 1 if known.rank is None else known.rank
    type_ = TensorType(known.element, [0] * max(rank, 1)) if known.rank is None else known.type
    return to.build.emit(FailOp.of(EMPTY, [type_])).results[0]


def _concat(op: ConcatOp, to: Rewriter) -> Parts:
    known = to.layouts.inference.any_fact(op.sequence)
    if isinstance(known, SequenceFact) and known.length.hi == 0:
        return [_fails_when_run(op, to)]
    layout, parts = to.sequence(op.sequence), to.parts(op.sequence)
    count = to.count(parts)
    some = to.build.make(GreaterOp, count, to.build.scalar(0, i64))
    parts = [to.build.require(p, some, "shape", EMPTY) for p in parts]
    if not isinstance(layout, Rows):
        return [join_in_a_loop(op, to, layout, parts, count)]
    rank = len(layout.shape)
    axis = op.normalised_axis(rank)
    # [n, …] → […, n, …]: a stack already; else n and the axis behind it become one.
    moved = to.transpose(parts[0], [*range(1, axis + 1), 0, *range(axis + 1, rank + 1)])
    if op.stacks:
        return [moved]
    extent = layout.shape[axis]
    total = count if extent == 1 else to.build.make(MultiplyOp, count, to.build.scalar(extent, i64))
    return [to.reshape(moved, [*layout.shape[:axis], total, *layout.shape[axis + 1 :]])]


# -- optionals


def _some(op: SomeOp, to: Rewriter) -> Parts:
    return [to.build.scalar(True, i1), *to.parts(op.value)]


def _none(op: NoneOp, to: Rewriter) -> Parts:
    return to.zeros(to.layouts.of(op.output))


def _has(op: HasOp, to: Rewriter) -> Parts:
    return [to.parts(op.optional)[0]]


def _get(op: GetOp, to: Rewriter) -> Parts:
    has, *held = to.parts(op.optional)
    return [to.build.require(v, has, "absent", "the value of an optional that has none") for v in held]


_CONVERSIONS: dict[type[Operation], Callable[[Any, Rewriter], Parts]] = {
    EmptyOp: _empty,
    ConstructOp: _construct,
    InsertOp: _insert,
    EraseOp: _erase,
    AtOp: _at,
    LengthOp: _length,
    SplitOp: _split,
    ConcatOp: _concat,
    SomeOp: _some,
    NoneOp: _none,
    HasOp: _has,
    GetOp: _get,
}
