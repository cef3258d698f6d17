"""Builder of the tensors that hold one value.

It builds rows, elements and counts, and has short forms for the operations that these take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import dtype_of, i64
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp as JoinOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.operators.slots import FromSlotOp, ToSlotOp
from loomir.passes.graph.cases import choose
from loomir.passes.graph.convert_ovseq_to_ov.layouts import (
    Flagged,
    Layout,
    Layouts,
    Rows,
    Sequences,
    Slots,
)
from loomir.passes.graph.one_to_many import Parts


class Rewriter:
    """Insertion point in GRAPH, with layouts and the values converted so far."""

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
        # Of whatever rank: its elements in a row, its extents and zeros behind them, how many they are.
        flat = build.make(ReshapeOp, tensor, build.integers([-1]))
        slot = build.make(ToSlotOp, flat, attributes={"most": [layout.size]})
        room = build.make(ToSlotOp, shape, attributes={"most": [layout.rank]})
        return [slot, room, build.make(ShapeOfOp, shape, attributes={"output_type": i64})]

    def element(self, layout: Sequences, parts: Parts, position: SSAValue) -> SSAValue:
        """Return the element at a position.

        A position outside of the sequence is a run-time error.
        """
        picked = [self.gather(part, position) for part in parts]
        if isinstance(layout, Rows):
            return picked[0]
        if isinstance(layout, Slots):
            limits = {"least": layout.least, "most": layout.most}
            return self.build.make(FromSlotOp, *picked, attributes=limits)
        slot, shape, rank = picked

        def of_rank(least: Sequence[int], most: Sequence[int], build: GraphBuilder) -> list[SSAValue]:
            extents = first(build, shape, len(most), axis=0)
            return [build.make(FromSlotOp, slot, extents, attributes={"least": least, "most": most})]

        cases = [(len(most), partial(of_rank, least, most)) for least, most in zip(layout.least, layout.most)]
        return choose(self.build, rank, cases, [UnrankedTensorType(layout.element)])[0].output[0]

    def zeros(self, layout: Layout) -> Parts:
        """Return an empty sequence, or an optional without a value.

        Dynamic dimensions are 0.
        """
        return [self.build.constant(np.zeros(_least(t), dtype_of(t.element_type))) for t in layout.types]

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
        """Return a position as a scalar.

        The position may be a tensor of rank 1 with one element.
        """
        if Fact.of_type(position.type).rank == 0:
            return position
        return self.build.make(ReshapeOp, position, self.build.integers([]))

    def sequence(self, value: SSAValue) -> Sequences:
        """The layout of a sequence."""
        layout = self.layouts.of(value)
        assert not isinstance(layout, Flagged)
        return layout


def first(build: GraphBuilder, value: SSAValue, count: int, axis: int) -> SSAValue:
    """The first so many along an axis."""
    bounds = [build.integers([n]) for n in (0, count, 1, axis)]
    return build.make(SliceOp, value, *bounds)


def _least(type_: TensorType | UnrankedTensorType) -> list[int]:
    """Return the least extents of a tensor of a type.

    For an unranked type they are those of a scalar.
    """
    return [] if isinstance(type_, UnrankedTensorType) else [max(d, 0) for d in type_.get_shape()]


def as_i64(build: GraphBuilder, value: SSAValue) -> SSAValue:
    """An integer tensor as i64."""
    element: Attribute = build.fact(value).element
    return value if element == i64 else build.make(ConvertOp, value, attributes={"destination_type": i64})
