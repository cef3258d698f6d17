"""What one iteration of the reductions takes for a tile of rows × columns, and whether its registers are enough.

Of vectors (`VectorCosts`) these are figures of the out-of-order cores that have them: in a cycle two operations begin, beside which each
load costs a quarter, and an accumulator waits four cycles for its turn (Fog, Instruction tables: 4 cycles from Skylake and Zen on). A core
that does less does less of each, and the order of the tiles stays nearly the same.

Scalar integers (`IntegerCosts`) are for small processors that do one instruction after the other: a multiplication with its addition, a
load, and what the loop takes. They have 14 general registers for all of it (Armv7-M: r0 … r12, lr).
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
"""Two loads begin in a cycle; beside operations each costs half of that (measured on Sapphire Rapids, products of 64 columns)."""

_GENERAL_REGISTERS = 14
"""Those of Armv7-M without the stack pointer and the program counter."""

_LOOP = 4
"""Instructions of a loop besides its body: two pointers, the end, the branch."""

_ENTRY = 10
"""Those around the innermost loop: the pointers it begins with, the loop around it."""

_TILE = 30
"""Those of a tile that are not of its elements."""

_POINTERS = 4
"""Registers for what a loop needs: a pointer for each of two inputs, the end, and what is multiplied."""


@dataclass(frozen=True)
class Reuse:
    """How an input moves in a tile: whether from column to column, and from row to row."""

    columns: bool
    rows: bool


class Costs(Protocol):
    """A model of a processor."""

    def fit(self, rows: int, columns: int, reuse: Sequence[Reuse], outputs: int) -> bool:
        """Whether there are registers for a tile's accumulators and for what they need at a time."""
        ...

    def cycles(self, rows: int, columns: int, work: int, reuse: Sequence[Reuse]) -> float:
        """How long one iteration of the reductions takes; `work` are the operations for one point."""
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
    """Integers in general registers, an instruction at a time. Of a tile's `iterations`, so many are in the `innermost` loop.

    Of `quads` a point takes two multiplications, and each that is loaded is taken apart into two registers.
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
    """What a tile loads in an iteration: once what its points share."""
    return sum((columns if each.columns else 1) * (rows if each.rows else 1) for each in reuse)
