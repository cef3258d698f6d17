"""Cost model of tiles.

It provides the cycles of one iteration of the reductions for a tile of rows × columns, and whether the registers suffice.

For vectors (`VectorCosts`), the figures are those of the out-of-order cores that have them: two operations begin in a
cycle, each load beside them costs a quarter, and an accumulator waits four cycles for its turn (Fog, Instruction
tables: 4 cycles from Skylake and Zen on). A smaller core does less of each, and the order of the tiles stays nearly the
same.

Scalar integers (`IntegerCosts`) are for small processors that execute one instruction after the other: a multiplication
with its addition, a load, and the loop overhead. They have 14 general registers for all of it (Armv7-M: r0 … r12, lr).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

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
