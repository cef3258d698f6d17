"""Values of all iterations of a loop as one tensor each."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import SSAValue

from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.loop_trips import Trips, iteration_numbers
from loomir.dialects.ov.graph_builder import GraphBuilder, static_extents
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, SubtractOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.speculation import FactOf
from loomir.passes.graph.lib.loop_rewriting import ExtraSlice, reshaped


@dataclass(frozen=True)
class Whole:
    """A value of the body in all iterations.

    The iteration axis takes the place of a dimension of extent 1 of the value, `place`, or is an additional one in front (None).
    """

    value: SSAValue
    place: int | None = None


@dataclass(frozen=True)
class Run:
    """Elements of an axis of which each iteration takes one.

    `first` is that of the first iteration. `stride`, 1 or -1, leads to the next one.
    """

    first: int
    stride: int


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """Return the extents of a tensor of known rank.

    An open one is DYNAMIC_INDEX.
    """
    return tensor_type_of(value).get_shape()


class WholeAxis:
    """Values of a loop for all iterations, and a builder.

    `values` are those that vary, in the order of iterations, or from the last to the first where everything is sliced and joined
    so (`backwards`). All other values of the body come from outside, or are constants.
    """

    def __init__(
        self, loop: LoopOp, trips: Trips, build: GraphBuilder, fact_of: FactOf, *, backwards: bool
    ) -> None:
        self.loop, self.trips, self.build, self.backwards = loop, trips, build, backwards
        self.fact_of = fact_of
        self.extent = DYNAMIC_INDEX if trips.static is None else trips.static
        self.values: dict[SSAValue, Whole] = {}
        self._fixed: dict[SSAValue, SSAValue] = {}

    @property
    def stride(self) -> int:
        """The stride of slices and joined parts, as the values are ordered."""
        return -1 if self.backwards else 1

    def behind(self, loop: LoopOp, build: GraphBuilder) -> WholeAxis:
        """Return the same for operations behind a loop.

        What is known before it stays.
        """
        axis = WholeAxis(loop, self.trips, build, self.fact_of, backwards=self.backwards)
        axis.values = dict(self.values)
        return axis

    # -- values

    def add_sources(self, wanted: Set[SSAValue]) -> None:
        """Emit the wanted slices and iteration numbers for all iterations."""
        loop = self.loop
        if loop.iteration in wanted:
            self.values[loop.iteration] = Whole(iteration_numbers(self.trips, not self.backwards, self.build))
        alone = len({(value, cut.axis) for value, cut in zip(loop.sliced, loop.slicings)}) == 1
        for argument, value, cut in zip(loop.part_arguments, loop.sliced, loop.slicings):
            if argument in wanted:
                self.values[argument] = self.parts(value, cut, all_of_it=alone and self.trips.static is None)

    def fixed(self, value: SSAValue) -> SSAValue:
        """Return a value that does not vary where new operations are."""
        if not isinstance(value.owner, ConstantOp):
            return value
        if value not in self._fixed:
            self._fixed[value] = self.build.constant(value.owner.array)
        return self._fixed[value]

    def leading(self, value: SSAValue) -> SSAValue:
        """Return a value of all iterations with an additional axis in front."""
        whole = self.values[value]
        if whole.place is None:
            return whole.value
        moved = self.moved(whole.value, whole.place, 0)
        return self.unsqueezed(moved, [whole.place + 1])

    def at(self, value: SSAValue, offset: int) -> SSAValue:
        """Return a whole value with the iteration axis at an offset.

        The value has extent 1 there, or a lower rank (`can_be_at`).
        """
        whole, rank = self.values[value], len(shape_of(value))
        place = rank - 1 - offset
        if place >= 0 and whole.place == place:
            return whole.value
        first = self.leading(value)
        if place < 0:
            return self.unsqueezed(first, [1 + k for k in range(-place - 1)])
        return self.moved(self.squeezed(first, place + 1), 0, place)

    def broadcast(self, value: SSAValue, rank: int) -> SSAValue:
        """Return a whole value, its iteration axis in front of `rank` dimensions."""
        missing = rank - len(shape_of(value))
        return self.unsqueezed(self.leading(value), [1 + k for k in range(missing)])

    def type_of(self, value: SSAValue, place: int | None) -> TensorType:
        """Return a whole value's type, the iteration axis at a place."""
        type_ = tensor_type_of(value)
        shape = list(type_.get_shape())
        shape[slice(0, 0) if place is None else slice(place, place + 1)] = [self.extent]
        return TensorType(type_.element_type, shape)

    def spread(self, value: SSAValue, place: int | None) -> SSAValue:
        """Return a static value for all iterations.

        Its iteration axis is at a place. One that does not vary is repeated.
        """
        if value in self.values:
            return self.leading(value) if place is None else self.at(value, len(shape_of(value)) - 1 - place)
        shape, build = self.type_of(value, place).get_shape(), self.build
        extents = build.integers(shape)
        if DYNAMIC_INDEX in shape:
            k = shape.index(DYNAMIC_INDEX)
            around = [build.integers(part) for part in (shape[:k], shape[k + 1 :])]
            extents = build.make(ConcatOp, [around[0], self._count, around[1]], attributes={"axis": 0})
        return build.make(BroadcastOp, self.fixed(value), extents)

    # -- slices and joined outputs

    def parts(self, value: SSAValue, cut: Slicing, *, all_of_it: bool = False) -> Whole:
        """Emit the slices of an input as one tensor."""
        shape = shape_of(value)
        axis = cut.normalised_axis(len(shape))
        if not all_of_it:
            value = self._covered(value, cut, axis)
        return self._as_whole(value, axis, cut.part_size, flipped=(cut.stride < 0) != self.backwards)

    def _covered(self, value: SSAValue, cut: Slicing, axis: int) -> SSAValue:
        """Return the range of an input that all slices cover."""
        build, trips = self.build, self.trips.static
        if trips is None:
            return self._range(value, axis, build.integers([0]), self._count)
        extent = shape_of(value)[axis]
        begin = min(cut.offset(extent, 0), cut.offset(extent, trips - 1))
        if trips * cut.part_size == extent:
            return value
        return self._range(value, axis, *(build.integers([begin + n]) for n in (0, trips * cut.part_size)))

    @cached_property
    def _count(self) -> SSAValue:
        """The trip count, as a tensor of one element."""
        return self.build.make(ReshapeOp, self.trips.emit(self.build), self.build.integers([1]))

    def _range(self, value: SSAValue, axis: int, start: SSAValue, stop: SSAValue) -> SSAValue:
        step, axes = self.build.integers([1]), self.build.integers([axis])
        return self.build.make(SliceOp, value, start, stop, step, axes)

    def run(self, value: SSAValue, axis: int, run: Run) -> SSAValue:
        """Emit the elements of an axis that iterations take."""
        build, trips = self.build, self.trips.static
        if trips is not None:
            begin = run.first if run.stride > 0 else run.first + 1 - trips
            start, stop = build.integers([begin]), build.integers([begin + trips])
        elif run.stride > 0:
            start = build.integers([run.first])
            stop = build.make(AddOp, start, self._count)
        else:
            count, stop = self._count, build.integers([run.first + 1])
            start = build.make(SubtractOp, stop, count)
        if trips is None or trips != shape_of(value)[axis]:
            value = self._range(value, axis, start, stop)
        return self.flipped(value, axis) if (run.stride < 0) != self.backwards else value

    def joined_parts(self, value: SSAValue, join: Slicing, part: SSAValue) -> Whole:
        """Return the parts that a loop has joined as one tensor."""
        shape = shape_of(part)
        axis = join.normalised_axis(len(shape))
        return self._as_whole(value, axis, shape[axis], flipped=(join.stride < 0) != self.backwards)

    def sliced(self, value: SSAValue) -> ExtraSlice:
        """Return how a loop slices a value of all iterations.

        A slice has the value's type, or an additional dimension of extent 1 in front.
        """
        type_, place = tensor_type_of(value), self.values[value].place
        ends = (-1, 0, -1) if self.backwards else (0, -1, 1)
        shape = shape_of(value)
        if place is None and 1 in shape:
            place = shape.index(1)
        if place is None:
            wide = TensorType(type_.element_type, [1, *shape])
            return ExtraSlice(self.leading(value), Slicing(0, *ends), wide)
        return ExtraSlice(self.at(value, len(shape) - 1 - place), Slicing(place, *ends), type_)

    def _as_whole(self, value: SSAValue, axis: int, size: int, *, flipped: bool) -> Whole:
        if size == 1:
            return Whole(self.flipped(value, axis) if flipped else value, axis)
        shape = list(shape_of(value))
        apart = [*shape[:axis], self.extent, size, *shape[axis + 1 :]]
        value = self.moved(self.reshaped(value, apart), axis, 0)
        return Whole(self.flipped(value, 0) if flipped else value)

    def joined(self, value: SSAValue, join: Slicing) -> SSAValue:
        """Emit what a loop joins of a value (`can_be_joined`)."""
        shape = shape_of(value)
        axis = join.normalised_axis(len(shape))
        flips = (join.stride < 0) != self.backwards
        if shape[axis] == 1:
            whole = self.at(value, len(shape) - 1 - axis)
            return self.flipped(whole, axis) if flips else whole
        whole = self.leading(value)
        whole = self.moved(self.flipped(whole, 0) if flips else whole, 0, axis)
        together = self.extent * shape[axis] if self.extent >= 0 else DYNAMIC_INDEX
        return self.reshaped(whole, [*shape[:axis], together, *shape[axis + 1 :]])

    # -- shapes

    def reshaped(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """Return a tensor in another shape.

        One of its extents may be open.
        """
        if DYNAMIC_INDEX not in shape and static_extents(value) is not None:
            return reshaped(value, shape, self.build)
        return self.build.make(ReshapeOp, value, self.build.integers([max(n, -1) for n in shape]))

    def checked(self, value: SSAValue, rest: Sequence[int]) -> SSAValue:
        """Return a tensor with these extents behind the iteration axis.

        It fails if an iteration's part has another number of elements.
        """
        shape = self.build.make(ConcatOp, [self._count, self.build.integers(rest)], attributes={"axis": 0})
        return self.build.make(ReshapeOp, value, shape)

    def unsqueezed(self, value: SSAValue, axes: Sequence[int]) -> SSAValue:
        """Insert dimensions of extent 1; `axes` are ascending."""
        if not axes:
            return value
        if (shape := static_extents(value)) is None:
            return self.build.make(UnsqueezeOp, value, self.build.integers(axes))
        wide = list(shape)
        for axis in axes:
            wide.insert(axis, 1)
        return reshaped(value, wide, self.build)

    def squeezed(self, value: SSAValue, axis: int) -> SSAValue:
        """Remove a dimension of extent 1."""
        if (shape := static_extents(value)) is None:
            return self.build.make(SqueezeOp, value, self.build.integers([axis]))
        return reshaped(value, [*shape[:axis], *shape[axis + 1 :]], self.build)

    def moved(self, value: SSAValue, axis: int, to: int) -> SSAValue:
        """Move an axis; the others keep their order."""
        if axis == to:
            return value
        order = list(range(len(shape_of(value))))
        order.insert(to, order.pop(axis))
        shape = static_extents(value)
        passed = range(min(axis, to), max(axis, to) + 1)
        if shape is not None and all(shape[k] == 1 for k in passed if k != axis):
            return reshaped(value, [shape[k] for k in order], self.build)
        return self.build.make(TransposeOp, value, self.build.integers(order))

    def flipped(self, value: SSAValue, axis: int) -> SSAValue:
        """Reverse the order of an axis."""
        ends = np.iinfo(np.int64)
        bounds = (ends.max, ends.min, -1, axis)
        return self.build.make(SliceOp, value, *(self.build.integers([n]) for n in bounds))


def can_be_at(value: SSAValue, offset: int) -> bool:
    """Return True if a dimension has extent 1 or is missing.

    `offset` counts from the last dimension.
    """
    shape = shape_of(value)
    return len(shape) <= offset or shape[len(shape) - 1 - offset] == 1


def can_be_sliced(value: SSAValue, cut: Slicing, trips: Trips) -> bool:
    """Return True if the slices of an input can be one tensor."""
    if not isinstance(value.type, TensorType):
        return False
    if cut.part_size == 1:
        return True
    return trips.static is not None and static_extents(value) is not None


def can_be_joined(value: SSAValue, join: Slicing, trips: Trips) -> bool:
    """Return True if a whole value can be joined along an axis."""
    if not isinstance(value.type, TensorType):
        return False
    shape = shape_of(value)
    if shape[join.normalised_axis(len(shape))] == 1:
        return True
    others_known = static_extents(value) is not None
    return others_known and (trips.static is not None or 0 not in shape)
