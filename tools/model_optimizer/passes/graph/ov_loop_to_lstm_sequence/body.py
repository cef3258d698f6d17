"""Body of a loop: matrices, layouts, the time axis, and masks.

Values of a loop's body are matrices [N, K]. They may have any further dimensions of extent 1.

A layout names the dimensions of a tensor for time, batch and features, in order: `T` time, `N` batch, `K` features (always the last
one), `1` of extent 1. A batch of 1 has no dimension: `1TK` has none. Operations arrange a tensor of one layout as another.

The loop traverses its time axis step by step: it slices an input, or its body gathers by the iteration number.

Masks are how a sequence's loop respects `sequence_lengths`. From a row's length on the loop keeps the states and shows zero.

valid = unsqueeze(place < lengths)      h' = select(valid, h of the cell, h)      shown = select(valid, h of the cell, 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.canonicalization.loop_trips import is_whole
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LessOp, SelectOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp, SubtractOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.dialects.region_flow import owning_block
from loomir.passes.analysis.inference import Inference


def layout_of(shape: Shape | None, time: int | None = None) -> str | None:
    """Return the layout of a shape.

    Dimension `time` is the time axis. None if the shape has two dimensions for the batch, or none for features.
    """
    if not shape or time == len(shape) - 1:
        return None
    names = [
        "K" if k == len(shape) - 1 else "T" if k == time else "1" if d.static == 1 else "N"
        for k, d in enumerate(shape)
    ]
    return None if names.count("N") > 1 else "".join(names)


def batch_of(shape: Shape, layout: str) -> Dim:
    """The extent of the batch."""
    return shape[layout.index("N")] if "N" in layout else Dim(1, 1)


def arranged(build: GraphBuilder, value: SSAValue, layout: str, wanted: str) -> SSAValue:
    """Rearrange a tensor from one layout to another.

    A dimension that only one of the layouts names has extent 1.
    """
    kept = [name for name in layout if name != "1" and name in wanted]
    if dropped := [k for k, name in enumerate(layout) if name not in kept]:
        value = build.make(SqueezeOp, value, build.integers(dropped))
    order = [name for name in wanted if name in kept]
    if order != kept:
        value = build.make(TransposeOp, value, build.integers([kept.index(name) for name in order]))
    if added := [k for k, name in enumerate(wanted) if name not in kept]:
        value = build.make(UnsqueezeOp, value, build.integers(added))
    return value


Matrix = tuple[Dim, int]
"""The extent of the batch, and how many features there are."""


@dataclass
class Unmatched(Exception):
    """A loop is no sequence of cells, and why."""

    why: str


@dataclass(frozen=True)
class HoistedProduct:
    """Product of a factor with a matrix, which may be transposed."""

    factor: SSAValue
    matrix: SSAValue
    inputs_first: bool


@dataclass(frozen=True)
class LoopBody:
    """Body of a loop, with the known facts of its values.

    With `open_batch`, dynamic batch extents are assumed to be equal.
    """

    loop: LoopOp
    inference: Inference
    open_batch: bool
    hoisted: dict[SSAValue, HoistedProduct] = field(default_factory=dict)
    """Parts that are products computed for all steps at once."""
    standing: dict[SSAValue, Matrix] = field(default_factory=dict)
    """Extents of parts for which whole inputs stand.

    The loop does not slice these inputs itself.
    """

    def fact(self, value: SSAValue) -> Fact:
        """Return the known facts of a value."""
        return self.inference.fact(value)

    def known(self, value: SSAValue) -> np.ndarray | None:
        """The contents of a value, where they are known."""
        return self.fact(value).value

    def is_outside(self, value: SSAValue) -> bool:
        """Return True if a value is loop-invariant.

        It is defined outside of the body, or is a constant.
        """
        return owning_block(value) is not self.loop.body.block or isinstance(value.owner, ConstantOp)

    def before(self, value: SSAValue, build: GraphBuilder) -> SSAValue:
        """Return an outer value so that it is readable before the loop.

        A constant in the body is emitted again in front of the loop.
        """
        if isinstance(value.owner, ConstantOp) and owning_block(value) is self.loop.body.block:
            return build.constant(value.owner.array)
        return value

    def matrix(self, value: SSAValue) -> Matrix | None:
        """Return the extents of a value as a matrix.

        None if it is not a matrix, or its number of features is not known.
        """
        if value in self.standing:
            return self.standing[value]
        shape = self.fact(value).shape
        layout = layout_of(shape)
        if shape is None or layout is None or (features := shape[-1].static) is None:
            return None
        return batch_of(shape, layout), features

    def alike(self, a: Matrix | None, b: Matrix | None) -> bool:
        """Return True if two matrices have the same extents.

        Then neither is broadcast to the other.
        """
        return a is not None and b is not None and a[1] == b[1] and self.same_batch(a[0], b[0])

    def same_batch(self, a: Dim, b: Dim) -> bool:
        """Return True if two extents of a batch are equal."""
        return a.static == b.static and (a.static is not None or self.open_batch)

    def root(self, value: SSAValue) -> SSAValue:
        """Return the source of a value behind its reshaping operations.

        These operations change the shape, but leave the value the same matrix.
        """
        while (source := self._source(value.owner)) is not None and self._same_matrix(source, value):
            value = source
        return value

    def _source(self, op: object) -> SSAValue | None:
        if isinstance(op, SqueezeOp | UnsqueezeOp | ReshapeOp):
            return op.data
        if isinstance(op, TransposeOp):
            order = self.known(op.input_order)
            return op.arg if order is not None and order.size and int(order[-1]) == order.size - 1 else None
        return None

    def _same_matrix(self, a: SSAValue, b: SSAValue) -> bool:
        """Of as many elements, and as many features, as many rows."""
        one, other = self.matrix(a), self.matrix(b)
        return one is not None and other is not None and one[1] == other[1] > 0

    def owner(self, value: SSAValue) -> Operation | None:
        """Return the operation of the body that defines a value, ignoring reshapes.

        None for a value from elsewhere.
        """
        value = self.root(value)
        return value.owner if isinstance(value.owner, Operation) and not self.is_outside(value) else None


@dataclass(frozen=True)
class TimeAxis:
    """Loop over a whole axis of `x`.

    Iteration i reads `part`, which is at i, or at T - 1 - i if the loop runs `backwards`.
    """

    x: SSAValue
    axis: int
    extent: Dim
    backwards: bool
    part: SSAValue

    def is_place(self, value: SSAValue, body: LoopBody) -> bool:
        """Return True if a number in the body is the slice's position."""
        value = _number(value)
        iteration = body.loop.iteration
        if not self.backwards:
            return value is iteration
        op = value.owner
        if not isinstance(op, SubtractOp) or _number(op.b) is not iteration:
            return False
        last, extent = body.known(op.a), self.extent.static
        if last is not None:
            return last.size == 1 and extent is not None and int(last.reshape(())) == extent - 1
        before = _number(op.a).owner
        if not isinstance(before, SubtractOp):
            return False
        one = body.known(before.b)
        return one is not None and bool((one == 1).all()) and self.is_extent(before.a, body)

    def is_extent(self, value: SSAValue, body: LoopBody) -> bool:
        """Return True if a number is the extent of the axis."""
        largest = _number(value).owner
        if isinstance(largest, MaximumOp):
            # As many as the extent, and 0 at least.
            for one, other in (largest.operands, reversed(largest.operands)):
                least = body.known(other)
                if least is not None and least.size == 1 and int(least.reshape(())) <= 0:
                    return self.is_extent(one, body)
        known = body.known(value)
        if known is not None:
            return known.size == 1 and self.extent.static == int(known.reshape(()))
        gather = _number(value).owner
        if not isinstance(gather, GatherOp) or not isinstance(shape := gather.data.owner, ShapeOfOp):
            return False
        rank, at = body.fact(self.x).rank, body.known(gather.indices)
        if shape.data is not self.x or rank is None or at is None or at.size != 1:
            return False
        return int(at.reshape(())) % rank == self.axis


