"""Choice of the nodes that work in their home order.

The graph is the program without its Transposes. It holds the nodes that define values and the uses of these values.

The choice minimises the cost of the remaining Transposes. Each node has its home order or the order of the program. A
value needs one Transpose for each order, other than its own, in which it is wanted. The Transpose costs the elements
that it moves, multiplied by an estimate of its number of executions. That sum is a cut of a network: nodes at home are
on the source's side, nodes that keep their order on the sink's side. Among cuts of equal cost the one with the fewest
nodes at home is taken. Dinic's algorithm finds the minimum cut, with bounded work.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.interfaces import ChannelsFirst
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp, TransposeOp, transpose_order
from loomir.dialects.region_flow import owning_block, region_flow
from loomir.dialects.upstream.walking import walk
from loomir.tools.model_optimizer.passes.graph.ov_layout.orders import (
    Order,
    channels_last,
    identity,
    rank_of,
    significant,
    then,
)
from loomir.tools.model_optimizer.passes.graph.ov_layout.rules import (
    LayoutRule,
    Slot,
    constant,
    forwarded_values,
    is_identity,
    rule_of,
)


@dataclass(eq=False)
class LayoutNode:
    """Operation or forwarded value that may work in another order.

    Its order in the program is the identity.
    """

    rule: LayoutRule
    operands: list[Slot]
    results: list[SSAValue]
    home: Order | None = None
    """Order without Transposes towards the operations that need an order."""
    turned: bool = False
    """True if the node is to have its home order."""

    @property
    def order(self) -> Order:
        """The order that it is to have."""
        return self.home if self.turned and self.home is not None else identity(self.rule.rank)


@dataclass(frozen=True, eq=False)
class Use:
    """Operand that is the value `root`, possibly transposed.

    It lies in `order` relative to `root`.
    """

    slot: Slot
    root: SSAValue
    order: Order
    length: int
    """How many Transposes there are in between."""

    @property
    def value(self) -> SSAValue:
        """The operand as it is."""
        return self.slot[0].operands[self.slot[1]]


@dataclass
class LayoutGraph:
    """Nodes and uses of a module.

    `fixed` are operands and results of operations that need an order, with the order in which they count as lying: channels
    first, or last if the network is to be so.
    """

    nodes: list[LayoutNode] = field(default_factory=list[LayoutNode])
    uses: dict[SSAValue, list[Use]] = field(default_factory=dict)
    """By their roots, in the order of the program."""
    use_at: dict[Slot, Use] = field(default_factory=dict)
    node_at: dict[Slot, tuple[LayoutNode, int]] = field(default_factory=dict)
    makers: dict[SSAValue, tuple[LayoutNode, int]] = field(default_factory=dict)
    fixed_slots: dict[Slot, Order] = field(default_factory=dict)
    fixed_results: dict[SSAValue, Order] = field(default_factory=dict)
    loops_around: dict[Block, int] = field(default_factory=dict)
    """How many loops each block is in, where there is one."""
    constants: list[ConstantOp] = field(default_factory=list[ConstantOp])
    """Those that something uses."""
    transposes: list[TransposeOp] = field(default_factory=list[TransposeOp])

    def operand_order(self, use: Use, *, turned: bool) -> Order | None:
        """Return the order, relative to its root, that an operand requires.

        This is the order if the operand's node is `turned`. None if any order will do.
        """
        if isinstance(use.slot[0], ShapeOfOp):
            return None
        if (found := self.node_at.get(use.slot)) is not None:
            node, index = found
            asked = node.rule.operand_order(index, node.home) if turned and node.home is not None else None
            return use.order if asked is None else then(use.order, asked)
        asked = self.fixed_slots.get(use.slot)
        return use.order if asked is None else then(use.order, asked)


def graph_of(module: ModuleOp, *, last: bool) -> LayoutGraph:
    """Return the graph of a module.

    With `last`, operations that need channels first count as if they had them last; see the pass.
    """
    graph = LayoutGraph()
    traced: dict[SSAValue, tuple[SSAValue, Order, int]] = {}
    for op in walk(module):
        if isinstance(op, ConstantOp) and any(True for _ in op.output.uses):
            graph.constants.append(op)
        if isinstance(op, TransposeOp) and (order := _order(op)) is not None:
            root, before, length = traced.get(op.arg, (op.arg, identity(len(order)), 0))
            traced[op.output] = root, then(before, order), length + 1
            graph.transposes.append(op)
            continue
        for number, operand in enumerate(op.operands):
            rank = rank_of(operand)
            if not rank:
                continue
            root, order, length = traced.get(operand, (operand, identity(rank), 0))
            use = Use((op, number), root, order, length)
            graph.uses.setdefault(root, []).append(use)
            graph.use_at[use.slot] = use
        _add(graph, op, last)
    return graph


def _order(op: TransposeOp) -> Order | None:
    """The permutation of a Transpose, where it and the rank are known."""
    rank, order = rank_of(op.arg), constant(op.input_order)
    return None if rank is None or order is None else tuple(transpose_order(order, rank))


def _add(graph: LayoutGraph, op: Operation, last: bool) -> None:
    if (flow := region_flow(op)) is not None:
        outside = 0 if op.parent is None else graph.loops_around.get(op.parent, 0)
        for region in op.regions:
            graph.loops_around[region.block] = outside + flow.repeats
    for node in _nodes(op):
        graph.nodes.append(node)
        for index, slot in enumerate(node.operands):
            graph.node_at[slot] = node, index
        for index, result in enumerate(node.results):
            graph.makers[result] = node, index
    if isinstance(op, OvOperation) and isinstance(op.LAYOUT, ChannelsFirst) and rule_of(op) is None:
        _add_fixed(graph, op, op.LAYOUT, last)


def _add_fixed(graph: LayoutGraph, op: OvOperation, layout: ChannelsFirst, last: bool) -> None:
    rank = rank_of(op.operands[layout.operands[0]])
    if rank is None or rank < 3:
        return
    order = channels_last(rank) if last else identity(rank)
    for number in layout.operands:
        if number < len(op.operands) and rank_of(op.operands[number]) == rank:
            graph.fixed_slots[op, number] = order
    for result in op.results:
        if rank_of(result) == rank:
            graph.fixed_results[result] = order


def _nodes(op: Operation) -> Iterator[LayoutNode]:
    for ways in forwarded_values(op):
        yield LayoutNode(ways.rule, list(ways.operands), list(ways.results))
    rule = None if isinstance(op, ConstantOp) else rule_of(op)
    if rule is not None:
        yield LayoutNode(rule, [(op, number) for number in range(len(op.operands))], list(op.results))


UNLIMITED = 1 << 62

WORK = 200
"""Steps allowed for each arc, so that work grows with the network.

