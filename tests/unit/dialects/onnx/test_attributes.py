"""Attributes of nodes: ONNX's messages, FRONT, its text, and ONNX's messages again."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import AttributeProto, TensorProto, TypeProto, helper
from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, ModuleOp, TensorType, UnitAttr
from xdsl.ir import Attribute

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.attributes import constant_array
from loomir.dialects.element_types import f32, f64, i1, i32
from loomir.dialects.onnx.nodes import Contents, attribute_of, attribute_proto
from loomir.dialects.onnx.operations import NodeOp
from loomir.dialects.onnx.types import UNKNOWN
from tests.support import raises_error

TENSOR = TypeProto()
TENSOR.tensor_type.elem_type = TensorProto.FLOAT
TENSOR.tensor_type.shape.dim.add(dim_value=2)
TENSOR.tensor_type.shape.dim.add()
OPTIONAL = helper.make_optional_type_proto(helper.make_sequence_type_proto(TENSOR))

GIVEN = [
    helper.make_attribute("a", 3),
    helper.make_attribute("a", -(1 << 63)),
    helper.make_attribute("a", 0.1),
    helper.make_attribute("a", float("nan")),
    helper.make_attribute("a", -0.0),
    helper.make_attribute("a", 'text "with" quotes, ü and \n'),
    helper.make_attribute("a", b"\xff\x00 is not UTF-8"),
    helper.make_attribute("a", [1, -2, 3]),
    helper.make_attribute("a", [1 / 3, float("-inf"), float("nan"), 1e-45]),
    helper.make_attribute("a", [], attr_type=AttributeProto.INTS),
    helper.make_attribute("a", [], attr_type=AttributeProto.FLOATS),
    helper.make_attribute("a", ["x", "y z"]),
    helper.make_attribute("a", TENSOR),
    helper.make_attribute("a", OPTIONAL),
    helper.make_attribute(
        "a", helper.make_tensor("", TensorProto.BFLOAT16, [2], b"\x80\x3f\xc0\xff", raw=True)
    ),
    helper.make_attribute("a", helper.make_tensor("", TensorProto.STRING, [2], [b"one", "zwölf".encode()])),
    helper.make_attribute("a", helper.make_tensor("", TensorProto.INT64, [0, 3], b"", raw=True)),
    helper.make_attribute("a", helper.make_tensor("", TensorProto.FLOAT, [600], bytes(2400), raw=True)),
    helper.make_attribute("a", helper.make_tensor("", TensorProto.INT4, [3], b"\x21\x0f", raw=True)),
    helper.make_attribute("a", helper.make_tensor("", TensorProto.BOOL, [2], b"\x00\x01", raw=True)),
    AttributeProto(name="a", type="INTS", ref_attr_name="axes"),
    AttributeProto(name="a", type="UNDEFINED", ref_attr_name="seed"),
]


@pytest.mark.parametrize("given", GIVEN, ids=lambda a: AttributeProto.AttributeType.Name(a.type).lower())
def test_a_message_becomes_the_same_message(given: AttributeProto) -> None:
    if given.HasField("t"):
        given.t.ClearField("name")  # an empty one, which says nothing
    attribute = attribute_of(given, Contents())
    node = NodeOp.of("Any", 1, [], [], attributes={"a": attribute})
    (again,) = parse_module(str(ModuleOp([node]))).ops
    for made in (attribute, again.attributes["a"]):
        assert attribute_proto("a", made).SerializeToString() == given.SerializeToString()


def test_a_sparse_tensor_is_dense() -> None:
    values = helper.make_tensor("v", TensorProto.FLOAT, [1], [2.0])
    sparse = helper.make_sparse_tensor(values, helper.make_tensor("i", TensorProto.INT64, [1], [1]), [3])
    attribute = attribute_of(helper.make_attribute("a", sparse), Contents())
    np.testing.assert_array_equal(constant_array(attribute), [0, 2, 0])
    with raises_error("import-limit"):
        attribute_of(helper.make_attribute("a", sparse), Contents(max_sparse_bytes=8))


@pytest.mark.parametrize(
    "attribute",
    [
        UnitAttr(),
        FloatAttr(1.0, f64),
        IntegerAttr(1, i1),
        DenseArrayBase.from_list(i32, [1]),
        f32,
        UNKNOWN,
        TensorType(UNKNOWN, [2]),
    ],
    ids=str,
)
def test_what_onnx_has_not(attribute: Attribute) -> None:
    with raises_error("invalid-onnx", "which ONNX does not have"):
        attribute_proto("a", attribute)
