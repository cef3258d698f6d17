"""Lowering of Slice.

Slices are views (`tensor.extract_slice`), except for negative and unknown steps.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.operators.slicing import SliceOp, slice_positions
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.places import (
    computed,
    constant_axes,
    read,
    view,
)
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.shaped import Shaped

_FAR = (1 << 31) - 1
"""Limit to which constant positions are clamped.

Positions are clamped anyway. Constants are clamped to this limit so that arithmetic on a 32-bit index does not
overflow.
"""


@lowers(SliceOp)
def slice_(op: SliceOp, low: Lowering) -> Shaped:
    """Lower Slice as a view, or as reads at computed positions.

    It is a view if all steps are known to be positive.
    """
    x = low.operand(op.data)
    starts, stops, steps = (low.ints(low.operand(o)) for o in (op.start, op.stop, op.step))
    axes = list(range(len(starts)))
    if op.axes is not None:
        axes = constant_axes(low.operand(op.axes), x.rank, "axes")
    firsts: list[Extent] = [0] * x.rank
    sizes: list[Extent] = list(x.dims)
    strides: list[Extent] = [1] * x.rank
    for start, stop, step, axis in zip(starts, stops, steps, axes):
        step = _limited_step(low, step, x.dims[axis], x.bounds[axis])
        firsts[axis], sizes[axis] = _positions(low, start, stop, step, x.dims[axis], x.bounds[axis])
        # One element has no step; a whole axis in steps of 1 is kept.
        strides[axis] = 1 if sizes[axis] == 1 and isinstance(sizes[axis], int) else step
    if any(isinstance(n, int) and n == 0 for n in sizes):
        # No elements: a slice of none may not begin behind the last one.
        return low.destination(op.output, sizes)
    if all(isinstance(s, int) and s > 0 for s in strides):
        return view(low, low.slice(x, firsts, sizes, strides, low.bounds_of(op.output)))
    out = low.destination(op.output, sizes)

    def body(at: list[SSAValue]) -> SSAValue:
        return read(low, x, [low.add(f, low.mul(i, s)) for i, f, s in zip(at, firsts, strides)])

    return computed(low, out, body)


def _limited_step(low: Lowering, step: Extent, extent: Extent, bound: int) -> Extent:
    """Clamp a step to just beyond the axis.

    A step beyond the axis leaves the first position only. The clamped step can be negated.
    """
    if isinstance(step, int):
        return max(-bound - 1, min(bound + 1, step))
    beyond = low.add(extent, 1)
    return low.max(low.min(step, beyond), low.sub(0, beyond))


def _positions(
    low: Lowering, start: Extent, stop: Extent, step: Extent, extent: Extent, bound: int
) -> tuple[Extent, Extent]:
    """Return the first position and the number of positions on an axis.

    Both are as `slice_positions` defines them.
    """
    if all_static(known := (start, stop, step, extent)):
        return slice_positions(*known)
    if isinstance(step, int):
        return _directed(low, start, stop, step, extent, bound, step > 0)
    low.assert_(low.compare("ne", step, 0), "shape: the step of a slice is 0")
    up = low.compare("sgt", step, 0)
    # Each direction divides by a step that cannot be 0 even where it isn't the one taken.
    forward = _directed(low, start, stop, low.max(step, 1), extent, bound, True)
    backward = _directed(low, start, stop, low.min(step, -1), extent, bound, False)
    return low.select(up, forward[0], backward[0]), low.select(up, forward[1], backward[1])


def _directed(
    low: Lowering, start: Extent, stop: Extent, step: Extent, extent: Extent, bound: int, up: bool
) -> tuple[Extent, Extent]:
    last = low.sub(extent, 0 if up else 1)
    # Backwards on an empty axis the first position is -1, and so is every stop.
    first = _clamped(low, start, extent, 0, last, bound)
    end = _clamped(low, stop, extent, 0 if up else -1, last, bound)
    if up and isinstance(first, int) and isinstance(extent, int) and first >= extent:
        return first, 0
    distance = low.max(low.sub(end, first) if up else low.sub(first, end), 0)
    return first, low.ceildiv(distance, step if up else low.sub(0, step))


def _clamped(
    low: Lowering, position: Extent, extent: Extent, lowest: int, last: Extent, bound: int
) -> Extent:
    """A position counted from the front and limited to lowest..last."""
    if isinstance(position, int):
        if position >= bound and not isinstance(extent, int):
            return last
        if position < -bound:
            return low.min(lowest, last) if lowest == 0 else lowest
        position = max(-_FAR, min(_FAR, position))
        counted = low.add(extent, position) if position < 0 else position
        if position == 0 and lowest == 0 and last is extent:
            return 0
        floor = low.max(counted, lowest) if position < 0 else counted
    else:
        counted = low.select(low.compare("slt", position, 0), low.add(position, extent), position)
        floor = low.max(counted, lowest)
    return low.min(floor, last)