Networks of real programs are finished after 2 to 4.
"""


class Network:
    """Flow network whose vertices are numbered from 0.

    Vertex 0 is the source and vertex 1 the sink. An arc costs its capacity if it goes from the source's side to the sink's.
    """

    def __init__(self) -> None:
        self.arcs: list[list[int]] = [[], []]
        """Arc numbers of each vertex; `k ^ 1` is the reverse of `k`."""
        self.head: list[int] = []
        self.capacity: list[int] = []

    def vertex(self) -> int:
        """A new vertex."""
        self.arcs.append([])
        return len(self.arcs) - 1

    def arc(self, tail: int, head: int, capacity: int) -> None:
        """A new arc."""
        for a, b, c in ((tail, head, capacity), (head, tail, 0)):
            self.arcs[a].append(len(self.head))
            self.head.append(b)
            self.capacity.append(c)

    def source_side(self) -> set[int]:
        """Return the vertices on the source's side of a minimum cut.

        Among several minimum cuts it is the one with the fewest vertices. If the work exceeds its bound, the result is the
        source alone.
        """
        self.left = WORK * (len(self.head) + len(self.arcs))
        while True:
            level = self._levels()
            if level[1] < 0:
                return {vertex for vertex, depth in enumerate(level) if depth >= 0}
            if self.left < 0:
                return {0}
            places = [0] * len(self.arcs)
            while self.left >= 0 and self._push(level, places):
                pass

    def _levels(self) -> list[int]:
        """Return each vertex's distance from the source over residual arcs.

        Such arcs have capacity left. The distance is -1 for a vertex that is not reached.
        """
        level = [-1] * len(self.arcs)
        level[0] = 0
        waiting = deque([0])
        while waiting:
            vertex = waiting.popleft()
            self.left -= len(self.arcs[vertex])
            for arc in self.arcs[vertex]:
                head = self.head[arc]
                if self.capacity[arc] and level[head] < 0:
                    level[head] = level[vertex] + 1
                    waiting.append(head)
        return level

    def _push(self, level: list[int], places: list[int]) -> bool:
        """Push the greatest possible flow along one path through the levels.

        Return True if there was a path. `places` holds the position at which each vertex continues.
        """
        path: list[int] = []
        vertex = 0
        while vertex != 1:
            self.left -= 1
            if places[vertex] == len(self.arcs[vertex]):
                if not path:
                    return False
                vertex = self.head[path.pop() ^ 1]
                places[vertex] += 1
                continue
            arc = self.arcs[vertex][places[vertex]]
            if self.capacity[arc] and level[self.head[arc]] == level[vertex] + 1:
                path.append(arc)
                vertex = self.head[arc]
            else:
                places[vertex] += 1
        least = min(self.capacity[arc] for arc in path)
        for arc in path:
            self.capacity[arc] -= least
            self.capacity[arc ^ 1] += least
        return True


CALL = 64
"""Fixed cost of a Transpose, in elements."""
TRIPS = 8
"""How often a loop is taken to run."""
DEEPEST = 8
"""Loops around an operation of which each counts."""
UNKNOWN = 16
"""Assumed value of an unknown extent."""

SOURCE, SINK = 0, 1


def choose(graph: LayoutGraph) -> None:
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

    def __init__(
        self, graph: LayoutGraph, network: Network, vertices: dict[LayoutNode, int], root: SSAValue
    ) -> None:
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


def cost_of(value: SSAValue, graph: LayoutGraph) -> int:
    """Return the cost of a Transpose of a value, in elements."""
    assert isinstance(value.type, TensorType)
    block = owning_block(value)
    loops = 0 if block is None else graph.loops_around.get(block, 0)
    elements = prod(UNKNOWN if extent < 0 else extent for extent in value.type.get_shape())
    return (elements + CALL) * TRIPS ** min(loops, DEEPEST)
