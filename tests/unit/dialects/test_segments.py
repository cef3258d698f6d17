"""Operands and results by segments are what xDSL's own accessors say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from xdsl.dialects import linalg, memref, tensor
from xdsl.dialects.builtin import DenseArrayBase, f32, i32
from xdsl.dialects.test import TestOp
from xdsl.ir import Operation
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    OptOperandDef,
    VarOperandDef,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.operations import AttrSizedSegments

import loomir.dialects.segments
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.segments import MAX_ATTRIBUTES, with_quick_segments


class _Operation(IRDLOperation):
    first = opt_operand_def()
    second = operand_def()
    rest = var_operand_def()
    some = var_result_def()
    perhaps = opt_result_def()


@irdl_op_definition
class _Ours(_Operation):
    name = "segments.ours"
    irdl_options = (AttrSizedOperandSegments(as_property=True), AttrSizedResultSegments(as_property=True))


@irdl_op_definition
class _Attributes(_Operation):
    """The same, with its sizes among the attributes."""

    name = "segments.attributes"
    irdl_options = (AttrSizedOperandSegments(), AttrSizedResultSegments())


FIELDS = ("first", "second", "rest", "some", "perhaps")


def operations(op_class: type[_Operation]) -> Iterator[_Operation]:
    for first, rest, some, perhaps in product((0, 1), (0, 1, 3), (0, 2), (0, 1)):
        values = TestOp(result_types=[f32] * 5).results
        yield op_class.build(
            operands=[values[:first], values[1], values[2 : 2 + rest]],
            result_types=[[f32] * some, [f32] * perhaps],
        )


@pytest.mark.parametrize("op_class", [_Ours, _Attributes])
def test_they_are_what_xdsl_finds(op_class: type[_Operation]) -> None:
    made = [*operations(op_class)]
    found = [tuple(getattr(op, field) for field in FIELDS) for op in made]
    with_quick_segments(op_class)
    assert all("_Segment" in type(vars(op_class)[field]).__name__ for field in FIELDS)
    for _ in range(2):
        assert [tuple(getattr(op, field) for field in FIELDS) for op in made] == found


def test_sizes_that_are_replaced_are_read_again() -> None:
    (op,) = [
        o
        for o in operations(with_quick_segments(_Ours))
        if o.first is not None and len(o.rest) == 3 and not o.results
    ]
    values = op.operands
    assert (op.first, op.second) == (values[0], values[1])
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [0, 1, 4])
    assert (op.first, op.second, tuple(op.rest)) == (None, values[0], tuple(values[1:]))


def test_nothing_is_kept_for_ever() -> None:
    op = next(operations(with_quick_segments(_Ours)))
    for _ in range(2 * MAX_ATTRIBUTES):
        op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [0, 1, 0])
        assert op.second is op.operands[0]
    assert len(loomir.dialects.segments._STARTS) <= MAX_ATTRIBUTES


def test_they_are_not_written() -> None:
    op = next(operations(with_quick_segments(_Ours)))
    with pytest.raises(NotImplementedError):
        op.second = op.operands[0]


@pytest.mark.parametrize(
    "op_class",
    [
        LoopOp,
        NextOp,
        linalg.ops.GenericOp,
        linalg.ops.FillOp,
        linalg.ops.CopyOp,
        memref.AllocOp,
        memref.SubviewOp,
        tensor.ExtractSliceOp,
        tensor.InsertSliceOp,
        tensor.PadOp,
    ],
)
def test_the_classes_that_are_asked_most_have_them(op_class: type[Operation]) -> None:
    assert issubclass(op_class, IRDLOperation)
    definition = op_class.get_irdl_definition()
    assert any(isinstance(o, AttrSizedSegments) for o in definition.options)
    for name, operand in definition.operands:
        if isinstance(operand, VarOperandDef | OptOperandDef):
            assert "_Segment" in type(vars(op_class)[name]).__name__
