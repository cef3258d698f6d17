"""Edits of nodes by front-phase transformations, and the resulting operations.

Errors of nodes that cannot be read back are tested too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from loomir.compiler.formats import convert_front
from loomir.dialects.diagnostics import layer_name
from loomir.tools.model_optimizer.mo.constants import Const, Parameter
from loomir.tools.model_optimizer.mo.graph.graph import Graph, rename_node
from loomir.tools.model_optimizer.mo.op import Op
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo.bridge.programs import CHAIN, IF, LOOP, front, named, transformed

UNKNOWN = """g (float[2,3] x) => (float[2,3] y) {
  [first] a = acme.Odd <k = 1, ratio = 0.5, word = "w", list = [1, 2]> (x)
  [second] y = Relu (a)
}"""


def after(text: str, action: Callable[[Graph], object]) -> str:
    """FRONT after a transformation of the outer graph."""
    return transformed(front(text), "front", action, run_not_recursively=True)


def test_attributes_of_a_node_without_a_type() -> None:
    """It stays a node of the file's operator, with numbers of ONNX's own kinds."""

    def change(graph: Graph) -> None:
        node = named(graph, "first")
        node["k"], node["ratio"], node["word"], node["list"] = True, 2, "other", np.array([3, 4, 5])

    text = after(UNKNOWN, change)
    assert '"Odd" 1 in "acme"' in text
    for written in ("k = 1 : i64", "ratio = 2.000000e+00 : f32", '"other"', "list = array<i64: 3, 4, 5>"):
        assert written in text


def test_deleted_attribute() -> None:
    def change(graph: Graph) -> None:
        del named(graph, "first")["word"]

    text = after(UNKNOWN, change)
    assert "word" not in text
    assert "ratio = 5.000000e-01 : f32" in text


def test_attributes_of_a_node_with_a_type() -> None:
    """It becomes a layer, whose attributes its class says."""

    def change(graph: Graph) -> None:
        named(graph, "third")["negative_slope"] = 0.25

    text = after(CHAIN, change)
    assert '"LeakyRelu"' not in text
    assert "dense<2.500000e-01>" in text
    assert '"PReLU" 1 in "openvino.opset1" named "third" (%b, %' in text


def test_untouched_nodes_stay() -> None:
    def change(graph: Graph) -> None:
        named(graph, "second")["note"] = "read by nobody"

    module = front(CHAIN)
    before = str(module)
    assert transformed(module, "front", change) == before


def test_new_input_of_a_node() -> None:
    def change(graph: Graph) -> None:
        node = named(graph, "first")
        node.add_input_port(3)
        named(graph, "x").out_port(0).connect(node.in_port(3))

    text = after(UNKNOWN, change)
    assert "(%x, %none, %none, %x)" in text


def test_copied_nodes() -> None:
    """A copy of a node without a type is another operation like it; of one with a type too."""

    def change(graph: Graph) -> None:
        for name in ("first", "second"):
            node = named(graph, name)
            copy = node.copy_node({"name": f"{name} again"})
            copy.in_port(0).connect(node.out_port(0))
            node.out_port(0).get_connection().set_source(copy.out_port(0))
            copy.in_port(0).disconnect()
            node.out_port(0).connect(copy.in_port(0))

    text = after(UNKNOWN, change)
    assert text.count('"Odd" 1 in "acme"') == 2
    assert text.count('"Relu"') + text.count('"ReLU"') == 2
    assert 'named "first again"' in text


def test_copied_loop() -> None:
    """Its graph is a copy too, and may be changed apart."""

    def change(graph: Graph) -> None:
        node = named(graph, "loop")
        copy = node.copy_node()
        for port in node.in_ports():
            node.in_port(port).get_source().connect(copy.in_port(port))
        node.out_port(0).get_connection().set_source(copy.out_port(0))
        node.out_port(0).connect(copy.in_port(2))
        body = copy.body
        relu = named(body, "inner")
        body.erase_node(relu)

    text = after(LOOP, change)
    assert text.count('"Loop"') == 2
    assert text.count('"Relu"') == 1


def test_node_used_twice() -> None:
    def change(graph: Graph) -> None:
        node, other = named(graph, "first"), named(graph, "second")
        other.in_port(1).get_connection().set_source(node.out_port(0))

    text = after(CHAIN, change)
    assert "(%a, %a)" in text


def test_renamed_node_has_its_name_as_location() -> None:
    module = front(UNKNOWN)
    transformed(module, "front", lambda graph: rename_node(named(graph, "first"), "renamed"))
    convert_front(module)
    names = [layer_name(op) for op in module.walk()]
    assert "renamed" in names
    assert "first" not in names


def test_renamed_producer_of_an_output() -> None:
    """The model's output keeps its name."""
    module = front(CHAIN)
    text = transformed(module, "front", lambda graph: rename_node(named(graph, "third"), "last"))
    assert 'loomir.name = "y"' in text
    assert 'named "last"' in text


