"""Operations of `arith` of two operands, made without xDSL's general constructor.

That constructor sorts its arguments by an operation's definition, which takes three times as long as making the operation; and what it
adds, such as flags, is the same in all operations of a class.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, Operation, SSAValue

Binary = type[arith.SignlessIntegerBinaryOperation | arith.FloatingPointLikeBinaryOperation]
"""Classes whose result has the operands' type."""


def binary(kind: Binary, a: SSAValue, b: SSAValue) -> Operation:
    """`kind(a, b)`, not yet inserted; `a` and `b` are of one type."""
    return kind.create(operands=(a, b), result_types=(a.type,), properties=_properties(kind))


@cache
def _properties(kind: Binary) -> Mapping[str, Attribute]:
    """What the class's constructor gives each operation (`create` copies the mapping)."""
    index = Block(arg_types=[IndexType()]).args[0]
    return kind(index, index).properties
