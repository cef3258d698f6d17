"""Models that are not well formed: each fault by its own identifier, with the node's name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper

import loomir
from loomir.compiler.formats.onnx.importer import ImportOptions, load_front, load_onnx
from loomir.compiler.option_names import ENGINES
from tests.support import raises_error

HEAD = '<ir_version: 10, opset_import: ["" : 21]> '


def model(graph: str, head: str = HEAD) -> onnx.ModelProto:
    return onnx.parser.parse_model(head + graph)


def test_undefined_name() -> None:
    with raises_error("undefined-name", "'Neg:y' (Neg)", "'z'"):
        load_onnx(model("g (float[2] x) => (float[2] y) { y = Neg (z) }"))


def test_undefined_output() -> None:
    with raises_error("undefined-name", "'nothing'"):
        load_onnx(model("g (float[2] x) => (float[2] nothing) { y = Neg (x) }"))


def test_names_of_a_branch_end_with_it() -> None:
    graph = """g (bool c, float[2] x) => (float[2] y) {
      t = If (c) <then_branch = a () => (float[2] r) { inner = Neg (x) r = Abs (inner) },
                  else_branch = b () => (float[2] r) { r = Neg (x) }>
      y = Add (t, inner)
    }"""
    with raises_error("undefined-name", "'inner'", "(Add)"):
        load_onnx(model(graph))


def test_sibling_branches_may_use_the_same_names() -> None:
    graph = """g (bool c, float[2] x) => (float[2] y) {
      y = If (c) <then_branch = a () => (float[2] y) { t = Neg (x) y = Abs (t) },
                  else_branch = b () => (float[2] y) { t = Abs (x) y = Neg (t) }>
    }"""
    load_onnx(model(graph)).verify()


def test_duplicate_value() -> None:
    with raises_error("duplicate-name", "'y'"):
        load_onnx(model("g (float[2] x) => (float[2] y) { y = Neg (x) y = Abs (x) }"))


def test_branch_must_not_redefine_an_outer_value() -> None:
    graph = """g (bool c, float[2] x) => (float[2] y) {
      t = Neg (x)
      y = If (c) <then_branch = a () => (float[2] r) { t = Neg (x) r = Abs (t) },
                  else_branch = b () => (float[2] r) { r = Neg (x) }>
    }"""
    with raises_error("duplicate-name", "'t'"):
        load_onnx(model(graph))


def test_duplicate_input() -> None:
    with raises_error("duplicate-name", "input 'x'"):
        load_onnx(model("g (float[2] x, float[2] x) => (float[2] y) { y = Neg (x) }"))


def test_formal_inputs_hide_outer_names() -> None:
    """The body's `x` is its own."""
    graph = """g (int64 m, float[2] x) => (float[2] y) {
      c = Constant <value = bool {1}> ()
      y = Loop (m, c, x) <body = b (int64 i, bool k, float[2] x) => (bool k2, float[2] n) {
        k2 = Identity (k) n = Neg (x)
      }>
    }"""
    text = str(load_onnx(model(graph)))
    assert "ov.negative %x" not in text


def test_cycle() -> None:
    with raises_error("graph-cycle"):
        load_onnx(model("g (float[2] x) => (float[2] y) { y = Add (x, z) z = Neg (y) }"))


def test_own_result() -> None:
    with raises_error("graph-cycle", "'Add:y'"):
        load_onnx(model("g (float[2] x) => (float[2] y) { y = Add (x, y) }"))


def test_cycle_through_a_branch() -> None:
    graph = """g (bool c, float[2] x) => (float[2] y) {
      y = If (c) <then_branch = a () => (float[2] r) { r = Neg (z) },
                  else_branch = b () => (float[2] r) { r = Neg (x) }>
      z = Abs (y)
    }"""
    with raises_error("graph-cycle"):
        load_onnx(model(graph))


def test_nodes_out_of_order_are_sorted() -> None:
    graph = model(
        """g (bool c, float[2] x) => (float[2] y) {
          y = If (c) <then_branch = a () => (float[2] r) { r = Neg (u) u = Abs (z) },
                      else_branch = b () => (float[2] r) { r = Neg (x) }>
          z = Abs (w)
          w = Sqrt (x)
        }"""
    )
    before = graph.SerializeToString()
    names = [op.name for op in load_onnx(graph).walk() if op.name.startswith("ov.")]
    assert names == [
        "ov.sqrt",
        "ov.abs",
        "ov.if",
        "ov.abs",
        "ov.negative",
        "ov.yield",
        "ov.negative",
        "ov.yield",
    ]
    assert graph.SerializeToString() == before, "the caller's model was changed"


def test_unknown_operator() -> None:
    with raises_error("unknown-operator", "'Frobnicate'"):
        load_onnx(model("g (float[2] x) => (float[2] y) { y = Frobnicate (x) }"))


def test_operator_newer_than_the_opset() -> None:
    with raises_error("unknown-operator", "operator set 10", "'Range'"):
        load_onnx(
            model(
                "g (float x) => (float[2] y) { y = Range (x, x, x) }",
                '<ir_version: 5, opset_import: ["" : 10]> ',
            )
        )


def test_domain_without_import() -> None:
    with raises_error("invalid-onnx", "com.acme"):
        load_onnx(model("g (float[2] x) => (float[2] y) { y = com.acme.Neg (x) }"))


