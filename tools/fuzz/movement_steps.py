"""Steps that move elements, take them by position, or change shapes.

Elements are taken by position by slices, gathers and scatters. They are moved without computing by joins, splits,
permutations, repetitions and borders. Other steps change shapes, or make tensors of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loomir.tools.fuzz import DTYPES, FLOATS, AxisExtent, Op, Value, elements, least, most
from loomir.tools.fuzz.builder import LARGEST_RANK, LARGEST_TENSOR, Builder, replaced

FURTHEST = 2**62


def with_static_axis(b: Builder) -> tuple[Value, int, int] | None:
    """Return a value, one of its axes, and that axis's extent.

    The axis has a known extent and is not empty.
    """
    dtype = "bool" if b.chance(0.1) else b.any_type()
    x = b.pick(dtype, lambda v: any(isinstance(e, int) and e > 0 for e in v.shape or ()))
    if x is None or x.shape is None:
        return None
    axis = b.choose([i for i, e in enumerate(x.shape) if isinstance(e, int) and e > 0])
    extent = x.shape[axis]
    assert isinstance(extent, int)
    b.feature(f"axis {axis}")
    return x, axis, extent


def slice_(b: Builder) -> None:
    """Emit a slice along one static axis.

    It has any direction and step, and ends that count from the back or lie outside; it may also be empty.
    """
    found = with_static_axis(b)
    if found is None:
        return
    x, axis, extent = found
    step = b.choose((1, 1, 2, -1, -2))
    start, end = b.integer(-extent, extent - 1), b.integer(-extent - 1, extent + 1)
    taken = len(range(*onnx_slice(start, end, step, extent)))
    if taken == 0 and not b.chance(0.25):
        start, end, taken = (
            (-1, -FURTHEST, len(range(extent)[::step]))
            if step < 0
            else (
                0,
                FURTHEST,
                len(range(extent)[::step]),
            )
        )
    b.feature("slice backwards" if step < 0 else "slice")
    if taken == 0:
        b.feature("empty slice")
    assert x.shape is not None
    given = axis - len(x.shape) if b.chance(0.3) else axis
    operands = [x, *(b.vector(n) for n in (start, end, given, step))]
    b.emit("Slice", operands, x.dtype, replaced(x.shape, axis, taken), x.limit)


def onnx_slice(start: int, end: int, step: int, extent: int) -> tuple[int, int, int]:
    """The range of a Slice after clamping, as ONNX specifies it."""
    start, end = (v + extent if v < 0 else v for v in (start, end))
    if step > 0:
        return min(max(start, 0), extent), min(max(end, 0), extent), step
    return min(max(start, 0), extent - 1), min(max(end, -1), extent - 1), step


def open_slice(b: Builder) -> None:
    """Emit a slice along a dynamic axis of bounded extent.

    The ends lie inside or outside, or count from the back; the step is arbitrary.
    """
    dtype = "bool" if b.chance(0.1) else b.any_type()
    x = b.pick(dtype, lambda v: any(not isinstance(e, int) for e in v.shape or ()))
    if x is None or x.shape is None:
        return
    axis = b.choose([i for i, e in enumerate(x.shape) if not isinstance(e, int)])
    low, high = least(x.shape[axis]), most(x.shape[axis])
    step = b.choose((1, 1, 2, -1, -2))
    start, end = b.integer(-high - 1, high + 1), b.integer(-high - 1, high + 1)
    taken = [len(range(*onnx_slice(start, end, step, extent))) for extent in range(low, high + 1)]
    if not any(taken):
        start, end = (0, FURTHEST) if step > 0 else (-1, -FURTHEST)
        taken = [len(range(0, extent, abs(step))) for extent in range(low, high + 1)]
    b.feature("slice of an open axis backwards" if step < 0 else "slice of an open axis")
    operands = [x, *(b.vector(n) for n in (start, end, axis, step))]
    part = b.open(min(taken), max(taken))
    b.emit("Slice", operands, x.dtype, replaced(x.shape, axis, part), x.limit)


def dynamic_slice(b: Builder) -> None:
    """Emit a slice from or to a computed index, or its element.

    The index may count from the back, and the slice may go in either direction.
    """
    found = with_static_axis(b)
    if found is None:
        return
    x, axis, extent = found
    assert x.shape is not None
    place = index(b, extent, (1,))
    if b.chance(0.4):
        start, end, step = place, b.emit("Add", [place, b.vector(1)], "i64", (1,), extent), 1
        taken: AxisExtent = 1
    else:
        if b.chance(0.5):
            place = b.emit("Sub", [place, b.vector(extent)], "i64", (1,), extent)
            b.feature("computed position from the back")
        backwards, to_it = b.chance(0.4), b.chance(0.4)
        step = -1 if backwards else 1
        # The element at the place itself is the first one, or the one before which it ends.
        start, end = (
            (b.vector(-1 if backwards else 0), place) if to_it else (place, b.vector(step * FURTHEST))
        )
        taken = b.open(0, extent - 1) if to_it else b.open(1, extent)
        b.feature("dynamic extent")
        b.feature("computed slice backwards" if backwards else "computed slice")
    operands = [x, start, end, b.vector(axis), *([b.vector(step)] if step < 0 or b.chance(0.5) else [])]
    b.emit("Slice", operands, x.dtype, replaced(x.shape, axis, taken), x.limit)


def index(b: Builder, extent: int, shape: tuple[int, ...]) -> Value:
    """A computed i64 of this shape (rank 0 or 1) within 0..extent-1."""
    source = b.any_of("i64", lambda v: v.shape == shape or v.shape == ())
    if source.shape != shape and shape == (1,) and source.shape == ():
        source = b.emit("Reshape", [source, b.vector(1)], "i64", shape, source.limit)
    if source.shape != shape:
        source = b.random_constant("i64", shape)
    return b.emit("Mod", [source, b.number(extent)], "i64", shape, extent)


def gather(b: Builder) -> None:
    """Elements along one static axis by constant or computed indices."""
    found = with_static_axis(b)
    if found is None:
        return
    x, axis, extent = found
    assert x.shape is not None
    if b.chance(0.4):
        shape = b.choose(((), (2,), (1, 2), (0,)))
        indices = b.constant(np.asarray(b.numpy.integers(-extent, extent, size=shape), np.int64))
    else:
        indices = index(b, extent, b.choose(((), (), (1,))))
    assert indices.shape is not None
    result = replaced(x.shape, axis, *indices.shape)
    if len(result) <= LARGEST_RANK and elements(result) <= LARGEST_TENSOR:
        given = axis - len(x.shape) if b.chance(0.3) else axis
        b.emit("Gather", [x, indices], x.dtype, result, x.limit, axis=given)


def gather_elements(b: Builder) -> None:
    """One element for each place of a constant tensor of indices."""
    found = with_static_axis(b)
    if found is None or not found[0].static:
        return
    x, axis, extent = found
    shape = tuple(e for e in x.shape or () if isinstance(e, int))
    indices = b.constant(np.asarray(b.numpy.integers(-extent, extent, size=shape), np.int64))
    b.emit("GatherElements", [x, indices], x.dtype, x.shape, x.limit, axis=axis)


def scatter(b: Builder) -> None:
    """A row of a value overwritten at a computed place."""
    found = with_static_axis(b)
    if found is None or not found[0].static or found[0].dtype == "bool" or found[1] != 0:
        return
    x, _, extent = found
    assert x.shape is not None
    rest = x.shape[1:]
    row = b.pick(x.dtype, lambda v: v.shape == rest)
    if row is None:
        return
    place = b.emit("Reshape", [index(b, extent, (1,)), b.vector(1, 1)], "i64", (1, 1), extent)
    update = b.emit("Unsqueeze", [row, b.vector(0)], x.dtype, (1, *rest), row.limit)
    limit, gain = max(x.limit, update.limit), max(x.gain, update.gain)
    b.emit("ScatterND", [x, place, update], x.dtype, x.shape, limit, gain=gain)


INDEXING: dict[Callable[[Builder], None], int] = {
    slice_: 3,
    dynamic_slice: 2,
    open_slice: 2,
    gather: 3,
    gather_elements: 1,
    scatter: 1,
}


def concat(b: Builder) -> None:
    """Two or three values joined along any axis; some may be empty."""
    x = b.pick("bool" if b.chance(0.1) else b.any_type(), lambda v: v.rank > 0)
    if x is None or x.shape is None:
        return
    axis = b.integer(0, x.rank - 1)
    rest = replaced(x.shape, axis)

    def fits(v: Value) -> bool:
        return v.shape is not None and len(v.shape) == len(rest) + 1 and replaced(v.shape, axis) == rest

    parts = [x]
    for _ in range(b.choose((1, 1, 2))):
        found = b.pick(x.dtype, fits)
        if found is not None:
            parts.append(found)
    extents = [p.shape[axis] for p in parts if p.shape is not None]
    low, high = sum(map(least, extents)), sum(map(most, extents))
    if high > 12:
        return
    total: AxisExtent = b.open(low, high)
    if b.chance(0.5):
        parts.reverse()
    given = axis if b.chance(0.6) else axis - x.rank
    b.feature(f"axis {axis}")
    limit, gain = max(p.limit for p in parts), max(p.gain for p in parts)
    b.emit("Concat", parts, x.dtype, replaced(x.shape, axis, total), limit, gain=gain, axis=given)


def split(b: Builder) -> None:
    """Two parts along an axis, of given or of nearly equal lengths."""
    x = b.pick(b.any_type(), lambda v: any(isinstance(e, int) and e > 1 for e in v.shape or ()))
    if x is None or x.shape is None:
        return
    axis = b.choose([i for i, e in enumerate(x.shape) if isinstance(e, int) and e > 1])
    extent = most(x.shape[axis])
    first = b.integer(1, extent - 1)
    if b.chance(0.4):
        first = -(-extent // 2)
        operands, attributes = [x], {"axis": axis, "num_outputs": 2}
    else:
        operands, attributes = [x, b.vector(first, extent - first)], {"axis": axis}
    shapes = (replaced(x.shape, axis, e) for e in (first, extent - first))
    parts = [b.value("part", x.dtype, shape, x.limit, x.gain) for shape in shapes]
    b.append(Op("Split", tuple(operands), tuple(parts), attributes))
    b.feature("op Split")
    b.publish(*parts)


def transpose(b: Builder) -> None:
    """A permutation of the axes."""
    x = b.pick(b.any_type(), lambda v: v.rank > 1)
    if x is None or x.shape is None:
        return
    axes = list(range(x.rank))
    permutation: list[int] = []
    while axes:
        permutation.append(axes.pop(b.integer(0, len(axes) - 1)))
    shape = tuple(x.shape[p] for p in permutation)
    b.emit("Transpose", [x], x.dtype, shape, x.limit, perm=tuple(permutation))


def expand(b: Builder) -> None:
    """A value repeated along axes of 1, and along a new one."""
    x = b.pick(b.any_type(), lambda v: v.static)
    if x is None or x.shape is None:
        return
    front = (1,) if b.chance(0.5) else ()
    shape = tuple(b.choose((2, 3)) if e == 1 else most(e) for e in (*front, *x.shape))
    if len(shape) <= LARGEST_RANK and elements(shape) <= LARGEST_TENSOR:
        b.emit("Expand", [x, b.vector(*shape)], x.dtype, shape, x.limit)


def tile(b: Builder) -> None:
    """A value repeated along its axes."""
    x = b.pick(b.any_type(), lambda v: v.static and v.rank > 0)
    if x is None or x.shape is None:
        return
    repeats = [b.choose((1, 1, 2)) for _ in x.shape]
    shape = tuple(most(e) * r for e, r in zip(x.shape, repeats))
    if elements(shape) <= LARGEST_TENSOR:
        b.emit("Tile", [x, b.vector(*repeats)], x.dtype, shape, x.limit)


def pad(b: Builder) -> None:
    """Emit padding before or behind one axis.

    The new elements are constant, or copies of the edge.
    """
    x = b.pick(b.any_type(), lambda v: v.static and v.rank > 0)
    if x is None or x.shape is None:
        return
    axis = b.integer(0, x.rank - 1)
    extent = most(x.shape[axis])
    before, behind = b.integer(0, 2), b.integer(0, 2)
    pads = [0] * (2 * x.rank)
    pads[axis], pads[axis + x.rank] = before, behind
    shape = replaced(x.shape, axis, extent + before + behind)
    if elements(shape) > LARGEST_TENSOR:
        return
    if b.chance(0.3) and 0 not in x.shape:
        b.emit("Pad", [x, b.vector(*pads)], x.dtype, shape, x.limit, mode="edge")
    else:
        fill = b.number(0.75 if x.dtype in FLOATS else 2, x.dtype)
        b.emit("Pad", [x, b.vector(*pads), fill], x.dtype, shape, max(x.limit, 2.0))


MOVING: dict[Callable[[Builder], None], int] = {
    concat: 4,
    split: 1,
    transpose: 2,
    expand: 1,
    tile: 1,
    pad: 1,
}


def unsqueeze(b: Builder) -> None:
    """A new axis of 1."""
    x = b.any_of(b.any_type(), lambda v: v.rank < LARGEST_RANK)
    if x.shape is not None and x.rank < LARGEST_RANK:
        axis = b.integer(0, x.rank)
        given = axis if b.chance(0.7) else axis - x.rank - 1
        shape = (*x.shape[:axis], 1, *x.shape[axis:])
        b.emit("Unsqueeze", [x, b.vector(given)], x.dtype, shape, x.limit)


def squeeze(b: Builder) -> None:
    """One axis of 1 less."""
    x = b.pick(b.any_type(), lambda v: 1 in (v.shape or ()))
    if x is None or x.shape is None:
        return
    axis = b.choose([i for i, e in enumerate(x.shape) if e == 1])
    given = axis if b.chance(0.7) else axis - x.rank
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    b.emit("Squeeze", [x, b.vector(given)], x.dtype, shape, x.limit)


def reshape(b: Builder) -> None:
    """The same elements in another static shape."""
    x = b.pick(b.any_type(), lambda v: v.static and v.rank > 0)
    if x is None or x.shape is None:
        return
    shape = [most(e) for e in reversed(x.shape)] if b.chance(0.7) else [elements(x.shape)]
    if 0 in shape:
        b.emit("Reshape", [x, b.vector(*shape)], x.dtype, tuple(shape), x.limit, allowzero=1)
        return
    given = list(shape)
    if b.chance(0.5):
        given[b.integer(0, len(given) - 1)] = -1
    b.emit("Reshape", [x, b.vector(*given)], x.dtype, tuple(shape), x.limit)


def shape_of(b: Builder) -> None:
    """The extents of a value, or their product, as integers."""
    x = b.pick(b.any_type(), lambda v: v.rank > 0)
    if x is None or x.shape is None:
        return
    if b.chance(0.3):
        b.emit("Size", [x], "i64", (), float(max(elements(x.shape), 1)))
    else:
        b.emit("Shape", [x], "i64", (x.rank,), float(max(1, *(most(e) for e in x.shape))))


def filled(b: Builder) -> None:
    """A constant of the shape of another value."""
    x = b.pick(b.any_type(), lambda v: v.rank > 0)
    if x is None or x.shape is None:
        return
    extents = b.emit("Shape", [x], "i64", (x.rank,), 12)
    dtype = b.any_type()
    number = 0.25 if dtype == b.float else 3
    fill = np.array([number], DTYPES[dtype])
    b.emit("ConstantOfShape", [extents], dtype, x.shape, 3, value=fill)


def range_(b: Builder) -> None:
    """Emit the numbers below a computed one.

    Their count is the computed number, which may be 0.
    """
    below = index(b, b.choose((3, 5)), ())
    most_ = int(below.limit) - 1
    b.feature("dynamic extent")
    b.emit("Range", [b.number(0), below, b.number(1)], "i64", (b.open(0, most_),), most_)


SHAPING: dict[Callable[[Builder], None], int] = {
    unsqueeze: 1,
    squeeze: 1,
    reshape: 1,
    shape_of: 1,
    filled: 1,
    range_: 1,
}