def time_axis(body: LoopBody) -> TimeAxis:
    """Return the axis that the loop traverses.

    `Unmatched` if the loop does not traverse all of one axis, element by element, or if something else may end it.
    """
    loop = body.loop
    check_conditions(body)
    if len(loop.sliced) > 1:
        raise Unmatched(f"it slices {len(loop.sliced)} inputs")
    axis = sliced_axis(body, 0) if loop.sliced else _gathered(body)
    check_trips(body, axis)
    return axis


def check_conditions(body: LoopBody) -> None:
    """Check that no condition ends the loop. `Unmatched` if one may."""
    for condition in (body.loop.cond, body.loop.next.cond):
        if condition is not None and not _is_true(body.known(condition)):
            raise Unmatched("a condition may end it early")


def check_trips(body: LoopBody, axis: TimeAxis) -> None:
    """Check that the loop traverses the whole axis.

    `Unmatched` if it may not.
    """
    trip = body.loop.trip
    no_limit = trip is None or (body.loop.sliced and _is_no_limit(body, trip))
    if trip is not None and not no_limit and not axis.is_extent(trip, body):
        raise Unmatched("its trip count is not known to be the extent of its input")


def _is_true(known: np.ndarray | None) -> bool:
    return known is not None and bool(known.all())


def _is_no_limit(body: LoopBody, trip: SSAValue) -> bool:
    known = body.known(trip)
    return known is not None and int(known.reshape(())) < 0


