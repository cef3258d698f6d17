"""Transpositions block by block.

Where neighbours of the output lie a row apart in an input, each element that is read is in another line of the cache, and before the next
element of such a line is asked for, as many lines as the row is long were brought in. Where rows are a power of two apart, a few of them
are all that the cache keeps. So both loops are done in blocks, whose lines stay:

    for i, j:  y[i, j] = x[j, i]        →        for I, J:  for i, j:  y[16 I + i, 16 J + j] = x[16 J + j, 16 I + i]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.dialects.linalg.ops import GenericOp

from loomir.dialects.element_types import dtype_of
from loomir.dialects.tensors import memref_type_of
from loomir.passes.loops.lower_linalg_to_loops.access import Access, is_cover, iterators_of
from loomir.passes.loops.lower_linalg_to_loops.blocks import Blocks

_LARGEST, _SMALLEST = 16, 4
"""Largest and smallest side of a block.

16 lines of 64 bytes hold 16 floats each.
"""

_CACHE = 1 << 15
"""Bytes of the first-level data cache of most processors.

Data that fits in it needs no blocks.
"""


def transposed_blocks(
    generic: GenericOp, accesses: Sequence[Access | None], extents: Mapping[int, int]
) -> tuple[Blocks, ...]:
    """Return the blocks of the two loops of a transposition.

    The loops are the one along the output's rows and the one along an input's rows. Return no blocks if there is nothing to
    gain. `extents` holds the known trip counts; blocks divide them.
    """
    parallel, reductions = iterators_of(generic)
    inputs, outputs = accesses[: len(generic.inputs)], accesses[len(generic.inputs) :]
    if reductions or any(access is None or not is_cover(access.map, parallel) for access in outputs):
        return ()
    rows = {_along_rows(access, parallel) for access in outputs}
    across = rows.pop() if len(rows) == 1 else None
    for access in inputs:
        if access is None or across is None or access.stride(across) <= 1:
            continue
        along_input = _along_rows(access, parallel)
        if along_input is None:
            continue
        type_ = memref_type_of(access.value)
        sides = [_side(extents.get(dim)) for dim in (along_input, across)]
        moved = prod(extents.get(dim, 0) for dim in parallel) * dtype_of(type_.element_type).itemsize
        if None in sides or moved <= _CACHE:
            continue
        return tuple(
            Blocks(dim, len(parallel) + n, side)
            for n, (dim, side) in enumerate(zip((along_input, across), sides))
            if side is not None
        )
    return ()


def _along_rows(access: Access | None, parallel: Sequence[int]) -> int | None:
    """The loop that goes from one element to its neighbour."""
    if access is None:
        return None
    return next((dim for dim in parallel if access.stride(dim) == 1), None)


def _side(extent: int | None) -> int | None:
    return (
        None
        if extent is None
        else next((n for n in range(_LARGEST, _SMALLEST - 1, -1) if extent % n == 0), None)
    )
