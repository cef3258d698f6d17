"""Home orders of nodes: those preferred by the operations that need one.

The orders spread from these operations over uses, breadth first, as if nothing else counted.
"""

from __future__ import annotations

from collections import deque

from xdsl.ir import SSAValue

from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.passes.graph.ov_layout.graph import Graph, Node
from loomir.passes.graph.ov_layout.orders import Order, inverse, then
from loomir.passes.graph.ov_layout.rules import is_identity


class Homes:
    """Assigns home orders to nodes.

    Each node receives an order, and each value spreads one to others, at most twice: the identity and another one.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.waiting: deque[Node | tuple[SSAValue, Order]] = deque()
        self.spread_of: dict[SSAValue, int] = {}

    def find(self) -> None:
        """All of them."""
        for result, order in self.graph.fixed_results.items():
            self.waiting.append((result, order))
        for slot, order in self.graph.fixed_slots.items():
            use = self.graph.use_at[slot]
            self.waiting.append((use.root, then(use.order, order)))
        while self.waiting:
            each = self.waiting.popleft()
            if isinstance(each, Node):
                self._spread_node(each)
            else:
                self._spread(*each)

    def _spread_node(self, node: Node) -> None:
        assert node.home is not None
        for index, slot in enumerate(node.operands):
            asked = node.rule.operand_order(index, node.home)
            use = self.graph.use_at.get(slot)
            if asked is not None and use is not None:
                self.waiting.append((use.root, then(use.order, asked)))
        for index, result in enumerate(node.results):
            self.waiting.append((result, node.rule.result_order(index, node.home)))

    def _spread(self, root: SSAValue, order: Order) -> None:
        """Spread an order from a value to its definition and its users.

        If the value lies in this order, its definition produces that order and its users take it.
        """
        as_it_is = 1 if is_identity(order) else 2
        told = self.spread_of.get(root, 0)
        if told & as_it_is or isinstance(root.owner, ConstantOp):
            return
        self.spread_of[root] = told | as_it_is
        if (maker := self.graph.makers.get(root)) is not None:
            node, index = maker
            self._settle(node, node.rule.from_result(index, order))
        for use in self.graph.uses.get(root, ()):
            if (found := self.graph.node_at.get(use.slot)) is not None:
                node, index = found
                self._settle(node, node.rule.from_operand(index, then(inverse(use.order), order)))

    def _settle(self, node: Node, order: Order | None) -> None:
        """Set the home of a node; the first non-identity order stays.

        With such an order the node has a choice.
        """
        if order is None or not node.rule.accepts(order):
            return
        if node.home is None or (is_identity(node.home) and not is_identity(order)):
            node.home = order
            self.waiting.append(node)
