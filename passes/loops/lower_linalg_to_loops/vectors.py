"""Choice of the vector tile that a generic computes at a time.

A tile has *columns* of vectors along one loop × *rows* of another loop:

    for ow = 0, 6, 12 …:                       rows: what varies only along co is loaded once for all of them
      for co = 0, 16, 32 …:                    columns: what varies only along ow is spread once for all of them
        for k iter_args(12 vectors of 8):
          w0, w1 = vector.load w[k, co], w[k, co + 8]
          …

Vectors run along a loop in which each input stands still or steps by one element. If results are not contiguous along
it, they go through a tile of memory (`nest_body.py`), which pays off for reductions. Among all pairs of rows and
columns that fit in the registers, the cost model of the processor selects the fastest (`tilings.py`). Cache traffic
takes time, too (`tilings.py`): it determines which loop is outermost, and whether more rows pay off. A loop of unknown
extent has the tile that is best for a long loop, and smaller tiles for the remainder (`open_parts`).

Sums of integers have such tiles on a machine without vectors, too: tiles of scalars, which are vectors of one element.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import Block, SSAValue

from loomir.dialects import quads
from loomir.dialects.scalars import SCALARS
from loomir.dialects.upstream.construction import allocation
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
from loomir.passes.loops.lower_linalg_to_loops.borders import (
    Interior,
    Promotion,
    interior_of,
    promotions,
    span_of,
    with_copies,
)
from loomir.passes.loops.lower_linalg_to_loops.index_math import widest_element
from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import (
    IterationRange,
    blocks_of,
    merged_loops,
    open_parts,
)
from loomir.passes.loops.lower_linalg_to_loops.reductions import Epilogue
from loomir.passes.loops.lower_linalg_to_loops.tilings import (
    Costs,
    IntegerCosts,
    Reuse,
    Tiling,
    Unrolled,
    VectorCosts,
    traffic,
)
from loomir.passes.structured.lib.memrefs import PadSpec

_BYTES_PER_CYCLE = 16, 8
"""Bandwidths into the first and the second cache, in bytes per cycle.

The first number is from the second cache to the first, the second number from behind the second cache to it (measured
on Sapphire Rapids: 13 … 19 and 9 … 10).
"""

_APART = 3
"""Cycles for each element of a vector that is not contiguous.

Such elements go through memory in which they are contiguous.
"""

_ROWS, _COLUMNS = 14, 8
"""The most that are tried."""

_OPERATIONS = 128
"""Maximum number of operations in all copies of a body.

