"""Choice of the loops that compute several elements at a time.

The number of elements is chosen, too.

With a single accumulator, every addition waits for the previous one, and every addition loads all its operands. A tile
of neighbouring elements has chains that run concurrently, and loads shared values once (a row of the left matrix, the
pixel that all output channels multiply). The order of additions within an element does not change.

A machine with vectors has tiles of vectors where the memory allows it (`vectors.py`), and sums of integers have such
tiles of scalars on any other machine. Otherwise a reduction computes up to eight scalars along one loop, and if they
are adjacent in memory, a C compiler turns them into vector operations.

*Reductions along vectors* (`folded_tiling`).

Each lane accumulates its share of the iterations, and the lanes are combined at the end:

    for rows:
      v0, v1, s = for k = 0, 32, 64 … iter_args(v0 = neutral, v1 = neutral):     two vectors of 16
        v0 += vector.load x[row, k]; v1 += vector.load x[row, k + 16]
      s = for k = … iter_args(s = what the output held): s += x[row, k]          what is left of the extent
      v0 += v1, by way of memory: for lane: s += v0[lane]

This applies to sums along a row (softmax, normalisation, a mean), where no parallel loop steps by one element. There
are several vectors, so that an addition does not wait for the previous one. The order of additions changes. A dynamic
extent has a loop of four vectors, one of a single vector, and one of the remainder.

*Transpositions* go through memory in blocks.

Where neighbours of the output lie a row apart in an input, each element that is read is in another line of the cache, and before the next
element of such a line is asked for, as many lines as the row is long were brought in. Where rows are a power of two apart, a few of them
are all that the cache keeps. So both loops are done in blocks, whose lines stay:

    for i, j:  y[i, j] = x[j, i]        →        for I, J:  for i, j:  y[16 I + i, 16 J + j] = x[16 J + j, 16 I + i]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, memref_type_of
from loomir.dialects.region_flow import terminator
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.machines import Machine
from loomir.passes.loops.lower_linalg_to_loops.access import (
    MemRefAccess,
    is_cover,
    iterators_of,
    loop_order,
    squeezed_accesses,
    static_extents,
)
from loomir.passes.loops.lower_linalg_to_loops.borders import span_of
from loomir.passes.loops.lower_linalg_to_loops.index_math import dims_of, factor_of, widest_element
from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import (
    Blocks,
    IterationRange,
    blocks_of,
    by_rest,
    cut,
    open_parts,
)
from loomir.passes.loops.lower_linalg_to_loops.reductions import Epilogue, combiner_op
from loomir.passes.loops.lower_linalg_to_loops.tilings import Tiling
from loomir.passes.loops.lower_linalg_to_loops.vectors import vector_tiling
from loomir.passes.structured.lib.memrefs import PadSpec

_VECTORS = 4
"""Accumulators at a time: as many as an addition takes cycles."""


def folded_tiling(
    generic: GenericOp, accesses: Sequence[MemRefAccess | None], pads: dict[int, PadSpec], machine: Machine
) -> Tiling | None:
    """Return the tiling of a reduction along vectors, or None.

    Return None if there is no such tiling, or if a parallel loop is better for vectors.
    """
    if machine.lanes == 1 or combiner_op(generic) is None:
        return None
    count = len(generic.inputs)
    accesses = squeezed_accesses(accesses, pads)
    parallel, reductions = iterators_of(generic)
    extents = static_extents(generic, accesses, pads)
    outputs = [access for access in accesses[count:] if access is not None]
    if len(outputs) < len(generic.outputs) or not all(is_cover(o.map, parallel) for o in outputs):
        return None
    inputs = {
        position: access
        for position, access in enumerate(accesses[:count])
        if access is not None and generic.body.block.args[position].uses
    }
    found = [
        dim
        for dim in reductions
        if extents.get(dim, 2) > 1
        and all(access.lanes(dim) is not None for access in inputs.values())
        and any(access.lanes(dim) for access in inputs.values())
    ]
    if len(found) != 1:
        return None
    (dim,) = found
    # (Where a parallel loop steps by one element everywhere, its vectors need no gathering at the end.)
    if any(
        extents.get(p, 2) > 1
        and all(access.lanes(p) is not None for access in inputs.values())
        and any(access.lanes(p) for access in inputs.values())
        for p in parallel
    ):
        return None
    if dim not in extents and any(p in pads for p in inputs):
        return None
    if any(span_of(a, pads.get(p), dim, extents) != "everywhere" for p, a in inputs.items()):
        return None
    body = generic.body.block
    lanes: list[SSAValue] = [body.args[p] for p, access in inputs.items() if access.lanes(dim)]
    widest = widest_element(body, [*lanes, *body.args[count:]], dim)
    if widest is None:
        return None
    width = machine.lanes_of(widest)
    if width >= 2 and dim not in extents:
        return Tiling({dim: open_parts((_VECTORS, width), (1, width), (1, 1))}, dim, folded=True)
    extent = extents.get(dim, 0)
    if width < 2 or extent < 2 * width:
        return None
    vectors = min(range(1, min(_VECTORS, extent // width) + 1), key=lambda n: (extent % (n * width), -n))
    whole = extent - extent % (vectors * width)
    parts = (
        IterationRange(0, whole, vectors, width),
        *([IterationRange(whole, extent)] if whole < extent else []),
    )
    return Tiling({dim: parts}, dim, folded=True)


def innermost_last(order: Sequence[int], tiling: Tiling) -> list[int]:
    """The order of loops with the one that is folded innermost."""
    return [*(dim for dim in order if dim != tiling.vector), *(dim for dim in order if dim == tiling.vector)]


_LARGEST, _SMALLEST = 16, 4
"""Largest and smallest side of a block.

