"""Constants that replace values from outside within a branch.

A value's contents are known there because the branch was taken.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, YieldOp
from loomir.passes.analysis.inference import Inference


def replace_assumed(block: Block, inference: Inference) -> None:
    """Replace operands in branches by constants that hold there.

    This applies at any depth of a block, where inference knows the contents of a value (`assumptions`).

    Operands of yields stay: a value that both branches forward is that value. A condition becomes a constant, too, if only
    the analysis of the branch shows that it cannot be otherwise.
    """
    _Replacement(inference).visit(block)


class _Replacement:
    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._known: dict[SSAValue, _Contents] = {}

    def visit(self, block: Block) -> None:
        for op in list(block.ops):
            if not isinstance(op, YieldOp):
                for index, operand in enumerate(op.operands):
                    if (contents := self._known.get(operand)) is not None:
                        op.operands[index] = contents.constant()
            if isinstance(op, IfOp) and self._is_known_by_contradiction(op):
                op.operands[0] = _constant_before(op, np.array(self._inference.taken[op]))
            for region in op.regions:
                for inside in region.blocks:
                    self._visit_inside(inside)

    def _is_known_by_contradiction(self, op: IfOp) -> bool:
        is_constant = isinstance(op.cond.owner, ConstantOp)
        return (
            op in self._inference.taken and not is_constant and self._inference.found(op.cond).value is None
        )

    def _visit_inside(self, block: Block) -> None:
        more = self._inference.assumed.get(block, {})
        outside = {value: self._known[value] for value in more if value in self._known}
        self._known |= {value: _Contents(array, block) for value, array in more.items()}
        self.visit(block)
        for value in more:
            del self._known[value]
        self._known |= outside


class _Contents:
    """Contents of a value in a block, as a lazily created constant."""

    def __init__(self, array: np.ndarray, block: Block) -> None:
        self._array = array
        self._block = block
        self._made: SSAValue | None = None

    def constant(self) -> SSAValue:
        """The constant, at the beginning of the block."""
        if self._made is None:
            first = self._block.first_op
            assert first is not None
            self._made = _constant_before(first, self._array)
        return self._made


def _constant_before(op: Operation, array: np.ndarray) -> SSAValue:
    constant = ConstantOp.of(array)
    constant.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(constant, op)
    return constant.output
