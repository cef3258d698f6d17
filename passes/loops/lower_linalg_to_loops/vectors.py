"""Which tile of vectors a generic computes at a time: *columns* of vectors along one loop × *rows* of another.

    for ow = 0, 6, 12 …:                       rows: what varies only along co is loaded once for all of them
      for co = 0, 16, 32 …:                    columns: what varies only along ow is spread once for all of them
        for k iter_args(12 vectors of 8):
          w0, w1 = vector.load w[k, co], w[k, co + 8]
          …

Vectors run along the loop that steps by one element through the outputs, if each input stands still there or steps by one element,
too. Of all pairs of rows and columns that fit in the registers, the one is taken that a model of the processor says is done first: per
iteration it starts two multiplications and two loads a cycle, and an accumulator waits four cycles for its turn. These are figures
of the out-of-order cores that have vectors (Fog, Instruction tables: 4 cycles from Skylake and Zen on); a core that does less
does less of each, and the order of the pairs stays nearly the same. What caches have to bring in takes its time, too (`traffic.py`): it
says which loop is outermost, and whether more rows pay that need no more registers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import Block, SSAValue

from loomir.dialects.scalars import SCALARS
from loomir.dialects.walking import walk
from loomir.passes.analysis.machines import Machine
from loomir.passes.loops.lower_linalg_to_loops.access import (
    Access,
    is_cover,
    iterators_of,
    loop_order,
    squeezed_accesses,
    static_extents,
)
from loomir.passes.loops.lower_linalg_to_loops.blocks import blocks_of
from loomir.passes.loops.lower_linalg_to_loops.epilogues import Epilogue
from loomir.passes.loops.lower_linalg_to_loops.merging import merged_loops
from loomir.passes.loops.lower_linalg_to_loops.parts import Part, Tiling, cut
from loomir.passes.loops.lower_linalg_to_loops.rows import row_loops, span_of
from loomir.passes.loops.lower_linalg_to_loops.traffic import traffic
from loomir.passes.loops.lower_linalg_to_loops.vector_ops import widest_element
from loomir.passes.structured.bufferize.pads import PadSpec

_LATENCY = 4
"""Cycles from one addition to an accumulator to the next."""

_PER_CYCLE = 2
"""Operations on vectors that begin in a cycle."""

_LOADS_PER_CYCLE = 4
"""Two loads begin in a cycle; beside operations each costs half of that (measured on Sapphire Rapids, products of 64 columns)."""

_BYTES_PER_CYCLE = 16, 8
"""From the second cache to the first, and from behind it to the second (measured on Sapphire Rapids: 13 … 19 and 9 … 10)."""

_ROWS, _COLUMNS = 14, 8
"""The most that are tried."""

_OPERATIONS = 128
"""The most operations in all copies of a body: code is memory, too."""


@dataclass(frozen=True)
class _Reuse:
    """How an input moves in a tile: whether from column to column, and from row to row."""

    columns: bool
    rows: bool


@dataclass(frozen=True)
class _Candidate:
    """Rows of columns of vectors, and the cycles that the whole nest takes at least."""

    row: int | None
    rows: int
    column_step: int
    row_parts: tuple[Part, ...]
    column_parts: tuple[Part, ...]
    cycles: float

    def parts(self, dim: int) -> dict[int, tuple[Part, ...]]:
        """The parts of each loop of the tile; vectors run along `dim`."""
        rows = {} if self.row is None else {self.row: self.row_parts}
        return {**rows, dim: self.column_parts}


@dataclass
class _Search:
    """All tiles of a reduction whose vectors run along `dim`, and what they cost."""

    generic: GenericOp
    machine: Machine
    dim: int
    lanes: int
    accesses: Sequence[Access | None]
    inputs: dict[int, Access]
    extents: dict[int, int]
    pads: dict[int, PadSpec]
    parallel: Sequence[int]

    def __post_init__(self) -> None:
        _, reductions = iterators_of(self.generic)
        self.order = loop_order(self.generic, self.accesses, list(self.parallel), [])
        self.reductions = {dim: self.extents.get(dim, 1) for dim in reductions}
        self.iterations = prod(self.reductions.values())
        body = self.generic.body.block
        self.size = sum(type(op) in SCALARS for op in body.ops)
        self.work = max(1, self.size - _fused(body, self.machine))

    def tiles(self) -> Iterator[_Candidate]:
        """All that fit in the registers, and one point alone."""
        extent, outputs = self.extents[self.dim], len(self.generic.outputs)
        for row, parts_of in row_loops(self.parallel, self.dim, self.inputs, self.pads, self.extents):
            reuse = [
                _Reuse(a.stride(self.dim) != 0, row is not None and a.stride(row) != 0)
                for a in self.inputs.values()
            ]
            varying = max(1, sum(each.columns for each in reuse))
            others = [
                e for dim, e in self.extents.items() if dim in self.parallel and dim not in (row, self.dim)
            ]
            times = self.iterations * prod(others)
            for rows in range(1, (_ROWS if row is not None else 1) + 1):
                row_parts = parts_of(rows)
                if row_parts is None:
                    continue
                for columns in range(1, _COLUMNS + 1):
                    registers = (rows * columns + columns * varying) * outputs + 1
                    code = rows * columns * self.size
                    if rows * columns > 1 and (registers > self.machine.registers or code > _OPERATIONS):
                        break
                    if columns > 1 and columns * self.lanes > extent:
                        break
                    column_parts = tuple(cut(0, extent, _columns(extent, columns, self.lanes)))
                    cycles = times * sum(
                        r.tiles * c.tiles * _cycles(r.points, c.points, self.work, reuse)
                        for r in row_parts
                        for c in column_parts
                    )
                    yield _Candidate(row, rows, columns * self.lanes, row_parts, column_parts, cycles)

    def waits(self, tile: _Candidate, outermost: int | None, *, doubled: bool) -> float:
        """The cycles that caches take to bring in what the nest reads. `doubled`: constants stay in rows that are longer than the tile,
        whose parts fall on one another in a cache.
        """
        order = sorted(self.order, key=lambda dim: dim != outermost)
        iterations = {**self.reductions, self.dim: tile.column_step}
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
    accesses: Sequence[Access | None],
    pads: dict[int, PadSpec],
    machine: Machine,
    epilogue: Epilogue | None,
    packable: Collection[int],
) -> Tiling | None:
    """The tiling into vectors of this machine; None where there is no loop for them, or the body is none for them."""
    count = len(generic.inputs)
    accesses = squeezed_accesses(accesses, pads)
    epilogue = None if epilogue is None else epilogue.squeezed()
    parallel, reductions = iterators_of(generic)
    extents = static_extents(generic, accesses, pads)
    outputs = [access for access in accesses[count:] if access is not None]
    if len(outputs) < len(generic.outputs) or not all(is_cover(o.map, parallel) for o in outputs):
        return None
    others = () if epilogue is None else epilogue.accesses
    merged = merged_loops([*accesses, *others], _loops_to_merge(generic), extents, pads)
    accesses, extents = merged.all_of(accesses), merged.extents(extents)
    outputs = [merged.of(output) for output in outputs]
    epilogue = None if epilogue is None else epilogue.through(merged)
    others = () if epilogue is None else epilogue.accesses
    blocks = blocks_of([*accesses, *others], parallel, extents, len(generic.iterator_types))
    if blocks is not None:
        accesses, extents = blocks.all_of(accesses), blocks.extents(extents)
        parallel = [*parallel, blocks.inner]
        epilogue = None if epilogue is None else epilogue.through(blocks)
        outputs = [blocks.of(output) for output in outputs]
    inner = [dim for dim in parallel if extents.get(dim, 0) > 1 and all(o.lanes(dim) == 1 for o in outputs)]
    if len(inner) != 1:
        return None
    (dim,) = inner
    inputs = {
        position: access
        for position, access in enumerate(accesses[:count])
        if access is not None and generic.body.block.args[position].uses
    }
    for position, access in inputs.items():
        if not access.is_linear(dim) or span_of(access, pads.get(position), dim, extents) != "everywhere":
            return None
        if access.lanes(dim) is None and position not in packable:
            return None
    widest = _widest(generic, inputs, dim, epilogue)
    if widest is None:
        return None
    lanes = machine.lanes * 32 // max(widest, 32)
    if lanes < 2:
        return None
    if not any(extents.get(r) != 1 for r in reductions):
        parts = tuple(cut(0, extents[dim], _columns(extents[dim], 1, lanes)))
        return Tiling({dim: parts}, dim, merged=merged, blocks=blocks)
    search = _Search(generic, machine, dim, lanes, accesses, inputs, extents, pads, parallel)
    column_loop = blocks.dim if blocks is not None and blocks.inner == dim else dim
    best: tuple[float, Tiling] | None = None
    for tile in search.tiles():
        packs = packable and extents[dim] % tile.column_step == 0
        for outermost in (None, column_loop, tile.row):
            if best is not None and tile.cycles >= best[0]:
                break
            waits = search.waits(tile, outermost, doubled=bool(packable) and not packs)
            cost = max(tile.cycles, waits) + (tile.cycles + waits) / 8
            if best is None or cost < best[0]:
                best = cost, Tiling(tile.parts(dim), dim, merged=merged, blocks=blocks, outermost=outermost)
    return None if best is None else best[1]


def _loops_to_merge(generic: GenericOp) -> list[int]:
    """The parallel loops whose numbers of iterations the body does not ask for."""
    asked = {op.dim.value.data for op in walk(generic.body) if isinstance(op, IndexOp)}
    return [dim for dim in iterators_of(generic)[0] if dim not in asked]


def _widest(generic: GenericOp, inputs: dict[int, Access], dim: int, epilogue: Epilogue | None) -> int | None:
    """The bits of the largest element of the vectors, in the body and the epilogue; None where one of them is not for vectors."""
    body = generic.body.block
    lanes: list[SSAValue] = [body.args[p] for p, access in inputs.items() if access.stride(dim) != 0]
    lanes += body.args[len(generic.inputs) :]
    widest = widest_element(body, lanes, dim)
    if widest is None or epilogue is None:
        return widest
    block, count = epilogue.generic.body.block, len(epilogue.generic.inputs)
    lanes = [block.args[epilogue.position]]
    for position, access in enumerate(epilogue.accesses):
        if access is None or position == epilogue.position:
            continue
        steps = access.lanes(dim)
        if steps is None or (position >= count and steps == 0):
            return None
        if steps and block.args[position].uses:
            lanes.append(block.args[position])
    # (An epilogue has no `linalg.index`.)
    other = widest_element(block, lanes, -1)
    return None if other is None else max(widest, other)


def _fused(body: Block, machine: Machine) -> int:
    """Multiplications that are one instruction with the addition behind them."""
    if not machine.fma:
        return 0
    return sum(
        isinstance(op, arith.AddfOp) and any(isinstance(o.owner, arith.MulfOp) for o in op.operands)
        for op in walk(body)
    )


def _columns(extent: int, columns: int, lanes: int) -> list[tuple[int, int]]:
    """So many vectors at a time, what is left by as many as there are, and then by narrower ones."""
    sizes = [(columns, lanes)]
    rest = extent % (columns * lanes)
    if rest >= lanes:
        sizes.append((rest // lanes, lanes))
    while lanes > 1:
        lanes //= 2
        sizes.append((1, lanes))
    return sizes


def _cycles(rows: int, columns: int, work: int, reuse: Sequence[_Reuse]) -> float:
    """How long one iteration of the reductions takes."""
    loads = sum((columns if each.columns else 1) * (rows if each.rows else 1) for each in reuse)
    return max(rows * columns * work / _PER_CYCLE + loads / _LOADS_PER_CYCLE, _LATENCY)