16 lines of 64 bytes hold 16 floats each.
"""

_CACHE = 1 << 15
"""Bytes of the first-level data cache of most processors.

Data that fits in it needs no blocks.
"""


def transposed_blocks(
    generic: GenericOp, accesses: Sequence[MemRefAccess | None], extents: Mapping[int, int]
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


def _along_rows(access: MemRefAccess | None, parallel: Sequence[int]) -> int | None:
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
    accesses: Sequence[MemRefAccess | None],
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
    accesses: Sequence[MemRefAccess | None],
    pads: dict[int, PadSpec],
    packable: Collection[int],
) -> Tiling | None:
    """Return a tiling into scalars, or None.

    Return None if the generic does not reduce into scalars, or if its body is too large.
    """
    inputs, outputs = accesses[: len(generic.inputs)], accesses[len(generic.inputs) :]
    parallel, reductions = iterators_of(generic)
    extents = static_extents(generic, accesses, pads)
    if all(extents.get(dim) == 1 for dim in reductions) or _is_short_choice(generic, extents):
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


def _is_short_choice(generic: GenericOp, extents: Mapping[int, int]) -> bool:
    """Return True for a few iterations that choose, as ArgMax does.

    A C compiler branches on one such choice, which is rarely made, but computes several of an iteration in any case. A processor that
    begins with the next chain before the end of a short one needs no tile.
    """
    _, reductions = iterators_of(generic)
    values = terminator(generic.body.block).operands
    short = prod(extents.get(dim, LANES) for dim in reductions) < LANES
    return short and any(isinstance(value.owner, arith.SelectOp) for value in values)


def _rolled_tiling(
    generic: GenericOp,
    accesses: Sequence[MemRefAccess | None],
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
    accesses: Sequence[MemRefAccess | None],
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


def can_be_tiled(dim: int, inputs: Sequence[MemRefAccess | None], pads: dict[int, PadSpec]) -> bool:
    """Return True if a loop can be tiled.

    The elements of a tile must go through the same iterations, and their indices must differ by constants.
    """
    for position, access in enumerate(inputs):
        if access is None:
            continue
        pad = pads.get(position)
        for i, terms in enumerate(access.coordinates):
            if factor_of(terms, dim) is None:
                return False
            if pad is not None and dim in dims_of(terms) and (pad.low[i] != 0 or pad.high[i] != 0):
                return False
    return True
