"""Rule of Reshape: split or merged axes stay together wherever they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import BoolAttr

from loomir.dialects.ov.graph_builder import static_extents
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.passes.graph.ov_layout.edits import Edits
from loomir.passes.graph.ov_layout.orders import Order
from loomir.passes.graph.ov_layout.rules import Rule, constant, turns


@dataclass(frozen=True)
class Group:
    """Adjacent operand axes whose elements are those of some result axes."""

    before: tuple[int, ...]
    after: tuple[int, ...]


def groups_of(before: Sequence[int], after: Sequence[int]) -> list[Group]:
    """Return the smallest groups of a Reshape between these shapes.

    The shapes have no extent of 0 and the same number of elements.
    """
    found: list[Group] = []
    i = j = 0
    while i < len(before) and j < len(after):
        start, start_after, product, product_after = i, j, 1, 1
        while i == start or j == start_after or product != product_after:
            if product < product_after or (product == product_after and i == start):
                product *= before[i]
                i += 1
            else:
                product_after *= after[j]
                j += 1
        found.append(Group(tuple(range(start, i)), tuple(range(start_after, j))))
    # What is left on one side are extents of 1.
    if i < len(before) or j < len(after):
        found.append(Group(tuple(range(i, len(before))), tuple(range(j, len(after)))))
    return found


class Reshaped(Rule):
    """Rule of a Reshape of known shapes to a constant shape.

    The operand has the order, in which the axes of each group lie one behind the other.
    """

    def __init__(self, op: ReshapeOp, before: Sequence[int], after: Sequence[int]) -> None:
        self.op, self.before, self.after, self.rank = op, before, after, len(before)
        self.groups = groups_of(before, after)

    def accepts(self, order: Order) -> bool:
        return self._sequence(order, after=False) is not None

    def operand_order(self, index: int, order: Order) -> Order | None:
        return order if index == 0 else None

    def result_order(self, index: int, order: Order) -> Order:
        sequence = self._sequence(order, after=False)
        assert sequence is not None, "it is accepted"
        return tuple(axis for group in sequence for axis in group.after)

    def from_operand(self, index: int, order: Order) -> Order | None:
        return order if index == 0 else None

    def from_result(self, index: int, order: Order) -> Order | None:
        sequence = self._sequence(order, after=True)
        return None if sequence is None else tuple(axis for group in sequence for axis in group.before)

    def turn(self, order: Order, edits: Edits) -> None:
        shape = np.array([self.after[axis] for axis in self.result_order(0, order)])
        self.op.operands[1] = edits.instead(self.op.shape, shape, self.op)
        self.op.properties["special_zero"] = BoolAttr.from_bool(False)

    def _sequence(self, order: Order, *, after: bool) -> list[Group] | None:
        """Return the groups in their sequence in an order.

        The order is one of the operand or of the result. None if a group is torn apart. Axes of extent 1 may be anywhere.
        """
        extents = self.after if after else self.before
        group_of = {axis: group for group in self.groups for axis in (group.after if after else group.before)}
        moved = {group_of[axis] for axis in order if extents[axis] != 1}
        sequence: dict[Group, int] = {}
        last: Group | None = None
        for axis in order:
            group = group_of[axis]
            if extents[axis] == 1:
                if group not in moved:
                    sequence.setdefault(group, axis)
                continue
            if group in sequence and (last is not group or axis < sequence[group]):
                return None
            sequence[group] = axis
            last = group
        return [*sequence, *(group for group in self.groups if group not in sequence)]


@turns(ReshapeOp)
def reshape(op: ReshapeOp) -> Rule | None:
    """Known shapes with elements; the wanted one is a constant."""
    before, after = static_extents(op.data), static_extents(op.output)
    if not before or not after or not prod(before) or prod(before) != prod(after):
        return None
    if constant(op.shape) is None:
        return None
    return Reshaped(op, before, after)
