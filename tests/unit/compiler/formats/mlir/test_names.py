"""Names of a model, of any characters: the text of each stage is read back, and says the same, with locations too."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from onnx import ModelProto, TensorProto, helper
from xdsl.printer import Printer

import loomir
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.model import StageName

NAMES = (
    "aé", "é", "name²", "x١", "层/输出:0", "😀", "a\ufffd", "a\u2028b", "a\x00b", "\x01",
    "x\ty\nz\r", "\x7f\x85", 'a"b\\', "\\C3\\A9", "%x", "_1", "$.-",
    "1", " a  b ", "a:b", "loc(unknown)",
)  # fmt: skip


def named(name: str) -> ModelProto:
    """Everything that a model gives a name is called so: a function, nodes, tensors, attributes, a loop's body, an unknown operator."""
    opset = [helper.make_opsetid("", 17), helper.make_opsetid(f"d{name}", 1)]
    real = helper.make_tensor_type_proto(TensorProto.FLOAT, [2])
    function = helper.make_function(
        f"d{name}", f"f{name}", [name], [f"{name}o"], [helper.make_node("Exp", [name], [f"{name}o"], name=name)], opset[:1]
    )  # fmt: skip
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["c"], [f"c{name}"]),
            helper.make_node("Abs", [f"{name}2"], [f"{name}3"]),
        ],
        name,
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
            helper.make_value_info(f"{name}2", real),
        ],
        [
            helper.make_tensor_value_info(f"c{name}", TensorProto.BOOL, []),
            helper.make_value_info(f"{name}3", real),
        ],
    )
    nodes = [
        helper.make_node(f"f{name}", [name], [f"{name}1"], name=f"n{name}", domain=f"d{name}"),
        helper.make_node("Loop", ["trips", "", f"{name}1"], [f"{name}4"], name=f"l{name}", body=body),
        helper.make_node(
            f"u{name}", [f"{name}4"], ["unknown"], domain=f"d{name}", **{f"k{name}": f"v{name}"}
        ),
    ]
    inputs = [
        helper.make_value_info(name, real),
        helper.make_tensor_value_info("trips", TensorProto.INT64, []),
    ]
    outputs = [helper.make_value_info(f"{name}4", real), helper.make_value_info("unknown", real)]
    graph = helper.make_graph(nodes, f"g{name}", inputs, outputs)
    return helper.make_model(graph, opset_imports=opset, functions=[function], ir_version=8)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("locations", [False, True])
@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("stage", ["front", "graph"])
def test_texts(stage: str, generic: bool, locations: bool, name: str) -> None:
    model = named(name)
    module = load_front(model) if stage == "front" else loomir.load(model, optimize=False).module
    text = StringIO()
    Printer(text, print_debuginfo=locations, print_generic_format=generic).print_op(module)
    again = parse_module(text.getvalue())
    assert str(again) == str(module)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stage", ["graph", "structured", "loops"])
def test_stages(stage: StageName, name: str, tmp_path: Path) -> None:
    """`mlir()` of a model that is named so; its GRAPH is a model again."""
    model = named(name)
    model.graph.node.pop()
    model.graph.output.pop()
    loaded = loomir.load(model)
    text = loaded.mlir(stage)
    assert str(parse_module(text)).rstrip() == text.rstrip()
    if stage == "graph":
        (tmp_path / "m.mlir").write_text(text)
        again = loomir.load(tmp_path / "m.mlir")
        assert [i.name for i in (*again.inputs, *again.outputs)] == [name, "trips", f"{name}4"]
