"""Marks on the loops and rows of a tile whose elements are a row of memory, for who prints it.

```mlir
%row = memref.alloca() {loomir.tile} : memref<32xf32>
scf.for %i = %c0 to %c64 step %c32 {
  scf.for %l = %c0 to %c32 step %c1 { memref.store %zero, %row[%l] … } {loomir.tile, loomir.unroll}
  …
} {loomir.tile}
```

`loomir.tile` is on all that has the size of the tile: a loop over tiles, whose step it is; rows; loops over the elements of a tile, whose
bound it is. The program means the same with any divisor of that size in all those places. `loomir.unroll` is on a loop that is fastest as
its iterations in a row. Whoever reads neither mark is right, too.
"""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation

_TILE, _UNROLL = "loomir.tile", "loomir.unroll"


def mark_tile(op: Operation, *, unroll: bool = False) -> None:
    """Say that a row or a loop has the size of its tile, and that a loop is fastest unrolled."""
    op.attributes[_TILE] = UnitAttr()
    if unroll:
        op.attributes[_UNROLL] = UnitAttr()


def has_size_of_tile(op: Operation) -> bool:
    """Whether somebody said the first."""
    return _TILE in op.attributes


def is_to_unroll(op: Operation) -> bool:
    """Whether somebody said the second."""
    return _UNROLL in op.attributes
