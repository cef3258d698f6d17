"""Tilings of a nest, and their costs in cycles and cache traffic.

A `Tiling` holds the chosen transformations of a nest's loops: tiling, merging, blocks, and order.

*Cycles.* The cost model provides the cycles of one iteration of the reductions for a tile of rows ×
columns, and whether the registers suffice.

For vectors (`VectorCosts`), the figures are those of the out-of-order cores that have them: two operations begin in a
cycle, each load beside them costs a quarter, and an accumulator waits four cycles for its turn (Fog, Instruction
tables: 4 cycles from Skylake and Zen on). A smaller core does less of each, and the order of the tiles stays nearly the
same.

Scalar integers (`IntegerCosts`) are for small processors that execute one instruction after the other: a multiplication
with its addition, a load, and the loop overhead. They have 14 general registers for all of it (Armv7-M: r0 … r12, lr).

*Cache traffic* is the bytes that a nest of tiles brings in from behind a cache.

The model starts with the tile and proceeds to the loops around it, from the inside out. As long as all data that one
iteration touches fits into the cache, the next iterations find the shared data there, and the loop brings in each line
once. The first loop for which this does not hold brings in everything anew each time it runs, and so do the loops
around it.

    for block:                     245 KiB of weights for each block fit in the second cache, and are there for all rows;
      for rows:                    outside in, rows before blocks, all 2.6 MB would go by for each tile of rows
        for k: …
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from loomir.dialects.element_types import dtype_of, memref_type_of
from loomir.passes.loops.lower_linalg_to_loops.access import MemRefAccess
from loomir.passes.loops.lower_linalg_to_loops.borders import Promotion
from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import Blocks, CollapsedLoops, IterationRange


@dataclass(frozen=True)
class Unrolled:
    """Reduction of which `times` iterations are unrolled in the loop's body.

    `times` divides the trip count.
    """

    dim: int
    times: int


@dataclass(frozen=True)
class Tiling:
    """The parts of each loop that is tiled.

    `vector` is the dimension that vectors run along; `folded`: it is a reduction (`tiling.py`). `by_memory`: scalars that are no
    neighbours in memory, or have an epilogue, go through a row of memory (`nest_body.py`). `rolled`: the scalars of a tile are a row of
    memory that small loops go through (`nest_body.py`). `merged`: the loops that are one. `blocks`: the loop that is in blocks.
    `transposed`: two loops in blocks, outside of which all others are (`tiling.py`).
    `outermost`: the loop that comes before all others, whatever order they have. `promoted`: inputs that are copied with their padding.
    `unrolled`: the reduction that is done several iterations at a time.
    """

    parts: Mapping[int, tuple[IterationRange, ...]]
    vector: int | None = None
    by_memory: bool = False
    rolled: bool = False
    folded: bool = False
    merged: CollapsedLoops | None = None
    blocks: Blocks | None = None
    transposed: Sequence[Blocks] = ()
    outermost: int | None = None
    promoted: Sequence[Promotion] = ()
    unrolled: Unrolled | None = None

    @property
    def in_blocks(self) -> Sequence[Blocks]:
        """All loops that are in blocks."""
        return (*self.transposed, *([] if self.blocks is None else [self.blocks]))

    def order(self, order: Sequence[int]) -> list[int]:
        """Return the order of loops with the outermost first.

        Loops inside a block of a transposition are last.
        """
        inner = {blocks.inner for blocks in self.transposed}
        return sorted(order, key=lambda dim: (dim != self.outermost, dim in inner))


def no_tiling() -> Tiling:
    """One iteration at a time, of every loop."""
    return Tiling(MappingProxyType({}))


_LATENCY = 4
"""Cycles from one addition to an accumulator to the next."""

_PER_CYCLE = 2
"""Operations on vectors that begin in a cycle."""

_LOADS_PER_CYCLE = 4
"""Loads per cycle beside other operations.

Two loads begin in a cycle; beside operations each costs half of that (measured on Sapphire Rapids, products of 64
columns).
"""

_GENERAL_REGISTERS = 14
"""Those of Armv7-M without the stack pointer and the program counter."""

_LOOP = 4
"""Loop instructions besides the body: two pointers, the end, the branch."""

_ENTRY = 10
"""Instructions around the innermost loop: its initial pointers, the enclosing loop."""

_TILE = 30
"""Those of a tile that are not of its elements."""

_POINTERS = 4
"""Registers that a loop needs.

