"""Graph of the program without its Transposes.

It holds the nodes that define values and the uses of these values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.layouts import ChannelsFirst
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp, TransposeOp, transpose_order
from loomir.dialects.region_flow import region_flow
from loomir.dialects.walking import walk
from loomir.passes.graph.ov_layout.handed_on import Slot, handed_on
from loomir.passes.graph.ov_layout.orders import Order, channels_last, identity, rank_of, then
from loomir.passes.graph.ov_layout.rules import Rule, constant, rule_of


@dataclass(eq=False)
class Node:
    """Operation or forwarded value that may work in another order.

    Its order in the program is the identity.
    """

    rule: Rule
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
class Graph:
    """Nodes and uses of a module.

    `fixed` are operands and results of operations that need an order, with the order in which they count as lying: channels
    first, or last if the network is to be so.
    """

    nodes: list[Node] = field(default_factory=list[Node])
    uses: dict[SSAValue, list[Use]] = field(default_factory=dict)
    """By their roots, in the order of the program."""
    use_at: dict[Slot, Use] = field(default_factory=dict)
    node_at: dict[Slot, tuple[Node, int]] = field(default_factory=dict)
    makers: dict[SSAValue, tuple[Node, int]] = field(default_factory=dict)
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


def graph_of(module: ModuleOp, *, last: bool) -> Graph:
    """Return the graph of a module.

    With `last`, operations that need channels first count as if they had them last; see the pass.
    """
    graph = Graph()
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


def _add(graph: Graph, op: Operation, last: bool) -> None:
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


def _add_fixed(graph: Graph, op: OvOperation, layout: ChannelsFirst, last: bool) -> None:
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


def _nodes(op: Operation) -> Iterator[Node]:
    for ways in handed_on(op):
        yield Node(ways.rule, list(ways.operands), list(ways.results))
    rule = None if isinstance(op, ConstantOp) else rule_of(op)
    if rule is not None:
        yield Node(rule, [(op, number) for number in range(len(op.operands))], list(op.results))
