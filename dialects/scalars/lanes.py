"""Operations of `arith` and `math` on vectors: what they do is what they do with numbers, in each lane."""

from __future__ import annotations

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue


def is_vector(value: SSAValue) -> bool:
    """Whether the value is a vector."""
    return isinstance(value.type, VectorType)


def concerns_vectors(op: Operation) -> bool:
    """Whether an operation has a vector among its operands or results."""
    return any(map(is_vector, op.results)) or any(map(is_vector, op.operands))


def lane_type(value: SSAValue) -> Attribute:
    """The type of one lane of a vector; of a number, its own."""
    return value.type.element_type if isinstance(value.type, VectorType) else value.type


def lanes_of(value: SSAValue) -> int:
    """How many lanes a vector has (of one dimension, all others are refused by LOOPS)."""
    assert isinstance(value.type, VectorType)
    (lanes,) = value.type.get_shape()
    return lanes


def on_numbers(op: Operation) -> Operation:
    """The operation on numbers that each lane of this one does; its operands are the arguments of its block, in order."""
    block = Block(arg_types=[lane_type(operand) for operand in op.operands])
    twin = op.create(
        operands=list(block.args),
        result_types=[lane_type(result) for result in op.results],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    block.add_op(twin)
    return twin