They hold a pointer for each of two inputs, the end, and the multiplied value.
"""


@dataclass(frozen=True)
class Reuse:
    """Movement of an input in a tile.

    It tells whether the input moves from column to column, and from row to row.
    """

    columns: bool
    rows: bool


class Costs(Protocol):
    """A model of a processor."""

    def fit(self, rows: int, columns: int, reuse: Sequence[Reuse], outputs: int) -> bool:
        """Return True if the registers suffice for a tile.

        They must hold the tile's accumulators and the values needed at a time.
        """
        ...

    def cycles(self, rows: int, columns: int, work: int, reuse: Sequence[Reuse]) -> float:
        """Return the cycles of one iteration of the reductions.

        `work` is the number of operations for one point.
        """
        ...


@dataclass(frozen=True)
class VectorCosts:
    """Vectors of a machine that has so many registers for them."""

    registers: int

    def fit(self, rows: int, columns: int, reuse: Sequence[Reuse], outputs: int) -> bool:
        varying = max(1, sum(each.columns for each in reuse))
        return (rows * columns + columns * varying) * outputs + 1 <= self.registers

    def cycles(self, rows: int, columns: int, work: int, reuse: Sequence[Reuse]) -> float:
        loads = _loads(rows, columns, reuse)
        return max(rows * columns * work / _PER_CYCLE + loads / _LOADS_PER_CYCLE, _LATENCY)


@dataclass(frozen=True)
class IntegerCosts:
    """Costs of integers in general registers, one instruction at a time.

    Of a tile's `iterations`, `innermost` are in the innermost loop.

    With `quads`, a point takes two multiplications, and each loaded quad is split into two registers.
    """

    iterations: int
    innermost: int
    quads: bool = False

    def fit(self, rows: int, columns: int, reuse: Sequence[Reuse], outputs: int) -> bool:
        held = 2 * min(rows, columns) + 2 if self.quads else min(rows, columns)
        return rows * columns * outputs + held + _POINTERS <= _GENERAL_REGISTERS

    def cycles(self, rows: int, columns: int, work: int, reuse: Sequence[Reuse]) -> float:
        point, load, loop = (2, 3, _LOOP - 1) if self.quads else (1, 1, _LOOP)
        around = loop + _ENTRY / self.innermost + _TILE / self.iterations
        return rows * columns * work * point + _loads(rows, columns, reuse) * load + around


def _loads(rows: int, columns: int, reuse: Sequence[Reuse]) -> int:
    """Return the number of loads of a tile in an iteration.

    A value that several points share is loaded once.
    """
    return sum((columns if each.columns else 1) * (rows if each.rows else 1) for each in reuse)


_LINE = 64
"""Bytes that a cache brings in at a time."""


def traffic(
    accesses: Sequence[MemRefAccess],
    order: Sequence[int],
    tile: Mapping[int, int],
    extents: Mapping[int, int],
    cache: int,
) -> float:
    """Return the bytes that come from behind a cache of `cache` bytes.

    `order` lists the loops around the tile, outermost first; `tile` holds the iterations of each loop in a tile, if not one.
    """
    spans = {**tile}
    touched = sum(_touched(access, spans) for access in accesses)
    around = list(order)
    while around and touched <= cache:
        dim = around.pop()
        spans[dim] = extents.get(dim, 1)
        touched = sum(_touched(access, spans) for access in accesses)
    times = 1.0
    for dim in around:
        times *= max(1.0, extents.get(dim, 1) / tile.get(dim, 1))
    return touched * times


def _touched(access: MemRefAccess, spans: Mapping[int, int]) -> int:
    """Return the bytes of the cache lines that the iterations touch.

    `spans` holds the number of iterations of each loop.
    """
    type_ = memref_type_of(access.value)
    size = dtype_of(type_.element_type).itemsize
    for number, (terms, extent, stride) in enumerate(
        zip(
            reversed(access.coordinates),
            reversed(access.shape),
            reversed(access.strides),
            strict=True,
        )
    ):
        reach = 1
        for atom, factor in terms.terms:
            if isinstance(atom, int):
                reach += abs(factor) * (spans.get(atom, 1) - 1)
            else:
                reach *= max(spans.get(dim, 1) for dim in atom.used_dims())
        reach = reach if extent < 0 else min(reach, extent)
        size *= reach
        if number == 0 and (stride != 1 or reach < extent):
            size = -(-size // _LINE) * _LINE
    return size