def test_constants_that_change() -> None:
    """Another value, and one written in place."""

    def other(graph: Graph) -> None:
        named(graph, "w")["value"] = np.array([4, 5, 6], np.float32)

    def in_place(graph: Graph) -> None:
        node = named(graph, "w")
        node["value"] = node.value.copy()
        node.value[1] = 7

    assert "4.000000e+00, 5.000000e+00, 6.000000e+00" in after(CHAIN, other)
    assert "1.000000e+00, 7.000000e+00, 3.000000e+00" in after(CHAIN, in_place)


def test_node_of_an_outer_value_in_a_body() -> None:
    """A value captured by a body is an input of its node.

    Another value in its place changes the value that the body reads.
    """

    def change(graph: Graph) -> None:
        node = named(graph, "loop")
        constant = Const(graph, {"name": "own", "value": np.array([5, 6], np.float32)}).create_node()
        node.in_port(3).get_connection().set_source(constant.out_port(0))

    text = after(LOOP, change)
    assert "5.000000e+00, 6.000000e+00" in text
    assert '"Tanh"' not in text
    assert "%0 = onnx.constant" in text
    assert '"Add" 14 named "sum" (%r, %0)' in text.split("graph")[1]


def moved(graph: Graph) -> None:
    """The body's operation is done before the loop, in the outer graph."""
    loop = named(graph, "loop")
    inner = named(loop.body, "inner")
    outer = inner.copy_node(dst_graph=graph)
    loop.in_port(3).get_source().connect(outer.in_port(0))
    loop.in_port(3).get_connection().set_source(outer.out_port(0))
    loop.in_port(3).disconnect()
    outer.out_port(0).connect(loop.in_port(3))
    named(graph, "outer").out_port(0).connect(outer.in_port(0))
    loop.body.erase_node(inner)


def test_node_that_moves_out_of_a_body() -> None:
    text = after(LOOP, moved)
    before, _, inside = text.partition("graph")
    assert '"Relu"' in before
    assert '"Relu"' not in inside


def test_optional_input_of_a_loop() -> None:
    """Extensions may disconnect optional inputs of ONNX nodes with graphs."""
    text = after(LOOP, lambda graph: named(graph, "loop").in_port(0).disconnect())
    assert '"Loop" 16 named "loop" (%none, %c, %x)' in text


# What cannot be read back.


def cycle(graph: Graph) -> None:
    first, third = named(graph, "first"), named(graph, "third")
    first.in_port(0).disconnect()
    graph.create_edge(third, first, 0, 0)


def no_input(graph: Graph) -> None:
    new = Parameter(graph, {"name": "more", "shape": np.array([2, 3])}).create_node()
    named(graph, "second").in_port(1).get_connection().set_source(new.out_port(0))


def no_output(graph: Graph) -> None:
    for node in graph.get_op_nodes(op="Result"):
        node.in_port(0).disconnect()


def no_type(graph: Graph) -> None:
    new = Op(graph, {"op": "Mystery", "name": "new", "in_ports_count": 1, "out_ports_count": 1}).create_node()
    named(graph, "first").out_port(0).get_connection().insert_node(new)


def no_value(graph: Graph) -> None:
    named(graph, "w")["value"] = None


def missing_result(graph: Graph) -> None:
    first, second = named(graph, "first"), named(graph, "second")
    first.add_output_port(4)
    second.in_port(0).disconnect()
    graph.create_edge(first, second, 4, 0)


def odd_value(graph: Graph) -> None:
    new = Op(graph, {"op": "Odd", "type": "Odd", "name": "new", "in_ports_count": 1, "out_ports_count": 1})
    new.backend_attrs = lambda: ["thing"]  # type: ignore[method-assign]
    node = new.create_node(attrs={"thing": object()})
    named(graph, "first").out_port(0).get_connection().insert_node(node)


@pytest.mark.parametrize(
    ("action", "identifier", "fragments"),
    [
        (cycle, "mo-graph-cycle", ("first → second → third → first",)),
        (no_input, "mo-graph-input", ("'more'", "Parameter")),
        (missing_result, "mo-graph-input", ("'second'", "output 4 of 'first'")),
        (no_output, "mo-graph-output", ("y",)),
        (no_type, "mo-node-type", ("'new'", "Mystery")),
        (no_value, "mo-node-type", ("'w'", "no value")),
        (odd_value, "mo-attribute-value", ("thing", "object")),
    ],
    ids=lambda v: getattr(v, "__name__", None),
)
def test_errors(action: Callable[[Graph], object], identifier: str, fragments: tuple[str, ...]) -> None:
    with raises_error(identifier, *fragments):
        after(CHAIN, action)


def another_type(graph: Graph) -> None:
    named(graph, "choice")["type"] = "Select"


def test_node_with_graphs_that_becomes_another() -> None:
    with raises_error("mo-node-type", "'choice'", "graphs"):
        after(IF, another_type)


def no_capture(graph: Graph) -> None:
    for body in ("then_graph", "else_graph"):
        inside = named(graph, "choice")[body]
        for node in inside.get_op_nodes(op="ReLU"):
            new = Parameter(inside, {"name": "more", "shape": np.array([2])}).create_node()
            node.in_port(0).get_connection().set_source(new.out_port(0))


def test_new_parameter_of_a_body() -> None:
    with raises_error("mo-graph-input", "'more'"):
        after(IF, no_capture)
