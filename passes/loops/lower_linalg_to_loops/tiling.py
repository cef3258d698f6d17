"""Choice of the loops that compute several elements at a time.

The number of elements is chosen, too.

With a single accumulator, every addition waits for the previous one, and every addition loads all its operands. A tile
of neighbouring elements has chains that run concurrently, and loads shared values once (a row of the left matrix, the
pixel that all output channels multiply). The order of additions within an element does not change.

A machine with vectors has tiles of vectors where the memory allows it (`vectors.py`), and sums of integers have such
tiles of scalars on any other machine. Otherwise a reduction computes up to eight scalars along one loop, and if they
are adjacent in memory, a C compiler turns them into vector operations.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.linalg.ops import GenericOp

from loomir.dialects.walking import walk
from loomir.passes.analysis.machines import Machine
from loomir.passes.loops.lower_linalg_to_loops.access import (
    Access,
    is_cover,
    iterators_of,
    loop_order,
    static_extents,
)
from loomir.passes.loops.lower_linalg_to_loops.blocks import blocks_of
from loomir.passes.loops.lower_linalg_to_loops.epilogues import Epilogue
from loomir.passes.loops.lower_linalg_to_loops.parts import by_rest, cut
from loomir.passes.loops.lower_linalg_to_loops.tilings import Tiling
from loomir.passes.loops.lower_linalg_to_loops.vectors import vector_tiling
from loomir.passes.structured.bufferize.pads import PadSpec

LANES = 8
"""Maximum number of elements at a time.

The smallest set of floating-point registers can hold this number of accumulators.
"""

_ROLLED = (32, 16, 8, 4)
"""Candidate numbers of elements at a time in a row.

The largest is the number of accumulators that fit in half of the SSE registers. More accumulators wait less for one
another.
"""

_OPERATIONS = 64
"""Maximum number of operations in all copies of a body.

