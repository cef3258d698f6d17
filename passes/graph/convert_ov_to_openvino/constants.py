"""Constants in the blocks whose operations read them.

An outer constant would be an input of the body, where its contents are unknown.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, OpResult, SSAValue

from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.walking import walk


def localise_constants(module: ModuleOp) -> None:
    """Copy outer constants to the beginning of blocks that read them.

    Linear in the number of operands.
    """
    copies: dict[tuple[SSAValue, Block], SSAValue] = {}
    replaced: dict[ConstantOp, None] = {}
    for op in walk(module):
        block = op.parent
        for index, operand in enumerate(op.operands):
            constant = operand.op if isinstance(operand, OpResult) else None
            if block is None or not isinstance(constant, ConstantOp) or constant.parent is block:
                continue
            copy = copies.get((operand, block))
            if copy is None:
                local = constant.clone()
                local.location = constant.location
                assert block.first_op is not None
                block.insert_op_before(local, block.first_op)
                copy = copies[operand, block] = local.output
            op.operands[index] = copy
            replaced[constant] = None
    for constant in replaced:
        if constant.output.first_use is None:
            constant.detach()
            constant.erase()
