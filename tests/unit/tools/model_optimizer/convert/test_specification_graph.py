"""The specification's model in memory, as transformations of each phase see it (docs/model-optimizer.md)."""

from __future__ import annotations

import networkx as nx
import numpy as np
import onnx
import pytest

from loomir.dialects.diagnostics import layer_name
from loomir.tools.model_optimizer.mo.constants import create_op_with_const_inputs
from loomir.tools.model_optimizer.mo.graph.connection import Connection
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.graph.port import Port
from loomir.tools.model_optimizer.mo.ops.transpose import Transpose
from loomir.tools.model_optimizer.mo.shapes import dynamic_dimension
from tests.unit.tools.model_optimizer.convert.legacy import at, model, operations

PICTURE = model("""
    <ir_version: 10, opset_import: ["" : 20]>
    picture (float[N,4] x) => (float[A,B] y, float[C,D] z)
    <int64[2] halves = {2, 2}>
    {
        ["op1"] a = Relu (x)
        ["op2"] b, c = Split <axis = 1> (a, halves)
        ["op3"] y = Sub (b, b)
        ["op4"] d = Neg (c)
        ["op5"] z = Add (b, d)
    }
""")
"""Graph of the specification's figures.

op2 has two outputs; the first is read at two places, by port.
"""


def named(graph: Graph, name: str) -> Node:
    return Node(graph, graph.get_node_id_by_name(name))


@pytest.mark.parametrize("phase", ["front", "middle", "back"])
def test_the_graph_is_one_of_networkx(phase: str) -> None:
    def look(graph: Graph) -> None:
        assert isinstance(graph, nx.MultiDiGraph)
        node = named(graph, "op2")
        assert isinstance(node.in_port(0), Port)
        assert isinstance(node.out_port(1).get_connection(), Connection)
        assert list(nx.ancestors(graph, node.id))
        assert sorted(node.out_ports()) == [0, 1]
        assert 0 in node.in_ports()

    at(phase, PICTURE, look)


def test_nodes_keep_what_the_file_says_of_them() -> None:
    """`pb` is the message; attributes beside it are the operation's, by extraction."""

    def look(graph: Graph) -> None:
        node = named(graph, "op2")
        assert isinstance(node.pb, onnx.NodeProto)
        assert (node.pb.op_type, list(node.pb.input)) == ("Split", ["a", "halves"])
        assert node.axis == 1
        assert node.axis is graph.node[node.id]["axis"] is node["axis"]
        assert (named(graph, "op1").op, named(graph, "op1").type) == ("ReLU", "ReLU")

    at("front", PICTURE, look)


def test_edges_of_the_front_phase_have_both_ports() -> None:
    def look(graph: Graph) -> None:
        edges = {(a, e["out"], b, e["in"]) for a, b, e in graph.edges(data=True)}
        assert {("op2", 0, "op3", 1), ("op2", 0, "op5", 0), ("op2", 1, "op4", 0)} <= edges
        assert not graph.get_data_nodes()
        assert named(graph, "op2").in_edge(0)["out"] == 0

    at("front", PICTURE, look)


def test_the_front_phase_knows_shapes_of_inputs_and_constants_only() -> None:
    def look(graph: Graph) -> None:
        x, halves, relu = (named(graph, name) for name in ("x", "halves", "op1"))
        assert x.shape[0] is dynamic_dimension
        assert x.shape[1] == 4
        assert halves.value.tolist() == [2, 2]
        assert halves.shape.tolist() == [2]
        assert not relu.has("shape")
        assert relu.out_port(0).data.get_shape() is None

    at("front", PICTURE, look)


@pytest.mark.parametrize("phase", ["middle", "back"])
def test_one_data_node_for_each_output(phase: str) -> None:
    """An edge from an operation has `out`, one from a data node `in`; one tensor is the input of several operations."""

    def look(graph: Graph) -> None:
        for source, _, edge in graph.edges(data=True):
            from_operation = graph.nodes[source]["kind"] == "op"
            assert ("out" in edge, "in" in edge) == (from_operation, not from_operation)
        split = named(graph, "op2")
        first, second = split.out_node(0), split.out_node(1)
        assert first.id != second.id
        readers = [(node.name, edge["in"]) for node, edge in zip(first.out_nodes(), first.out_edges())]
        assert sorted(readers) == [("op3", 0), ("op3", 1), ("op5", 0)]
        assert [node.name for node in second.out_nodes()] == ["op4"]
        assert first.kind == "data"
        assert len(first.in_nodes()) == 1

    at(phase, PICTURE, look)


def test_data_nodes_have_a_shape_and_a_value() -> None:
    """The value is None where it depends on what an input is given, or where nobody can compute it."""
    values = model("""
        <ir_version: 10, opset_import: ["" : 20, "com.acme" : 1]>
        values (float[N,4] x) => (float[A,B] y, float[C] z)
        <float[3] three = {1, 2, 3}>
        {
            ["relu"] y = Relu (x)
            ["sum"] s = Add (three, three)
            ["own"] o = com.acme.Own (three)
            ["end"] z = Add (s, o)
        }
    """)

    def look(graph: Graph) -> None:
        relu, added, own = (named(graph, name).out_node(0) for name in ("relu", "sum", "own"))
        assert relu.value is None
        assert relu.shape[0] is dynamic_dimension
        assert relu.shape[1] == 4
        assert added.value.tolist() == [2, 4, 6]
        assert added.shape.tolist() == [3]
        assert own.value is None

    at("middle", values, look)


def test_edits_of_the_middle_phase_are_inferred() -> None:
    """A node put in by ports gets its data node and its shape; the model's own inference goes on from there."""

    def turn(graph: Graph) -> None:
        for name in ("there", "back"):
            node = create_op_with_const_inputs(graph, Transpose, {1: np.array([1, 0])}, {"name": name})
            named(graph, "op4").in_port(0).get_connection().insert_node(node)

    def look(graph: Graph) -> None:
        shapes = [named(graph, name).out_port(0).data.get_shape() for name in ("there", "back", "op4")]
        assert [extents[0] is dynamic_dimension for extents in shapes] == [False, True, True]
        assert [extents[1] is dynamic_dimension for extents in shapes] == [True, False, False]
        assert named(graph, "there").out_node(0).kind == "data"

    module = at("middle", PICTURE, turn, lambda graph: graph.clean_up(), look)
    assert [op.name for op in operations(module)].count("ov.transpose") == 2
    assert "tensor<2x?xf32>" in str(module)


def test_constants_take_no_names_of_operations() -> None:
    """Those that an operator is made of say that they are of it; they are called otherwise in the graph, and locations stay."""
    module = at("middle", PICTURE, lambda graph: None)
    (split,) = (op for op in operations(module) if op.name == "ov.variadic_split")
    assert layer_name(split) == "op2"
