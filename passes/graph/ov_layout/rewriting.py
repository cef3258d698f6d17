"""Rewriting of the program, with its nodes in the chosen orders.

Transposes are inserted where they are needed, and nowhere else.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp, TransposeOp
from loomir.dialects.region_flow import enclosing, owning_block
from loomir.dialects.tensors import set_type
from loomir.passes.graph.ov_layout.edits import Edits
from loomir.passes.graph.ov_layout.graph import Graph, Use
from loomir.passes.graph.ov_layout.orders import (
    Order,
    identity,
    inverse,
    rank_of,
    reordered,
    significant,
    then,
)
from loomir.passes.graph.ov_layout.rules import constant, is_identity


class Rewriting:
    """Carries out what was chosen."""

    def __init__(self, graph: Graph) -> None:
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
                node.rule.turn(node.order, self.edits)
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
