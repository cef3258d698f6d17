"""Base classes and anchors of the transformations of all phases.

Loaders make a graph of a framework's model. The front phase transforms operations of the framework, without data nodes:
whole graphs, sub-graphs and single operations. The middle phase has data nodes with shapes and values; in the back phase
operations become those of an operation set. Anchors are transformations that change nothing: what others come before and
after.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from loomir.tools.model_optimizer.mo import attribute_not_covered, member
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node, merge_edge_props
from loomir.tools.model_optimizer.mo.graph.node import CONTROL_FLOW
from loomir.tools.model_optimizer.mo.graph.traversal import apply_pattern


class ClassType(Enum):
    """Where a class belongs; `class_type()` of each base class says it."""

    EXTRACTOR = 0
    OP = 1
    FRONT_REPLACER = 2
    MIDDLE_REPLACER = 3
    BACK_REPLACER = 4
    IR_READER_EXTENDER = 5
    LOADER = 6


class ReplacementPattern:
    """A transformation: `pattern()` and `replace_pattern(graph, match)`, or `find_and_replace_pattern(graph)`.

    `enabled`, `graph_condition`, `force_clean_up`, `force_shape_inference`, `run_not_recursively` and `id` are what a class may say.
    """

    excluded_replacers: list[type] = []
    """Classes that are only there to derive from."""

    def pattern(self) -> dict[str, Any]:
        """Errors: `mo-api-not-covered` where a class that needs it does not define it."""
        raise attribute_not_covered(type(self).__name__, "pattern")

    def replace_pattern(self, graph: Graph, match: dict[str, Any]) -> Any:
        """Errors: `mo-api-not-covered` where a class that needs it does not define it."""
        raise attribute_not_covered(type(self).__name__, "replace_pattern")

    def find_and_replace_pattern(self, graph: Graph) -> None:
        """Transforms the graph."""
        apply_pattern(graph, **self.pattern(), action=self.replace_pattern)

    def run_before(self) -> list[type]:
        """Classes that this one comes before."""
        return []

    def run_after(self) -> list[type]:
        """Classes that this one comes after."""
        return []


def only_a_base(cls: type) -> type:
    """A decorator: the class is no transformation, others derive from it."""
    ReplacementPattern.excluded_replacers.append(cls)
    return cls


class Anchor:
    """First base class of an anchor.

    The second one is the base class of its phase.
    """

    enabled = True

    def run_after(self) -> list[type]:
        return []

    def run_before(self) -> list[type]:
        return []

    def find_and_replace_pattern(self, graph: Any) -> None:
        """Nothing."""


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


@only_a_base
class MiddleReplacementPattern(ReplacementPattern):
    """Transformation of a graph with data nodes.

    It runs between `MiddleStart` and `MiddleFinish` unless a class specifies otherwise.
    """

    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    def run_after(self) -> list[type]:
        return [member("middle.pass_separator", "MiddleStart")]

    def run_before(self) -> list[type]:
        return [member("middle.pass_separator", "MiddleFinish")]

    @classmethod
    def class_type(cls) -> ClassType:
        return ClassType.MIDDLE_REPLACER


@only_a_base
class BackReplacementPattern(ReplacementPattern):
    """Replacement on a graph whose layout is final.

    It runs between `BackStart` and `BackFinish` unless a class specifies otherwise.
    """

    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    def run_after(self) -> list[type]:
        return [member("back.pass_separator", "BackStart")]

    def run_before(self) -> list[type]:
        return [member("back.pass_separator", "BackFinish")]

    @classmethod
    def class_type(cls) -> ClassType:
        return ClassType.BACK_REPLACER


class Loader:
    """A class defines `load(graph)`, and runs before `LoadFinish` unless it says otherwise."""

    registered_cls: list[type] = []
    registered_ops: dict[str, type] = {}
    excluded_replacers: list[type] = []

    def find_and_replace_pattern(self, graph: Graph) -> None:
        self.load(graph)

    def load(self, graph: Graph) -> Any:
        """Errors: `mo-api-not-covered` where a class does not define it."""
        raise attribute_not_covered(type(self).__name__, "load")

    def run_before(self) -> list[type]:
        return [] if isinstance(self, LoadFinish) else [LoadFinish]

    def run_after(self) -> list[type]:
        return []

    @classmethod
    def class_type(cls) -> ClassType:
        return ClassType.LOADER


class LoadFinish(Loader):
    """After all loaders. Errors: `mo-graph-empty` if none has loaded anything."""

    enabled = True

    def load(self, graph: Graph) -> None:
        graph.check_empty_graph("loading")


class FrontStart(Anchor, FrontReplacementPattern):
    """Anchor at the beginning of the front phase.

    The transformations of the phase follow it. Cutting of inputs and outputs, and ports, come before it.
    """


class FrontFinish(Anchor, FrontReplacementPattern):
    """After it: what closes the phase."""

    def run_after(self) -> list[type]:
        return [FrontStart]


class PreMiddleStart(Anchor, MiddleReplacementPattern):
    """Before it: partial inference and what prepares it."""


class MiddleStart(Anchor, MiddleReplacementPattern):
    """After it: most transformations of the phase."""

    def run_after(self) -> list[type]:
        return [PreMiddleStart]


class MiddleFinish(Anchor, MiddleReplacementPattern):
    """After it: changes of layout."""

    def run_after(self) -> list[type]:
        return [MiddleStart]


class PostMiddleStart(Anchor, MiddleReplacementPattern):
    """After it: what needs the final layout."""

    def run_after(self) -> list[type]:
        return [MiddleFinish]


class BackStart(Anchor, BackReplacementPattern):
    """After it: the transformations of the phase."""


class BackFinish(Anchor, BackReplacementPattern):
    """After it: what prepares the emission of IR."""

    force_clean_up = True

    def run_after(self) -> list[type]:
        return [BackStart]
