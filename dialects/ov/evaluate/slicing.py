"""Numpy semantics of Slice, StridedSlice, Split, VariadicSplit."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.shape_rules import normalise_axes, normalise_axis
from loomir.dialects.ov.slicing import SliceOp, SplitOp, StridedSliceOp, VariadicSplitOp, slice_positions
from loomir.errors import Error


@evaluates(SliceOp)
def slice_(
    op: SliceOp,
    data: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    step: np.ndarray,
    axes: np.ndarray | None = None,
) -> np.ndarray:
    del op
    named = range(start.size) if axes is None else [int(a) for a in axes]
    for i, axis in enumerate(normalise_axes(list(named), data.ndim)):
        data = cut(data, axis, int(start[i]), int(stop[i]), int(step[i]))
    return data


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


@evaluates(StridedSliceOp)
def strided_slice(
    op: StridedSliceOp,
    data: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray | None = None,
) -> np.ndarray:
    steps = op.plan(data.ndim, begin.size)
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
            first = op.border(plan.index, (stride, stride), first=True)
            last = op.border(plan.index, (stride, stride), first=False)
            data = cut(
                data,
                plan.axis,
                int(begin[plan.index]) if first is None else first[0],
                int(end[plan.index]) if last is None else last[0],
                stride,
            )
        shape.append(data.shape[plan.axis])
    return data.reshape(shape)


@evaluates(SplitOp)
def split(op: SplitOp, data: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, ...]:
    at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
    parts = to_int(op.num_splits)
    if data.shape[at] % parts:
        raise Error("runtime-shape", f"{parts} parts do not divide the extent {data.shape[at]}")
    return _parts(data, at, [data.shape[at] // parts] * parts)


@evaluates(VariadicSplitOp)
def variadic_split(
    op: VariadicSplitOp, data: np.ndarray, axis: np.ndarray, split_lengths: np.ndarray
) -> tuple[np.ndarray, ...]:
    del op
    at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
    sizes = [int(n) for n in split_lengths]
    extent = data.shape[at]
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = extent - sum(n for n in sizes if n != -1)
    if min(sizes, default=0) < 0 or sum(sizes) != extent:
        raise Error(
            "runtime-shape", f"parts of {[int(n) for n in split_lengths]} do not make up {extent} elements"
        )
    return _parts(data, at, sizes)


def _parts(data: np.ndarray, axis: int, sizes: list[int]) -> tuple[np.ndarray, ...]:
    parts: list[np.ndarray] = []
    first = 0
    for size in sizes:
        parts.append(data[(slice(None),) * axis + (slice(first, first + size),)])
        first += size
    return tuple(parts)
