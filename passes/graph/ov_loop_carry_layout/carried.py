"""Carried values in the layout in which a loop's body computes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import set_type, tensor_type_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.region_flow import comes_from_outside
from loomir.passes.graph.ov_loop_carry_layout.changes import Change, before_change, change_of

_MOST_CANDIDATES = 4
"""Number of changes that are weighed for one group."""

_MOST_CHANGES = 8
"""Number of changes that one group gets, one after the other."""


def carry_changed(loop: LoopOp, *, grow: bool) -> int:
    """Carry values of a loop in other layouts where that saves operations.

    Return the number of operations that an iteration executes less. Unless the program may `grow`,
    nothing moves elements around the loop.
    """
    saved = 0
    for numbers in _groups(loop):
        group = _Group(loop, numbers)
        for _ in range(_MOST_CHANGES):
            if (found := group.best(grow=grow)) is None:
                break
            change, gain = found
            group.carry(change)
            saved += gain
    return saved


def _groups(loop: LoopOp) -> list[list[int]]:
    """Return the numbers of carried tensors that hand each other on."""
    arguments = {argument: k for k, argument in enumerate(loop.carried_arguments)}
    types = [argument.type for argument in arguments]
    group = list(range(len(arguments)))

    def first_of(k: int) -> int:
        while group[k] != k:
            group[k] = group[group[k]]
            k = group[k]
        return k

    for k, value in enumerate(loop.next.carried):
        # (A value that takes others may be of more shapes.)
        if value in arguments and value.type == types[k]:
            group[first_of(k)] = first_of(arguments[value])
    found: dict[int, list[int]] = {}
    for argument, k in arguments.items():
        if isinstance(argument.type, TensorType):
            found.setdefault(first_of(k), []).append(k)
    return list(found.values())


class _Group:
    """Carried values of a loop that are carried in one layout."""

    def __init__(self, loop: LoopOp, numbers: Sequence[int]) -> None:
        self.loop, self.numbers = loop, dict.fromkeys(numbers)
        self.block, self.end = loop.body.block, loop.next
        arguments = loop.carried_arguments
        self.arguments = {arguments[k]: k for k in numbers}
        self.first_initial = len(loop.operands) - len(loop.sliced) - len(loop.carried)
        self.first_next = 0 if self.end.cond is None else 1

    def _initial(self, number: int) -> SSAValue:
        return self.loop.operands[self.first_initial + number]

    def _following(self, number: int) -> SSAValue:
        return self.end.operands[self.first_next + number]

    def best(self, *, grow: bool) -> tuple[Change, int] | None:
        """Return the change that saves most, and how many operations."""
        counts = Counter(self._changes())
        best: tuple[Change, int] | None = None
        for change, _ in counts.most_common(_MOST_CANDIDATES):
            gain = self._gain(change)
            if gain <= 0 or not (grow or change.is_free or not self._made_outside(change)):
                continue
            if best is None or gain > best[1]:
                best = change, gain
        return best

    def _changes(self) -> Iterator[Change]:
        """Yield the changes that the body makes, and undoes."""
        for argument in self.arguments:
            for use in argument.uses:
                change = change_of(use.operation) if use.index == 0 else None
                if change is not None and change.inverse.keeps_every_value:
                    yield change
        for k in self.numbers:
            owner = self._following(k).owner
            change = change_of(owner) if isinstance(owner, Operation) else None
            if change is not None and change.keeps_every_value:
                yield change.inverse

    def _gain(self, change: Change) -> int:
        """Return how many operations an iteration executes less.

        It is 0 where a value would not be the same.
        """
        gain, undone = 0, dict[SSAValue, None]()
        for argument, k in self.arguments.items():
            if not change.keeps_every_value and not self._is_undone(self._initial(k), change):
                return 0
            reads = [use for use in argument.uses if not self._is_handed_on(use)]
            changed = [use for use in reads if _makes(use, change)]
            gain += sum(use.operation.parent is self.block for use in changed)
            gain -= len(changed) < len(reads)
            value = self._following(k)
            if value in self.arguments:
                continue
            if self._is_undone(value, change) and before_change(value, change.inverse) not in self.arguments:
                # (An argument itself would be read as it was.)
                undone[value] = None
            elif not change.keeps_every_value:
                return 0
            elif not comes_from_outside(value, self.loop):
                gain -= 1
        for value in undone:
            owner = value.owner
            assert isinstance(owner, Operation)
            gain += owner.parent is self.block and all(map(self._is_handed_on, value.uses))
        return gain

    def _made_outside(self, change: Change) -> int:
        """Return how many operations come to be around the loop."""
        values = {self._initial(k) for k in self.numbers}
        values |= {v for k in self.numbers if comes_from_outside(v := self._following(k), self.loop)}
        made = sum(not (isinstance(v.owner, ConstantOp) or self._is_undone(v, change)) for v in values)
        results = (self.loop.results[k] for k in self.numbers)
        return made + sum(any(not _makes(use, change) for use in result.uses) for result in results)

    @staticmethod
    def _is_undone(value: SSAValue, change: Change) -> bool:
        return before_change(value, change.inverse) is not None

    def _is_handed_on(self, use: Use) -> bool:
        """Return True if the next iteration gets this in the group."""
        return use.operation is self.end and use.index - self.first_next in self.numbers

    def carry(self, change: Change) -> None:
        """Carry the values changed."""
        loop, end, block = self.loop, self.end, self.block
        handed_on = {k for k in self.numbers if self._following(k) in self.arguments}
        following: dict[SSAValue, SSAValue] = {}
        for k in self.numbers:
            before = GraphBuilder(InsertPoint.before(loop), loop.location)
            last = GraphBuilder(InsertPoint.before(end), loop.location)
            value = self._following(k)
            loop.operands[self.first_initial + k] = change.of(self._initial(k), before)
            if k in handed_on:
                continue
            if value not in following:
                following[value] = change.of(value, before if comes_from_outside(value, loop) else last)
            end.operands[self.first_next + k] = following[value]
        for value in following:
            # What gave it changes a layout, and is not to count as a reader.
            if value.first_use is None and isinstance(op := value.owner, Operation):
                op.detach()
                op.erase()
        for argument, k in self.arguments.items():
            reads = [
                use
                for use in argument.uses
                if use.operation is not end or use.index - self.first_next not in handed_on
            ]
            _replace_type(argument, change, reads, lambda: InsertPoint.at_start(block))
            result = loop.results[k]
            _replace_type(result, change, list(result.uses), lambda: InsertPoint.after(loop))


def _makes(use: Use, change: Change) -> bool:
    """Return True if the reader there makes a change."""
    return use.index == 0 and change_of(use.operation) == change


def _replace_type(
    value: SSAValue, change: Change, reads: Sequence[Use], place: Callable[[], InsertPoint]
) -> None:
    """Give a value its changed type.

    What reads it reads it changed back.
    """
    changed = [use.operation for use in reads if _makes(use, change)]
    others = [use for use in reads if not _makes(use, change)]
    set_type(value, change.type_of(tensor_type_of(value)))
    for op in changed:
        op.results[0].replace_all_uses_with(value)
        op.detach()
        op.erase()
    if not others:
        return
    # (The place is asked for now: the operation there may have been one of them.)
    unchanged = change.inverse.make(value, GraphBuilder(place(), others[0].operation.location))
    unchanged.name_hint = value.name_hint
    for use in others:
        use.operation.operands[use.index] = unchanged
