"""Construction of frequent operations without xDSL's general constructor.

That constructor sorts its arguments by an operation's definition, which takes three times as long as making the operation; and what it
adds, such as flags, is the same in all operations of a class.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DenseArrayBase, IndexType, MemRefType, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import AttrSizedOperandSegments

Binary = type[arith.SignlessIntegerBinaryOperation | arith.FloatingPointLikeBinaryOperation]
"""Classes whose result has the operands' type."""


def binary(kind: Binary, a: SSAValue, b: SSAValue) -> Operation:
    """`kind(a, b)`, not yet inserted; `a` and `b` are of one type."""
    return kind.create(operands=(a, b), result_types=(a.type,), properties=_properties(kind))


@cache
def _properties(kind: Binary) -> Mapping[str, Attribute]:
    """Return the properties that the class's constructor adds to each operation.

    (`create` copies the mapping.)
    """
    index = Block(arg_types=[IndexType()]).args[0]
    return kind(index, index).properties


@cache
def segments(*counts: int) -> Mapping[str, Attribute]:
    """Return the property that holds the sizes of an operation's operand segments."""
    return {AttrSizedOperandSegments.attribute_name: DenseArrayBase.from_list(i32, counts)}


def allocation(type_: MemRefType) -> memref.AllocOp:
    """`memref.alloc` of a static type, not yet inserted."""
    return memref.AllocOp.create(result_types=(type_,), properties=segments(0, 0))


def local_allocation(type_: MemRefType) -> memref.AllocaOp:
    """`memref.alloca` of a static type, not yet inserted."""
    return memref.AllocaOp.create(result_types=(type_,), properties=segments(0, 0))
