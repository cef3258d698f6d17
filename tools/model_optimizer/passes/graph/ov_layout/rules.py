"""Rules for operations and forwarded values in another order of axes.

A rule determines the orders of the operands and results. A `LayoutRule` belongs to one operation, or to one value that is
forwarded through a loop or branch. It has one order, that of its tensor of the greatest rank; the orders of its other
tensors follow. `rule_of` finds it: by `LAYOUT` and `ELEMENTWISE` of the class, which extensions declare, too, or among
those that `@turns` registers, for operations that need more than that.

A value that loops and branches forward lies in the same order on all its edges. Slices and concatenations also have an axis.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.attributes import SliceAttr, Slicing, to_int, to_ints, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.interfaces import AnyOrder, Broadcasting
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.region_flow import ForwardingEdge, region_flow
from loomir.tools.model_optimizer.passes.graph.ov_layout.orders import (
    Edits,
    Order,
    identity,
    inverse,
    kept,
    lifted,
    rank_of,
    significant,
)


class LayoutRule(ABC):
    """Behaviour of one operation in an order.

    Operands and results are numbered as the graph has them for this rule.
    """

    rank: int
    """Of the order that it has."""

    def accepts(self, order: Order) -> bool:
        """Return True if bit-identical results are possible in this order."""
        return True

    @abstractmethod
    def operand_order(self, index: int, order: Order) -> Order | None:
        """Return the order that an operand must have for this order.

        None if the operand always keeps the program's order.
        """

    @abstractmethod
    def result_order(self, index: int, order: Order) -> Order:
        """The order in which a result then is."""

    @abstractmethod
    def from_operand(self, index: int, order: Order) -> Order | None:
        """Return an order for which the operand has this order.

        None if there is no such order.
        """

    @abstractmethod
    def from_result(self, index: int, order: Order) -> Order | None:
        """The same for a result."""

    @abstractmethod
    def permute(self, order: Order, edits: Edits) -> None:
        """Change attributes and parameters for an order.

        Operands already have their orders, and results have their new types.
        """


def constant(value: SSAValue | None) -> list[int] | None:
    """The integers of a constant, flat; None where it is none."""
    owner = None if value is None else value.owner
    return [int(v) for v in owner.array.reshape(-1)] if isinstance(owner, ConstantOp) else None


class Alike(LayoutRule):
    """Rule of operands and results of one rank in one order.

    It does not cover attributes or operands that name axes.
    """

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def operand_order(self, index: int, order: Order) -> Order | None:
        return order

    def result_order(self, index: int, order: Order) -> Order:
        return order

    def from_operand(self, index: int, order: Order) -> Order | None:
        return order

    def from_result(self, index: int, order: Order) -> Order | None:
        return order

    def permute(self, order: Order, edits: Edits) -> None:
        pass


class Aligned(LayoutRule):
    """Rule of operands that are broadcast to the result.

    Their rank is at most that of the result, and their axes are counted from the last. Other operands are parameters.

    An operand of a lower rank lies in the order that its own axes have among those of the result, and receives the missing
    axes.
    """

    def __init__(self, op: OvOperation, operands: Sequence[int], rank: int) -> None:
        self.op, self.operands, self.rank = op, frozenset(operands), rank
        self.ranks = {index: rank_of(op.operands[index]) or 0 for index in operands}

    def operand_order(self, index: int, order: Order) -> Order | None:
        if index not in self.operands:
            return None
        return kept(order, range(self.rank - self.ranks[index], self.rank))

    def result_order(self, index: int, order: Order) -> Order:
        return order

    def from_operand(self, index: int, order: Order) -> Order | None:
        return order if index in self.operands and self.ranks[index] == self.rank else None

    def from_result(self, index: int, order: Order) -> Order | None:
        return order

    def permute(self, order: Order, edits: Edits) -> None:
        for index in self.operands:
            missing, value = self.rank - self.ranks[index], self.op.operands[index]
            places = [place for place, axis in enumerate(order) if axis < missing]
            if self.needs_all_axes(value) or (
                places != list(range(missing)) and significant(identity(self.ranks[index]), value)
            ):
                self.op.operands[index] = edits.unsqueezed(value, places, self.op)

    def needs_all_axes(self, value: SSAValue) -> bool:
        """Return True if an operand must have the rank of the result."""
        return False


class Along(LayoutRule):
    """Rule of an operation with `LAYOUT = AnyOrder(…)`.

    Axes that the operation names by attributes and operands change with the order.
    """

    def __init__(self, op: OvOperation, layout: AnyOrder, operands: frozenset[int], rank: int) -> None:
        self.op, self.layout, self.operands, self.rank = op, layout, operands, rank
        self.named = self._named()
        gone = () if self.named is None else {a % rank for a in self.named}
        self.left = [axis for axis in range(rank) if axis not in gone]

    def _named(self) -> list[int] | None:
        """Return the named axes, which may be negative.

        None if they are not known.
        """
        if self.layout.axis is not None:
            return [to_int(getattr(self.op, self.layout.axis))]
        if self.layout.axes is None:
            return []
        if self.layout.axes < len(self.op.operands):
            return constant(self.op.operands[self.layout.axes])
        # Without an operand for them (Slice) they are the first ones, as many as there are of the operand before.
        count = self.op.operands[self.layout.axes - 1].type
        lengths = getattr(count, "get_shape", tuple)()
        return list(range(lengths[0])) if len(lengths) == 1 and lengths[0] >= 0 else None

    def _drops(self, index: int) -> bool:
        return rank_of(self.op.results[index]) != self.rank

    def fits(self) -> bool:
        """Return True if the named axes are known and match the results.

        They match if they explain the results' rank.
        """
        if self.named is None or any(not -self.rank <= axis < self.rank for axis in self.named):
            return False
        per_axis = (self.op.operands[k].type for k in self.layout.per_axis)
        if any(getattr(type_, "get_shape", tuple)() != (self.rank,) for type_ in per_axis):
            return False
        return all(rank_of(r) in (self.rank, len(self.left)) for r in self.op.results)

    def accepts(self, order: Order) -> bool:
        if not self.layout.in_sequence or self.named is None:
            return True
        place = inverse(order)
        places = [place[axis] for axis in sorted(axis % self.rank for axis in self.named)]
        return places == sorted(places)

    def operand_order(self, index: int, order: Order) -> Order | None:
        return order if index in self.operands else None

    def result_order(self, index: int, order: Order) -> Order:
        return kept(order, self.left) if self._drops(index) else order

    def from_operand(self, index: int, order: Order) -> Order | None:
        return order if index in self.operands else None

    def from_result(self, index: int, order: Order) -> Order | None:
        return lifted(order, self.left, self.rank) if self._drops(index) else order

    def permute(self, order: Order, edits: Edits) -> None:
        op, layout, place = self.op, self.layout, inverse(order)
        assert self.named is not None
        named = [place[axis % self.rank] for axis in self.named]
        if layout.axis is not None:
            op.properties[layout.axis] = IntegerAttr(named[0], i64)
        elif layout.axes is not None and layout.axes < len(op.operands):
            op.operands[layout.axes] = edits.instead(op.operands[layout.axes], np.array(named), op)
        elif named:
            op.operands = [*op.operands, edits.constant(np.array(named, np.int64), op)]
        for index in layout.per_axis:
            op.operands[index] = edits.picked(op.operands[index], order, op)
        for name in layout.lists:
            if (given := getattr(op, name)) is not None:
                values = to_ints(given)
                values = (*values, *(0,) * (self.rank - len(values)))
                op.properties[name] = DenseArrayBase.from_list(i64, [values[axis] for axis in order])


Finder = Callable[[OvOperation], LayoutRule | None]
FinderT = TypeVar("FinderT", bound=Callable[..., LayoutRule | None])
_FINDERS: dict[type[Operation], Finder] = {}


def register_rule(op_class: type[OvOperation]) -> Callable[[FinderT], FinderT]:
    """Register the function that finds the rule of an operation class.

    The function returns None if an operation cannot change its order.
    """

    def register(finder: FinderT) -> FinderT:
        _FINDERS[op_class] = finder
        return finder

    return register


def rule_of(op: Operation) -> LayoutRule | None:
    """Return the rule of an operation.

    None if the operation depends on the present order of its operands.
    """
    if not isinstance(op, OvOperation):
        return None
    if (finder := _FINDERS.get(type(op))) is not None:
        return finder(op)
    layout = op.LAYOUT
    if isinstance(layout, AnyOrder):
        return along(op, layout)
    if isinstance(layout, Broadcasting) or op.ELEMENTWISE:
        return aligned(op, layout.operands if isinstance(layout, Broadcasting) else op.ELEMENTWISE)
    return None


def aligned(op: OvOperation, operands: Sequence[int]) -> LayoutRule | None:
    """Return the rule of an operation that broadcasts operands to its result.

    (-1,) means all operands.
    """
    rank = rank_of(op.results[0])
    operands = range(len(op.operands)) if tuple(operands) == (-1,) else operands
    ranks = [rank_of(op.operands[index]) for index in operands]
    if rank is None or None in ranks:
        return None
    mode = op.properties.get("auto_broadcast")
    if mode is not None and to_str(mode) != "numpy" and any(r != rank for r in ranks):
        return None
    return Aligned(op, operands, rank)


def along(op: OvOperation, layout: AnyOrder) -> LayoutRule | None:
    """The rule of an operation with `AnyOrder`."""
    operands = range(len(op.operands)) if layout.operands == (-1,) else layout.operands
    ranks = {rank_of(op.operands[index]) for index in operands}
    rank = ranks.pop() if len(ranks) == 1 else None
    if not rank:
        return None
    rule = Along(op, layout, frozenset(operands), rank)
    return rule if rule.fits() else None


def is_identity(order: Order) -> bool:
    """Return True if the order moves no axis."""
    return order == identity(len(order))


Slot = tuple[Operation, int]
"""An operand: the operation and its number."""


@dataclass(frozen=True)
class ForwardedValue:
    """Rule of a forwarded value, with its operands and targets.

    The operands forward the value, and the targets are the arguments and results that it becomes.
    """

    rule: LayoutRule
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

    def permute(self, order: Order, edits: Edits) -> None:
        slicings = self.slicings
        old = slicings[self.number]
        slicings[self.number] = replace(old, axis=inverse(order)[old.normalised_axis(self.rank)])
        self.loop.properties[self.name] = ArrayAttr([SliceAttr(each) for each in slicings])


def forwarded_values(op: Operation) -> Iterator[ForwardedValue]:
    """Yield the values that an operation with regions forwards.

    Only values with the same rank everywhere are included.
    """
    flow = region_flow(op)
    if flow is None:
        return
    for operands, results in _together(flow.edges):
        rank = _common_rank([*(o.operands[k] for o, k in operands), *results])
        if rank is not None:
            yield ForwardedValue(Alike(rank), operands, results)
    if not isinstance(op, LoopOp):
        return
    for edge in flow.derived:
        name = "slices" if edge.source is None else "concats"
        for number, target in enumerate(edge.inputs):
            slot = (edge.forwarder, edge.first + number)
            rank = _common_rank([slot[0].operands[slot[1]], target])
            if rank is not None:
                yield ForwardedValue(Joined(op, name, number, rank), [slot], [target])


def _together(edges: Sequence[ForwardingEdge]) -> Iterator[tuple[list[Slot], list[SSAValue]]]:
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


def _common_rank(values: Sequence[SSAValue]) -> int | None:
    """Return the common rank of values.

    None if the ranks differ or are not known.
    """
    ranks = {rank_of(value) for value in values}
    return ranks.pop() if len(ranks) == 1 else None
