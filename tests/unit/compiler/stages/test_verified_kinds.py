"""`VerifiedKinds` refuses what an operation's own verifier refuses, also behind operations of the same kind that are right."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import arith, func, memref, scf, test
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, ModuleOp, VectorType, f32, f64, i32
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import OpDef
from xdsl.utils.exceptions import VerifyException

from loomir.compiler.stages import StageError, verify_module
from loomir.compiler.stages.operations import VerifiedKinds
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.upstream.vector_conditions import compare_floats


def loads(count: int) -> list[memref.LoadOp]:
    """Operations of one kind."""
    buffer = test.TestOp(result_types=[MemRefType(f32, [4])])
    index = arith.ConstantOp(IntegerAttr.from_index_int_value(0))
    found = [memref.LoadOp.get(buffer.results[0], [index.result]) for _ in range(count)]
    ModuleOp([buffer, index, *found, test.TestOp()])
    return found


def verified(ops: list[Operation]) -> None:
    kinds = VerifiedKinds()
    for op in ops:
        kinds.verify(op)


def test_operations_of_a_kind_are_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ops = loads(3)
    in_full: list[Operation] = []
    verify = OpDef.verify

    def noted(definition: OpDef, op: Operation) -> None:
        in_full.append(op)
        verify(definition, op)

    monkeypatch.setattr(OpDef, "verify", noted)
    verified([*ops])
    assert in_full == ops[:1]


def test_another_result_type_is_another_kind() -> None:
    right, wrong = loads(2)
    wrong.results = type(wrong.results)([type(wrong.results[0])(f64, wrong, 0)])
    with pytest.raises(VerifyException):
        verified([right, wrong])


def test_another_property_is_another_kind() -> None:
    right = arith.ConstantOp(IntegerAttr(1, i32))
    wrong = arith.ConstantOp(IntegerAttr(1, i32))
    del wrong.properties["value"]
    with pytest.raises(VerifyException):
        verified([right, wrong])


def test_a_property_too_many_is_another_kind() -> None:
    right, wrong = loads(2)
    wrong.properties["unknown"] = IntegerAttr(1, i32)
    with pytest.raises(VerifyException):
        verified([right, wrong])


def test_where_an_operation_stands_is_asked_of_each() -> None:
    right, wrong = func.ReturnOp(), func.ReturnOp()
    func.FuncOp("main", ((), ()), Region([Block([right])]))
    # A terminator that does not end its block.
    Block([wrong, test.TestOp()])
    with pytest.raises(VerifyException):
        verified([right, wrong])


def test_what_ends_a_block_is_asked_of_each() -> None:
    region = Region([Block([test.TestOp()])])
    test.TestOp(regions=[region])
    first, *_ = region.block.ops
    with pytest.raises(VerifyException):
        verified([test.TestOp(), first])


def test_contents_are_asked_of_each() -> None:
    """`ov` infers from what constants hold, which the types do not say."""
    data = ConstantOp.of(np.zeros((2, 3), np.float32))
    good, bad = (ConstantOp.of(np.array(shape, np.int64)) for shape in ([3, 2], [5, 7]))
    right = ReshapeOp.make(data.results[0], good.results[0])
    wrong = right.clone({good.results[0]: bad.results[0]})
    verified([right])
    with pytest.raises(VerifyException):
        verified([right, wrong])


def test_nothing_isolated_uses_what_is_outside() -> None:
    outside = test.TestOp(result_types=[f32])
    inside = test.TestOp(operands=[outside.results[0]])
    function = func.FuncOp("main", ((), ()), Region([Block([inside, func.ReturnOp()])]))
    with pytest.raises(StageError, match="not defined before or not visible here"):
        verify_module(ModuleOp([outside, function]))


def loop(yielded: Attribute) -> scf.ForOp:
    """A loop that carries an f32 and hands on a value of this type."""
    bound = arith.ConstantOp(IntegerAttr.from_index_int_value(4))
    source = test.TestOp(result_types=[f32, yielded])
    body = Block([scf.YieldOp(source.results[1])], arg_types=[IndexType(), f32])
    made = scf.ForOp(bound.result, bound.result, bound.result, [source.results[0]], body)
    ModuleOp([bound, source, made, test.TestOp()])
    return made


def test_what_a_region_hands_on_is_of_the_kind() -> None:
    verified([loop(f32), loop(f32)])
    with pytest.raises(VerifyException):
        verified([loop(f32), loop(f64)])


def test_how_a_region_ends_is_of_the_kind() -> None:
    right, wrong = loop(f32), loop(f32)
    last = wrong.body.block.last_op
    assert last is not None
    wrong.body.block.add_op(test.TestOp(operands=last.operands))
    with pytest.raises(VerifyException):
        verified([right, wrong])


def test_vectors_are_of_the_kind() -> None:
    """Of operations that take vectors beside what upstream takes (`vector_conditions.py`)."""

    def compared(left: Attribute, right: Attribute) -> arith.CmpfOp:
        values = test.TestOp(result_types=[left, right])
        op = compare_floats(values.results[0], values.results[0], "olt")
        op.operands[1] = values.results[1]
        ModuleOp([values, op, test.TestOp()])
        return op

    four, eight = VectorType(f32, [4]), VectorType(f32, [8])
    for right in (f32, four, eight):
        verified([compared(right, right), compared(right, right)])
    with pytest.raises(VerifyException):
        verified([compared(four, four), compared(four, eight)])


def test_one_of_each_kind_is_told() -> None:
    ops = loads(3)
    kinds = VerifiedKinds()
    assert [kinds.verify(op) for op in ops] == [True, False, False]
