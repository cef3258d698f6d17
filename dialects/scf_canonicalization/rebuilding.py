"""Loops and branches of `scf` made anew with fewer values handed on."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from loomir.dialects.region_flow import RegionFlow, region_flow, terminator

Structured = scf.IfOp | scf.ForOp | scf.WhileOp


def rebuilt(
    op: Structured, operands: Sequence[SSAValue], types: Sequence, regions: Sequence[Region]
) -> Structured:
    """Create an operation of the same kind from new operands and regions.

    It keeps the location and attributes of `op`.
    """
    if isinstance(op, scf.ForOp):
        lower, upper, step, *initial = operands
        new: Structured = scf.ForOp(lower, upper, step, initial, regions[0])
    elif isinstance(op, scf.WhileOp):
        new = scf.WhileOp(operands, types, regions[0], regions[1])
    else:
        new = scf.IfOp(operands[0], types, regions[0], regions[1])
    new.attributes |= op.attributes
    new.location = op.location
    return new


def tied_values(flow: RegionFlow) -> dict[SSAValue, list[SSAValue]]:
    """Group arguments and results that can only be removed together.

    A group consists of the values that one operand becomes on several edges.

    A value that an `scf.while` forwards unchanged is tied to its origin, which preserves the normal form.
    """
    groups: dict[SSAValue, list[SSAValue]] = {}
    first: dict[tuple[Operation, int], SSAValue] = {}
    for edge in flow.edges:
        for number, value in enumerate(edge.inputs):
            groups.setdefault(value, [value])
            _join(groups, first.setdefault((edge.forwarder, edge.first + number), value), value)
    for edge in flow.edges:
        if isinstance(edge.forwarder, scf.ConditionOp) and edge.target is None:
            # Of what is handed on twice, the first is the one of the normal form.
            for value, becomes in dict(reversed(list(edge.pairs))).items():
                if value in groups:
                    _join(groups, value, becomes)
    return groups


def _join(groups: dict[SSAValue, list[SSAValue]], a: SSAValue, b: SSAValue) -> None:
    larger, smaller = sorted((groups[a], groups[b]), key=len, reverse=True)
    if larger is not smaller:
        larger += smaller
        for value in smaller:
            groups[value] = larger


def without_inputs(op: Structured, dead: Collection[SSAValue], rewriter: PatternRewriter) -> None:
    """Remove dead arguments and results of a loop or branch.

    Their only uses are to forward them to one another. The operands that are forwarded to them are removed too. `dead` contains
    all values of a tied group (`tied_values`) or none.
    """
    for changed in drop_operands(op, dead):
        if changed is not op:
            rewriter.notify_op_modified(changed)
    drop_values(op, dead, rewriter)


def drop_operands(op: Structured, dead: Collection[SSAValue]) -> list[Operation]:
    """Remove the operands forwarded to these arguments and results.

    Returns the operations that have changed. The caller must call `drop_values` afterwards.
    """
    dropped: dict[Operation, set[int]] = {}
    for edge in region_flow(op).edges:
        for number, value in enumerate(edge.inputs):
            if value in dead:
                dropped.setdefault(edge.forwarder, set()).add(edge.first + number)
    for forwarder, numbers in dropped.items():
        forwarder.operands = [operand for k, operand in enumerate(forwarder.operands) if k not in numbers]
    return list(dropped)


def drop_values(op: Structured, dead: Collection[SSAValue], rewriter: PatternRewriter) -> None:
    """Remove arguments and results without incoming operands and without uses."""
    for region in op.regions:
        for argument in reversed(region.block.args if region.blocks else ()):
            if argument in dead:
                rewriter.erase_block_argument(argument)
    new = rebuilt(
        op,
        op.operands,
        [result.type for result in op.results if result not in dead],
        [rewriter.move_region_contents_to_new_regions(region) for region in op.regions],
    )
    left = iter(new.results)
    rewriter.replace(op, new, [None if result in dead else next(left) for result in op.results])


def inline_arm(
    op: Operation, region: Region, arguments: Sequence[SSAValue], rewriter: PatternRewriter
) -> None:
    """Replace an operation by its region that runs exactly once.

    The operands that the region's terminator forwards to the results replace the results.
    """
    flow = region_flow(op)
    assert flow is not None
    block, end = region.block, terminator(region.block)
    values = next(list(edge.operands) for edge in flow.edges if edge.source is region and edge.target is None)
    # What the terminator hands on may be an argument of the block.
    becomes: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
    rewriter.inline_block(block, InsertPoint.before(op), arguments)
    rewriter.erase(end)
    rewriter.replace(op, [], [becomes.get(value, value) for value in values])
