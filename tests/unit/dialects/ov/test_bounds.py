"""Bounds in types: what they say, how they are written, what checks them."""

import numpy as np
import pytest
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, f32
from xdsl.ir import Block
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from loomir.compiler.formats.mlir.parser import make_context
from loomir.dialects.attributes import (
    Bounds,
    bounds_of_type,
    count_of,
    is_bounded,
    joined,
    least,
    with_bounds,
    with_known,
)
from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.operators.internal import CheckBoundsOp
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


def test_text_with_count() -> None:
    counted = with_bounds(OPEN, Bounds((8, 3, 9), 100))
    assert str(counted) == "tensor<?x3x?xf32, #ov.bounds<8, ?, 9, count = 100>>"
    assert parsed(str(counted)) == counted != with_bounds(OPEN, (8, 3, 9))
    assert bounds_of_type(counted) == Bounds((8, 3, 9), 100)
    # Where the extents allow no more it is not said, and where nothing else is known it is said alone.
    assert with_bounds(OPEN, Bounds((8, 3, 9), 216)) == with_bounds(OPEN, (8, 3, 9))
    assert bounds_of_type(parsed("tensor<?x3xf32, #ov.bounds<8, ?, count = 24>>")) == (8, 3)
    alone = with_bounds(OPEN, Bounds((None, 3, None), 6))
    assert str(alone) == "tensor<?x3x?xf32, #ov.bounds<?, ?, ?, count = 6>>"
    assert parsed(str(alone)) == alone


@pytest.mark.parametrize("number", ["-1", "x", "true", str(1 << 63)])
@pytest.mark.parametrize("form", ["<{}>", "<8, count = {}>"])
def test_no_bounds(number: str, form: str) -> None:
    with pytest.raises(ParseError):
        parsed(f"tensor<?xf32, #ov.bounds{form.format(number)}>")


@pytest.mark.parametrize(
    "text", ["8", "<8, count>", "<8, count 4>", "<count = 4, 8>", "<8, count = 4, count = 4>"]
)
def test_no_text(text: str) -> None:
    with pytest.raises(ParseError):
        parsed(f"tensor<?xf32, #ov.bounds{text}>")


def test_least_and_joined() -> None:
    a, b = Bounds((8, 8), 10), Bounds((4, 9))
    assert least(a, b) == Bounds((4, 8), 10)
    assert joined(a, b) == Bounds((8, 9), 36)
    assert least(a, Bounds((None, 1))) == (8, 1)
    assert a.beyond(b) == Bounds((None, 8), 10)
    assert not b.beyond(Bounds((4, 4))).is_bounded
    assert (count_of(a), count_of((2, 3)), count_of((2, None))) == (10, 6, None)
    # An extent that is known lessens what the others allow.
    assert with_known(a, [1, DYNAMIC_INDEX]) == (1, 8)


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


def test_counts_of_facts() -> None:
    fact = Fact.of_type(with_bounds(OPEN, Bounds((8, 3, 9), 100)))
    assert (fact.count, fact.elements.hi) == (100, 100)
    wide, tall = Fact(f32, (Dim(1, 1), Dim(3, 3), Dim(9, 9))), Fact(f32, (Dim(8, 8), Dim(3, 3), Dim(1, 1)))
    both = wide.join(tall)
    assert both.shape == (Dim(1, 8), Dim(3, 3), Dim(1, 9))
    assert (both.count, both.without_content().count) == (27, 27)
    assert both.join(fact).count == 100
    assert both.meet(fact).count == both.of_at_most(30).count == 27
    assert not both.same(Fact(f32, both.shape))
    assert both.join(Fact(f32, (Dim(), Dim(3, 3), Dim()))).count is None
    # Beyond 64 bits it says nothing.
    assert Fact(f32, (Dim(), Dim()), count=1 << 63).count is None
    assert Fact(f32, None, count=8).elements == Dim(0, 8)


def test_check_of_count() -> None:
    op = CheckBoundsOp.of(Block(arg_types=[OPEN]).args[0], Bounds((None, 3, None), 6))
    op.verify()
    assert evaluate(op, [np.zeros((2, 3, 1), np.float32)])[0].shape == (2, 3, 1)
    with raises_error("runtime-capacity"):
        evaluate(op, [np.zeros((2, 3, 2), np.float32)])
    (inferred,) = op.infer([Fact(f32, (Dim(0, 9), Dim(3, 3), Dim(6, None)))])
    assert inferred.count == 6
    assert op.accepts([inferred])
    assert not op.accepts([Fact.of_type(OPEN)])


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
