"""What each operation of `seq` becomes, on the tensors that hold its sequences and optionals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.element_types import dtype_of, i1, i64
from loomir.dialects.locations import located
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.comparison import GreaterOp
from loomir.dialects.ov.conversion import ConvertOp
from loomir.dialects.ov.elementwise_binary import MultiplyOp
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.failure import FailOp
from loomir.dialects.ov.gathering import GatherOp
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.joining import ConcatOp as JoinOp
from loomir.dialects.ov.reshape import ReshapeOp, ShapeOfOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.slots import FromSlotOp, RowEraseOp, RowInsertOp, ToSlotOp
from loomir.dialects.seq.base import SeqOperation
from loomir.dialects.seq.facts import SequenceFact
from loomir.dialects.seq.optionals import GetOp, HasOp, NoneOp, SomeOp
from loomir.dialects.seq.sequences import AtOp, ConstructOp, EmptyOp, EraseOp, InsertOp, LengthOp
from loomir.dialects.seq.splitting import ConcatOp, SplitOp
from loomir.errors import Error
from loomir.passes.graph.convert_seq_to_ov.layouts import (
    Flagged,
    Layout,
    Layouts,
    MixedSlots,
    Rows,
    Sequences,
    Slots,
)

EMPTY = "an empty sequence cannot be put together"

Parts = list[SSAValue]
"""The tensors that hold one value."""


class Rewriter:
    """One place in GRAPH, the layouts, and what has become of the values so far."""

    def __init__(self, build: GraphBuilder, layouts: Layouts, parts: Callable[[SSAValue], Parts]) -> None:
        self.build = build
        self.layouts = layouts
        self.parts = parts

    # -- elements

    def row(self, layout: Sequences, tensor: SSAValue) -> Parts:
        """The parts of a sequence of one element."""
        build = self.build
        if isinstance(layout, Rows):
            return [self.unsqueeze(tensor, 0)]
        shape = build.make(ShapeOfOp, tensor, attributes={"output_type": i64})
        if isinstance(layout, Slots):
            slot = build.make(ToSlotOp, tensor, attributes={"most": layout.most})
            return [slot, self.unsqueeze(shape, 0)]
        rank = build.fact(tensor).rank
        most = next(m for m in layout.most if len(m) == rank)
        slot = build.make(ToSlotOp, tensor, attributes={"most": most})
        if (rest := layout.size - prod(most)) > 0:
            zeros = build.constant(np.zeros((1, rest), dtype_of(layout.element)))
            slot = build.make(JoinOp, [slot, zeros], attributes={"axis": 1})
        if (rest := layout.rank - len(most)) > 0:
            shape = build.make(JoinOp, [shape, build.integers([0] * rest)], attributes={"axis": 0})
        return [slot, self.unsqueeze(shape, 0), build.integers([len(most)])]

    def element(self, layout: Sequences, parts: Parts, position: SSAValue) -> SSAValue:
        """The element at a position; outside of the sequence an error when run. Error: `unresolved-rank`."""
        if isinstance(layout, MixedSlots):
            raise Error(
                "unresolved-rank",
                "an element is read from a sequence whose elements have different ranks",
                hint="fix the inputs that decide it (shapes=, --shape, values=, --value)",
            )
        picked = [self.gather(part, position) for part in parts]
        if isinstance(layout, Rows):
            return picked[0]
        limits = {"least": layout.least, "most": layout.most}
        return self.build.make(FromSlotOp, *picked, attributes=limits)

    def zeros(self, layout: Layout) -> Parts:
        """An empty sequence, or an optional without a value: open extents are 0."""
        return [
            self.build.constant(np.zeros([max(d, 0) for d in t.get_shape()], dtype_of(t.element_type)))
            for t in layout.types
        ]

    def count(self, parts: Parts) -> SSAValue:
        """How many elements there are, a scalar."""
        shape = self.build.make(ShapeOfOp, parts[0], attributes={"output_type": i64})
        return self.gather(shape, self.build.scalar(0, i64))

    # -- short forms

    def unsqueeze(self, value: SSAValue, axis: int) -> SSAValue:
        return self.build.make(UnsqueezeOp, value, self.build.integers([axis]))

    def gather(self, value: SSAValue, position: SSAValue) -> SSAValue:
        axis = self.build.scalar(0, i64)
        return self.build.make(GatherOp, value, position, axis, attributes={"out_of_range": "error"})

    def transpose(self, value: SSAValue, order: Sequence[int]) -> SSAValue:
        if list(order) == sorted(order):
            return value
        return self.build.make(TransposeOp, value, self.build.integers(order))

    def reshape(self, value: SSAValue, extents: Sequence[SSAValue | int]) -> SSAValue:
        """A reshape to numbers and scalars (i64)."""
        if all(isinstance(e, int) for e in extents):
            return self.build.make(
                ReshapeOp, value, self.build.integers([e for e in extents if isinstance(e, int)])
            )
        each = [self.build.integers([e]) if isinstance(e, int) else self.unsqueeze(e, 0) for e in extents]
        shape = self.build.make(JoinOp, each, attributes={"axis": 0}) if len(each) > 1 else each[0]
        return self.build.make(ReshapeOp, value, shape)

    def scalar_position(self, position: SSAValue) -> SSAValue:
        """A position as a scalar: it may have one element of rank 1."""
        if Fact.of_type(position.type).rank == 0:
            return position
        return self.build.make(ReshapeOp, position, self.build.integers([]))

    def sequence(self, value: SSAValue) -> Sequences:
        """The layout of a sequence."""
        layout = self.layouts.of(value)
        assert not isinstance(layout, Flagged)
        return layout


def convert_operation(op: SeqOperation, rewriter: Rewriter) -> Parts:
    """The tensors that hold the result of an operation. Errors, with its place: `unresolved-rank`, `unbounded-shape`."""
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
    from loomir.passes.graph.convert_seq_to_ov.loops import split_in_a_loop, split_rows

    return split_rows(op, to) or split_in_a_loop(op, to)


def _fails_when_run(op: ConcatOp, to: Rewriter) -> SSAValue:
    """What is known to be an empty sequence may not even have a rank, nor has what is put together of it."""
    known = Fact.of_type(op.output.type)
    rank = to_int(op.axis, 0) + 1 if known.rank is None else known.rank
    type_ = TensorType(known.element, [0] * max(rank, 1)) if known.rank is None else known.type
    return to.build.emit(FailOp.of(EMPTY, [type_])).results[0]


def _concat(op: ConcatOp, to: Rewriter) -> Parts:
    from loomir.passes.graph.convert_seq_to_ov.loops import join_in_a_loop

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


def as_i64(build: GraphBuilder, value: SSAValue) -> SSAValue:
    """An integer tensor as i64."""
    element: Attribute = build.fact(value).element
    return value if element == i64 else build.make(ConvertOp, value, attributes={"destination_type": i64})
