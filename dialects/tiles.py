"""Marks on the loops and rows of a tile, for printers.

The elements of a tile are a row of memory.

```mlir
%row = memref.alloca() {loomir.tile} : memref<32xf32>
scf.for %i = %c0 to %c64 step %c32 {
  scf.for %l = %c0 to %c32 step %c1 { memref.store %zero, %row[%l] … } {loomir.tile, loomir.unroll}
  …
} {loomir.tile}
```

`loomir.tile` marks everything that has the size of the tile: a loop over tiles, whose step it is; rows; loops over the elements of
a tile, whose bound it is. The program keeps its meaning with any divisor of that size in all those places. `loomir.unroll` marks a
loop that is fastest fully unrolled. A printer may ignore both marks.
"""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation

_TILE, _UNROLL = "loomir.tile", "loomir.unroll"


def mark_tile(op: Operation, *, unroll: bool = False) -> None:
    """Mark a row or loop as having its tile's size.

    With `unroll`, mark a loop as fastest when unrolled.
    """
    op.attributes[_TILE] = UnitAttr()
    if unroll:
        op.attributes[_UNROLL] = UnitAttr()


def has_size_of_tile(op: Operation) -> bool:
    """Return True if an operation is marked as tile-sized."""
    return _TILE in op.attributes


def is_to_unroll(op: Operation) -> bool:
    """Return True if a loop is marked for unrolling."""
    return _UNROLL in op.attributes