def test_operator_without_translation() -> None:
    with raises_error("unsupported-operator", "RandomNormalLike", "it draws random numbers"):
        load_onnx(model("g (float[2] x) => (float[n] y) { y = RandomNormalLike (x) }"))


@pytest.mark.parametrize(
    ("node", "identifier", "words"),
    [
        ("ai.onnx.ml.Binarizer (x)", "unsupported-operator", "classical machine learning"),
        ("ai.onnx.preview.training.Adam (x, x, x, x, x, x)", "unsupported-operator", "training"),
    ],
)
def test_operator_of_another_domain(node: str, identifier: str, words: str) -> None:
    """It is read, and refused where its meaning is asked."""
    domain, _, operator = node.split(" ")[0].rpartition(".")
    head = f'<ir_version: 10, opset_import: ["" : 21, "{domain}" : 1]> '
    proto = onnx.parser.parse_model(f"{head} g (float[2] x) => (float[2] y) {{ y = {node} }}")
    assert f'onnx.node "{operator}" 1 in "{domain}"' in str(load_front(proto))
    with raises_error(identifier, words, operator):
        load_onnx(proto)


def test_operator_that_nobody_knows() -> None:
    """It stays as it is until its meaning is needed."""
    head = '<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]> '
    proto = onnx.parser.parse_model(head + "g (float[2] x) => (float[2] y) { y = com.microsoft.Adam (x) }")
    program = loomir.load(proto)
    assert 'ov.custom "Adam" in "com.microsoft"' in program.mlir()
    for engine in ENGINES:
        with raises_error("unknown-operator", "'Adam:y'", "'Adam' of 'com.microsoft'"):
            program.run({"x": np.zeros(2, np.float32)}, engine=engine)


def test_opset_of_the_future() -> None:
    proto = model("g (float[2] x) => (float[2] y) { y = Neg (x) }")
    proto.opset_import[0].version = 1000
    with raises_error("unsupported-operator", "1000"):
        load_onnx(proto)


def test_alias_of_the_default_domain() -> None:
    """`ai.onnx` is the empty domain, in imports too."""
    head = '<ir_version: 10, opset_import: ["ai.onnx" : 21]> '
    load_onnx(model("g (float[2] x) => (float[2] y) { y = Neg (x) }", head)).verify()


def test_too_many_inputs() -> None:
    with raises_error("invalid-onnx", "Abs"):
        load_onnx(model("g (float[2] x) => (float[2] y) { y = Abs (x, x) }"))


def test_unrecognised_attribute() -> None:
    with raises_error("invalid-onnx", "colour"):
        load_onnx(model('g (float[2] x) => (float[2] y) { y = Abs <colour = "red"> (x) }'))


def test_no_graph() -> None:
    with raises_error("invalid-onnx"):
        load_onnx(onnx.ModelProto(ir_version=10))


@pytest.mark.parametrize("content", [b"", b"not a model at all", b"\x08\xff\xff\xff"])
def test_garbage(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    with raises_error("invalid-onnx", "m.onnx"):
        load_onnx(path)


def test_textual_garbage(tmp_path: Path) -> None:
    path = tmp_path / "m.onnxtxt"
    path.write_text("this is { no graph")
    with raises_error("invalid-onnx", "m.onnxtxt"):
        load_onnx(path)


def test_missing_file(tmp_path: Path) -> None:
    with raises_error("file-unreadable", "none.onnx"):
        load_onnx(tmp_path / "none.onnx")


def test_file_beyond_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(model("g (float[2] x) => (float[2] y) { y = Neg (x) }").SerializeToString())
    with raises_error("file-too-large"):
        load_onnx(path, options=ImportOptions(max_file_bytes=10))


def nested_ifs(depth: int) -> onnx.ModelProto:
    value = [helper.make_tensor_value_info("r", TensorProto.FLOAT, [2])]
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["r"])], "leaf", [], value)
    for level in range(depth):
        node = helper.make_node("If", ["c"], [f"r{level}"], then_branch=graph, else_branch=graph)
        out = [helper.make_tensor_value_info(f"r{level}", TensorProto.FLOAT, [2])]
        inputs = []
        if level == depth - 1:
            inputs = [
                helper.make_tensor_value_info("c", TensorProto.BOOL, []),
                helper.make_tensor_value_info("x", TensorProto.FLOAT, [2]),
            ]
        graph = helper.make_graph([node], f"g{level}", inputs, out)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def test_nesting_limit() -> None:
    load_onnx(nested_ifs(3), options=ImportOptions(max_nesting=3))
    with raises_error("import-limit", "nested"):
        load_onnx(nested_ifs(4), options=ImportOptions(max_nesting=3))


def test_node_limit() -> None:
    with raises_error("import-limit", "nodes"):
        load_onnx(nested_ifs(3), options=ImportOptions(max_nodes=8))


def test_error_names_file_node_and_operator(tmp_path: Path) -> None:
    path = tmp_path / "m.onnxtxt"
    path.write_text(HEAD + "g (float[2] x) => (float[n] y) { y = RandomNormalLike (x) }")
    with raises_error("unsupported-operator") as info:
        load_onnx(path)
    assert str(info.value).startswith(f"{path}: 'RandomNormalLike:y' (RandomNormalLike): ")
