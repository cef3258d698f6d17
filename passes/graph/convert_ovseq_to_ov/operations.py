"""Conversion of the operations of `seq`.

The converted operations work on the tensors that hold the sequences and optionals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import i1, i64
from loomir.dialects.locations import located
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.comparison import GreaterOp
from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp
from loomir.dialects.ov.operators.failure import FailOp
from loomir.dialects.ov.operators.joining import ConcatOp as JoinOp
from loomir.dialects.ov.operators.slots import RowEraseOp, RowInsertOp
from loomir.dialects.ovseq.base import SeqOperation
from loomir.dialects.ovseq.facts import SequenceFact
from loomir.dialects.ovseq.operators.optionals import GetOp, HasOp, NoneOp, SomeOp
from loomir.dialects.ovseq.operators.sequences import AtOp, ConstructOp, EmptyOp, EraseOp, InsertOp, LengthOp
from loomir.dialects.ovseq.operators.splitting import ConcatOp, SplitOp
from loomir.errors import Error
from loomir.passes.graph.convert_ovseq_to_ov.layouts import (
    Rows,
)
from loomir.passes.graph.convert_ovseq_to_ov.loops import join_in_a_loop, split_in_a_loop, split_rows
from loomir.passes.graph.convert_ovseq_to_ov.rewriter import Parts, Rewriter

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