Code takes memory, too.
"""


def chosen_tiling(
    generic: GenericOp,
    accesses: Sequence[Access | None],
    pads: dict[int, PadSpec],
    machine: Machine,
    epilogue: Epilogue | None = None,
    packable: Collection[int] = (),
) -> Tiling | None:
    """Choose the tiling of a generic, or None.

    None means that one element at a time is as good, or that nothing else is possible.

    `packable` are inputs whose elements may still be stored in any order.
    """
    if machine.lanes > 1:
        tiling = vector_tiling(generic, accesses, pads, machine, epilogue, packable)
        return tiling or _scalar_tiling(generic, accesses, pads, packable)
    if _reduces_integers(generic):
        tiling = vector_tiling(generic, accesses, pads, machine, epilogue, packable)
        if tiling is not None:
            return tiling
    in_blocks = _tiling_in_blocks(generic, accesses, pads, epilogue)
    if in_blocks is not None:
        return in_blocks
    tiling = _scalar_tiling(generic, accesses, pads, packable)
    if tiling is None:
        return None
    (dim,) = tiling.parts
    extents = static_extents(generic, accesses, pads)
    return _rolled_tiling(generic, accesses, dim, extents[dim], packable) or tiling


def _scalar_tiling(
    generic: GenericOp,
    accesses: Sequence[Access | None],
    pads: dict[int, PadSpec],
    packable: Collection[int],
) -> Tiling | None:
    """Return a tiling into scalars, or None.

    Return None if the generic does not reduce into scalars, or if its body is too large.
    """
    inputs, outputs = accesses[: len(generic.inputs)], accesses[len(generic.inputs) :]
    parallel, reductions = iterators_of(generic)
    extents = static_extents(generic, accesses, pads)
    if all(extents.get(dim) == 1 for dim in reductions):
        return None
    if not all(access is not None and is_cover(access.map, parallel) for access in outputs):
        return None
    size = sum(1 for _ in walk(generic.body)) - 1
    order = loop_order(generic, accesses, parallel, [])
    best: tuple[tuple[int, ...], Tiling] | None = None
    for dim in parallel:
        extent = extents.get(dim)
        if extent is None or extent < 2 or not can_be_tiled(dim, inputs, pads):
            continue
        lanes = lanes_of(extent)
        if size * lanes > _OPERATIONS:
            lanes //= 2
        if lanes < 2 or size * lanes > _OPERATIONS:
            continue
        strides = [None if access is None else access.stride(dim) for access in inputs]
        adjacent = sum(s == 1 or (position in packable and s != 0) for position, s in enumerate(strides))
        score = (strides.count(0) + adjacent, int(lanes % 4 == 0), lanes, adjacent, order.index(dim))
        if best is None or score > best[0]:
            parts = tuple(cut(0, extent, by_rest(extent, lanes)))
            best = score, Tiling({dim: parts}, by_memory=True)
    return None if best is None else best[1]


def _rolled_tiling(
    generic: GenericOp,
    accesses: Sequence[Access | None],
    dim: int,
    extent: int,
    packable: Collection[int],
) -> Tiling | None:
    """Return a tiling of scalars in a row of memory, or None.

    Along the loop, everything that the scalars read must stand still or be contiguous, and the extent must be divisible.
    """
    for position, access in enumerate(accesses[: len(generic.inputs)]):
        if access is not None and access.stride(dim) not in (0, 1) and position not in packable:
            return None
    size = sum(1 for _ in walk(generic.body)) - 1
    for lanes in _ROLLED:
        if extent % lanes == 0 and lanes * size <= _OPERATIONS:
            return Tiling({dim: tuple(cut(0, extent, [(lanes, 1)]))}, rolled=True)
    return None


def _tiling_in_blocks(
    generic: GenericOp,
    accesses: Sequence[Access | None],
    pads: dict[int, PadSpec],
    epilogue: Epilogue | None,
) -> Tiling | None:
    """The tile that constants are stored in blocks for."""
    parallel, reductions = iterators_of(generic)
    if not all(
        access is not None and is_cover(access.map, parallel) for access in accesses[len(generic.inputs) :]
    ):
        return None
    extents = static_extents(generic, accesses, pads)
    others = () if epilogue is None else epilogue.accesses
    blocks = blocks_of([*accesses, *others], parallel, extents, len(generic.iterator_types))
    if blocks is None or all(extents.get(dim) == 1 for dim in reductions):
        return None
    tiling = _rolled_tiling(generic, blocks.all_of(accesses), blocks.inner, blocks.size, ())
    return None if tiling is None else replace(tiling, blocks=blocks)


def _reduces_integers(generic: GenericOp) -> bool:
    """Return True if the generic reduces integers of up to 32 bits.

    The results must be such integers, too.
    """
    elements = [argument.type for argument in generic.body.block.args]
    return bool(iterators_of(generic)[1]) and all(
        isinstance(element, IntegerType) and element.width.data <= 32 for element in elements
    )


def lanes_of(extent: int) -> int:
    """Return the number of elements at a time.

    It divides the extent if possible; otherwise the tiles have about the same size.

    >>> [lanes_of(n) for n in (2, 8, 64, 12, 25, 49, 9, 13)]
    [2, 8, 8, 4, 5, 7, 5, 7]
    """
    if extent <= LANES:
        return extent
    for lanes in (8, 4, 7, 6, 5):
        if extent % lanes == 0:
            return lanes
    tiles = -(-extent // LANES)
    return -(-extent // tiles)


def can_be_tiled(dim: int, inputs: Sequence[Access | None], pads: dict[int, PadSpec]) -> bool:
    """Return True if a loop can be tiled.

    The elements of a tile must go through the same iterations, and their indices must differ by constants.
    """
    for position, access in enumerate(inputs):
        if access is None:
            continue
        pad = pads.get(position)
        for i, terms in enumerate(access.coordinates):
            if terms.coefficient(dim) is None:
                return False
            if pad is not None and dim in terms.dims() and (pad.low[i] != 0 or pad.high[i] != 0):
                return False
    return True
