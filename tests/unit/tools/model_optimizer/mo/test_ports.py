"""Ports, connections and data nodes, in the front and the middle phase."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.graph.port import Port
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo.graphs import CHAIN, copy_shapes, front_graph, middle_graph

PHASES = pytest.mark.parametrize("make", [front_graph, middle_graph])


def flow(graph: Graph) -> set[str]:
    """Return the connections over data nodes."""
    return {
        f"{node.id}.{idx}>{taker.node.id}.{taker.idx}"
        for node in graph.get_op_nodes()
        for idx, port in node.out_ports().items()
        for taker in port.get_destinations()
    }


@PHASES
def test_what_is_connected(make) -> None:
    graph = make(CHAIN)
    a, b = Node(graph, "A"), Node(graph, "B")
    assert b.in_port(0).get_source() == a.out_port(0)
    assert a.out_port(0).get_destination() == b.in_port(0)
    assert not a.out_port(0).disconnected()
    assert b.is_in_port_connected(0)
    assert not b.is_in_port_connected(1)
    connection = b.in_port(0).get_connection()
    assert connection.get_source().node == a
    assert connection.get_destination() == b.in_port(0)
    assert a.out_port(0) in {a.out_port(0)}
    assert copy.deepcopy(a.out_port(0)).node.graph is graph


@PHASES
def test_disconnecting_and_connecting(make) -> None:
    graph = make(CHAIN)
    a, b = Node(graph, "A"), Node(graph, "B")
    b.in_port(0).disconnect()
    assert b.in_port(0).disconnected()
    assert flow(graph) == {"Parameter.0>A.0", "B.0>Result.0"}
    a.out_port(0).connect(b.in_port(0))
    a.out_port(0).disconnect()
    assert a.out_port(0).disconnected()
    b.in_port(0).connect(Node(graph, "Parameter").out_port(0))
    assert flow(graph) == {"Parameter.0>A.0", "Parameter.0>B.0", "B.0>Result.0"}
    Node(graph, "Parameter").out_port(0).get_connection().remove()
    assert flow(graph) == {"B.0>Result.0"}


@PHASES
def test_parallel_edges_are_told_apart(make) -> None:
    graph = make([("A", 0, "B", 0), ("A", 1, "B", 1), ("A", 0, "B", 2)])
    Node(graph, "A").out_port(0).disconnect()
    assert flow(graph) == {"A.1>B.1"}


@PHASES
def test_moving_ends_of_connections(make) -> None:
    graph = make([*CHAIN, ("Parameter", 0, "C", 0), ("C", 0, "Result_2", 0)])
    b, c = Node(graph, "B"), Node(graph, "C")
    b.in_port(0).get_connection().set_source(c.out_port(0))
    assert flow(graph) == {"Parameter.0>A.0", "Parameter.0>C.0", "C.0>B.0", "C.0>Result_2.0", "B.0>Result.0"}
    c.in_port(0).disconnect()
    b.in_port(0).get_connection().set_destination(c.in_port(0))
    assert flow(graph) == {"Parameter.0>A.0", "C.0>C.0", "C.0>Result_2.0", "B.0>Result.0"}
    with raises_error("mo-graph-port", "2 destinations"):
        c.out_port(0).get_connection().get_destination()
    with raises_error("mo-graph-port", "2 destinations"):
        c.out_port(0).get_destination()


@PHASES
def test_inserting(make) -> None:
    graph = make(CHAIN)
    new = Node(graph, "A").copy_node({"op": "New", "_in_ports": {0: {}}, "_out_ports": {0: {}}})
    Node(graph, "B").in_port(0).get_connection().insert_node(new)
    assert {f"A.0>{new.id}.0", f"{new.id}.0>B.0"} < flow(graph)
    if make is middle_graph:
        assert new.need_shape_inference
        assert new.out_node().kind == "data"
    new.add_output_port(1)
    with raises_error("mo-graph-port", "2 output ports"):
        Node(graph, "B").in_port(0).get_connection().insert_node(new)


@PHASES
def test_wrong_ports_are_named(make) -> None:
    graph = make(CHAIN)
    a, b = Node(graph, "A"), Node(graph, "B")
    with raises_error("mo-graph-port", "'A'", "no input port 3"):
        a.in_port(3)
    with raises_error("mo-graph-port"):
        b.in_port(0).get_connection().set_source(a.in_port(0))
    with raises_error("mo-graph-port"):
        b.in_port(0).get_connection().set_destination(a.out_port(0))
    with raises_error("mo-graph-port", "no source"):
        a.out_port(0).get_source()
    with raises_error("mo-graph-port", "no destinations"):
        a.in_port(0).get_destinations()
    with raises_error("mo-graph-port", "'in' or 'out'"):
        Port(a, 0, "both")
    with raises_error("mo-graph-port", "nothing is connected to input 4"):
        a.in_node(4)
    with raises_error("mo-graph-port", "already"):
        a.add_input_port(0)
    with raises_error("mo-graph-port", "to delete"):
        a.delete_input_port(7)
    with raises_error("mo-graph-port", "'nothing'"):
        _ = a.in_port(0).nothing


@PHASES
def test_ports_come_and_go(make) -> None:
    graph = make(CHAIN)
    a = Node(graph, "A")
    a.add_sequence_of_ports("in", range(3))
    assert list(a.in_ports()) == [0, 1, 2]
    a.delete_input_ports([0, 2, 5], skip_if_absent=True)
    assert list(a.in_ports()) == [1]
    assert a.in_ports_count == 1
    assert "Parameter.0>A.0" not in flow(graph)
    a.delete_output_port(0)
    assert not a.has_port("out", 0)
    a.add_input_port("control_flow_0", control_flow=True)
    assert list(a.in_ports()) == [1]
    assert list(a.in_ports(control_flow=True)) == ["control_flow_0", 1]
    with raises_error("mo-graph-port", "control-flow port"):
        a.in_port("control_flow_0")


def test_data_of_ports() -> None:
    graph = middle_graph(CHAIN)
    a, b = Node(graph, "A"), Node(graph, "B")
    a.out_port(0).data.set_shape([1, 2])
    assert b.in_port(0).data.get_shape().tolist() == [1, 2]
    assert b.in_port(0).data.get_value() is None
    a.out_port(0).data.set_value(np.zeros((1, 2)))
    assert b.in_port(0).data.has_valid("value")
    assert b.in_port(0).get_connection().data.get_value().shape == (1, 2)
    assert b.in_port(0).get_connection().data.get_shape().tolist() == [1, 2]
    assert b.in_port(0).data.get_attr("kind") == "data"
    with raises_error("mo-graph-data", "is not"):
        a.out_port(0).data.set_shape([3])
    b.in_port(0).disconnect()
    with raises_error("mo-graph-data", "no data node"):
        b.in_port(0).data.get_shape()
    with raises_error("mo-graph-data", "has a data node"):
        graph.add_data_node(a, 0)


def test_front_phase_has_no_data() -> None:
    a = Node(front_graph(CHAIN), "A")
    assert a.in_port(0).data.get_shape() is None
    assert a.in_port(0).data.get_value() is None
    with raises_error("mo-graph-data", "front phase"):
        a.out_port(0).data.set_value(np.zeros(1))
    with raises_error("mo-graph-port", "front phase"):
        a.out_port(0).create_data_if_necessary()


def test_element_types() -> None:
    graph = middle_graph(CHAIN)
    a, b = Node(graph, "A"), Node(graph, "B")
    assert not b.in_port(0).is_data_type_defined()
    with raises_error("mo-graph-port", "not known"):
        b.in_port(0).get_data_type()
    a.out_port(0).set_data_type(np.int32)
    assert b.in_port(0).get_data_type() == np.int32
    with raises_error("mo-graph-port", "not <class 'numpy.float32'>"):
        a.out_port(0).set_data_type(np.float32)
    a.out_port(0).set_data_type(np.float32, override=True)
    assert b.in_port(0).get_data_type() == np.float32
    with raises_error("mo-graph-port", "output ports"):
        b.in_port(0).set_data_type(np.int8)


@PHASES
def test_names_of_tensors(make) -> None:
    graph = make(CHAIN)
    a, b = Node(graph, "A"), Node(graph, "B")
    assert a.out_port(0).get_tensor_names() == ["A:0"]
    a.out_port(0).add_tensor_names(["x,y"])
    assert a.out_port(0).get_tensor_names() == ["A:0", "x\\,y"]
    b.in_port(0).get_connection().set_source(Node(graph, "Parameter").out_port(0))
    names = {*Node(graph, "Parameter").out_port(0).get_tensor_names()}
    assert {"A:0", "x\\,y"} <= names
    Node(graph, "Parameter").out_port(0).remove_tensor_names()
    assert b.out_port(0).get_default_tensor_name() == "B:0"
    with raises_error("mo-graph-port"):
        b.in_port(0).get_tensor_names()


def test_new_connections_are_inferred() -> None:
    graph = middle_graph(CHAIN, A={"infer": copy_shapes}, B={"infer": copy_shapes})
    Node(graph, "Parameter").out_port(0).data.set_shape([4, 5])
    new = Node(graph, "A").copy_node({"op": "New", "infer": copy_shapes})
    Node(graph, "A").in_port(0).get_connection().insert_node(new)
    for node in graph.get_op_nodes():
        if node.op in ("A", "B"):
            node["need_shape_inference"] = True
    graph.clean_up()
    assert Node(graph, "B").out_port(0).data.get_shape().tolist() == [4, 5]
    new.need_shape_inference = True
    new["infer"] = lambda node: node.out_port(0).data.set_shape([7])
    with raises_error("mo-infer-shape", "is inferred as"):
        graph.clean_up()


def test_bracketing_with_data() -> None:
    from loomir.tools.model_optimizer.mo.op import Op

    class Copy(Op):
        op = "Copy"

        def __init__(self, graph, attrs=None) -> None:
            own = {"op": self.op, "infer": copy_shapes, "in_ports_count": 1, "out_ports_count": 1}
            super().__init__(graph, own, attrs)

    graph = middle_graph(CHAIN, A={"infer": copy_shapes})
    a = Node(graph, "A")
    a.in_port(0).data.set_shape([2, 3])
    copy_shapes(a)
    a.bracket_op_with_another_op(a.in_node(), a.out_node(), Copy)
    before, after = a.in_port(0).get_source().node, a.out_port(0).get_destination().node
    assert (before.op, after.op) == ("Copy", "Copy")
    assert after.out_port(0).data.get_shape().tolist() == [2, 3]
    with raises_error("mo-graph-data", "was"):
        Copy(graph).create_node_with_data([a.in_node()], data_nodes=make_data(graph, [9]))


def make_data(graph: Graph, shape: list[int]) -> Node:
    from loomir.tools.model_optimizer.mo.op import Op

    return Op._create_data_node(graph, "held", {"shape": np.array(shape)})
