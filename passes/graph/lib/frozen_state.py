"""Loops whose state a trip does not change where a condition holds."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation, OpResult, SSAValue

from loomir.dialects.control_flow.conditions import KnownConditions
from loomir.dialects.ov.operators.comparison import SelectOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp

MAX_CHOICES = 32
"""Branches and selects that one value is looked through."""


def holds(value: SSAValue, condition: SSAValue, truth: bool) -> bool | None:
    """Return the truth value that one condition implies for another.

    None if it is unknown.
    """
    return KnownConditions.where(condition, truth).of(value)


def value_where(value: SSAValue, condition: SSAValue, truth: bool) -> SSAValue:
    """Return the value that branches and selects choose.

    It is the one where a condition has this truth value.
    """
    for _ in range(MAX_CHOICES):
        choice = value.owner
        if isinstance(choice, IfOp) and isinstance(value, OpResult):
            chosen = holds(choice.cond, condition, truth)
            arms = choice.then_yield, choice.else_yield
            following = None if chosen is None else arms[0 if chosen else 1].operands[value.index]
        elif isinstance(choice, SelectOp):
            chosen = holds(choice.cond, condition, truth)
            following = None if chosen is None else (choice.then if chosen else choice.else_value)
            if following is not None and following.type != value.type:
                return value  # it is broadcast
        else:
            return value
        if following is None:
            return value
        value = following
    return value


def keeps(argument: SSAValue, following: SSAValue, condition: SSAValue, truth: bool) -> bool:
    """Return True if a trip leaves a carried value as it is.

    It is a trip where a condition has this truth value.
    """
    if value_where(following, condition, truth) is argument:
        return True
    return argument is condition and holds(following, condition, truth) is truth


def kept_where(loop: LoopOp, condition: SSAValue, truth: bool) -> set[int]:
    """Return the numbers of the carried values that such a trip leaves."""
    pairs = zip(loop.carried_arguments, loop.next.carried)
    return {k for k, pair in enumerate(pairs) if keeps(*pair, condition, truth)}


def operations_where(block: Block, condition: SSAValue, truth: bool) -> Iterator[Operation]:
    """Generate the operations of a block that may be executed.

    They are those where a condition has this truth value, without those in loops: a loop stands for them.
    """
    for op in block.ops:
        if not isinstance(op, IfOp):
            yield op
            continue
        taken = holds(op.cond, condition, truth)
        for arm, is_first in ((op.then_region, True), (op.else_region, False)):
            if taken is None or taken is is_first:
                yield from operations_where(arm.block, condition, truth)
