"""Patterns, replacements of sub-graphs and operations, and such as files describe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from loomir.tools.model_optimizer.mo import member
from loomir.tools.model_optimizer.mo.configured_replacements import (
    FrontReplacementFromConfigFileGeneral,
    FrontReplacementFromConfigFileOp,
    FrontReplacementFromConfigFileSubGraph,
    SubgraphMatch,
    SubgraphMatcher,
)
from loomir.tools.model_optimizer.mo.extractors import add_output_ops, extract_node_attrs, restore_edges
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.graph.traversal import (
    apply_pattern,
    backward_bfs_for_operation,
    bfs_search,
    check_node_usages_out_of_match,
    check_value,
    clear_tensor_names_info,
    find_isomorphisms,
    find_pattern_matches,
    invert_sub_graph_between_nodes,
    is_connected_component,
    node_incoming_neighbourhood,
    node_outcoming_neighbourhood,
    scope_output_nodes,
    sub_graph_between_nodes,
)
from loomir.tools.model_optimizer.mo.replacement_config import (
    CustomReplacementDescriptor,
    CustomReplacementRegistry,
    parse_custom_replacement_config_file,
)
from loomir.tools.model_optimizer.mo.transformations import FrontReplacementOp, FrontReplacementSubgraph
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo.graphs import CHAIN, Edge, front_graph, middle_graph

SCOPED: list[Edge] = [
    *(("Parameter", 0, "s/a", 0), ("s/a", 0, "s/b", 0), ("s/a", 0, "s/c", 0), ("Side", 0, "s/c", 1)),
    *(("s/b", 0, "Out", 0), ("s/c", 0, "Out", 1), ("Out", 0, "Result", 0)),
]


def sigmoid(graph: Graph, name: str = "new") -> Node:
    return member("ops.activation_ops", "Sigmoid")(graph, {"name": name}).create_node()


def test_patterns() -> None:
    graph = front_graph(CHAIN)
    nodes = [("a", {"op": "A"}), ("b", {"op": lambda op: op in ("B", "C")})]
    edges = [("a", "b", {"out": 0, "in": 0})]
    assert list(find_pattern_matches(graph, nodes, edges)) == [{"A": "a", "B": "b"}]
    assert not list(find_pattern_matches(graph, nodes, [("a", "b", {"in": 1})]))
    assert list(find_pattern_matches(graph, [("x", {"kind": "op", "op": "A"})], [])) == [{"A": "x"}]
    assert not list(find_pattern_matches(graph, [("x", {"op": "A", "axis": 1})], []))
    found: list[dict[str, Node]] = []
    apply_pattern(graph, nodes=nodes, edges=edges, action=lambda g, m: found.append(m))
    assert found[0]["a"] == Node(graph, "A")
    assert not check_node_usages_out_of_match(found[0], "a")
    whole = [(n.id, {"op": n.op}) for n in graph.get_op_nodes()]
    assert len(find_isomorphisms(graph, whole, [(u, v) for u, _, v, _ in CHAIN])) == 1
    assert graph.get_inputs_with_ports(found[0], edges, ["a"]) == [(Node(graph, "A"), 0)]
    with raises_error("mo-graph-edge", "'b' has 0 edges"):
        graph.get_inputs_with_ports(found[0], edges, ["b"])


def test_patterns_with_data_nodes() -> None:
    graph = middle_graph(CHAIN)
    nodes = [("a", {"op": "A"}), ("d", {"kind": "data"}), ("b", {"op": "B"})]
    [match] = find_pattern_matches(graph, nodes, [("a", "d"), ("d", "b", {"in": 0})])
    assert match["A"] == "a"


def test_places_that_are_gone_are_left_out() -> None:
    graph = front_graph([("A_1", 0, "B", 0), ("B", 0, "A_2", 0)])
    seen: list[str] = []

    def action(graph: Graph, match: dict[str, Node]) -> None:
        seen.append(match["x"].id)
        graph.remove_nodes_from(["A_1", "A_2"])

    apply_pattern(graph, nodes=[("x", {"op": "A"})], edges=[], action=action)
    assert seen == ["A_1"]


def test_values_are_checked() -> None:
    assert check_value(np.array(2.0), lambda v: v == 2)
    assert not check_value(None, lambda v: True)
    assert not check_value(np.array(1j), lambda v: True)


def test_replacing_an_operation() -> None:
    class Replace(FrontReplacementOp):
        op = "A"
        enabled = True

        def replace_op(self, graph: Graph, node: Node) -> list[Any]:
            new = sigmoid(graph)
            new.in_port(0).connect(node.in_port(0).get_source())
            return [(new.id, 0)]

    graph = front_graph(CHAIN)
    Replace().find_and_replace_pattern(graph)
    assert [n.id for n in graph.pseudo_topological_sort()] == ["Parameter", "new", "B", "Result"]
    assert Node(graph, "new").out_port(0).get_tensor_names() == ["A:0"]


def test_replacing_a_sub_graph() -> None:
    class Replace(FrontReplacementSubgraph):
        enabled = True

        def pattern(self) -> dict[str, Any]:
            return {"nodes": [("a", {"op": "A"}), ("b", {"op": "B"})], "edges": [("a", "b")]}

        def generate_sub_graph(self, graph: Graph, match: dict[str, Node]) -> dict[str, Node]:
            return {"new": sigmoid(graph)}

        def input_edges_match(
            self, graph: Graph, match: Any, new_sub_graph: dict[str, Node]
        ) -> dict[Any, Any]:
            return {(match["a"].id, 0): (new_sub_graph["new"].id, 0)}

        def output_edges_match(
            self, graph: Graph, match: Any, new_sub_graph: dict[str, Node]
        ) -> dict[Any, Any]:
            return {match["b"].id: new_sub_graph["new"].id}

    graph = front_graph(CHAIN)
    Replace().replace_sub_graph(graph, {"a": Node(graph, "A"), "b": Node(graph, "B")})
    assert [n.id for n in graph.pseudo_topological_sort()] == ["Parameter", "new", "Result"]


@pytest.fixture
def described(tmp_path: Path) -> Iterator[Any]:
    """A function that makes what it is given known as a configuration file."""

    def known(*replacements: dict[str, Any]) -> list[CustomReplacementDescriptor]:
        path = tmp_path / "config.json"
        path.write_text(json.dumps(replacements))
        CustomReplacementRegistry().add_custom_replacement_description_from_config(str(path))
        return CustomReplacementRegistry().get_all_replacements_descriptions()

    CustomReplacementRegistry().registry.clear()
    yield known
    CustomReplacementRegistry().registry.clear()


POINTS = {
    "id": "mine",
    "match_kind": "points",
    "instances": {"start_points": ["s/a"], "end_points": ["s/b", "s/c"]},
    "op": "Sigmoid",
    "custom_attributes": {"mark": 3},
}
SCOPE = {
    "id": "mine",
    "match_kind": "scope",
    "instances": ["^s"],
    "inputs": [[{"node": "a$", "port": 0}], [{"node": "c$", "port": 1}]],
    "outputs": [{"node": "b$", "port": 0}, {"node": "c$", "port": 0}],
    "op": "Sigmoid",
}


def test_one_operation_in_place_of_a_scope(described) -> None:
    class Replace(FrontReplacementFromConfigFileOp):
        replacement_id = "mine"
        enabled = True

    described(SCOPE)
    graph = front_graph(SCOPED)
    Replace().find_and_replace_pattern(graph)
    [new] = graph.get_op_nodes(op="Sigmoid")
    assert [new.in_node(i).id for i in (0, 1)] == ["Parameter", "Side"]
    assert [Node(graph, "Out").in_port(i).get_source().idx for i in (0, 1)] == [0, 1]
    assert not [n for n in graph if n.startswith("s/")]


def test_sub_graph_between_points(described) -> None:
    seen: list[SubgraphMatch] = []

    class Replace(FrontReplacementFromConfigFileSubGraph):
        replacement_id = "mine"
        enabled = True

        def generate_sub_graph(self, graph: Graph, match: SubgraphMatch) -> dict[str, Any]:
            seen.append(match)
            return {}

        def nodes_to_remove(self, graph: Graph, match: SubgraphMatch) -> list[Any]:
            return []

    described(POINTS)
    graph = front_graph(SCOPED)
    Replace().find_and_replace_pattern(graph)
    [match] = seen
    assert set(match.matched_nodes_names()) == {"s/a", "s/b", "s/c", "Side"}
    assert (match.inputs_count(), match.outputs_count()) == (1, 2)
    assert match.single_input_node(0) == (Node(graph, "s/a"), 0)
    assert match.output_node(1) == (Node(graph, "s/c"), 0)
    assert match.node_by_pattern("nothing") is None
    assert match.custom_replacement_desc.custom_attributes == {"mark": 3}
    with raises_error("mo-sub-graph", "no input 5"):
        match.input_nodes(5)
    with raises_error("mo-sub-graph", "no output 5"):
        match.output_node(5)
    with raises_error("mo-sub-graph", "matches"):
        match.node_by_pattern("s/")


def test_points_outside_of_the_sub_graph(described) -> None:
    [description] = described(
        {**POINTS, "include_inputs_to_sub_graph": False, "include_outputs_to_sub_graph": False}
    )
    graph = front_graph(SCOPED)
    assert description.get_internal_input_nodes(graph) == ["s/b", "s/c"]  # pyright: ignore
    assert description.get_internal_output_nodes(graph) == ["s/a", "Side"]  # pyright: ignore
    assert description.get_config_file_representation()["include_inputs_to_sub_graph"] is False
    description.instances = {"start_points": ["nowhere"], "end_points": []}
    assert not list(SubgraphMatcher(description).matched_sub_graph_instances(graph))


def test_inputs_and_outputs_are_found(described) -> None:
    [points] = described(POINTS)
    graph = front_graph(SCOPED)
    points.update_custom_replacement_attributes(graph)
    assert points.inputs == [[{"node": "^s/a$", "port": 0}]]
    assert points.outputs == [{"node": "^s/b$", "port": 0}, {"node": "^s/c$", "port": 0}]
    CustomReplacementRegistry().registry.clear()
    [scope] = described({"id": "x", "match_kind": "scope", "instances": ["s/"]})
    assert scope.get_inputs_description() is None
    scope.update_custom_replacement_attributes(graph)
    assert scope.inputs == [[{"node": "a$", "port": 0}], [{"node": "c$", "port": 1}]]
    assert scope.get_outputs_description() == [("b$", 0), ("c$", 0)]
    with raises_error("mo-api-not-covered", "'colour'"):
        _ = scope.colour
    scope.instances = []
    with raises_error("mo-replacement-file", "no 'instances'"):
        scope.update_custom_replacement_attributes(graph)


def test_general_attributes(described) -> None:
    seen: list[dict[str, Any]] = []

    class Replace(FrontReplacementFromConfigFileGeneral):
        replacement_id = "mine"
        enabled = True

        def transform_graph(self, graph: Graph, replacement_descriptions: dict[str, Any]) -> None:
            seen.append(replacement_descriptions)

    described({"id": "mine", "match_kind": "general", "custom_attributes": {"a": 1}})
    Replace().find_and_replace_pattern(front_graph(CHAIN))
    assert seen == [{"a": 1}]
    description = CustomReplacementRegistry().get_all_replacements_descriptions()[0]
    with raises_error("mo-sub-graph", "'general'"):
        list(SubgraphMatcher(description).matched_sub_graph_instances(front_graph(CHAIN)))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[{", "cannot be read"),
        ("{}", "list"),
        ('[{"match_kind": "scope"}]', "no 'id'"),
        ('[{"id": "x"}]', "no 'match_kind'"),
        ('[{"id": "x", "match_kind": "magic"}]', "'magic'"),
        ('[{"id": "x", "match_kind": "scope"}]', "'instances' is missing"),
    ],
)
def test_faults_of_files(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(content)
    with raises_error("mo-replacement-file", told):
        parse_custom_replacement_config_file(str(path))


def test_walks() -> None:
    graph = front_graph(SCOPED)
    assert bfs_search(graph, ["s/a"]) == ["s/a", "s/b", "s/c", "Out", "Result"]
    assert is_connected_component(graph, ["s/a", "s/b"])
    assert not is_connected_component(graph, ["s/b", "Side"])
    assert [n.id for n in scope_output_nodes(graph, "s")] == ["s/b", "s/c"]
    assert node_incoming_neighbourhood(graph, "Out", 1) == ["Out", "s/b", "s/c"]
    assert node_outcoming_neighbourhood(graph, "s/a", 1) == ["s/a", "s/b", "s/c"]
    assert [n.id for n in backward_bfs_for_operation(Node(graph, "Out"), ["Parameter"])] == ["Parameter"]
    assert set(invert_sub_graph_between_nodes(graph, ["Out"], ["s/a"])) == {
        "Out",
        "s/b",
        "s/c",
        "s/a",
        "Side",
    }
    assert sub_graph_between_nodes(graph, ["s/c"], ["Out"], lambda n: n.id == "Out") == (
        ["s/c", "Out"],
        ["Out"],
    )
    with raises_error("mo-sub-graph", "cannot be reached"):
        sub_graph_between_nodes(graph, ["s/b"], ["Side"], allow_non_reachable_end_nodes=False)
    with raises_error("mo-sub-graph", "input 'Parameter'"):
        sub_graph_between_nodes(graph, ["Side"], ["Out"])
    clear_tensor_names_info([Node(graph, "s/b")])
    assert Node(graph, "s/b").out_edge()["fw_tensor_debug_info"] == [("s/b", "s/b:0", None)]


def test_outputs_and_edges_of_models() -> None:
    graph = front_graph(SCOPED)
    assert len(add_output_ops(graph, None)) == 1
    added = add_output_ops(graph, {"s/c": [{"in": 0}, {"out": 0}], "s/b": [{}]})
    assert [Node(graph, n).in_node().id for n in added] == ["s/a", "s/c", "s/b"]
    Node(graph, "s/c").in_port(1).disconnect()
    with raises_error("mo-graph-port", "nothing is connected"):
        add_output_ops(graph, {"s/c": [{"in": 1}]})
    bare = Graph(name="bare")
    for name in ("a", "b"):
        bare.add_node(name, kind="op", op="A", name=name)
    sources = restore_edges(bare, lambda n: [("a", "b", {"in": 0, "out": 0})] if n.id == "b" else [])
    assert sources == {"a"}
    with raises_error("mo-graph-node", "'c'"):
        restore_edges(bare, lambda n: [("a", "c", {})])
    extract_node_attrs(bare, lambda n: (n.id == "a", {"known": True} if n.id == "a" else {}))
    assert bare.node["a"]["known"]
    assert "dim_attrs" in bare.node["a"]
