"""Graphs and nodes: attributes, finding, order, copies."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from loomir.tools.model_optimizer.mo.graph.graph import (
    Graph,
    Node,
    add_opoutput,
    get_edge_attribute_between_nodes,
    rename_node,
    rename_nodes,
    set_edge_attribute_between_nodes,
)
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo.graphs import CHAIN, copy_shapes, front_graph, middle_graph


def test_attributes_are_fields() -> None:
    node = Node(front_graph(CHAIN), "A")
    node["axis"] = 1
    node.axis = 2
    assert node.axis == node["axis"] == node.soft_get("axis") == 2
    assert "axis" in node
    node["none"] = None
    assert node.has("none")
    assert not node.has_valid("none")
    assert node.soft_get("none", 7) == 7
    assert node.soft_get("other") == "<UNKNOWN>"
    assert not node.has_and_set("other")
    del node["axis"]
    assert not hasattr(node, "axis")


def test_missing_attributes_are_named() -> None:
    node = Node(front_graph(CHAIN), "A")
    with raises_error("mo-node-attribute", "'A' (A)", "'axis'"):
        _ = node.axis
    with raises_error("mo-node-attribute"):
        node.axis = 1
    with pytest.raises(KeyError):
        _ = node["axis"]
    node["version"] = "opset1"
    with raises_error("mo-node-version", "opset1"):
        node["version"] = "opset2"


def test_what_is_not_covered_is_named() -> None:
    graph = front_graph(CHAIN)
    with raises_error("mo-api-not-covered", "Graph", "'shuffle'"):
        graph.shuffle()
    assert not hasattr(graph, "shuffle")
    with raises_error("mo-api-not-covered", "Connection", "'swap'"):
        Node(graph, "A").in_port(0).get_connection().swap()
    with raises_error("mo-api-not-covered", "Port.data", "'get_rank'"):
        Node(graph, "A").in_port(0).data.get_rank()
    with raises_error("mo-api-not-covered", "save_to_svg"):
        graph.dump_graph_for_graphviz(save_to_svg=True)


def test_nodes_are_found_by_what_they_are_now() -> None:
    graph = front_graph([("Parameter", 0, "A_1", 0), ("A_1", 0, "A_2", 0), ("A_2", 0, "Result", 0)])
    assert [n.id for n in graph.get_op_nodes(op="A")] == ["A_1", "A_2"]
    graph.node["A_1"]["op"] = "B"
    graph.node["A_2"].update(name="other", axis=np.array([1]))
    assert [n.id for n in graph.get_op_nodes(op="A")] == ["A_2"]
    assert [n.id for n in graph.get_op_nodes(op="B")] == ["A_1"]
    assert graph.get_nodes_with_attributes(name="other", kind="op") == ["A_2"]
    assert graph.get_node_id_by_name("other") == "A_2"
    graph.remove_node("A_2")
    assert graph.get_nodes_with_attributes(name="other") == []
    graph.add_node("A_2", kind="op", op="B")
    graph.node["A_1"].pop("op")
    assert [n.id for n in graph.get_op_nodes(op="B")] == ["A_2"]
    with raises_error("mo-graph-node", "'nobody'"):
        graph.get_node_id_by_name("nobody")
    with raises_error("mo-graph-node", "'nobody'"):
        Node(graph, "nobody")


def test_renaming_takes_no_name_that_is_used() -> None:
    graph = front_graph(CHAIN)
    a, b = Node(graph, "A"), Node(graph, "B")
    rename_nodes([(a, "A/old"), (b, "A")])
    assert (a.name, b.name) == ("A/old", "A")
    rename_node(a, "A")
    assert a.name == "A/old"


def test_identifiers_are_unique() -> None:
    graph = front_graph(CHAIN)
    assert graph.unique_id("new") == "new"
    assert graph.unique_id("A") != "A"
    assert graph.unique_id("A") not in graph
    assert graph.unique_id() not in graph


def test_copies_have_their_own_nodes() -> None:
    graph = front_graph(CHAIN)
    other = copy.deepcopy(graph)
    other.node["A"]["name"] = "changed"
    assert graph.node["A"]["name"] == "A"
    assert other.get_nodes_with_attributes(name="changed") == ["A"]
    assert other.stage == "front"
    part = graph.create_sub_graph_copy(["A", "B"])
    assert list(part.edges()) == [("A", "B")]
    new = Node(graph, "A").copy_node({"op": "C"})
    assert (new.op, new.name) == ("C", new.id)
    assert new.in_port(0).disconnected()


def test_order_of_nodes() -> None:
    graph = front_graph([*CHAIN, ("Parameter", 0, "C", 0), ("C", 0, "B", 1)])
    order = [n.id for n in graph.pseudo_topological_sort()]
    for source, target in graph.edges():
        assert order.index(source) < order.index(target)
    assert [n.id for n in graph.pseudo_topological_sort(reverse=True)] == order[::-1]
    assert [n.id for n in graph.pseudo_topological_sort_with_start_node(Node(graph, "B"))] == ["B", "Result"]
    assert graph.topological_sort()[0].id == "Parameter"
    graph.strict_mode = False
    graph.add_edge("B", "A", **{"in": 1, "out": 0})
    with raises_error("mo-graph-cycle", "A → B"):
        graph.topological_sort()


def test_edges_are_checked() -> None:
    graph = front_graph(CHAIN)
    with raises_error("mo-graph-edge", "input port 4"):
        graph.create_edge(Node(graph, "A"), Node(graph, "B"), 0, 4)
    with raises_error("mo-graph-edge", "no attribute 'in'"):
        graph.add_edge("A", "B", out=0)
    graph.add_node("data", kind="data")
    with raises_error("mo-graph-edge", "from op to data"):
        graph.add_edge("A", "data", **{"in": 0, "out": 0})
    with raises_error("mo-graph-edge", "tuple"):
        graph.add_edges_from([("A",)])
    with raises_error("mo-graph-edge", "2 edges"):
        Node(graph, "A").edge({})


def test_replacing_and_erasing() -> None:
    graph = front_graph(CHAIN)
    new = Node(graph, "A").copy_node({"op": "C"})
    Node(graph, "Parameter").out_port(0).connect(new.in_port(0))
    Node(graph, "A").replace_node(new)
    assert "A" not in graph
    assert Node(graph, "B").in_node().op == "C"
    with raises_error("mo-graph-edge", "by itself"):
        new.replace_node(new)
    graph.erase_node(new)
    assert Node(graph, "B").in_node().id == "Parameter"
    last = Node(graph, "B").copy_node()
    Node(graph, "Parameter").out_port(0).connect(last.in_port(0))
    Node(graph, "B").replace_node(last)
    assert last.out_node().op == "Result"
    between = last.copy_node()
    Node(graph, "Parameter").insert_node_after(between, 0)
    assert last.in_node() == between
    assert between.in_node().id == "Parameter"


def test_data_nodes_refuse_what_is_for_the_front_phase() -> None:
    graph = middle_graph(CHAIN)
    with raises_error("mo-graph-edge", "erase_node"):
        graph.erase_node(Node(graph, "A"))


def test_outputs_of_the_model() -> None:
    graph = front_graph(CHAIN)
    identifier = add_opoutput(graph, "A", 0, cut=False, user_defined_name="mine")
    assert Node(graph, identifier).in_node().id == "A"
    assert graph.has_tensor_name("mine")
    assert not graph.has_tensor_name("other")


def test_attributes_of_edges() -> None:
    graph = front_graph(CHAIN)
    a, b = Node(graph, "A"), Node(graph, "B")
    set_edge_attribute_between_nodes(a, b, "marked", 3)
    assert get_edge_attribute_between_nodes(a, b, "marked") == 3
    assert get_edge_attribute_between_nodes(b, a, "marked") is None
    assert a.out_edge()["marked"] == 3
    assert a.out_port(0).marked == 3


def test_checks_of_the_whole_graph() -> None:
    with raises_error("mo-graph-empty", "0 nodes after it"):
        Graph().check_empty_graph("it")
    graph = middle_graph(CHAIN)
    graph.check_shapes_consistency()
    graph.get_data_nodes()[0]["shape"] = [1, 2]
    with raises_error("mo-graph-data", "not an array"):
        graph.check_shapes_consistency()
    node = Node(graph, "A")
    node.add_input_port(5)
    with raises_error("mo-graph-port", "numbered [0, 5]"):
        graph.check_nodes_ports_are_consecutive()


def test_dump_has_nodes_and_edges() -> None:
    text = middle_graph(CHAIN).dump_graph_for_graphviz(highlight_nodes=["A"])
    assert 'fillcolor=firebrick style="filled,bold" shape=box label="A' in text
    assert '"A" -> "A/Output_0/Data_' in text


def test_clean_up_folds_and_removes() -> None:
    from loomir.tools.model_optimizer.mo.constants import Const

    graph = front_graph(CHAIN, **{n: {"infer": copy_shapes} for n in ("A", "B")})
    for name in ("dead", "alive"):
        Const(graph, {"name": name, "value": np.ones(2)}).create_node()
    Node(graph, "B").add_input_port(1)
    Node(graph, "alive").out_port(0).connect(Node(graph, "B").in_port(1))
    from loomir.tools.model_optimizer.mo.extractors import create_tensor_nodes

    create_tensor_nodes(graph)
    Node(graph, "alive").infer(Node(graph, "alive"))
    graph.clean_up()
    assert "dead" not in graph
    constant = Node(graph, "B").in_port(1).get_source().node
    assert constant.op == "Const"
    assert constant.name == "alive"


def test_many_renamings_are_not_quadratic() -> None:
    """20,000 nodes get another name and are found by it: each in constant time."""
    graph = Graph()
    nodes = []
    for i in range(20_000):
        graph.add_node(f"n{i}", kind="op", op="A", name=f"n{i}")
        nodes.append(Node(graph, f"n{i}"))
    rename_nodes([(node, f"new{i}") for i, node in enumerate(nodes)])
    assert graph.get_node_id_by_name("new19999") == "n19999"
