"""Operations that cut parts out of a tensor: Slice, StridedSlice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)

from loomir.dialects.element_types import TENSOR
from loomir.dialects.ov.attributes import to_ints
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, UNBOUNDED_LOW, Dim, Fact, Shape
from loomir.dialects.ov.inference import ANYTHING, Interval, integers, intervals, length, surely_inside
from loomir.dialects.ov.interfaces import AnyOrder, Layout, NamedExtents, Sources, as_long
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.dialects.speculation import FailsOnContents
from loomir.errors import Error

_FAR = 1 << 80
"""Stand-in for an unbounded extent: no 64-bit position reaches it."""


def slice_positions(start: int, stop: int, step: int, extent: int) -> tuple[int, int]:
    """First position and number of positions of `start:stop:step` on an axis.

    ONNX's and OpenVINO's rule: negative positions count from the end, then start is clamped to 0..extent
    (0..extent-1 where the step is negative: unlike numpy, which has nothing in `x[-9:-10:-1]`) and stop to
    0..extent (-1..extent-1).
    """
    if start < 0:
        start += extent
    if stop < 0:
        stop += extent
    if step > 0:
        first, end = min(max(start, 0), extent), min(max(stop, 0), extent)
        return first, max(0, -((first - end) // step))
    first, end = min(max(start, 0), extent - 1), min(max(stop, -1), extent - 1)
    return first, max(0, -((end - first) // -step))


def slice_extent(start: Interval, stop: Interval, step: Interval, extent: Dim) -> Dim:
    """Return the number of positions of a slice, from interval bounds.

    Raises `Error("slice-step")` for step 0.
    """
    if step == (0, 0):
        raise Error("slice-step", "the step of a slice is 0")
    if step[0] != step[1]:
        return Dim(0, extent.hi)
    # For one extent the number is monotone in start and in stop while they keep their signs; for one start
    # and one stop it is piecewise linear in the extent. So the extremes are at the ends and at the knees.
    starts, stops = _corners(start), _corners(stop)
    low, high = extent.lo, _FAR if extent.hi is None else extent.hi
    knees = {k + d for s in starts + stops for k in (s, -s) for d in (-1, 0, 1)}
    extents = {low, high} | {k for k in knees if low < k < high}
    lengths = [slice_positions(a, b, step[0], e)[1] for e in extents for a in starts for b in stops]
    most = max(lengths)
    return Dim(min(lengths), None if most >= _FAR // abs(step[0]) // 2 else most)


def _corners(interval: Interval) -> list[int]:
    lo, hi = interval
    return [lo, -1, 0, hi] if lo < 0 <= hi else [lo, hi]


@dataclass(frozen=True, slots=True)
class Cut:
    """Source of a dimension of the result.

    It is `start:stop:step` of an axis of data, all of the axis (`positions` None), or no axis (`axis` None), with extent 1.
    """

    axis: int | None
    positions: tuple[Interval, Interval, Interval] | None = None

    def extent(self, shape: Shape) -> Dim:
        """The extent where data has this shape. `Error("slice-step")`."""
        if self.axis is None:
            return Dim(1, 1)
        extent = shape[self.axis]
        return extent if self.positions is None else slice_extent(*self.positions, extent)


@irdl_op_definition
class SliceOp(OvOperation):
    """`data[start:stop:step]` on some axes: OpenVINO Slice-8; ONNX Slice (all versions).

    `start`, `stop`, `step`, `axes`: 1-D integers of one length; `axes` absent means the first ones. Negative
    positions count from the end, then they are clamped: see `slice_positions`. `step` may be negative.
    Errors: `slice-step` (0), `slice-parameters` (lengths differ, or exceed the rank), `axis-range`,
    `axis-twice`; when run, `runtime-shape`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=4)

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.slice"
    SOURCES: ClassVar = Sources(openvino=("Slice", 8))
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    start = operand_def(TENSOR)
    stop = operand_def(TENSOR)
    step = operand_def(TENSOR)
    axes = opt_operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("step", "axes"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        cuts = self.cuts(facts)
        if data.shape is None:
            return [Fact(data.element, None)]
        if cuts is None:
            return [Fact(data.element, tuple(Dim(0, d.hi) for d in data.shape))]
        return [Fact(data.element, tuple(cut.extent(data.shape) for cut in cuts))]

    def cuts(self, facts: Sequence[Fact]) -> list[Cut] | None:
        """Return the source of each dimension of the result, or None.

        None if the rank of data or the axes are unknown. Errors: those of `infer`.
        """
        names = ("start", "stop", "step", "axes")
        known = [intervals(fact, name, 1) for fact, name in zip(facts[1:], names)]
        lengths = {n for fact in facts[1:] if (n := length(fact)) is not None}
        if len(lengths) > 1:
            raise Error(
                "slice-parameters", f"start, stop, step and axes have different lengths {sorted(lengths)}"
            )
        rank = facts[0].rank
        if rank is None or not lengths:
            return None
        n = lengths.pop()
        if n > rank:
            raise Error("slice-parameters", f"{n} axes are sliced, but data has rank {rank}")
        axes = list(range(n))
        if len(facts) > 4 and n:
            given = integers(facts[4], "axes", 1)
            if given is None:
                return None
            axes = normalise_axes(given, rank)
        cuts = [Cut(axis) for axis in range(rank)]
        for i, axis in enumerate(axes):
            start, stop, step = (ANYTHING if bounds is None else bounds[i] for bounds in known[:3])
            cuts[axis] = Cut(axis, (start, stop, step))
        return cuts

    def evaluate(
        self,
        data: np.ndarray,
        start: np.ndarray,
        stop: np.ndarray,
        step: np.ndarray,
        axes: np.ndarray | None = None,
    ) -> np.ndarray:
        named = range(start.size) if axes is None else [int(a) for a in axes]
        for i, axis in enumerate(normalise_axes(list(named), data.ndim)):
            data = cut(data, axis, int(start[i]), int(stop[i]), int(step[i]))
        return data


@dataclass(frozen=True, slots=True)
class SlicingStep:
    """Action of StridedSlice on one dimension.

    `slice` an axis by parameter `index`, `shrink` it to the one element at `begin[index]` and drop it, keep it `whole`, or
    insert a `new` one.
    """

    kind: Literal["slice", "shrink", "whole", "new"]
    axis: int = -1
    index: int = -1


@irdl_op_definition
class StridedSliceOp(OvOperation):
    """Slicing with masks: OpenVINO StridedSlice-1.

    `begin`, `end`, `strides` (optional, ones): 1-D integers of one length M. Masks (lists of 0 and 1, padded
    with 0): where `begin_mask`, `end_mask` are 1 the axis starts or ends at its border; `new_axis_mask`
    inserts a dimension of extent 1; `shrink_axis_mask` takes the one element at `begin` and drops the axis;
    `ellipsis_mask` (at most one) stands for as many whole axes as are missing. Of several masks at one place
    the ellipsis wins, then the new axis, then the shrinking.

    Positions are as in Slice. Where begin equals end the result is empty, as numpy and OpenVINO have
    it (the specification's text says one element). Composite: decomposed into Slice, Reshape.
    Errors: `strided-slice-masks` (more places than axes, two ellipses), `slice-step`, `slice-parameters`;
    when run, `runtime-shape` (a shrunk axis has no element there).
    """

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.strided_slice"
    SOURCES: ClassVar = Sources(openvino=("StridedSlice", 1))
    COMPOSITE: ClassVar[bool] = True
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    begin = operand_def(TENSOR)
    end = operand_def(TENSOR)
    strides = opt_operand_def(TENSOR)
    begin_mask = opt_prop_def(DenseArrayBase)
    end_mask = opt_prop_def(DenseArrayBase)
    new_axis_mask = opt_prop_def(DenseArrayBase)
    shrink_axis_mask = opt_prop_def(DenseArrayBase)
    ellipsis_mask = opt_prop_def(DenseArrayBase)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("begin", "end", "strides"))

    def accepts(self, facts: Sequence[Fact]) -> bool:
        data, begin = facts[:2]
        assert data.shape is not None
        assert begin.value is not None
        return all(
            surely_inside(Fact.of_array(begin.value[step.index]), [data.shape[step.axis]])
            for step in self.plan(len(data.shape), begin.value.size)
            if step.kind == "shrink"
        )

    def masked(self, mask: DenseArrayBase | None, index: int) -> bool:
        """Return True if a mask is set for a parameter."""
        values = to_ints(mask, ())
        return index < len(values) and bool(values[index])

    def plan(self, rank: int, places: int) -> list[SlicingStep]:
        """Return the steps for data of this rank.

        `places` is the length of the parameters. Raises `Error("strided-slice-masks")`.
        """
        ellipses = [i for i in range(places) if self.masked(self.ellipsis_mask, i)]
        if len(ellipses) > 1:
            raise Error("strided-slice-masks", f"ellipsis_mask is set at {ellipses}; it may be set once")
        new = [i for i in range(places) if i not in ellipses and self.masked(self.new_axis_mask, i)]
        missing = rank - (places - len(new) - len(ellipses))
        if missing < 0:
            raise Error("strided-slice-masks", f"{rank - missing} axes are sliced, but data has rank {rank}")
        steps: list[SlicingStep] = []
        axis = 0
        for index in range(places):
            if index in ellipses:
                steps.extend(SlicingStep("whole", axis + i) for i in range(missing))
                axis += missing
            elif index in new:
                steps.append(SlicingStep("new"))
            else:
                shrink = self.masked(self.shrink_axis_mask, index)
                steps.append(SlicingStep("shrink" if shrink else "slice", axis, index))
                axis += 1
        steps.extend(SlicingStep("whole", i) for i in range(axis, rank))
        return steps

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        cuts = self.cuts(facts)
        if data.shape is None or cuts is None:
            return [Fact(data.element, None)]
        return [Fact(data.element, tuple(cut.extent(data.shape) for cut in cuts))]

    def cuts(self, facts: Sequence[Fact]) -> list[Cut] | None:
        """Return the source of each dimension of the result, or None.

        None if the rank of data or the number of parameters is unknown. Errors: those of `infer`.
        """
        known = [intervals(fact, name, 1) for fact, name in zip(facts[1:], ("begin", "end", "strides"))]
        places = self.agreed_extents(facts).get("length", Dim()).static
        rank = facts[0].rank
        if rank is None or places is None:
            return None
        begins, ends = known[0], known[1]
        strides = known[2] if len(facts) > 3 else [(1, 1)] * places
        cuts: list[Cut] = []
        for step in self.plan(rank, places):
            if step.kind == "new":
                cuts.append(Cut(None))
            elif step.kind == "whole":
                cuts.append(Cut(step.axis))
            elif step.kind == "slice":
                i = step.index
                stride = ANYTHING if strides is None else strides[i]
                begin = self.border(i, stride, first=True) or (ANYTHING if begins is None else begins[i])
                end = self.border(i, stride, first=False) or (ANYTHING if ends is None else ends[i])
                cuts.append(Cut(step.axis, (begin, end, stride)))
        return cuts

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        return as_long(facts, "slice-parameters", {1: "begin", 2: "end", 3: "strides"})

    def border(self, index: int, stride: Interval, *, first: bool) -> Interval | None:
        """Return the position that a mask sets.

        It is far beyond the border from which, or to which, the stride walks.
        """
        if not self.masked(self.begin_mask if first else self.end_mask, index):
            return None
        if stride[0] > 0 or stride[1] < 0:
            far = UNBOUNDED_LOW if (stride[0] > 0) == first else UNBOUNDED_HIGH
            return far, far
        return ANYTHING

    def evaluate(
        self,
        data: np.ndarray,
        begin: np.ndarray,
        end: np.ndarray,
        strides: np.ndarray | None = None,
    ) -> np.ndarray:
        steps = self.plan(data.ndim, begin.size)
        shape: list[int] = []
        for plan in steps:
            if plan.kind == "new":
                shape.append(1)
                continue
            extent = data.shape[plan.axis]
            if plan.kind == "shrink":
                at = int(begin[plan.index])
                if not -extent <= at < extent:
                    raise Error("runtime-shape", f"there is no element {at} on an axis of extent {extent}")
                at %= extent
                data = data[(slice(None),) * plan.axis + (slice(at, at + 1),)]
                continue
            if plan.kind == "slice":
                stride = 1 if strides is None else int(strides[plan.index])
                first = self.border(plan.index, (stride, stride), first=True)
                last = self.border(plan.index, (stride, stride), first=False)
                data = cut(
                    data,
                    plan.axis,
                    int(begin[plan.index]) if first is None else first[0],
                    int(end[plan.index]) if last is None else last[0],
                    stride,
                )
            shape.append(data.shape[plan.axis])
        return data.reshape(shape)


def cut(data: np.ndarray, axis: int, start: int, stop: int, step: int) -> np.ndarray:
    """`data[start:stop:step]` on one axis, a view. `Error("slice-step")` for step 0."""
    if step == 0:
        raise Error("slice-step", "the step of a slice is 0")
    first, n = slice_positions(start, stop, step, data.shape[axis])
    # Behind the last position; a negative one means, for numpy, the end: there None goes to the border.
    behind: int | None = first + n * step
    if behind < 0:
        behind = None
    part = slice(first, behind, step) if n else slice(0, 0)
    return data[(slice(None),) * axis + (part,)]
