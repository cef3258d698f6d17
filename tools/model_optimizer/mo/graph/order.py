"""Orders of a graph's nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import networkx as nx

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.graph.node import Node

if TYPE_CHECKING:
    _Graph = Any
else:
    _Graph = object


class GraphOrder(_Graph):
    """Methods of a graph that put its nodes in order."""

    def dfs(self, node_name: Any, visited: set[Any]) -> list[Any]:
        """Return identifiers of unvisited nodes reachable from a node, in postorder.

        Each node comes after all nodes that follow it in the graph. The nodes are added to `visited`.
        """
        order: list[Any] = []
        visited.add(node_name)
        stack: list[tuple[Any, Iterator[Any]]] = [(node_name, iter(self._succ[node_name]))]
        while stack:
            node, successors = stack[-1]
            following = next((n for n in successors if n not in visited), None)
            if following is None:
                stack.pop()
                order.append(node)
            else:
                visited.add(following)
                stack.append((following, iter(self._succ[following])))
        return order

    def pseudo_topological_sort(self, reverse: bool = False) -> list[Node]:
        """Return the nodes in topological order.

        Each node comes after its inputs, unless there are cycles, which are not detected.
        """
        visited: set[Any] = set()
        order: list[Any] = []
        for node in self._node:
            if not self._pred[node] and node not in visited:
                order.extend(self.dfs(node, visited))
        return [Node(self, n) for n in (order if reverse else reversed(order))]

    def pseudo_topological_sort_with_start_node(self, start_node: Node, reverse: bool = False) -> list[Node]:
        """The same of what is reached from one node."""
        order = self.dfs(start_node.id, set())
        return [Node(self, n) for n in (order if reverse else reversed(order))]

    def topological_sort(self, reverse: bool = False) -> list[Node]:
        """Nodes so that each comes after its inputs. Errors: `mo-graph-cycle`."""
        try:
            order = list(nx.topological_sort(self))
        except nx.NetworkXUnfeasible:
            cycle = " → ".join(str(source) for source, *_ in nx.find_cycle(self))
            raise Error("mo-graph-cycle", f"the graph has a cycle: {cycle}") from None
        return [Node(self, n) for n in (reversed(order) if reverse else order)]
