"""Tiles of scalars as rows of memory, for auto-vectorizing C compilers.

```mlir
// one element of an output a time         // eight of them
scf.for %n = %c0 to %c64 step %c1 {         scf.for %n = %c0 to %c64 step %c8 {
  %sum = scf.for %k … iter_args(%a) {         scf.for %l = %c0 to %c8 step %c1 { memref.store %zero, %row[%l] }
    %x = memref.load %lhs[%k]                 scf.for %k … {
    %w = memref.load %rhs[%k, %n]               %x = memref.load %lhs[%k]
    …                                           scf.for %l = %c0 to %c8 step %c1 {
  }                                               %a = memref.load %row[%l]
  memref.store %sum, %out[%n]                     %w = memref.load %rhs[%k, %n + %l]
}                                                 …
                                                  memref.store %b, %row[%l]
                                                } {loomir.tile, loomir.unroll}
                                              }
                                              scf.for %l … { %sum = memref.load %row[%l]; memref.store %sum, %out[%n + %l] } {…}
                                            }
```

The row is small enough for registers. The loops over it are unrolled (`dialects/tiles.py`), and their operations on a
row are what vectors do. The code is as long for 32 elements as for four, and the C compiler chooses the number of
instructions. Elements that stand still along the row are loaded once, in front of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.tensors import memref_type_of
from loomir.dialects.tiles import mark_tile
from loomir.passes.loops.lower_linalg_to_loops.nest_body import NestBody
from loomir.passes.loops.lower_linalg_to_loops.nest_memory import Made
from loomir.passes.loops.lower_linalg_to_loops.parts import Shift, Tile


@dataclass
class RolledBody(NestBody):
    """Body of a tile in rows.

    All outputs are accumulated, and the tile has one loop.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rows: list[SSAValue] = []

    def open_rows(self) -> None:
        """Create the accumulators: an initialized row of memory for each output."""
        self.rows = [self._row(self.arguments[self.inputs + k].type) for k in self.carried]
        with self._lanes(unroll=True) as lane:
            for row, k in zip(self.rows, self.carried, strict=True):
                before = self._before(k, (), {})
                self.emitter.insert(memref.StoreOp.get(before, row, [lane]))

    def hand_over_rows(self) -> None:
        """Store the rows, or what the epilogue makes of them."""
        rows, self.rows = self.rows, []
        if self.epilogue is None and self._is_adjacent():
            self._finish_rows(rows, unroll=True)
            return
        # What a C compiler keeps in registers ends in rows that only unrolled loops write, side by side.
        behind = [self._row(memref_type_of(row).element_type) for row in rows]
        with self._lanes(unroll=True) as lane:
            for row, other in zip(rows, behind, strict=True):
                result = self.emitter.insert(memref.LoadOp.get(row, [lane])).results[0]
                self.emitter.insert(memref.StoreOp.get(result, other, [lane]))
        self._finish_rows(behind, unroll=False)

    def _finish_rows(self, rows: list[SSAValue], *, unroll: bool) -> None:
        for k, row in zip(self.carried, rows, strict=True):
            with self._lanes(unroll=unroll) as lane:
                result = self.emitter.insert(memref.LoadOp.get(row, [lane])).results[0]
                self._finish(k, result, (), {})

    def copy(self, accumulators: list[SSAValue], behind: Shift = ()) -> list[SSAValue]:
        """Emit the body as a loop over the row.

        Elements that stand still along the row are loaded once, in front of the loop.
        """
        assert not behind, "rows are for C compilers, which unroll"
        ((dim, _),) = self.tile.parts.items()
        made: Made = {}
        for position, argument in enumerate(self.arguments[: self.inputs]):
            access = self.accesses[position]
            if argument.uses and access is not None and access.stride(dim) == 0:
                self._input(position, (), made)
        with self._lanes(unroll=True) as lane:
            values: dict[SSAValue, SSAValue] = {}
            for position, argument in enumerate(self.arguments):
                if not argument.uses:
                    continue
                if position < self.inputs:
                    values[argument] = self._input(position, (), made)
                else:
                    row = self.rows[self.carried.index(position - self.inputs)]
                    values[argument] = self.emitter.insert(memref.LoadOp.get(row, [lane])).results[0]
            yielded = self._operations(self.generic.body.block, values, (), made)
            for row, k in zip(self.rows, self.carried, strict=True):
                self.emitter.insert(memref.StoreOp.get(yielded[k], row, [lane]))
        return []

    def _row(self, element: Attribute) -> SSAValue:
        """Memory for an element of each lane of a rolled tile."""
        (part,) = self.tile.parts.values()
        row = self.emitter.allocate_local(MemRefType(element, [part.step]))
        assert isinstance(row.owner, memref.AllocaOp)
        mark_tile(row.owner)
        return row

    @contextmanager
    def _lanes(self, *, unroll: bool = False) -> Iterator[SSAValue]:
        """Inside of it, a loop over the elements of a rolled tile."""
        ((dim, part),) = self.tile.parts.items()
        with self._each({dim: (part.step, 1)}, Tile()) as (lane,):
            loop = self.emitter.point.block.parent_op()
            assert isinstance(loop, scf.ForOp)
            mark_tile(loop, unroll=unroll)
            yield lane
