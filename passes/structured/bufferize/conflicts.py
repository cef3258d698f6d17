"""Conditions for overwriting a buffer.

They depend on the uses that would observe the change of its present contents.

An operation may overwrite (a slice of) the buffer that holds a version of an alias set if the alias set is writable, no
loop lies between the alias set and the operation, and no use of that version comes later. The following do not prevent
it:

- uses in the other arm of an scf.if;
- an insert_slice into exactly the slice that is overwritten: it doesn't read that slice;
- in the operation itself: an input of which each iteration reads only the element that it then overwrites.
"""

from __future__ import annotations

from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue, Use

from loomir.dialects.region_flow import exclusive, runs_once_in
from loomir.passes.structured.bufferize.model import Alias, AliasSet, Cover, Plan, SetKind
from loomir.passes.structured.bufferize.order import uses_from
from loomir.passes.structured.bufferize.slices import reads_elementwise, reshape_source, same_slice


def overwrite_conflict(plan: Plan, op: Operation, dest: int) -> str | None:
    """Return why `op` may not overwrite its destination operand's buffer, or `None`."""
    alias = plan.aliases[op.operands[dest]]
    version = alias.version
    assert version is not None
    if reason := _not_writable(version.alias_set, op):
        return reason
    if any(not exclusive(op, amendment) for amendment in version.amendments):
        return "another version of one of its slices is in the buffer"
    written = None
    if not isinstance(op, tensor.InsertSliceOp):
        base, _ = reshape_source(op.operands[dest])
        written = base.owner if isinstance(base.owner, tensor.ExtractSliceOp) else None
    for number, use, value in uses_from(version.values, plan.numbers[op], plan.numbers):
        if use.operation is op and use.index == dest:
            continue
        if number == plan.numbers[op]:
            if not reads_same_element(plan, op, use, value, dest):
                return "the operation also reads it"
        elif written is not None and _overwrites_slice(use, written):
            continue
        elif not exclusive(op, use.operation):
            return f"its contents are used later, by {use.operation.name}"
    return None


def _overwrites_slice(use: Use, written: tensor.ExtractSliceOp) -> bool:
    insert = use.operation
    if not isinstance(insert, tensor.InsertSliceOp) or use.index != 1:
        return False
    return insert.dest is written.source and same_slice(insert, written)


def _not_writable(alias_set: AliasSet, op: Operation) -> str | None:
    if alias_set.kind is SetKind.ARGUMENT:
        return "it is an input or a weight"
    if not alias_set.writable:
        return "the loop's condition region hands it on"
    if not runs_once_in(op, alias_set.block):
        return "it comes from outside the loop"
    return None


def reads_same_element(plan: Plan, op: Operation, use: Use, value: SSAValue, dest: int) -> bool:
    """Return True if `use` reads only the element written to `dest`.

    `use` is an operand of `op`; the condition must hold in each iteration.

    The two must be packed in the same way: the maps are equal, so with both packed from the beginning of one buffer, and
    with the same extents, equal coordinates are equal addresses.
    """
    if use.operation is not op or not reads_elementwise(op, use.index, dest):
        return False
    if isinstance(value.owner, tensor.PadOp):
        return False
    if value is op.operands[dest]:
        return True
    target = plan.aliases[op.operands[dest]].cover
    return Cover.PART not in (plan.aliases[value].cover, target)


def handover_conflict(plan: Plan, alias: Alias, op: Operation) -> str | None:
    """Return why `op` may not take over an operand's buffer, or `None`.

    `op` is a region operation or terminator. The caller checks other uses in `op` itself.
    """
    version = alias.version
    assert version is not None
    if reason := _not_writable(version.alias_set, op):
        return reason
    if alias.cover is not Cover.FULL:
        return "it is a part of a larger buffer"
    number = plan.numbers[op]
    for _, use, _ in uses_from(version.values, number + 1, plan.numbers):
        if not exclusive(op, use.operation):
            return f"its contents are used later, by {use.operation.name}"
    return None


def is_dead_before(plan: Plan, alias_set: AliasSet, fresh: AliasSet, arm: Operation | None = None) -> bool:
    """Return True if `fresh` may live in the buffer of `alias_set`.

    Nothing may read the buffer's previous contents once `fresh` begins.

    The operation that computes `fresh` may still read `alias_set` elementwise. With `arm`, the terminator of a branch of an
    scf.if in which the uses of both alias sets end, only those uses count that can occur together with it.
    """
    if alias_set.takers and (arm is None or max(alias_set.takers) >= plan.numbers[_parent(arm)]):
        return False
    for number, use, value in uses_from(alias_set.values, fresh.number, plan.numbers):
        if arm is not None and exclusive(arm, use.operation):
            continue
        if number > fresh.number or fresh.writer is None:
            return False
        if not reads_same_element(plan, fresh.writer[0], use, value, fresh.writer[1]):
            return False
    return True


def _parent(op: Operation) -> Operation:
    parent = op.parent_op()
    assert parent is not None
    return parent
