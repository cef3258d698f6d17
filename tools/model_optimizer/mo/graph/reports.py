"""Checks of whole graphs, and their text."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.errors import attribute_not_covered
from loomir.tools.model_optimizer.mo.graph.dump import graphviz

if TYPE_CHECKING:
    _Graph = Any
else:
    _Graph = object

log = logging.getLogger(__name__)


class GraphReports(_Graph):
    """Methods of a graph that change nothing."""

    def check_empty_graph(self, description: Any) -> None:
        """Errors: `mo-graph-empty` if one node or none is left after `description`."""
        if self.number_of_nodes() <= 1:
            raise Error("mo-graph-empty", f"the graph has {self.number_of_nodes()} nodes after {description}")

    def check_shapes_consistency(self) -> None:
        """Check that the shape of each data node is valid.

        Errors: `mo-graph-data` if a data node has no shape attribute, or one that is neither None nor an array.
        """
        for node in self.get_data_nodes():
            if not node.has("shape") or not isinstance(node.shape, np.ndarray | None):
                raise Error(
                    "mo-graph-data",
                    f"the shape of data node '{node.id}' is no array: {node.soft_get('shape')}",
                )

    def check_nodes_ports_are_consecutive(self) -> None:
        """Check the port numbers of all operations.

        Errors: `mo-graph-port` if the ports of an operation are not numbered from 0 without gaps.
        """
        for node in self.get_op_nodes():
            for kind, ports in (("in", node.in_ports()), ("out", node.out_ports())):
                if list(ports) != list(range(len(ports))):
                    raise Error("mo-graph-port", f"the {kind}puts of '{node.id}' are numbered {list(ports)}")

    def dump_graph_for_graphviz(
        self,
        node_attrs: Sequence[str] = (
            "kind",
            "op",
            "shape",
            "correct_data_layout",
            "nchw_layout",
            "internal_layer_id",
        ),
        edge_attrs: Sequence[str] = ("in", "out"),
        nodes_to_dump: Iterable[Any] | None = None,
        save_to_svg: bool = False,
        highlight_nodes: Iterable[Any] = (),
    ) -> str:
        """The graph in Graphviz's language. Errors: `mo-api-not-covered` for `save_to_svg`."""
        if save_to_svg:
            raise attribute_not_covered("Graph.dump_graph_for_graphviz", "save_to_svg")
        return graphviz(self, node_attrs, edge_attrs, nodes_to_dump, highlight_nodes or ())

    def print_graph_stat(self) -> None:
        """Logs how many nodes of each operation there are."""
        counts = Counter(d.get("op", d.get("kind", "<UNDEFINED>")) for d in self._node.values())
        log.debug("%d nodes, %d edges: %s", self.number_of_nodes(), self.number_of_edges(), dict(counts))
