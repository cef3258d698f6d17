"""Rules of operations whose parameters change in their own ways.

These are Broadcast, Interpolate, Reverse and PRelu.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_str
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.layouts import AnyOrder
from loomir.dialects.ov.operators.activation import PReluOp, per_channel
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.interpolate import InterpolateOp
from loomir.dialects.ov.operators.layout import ReverseOp
from loomir.passes.graph.ov_layout.edits import Edits
from loomir.passes.graph.ov_layout.orders import Order, rank_of
from loomir.passes.graph.ov_layout.rules import Aligned, Rule, along, turns


class Broadcasts(Aligned):
    """Broadcast, whose target shape has an element per axis of the result."""

    def turn(self, order: Order, edits: Edits) -> None:
        super().turn(order, edits)
        self.op.operands[1] = edits.picked(self.op.operands[1], order, self.op)


@turns(BroadcastOp)
def broadcast(op: BroadcastOp) -> Rule | None:
    """In the modes that align axes at the end."""
    rank, given = rank_of(op.output), rank_of(op.data)
    lengths = getattr(op.target_shape.type, "get_shape", tuple)()
    if rank is None or given is None or lengths != (rank,) or op.mode_name == "explicit":
        return None
    return Broadcasts(op, [0], rank)


@turns(InterpolateOp)
def interpolate(op: InterpolateOp) -> Rule | None:
    """Return the rule of Interpolate.

    The nearest element is the same in every order; sums are taken over axes in their order.
    """
    layout = op.LAYOUT
    assert isinstance(layout, AnyOrder)
    return along(op, replace(layout, in_sequence=to_str(op.mode) != "nearest"))


@turns(ReverseOp)
def reverse(op: ReverseOp) -> Rule | None:
    """Axes by number, or a mask with an element for each."""
    return along(op, AnyOrder(per_axis=(1,)) if op.by_mask else AnyOrder(axes=1))


class Sloped(Aligned):
    """PRelu with a broadcast slope.

    A slope of rank 1 might be taken for one number per channel, and so receives all axes.
    """

    def needs_all_axes(self, value: SSAValue) -> bool:
        return rank_of(value) != self.rank


@turns(PReluOp)
def prelu(op: PReluOp) -> Rule | None:
    """Return the rule of PRelu, unless the slope is per channel.

    A slope per channel is on axis 1.
    """
    rank, slope = rank_of(op.data), rank_of(op.slope)
    if not rank or slope is None or slope > rank or per_channel(fact_of(op.data), fact_of(op.slope)):
        return None
    return Sloped(op, [0, 1], rank)
