"""Rules of operations that add, remove, split or parametrise axes.

- Squeeze, Unsqueeze, Gather and StridedSlice remove or insert axes.
- Reshape splits or merges axes: they stay together wherever they lie.
- Broadcast, Interpolate, Reverse and PRelu have parameters that change in their own ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, TensorType, i64
from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_int, to_ints, to_str
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import static_extents
from loomir.dialects.ov.interfaces import AnyOrder
from loomir.dialects.ov.operators.activation import PReluOp, per_channel
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.interpolate import InterpolateOp
from loomir.dialects.ov.operators.layout import ReverseOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import StridedSliceOp
from loomir.tools.model_optimizer.passes.graph.ov_layout.orders import (
    Edits,
    Order,
    inverse,
    kept,
    lifted,
    rank_of,
)
from loomir.tools.model_optimizer.passes.graph.ov_layout.rules import (
    Aligned,
    LayoutRule,
    along,
    constant,
    register_rule,
)


class Fewer(LayoutRule):
    """Rule of an operation whose operand 0 loses axes.

    Operand 0 has the order. The lost axes lie anywhere among the others.
    """

    def __init__(self, rank: int, left: Sequence[int]) -> None:
        self.rank, self.left = rank, list(left)

    def operand_order(self, index: int, order: Order) -> Order | None:
        return order if index == 0 else None

    def result_order(self, index: int, order: Order) -> Order:
        return kept(order, self.left)

    def from_operand(self, index: int, order: Order) -> Order | None:
        return order if index == 0 else None

    def from_result(self, index: int, order: Order) -> Order | None:
        return lifted(order, self.left, self.rank)


class Squeezed(Fewer):
    """Squeeze; without axes all extents of 1 go, wherever they are."""

    def __init__(self, op: SqueezeOp, rank: int, gone: Sequence[int]) -> None:
        super().__init__(rank, [axis for axis in range(rank) if axis not in set(gone)])
        self.op, self.gone = op, gone

    def permute(self, order: Order, edits: Edits) -> None:
        if self.op.axes is not None and self.gone:
            place = inverse(order)
            axes = np.array([place[axis] for axis in self.gone])
            self.op.operands[1] = edits.instead(self.op.axes, axes, self.op)


@register_rule(SqueezeOp)
def squeeze(op: SqueezeOp) -> LayoutRule | None:
    """Known axes, all of which surely go."""
    rank, left = rank_of(op.data), rank_of(op.output)
    if rank is None or left is None or not isinstance(op.data.type, TensorType):
        return None
    named = [] if op.axes is None else constant(op.axes)
    if named is None or any(not -rank <= axis < rank for axis in named):
        return None
    ones = [axis for axis, extent in enumerate(op.data.type.get_shape()) if extent == 1]
    gone = [axis % rank for axis in named] if named else ones
    return Squeezed(op, rank, gone) if rank - len(gone) == left else None


class Unsqueezed(LayoutRule):
    """Unsqueeze: its result has the order."""

    def __init__(self, op: UnsqueezeOp, rank: int, new: Sequence[int]) -> None:
        self.op, self.rank, self.new = op, rank, new
        self.left = [axis for axis in range(rank) if axis not in set(new)]

    def operand_order(self, index: int, order: Order) -> Order | None:
        return kept(order, self.left) if index == 0 else None

    def result_order(self, index: int, order: Order) -> Order:
        return order

    def from_operand(self, index: int, order: Order) -> Order | None:
        return lifted(order, self.left, self.rank) if index == 0 else None

    def from_result(self, index: int, order: Order) -> Order | None:
        return order

    def permute(self, order: Order, edits: Edits) -> None:
        place = inverse(order)
        axes = np.array([place[axis] for axis in self.new])
        self.op.operands[1] = edits.instead(self.op.axes, axes, self.op)


@register_rule(UnsqueezeOp)
def unsqueeze(op: UnsqueezeOp) -> LayoutRule | None:
    """Known axes."""
    rank, axes = rank_of(op.output), constant(op.axes)
    if not rank or axes is None or rank_of(op.data) != rank - len(axes):
        return None
    return Unsqueezed(op, rank, [axis % rank for axis in axes])


class Picked(Fewer):
    """Gather by one index, which takes the axis away."""

    def __init__(self, op: GatherOp, rank: int, axis: int) -> None:
        super().__init__(rank, [a for a in range(rank) if a != axis])
        self.op, self.axis = op, axis

    def permute(self, order: Order, edits: Edits) -> None:
        self.op.operands[2] = edits.instead(self.op.axis, np.array(inverse(order)[self.axis]), self.op)


@register_rule(GatherOp)
def gather(op: GatherOp) -> LayoutRule | None:
    """Return the rule of a Gather along a known axis.

    The Gather takes a single index or a 1-D tensor of indices.
    """
    rank, places, axis = rank_of(op.data), rank_of(op.indices), constant(op.axis)
    if not rank or axis is None or places not in (0, 1) or to_int(op.batch_dims, 0):
        return None
    if places == 1:
        return along(op, AnyOrder(axes=2))
    return Picked(op, rank, axis[0] % rank) if rank_of(op.output) == rank - 1 else None


class Strided(Fewer):
    """StridedSlice without new axes and ellipsis.

    Each parameter belongs to one axis, and some parameters remove it.
    """

    PARAMETERS = ("begin", "end", "strides")
    MASKS = ("begin_mask", "end_mask", "shrink_axis_mask")

    def __init__(self, op: StridedSliceOp, rank: int, places: int) -> None:
        super().__init__(
            rank, [k for k in range(rank) if k >= places or not op.masked(op.shrink_axis_mask, k)]
        )
        self.op, self.places = op, places

    def permute(self, order: Order, edits: Edits) -> None:
        op, missing = self.op, self.rank - self.places
        for index, neutral in zip(range(1, len(op.operands)), (0, 0, 1)):
            owner = op.operands[index].owner
            assert isinstance(owner, ConstantOp)
            values = np.pad(owner.array, (0, missing), constant_values=neutral)
            op.operands[index] = edits.constant(values[list(order)], op)
        for name, beyond in zip(self.MASKS, (1, 1, 0)):
            given = to_ints(op.properties.get(name), ())[: self.places]
            mask = [*given, *([0] * (self.places - len(given))), *([beyond] * missing)]
            op.properties[name] = DenseArrayBase.from_list(i64, [mask[axis] for axis in order])


@register_rule(StridedSliceOp)
def strided_slice(op: StridedSliceOp) -> LayoutRule | None:
    """Constant parameters, one for each axis from the first on."""
    rank = rank_of(op.data)
    parameters = [constant(operand) for operand in op.operands[1:]]
    if not rank or None in parameters:
        return None
    places = len(parameters[0] or ())
    if places > rank or any(len(p or ()) != places for p in parameters):
        return None
    if any(op.masked(m, k) for m in (op.new_axis_mask, op.ellipsis_mask) for k in range(places)):
        return None
    rule = Strided(op, rank, places)
    return rule if rank_of(op.output) == len(rule.left) else None


@dataclass(frozen=True)
class Group:
    """Adjacent operand axes whose elements are those of some result axes."""

    before: tuple[int, ...]
    after: tuple[int, ...]


def groups_of(before: Sequence[int], after: Sequence[int]) -> list[Group]:
    """Return the smallest groups of a Reshape between these shapes.

    The shapes have no extent of 0 and the same number of elements.
    """
    found: list[Group] = []
    i = j = 0
    while i < len(before) and j < len(after):
        start, start_after, product, product_after = i, j, 1, 1
        while i == start or j == start_after or product != product_after:
            if product < product_after or (product == product_after and i == start):
                product *= before[i]
                i += 1
            else:
                product_after *= after[j]
                j += 1
        found.append(Group(tuple(range(start, i)), tuple(range(start_after, j))))
    # What is left on one side are extents of 1.
    if i < len(before) or j < len(after):
        found.append(Group(tuple(range(i, len(before))), tuple(range(j, len(after)))))
    return found


class Reshaped(LayoutRule):
    """Rule of a Reshape of known shapes to a constant shape.

    The operand has the order, in which the axes of each group lie one behind the other.
    """

    def __init__(self, op: ReshapeOp, before: Sequence[int], after: Sequence[int]) -> None:
        self.op, self.before, self.after, self.rank = op, before, after, len(before)
        self.groups = groups_of(before, after)

    def accepts(self, order: Order) -> bool:
        return self._sequence(order, after=False) is not None

    def operand_order(self, index: int, order: Order) -> Order | None:
        return order if index == 0 else None

    def result_order(self, index: int, order: Order) -> Order:
        sequence = self._sequence(order, after=False)
        assert sequence is not None, "it is accepted"
        return tuple(axis for group in sequence for axis in group.after)

    def from_operand(self, index: int, order: Order) -> Order | None:
        return order if index == 0 else None

    def from_result(self, index: int, order: Order) -> Order | None:
        sequence = self._sequence(order, after=True)
        return None if sequence is None else tuple(axis for group in sequence for axis in group.before)

    def permute(self, order: Order, edits: Edits) -> None:
        shape = np.array([self.after[axis] for axis in self.result_order(0, order)])
        self.op.operands[1] = edits.instead(self.op.shape, shape, self.op)
        self.op.properties["special_zero"] = BoolAttr.from_bool(False)

    def _sequence(self, order: Order, *, after: bool) -> list[Group] | None:
        """Return the groups in their sequence in an order.

        The order is one of the operand or of the result. None if a group is torn apart. Axes of extent 1 may be anywhere.
        """
        extents = self.after if after else self.before
        group_of = {axis: group for group in self.groups for axis in (group.after if after else group.before)}
        moved = {group_of[axis] for axis in order if extents[axis] != 1}
        sequence: dict[Group, int] = {}
        last: Group | None = None
        for axis in order:
            group = group_of[axis]
            if extents[axis] == 1:
                if group not in moved:
                    sequence.setdefault(group, axis)
                continue
            if group in sequence and (last is not group or axis < sequence[group]):
                return None
            sequence[group] = axis
            last = group
        return [*sequence, *(group for group in self.groups if group not in sequence)]


@register_rule(ReshapeOp)
def reshape(op: ReshapeOp) -> LayoutRule | None:
    """Known shapes with elements; the wanted one is a constant."""
    before, after = static_extents(op.data), static_extents(op.output)
    if not before or not after or not prod(before) or prod(before) != prod(after):
        return None
    if constant(op.shape) is None:
        return None
    return Reshaped(op, before, after)


class Broadcasts(Aligned):
    """Broadcast, whose target shape has an element per axis of the result."""

    def permute(self, order: Order, edits: Edits) -> None:
        super().permute(order, edits)
        self.op.operands[1] = edits.picked(self.op.operands[1], order, self.op)


@register_rule(BroadcastOp)
def broadcast(op: BroadcastOp) -> LayoutRule | None:
    """In the modes that align axes at the end."""
    rank, given = rank_of(op.output), rank_of(op.data)
    lengths = getattr(op.target_shape.type, "get_shape", tuple)()
    if rank is None or given is None or lengths != (rank,) or op.mode_name == "explicit":
        return None
    return Broadcasts(op, [0], rank)


@register_rule(InterpolateOp)
def interpolate(op: InterpolateOp) -> LayoutRule | None:
    """Return the rule of Interpolate.

    The nearest element is the same in every order; sums are taken over axes in their order.
    """
    layout = op.LAYOUT
    assert isinstance(layout, AnyOrder)
    return along(op, replace(layout, in_sequence=to_str(op.mode) != "nearest"))


@register_rule(ReverseOp)
def reverse(op: ReverseOp) -> LayoutRule | None:
    """Axes by number, or a mask with an element for each."""
    return along(op, AnyOrder(per_axis=(1,)) if op.by_mask else AnyOrder(axes=1))


class Sloped(Aligned):
    """PRelu with a broadcast slope.

    A slope of rank 1 might be taken for one number per channel, and so receives all axes.
    """

    def needs_all_axes(self, value: SSAValue) -> bool:
        return rank_of(value) != self.rank


@register_rule(PReluOp)
def prelu(op: PReluOp) -> LayoutRule | None:
    """Return the rule of PRelu, unless the slope is per channel.

    A slope per channel is on axis 1.
    """
    rank, slope = rank_of(op.data), rank_of(op.slope)
    if not rank or slope is None or slope > rank or per_channel(fact_of(op.data), fact_of(op.slope)):
        return None
    return Sloped(op, [0, 1], rank)
