"""Choice of the nodes that work in their home order.

The choice minimises the cost of the remaining Transposes. Each node has its home order or the order of the program. A
value needs one Transpose for each order, other than its own, in which it is wanted. The Transpose costs the elements
that it moves, multiplied by an estimate of its number of executions. That sum is a cut of a network: nodes at home are
on the source's side, nodes that keep their order on the sink's side. Among cuts of equal cost the one with the fewest
nodes at home is taken.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.region_flow import owning_block
from loomir.passes.graph.ov_layout.graph import Graph, Node, Use
from loomir.passes.graph.ov_layout.minimum_cut import UNLIMITED, Network
from loomir.passes.graph.ov_layout.orders import Order, identity, rank_of, significant
from loomir.passes.graph.ov_layout.rules import is_identity

CALL = 64
"""Fixed cost of a Transpose, in elements."""
TRIPS = 8
"""How often a loop is taken to run."""
DEEPEST = 8
"""Loops around an operation of which each counts."""
UNKNOWN = 16
"""Assumed value of an unknown extent."""

SOURCE, SINK = 0, 1


def choose(graph: Graph) -> None:
    """Set `turned` of the nodes."""
    network = Network()
    vertices = {
        node: network.vertex() for node in graph.nodes if node.home is not None and not is_identity(node.home)
    }
    for root, uses in graph.uses.items():
        if not isinstance(root.owner, ConstantOp):
            _Value(graph, network, vertices, root).add(uses)
    at_home = network.source_side()
    for node, vertex in vertices.items():
        node.turned = vertex in at_home


class _Value:
    """The Transposes of one value, in the network."""

    def __init__(self, graph: Graph, network: Network, vertices: dict[Node, int], root: SSAValue) -> None:
        self.graph, self.network, self.vertices, self.root = graph, network, vertices, root
        self.cost = cost_of(root, graph)
        rank = rank_of(root)
        assert rank is not None
        node, index = graph.makers.get(root, (None, 0))
        self.as_it_is = graph.fixed_results.get(root, identity(rank))
        self.vertex = None if node is None else vertices.get(node)
        self.at_home = self.as_it_is
        if node is not None and node.home is not None and self.vertex is not None:
            self.at_home = node.rule.result_order(index, node.home)
        self.wanted: dict[tuple[Order, bool], int] = {}

    def add(self, uses: list[Use]) -> None:
        for use in uses:
            node, _ = self.graph.node_at.get(use.slot, (None, 0))
            vertex = None if node is None else self.vertices.get(node)
            as_it_is = self.graph.operand_order(use, turned=False)
            if as_it_is is None:
                continue
            at_home = as_it_is if vertex is None else self.graph.operand_order(use, turned=True)
            assert at_home is not None
            if self._same(as_it_is, at_home):
                vertex = None
            if vertex is not None:
                self._want(as_it_is, vertex, at_home=False)
                self._want(at_home, vertex, at_home=True)
            elif self._same(as_it_is, self.at_home) and not self._same(as_it_is, self.as_it_is):
                # Who always wants the same is on either side: on that which lets a cut say the cost.
                self._want(as_it_is, SOURCE, at_home=True)
            else:
                self._want(as_it_is, SINK, at_home=False)

    def _same(self, a: Order, b: Order) -> bool:
        return significant(a, self.root) == significant(b, self.root)

    def _want(self, order: Order, vertex: int, *, at_home: bool) -> None:
        """Add a node's demand for the value in an order.

        The demand holds while the node is `at_home`, or while it is not (the source always is, the sink never).
        """
        key = significant(order, self.root), at_home
        wish = self.wanted.get(key)
        if wish is None:
            wish = self.wanted[key] = self.network.vertex()
            self._charge(order, wish, at_home)
        if at_home:
            self.network.arc(vertex, wish, UNLIMITED)
        else:
            self.network.arc(wish, vertex, UNLIMITED)

    def _charge(self, order: Order, wish: int, at_home: bool) -> None:
        """Add the cost of a demand for this order.

        The cost is nothing if the value lies in that order. Once there is a demand by a node at home, it is on the source's
        side; any other demand is on the sink's side.
        """
        free = self._same(order, self.as_it_is), self._same(order, self.at_home)
        if self.vertex is None:
            if not free[0]:
                self._arc(wish, SINK, at_home)
        elif free == (False, False):
            self._arc(wish, SINK, at_home)
        elif not free[0] and at_home:
            self._arc(wish, self.vertex, at_home)
        elif not free[1] and not at_home:
            self.network.arc(self.vertex, wish, self.cost)
        elif free != (True, True):
            # It lies so at home and is wanted by who is not, or the other way round: no cut says that. As if it always cost.
            self._arc(wish, SINK, at_home)

    def _arc(self, wish: int, vertex: int, at_home: bool) -> None:
        if at_home:
            self.network.arc(wish, vertex, self.cost)
        else:
            self.network.arc(SOURCE, wish, self.cost)


def cost_of(value: SSAValue, graph: Graph) -> int:
    """Return the cost of a Transpose of a value, in elements."""
    assert isinstance(value.type, TensorType)
    block = owning_block(value)
    loops = 0 if block is None else graph.loops_around.get(block, 0)
    elements = prod(UNKNOWN if extent < 0 else extent for extent in value.type.get_shape())
    return (elements + CALL) * TRIPS ** min(loops, DEEPEST)
