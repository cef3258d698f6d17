"""Values of all iterations of a loop, joined along one axis.

`JoinedValues` is the one place that knows which values of a body there are at once for a whole axis: slices, gathers in the order of the
iterations, the iteration number, and simple arithmetic on them.

```mlir
^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):     // of %x: tensor<100x4xi64>
  %q = ov.multiply %p, %three : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>

%all = ov.multiply %x, %three : (tensor<100x4xi64>, tensor<i64>) -> tensor<100x4xi64>      // %q of all iterations
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing, to_int, to_str
from loomir.dialects.ov.base import OvOperation, set_result_types
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loop_trips import Trips
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.integer_forms import IntegerForms
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.comparison import CompareOp, LogicalNotOp, LogicalOp, SelectOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    BitwiseBinaryOp,
    BitwiseNotOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import AbsOp, ClampOp, NegativeOp, ReLUOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.region_flow import comes_from_outside
from loomir.passes.analysis.inference import Inference

_POINTWISE = (
    *(AddOp, SubtractOp, MultiplyOp, MaximumOp, MinimumOp, BitwiseBinaryOp, BitwiseNotOp),
    *(CompareOp, LogicalOp, LogicalNotOp, SelectOp, ConvertOp),
    *(AbsOp, NegativeOp, ReLUOp, ClampOp),
)
"""Operations with the same bits for one part and for many."""
_SHAPES = (ReshapeOp, SqueezeOp, UnsqueezeOp)

MAX_DEPTH = 100
"""Operations that are looked back through."""

_LEAST = -(2**63) + 1


@dataclass(frozen=True)
class Layout:
    """Axis along which the values of all iterations are joined.

    `place` counts the axis from the end of the joined tensor, 1 being the last one. `kept`: a single value has the axis, too, with
    extent 1. `backwards`: the order in which the values are cheapest, the last iteration first.
    """

    place: int
    kept: bool
    backwards: bool = False


class JoinedValues:
    """The values of one loop's body for all iterations.

    `trips` is the exact trip count. Nothing is emitted before it is asked for.
    """

    def __init__(self, loop: LoopOp, trips: Trips, inference: Inference) -> None:
        self.loop, self.trips, self.inference = loop, trips, inference
        self._layouts: dict[SSAValue, Layout | None] = {}
        self._emitted: dict[tuple[GraphBuilder, SSAValue | None, bool], SSAValue] = {}

    def layout(self, value: SSAValue, depth: int = MAX_DEPTH) -> Layout | None:
        """Return how the values of all iterations are joined, or None."""
        if value not in self._layouts:
            ranked = depth > 0 and isinstance(value.type, TensorType)
            self._layouts[value] = self._layout(value, depth - 1) if ranked else None
        return self._layouts[value]

    def emit(self, value: SSAValue, build: GraphBuilder, *, backwards: bool) -> SSAValue:
        """Emit the joined values, in the order of the iterations or backwards.

        The value has a layout.
        """
        key = build, value, backwards
        if key not in self._emitted:
            self._emitted[key] = self._emit(value, build, backwards)
        return self._emitted[key]

    def operands(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values of the body that `value` is computed from."""
        op = value.owner
        return (
            op.operands if isinstance(op, _POINTWISE) else op.operands[:1] if isinstance(op, _SHAPES) else ()
        )

    def computed(self, values: Sequence[SSAValue]) -> Iterator[SSAValue]:
        """Generate what `emit` has to compute for these values.

        Slices of inputs are there already.
        """
        waiting, seen = list(values), set(values)
        while waiting:
            value = waiting.pop()
            if operands := self.operands(value):
                yield value
            waiting += (o for o in operands if o not in seen and not self.is_invariant(o))
            seen.update(operands)

    def is_invariant(self, value: SSAValue) -> bool:
        """Return True for a value from outside, or a constant."""
        return comes_from_outside(value, self.loop) or isinstance(value.owner, ConstantOp)

    # -- which values

    def _layout(self, value: SSAValue, depth: int) -> Layout | None:
        rank = len(tensor_type_of(value).get_shape())
        if value is self.loop.iteration:
            return Layout(1, False)
        if value in self.loop.part_arguments:
            return self._layout_of_slice(self.loop.part_arguments.index(value), rank)
        op = value.owner
        if not isinstance(op, OvOperation) or op.parent is not self.loop.body.block:
            return None
        if isinstance(op, GatherOp):
            return self._layout_of_gather(op)
        if isinstance(op, _SHAPES):
            return self._layout_of_shape(op, depth)
        if isinstance(op, _POINTWISE) and not _broadcasts_otherwise(op):
            return self.layout_of_operands(op.operands, depth)
        return None

    def _layout_of_slice(self, number: int, rank: int) -> Layout | None:
        cut, whole = self.loop.slicings[number], self.loop.sliced[number]
        several = any(v is not whole for v in self.loop.sliced)
        open_and_backwards = self.trips.static is None and several and cut.stride < 0
        if cut.part_size != 1 or not isinstance(whole.type, TensorType) or open_and_backwards:
            return None
        return Layout(rank - cut.normalised_axis(rank), True, cut.stride < 0)

    def _layout_of_gather(self, op: GatherOp) -> Layout | None:
        axis, type_ = constant_of(op.axis), op.data.type
        indices = tensor_type_of(op.indices).get_shape()
        if axis is None or not isinstance(type_, TensorType) or to_int(op.batch_dims, 0) != 0:
            return None
        if not comes_from_outside(op.data, self.loop) or len(indices) > 1 or not self._is_in_range(op):
            return None
        rank = len(type_.get_shape())
        along = int(axis.reshape(())) % rank
        return Layout(rank - along, bool(indices), self._step(op) < 0)

    @cached_property
    def _forms(self) -> IntegerForms:
        return IntegerForms(self.loop, self.inference.fact)

    def _step(self, op: GatherOp) -> int:
        """How the index grows in each iteration."""
        form = self._forms.of(op.indices)
        return 0 if form is None else form.coefficient(self.loop.iteration)

    def _is_in_range(self, op: GatherOp) -> bool:
        """Return True if a gather takes one element behind the other.

        They are counted from the front, and exist.
        """
        form = self._forms.of(op.indices)
        if form is None or self._step(op) not in (1, -1) or not self._forms.is_exact(op.indices):
            return False
        if form.without(self.loop.iteration).number is None:
            return False
        bounds, data = self.inference.fact(op.indices).bounds, self.inference.fact(op.data).static
        axis = constant_of(op.axis)
        assert axis is not None
        if bounds is None or data is None:
            return False
        extent = data[int(axis.reshape(())) % len(data)]
        return int(bounds[0].min()) >= 0 and int(bounds[1].max()) < extent

    def _layout_of_shape(self, op: OvOperation, depth: int) -> Layout | None:
        data = op.operands[0]
        before, after = (tensor_type_of(v).get_shape() for v in (data, op.results[0]))
        layout = self.layout(data, depth)
        if layout is None or DYNAMIC_INDEX in (*before, *after):
            return None
        return _moved(layout, before, after)

    def layout_of_operands(self, operands: Sequence[SSAValue], depth: int = MAX_DEPTH) -> Layout | None:
        """Return how the result of an elementwise operation is joined, or None.

        One axis must stand for all operands that vary.
        """
        varying = [o for o in operands if not self.is_invariant(o)]
        layouts = [self.layout(o, depth) for o in varying]
        if not layouts or any(layout is None for layout in layouts):
            return None
        known = [layout for layout in layouts if layout is not None]
        # A number has the axis where the others have it.
        leading = [layout for layout, o in zip(known, varying) if layout.kept or _rank(o)] or known[:1]
        first = leading[0]
        if any((layout.place, layout.kept) != (first.place, first.kept) for layout in leading):
            return None
        fits = all(self._fits(o, first) for o in operands if self.is_invariant(o))
        return first if fits else None

    @staticmethod
    def _fits(value: SSAValue, layout: Layout) -> bool:
        """Return True if a value from outside is broadcast along the axis.

        A single value keeps the axis, with extent 1.
        """
        if not isinstance(value.type, TensorType):
            return False
        shape = value.type.get_shape()
        return not layout.kept or len(shape) < layout.place or shape[-layout.place] == 1

    # -- emission

    def _emit(self, value: SSAValue, build: GraphBuilder, backwards: bool) -> SSAValue:
        loop = self.loop
        if value is loop.iteration:
            return self._numbers(build, backwards)
        if value in loop.part_arguments:
            number = loop.part_arguments.index(value)
            return self._whole(loop.sliced[number], loop.slicings[number], build, backwards)
        op, layout = value.owner, self.layout(value)
        assert isinstance(op, OvOperation)
        assert layout is not None
        if isinstance(op, GatherOp):
            return self._gathered(op, layout, build, backwards)
        if isinstance(op, _SHAPES):
            data, own = self.emit(op.operands[0], build, backwards=backwards), self.layout(op.operands[0])
            before, after = (tensor_type_of(v).get_shape() for v in (op.operands[0], value))
            assert own is not None
            return data if _renamed(own, before, after) is not None else self.stacked(data, after, build)
        operands = [self.operand(o, layout, build, backwards=backwards) for o in op.operands]
        return emit_again(op, operands, build)

    def operand(
        self, value: SSAValue, layout: Layout, build: GraphBuilder, *, backwards: bool = False
    ) -> SSAValue:
        """Emit an operand of an operation whose result has a layout.

        It is joined, or is broadcast along the axis.
        """
        if self.is_invariant(value):
            owner = value.owner
            value = build.constant(owner.array) if isinstance(owner, ConstantOp) else value
            rank = _rank(value)
            if layout.kept or rank < layout.place:
                return value
            return build.make(UnsqueezeOp, value, build.integers([rank + 1 - layout.place]))
        joined, own = self.emit(value, build, backwards=backwards), self.layout(value)
        assert own is not None
        if own.place == layout.place:
            return joined
        shape = [-1] + [1] * (layout.place - 1)
        return build.make(ReshapeOp, joined, build.integers(shape), attributes={"special_zero": False})

    def stacked(self, data: SSAValue, shape: Sequence[int], build: GraphBuilder) -> SSAValue:
        """Emit the joined values with this shape behind the first axis."""
        count = -1 if self.trips.static is None else self.trips.static
        return build.make(
            ReshapeOp, data, build.integers([count, *shape]), attributes={"special_zero": False}
        )

    def flattened(self, data: SSAValue, shape: Sequence[int], build: GraphBuilder) -> SSAValue:
        """Emit the values one behind the other on their first axis."""
        count = -1 if self.trips.static is None else self.trips.static * shape[0]
        return build.make(
            ReshapeOp, data, build.integers([count, *shape[1:]]), attributes={"special_zero": False}
        )

    def _count(self, build: GraphBuilder) -> SSAValue:
        key = build, None, False
        if key not in self._emitted:
            self._emitted[key] = self.trips.emit(build)
        return self._emitted[key]

    def _numbers(self, build: GraphBuilder, backwards: bool) -> SSAValue:
        zero, one, minus = (build.scalar(k, i64) for k in (0, 1, -1))
        count = self._count(build)
        bounds = (build.make(SubtractOp, count, one), minus, minus) if backwards else (zero, count, one)
        return build.make(RangeOp, *bounds, attributes={"output_type": i64})

    def _whole(self, whole: SSAValue, cut: Slicing, build: GraphBuilder, backwards: bool) -> SSAValue:
        """Emit what the loop slices of an input, element by element."""
        shape, trips = tensor_type_of(whole).get_shape(), self.trips.static
        axis = cut.normalised_axis(len(shape))
        if trips is not None:
            begin = min(cut.offset(shape[axis], 0), cut.offset(shape[axis], trips - 1))
            if trips != shape[axis]:
                whole = _cut(whole, axis, build.integers([begin]), build.integers([begin + trips]), build)
        elif any(v is not whole or c.normalised_axis(_rank(v)) != axis for v, c in self._slices):
            count = build.make(ReshapeOp, self._count(build), build.integers([1]))
            whole = _cut(whole, axis, build.integers([0]), count, build)
        return whole if (cut.stride < 0) == backwards else reverse(whole, axis, build)

    @property
    def _slices(self) -> Iterator[tuple[SSAValue, Slicing]]:
        return zip(self.loop.sliced, self.loop.slicings)

    def _gathered(self, op: GatherOp, layout: Layout, build: GraphBuilder, backwards: bool) -> SSAValue:
        """Emit what a gather takes of its data."""
        form = self._forms.of(op.indices)
        assert form is not None
        first = form.without(self.loop.iteration).number
        assert first is not None
        axis = _rank(op.data) - layout.place
        count = build.make(ReshapeOp, self._count(build), build.integers([1]))
        if layout.backwards:
            stop = build.integers([first + 1])
            start = build.make(SubtractOp, stop, count)
        else:
            start = build.integers([first])
            stop = build.make(AddOp, start, count)
        part = _cut(op.data, axis, start, stop, build)
        return part if layout.backwards == backwards else reverse(part, axis, build)