Code takes memory, too.
"""


_UNROLLED = (4, 3, 2)
"""Iterations of a reduction at a time, of integers."""


@dataclass(frozen=True)
class _Candidate:
    """Tile of rows and columns of vectors, with its cost.

    The cost is the minimum number of cycles of the whole nest.
    """

    row: int | None
    rows: int
    column_step: int
    row_parts: tuple[IterationRange, ...]
    column_parts: tuple[IterationRange, ...]
    cycles: float

    def parts(self, dim: int) -> dict[int, tuple[IterationRange, ...]]:
        """The parts of each loop of the tile; vectors run along `dim`."""
        rows = {} if self.row is None else {self.row: self.row_parts}
        return {**rows, dim: self.column_parts}


@dataclass
class _Search:
    """All tilings of a generic into vectors, and what they cost."""

    generic: GenericOp
    machine: Machine
    accesses: Sequence[MemRefAccess | None]
    epilogue: Epilogue | None
    extents: dict[int, int]
    pads: Mapping[int, PadSpec]
    parallel: Sequence[int]
    packable: Collection[int]
    promoted: Sequence[Promotion] = ()

    def __post_init__(self) -> None:
        body, count = self.generic.body.block, len(self.generic.inputs)
        self.inputs = {
            position: access
            for position, access in enumerate(self.accesses[:count])
            if access is not None and body.args[position].uses
        }
        self.outputs = [access for access in self.accesses[count:] if access is not None]
        self.order = loop_order(self.generic, self.accesses, list(self.parallel), [])
        _, reductions = iterators_of(self.generic)
        self.reductions = {dim: self.extents.get(dim, 1) for dim in reductions}
        self.reduces = any(self.extents.get(dim) != 1 for dim in reductions)
        self.iterations = prod(self.reductions.values())
        self.size = sum(type(op) in SCALARS for op in body.ops)
        self.work = max(1, self.size - _fused(body, self.machine))
        self.costs: Costs = VectorCosts(self.machine.registers)
        if self.machine.lanes == 1:
            innermost = self.extents.get(self._innermost(), 1)
            self.work, self.costs = 1, IntegerCosts(self.iterations, innermost, self._by_quads)
        # The loops around copies are done one iteration at a time.
        around = {dim for promotion in self.promoted for dim in promotion.outer}
        self.interiors = {
            dim: None if dim in around else interior_of(dim, self.inputs, self.pads, self.extents)
            for dim in self.parallel
        }
        self.copies = sum(promotion.cycles(self.extents) for promotion in self.promoted)
        self.has_order = bool(around)

    def lanes(self, dim: int) -> int:
        """Return the vector length along a loop, 0 if vectors are impossible."""
        if self.interiors.get(dim) is None or not all(output.is_linear(dim) for output in self.outputs):
            return 0
        for position, access in self.inputs.items():
            if access.lanes(dim) is None and position not in self.packable:
                return 0
        widest = self._widest(dim)
        if widest is None:
            return 0
        return 1 if self.machine.lanes == 1 else self.machine.lanes_of(widest)

    def tilings(self, dim: int, lanes: int, block_loop: int | None) -> Iterator[tuple[float, Tiling]]:
        """Yield the tilings with vectors along a loop, with their cycles.

        `block_loop` is the loop over blocks, if a loop is in blocks.
        """
        apart = self._stored_apart(dim)
        if not self.reduces:
            interior = self.interiors[dim]
            if not apart and interior is not None:
                yield 0, Tiling({dim: _column_parts(interior, 1, lanes)}, dim)
            return
        results = prod(extent for dim, extent in self.extents.items() if dim in self.parallel)
        others = results * apart * _APART + self.copies
        in_blocks = block_loop is not None and self.order.index(block_loop) < self.order.index(dim)
        best: float | None = None
        for tile in self._tiles(dim, lanes):
            in_rows = bool(self.packable) and self.extents.get(dim, 0) % tile.column_step != 0
            loops = (block_loop if in_blocks else dim, tile.row)
            for outermost in (None, *(() if self.has_order else loops)):
                if best is not None and tile.cycles >= best:
                    break
                waits = self._waits(tile, dim, outermost, doubled=in_rows)
                cost = max(tile.cycles, waits) + (tile.cycles + waits) / 8
                if best is None or cost < best:
                    best = cost
                    yield cost + others, Tiling(tile.parts(dim), dim, outermost=outermost)

    def _stored_apart(self, dim: int) -> int:
        """Return the number of operands whose vector elements are not contiguous.

        If there is an epilogue, its operands are counted.
        """
        if self.epilogue is None:
            return sum(access.lanes(dim) is None for access in self.outputs)
        return sum(
            access is not None and access.lanes(dim) is None
            for position, access in enumerate(self.epilogue.accesses)
            if position != self.epilogue.position
        )

    def _widest(self, dim: int) -> int | None:
        """Return the bits of the largest vector element, or None.

        The body and the epilogue are examined. Return None if one of them cannot be vectorized.
        """
        body, epilogue = self.generic.body.block, self.epilogue
        lanes: list[SSAValue] = [body.args[p] for p, access in self.inputs.items() if access.stride(dim) != 0]
        lanes += body.args[len(self.generic.inputs) :]
        widest = widest_element(body, lanes, dim)
        if widest is None or epilogue is None:
            return widest
        block, count = epilogue.generic.body.block, len(epilogue.generic.inputs)
        lanes = [block.args[epilogue.position]]
        for position, access in enumerate(epilogue.accesses):
            if access is None or position == epilogue.position:
                continue
            steps = access.lanes(dim)
            if not access.is_linear(dim) or (position >= count and steps == 0):
                return None
            if steps != 0 and block.args[position].uses:
                lanes.append(block.args[position])
        # (An epilogue has no `linalg.index`.)
        other = widest_element(block, lanes, -1)
        return None if other is None else max(widest, other)

    def _tiles(self, along: int, lanes: int) -> Iterator[_Candidate]:
        """All that fit in the registers, and one point alone."""
        interior, outputs = self.interiors[along], len(self.generic.outputs)
        assert interior is not None, "there are vectors along this loop"
        for row in (None, *(dim for dim in self.parallel if dim != along)):
            rows_inside = None if row is None else self.interiors[row]
            if row is not None and (rows_inside is None or not rows_inside.known):
                continue
            reuse = [
                Reuse(a.stride(along) != 0, row is not None and a.stride(row) != 0)
                for a in self.inputs.values()
            ]
            others = [
                e for dim, e in self.extents.items() if dim in self.parallel and dim not in (row, along)
            ]
            times = self.iterations * prod(others)
            for rows in range(1, (1 if row is None else _ROWS) + 1):
                row_parts = (IterationRange(0, 1),) if rows_inside is None else rows_inside.rows(rows)
                if row_parts is None:
                    continue
                for columns in range(1, _COLUMNS + 1):
                    fit = self.costs.fit(rows, columns, reuse, outputs)
                    if rows * columns > 1 and (not fit or rows * columns * self.size > _OPERATIONS):
                        break
                    if columns > 1 and columns * lanes > interior.size:
                        break
                    cycles = times * sum(
                        r.tiles * c.tiles * self.costs.cycles(r.points, c.points, self.work, reuse)
                        for r in row_parts
                        for c in interior.parts(_columns(interior.size, columns, lanes))
                    )
                    column_parts = _column_parts(interior, columns, lanes)
                    yield _Candidate(row, rows, columns * lanes, row_parts, column_parts, cycles)

    def unrolled(self, tiling: Tiling) -> Unrolled | None:
        """Return the unrolling of the innermost reduction, or None.

        The loop itself takes as long as some of its operations.

        Quads, which are several elements already, are not unrolled: gcc 12 loads the quads of all iterations first, more than
        it has registers for.
        """
        if self._by_quads:
            return None
        dim = self._innermost()
        extent = self.extents.get(dim, 1)
        points = prod(max(part.points for part in parts) for parts in tiling.parts.values())
        inputs = self.inputs.items()
        if any(span_of(a, self.pads.get(p), dim, self.extents) != "everywhere" for p, a in inputs):
            return None
        for times in _UNROLLED:
            if extent % times == 0 and points * self.size * times <= _OPERATIONS:
                return Unrolled(dim, times)
        return None

    @property
    def _by_quads(self) -> bool:
        return any(isinstance(op, quads.DotOp) for op in self.generic.body.block.ops)

    def _innermost(self) -> int:
        """The innermost reduction that is a loop, if any is."""
        order = loop_order(self.generic, self.accesses, [], list(self.reductions))
        return next((dim for dim in reversed(order) if self.extents.get(dim) != 1), order[-1])

    def _waits(self, tile: _Candidate, along: int, outermost: int | None, *, doubled: bool) -> float:
        """Return the cycles in which the caches bring in the nest's inputs.

        `doubled`: constants stay in rows that are longer than the tile, whose parts conflict in a cache.
        """
        order = sorted(self.order, key=lambda dim: dim != outermost)
        iterations = {**self.reductions, along: tile.column_step}
        if tile.row is not None:
            iterations[tile.row] = tile.rows
        accesses = list(self.inputs.values())
        waits = max(
            traffic(accesses, order, iterations, self.extents, cache) / rate
            for cache, rate in zip(self.machine.caches, _BYTES_PER_CYCLE, strict=True)
        )
        return 2 * waits if doubled else waits


def vector_tiling(
    generic: GenericOp,
    accesses: Sequence[MemRefAccess | None],
    pads: dict[int, PadSpec],
    machine: Machine,
    epilogue: Epilogue | None,
    packable: Collection[int],
) -> Tiling | None:
    """Return the tiling into vectors of this machine, or None.

    Return None if there is no loop for vectors, or if the body cannot be vectorized.
    """
    accesses = squeezed_accesses(accesses, pads)
    parallel, _ = iterators_of(generic)
    outputs = accesses[len(generic.inputs) :]
    if not all(access is not None and is_cover(access.map, parallel) for access in outputs):
        return None
    epilogue = None if epilogue is None else epilogue.squeezed()
    extents = static_extents(generic, accesses, pads)
    inputs = {
        position: access
        for position, access in enumerate(accesses[: len(generic.inputs)])
        if access is not None and generic.body.block.args[position].uses
    }
    order = loop_order(generic, accesses, parallel, [])
    # (Where there are no vectors, memory is what is short.)
    copied = promotions(inputs, pads, order, extents, machine) if machine.lanes > 1 else []
    found = [
        tiling
        for promoted in ([], *([copied] if copied else []))
        if (tiling := _best(generic, accesses, pads, extents, machine, epilogue, packable, promoted))
        is not None
    ]
    return min(found, key=lambda each: each[0])[1] if found else None


def _best(
    generic: GenericOp,
    accesses: Sequence[MemRefAccess | None],
    pads: Mapping[int, PadSpec],
    extents: dict[int, int],
    machine: Machine,
    epilogue: Epilogue | None,
    packable: Collection[int],
    promoted: Sequence[Promotion],
) -> tuple[float, Tiling] | None:
    """The best tiling and its cost, where these inputs are copied."""
    parallel, _ = iterators_of(generic)
    accesses = with_copies(accesses, promoted, [allocation(p.type).results[0] for p in promoted])
    pads = {position: pad for position, pad in pads.items() if all(position != p.position for p in promoted)}
    others = () if epilogue is None else epilogue.accesses
    around = {dim for promotion in promoted for dim in promotion.outer}
    loops = [dim for dim in _loops_to_merge(generic) if dim not in around]
    merged = merged_loops([*accesses, *others], loops, extents, pads)
    accesses, extents = merged.all_of(accesses), merged.extents(extents)
    epilogue = None if epilogue is None else epilogue.through(merged)
    others = () if epilogue is None else epilogue.accesses
    blocks = blocks_of([*accesses, *others], parallel, extents, len(generic.iterator_types))
    if blocks is not None:
        if blocks.dim in around:
            return None
        accesses, extents = blocks.all_of(accesses), blocks.extents(extents)
        parallel = [*parallel, blocks.inner]
        epilogue = None if epilogue is None else epilogue.through(blocks)
    search = _Search(generic, machine, accesses, epilogue, extents, pads, parallel, packable, promoted)
    least = min(machine.lanes, 2)
    best: tuple[float, Tiling] | None = None
    for dim in parallel:
        lanes = search.lanes(dim)
        if lanes < least:
            continue
        for cost, tiling in search.tilings(dim, lanes, None if blocks is None else blocks.dim):
            if best is None or cost < best[0]:
                best = cost, replace(tiling, merged=merged, blocks=blocks, promoted=promoted)
    if best is not None and machine.lanes == 1:
        tiling = replace(best[1], by_memory=True, unrolled=search.unrolled(best[1]))
        return best[0], tiling
    return best


def _loops_to_merge(generic: GenericOp) -> list[int]:
    """Return the parallel loops whose iteration numbers the body doesn't use."""
    asked = {op.dim.value.data for op in walk(generic.body) if isinstance(op, IndexOp)}
    return [dim for dim in iterators_of(generic)[0] if dim not in asked]


