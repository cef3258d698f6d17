"""Operands, results and regions by their names are what xDSL's own accessors say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import product

import pytest
from xdsl.dialects import arith, linalg, math, memref, scf, tensor, vector
from xdsl.dialects.builtin import DenseArrayBase, f32, i32
from xdsl.dialects.test import TestOp
from xdsl.ir import Operation, Region
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_result_def,
    region_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import Directive, FormatProgram, OperandsOrResultDirective
from xdsl.irdl.operations import BaseAccessor, BaseAttrAccessor
from xdsl.parser import Parser

import loomir.dialects.accessors
from loomir.compiler.mlir.context import make_context
from loomir.dialects.accessors import DIALECTS, MAX_ATTRIBUTES, with_quick_accessors
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp


class _Operation(IRDLOperation):
    first = opt_operand_def()
    second = operand_def()
    rest = var_operand_def()
    some = var_result_def()
    perhaps = opt_result_def()


@irdl_op_definition
class _Ours(_Operation):
    name = "accessors.ours"
    irdl_options = (AttrSizedOperandSegments(as_property=True), AttrSizedResultSegments(as_property=True))


@irdl_op_definition
class _Attributes(_Operation):
    """The same, with its sizes among the attributes."""

    name = "accessors.attributes"
    irdl_options = (AttrSizedOperandSegments(), AttrSizedResultSegments())


@irdl_op_definition
class _OneVariadic(IRDLOperation):
    """Without sizes: one variadic operand among others, one variadic result behind another."""

    name = "accessors.one_variadic"
    first = operand_def()
    second = operand_def()
    rest = var_operand_def()
    last = operand_def()
    only = result_def()
    some = var_result_def()
    body = region_def()
    other = region_def()


FIELDS = ("first", "second", "rest", "some", "perhaps")
FIELDS_OF_ONE = ("first", "second", "rest", "last", "only", "some", "body", "other")


def operations(op_class: type[_Operation]) -> Iterator[_Operation]:
    for first, rest, some, perhaps in product((0, 1), (0, 1, 3), (0, 2), (0, 1)):
        values = TestOp(result_types=[f32] * 5).results
        yield op_class.build(
            operands=[values[:first], values[1], values[2 : 2 + rest]],
            result_types=[[f32] * some, [f32] * perhaps],
        )


@pytest.mark.parametrize("op_class", [_Ours, _Attributes])
def test_segments_are_what_xdsl_finds(op_class: type[_Operation]) -> None:
    _are_the_same(op_class, [*operations(op_class)], FIELDS)


def test_what_stands_around_one_variadic_is_what_xdsl_finds() -> None:
    made: list[Operation] = []
    for rest, some in product((0, 1, 3), (0, 2)):
        values = TestOp(result_types=[f32] * 6).results
        made.append(
            _OneVariadic.build(
                operands=[values[0], values[1], values[2 : 2 + rest], values[5]],
                result_types=[f32, [f32] * some],
                regions=[Region(), Region()],
            )
        )
    _are_the_same(_OneVariadic, made, FIELDS_OF_ONE, kept=("last",))


def _are_the_same(
    op_class: type[Operation], made: list[Operation], fields: tuple[str, ...], kept: tuple[str, ...] = ()
) -> None:
    """In value and type, before and after; `kept` are fields whose accessor stays."""
    found = [[(value, type(value)) for value in _fields(op, fields)] for op in made]
    with_quick_accessors(op_class)
    assert {field for field in fields if not isinstance(vars(op_class)[field], property)} == {*kept}
    for _ in range(2):
        assert [[(value, type(value)) for value in _fields(op, fields)] for op in made] == found


def _fields(op: Operation, names: tuple[str, ...]) -> list[object]:
    return [getattr(op, name) for name in names]


def test_operands_that_are_replaced_are_read_again() -> None:
    a, b = TestOp(result_types=[f32] * 2).results
    op = arith.AddfOp(a, a)
    op.operands[1] = b
    assert (op.lhs, op.rhs) == (a, b)
    op.operands = (b, a)
    assert (op.lhs, op.rhs) == (b, a)


def test_sizes_that_are_replaced_are_read_again() -> None:
    (op,) = [
        o
        for o in operations(with_quick_accessors(_Ours))
        if o.first is not None and len(o.rest) == 3 and not o.results
    ]
    values = op.operands
    assert (op.first, op.second) == (values[0], values[1])
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [0, 1, 4])
    assert (op.first, op.second, tuple(op.rest)) == (None, values[0], tuple(values[1:]))


@pytest.mark.parametrize("sizes", [(0, 1, 9), (0, 9, 0), (0, 0, 1)])
def test_sizes_that_are_wrong_end_in_no_error_of_ours(sizes: tuple[int, ...]) -> None:
    """Programs that are not verified are printed; the verifier says what is wrong with them."""
    (op,) = [
        o for o in operations(with_quick_accessors(_Ours)) if o.first is None and not o.rest and not o.results
    ]
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, sizes)
    assert op.first is None
    assert op.second is op.operands[0]


@pytest.mark.parametrize(
    "operation",
    [
        "%0 = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>",
        "%0 = vector.shuffle %v, %w [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>",
        "%0 = vector.create_mask %i : vector<4xi1>",
    ],
)
def test_formats_of_all_operands_together_are_parsed(operation: str) -> None:
    text = f"""func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %v: vector<4xf32>, %w: vector<4xf32>, %i: index) {{
  {operation}
  func.return
}}"""
    module = Parser(make_context(), text).parse_module()
    module.verify()
    assert operation in str(module)


def test_every_class_with_such_a_format_keeps_its_accessors() -> None:
    """xDSL's parser asks them where a segment begins."""
    found: set[str] = set()
    for dialect in DIALECTS:
        for op_class in dialect.operations:
            assert issubclass(op_class, IRDLOperation)
            definition = op_class.get_irdl_definition()
            # (`arith.select` takes more than its format was made for: dialects/vector_conditions.py.)
            if definition.assembly_format is None or op_class is arith.SelectOp:
                continue
            program = FormatProgram.from_str(definition.assembly_format, definition)
            if any(isinstance(each, OperandsOrResultDirective) for each in _directives(program.stmts)):
                found.add(op_class.name)
                for name, _ in (*definition.operands, *definition.results):
                    assert isinstance(vars(op_class)[name], BaseAccessor | BaseAttrAccessor), op_class.name
    assert {"tensor.concat", "vector.shuffle"} <= found


