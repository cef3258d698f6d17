"""`ov-layout`: chooses axis orders, channels first or last, to eliminate Transposes.

| module | contents |
|---|---|
| `orders.py` | permutations, and the operations that the pass emits |
| `rules.py`, `axis_rules.py` | operations in another order: their operands' orders and their changes |
| `rules.py` | the same for values that loops and branches forward |
| `choosing.py` | the program without its Transposes: nodes, and the order of each use of a value |
| `choosing.py` | the nodes that have their home order: a minimum cut |

This module has the pass, the home orders of nodes and the changes to the program:

- The home order of a node is the one preferred by the operations that need one. The orders spread from these operations over uses,
  breadth first, as if nothing else counted.
- The program is rewritten with its nodes in the chosen orders. Transposes are inserted where they are needed, and nowhere else.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import Remarks, is_listening
from loomir.dialects.element_types import set_type
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp, TransposeOp
from loomir.dialects.region_flow import enclosing, owning_block, owning_operation
from loomir.dialects.upstream.walking import walk
from loomir.tools.model_optimizer.passes.graph.ov_layout import axis_rules
from loomir.tools.model_optimizer.passes.graph.ov_layout.choosing import (
    LayoutGraph,
    LayoutNode,
    Use,
    choose,
    graph_of,
)
from loomir.tools.model_optimizer.passes.graph.ov_layout.orders import (
    Edits,
    Order,
    identity,
    inverse,
    rank_of,
    reordered,
    significant,
    then,
)
from loomir.tools.model_optimizer.passes.graph.ov_layout.rules import constant, is_identity


class Homes:
    """Assigns home orders to nodes.

    Each node receives an order, and each value spreads one to others, at most twice: the identity and another one.
    """

    def __init__(self, graph: LayoutGraph) -> None:
        self.graph = graph
        self.waiting: deque[LayoutNode | tuple[SSAValue, Order]] = deque()
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
            if isinstance(each, LayoutNode):
                self._spread_node(each)
            else:
                self._spread(*each)

    def _spread_node(self, node: LayoutNode) -> None:
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

    def _settle(self, node: LayoutNode, order: Order | None) -> None:
        """Set the home of a node; the first non-identity order stays.

        With such an order the node has a choice.
        """
        if order is None or not node.rule.accepts(order):
            return
        if node.home is None or (is_identity(node.home) and not is_identity(order)):
            node.home = order
            self.waiting.append(node)


class Rewriting:
    """Carries out what was chosen."""

    def __init__(self, graph: LayoutGraph) -> None:
        self.graph = graph
        self.edits = Edits()
        self.orders = {
            result: node.rule.result_order(index, node.order)
            for node in graph.nodes
            if not is_identity(node.order)
            for index, result in enumerate(node.results)
        }
        """Of values that get another order."""
        self.made: dict[tuple[SSAValue, Order, Block | None], SSAValue] = {}

    def run(self) -> bool:
        """Change the program; whether there was anything to change."""
        changes = [
            (use, needed)
            for root, uses in self.graph.uses.items()
            for use, needed in self._changes(root, uses)
        ]
        if not changes and not self.orders:
            return False
        for result, order in self.orders.items():
            set_type(result, reordered(result.type, order))
        for use, needed in changes:
            op, number = use.slot
            if isinstance(op, ShapeOfOp):
                self._read_shape(op, use.root, needed)
            else:
                op.operands[number] = self._in_order(use, needed)
        for node in self.graph.nodes:
            if not is_identity(node.order):
                node.rule.permute(node.order, self.edits)
        for op in (*reversed(self.graph.transposes), *self.graph.constants):
            _erase_unused(op)
        return True

    def _changes(self, root: SSAValue, uses: list[Use]) -> list[tuple[Use, Order]]:
        """Return the uses of a value that must change.

        Each has the order that it needs, relative to the value's new order.
        """
        own = inverse(self.orders.get(root) or identity(rank_of(root) or 0))
        found: list[tuple[Use, Order]] = []
        kept: list[tuple[Use, Order]] = []
        for use in uses:
            found_at = self.graph.node_at.get(use.slot)
            asked = self.graph.operand_order(use, turned=found_at is not None and found_at[0].turned)
            # A fixed operand counts as lying in an order; what it needs is channels first, always.
            needed = then(own, use.order if asked is None or use.slot in self.graph.fixed_slots else asked)
            (kept if self._stays(use, own, needed) else found).append((use, needed))
        # What is needed beside in the same order is shared.
        shared = {needed for use, needed in found if not isinstance(use.slot[0], ShapeOfOp)}
        return [*found, *((use, needed) for use, needed in kept if use.length and needed in shared)]

    def _stays(self, use: Use, own: Order, needed: Order) -> bool:
        """Return True if the operand already has the needed order.

        It is the value itself, or a single Transpose of it that moves something.
        """
        if not is_identity(own) or needed != use.order:
            return False
        if not use.length:
            return True
        if isinstance(use.root.owner, ConstantOp) or isinstance(use.slot[0], ShapeOfOp):
            return False
        moved = significant(needed, use.root)
        return use.length == 1 and list(moved) != sorted(moved)

    def _in_order(self, use: Use, needed: Order) -> SSAValue:
        """Return the root of a use in an order.

        It is emitted once for each place where it is needed.
        """
        root = use.root
        if is_identity(needed):
            return root
        arm = None if isinstance(root.owner, ConstantOp) else _arm(use.slot[0], root)
        key = root, needed, arm
        if key not in self.made:
            location = (
                use.value.owner.location if use.length and isinstance(use.value.owner, Operation) else None
            )
            point = InsertPoint.at_start(arm) if arm is not None else _behind(root)
            self.made[key] = self.edits.in_order(root, needed, point, location or use.slot[0].location)
        return self.made[key]

    def _read_shape(self, op: ShapeOfOp, root: SSAValue, needed: Order) -> None:
        """Read the shape of a reordered value in the required order.

        The elements of the shape are rearranged.
        """
        op.operands[0] = root
        if is_identity(needed):
            return
        rest: list[tuple[GatherOp, list[int]]] = []
        others = False
        for use in op.output.uses:
            gather = use.operation
            at = constant(gather.indices) if isinstance(gather, GatherOp) and use.index == 0 else None
            if isinstance(gather, GatherOp) and at is not None and _inside(at, len(needed)):
                rest.append((gather, at))
                continue
            others = True
        for gather, at in rest:
            places = np.array([needed[index] for index in at])
            gather.operands[1] = self.edits.instead(gather.indices, places, gather)
        if others:
            self._picked(op, needed, {gather for gather, _ in rest})

    def _picked(self, op: ShapeOfOp, needed: Order, done: set[GatherOp]) -> None:
        follower = op.next_op
        assert follower is not None, "it is no terminator"
        build = GraphBuilder(InsertPoint.before(follower), op.location)
        picked = build.make(
            GatherOp, op.output, build.integers(needed), build.constant(np.array(0, np.int64))
        )
        set_type(picked, op.output.type)
        for use in list(op.output.uses):
            if use.operation not in done and use.operation is not picked.owner:
                use.operation.operands[use.index] = picked


def _inside(indices: list[int], count: int) -> bool:
    return all(-count <= index < count for index in indices)


def _behind(value: SSAValue) -> InsertPoint:
    if isinstance(value, BlockArgument):
        return InsertPoint.at_start(value.block)
    assert isinstance(value.owner, Operation)
    return InsertPoint.after(value.owner)


def _arm(op: Operation, value: SSAValue) -> Block | None:
    """Return the branch arm in which a value's Transpose is emitted.

    It is an arm that holds the operation and is reached from the value's block through branches only: a Transpose that only
    one arm needs is emitted there. None if the Transpose belongs directly behind the value, in front of loops.
    """
    made_in = owning_block(value)
    blocks = [op.parent]
    for around, _ in enclosing(op):
        if blocks[-1] is made_in:
            break
        blocks.append(around.parent)
    arm: Block | None = None
    for block in reversed(blocks[:-1]):
        if block is None or not isinstance(block.parent_op(), IfOp):
            break
        arm = block
    return arm


def _erase_unused(op: TransposeOp | ConstantOp) -> None:
    """An operation whose result nothing uses any more."""
    if not any(True for _ in op.output.uses):
        op.detach()
        op.erase()


REGISTERED = (axis_rules,)
"""The modules whose rules are registered when they are imported."""


@dataclass(frozen=True)
class OvLayoutPass(ModulePass):
    """Chooses the axis orders of operations so that Transposes vanish.

    An operation works in the order in which its neighbours produce and consume its values.

    ```mlir
    %a = ov.transpose %x, %first : (tensor<1x8x8x3xf32>, tensor<4xi64>) -> tensor<1x3x8x8xf32>     // before: [0, 3, 1, 2]
    %b = ov.convolution %a, %w : …
    %c = ov.transpose %b, %last : (tensor<1x4x8x8xf32>, tensor<4xi64>) -> tensor<1x8x8x4xf32>      // [0, 2, 3, 1]
    %d = ov.add %c, %bias : (tensor<1x8x8x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
    %e = ov.transpose %d, %first : (tensor<1x8x8x4xf32>, tensor<4xi64>) -> tensor<1x4x8x8xf32>
    %f = ov.convolution %e, %v : …
    ```
    becomes
    ```mlir
    %a = ov.transpose %x, %first : (tensor<1x8x8x3xf32>, tensor<4xi64>) -> tensor<1x3x8x8xf32>
    %b = ov.convolution %a, %w : …
    %d = ov.add %b, %bias : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32>
    %f = ov.convolution %d, %v : …
    ```

    The starting points are operations that need an order (`ChannelsFirst`, `dialects/ov/interfaces.py`, which extensions
    declare too); a program without any stays unchanged. From these an order spreads to everything that can follow it:
    attributes and operands that name axes, broadcast constants, shapes, values that loops and branches forward. Each
    operation has that order or keeps its own, whichever lets the remaining Transposes move fewer elements; a minimum cut
    decides for all at once. A remaining Transpose stands behind the operation whose result it transposes, in front of
    loops, or in the only branch that needs it. A Transpose of a constant becomes a constant, and one that moves only
    extents of 1 becomes a Reshape.

    Floats are added in their original order: a reduction over several axes follows only if these stay in their order. A
    matrix product, and a Reshape that merges channels and pixels, keep the original order. (Weights of a matrix product
    could be reordered instead of its operand, but sums of floats would be others.)

    `to="nhwc"` converts a network to channels last. `ov` has no convolution of such tensors: the convolution stands between
    two Transposes, which the pass does not count, and everything around is channels last. Between convolutions the two
    cancel each other, and nothing requires an order there. So the program has the same meaning at every step, no operation
    has a second form that all passes would have to know, and a lowering finds the Transposes that it can absorb (before a
    convolution or behind it) where they stand.
    """

    name = "ov-layout"
    EXACT = True

    to: Literal["nchw", "nhwc"] = "nchw"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        graph = graph_of(op, last=self.to == "nhwc")
        if not graph.fixed_results:
            return
        Homes(graph).find()
        choose(graph)
        before = len(graph.transposes)
        if (Rewriting(graph).run() or before) and is_listening():
            _remark(Remarks(self.name), op, before)


def _remark(remarks: Remarks, module: ModuleOp, before: int) -> None:
    """Report the number of Transposes before and after.

    For each remaining one, also report the operations around it.
    """
    left = [each for each in walk(module) if isinstance(each, TransposeOp)]
    function = next(each for each in walk(module) if isinstance(each, FuncOp))
    text = f"{before} Transposes before, {len(left)} after"
    remarks.passed(function, text, before=before, after=len(left))
    for each in left:
        users = sorted({_name_of(use.operation) for use in each.output.uses})
        what = f"{_name_of(owning_operation(each.arg))} has another order than {', '.join(users)} needs"
        remarks.missed(each, what)


def _name_of(op: Operation | None) -> str:
    return "an input of the program" if op is None or isinstance(op, FuncOp) else op.name
