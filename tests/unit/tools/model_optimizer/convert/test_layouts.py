"""The phase `layout` of `loomir convert`: models channels last, inputs whose layout is changed, operators of extensions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
import onnx
import onnx.parser
import pytest
from xdsl.dialects.builtin import IntegerAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

import loomir
from loomir.compiler.extensions.loading import unloaded_afterwards
from loomir.dialects.element_types import TENSOR
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.interfaces import AnyOrder, ChannelsFirst, Sources
from tests.channels_last import Writer, averaged, convolutions, model, shape_path, transposes
from tests.support import raises_error
from tests.support_extensions import load


@pytest.fixture(autouse=True)
def taken_back() -> Iterator[None]:
    with unloaded_afterwards():
        yield


def test_the_phase_can_be_left_out() -> None:
    assert transposes(loomir.convert(convolutions()).module) == 2
    assert transposes(loomir.convert(convolutions(), disable=["Layout"]).module) == 6


def test_models_that_need_no_change_are_the_same() -> None:
    """Channels first, or without any operation that needs an order."""
    w = Writer()
    x = w.op("Relu", w.op("Conv", "x", w.weights(4, 3, 3, 3)))
    first = model(w, {"x": (1, 3, 8, 8)}, w.op("Conv", x, w.weights(2, 4, 1, 1)), (1, 2, 6, 6))
    w = Writer()
    heads = w.op("Transpose", "x", perm=[0, 2, 1, 3])
    scores = w.op("MatMul", heads, w.op("Transpose", "x", perm=[0, 2, 3, 1]))
    attention = model(w, {"x": (1, 5, 2, 4)}, w.op("Transpose", scores, perm=[0, 2, 1, 3]), (1, 5, 2, 5))
    for each in (first, attention):
        without = loomir.convert(each, disable=["Layout"])
        assert str(loomir.convert(each).module) == str(without.module)


def test_shapes_and_axes_are_those_of_channels_first() -> None:
    module = loomir.convert(averaged()).module
    text = str(module)
    assert "tensor<1x8x8x8xf32>, tensor<2xi64>) -> tensor<1x8xf32>" in text
    assert "dense<[2, 3]>" in text


def test_an_extent_is_read_where_it_is_now() -> None:
    text = str(loomir.convert(shape_path()).module)
    assert "ov.shape_of" in text
    assert transposes(loomir.convert(shape_path()).module) == 2


# -- the layout of an input


def test_an_input_gets_another_layout() -> None:
    before, after = loomir.convert(averaged()), loomir.convert(averaged(), layout="x(nhwc->nchw)")
    assert (transposes(before.module), transposes(after.module)) == (1, 0)
    x = np.random.default_rng(0).standard_normal((1, 8, 8, 3)).astype(np.float32)
    (expected,) = before.run({"x": x}).values()
    (found,) = after.run({"x": x.transpose(0, 3, 1, 2)}).values()
    np.testing.assert_array_equal(found, expected)


def test_means_are_those_of_its_channels() -> None:
    options = {"mean_values": "x[1,2,3]", "scale": 2.0}
    before = loomir.convert(averaged(), layout="x(nhwc)", **options)
    after = loomir.convert(averaged(), layout="x(nhwc->nchw)", **options)
    x = np.random.default_rng(0).standard_normal((1, 8, 8, 3)).astype(np.float32)
    (expected,) = before.run({"x": x}).values()
    (found,) = after.run({"x": x.transpose(0, 3, 1, 2)}).values()
    np.testing.assert_array_equal(found, expected)
    assert transposes(after.module) == 0


def test_bounds_change_with_the_layout() -> None:
    made = loomir.convert(shape_path(), layout="nhwc->nchw", input="x[1,2..9,2..7,3]")
    assert "loomir.bounds = [1 : i64, 3 : i64, 9 : i64, 7 : i64]" in str(made.module)
    assert "tensor<1x3x?x?xf32>" in str(made.module)


def test_a_layout_that_is_no_change() -> None:
    same = loomir.convert(averaged(), layout="nhwc->nhwc").module
    assert str(same) == str(loomir.convert(averaged()).module)


def test_a_layout_of_another_rank() -> None:
    with raises_error("bad-option", "the input 'x'", "NCH->HNC"):
        loomir.convert(averaged(), layout="x(nch->hnc)")


# -- operators of extensions


class Same(OvOperation):
    """An operator that gives its operand."""

    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        return [Fact(facts[0].element, facts[0].shape)]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return x


@irdl_op_definition
class PoolOp(Same):
    """One that is defined on channels first."""

    name = "ov.acme.pool"
    SOURCES: ClassVar = Sources(onnx=("Pool", 1), domain="com.acme")
    LAYOUT: ClassVar = ChannelsFirst()


@irdl_op_definition
class TurnOp(Same):
    """One that turns an axis round."""

    name = "ov.acme.turn"
    SOURCES: ClassVar = Sources(onnx=("Turn", 1), domain="com.acme")
    LAYOUT: ClassVar = AnyOrder(axis="axis")
    axis = prop_def(IntegerAttr)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.flip(x, to_int(self.axis))


def test_an_extension_says_how_its_operators_lie() -> None:
    acme = loomir.Extension("acme")
    acme.operation(PoolOp)
    acme.operation(TurnOp)
    load(acme)
    made = onnx.parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 20, "com.acme" : 1]>
        g (float[1,2,3,4] x) => (float[1,4,2,3] y) {
            a = Transpose <perm = [0, 3, 1, 2]> (x)
            b = com.acme.Pool (a)
            c = Transpose <perm = [0, 2, 3, 1]> (b)
            d = com.acme.Turn <axis = -2> (c)
            e = Transpose <perm = [0, 3, 1, 2]> (d)
            y = com.acme.Pool (e)
        }""")
    before, after = loomir.convert(made, disable=["Layout"]), loomir.convert(made)
    assert (transposes(before.module), transposes(after.module)) == (3, 1)
    assert re.search(r"ov.acme.turn %\w+ \{axis = 3 : i64\} : \(tensor<1x4x2x3xf32>\)", str(after.module))
    x = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)
    (expected,) = before.run({"x": x}, engine="graph").values()
    (found,) = after.run({"x": x}, engine="graph").values()
    np.testing.assert_array_equal(found, expected)
