"""Loops and branches of `scf` made anew with fewer values handed on."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from loomir.dialects.region_flow import region_flow, terminator

Structured = scf.IfOp | scf.ForOp | scf.WhileOp


def rebuilt(
    op: Structured, operands: Sequence[SSAValue], types: Sequence, regions: Sequence[Region]
) -> Structured:
    """An operation of the same kind, location and attributes, of all these operands."""
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


def without_inputs(op: Structured, dead: Collection[SSAValue], rewriter: PatternRewriter) -> None:
    """Remove results and arguments of a loop or branch, which nothing uses but to hand them on to one another, and what is handed on to
    them. All that one operand becomes has to go together."""
    flow = region_flow(op)
    dropped: dict[Operation, set[int]] = {}
    for edge in flow.edges:
        for number, value in enumerate(edge.inputs):
            if value in dead:
                dropped.setdefault(edge.forwarder, set()).add(edge.first + number)
    kept = {
        forwarder: [operand for k, operand in enumerate(forwarder.operands) if k not in numbers]
        for forwarder, numbers in dropped.items()
    }
    for forwarder, operands in kept.items():
        if forwarder is not op:
            forwarder.operands = operands
            rewriter.notify_op_modified(forwarder)
    for region in op.regions:
        for argument in reversed(region.blocks[0].args if region.blocks else ()):
            if argument in dead:
                rewriter.erase_block_argument(argument)
    new = rebuilt(
        op,
        kept.get(op, list(op.operands)),
        [result.type for result in op.results if result not in dead],
        [rewriter.move_region_contents_to_new_regions(region) for region in op.regions],
    )
    left = iter(new.results)
    rewriter.replace(op, new, [None if result in dead else next(left) for result in op.results])


def inline_arm(
    op: Operation, region: Region, arguments: Sequence[SSAValue], rewriter: PatternRewriter
) -> None:
    """A region that runs exactly once stands in the place of its operation, whose results are what its terminator hands on behind it."""
    flow = region_flow(op)
    assert flow is not None
    block, end = region.block, terminator(region.block)
    values = next(list(edge.operands) for edge in flow.edges if edge.source is region and edge.target is None)
    # What the terminator hands on may be an argument of the block.
    becomes: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
    rewriter.inline_block(block, InsertPoint.before(op), arguments)
    rewriter.erase(end)
    rewriter.replace(op, [], [becomes.get(value, value) for value in values])
