"""Front phase transformations of whole graphs, sub-graphs and single operations."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loomir.tools.model_optimizer.mo.errors import attribute_not_covered
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node, merge_edge_props
from loomir.tools.model_optimizer.mo.graph.node import CONTROL_FLOW
from loomir.tools.model_optimizer.mo.late import member
from loomir.tools.model_optimizer.mo.middle.pattern_match import apply_pattern
from loomir.tools.model_optimizer.mo.utils.class_types import ClassType
from loomir.tools.model_optimizer.mo.utils.replacement_pattern import ReplacementPattern, only_a_base

log = logging.getLogger(__name__)

EdgesMatch = Mapping[Any, Any]
"""Mapping of old edge ends to new ones.

A key is an old node, or a pair of it and a port; a value is the same for a new node. The port is 0 if it is left out.
"""


@only_a_base
class FrontReplacementPattern(ReplacementPattern):
    """Transformation of the framework's operations.

    It runs between `FrontStart` and `FrontFinish` unless a class specifies otherwise.
    """

    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    def run_after(self) -> list[type]:
        return [member("front.pass_separator", "FrontStart")]

    def run_before(self) -> list[type]:
        return [member("front.pass_separator", "FrontFinish")]

    @classmethod
    def class_type(cls) -> ClassType:
        return ClassType.FRONT_REPLACER


@only_a_base
class FrontReplacementSubgraph(FrontReplacementPattern):
    """Replaces the sub-graphs that `pattern()` describes.

    A class defines `replace_sub_graph`, or `generate_sub_graph`, whose result is connected by the edge matches.
    """

    replacement_id = "None"
    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    @staticmethod
    def extract_port(node_port: Any) -> tuple[Any, int]:
        return node_port if isinstance(node_port, tuple) else (node_port, 0)

    @staticmethod
    def replace_input_edges(graph: Graph, input_edges_match: EdgesMatch) -> None:
        """Add edges to new nodes like those to old nodes.

        An old port is an index into the inputs in their order.
        """
        for old, new in input_edges_match.items():
            old_node, old_port = FrontReplacementSubgraph.extract_port(old)
            new_node, new_port = FrontReplacementSubgraph.extract_port(new)
            source, edge = Node(graph, old_node).get_sorted_inputs()[old_port]
            graph.add_edge(source, new_node, **{**edge, "in": new_port})

    @staticmethod
    def replace_output_edges(graph: Graph, output_edges_match: EdgesMatch) -> None:
        """Add edges from new nodes like those from old nodes.

        This includes control flow edges.
        """
        for old, new in output_edges_match.items():
            old_node, old_port = FrontReplacementSubgraph.extract_port(old)
            new_node, new_port = FrontReplacementSubgraph.extract_port(new)
            for _, target, edge in list(graph.out_edges(old_node, data=True)):
                if edge["out"] != old_port:
                    continue
                if edge.get("control_flow_edge") is True:
                    # Ports of control flow are not made with the node.
                    output, entry = f"{CONTROL_FLOW}{new_port}", f"{CONTROL_FLOW}{edge['in']}"
                    Node(graph, new_node).add_output_port(output, control_flow=True, skip_if_exist=True)
                    Node(graph, target).add_input_port(entry, control_flow=True, skip_if_exist=True)
                graph.add_edge(new_node, target, **{**edge, "out": new_port})

    def input_edges_match(self, graph: Graph, match: Any, new_sub_graph: dict[str, Any]) -> EdgesMatch:
        """By default no edge to new nodes is added."""
        return {}

    def output_edges_match(self, graph: Graph, match: Any, new_sub_graph: dict[str, Any]) -> EdgesMatch:
        """By default no edge from new nodes is added."""
        return {}

    def generate_sub_graph(self, graph: Graph, match: Any) -> dict[str, Any]:
        """Create the new nodes and return them by freely chosen names.

        Errors: `mo-api-not-covered` if a class does not define it.
        """
        raise attribute_not_covered(type(self).__name__, "generate_sub_graph")

    def nodes_to_remove(self, graph: Graph, match: Any) -> Iterable[Any]:
        """By default all nodes of the match."""
        return [node.id for node in match.values()]

    def replace_sub_graph(self, graph: Graph, match: Any) -> Any:
        """Process one match."""
        new = self.generate_sub_graph(graph, match)
        self.replace_input_edges(graph, self.input_edges_match(graph, match, new))
        self.replace_output_edges(graph, self.output_edges_match(graph, match, new))
        removed = list(self.nodes_to_remove(graph, match))
        log.debug("%s removes %s", self.replacement_id, removed)
        graph.remove_nodes_from(removed)

    def find_and_replace_pattern(self, graph: Graph) -> None:
        apply_pattern(graph, action=self.replace_sub_graph, **self.pattern())


@only_a_base
class FrontReplacementOp(FrontReplacementSubgraph):
    """Replaces each node of operation `op` by what `replace_op` makes."""

    op = "UnknownOp"
    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    def pattern(self) -> dict[str, Any]:
        return {"nodes": [("op", {"op": type(self).op})], "edges": []}

    def replace_op(self, graph: Graph, node: Node) -> Sequence[Any]:
        """Create the new nodes and return a replacement for each output.

        A replacement is the identifier of a new node, or a pair of it and its output.

        Errors: `mo-api-not-covered` if a class does not define it.
        """
        raise attribute_not_covered(type(self).__name__, "replace_op")

    @staticmethod
    def gen_output_edges_match(node: Node, out_node_replace: Sequence[Any]) -> dict[Any, Any]:
        return {
            (node.id, port): FrontReplacementSubgraph.extract_port(new)
            for port, new in enumerate(out_node_replace)
        }

    @staticmethod
    def update_input_edges_attrs(graph: Graph, node: Node, added_nodes: Iterable[Any]) -> None:
        """Copy edge attributes from the old node's inputs to the new nodes.

        An edge to a new node receives the attributes of the edge to the old node that comes from the same output.
        """
        added = set(added_nodes)
        entering: dict[Any, list[dict[str, Any]]] = {}
        for source, _, edge in graph.in_edges(list(added), data=True):
            if source not in added:
                entering.setdefault((source, edge["out"]), []).append(edge)
        for source, _, edge in graph.in_edges(node.id, data=True):
            for new in entering.get((source, edge["out"]), ()):
                merge_edge_props(new, edge)

    def replace_sub_graph(self, graph: Graph, match: Any) -> Any:
        node = match["op"]
        self.replace_output_edges(graph, self.gen_output_edges_match(node, self.replace_op(graph, node)))
        graph.remove_nodes_from(list(self.nodes_to_remove(graph, match)))
