"""Front phase transformations described by a configuration file.

They apply to any framework, though extensions import them from `front.tf`. The matcher finds the sub-graphs that a
description of the file means.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import attribute_not_covered
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.graph.traversal import (
    is_connected_component,
    nodes_matching_name_pattern,
    sub_graph_between_nodes,
)
from loomir.tools.model_optimizer.mo.op import Op
from loomir.tools.model_optimizer.mo.replacement_config import (
    CustomReplacementDescriptor,
    CustomReplacementRegistry,
)
from loomir.tools.model_optimizer.mo.transformations import (
    FrontReplacementPattern,
    FrontReplacementSubgraph,
    only_a_base,
)

log = logging.getLogger(__name__)


def find_object_by_pattern(names: Iterable[Any], pattern: str) -> list[Any]:
    """The names that begin with what the regular expression matches."""
    compiled = re.compile(pattern)
    return [name for name in names if compiled.match(str(name))]


class SubgraphMatch:
    """A sub-graph that was found, with its inputs and outputs by number."""

    def __init__(
        self,
        graph: Graph,
        replacement_desc: CustomReplacementDescriptor,
        matched_nodes: Sequence[Any],
        inputs_order: Sequence[Sequence[tuple[str, int]]],
        outputs_order: Sequence[tuple[str, int]],
        prefix: str,
    ) -> None:
        """Create a match.

        Regular expressions behind the scope `prefix` identify nodes. Errors: `mo-sub-graph` if one matches several.
        """
        self.graph = graph
        self.custom_replacement_desc = replacement_desc
        self.scope = prefix
        self._matched_nodes_names = list(matched_nodes)
        self._inputs: dict[int, list[tuple[Node, int]]] = {}
        self._outputs: dict[int, tuple[Node, int]] = {}
        for number, takers in enumerate(inputs_order):
            for pattern, port in takers:
                node = self.node_by_pattern(pattern)
                if node is not None:
                    self._inputs.setdefault(number, []).append((node, port))
        for number, (pattern, port) in enumerate(outputs_order):
            node = self.node_by_pattern(pattern)
            if node is not None:
                self._outputs[number] = (node, port)

    def matched_nodes_names(self) -> list[Any]:
        """Identifiers of its nodes."""
        return self._matched_nodes_names

    def inputs_count(self) -> int:
        """Return the number of input tensors.

        A tensor that several nodes of the sub-graph read counts once.
        """
        return len(self._inputs)

    def outputs_count(self) -> int:
        return len(self._outputs)

    def input_nodes(self, port: int) -> list[tuple[Node, int]]:
        """Return the nodes that read input `port`, each with its own port.

        Errors: `mo-sub-graph` if there is no such input.
        """
        if port not in self._inputs:
            raise Error("mo-sub-graph", f"the sub-graph has no input {port}")
        return self._inputs[port]

    def single_input_node(self, port: int) -> tuple[Node, int]:
        """The one of `input_nodes`. Errors: `mo-sub-graph` if there are several or none."""
        nodes = self.input_nodes(port)
        if len(nodes) != 1:
            raise Error("mo-sub-graph", f"{len(nodes)} nodes take input {port} of the sub-graph, not one")
        return nodes[0]

    def output_node(self, port: int) -> tuple[Node, int]:
        """Return the node that produces output `port`, with its own port.

        Errors: `mo-sub-graph` if there is no such output.
        """
        if port not in self._outputs:
            raise Error("mo-sub-graph", f"the sub-graph has no output {port}")
        return self._outputs[port]

    def node_by_pattern(self, pattern: str) -> Node | None:
        """Return the matched node for a regular expression, or None.

        The expression matches the node's name behind the scope. Errors: `mo-sub-graph` if there are several such nodes.
        """
        scope = self.scope if not self.scope or self.scope.endswith("/") else f"{self.scope}/"
        found = find_object_by_pattern(self._matched_nodes_names, scope + pattern)
        if len(found) > 1:
            raise Error("mo-sub-graph", f"'{scope + pattern}' matches {len(found)} nodes: {found}")
        return Node(self.graph, found[0]) if found else None


class SubgraphMatcher:
    """Finds what a description of kind 'scope' or 'points' describes."""

    def __init__(self, replacement_descriptor: CustomReplacementDescriptor) -> None:
        self.replacement_desc = replacement_descriptor

    def matched_sub_graph_instances(self, graph: Graph) -> Iterator[SubgraphMatch]:
        """Errors: `mo-sub-graph`, also for another kind."""
        kind = self.replacement_desc.match_kind
        if kind == "points":
            found = [self._between_points(graph)]
        elif kind == "scope":
            found = (self._in_scope(graph, scope) for scope in self.replacement_desc.sub_graph_instances())
        else:
            raise Error("mo-sub-graph", f"match_kind '{kind}' describes no sub-graph")
        yield from (match for match in found if match is not None)

    def _in_scope(self, graph: Graph, scope: str) -> SubgraphMatch | None:
        descriptor = self.replacement_desc
        inputs = descriptor.get_inputs_description() or []
        for pattern, _ in (taker for takers in inputs for taker in takers):
            if not find_object_by_pattern(graph.nodes(), f".*{pattern}"):
                log.info("no node '%s': '%s' is not there", pattern, descriptor.id)
                return None
        nodes = nodes_matching_name_pattern(graph, scope)
        if not nodes:
            return None
        return SubgraphMatch(
            graph, descriptor, nodes, inputs, descriptor.get_outputs_description() or [], scope
        )

    def _between_points(self, graph: Graph) -> SubgraphMatch | None:
        descriptor: Any = self.replacement_desc
        starts, ends = descriptor.get_internal_input_nodes(graph), descriptor.get_internal_output_nodes(graph)
        points = descriptor.instances
        for node in (*points["start_points"], *points["end_points"], *starts, *ends):
            if node not in graph:
                log.info("no node '%s': '%s' is not there", node, descriptor.id)
                return None
        nodes = sub_graph_between_nodes(graph, starts, ends, include_control_flow=False)
        inputs, outputs = descriptor.get_inputs_description(), descriptor.get_outputs_description()
        return SubgraphMatch(graph, descriptor, nodes, inputs, outputs, "")


@only_a_base
class FrontReplacementFromConfigFileGeneral(FrontReplacementPattern):
    """Transformation of whole graphs with `custom_attributes` from a file.

    `transform_graph` is called with the `custom_attributes` of each description with the id `replacement_id`.
    """

    replacement_id = ""
    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    def transform_graph(self, graph: Graph, replacement_descriptions: dict[str, Any]) -> Any:
        """Errors: `mo-api-not-covered` where a class does not define it."""
        raise attribute_not_covered(type(self).__name__, "transform_graph")

    def find_and_replace_pattern(self, graph: Graph) -> None:
        descriptions = CustomReplacementRegistry().get_custom_replacement_description(self.replacement_id)
        for description in descriptions or ():
            self.transform_graph(graph, description.custom_attributes)


@only_a_base
class FrontReplacementFromConfigFileSubGraph(FrontReplacementSubgraph):
    """Replacement of sub-graphs that a file describes.

    `generate_sub_graph` and the related methods are called with a `SubgraphMatch` for each sub-graph that matches a
    description.
    """

    replacement_id = ""
    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    def nodes_to_remove(self, graph: Graph, match: SubgraphMatch) -> list[Any]:
        return match.matched_nodes_names()

    def find_and_replace_pattern(self, graph: Graph) -> None:
        descriptions = CustomReplacementRegistry().get_custom_replacement_description(self.replacement_id)
        for description in descriptions or ():
            matches = list(SubgraphMatcher(description).matched_sub_graph_instances(graph))
            if not matches:
                log.error(
                    "what is described as '%s' is not in the model: compare the names", self.replacement_id
                )
            for match in matches:
                if not is_connected_component(graph, match.matched_nodes_names()):
                    log.warning("these nodes do not hang together: %s", match.matched_nodes_names())
                self.replace_sub_graph(graph, match)


@only_a_base
class FrontReplacementFromConfigFileOp(FrontReplacementFromConfigFileSubGraph):
    """Replacement of such a sub-graph by one node.

    The node has the operation that the file names in `op`, with the file's `custom_attributes`.
    """

    replacement_id = ""
    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    def input_edges_match(
        self, graph: Graph, match: SubgraphMatch, new_sub_graph: dict[str, Any]
    ) -> dict[Any, Any]:
        """Each input of the sub-graph becomes the node's of the same number."""
        new = new_sub_graph["new_node"]
        found: dict[Any, Any] = {}
        for port in range(match.inputs_count()):
            node, own = match.input_nodes(port)[0]
            found[node.id, own] = (new.id, port)
        return found

    def output_edges_match(
        self, graph: Graph, match: SubgraphMatch, new_sub_graph: dict[str, Any]
    ) -> dict[Any, Any]:
        """Each output of the sub-graph becomes the node's of the same number."""
        new = new_sub_graph["new_node"]
        found: dict[Any, Any] = {}
        for port in range(match.outputs_count()):
            node, own = match.output_node(port)
            found[node.id, own] = (new.id, port)
        return found

    def generate_sub_graph(self, graph: Graph, match: SubgraphMatch) -> dict[str, Any]:
        """Create the new node and return it as 'new_node'.

        Errors: `mo-api-not-covered` for an unknown operation.
        """
        description = match.custom_replacement_desc
        operation = Op.get_op_class_by_name(description.op)(graph, dict(description.custom_attributes))
        operation.default_backend_attrs = list(description.custom_attributes)
        node = operation.add_node({"name": graph.unique_id(f"{operation.attrs['type']}_")})
        node.add_sequence_of_ports("in", range(match.inputs_count()))
        node.add_sequence_of_ports("out", range(match.outputs_count()))
        return {"new_node": node}
