"""Front phase transformations described by a configuration file.

They apply to any framework.
"""

from __future__ import annotations

import logging
from typing import Any

from loomir.tools.model_optimizer.mo.errors import attribute_not_covered
from loomir.tools.model_optimizer.mo.front.common.custom_replacement_registry import CustomReplacementRegistry
from loomir.tools.model_optimizer.mo.front.common.replacement import (
    FrontReplacementPattern,
    FrontReplacementSubgraph,
)
from loomir.tools.model_optimizer.mo.front.subgraph_matcher import SubgraphMatch, SubgraphMatcher
from loomir.tools.model_optimizer.mo.graph.graph import Graph
from loomir.tools.model_optimizer.mo.ops.op import Op
from loomir.tools.model_optimizer.mo.utils.graph import is_connected_component
from loomir.tools.model_optimizer.mo.utils.replacement_pattern import only_a_base

log = logging.getLogger(__name__)


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
