"""Checks that precede the construction of every operation.

Operands and attributes are as the operation's class declares them, and shapes are possible.
"""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, SSAValue

from loomir.dialects.element_types import f32, i64
from loomir.dialects.ov.base import set_result_types
from loomir.dialects.ov.facts import MAX_ELEMENTS, Dim, Fact, shape_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.elementwise_unary import AbsOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ovseq.sequences import ConstructOp
from tests.support import raises_error


def values(count: int, shape: tuple[int, ...] = (4,)) -> list[SSAValue]:
    return list(Block(arg_types=[TensorType(f32, shape)] * count).args)


@pytest.mark.parametrize(
    ("op_class", "counts", "wanted"),
    [(AddOp, (0, 1, 3), "2"), (AbsOp, (0, 2), "1"), (SliceOp, (0, 3, 6), "4 to 5"), (ConcatOp, (), "1")],
)
def test_as_many_operands_as_declared(op_class, counts: tuple[int, ...], wanted: str) -> None:
    for count in counts:
        given = values(count)
        with raises_error("operand-count", f"there are {count} operands", f"has {wanted}"):
            op_class.make(*given)
        assert not any(len(list(v.uses)) for v in given)


def test_a_sequence_is_no_tensor() -> None:
    sequence = ConstructOp.make(values(2)).results[0]
    with raises_error("operand-kind", "operand 1", "not a tensor"):
        AddOp.make(values(1)[0], sequence)


def test_attributes_that_must_be_there() -> None:
    with raises_error("attribute-missing", "axis is missing"):
        ConcatOp.make(values(2))


@pytest.mark.parametrize("number", [1 << 63, -(1 << 63) - 1, 10**30])
def test_attributes_have_64_bits(number: int) -> None:
    with raises_error("attribute-value", "64-bit"):
        ConcatOp.make(values(2), attributes={"axis": number})


def test_as_many_results_as_inferred() -> None:
    op = AbsOp.make(*values(1))
    with raises_error("result-count", "2 results here, not 1"):
        set_result_types(op, [op.results[0].type] * 2)


def test_shapes_that_no_tensor_has() -> None:
    assert Fact(f32, (Dim(1, 1),) * 32).rank == 32
    with raises_error("shape-too-large", "33 dimensions"):
        Fact(f32, (Dim(1, 1),) * 33)
    for shape in ((MAX_ELEMENTS,), (0, (1 << 63) - 1), (1 << 30, 1 << 30)):
        with raises_error("shape-too-large", "more elements than addresses"):
            Fact(f32, shape_of(shape))
    assert Fact(f32, (Dim(0, (1 << 63) - 1), Dim())).rank == 2
    with raises_error("shape-too-large", "64 bits"):
        Dim(1 << 63, 1 << 63)
    with raises_error("shape-too-large", "more elements"):
        block = Block(arg_types=[TensorType(f32, [2, 1 << 50]), TensorType(i64, [1 << 20])])
        GatherOp.make(*block.args, ConstantOp.of(np.array(0)).output)


def test_bounds_beyond_64_bits_bound_nothing() -> None:
    assert Dim(0, 1 << 63) == Dim()
    assert Dim(0, 1 << 40) * Dim(0, 1 << 40) == Dim()
    assert (Dim(0, (1 << 63) - 1) + 1).hi is None
