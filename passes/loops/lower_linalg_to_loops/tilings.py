"""Transformations of a nest's loops: tiling, merging, blocks, and order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from loomir.passes.loops.lower_linalg_to_loops.blocks import Blocks
from loomir.passes.loops.lower_linalg_to_loops.merging import Merged
from loomir.passes.loops.lower_linalg_to_loops.parts import Part
from loomir.passes.loops.lower_linalg_to_loops.promoting import Promotion


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

    `vector` is the dimension that vectors run along; `folded`: it is a reduction (`folding.py`). `by_memory`: scalars that are no
    neighbours in memory, or have an epilogue, go through a row of memory (`nest_body.py`). `rolled`: the scalars of a tile are a row of
    memory that small loops go through (`rolled.py`). `merged`: the loops that are one. `blocks`: the loop that is in blocks.
    `transposed`: two loops in blocks, outside of which all others are (`transposing.py`).
    `outermost`: the loop that comes before all others, whatever order they have. `promoted`: inputs that are copied with their padding.
    `unrolled`: the reduction that is done several iterations at a time.
    """

    parts: Mapping[int, tuple[Part, ...]]
    vector: int | None = None
    by_memory: bool = False
    rolled: bool = False
    folded: bool = False
    merged: Merged | None = None
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
