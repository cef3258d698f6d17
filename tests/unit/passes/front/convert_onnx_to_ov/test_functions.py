"""The model's own functions: attributes that reach into subgraphs, graphs as attributes, overloads, nesting."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import AttributeProto, helper

import loomir
from loomir.compiler.formats.onnx.importer import ImportOptions, load_onnx
from tests.support import raises_error

HEAD = '<ir_version: 10, opset_import: ["" : 21, "my" : 1]> '
X = np.array([1, -2], np.float32)


def run(proto: onnx.ModelProto, **feed: object) -> np.ndarray:
    (output,) = loomir.load(proto).run(feed, engine="graph").values()  # pyright: ignore[reportArgumentType]
    return output


def test_attribute_inside_a_subgraph_of_the_body() -> None:
    """`factor` is read by nodes of a branch, and of a function that the branch calls."""
    proto = onnx.parser.parse_model(
        HEAD
        + """g (bool c, float[2] x) => (float[2] y) { y = my.choose <factor = 3.0> (c, x) }
        <domain: "my", opset_import: ["" : 21, "my" : 1]>
        choose <factor> (c, a) => (r) {
          r = If (c) <then_branch = t () => (p) { f = Constant <value_float: float = @factor> () p = Mul (a, f) },
                      else_branch = e () => (q) { q = my.half <scale: float = @factor> (a) }>
        }
        <domain: "my", opset_import: ["" : 21]>
        half <scale> (a) => (r) { f = Constant <value_float: float = @scale> () r = Div (a, f) }
        """
    )
    np.testing.assert_array_equal(run(proto, c=True, x=X), 3 * X)
    np.testing.assert_allclose(run(proto, c=False, x=X), X / 3, rtol=1e-6)


def test_names_of_a_body_are_its_own() -> None:
    """A function's inner names neither see nor disturb the caller's, called twice and nested."""
    proto = onnx.parser.parse_model(
        HEAD
        + """g (float[2] x) => (float[2] y) { t = Neg (x) u = my.outer (t) y = my.outer (u) }
        <domain: "my", opset_import: ["" : 21, "my" : 1]>
        outer (x) => (y) { t = my.inner (x) y = Add (t, x) }
        <domain: "my", opset_import: ["" : 21]>
        inner (x) => (t) { y = Abs (x) t = Mul (y, x) }
        """
    )
    f = lambda v: np.abs(v) * v + v  # noqa: E731
    np.testing.assert_array_equal(run(proto, x=X), f(f(-X)))


def with_overloads() -> onnx.ModelProto:
    """`my.f` in two overloads, one call of each."""
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("my", 1)]
    functions = [
        helper.make_function(
            "my", "f", ["a"], ["b"], [helper.make_node(op, ["a"], ["b"])], opsets, overload=overload
        )
        for op, overload in (("Neg", "negated"), ("Exp", ""))
    ]
    nodes = [
        helper.make_node("f", ["x"], ["t"], domain="my", overload="negated"),
        helper.make_node("f", ["t"], ["y"], domain="my"),
    ]
    infos = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [2]) for n in "xy"]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:])
    return helper.make_model(graph, opset_imports=opsets, functions=functions, ir_version=10)


def test_overloads() -> None:
    np.testing.assert_allclose(run(with_overloads(), x=X), np.exp(-X), rtol=1e-6)


def test_call_of_an_overload_that_does_not_exist() -> None:
    proto = with_overloads()
    proto.graph.node[0].overload = "other"
    with raises_error("unknown-operator", "'f'"):
        load_onnx(proto)


def test_function_of_another_operator_set() -> None:
    """Only where it changes no operator of the body; ONNX's checker refuses what is ambiguous."""
    text = (
        HEAD
        + """g (float[2] x) => (float[2] y) {{ y = my.f (x) }}
    <domain: "my", opset_import: ["" : {}]> f (a) => (b) {{ b = Clip (a) }}"""
    )
    np.testing.assert_array_equal(run(onnx.parser.parse_model(text.format(13)), x=X), X)
    with raises_error("invalid-onnx", "version 6"):
        load_onnx(onnx.parser.parse_model(text.format(6)))


def graph_as_attribute(nested: bool) -> onnx.ModelProto:
    """A function with a graph as its attribute, which reads a value `k` of the caller; the function has a `k` too."""
    branch = onnx.parser.parse_graph("b () => (float[2] r) { r = Mul (x, k) }")
    given = AttributeProto(name="then", type=AttributeProto.GRAPH, g=branch)
    call = helper.make_node("choose", ["c", "x"], ["y"], domain="my")
    call.attribute.append(given)
    own = onnx.parser.parse_graph("e () => (float[2] q) { q = Neg (k) }")
    node = helper.make_node("If", ["c"], ["r"], else_branch=own)
    node.attribute.append(AttributeProto(name="then_branch", ref_attr_name="then", type=AttributeProto.GRAPH))
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("my", 1)]
    body = [helper.make_node("Exp", ["a"], ["k"]), node]
    functions = [helper.make_function("my", "choose", ["c", "a"], ["r"], body, opsets, ["then"])]
    if nested:
        inner = helper.make_node("choose", ["c", "a"], ["r"], domain="my")
        inner.attribute.append(AttributeProto(name="then", ref_attr_name="then", type=AttributeProto.GRAPH))
        functions.append(helper.make_function("my", "around", ["c", "a"], ["r"], [inner], opsets, ["then"]))
        call.op_type = "around"
    infos = [
        helper.make_tensor_value_info("c", onnx.TensorProto.BOOL, []),
        *(helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [2]) for n in ("x", "y")),
    ]
    weight = onnx.numpy_helper.from_array(np.array(5, np.float32), "k")
    graph = helper.make_graph([call], "g", infos[:2], infos[2:], [weight])
    return helper.make_model(graph, opset_imports=opsets, functions=functions, ir_version=10)


@pytest.mark.parametrize("nested", [False, True])
def test_graph_as_attribute(nested: bool) -> None:
    proto = graph_as_attribute(nested)
    np.testing.assert_array_equal(run(proto, c=True, x=X), 5 * X)
    np.testing.assert_allclose(run(proto, c=False, x=X), -np.exp(X), rtol=1e-6)


def test_functions_within_functions_are_bounded() -> None:
    """Each calls the next one twice: the nodes are counted as often as they are inlined."""
    count = 12
    calls = " ".join(
        f'<domain: "my", opset_import: ["" : 21, "my" : 1]> f{i} (a) => (c) {{ b = my.f{i + 1} (a) c = my.f{i + 1} (b) }}'
        for i in range(count)
    )
    last = f'<domain: "my", opset_import: ["" : 21]> f{count} (a) => (c) {{ c = Neg (a) }}'
    proto = onnx.parser.parse_model(
        f"{HEAD} g (float[2] x) => (float[2] y) {{ y = my.f0 (x) }} {calls} {last}"
    )
    with raises_error("import-limit", "1000 nodes"):
        load_onnx(proto, options=ImportOptions(max_nodes=1000))
