"""Operators that nobody knows: refused by operator, domain, node and file where they are needed, whatever reads their results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.option_names import ENGINES
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.passes.front.convert_onnx_to_ov.registry import add_translator
from tests.support import raises_error

IMPORTS = '"": 21, "acme.ops": 2, "com.microsoft": 1, "ai.onnx.ml": 3, "ai.onnx.preview.training": 1, "f": 1'


def model(graph: str, *, functions: str = "", imports: str = IMPORTS) -> onnx.ModelProto:
    """A model whose nodes are all named, those of bodies too: `node Neg`."""
    proto = onnx.parser.parse_model(f"<ir_version: 10, opset_import: [{imports}]> {graph} {functions}")
    waiting = [proto.graph, *proto.functions]
    while waiting:
        for node in waiting.pop().node:
            node.name = f"node {node.op_type}"
            waiting.extend(a.g for a in node.attribute if a.HasField("g"))
    return proto


def reading(node: str) -> str:
    return f"g (float[2] x) => (float[K] y) {{ t = acme.ops.Foo <k = 3> (x) {node} }}"


LOOP = """<body = b (int64 i, bool c, float[2] a) => (bool d, float[2] e) { d = Identity (c) e = NODE }>"""
IF = """<then_branch = a () => (float[2] p) { p = NODE }, else_branch = b () => (float[2] q) { q = Abs (x) }>"""
FUNCTION = f'<domain: "f", opset_import: [{IMPORTS}]> L (a) => (b) {{ t = NODE b = Neg (t) }}'

READERS = {
    "a condition": "y = If (t) " + IF.replace("NODE", "Neg (x)"),
    "a trip count": 'y = Loop (t, "", x) ' + LOOP.replace("NODE", "Neg (a)"),
    "booleans": "u = And (t, t) y = Where (u, x, x)",
    "a shape": "y = Reshape (x, t)",
    "indices": "y = Gather (x, t)",
    "a sequence": "z = Constant <value_int = 0> () y = SequenceAt (t, z)",
    "a rank": "y = BatchNormalization (t, x, x, x, x)",
    "a rank behind others": "u = Neg (t) v = Exp (u) y = LayerNormalization (v, x)",
    "a rank of a branch": "c = Constant <value_int = 1> () d = Cast <to = 9> (c) u = If (d) "
    + IF.replace("NODE", "acme.ops.Foo (x)")
    + " y = BatchNormalization (u, x, x, x, x)",
    "a rank in a body": 'n = Constant <value_int = 2> () y = Loop (n, "", t) '
    + LOOP.replace("NODE", "BatchNormalization (a, x, x, x, x)"),
    "a rank in a branch": "c = Constant <value_int = 1> () d = Cast <to = 9> (c) y = If (d) "
    + IF.replace("NODE", "BatchNormalization (t, x, x, x, x)"),
    "windows": "y = AveragePool <kernel_shape = [2]> (t)",
    "floats": "y = Neg (t)",
    "what it leaves out": "u, '', v = acme.ops.Foo (x, '', t) y = Add (u, v)".replace("'", '"'),
    "a graph": "y = acme.ops.Foo <body = b (float[2] a) => (float[2] e) { e = Neg (a) }> (t)",
    "a graph without types": "y = acme.ops.Foo <body = b (a) => (e) { e = Neg (a) }> (x)",
}


@pytest.mark.parametrize("what", READERS)
def test_whoever_reads_the_result(what: str, tmp_path: Path) -> None:
    """That the type of the result is a guess must not make the model wrong."""
    path = tmp_path / "m.onnx"
    onnx.save(model(reading(READERS[what])), path)
    feed = {"x": np.ones(2, np.float32)}
    for engine in ENGINES:
        with raises_error(
            "unknown-operator", "'Foo' of 'acme.ops'", "node Foo", "(Foo)", "m.onnx", "--extension"
        ):
            loomir.load(path).run(feed, engine=engine)


PLACES = {
    "a body": 'g (float[2] x) => (float[2] y) { n = Constant <value_int = 2> () y = Loop (n, "", x) '
    + LOOP
    + " }",
    "a branch": "g (float[2] x, bool c) => (float[2] y) { y = If (c) " + IF + " }",
    "a function": "g (float[2] x) => (float[2] y) { y = f.L (x) } " + FUNCTION,
    "the graph": "g (float[2] x) => (float[2] y) { y = NODE }",
}
OPERATORS = {
    "acme.ops.Foo": ("unknown-operator", "'Foo' of 'acme.ops'"),
    "com.microsoft.Foo": ("unknown-operator", "'Foo' of 'com.microsoft'"),
    "Foo": ("unknown-operator", "'Foo' in 'ai.onnx'"),
    "ai.onnx.ml.Foo": ("unsupported-operator", "ai.onnx.ml"),
    "ai.onnx.ml.TreeEnsemble": ("unsupported-operator", "ai.onnx.ml"),
    "ai.onnx.ml.Scaler": ("unsupported-operator", "ai.onnx.ml"),
    "ai.onnx.preview.training.Foo": ("unsupported-operator", "ai.onnx.preview.training"),
    "RandomNormalLike": ("unsupported-operator", "random"),
}


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("place", PLACES)
def test_wherever_it_is(place: str, operator: str) -> None:
    name = operator.rpartition(".")[2]
    text = PLACES[place].replace("NODE", f"{operator} ({'a' if place in ('a body', 'a function') else 'x'})")
    identifier, words = OPERATORS[operator]
    feed = {"x": np.ones(2, np.float32), "c": np.array(True)}
    proto = model(text)
    assert f'onnx.node "{name}"' in str(load_front(proto))
    with raises_error(identifier, words, f"node {name}", f"({name})", "--extension"):
        loomir.load(proto).run({i.name: feed[i.name] for i in proto.graph.input})


DEAD = {
    "the graph": "g (float[2] x) => (float[2] y) { t = NODE (x) u = Neg (t) y = Abs (x) }",
    "a function": "g (float[2] x) => (float[2] y) { y = f.L (x) }"
    + FUNCTION.replace("NODE", "NODE (a) u = Neg (t)").replace("b = Neg (t)", "b = Abs (a)"),
    "a function that nothing calls": "g (float[2] x) => (float[2] y) { y = Abs (x) }"
    + FUNCTION.replace("NODE", "NODE (a)"),
    "a branch": "g (float[2] x) => (float[2] y) { k = Constant <value_int = 1> () c = Cast <to = 9> (k) y = If (c) "
    + IF.replace("p = NODE", "t = NODE (x) p = Abs (x)")
    + " }",
}


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("place", DEAD)
def test_what_nothing_needs(place: str, operator: str) -> None:
    """A node is there for its results: one of which no output needs any is removed, whatever it is."""
    program = loomir.load(model(DEAD[place].replace("NODE", operator)))
    outputs = program.run({"x": np.array([-1, 2], np.float32)}, engine="native")
    np.testing.assert_array_equal(outputs["y"], np.array([1, 2], np.float32))


def test_a_branch_that_is_not_taken() -> None:
    proto = model(
        "g (float[2] x, bool c) => (float[2] y) { y = If (c) " + IF.replace("NODE", "acme.ops.Foo (x)") + " }"
    )
    program = loomir.load(proto)
    feed = {"x": np.array([-1, 2], np.float32), "c": np.array(False)}
    np.testing.assert_array_equal(program.run(feed, engine="graph")["y"], np.array([1, 2], np.float32))
    with raises_error("unknown-operator", "'Foo' of 'acme.ops'"):
        program.run(feed | {"c": np.array(True)}, engine="graph")


def test_a_type_that_the_file_declares_is_no_guess() -> None:
    """A conflict with the declared type is the model's own fault."""
    proto = model(reading("y = Reshape (x, t)"))
    proto.graph.value_info.append(onnx.helper.make_tensor_value_info("t", onnx.TensorProto.FLOAT, [1]))
    with raises_error("invalid-onnx", "node Reshape", "tensor(float)"):
        loomir.load(proto)
    proto.graph.value_info[0].type.tensor_type.elem_type = onnx.TensorProto.INT64
    with raises_error("unknown-operator", "'Foo' of 'acme.ops'"):
        loomir.load(proto).run({"x": np.ones(2, np.float32)})


def test_an_operator_newer_than_what_is_imported() -> None:
    proto = model("g (float[2] x) => (float[2] y) { y = Gelu (x) }", imports='"": 13')
    with raises_error(
        "unknown-operator", "operator set 13", "'Gelu' in 'ai.onnx'", "node Gelu", "operator set 20"
    ):
        loomir.load(proto)


def test_an_extension_may_know_what_onnx_does_not() -> None:
    """An extractor of an operator that exporters write into ONNX's own domain holds wherever a model is loaded."""
    undo = add_translator("", "Foo", lambda node: node.op(NegativeOp, node.input(0)))
    try:
        x = np.array([1, -2], np.float32)
        outputs = loomir.load(model("g (float[2] x) => (float[2] y) { y = Foo (x) }")).run({"x": x})
        np.testing.assert_array_equal(outputs["y"], -x)
    finally:
        undo()
