"""Rules of values that loops and branches forward.

Such a value lies in the same order on all its edges. Slices and concatenations also have an axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.loop_slices import SliceAttr, Slicing
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.region_flow import Edge, region_flow
from loomir.passes.graph.ov_layout.edits import Edits
from loomir.passes.graph.ov_layout.orders import Order, inverse, rank_of
from loomir.passes.graph.ov_layout.rules import Alike, Rule

Slot = tuple[Operation, int]
"""An operand: the operation and its number."""


@dataclass(frozen=True)
class Ways:
    """Rule of a forwarded value, with its operands and targets.

    The operands forward the value, and the targets are the arguments and results that it becomes.
    """

    rule: Rule
    operands: Sequence[Slot]
    results: Sequence[SSAValue]


class Joined(Alike):
    """Sliced input or concatenated output of a loop.

    The whole and its slices have the same order, and the axis changes with them.
    """

    def __init__(self, loop: LoopOp, name: str, number: int, rank: int) -> None:
        super().__init__(rank)
        self.loop, self.name, self.number = loop, name, number

    @property
    def slicings(self) -> list[Slicing]:
        """Those of all inputs or outputs."""
        return [each.data for each in (self.loop.slices if self.name == "slices" else self.loop.concats)]

    def turn(self, order: Order, edits: Edits) -> None:
        slicings = self.slicings
        old = slicings[self.number]
        slicings[self.number] = replace(old, axis=inverse(order)[old.normalised_axis(self.rank)])
        self.loop.properties[self.name] = ArrayAttr([SliceAttr(each) for each in slicings])


def handed_on(op: Operation) -> Iterator[Ways]:
    """Yield the values that an operation with regions forwards.

    Only values with the same rank everywhere are included.
    """
    flow = region_flow(op)
    if flow is None:
        return
    for operands, results in _together(flow.edges):
        rank = _rank([*(o.operands[k] for o, k in operands), *results])
        if rank is not None:
            yield Ways(Alike(rank), operands, results)
    if not isinstance(op, LoopOp):
        return
    for edge in flow.derived:
        name = "slices" if edge.source is None else "concats"
        for number, target in enumerate(edge.inputs):
            slot = (edge.forwarder, edge.first + number)
            rank = _rank([slot[0].operands[slot[1]], target])
            if rank is not None:
                yield Ways(Joined(op, name, number, rank), [slot], [target])


def _together(edges: Sequence[Edge]) -> Iterator[tuple[list[Slot], list[SSAValue]]]:
    """Group operands and targets that are one value on all edges.

    All that share an operand or a target are in one group.
    """
    group_of: dict[Slot | SSAValue, tuple[dict[Slot, None], dict[SSAValue, None]]] = {}
    for edge in edges:
        for number, target in enumerate(edge.inputs[: len(edge.operands)]):
            slot = (edge.forwarder, edge.first + number)
            a, b = group_of.get(slot, ({slot: None}, {})), group_of.get(target, ({}, {target: None}))
            if a is not b:
                a, b = (b, a) if len(a[0]) + len(a[1]) < len(b[0]) + len(b[1]) else (a, b)
                a[0].update(b[0])
                a[1].update(b[1])
                for member in (*b[0], *b[1]):
                    group_of[member] = a
                for member in (*a[0], *a[1]):
                    group_of.setdefault(member, a)
    seen: set[int] = set()
    for slots, targets in group_of.values():
        if id(slots) not in seen:
            seen.add(id(slots))
            yield list(slots), list(targets)


def _rank(values: Sequence[SSAValue]) -> int | None:
    """Return the common rank of values.

    None if the ranks differ or are not known.
    """
    ranks = {rank_of(value) for value in values}
    return ranks.pop() if len(ranks) == 1 else None