def _fused(body: Block, machine: Machine) -> int:
    """Multiplications that are one instruction with the addition behind them."""
    if not machine.fma:
        return 0
    return sum(
        isinstance(op, arith.AddfOp) and any(isinstance(o.owner, arith.MulfOp) for o in op.operands)
        for op in walk(body)
    )


def _columns(extent: int, columns: int, lanes: int) -> list[tuple[int, int]]:
    """Return the sizes of column parts: full ones, whole vectors, narrower vectors.

    The first size has `columns` vectors, the next one the remaining whole vectors.
    """
    sizes = [(columns, lanes)]
    rest = extent % (columns * lanes)
    if rest >= lanes:
        sizes.append((rest // lanes, lanes))
    while lanes > 1:
        lanes //= 2
        sizes.append((1, lanes))
    return sizes


def _column_parts(interior: Interior, columns: int, lanes: int) -> tuple[IterationRange, ...]:
    """Return parts of `columns` vectors along a loop, and of its remainder."""
    if not interior.known:
        return open_parts(*_sizes_of_open(columns, lanes))
    return interior.parts(_columns(interior.size, columns, lanes))


def _sizes_of_open(columns: int, lanes: int) -> list[tuple[int, int]]:
    """Return the sizes of parts for an unknown extent.

    Each size needs a copy of the body, so each narrower vector has a quarter of the lanes.
    """
    sizes = [(columns, lanes)] if columns > 1 else []
    while lanes > 1:
        sizes.append((1, lanes))
        lanes = max(lanes // 4, 1)
    return [*sizes, (1, 1)]
