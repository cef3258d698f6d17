"""Vectors of one dimension and a fixed length: `vector<8xf32>`, what a vector register holds.

An operation of `arith` or `math` on vectors does in each lane what it does on scalars: `lane_operation` is that operation on scalars, by
which the table of scalar operations (`loomir.dialects.scalars`) says what vectors are, too.

    %z = arith.maximumf %x, %y : vector<8xf32>   →   arith.maximumf %a, %b : f32
"""

from __future__ import annotations

from typing import TypeGuard

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

Load = memref.LoadOp | vector.LoadOp
Store = memref.StoreOp | vector.StoreOp
LOADS = (memref.LoadOp, vector.LoadOp)
"""What reads elements of one buffer."""
STORES = (memref.StoreOp, vector.StoreOp)
"""What writes elements of one buffer."""


def is_vector(t: Attribute) -> TypeGuard[VectorType]:
    """Whether the type is one of vectors, whatever their shape."""
    return type(t) is VectorType


def lanes_of(t: Attribute) -> int:
    """The number of lanes of a vector of one dimension; of a scalar, 1."""
    return t.get_shape()[0] if is_vector(t) else 1


def lane_type(t: Attribute) -> Attribute:
    """The type of what is in a lane; of a scalar, its own."""
    return t.element_type if is_vector(t) else t


def touches_vectors(op: Operation) -> bool:
    """Whether an operand or a result is a vector."""
    return VectorType in [type(value.type) for value in (*op.operands, *op.results)]


def lane_operation(op: Operation) -> Operation:
    """The operation on the scalars of one lane; its operands are arguments of a block that belongs to nothing."""
    block = Block(arg_types=[lane_type(v.type) for v in op.operands])
    return type(op).create(
        operands=block.args,
        result_types=[lane_type(r.type) for r in op.results],
        properties=op.properties,
        attributes=op.attributes,
    )


def buffer_of(op: Load | Store) -> SSAValue:
    """The memref that a load or a store is of."""
    return op.memref if isinstance(op, memref.LoadOp | memref.StoreOp) else op.base


def accessed_lanes(op: Load | Store) -> int:
    """How many neighbours of the last dimension a load or a store takes, from its indices on."""
    match op:
        case vector.LoadOp():
            return lanes_of(op.result.type)
        case vector.StoreOp():
            return lanes_of(op.vector.type)
        case _:
            return 1


def last_stride_is_one(t: MemRefType) -> bool:
    """Whether neighbours in the last dimension surely are neighbours in memory."""
    strides = t.get_strides()
    return bool(strides) and strides[-1] == 1
