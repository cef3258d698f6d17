"""Copies of operations with their regions, in one pass.

xDSL's `clone` copies operations without operands, walks original and copy side by side, and sets the operands then; arguments of blocks it
adds one at a time. Where values are defined before they are used, as in loomir's programs, the copy of an operand is known when the
operation is copied, and only what is used earlier has to be looked at again.
"""

from __future__ import annotations

from typing import TypeVar

from xdsl.ir import Block, Operation, Region, SSAValue

OpT = TypeVar("OpT", bound=Operation)


def cloned(op: OpT) -> OpT:
    """Clone an operation like `op.clone()`.

    Operands from outside stay; names and locations are the same. All regions must have at most one block.
    """
    values: dict[SSAValue, SSAValue] = {}
    kept: list[tuple[Operation, Operation]] = []
    copy = _copied(op, values, kept)
    for old, new in kept:
        # From outside, or defined behind its use.
        if any(operand in values for operand in old.operands):
            new.operands = [values.get(operand, operand) for operand in old.operands]
    return copy


def _copied(op: OpT, values: dict[SSAValue, SSAValue], kept: list[tuple[Operation, Operation]]) -> OpT:
    """Copy an operation with its operands mapped by `values`.

    An operation with operands that are not in `values` is added to `kept`.
    """
    operands = op.operands
    regions = [Region() for _ in op.regions]
    copy = op.create(
        operands=[values.get(operand, operand) for operand in operands],
        result_types=[result.type for result in op.results],
        properties=op.properties,
        attributes=op.attributes,
        location=op.location,
        regions=regions,
    )
    if any(operand not in values for operand in operands):
        kept.append((op, copy))
    for old, new in zip(op.results, copy.results, strict=True):
        values[old] = new
        if old.name_hint is not None:
            new.name_hint = old.name_hint
    for region, empty in zip(op.regions, regions):
        for block in region.blocks:
            empty.add_block(_block(block, values, kept))
    return copy


def _block(block: Block, values: dict[SSAValue, SSAValue], kept: list[tuple[Operation, Operation]]) -> Block:
    copy = Block(arg_types=[argument.type for argument in block.args])
    for old, new in zip(block.args, copy.args, strict=True):
        new.location = old.location
        values[old] = new
        if old.name_hint is not None:
            new.name_hint = old.name_hint
    for op in block.ops:
        copy.add_op(_copied(op, values, kept))
    return copy