def sliced_axis(body: LoopBody, number: int) -> TimeAxis:
    """Return the axis of an input that the loop cuts.

    `Unmatched` if it does not cut all of it, element by element.
    """
    loop = body.loop
    x, cut, part = loop.sliced[number], loop.slicings[number], loop.part_arguments[number]
    shape = body.fact(x).shape
    if shape is None:
        raise Unmatched("the rank of its input is not known")
    if cut.part_size != 1:
        raise Unmatched(f"a part has {cut.part_size} steps")
    axis = cut.normalised_axis(len(shape))
    extent = shape[axis].static
    if not is_whole(cut) and (extent is None or cut.trips(extent) != extent):
        raise Unmatched("it does not iterate over its whole input")
    return TimeAxis(x, axis, shape[axis], cut.stride < 0, part)


def _gathered(body: LoopBody) -> TimeAxis:
    """Return the axis along which the body gathers at the iteration number."""
    found: list[TimeAxis] = []
    for op in body.loop.body.block.ops:
        if isinstance(op, GatherOp) and body.is_outside(op.data) and not body.is_outside(op.indices):
            shape, axis, indices = body.fact(op.data).shape, body.known(op.axis), body.fact(op.indices)
            if (
                shape is None
                or axis is None
                or axis.size != 1
                or to_int(op.batch_dims, 0)
                or indices.elements != Dim(1, 1)
            ):
                continue
            at = normalise_axis(int(axis.reshape(())), len(shape))
            for backwards in (False, True):
                time = TimeAxis(op.data, at, shape[at], backwards, op.output)
                if time.is_place(op.indices, body):
                    found.append(time)
    if len(found) != 1:
        raise Unmatched("it iterates over no axis" if not found else f"it iterates over {len(found)} inputs")
    if body.loop.trip is None:
        raise Unmatched("it has no trip count")
    return found[0]


def _number(value: SSAValue) -> SSAValue:
    """A single number, whatever its rank and type of integer are."""
    while isinstance(value.owner, SqueezeOp | UnsqueezeOp | ReshapeOp | ConvertOp):
        if isinstance(value.owner, ConvertOp) and value.owner.destination_type not in (i32, i64):
            break  # fewer bits may hold fewer numbers than there are iterations
        value = value.owner.data
    return value


@dataclass(frozen=True)
class Mask:
    """Results of the cell, and the condition under which they count.

    `lengths` [N] has the rows' lengths (None: the whole axis).
    """

    states: tuple[SSAValue, ...]
    valid: SSAValue | None = None
    lengths: SSAValue | None = None

    def shows(self, value: SSAValue, body: LoopBody) -> bool:
        """Return True if the sequence shows this value.

        The value is the cell's h, and zero where h does not count.
        """
        if self.valid is None:
            return body.root(value) is self.states[0]
        op = body.owner(value)
        if not isinstance(op, SelectOp) or op.cond is not self.valid:
            return False
        zero = body.known(op.else_value)
        return zero is not None and not zero.any() and body.root(op.then) is self.states[0]


def mask_of(body: LoopBody, time: TimeAxis) -> Mask:
    """Return the mask by which the loop keeps its states.

    `Unmatched` if they are kept in another way than by a sequence.
    """
    handed = [body.root(value) for value in body.loop.next.carried]
    selects = [op for value in handed if isinstance(op := body.owner(value), SelectOp)]
    if not selects:
        return Mask(tuple(handed))
    valid = selects[0].cond
    if len(selects) != len(handed) or any(op.cond is not valid for op in selects):
        raise Unmatched("its states are kept by different conditions")
    for op, argument in zip(selects, body.loop.carried_arguments):
        if body.root(op.else_value) is not argument or not body.alike(
            body.matrix(op.output), body.matrix(argument)
        ):
            raise Unmatched("a kept state is not the previous one")
    return Mask(tuple(body.root(op.then) for op in selects), valid, _lengths(body, time, valid, selects))


def _lengths(body: LoopBody, time: TimeAxis, valid: SSAValue, selects: Sequence[SelectOp]) -> SSAValue:
    """Return the lengths in a condition that keeps states.

    The condition holds for a row while the row has elements.
    """
    # A condition [N, 1] of booleans from [N]: as matrices these are another, so it is not a reshape that `root` goes through.
    source = valid.owner
    less = source.data.owner if isinstance(source, UnsqueezeOp | ReshapeOp) else source
    if not isinstance(less, LessOp) or not body.is_outside(less.b) or not time.is_place(less.a, body):
        raise Unmatched("its condition for keeping states is not that of sequence lengths")
    shape, rows = body.fact(less.b).shape, body.matrix(selects[0].output)
    if shape is None or len(shape) != 1 or rows is None or not body.same_batch(shape[0], rows[0]):
        raise Unmatched("its condition for keeping states has another shape than the states")
    if not body.alike(body.matrix(valid), (rows[0], 1)):
        raise Unmatched("its condition for keeping states is not one of rows")
    return less.b