def _directives(found: object) -> Iterator[Directive]:
    """All that are in there."""
    if isinstance(found, Directive):
        yield found
        for field in fields(found):
            yield from _directives(getattr(found, field.name))
    elif isinstance(found, tuple):
        for each in found:
            yield from _directives(each)


def test_nothing_is_kept_for_ever() -> None:
    op = next(operations(with_quick_accessors(_Ours)))
    for _ in range(2 * MAX_ATTRIBUTES):
        op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [0, 1, 0])
        assert op.second is op.operands[0]
    assert len(loomir.dialects.accessors._STARTS) <= MAX_ATTRIBUTES


def test_they_are_not_written() -> None:
    op = next(operations(with_quick_accessors(_Ours)))
    with pytest.raises(NotImplementedError):
        op.second = op.operands[0]


@pytest.mark.parametrize(
    "op_class",
    [
        LoopOp,
        NextOp,
        arith.AddfOp,
        arith.CmpfOp,
        linalg.ops.GenericOp,
        linalg.ops.FillOp,
        math.TanhOp,
        memref.AllocOp,
        memref.LoadOp,
        memref.StoreOp,
        memref.SubviewOp,
        scf.ForOp,
        scf.IfOp,
        tensor.ExtractSliceOp,
        tensor.PadOp,
        vector.LoadOp,
    ],
)
def test_the_classes_that_are_asked_most_have_them(op_class: type[Operation]) -> None:
    assert issubclass(op_class, IRDLOperation)
    definition = op_class.get_irdl_definition()
    named = [*definition.operands, *definition.results, *definition.regions]
    assert named
    for name, _ in named:
        assert isinstance(vars(op_class)[name], property)
