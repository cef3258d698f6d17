"""Bounds in types: what they say, how they are written, what checks them."""

import numpy as np
import pytest
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, f32
from xdsl.ir import Block
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from loomir.compiler.mlir.context import make_context
from loomir.dialects.ov.bounds import bounds_of_type, is_bounded, with_bounds
from loomir.dialects.ov.evaluation import evaluate
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.operators.failure import CheckBoundsOp
from tests.support import raises_error

OPEN = TensorType(f32, [DYNAMIC_INDEX, 3, DYNAMIC_INDEX])


def parsed(text: str) -> TensorType:
    type_ = Parser(make_context(), text).parse_type()
    assert isinstance(type_, TensorType)
    return type_


def test_text() -> None:
    bounded = with_bounds(OPEN, [8, 3, None])
    assert str(bounded) == "tensor<?x3x?xf32, #ov.bounds<8, ?, ?>>"
    assert parsed(str(bounded)) == bounded
    assert bounds_of_type(bounded) == (8, 3, None)
    assert with_bounds(bounded, [None, None, None]) == OPEN
    assert not is_bounded(OPEN)


@pytest.mark.parametrize("text", ["<-1>", "<x>", "<true>", "8", f"<{1 << 63}>"])
def test_no_bounds(text: str) -> None:
    with pytest.raises(ParseError):
        parsed(f"tensor<?xf32, #ov.bounds{text}>")


def test_of_another_rank_they_say_nothing() -> None:
    type_ = parsed("tensor<?xf32, #ov.bounds<8, 9>>")
    assert bounds_of_type(type_) == (None,)
    op = CheckBoundsOp.build(
        operands=[Block(arg_types=[parsed("tensor<?xf32>")]).args[0]], result_types=[type_]
    )
    with pytest.raises(VerifyException, match="another rank"):
        op.verify()


def test_facts() -> None:
    fact = Fact.of_type(with_bounds(OPEN, [8, 3, None]))
    assert fact.shape == (Dim(0, 8), Dim(3, 3), Dim(0, None))
    assert fact.type == OPEN
    # What is learnt of a value leaves the bounds of the rest.
    learnt = Fact(f32, (Dim(0, 4), Dim(3, 3), Dim(5, 5)))
    assert (
        str(learnt.type_in_place_of(with_bounds(OPEN, [8, 3, 9]))) == "tensor<?x3x5xf32, #ov.bounds<8, ?, ?>>"
    )
    assert learnt.type_in_place_of(OPEN) == learnt.type


def test_check() -> None:
    op = CheckBoundsOp.of(Block(arg_types=[OPEN]).args[0], [2, None, 4])
    op.verify()
    assert evaluate(op, [np.zeros((2, 3, 4), np.float32)])[0].shape == (2, 3, 4)
    for shape in ((3, 3, 4), (2, 3, 5)):
        with raises_error("runtime-capacity"):
            evaluate(op, [np.zeros(shape, np.float32)])
    (inferred,) = op.infer([Fact(f32, (Dim(0, 9), Dim(3, 3), Dim(6, None)))])
    assert inferred.shape == (Dim(0, 2), Dim(3, 3), Dim(4, 4))
    assert op.accepts([Fact(f32, (Dim(0, 2), Dim(3, 3), Dim(4, 4)))])
    assert not op.accepts([Fact.of_type(OPEN)])
