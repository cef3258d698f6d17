"""Results of `ov.if` with a branch-dependent rank that is not observed."""

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
    """Add leading extents of 1 to a result of smaller rank.

    This applies if all users of the result broadcast it to the greater rank anyway. The rank must be known in both
    branches. No user gets another shape or other elements, and none fails that did not fail before.
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
    """Return True if the user treats a value as having rank `rank`.

    The value has fewer axes. The user reads it beside an operand of at least this rank, or for its type only.
    """
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
