"""Steps that move elements without computing: joins, splits, permutations, repetitions, borders."""

from __future__ import annotations

from collections.abc import Callable

from loomir.tools.fuzz.builder import LARGEST_RANK, LARGEST_TENSOR, Builder, replaced
from loomir.tools.fuzz.program import FLOATS, Extent, Op, Value, elements, least, most


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
    total: Extent = b.open(low, high)
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


STEPS: dict[Callable[[Builder], None], int] = {
    concat: 4,
    split: 1,
    transpose: 2,
    expand: 1,
    tile: 1,
    pad: 1,
}
