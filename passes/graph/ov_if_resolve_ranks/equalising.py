"""Results of `ov.if` whose rank depends on the branch, and nobody observes it."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue, Use
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.attributes import to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.ov.operators.conversion import ConvertLikeOp
from loomir.dialects.ov.operators.reshape import UnsqueezeOp
from loomir.passes.analysis.remarks import Remarks


def equalise_ranks(branch: IfOp, remarks: Remarks) -> None:
    """Give the result of the smaller rank leading extents of 1, where all that read the result broadcast it to the greater rank anyway.

    Both branches have to say their rank. No reader gets another shape or other elements, and none fails that did not.
    """
    for index, result in enumerate(branch.output):
        ends = (branch.then_yield, branch.else_yield)
        ranks = [_rank(end.values[index]) for end in ends]
        known = [rank for rank in ranks if rank is not None]
        if len(known) < 2 or known[0] == known[1]:
            continue
        greatest = max(known)
        if not all(_broadcasts(use, greatest) for use in result.uses):
            continue
        for end, rank in zip(ends, known):
            if rank < greatest:
                build = GraphBuilder(InsertPoint.before(end), end.location)
                axes = build.integers(range(greatest - rank))
                end.operands[index] = build.make(UnsqueezeOp, end.values[index], axes)
        remarks.passed(
            branch, f"result {index} has the rank {greatest} of its readers in both branches", rank=greatest
        )


def _rank(value: SSAValue) -> int | None:
    return value.type.get_num_dims() if isinstance(value.type, TensorType) else None


def _broadcasts(use: Use, rank: int) -> bool:
    """Whether the reader takes a value of fewer axes as one of `rank` axes: beside an operand that has so many, or for its type only."""
    op = use.operation
    if isinstance(op, ConvertLikeOp) and op.operands[use.index] is op.like:
        return True
    if not isinstance(op, OvOperation) or use.index not in op.ELEMENTWISE:
        return False
    mode = getattr(op, "auto_broadcast", None)
    others = (op.operands[place] for place in op.ELEMENTWISE if place != use.index)
    return (
        mode is not None
        and to_str(mode) == "numpy"
        and any((other_rank := _rank(other)) is not None and other_rank >= rank for other in others)
    )
