"""Plan: groups of a loop's carried values to carry joined."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.speculation import FactOf
from loomir.passes.graph.ov_loop_carry_joined.families import (
    Carried,
    Common,
    Computed,
    Families,
    Family,
    is_joined,
    join_of,
)
from loomir.passes.graph.ov_loop_carry_joined.stacking import Stack

MOST_ROUNDS = 16
"""Rounds that exclude what cannot be carried joined."""


@dataclass(frozen=True)
class Plan:
    """Groups of carried values that one tensor each may carry.

    Their next values are with them.

    `joins` are the operations that join them, or what is computed of them; `gone` are operations that nobody reads then.
    """

    loop: LoopOp
    joins: dict[ConcatOp, Family]
    groups: dict[Carried, Family]
    stack: Stack
    gone: set[Operation]


def plan_of(loop: LoopOp, parts: int, fact_of: FactOf) -> Plan | None:
    """Return what to carry joined, for joins of so many parts."""
    joins = [op for op in loop.body.block.ops if isinstance(op, ConcatOp) and len(join_of(op) or ()) == parts]
    without, unfit = set[tuple[int, ...]](), set[Operation]()
    for _ in range(MOST_ROUNDS if joins else 0):
        families = Families(loop, fact_of, without, unfit)
        excluded = len(without) + len(unfit)
        plan = _closed(families, joins)
        if len(without) + len(unfit) == excluded:
            return plan
    return None


def _closed(families: Families, joins: Sequence[ConcatOp]) -> Plan | None:
    """Return the plan of families, or exclude one that has none."""
    loop = families.loop
    wanted = {
        op: family for op in joins if (family := families.of(op.inputs)) is not None and _carries(family)
    }
    groups: dict[Carried, Family] = {}
    waiting = deque(group for family in wanted.values() for group in _groups(family))
    while waiting:
        group = waiting.popleft()
        if group in groups:
            continue
        following = families.following(group.numbers)
        if following is None or not is_joined(following):
            families.without.add(group.numbers)
            continue
        groups[group] = following
        waiting.extend(_groups(following))
    if not groups or not families.without.isdisjoint(group.numbers for group in families.groups.values()):
        return None
    needed = list(dict.fromkeys(f for family in (*wanted.values(), *groups.values()) for f in _all(family)))
    gone = _gone(loop, wanted, needed, groups)
    alone = [group for group in groups if not _is_replaced(group, loop, groups, gone)]
    if alone:
        families.without.update(group.numbers for group in alone)
        return None
    stack = Stack(loop, needed)
    if (without_rule := stack.without_rule()) is not None:
        families.unfit.add(without_rule)
        stack.discard()
        return None
    return Plan(loop, wanted, groups, stack, gone)


def _is_replaced(group: Carried, loop: LoopOp, groups: dict[Carried, Family], gone: set[Operation]) -> bool:
    """Return True if nobody reads a value of a group any more."""
    return all(_is_gone(use.operation, use.index, loop, groups, gone) for v in group.values for use in v.uses)


def _all(family: Family) -> Iterator[Family]:
    """Yield a family and those, not common, of which it is computed."""
    known, waiting = {family}, deque([family])
    while waiting:
        each = waiting.popleft()
        yield each
        for operand in each.operands if isinstance(each, Computed) else ():
            if operand not in known and not isinstance(operand, Common):
                known.add(operand)
                waiting.append(operand)


def _groups(family: Family) -> list[Carried]:
    return [each for each in _all(family) if isinstance(each, Carried)]


def _carries(family: Family) -> bool:
    return is_joined(family) and bool(_groups(family))


def _gone(
    loop: LoopOp, joins: dict[ConcatOp, Family], needed: Sequence[Family], groups: dict[Carried, Family]
) -> set[Operation]:
    """Return the operations that nobody reads if the groups are carried joined."""
    members = {op for family in needed if isinstance(family, Computed) for op in family.ops}
    gone: set[Operation] = set()
    for op in reversed(list(loop.body.block.ops)):
        if op in joins or (
            op in members
            and all(_is_gone(use.operation, use.index, loop, groups, gone) for use in op.results[0].uses)
        ):
            gone.add(op)
    return gone


def _is_gone(
    reader: Operation, index: int, loop: LoopOp, groups: dict[Carried, Family], gone: set[Operation]
) -> bool:
    """Return True if a reader goes, or hands on to a group."""
    if reader is not loop.next:
        return reader in gone
    number = index - (0 if loop.next.cond is None else 1)
    return any(number in group.numbers for group in groups)
