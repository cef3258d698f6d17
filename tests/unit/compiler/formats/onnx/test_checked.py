"""Models that ONNX's checker refuses.

The error names node, operator and file, and says what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
import onnx.parser
import pytest
from onnx import AttributeProto, ModelProto, TensorProto

import loomir
from tests.support import raises_error

LOOP = """g (float[2] x) => (float[2] y) { n = Constant <value_int = 3> () y = Loop (n, "", x)
  <body = b (int64 i, bool c, float[2] a) => (bool d, float[2] e) { d = Identity (c) e = Abs (a, a) }> }"""
BRANCH = """g (float[2] x, bool c) => (float[2] y) { y = If (c)
  <then_branch = t () => (float[2] x) {}, else_branch = e () => (float[2] q) { q = Neg (x) }> }"""
NEG = "g (float[2] x) => (float[2] y) { y = Neg (x) }"

NODES = {
    "too many inputs": (
        "g (float[2] x) => (float[2] y) { y = Abs (x, x) }",
        21,
        "Abs",
        "compare their number",
    ),
    "too few inputs": ("g (float[2] x) => (float[2] y) { y = Add (x) }", 21, "Add", "compare their number"),
    "an attribute that is none": (
        'g (float[2] x) => (float[2] y) { y = Abs <k = "r"> (x) }',
        21,
        "Abs",
        "attributes",
    ),
    "an attribute that is missing": (
        "g (float[2] x) => (float[2] y) { y = Cast (x) }",
        21,
        "Cast",
        "attributes",
    ),
    "an attribute's type": (
        "g (float[2] x) => (float[2] y) { y = LeakyRelu <alpha = 1> (x) }",
        21,
        "LeakyRelu",
        "attributes",
    ),
    "a deprecated operator": (
        "g (float[1,1,2,2] x, float[4] s) => (float[a,b,c,d] y) { y = Upsample (x, s) }",
        11,
        "Upsample",
        "older",
    ),
    "a node in a body": (LOOP, 21, "Loop", "compare their number"),
    "an outer value as output": (BRANCH, 21, "If", "Identity"),
}


def saved(model: ModelProto, folder: Path) -> Path:
    onnx.save(model, folder / "m.onnx")
    return folder / "m.onnx"


@pytest.mark.parametrize("name", ["choose me", "a 'b' OpType: C", "größe", ""])
@pytest.mark.parametrize("what", NODES)
def test_of_a_node(what: str, name: str, tmp_path: Path) -> None:
    graph, opset, operator, advice = NODES[what]
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": {opset}]> {graph}')
    model.graph.node[-1].name = name
    with raises_error("invalid-onnx", advice, "m.onnx") as info:
        loomir.load(saved(model, tmp_path))
    assert (info.value.where.layer, info.value.where.op) == (name or None, operator)
    assert "==>" not in str(info.value)


def untyped_attribute(model: ModelProto) -> None:
    model.graph.node[0].attribute.add(name="a", i=1)


def unnamed_attribute(model: ModelProto) -> None:
    model.graph.node[0].attribute.add(type=AttributeProto.INT, i=1)


def no_values(model: ModelProto) -> None:
    model.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[2])


def no_type(model: ModelProto) -> None:
    model.graph.initializer.add(name="w", dims=[2])


def future(model: ModelProto) -> None:
    model.ir_version = 99


def initialiser(model: ModelProto) -> None:
    model.ir_version, model.opset_import[0].version = 3, 9
    model.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[1], raw_data=bytes(4))


def unnamed_input(model: ModelProto) -> None:
    model.graph.input.add()


@pytest.mark.parametrize(
    ("edit", "advice"),
    [
        (untyped_attribute, "attr"),
        (unnamed_attribute, "attr"),
        (no_values, "raw_data"),
        (no_type, "raw_data"),
        (future, "update the package onnx"),
        (initialiser, "raise ir_version"),
        (unnamed_input, "export the model again"),
    ],
)
def test_of_the_rest(edit: Callable[[ModelProto], None], advice: str, tmp_path: Path) -> None:
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 17]> {NEG}')
    edit(model)
    with raises_error("invalid-onnx", advice, "m.onnx") as info:
        loomir.load(saved(model, tmp_path))
    assert info.value.hint
