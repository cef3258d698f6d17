"""Indices that are data: positions counted from the front, and bounds checks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i1
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.nests import Carried, nest
from loomir.passes.structured.lowering.places import read
from loomir.passes.structured.lowering.shaped import Shaped


def counted(
    low: Lowering, index: SSAValue, extent: Extent, *, unsigned: bool = False, negative: bool = True
) -> Extent:
    """Return an index as a position counted from the front.

    The position may be out of bounds. Negative indices count from the end, unless there are none.
    """
    place = low.to_index(index, unsigned=unsigned)
    if unsigned or not negative:
        return place
    return low.select(low.compare("slt", place, 0), low.add(place, extent), place)


def inside(low: Lowering, place: Extent, extent: Extent) -> SSAValue:
    """Return the condition `0 <= place < extent`."""
    above, below = low.compare("sge", place, 0), low.compare("slt", place, extent)
    truth = [low.constant(v, i1) if isinstance(v, bool) else v for v in (above, below)]
    return low.insert(arith.AndIOp(truth[0], truth[1])).result


def surely_inside(indices: np.ndarray | None, extent: Extent, *, negative: bool = True) -> bool:
    """Return True if constant indices are all in bounds.

    The bounds are [-extent, extent), or [0, extent) without `negative`.
    """
    if indices is None or not isinstance(extent, int):
        return False
    values = np.asarray(indices).astype(object if indices.dtype == np.uint64 else np.int64)
    return bool(((values >= (-extent if negative else 0)) & (values < extent)).all())


def checked(
    low: Lowering,
    index: SSAValue,
    extent: Extent,
    what: str,
    *,
    unsigned: bool = False,
    negative: bool = True,
) -> Extent:
    """Return an index as a position from the front, asserted in bounds.

    Without `negative`, indices below 0 are out of bounds.
    """
    place = counted(low, index, extent, unsigned=unsigned, negative=negative)
    low.assert_(inside(low, place, extent), f"index: {what}")
    return place


def assert_all_inside(
    low: Lowering, indices: Shaped, extents: Sequence[Extent], what: str, *, negative: bool = True
) -> None:
    """Assert that indices are in bounds.

    With one extent, all indices are checked against it; with several, the last dimension holds tuples of that length.
    Without `negative`, indices below 0 are out of bounds.
    """
    if not extents or (
        indices.array is not None and _constants_inside(np.asarray(indices.array), extents, negative)
    ):
        return
    depth = len(extents)
    if not indices.dims:
        _ = checked(low, indices.value, extents[0], what, unsigned=indices.unsigned, negative=negative)
        return
    outer, bounds = (indices.dims, indices.bounds) if depth == 1 else (indices.dims[:-1], indices.bounds[:-1])
    total = low.product(outer)
    flat = low.reshape(indices, [total, depth], [prod(bounds), depth])
    _ = flat.splat or flat.value  # a constant's argument is made here, not inside the loop

    def body(at: list[Extent], carried: Carried) -> Carried:
        for c, extent in enumerate(extents):
            index = read(low, flat, [*at, c])
            _ = checked(low, index, extent, what, unsigned=flat.unsigned, negative=negative)
        return carried

    _ = nest(low, [total], [], body)


def _constants_inside(indices: np.ndarray, extents: Sequence[Extent], negative: bool) -> bool:
    if len(extents) == 1:
        return surely_inside(indices, extents[0], negative=negative)
    return all(surely_inside(indices[..., c], e, negative=negative) for c, e in enumerate(extents))