def joined_along(layout: Layout, axis: int, rank: int) -> bool:
    """Return True if the joined values are the concatenation along an axis.

    `rank` is that of one value.
    """
    return layout.kept and rank - axis == layout.place


def reverse(value: SSAValue, axis: int, build: GraphBuilder) -> SSAValue:
    """Emit a tensor with the order of one axis reversed."""
    bounds = (build.integers([n]) for n in (-1, _LEAST, -1, axis))
    return build.make(SliceOp, value, *bounds)


def emit_again(op: OvOperation, operands: Sequence[SSAValue], build: GraphBuilder) -> SSAValue:
    """Emit an operation with one result for other operands."""
    copy = op.clone(dict(zip(op.operands, operands)))
    copy.operands = list(operands)
    set_result_types(copy, [fact.type for fact in copy.results_of([fact_of(o) for o in operands])])
    return build.emit(copy).results[0]


def _cut(value: SSAValue, axis: int, start: SSAValue, stop: SSAValue, build: GraphBuilder) -> SSAValue:
    return build.make(SliceOp, value, start, stop, build.integers([1]), build.integers([axis]))


def _rank(value: SSAValue) -> int:
    return len(tensor_type_of(value).get_shape())


def _broadcasts_otherwise(op: OvOperation) -> bool:
    """Return True if operands are not broadcast from the last axis on."""
    mode = op.properties.get("auto_broadcast")
    return mode is not None and to_str(mode) != "numpy"


def _moved(layout: Layout, before: Sequence[int], after: Sequence[int]) -> Layout | None:
    """Return the layout after a value's shape has changed, or None."""
    if (renamed := _renamed(layout, before, after)) is not None:
        return renamed
    is_first = layout.place == len(before) + (not layout.kept)
    # Behind the first axis, every value may have any shape.
    return Layout(len(after) + 1, False, layout.backwards) if is_first and 0 not in after else None


def _renamed(layout: Layout, before: Sequence[int], after: Sequence[int]) -> Layout | None:
    """Return the layout after a value has lost or gained the axis.

    The joined tensor is the same. None if the value has changed otherwise.
    """
    axis = len(before) + (not layout.kept) - layout.place
    without = [*before[:axis], *before[axis + 1 :]] if layout.kept else [*before[:axis], 1, *before[axis:]]
    return Layout(layout.place, not layout.kept, layout.backwards) if without == [*after] else None
