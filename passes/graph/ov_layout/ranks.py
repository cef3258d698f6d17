"""Rules of operations that remove or insert axes.

These are Squeeze, Unsqueeze, Gather and StridedSlice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64

from loomir.dialects.ov.attributes import to_int, to_ints
from loomir.dialects.ov.layouts import AnyOrder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import StridedSliceOp
from loomir.passes.graph.ov_layout.edits import Edits
from loomir.passes.graph.ov_layout.orders import Order, inverse, kept, lifted, rank_of
from loomir.passes.graph.ov_layout.rules import Rule, along, constant, turns


class Fewer(Rule):
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

    def turn(self, order: Order, edits: Edits) -> None:
        if self.op.axes is not None and self.gone:
            place = inverse(order)
            axes = np.array([place[axis] for axis in self.gone])
            self.op.operands[1] = edits.instead(self.op.axes, axes, self.op)


@turns(SqueezeOp)
def squeeze(op: SqueezeOp) -> Rule | None:
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


class Unsqueezed(Rule):
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

    def turn(self, order: Order, edits: Edits) -> None:
        place = inverse(order)
        axes = np.array([place[axis] for axis in self.new])
        self.op.operands[1] = edits.instead(self.op.axes, axes, self.op)


@turns(UnsqueezeOp)
def unsqueeze(op: UnsqueezeOp) -> Rule | None:
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

    def turn(self, order: Order, edits: Edits) -> None:
        self.op.operands[2] = edits.instead(self.op.axis, np.array(inverse(order)[self.axis]), self.op)


@turns(GatherOp)
def gather(op: GatherOp) -> Rule | None:
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

    def turn(self, order: Order, edits: Edits) -> None:
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


@turns(StridedSliceOp)
def strided_slice(op: StridedSliceOp) -> Rule | None:
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
