"""Vectors that registers hold, and marks of tiles, in LOOPS.

**Vectors** are of one dimension and a fixed length, as held by a vector register, for example `vector<8xf32>`. An operation of
`arith` or `math` on vectors does in each lane what it does on scalars: `lane_operation` is that operation on scalars, through
which the table of scalar operations (`loomir.dialects.scalars`) applies to vectors, too.

    %z = arith.maximumf %x, %y : vector<8xf32>   →   arith.maximumf %a, %b : f32

**Tiles** are marks on loops and rows, for printers. The elements of a tile are a row of memory.

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

from typing import TypeGuard

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import MemRefType, UnitAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.printer import Printer

Load = memref.LoadOp | vector.LoadOp
Store = memref.StoreOp | vector.StoreOp
LOADS = (memref.LoadOp, vector.LoadOp)
"""Operations that read elements of one buffer."""
STORES = (memref.StoreOp, vector.StoreOp)
"""Operations that write elements of one buffer."""


def is_vector(t: Attribute) -> TypeGuard[VectorType]:
    """Return True for a vector type of any shape."""
    return type(t) is VectorType


def lanes_of(t: Attribute) -> int:
    """Return the number of lanes of a one-dimensional vector or scalar.

    A scalar has one lane.
    """
    return t.get_shape()[0] if is_vector(t) else 1


def lane_type(t: Attribute) -> Attribute:
    """Return the type of a lane; for a scalar, its own type."""
    return t.element_type if is_vector(t) else t


def touches_vectors(op: Operation) -> bool:
    """Return True if an operand or a result is a vector."""
    return VectorType in [type(value.type) for value in (*op.operands, *op.results)]


class MaskedSelectOp(arith.SelectOp):
    """`arith.select` whose condition is a mask."""

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.cond.type)
        printer.print_string(", ")
        printer.print_attribute(self.result.type)


def lane_operation(op: Operation) -> Operation:
    """Return the operation on the scalars of one lane.

    Its operands are arguments of a detached block.
    """
    block = Block(arg_types=[lane_type(v.type) for v in op.operands])
    kind = arith.SelectOp if isinstance(op, MaskedSelectOp) else type(op)
    return kind.create(
        operands=block.args,
        result_types=[lane_type(r.type) for r in op.results],
        properties=op.properties,
        attributes=op.attributes,
    )


def buffer_of(op: Load | Store) -> SSAValue:
    """The memref that a load or a store is of."""
    return op.memref if isinstance(op, memref.LoadOp | memref.StoreOp) else op.base


def accessed_lanes(op: Load | Store) -> int:
    """Return the number of lanes that a load or a store accesses.

    They are adjacent elements of the last dimension, starting at the indices.
    """
    match op:
        case vector.LoadOp():
            return lanes_of(op.result.type)
        case vector.StoreOp():
            return lanes_of(op.vector.type)
        case _:
            return 1


def last_stride_is_one(t: MemRefType) -> bool:
    """Return True if neighbours in the last dimension are adjacent in memory.

    The result is True only if this is certain.
    """
    strides = t.get_strides()
    return bool(strides) and strides[-1] == 1


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
