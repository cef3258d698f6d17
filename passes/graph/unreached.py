"""Branches that never run, for passes that give each value a form: what stands there has no facts, and need not fit the others'."""

from __future__ import annotations

from xdsl.ir import Operation

from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.walking import walk
from loomir.passes.analysis.inference import Inference
from loomir.passes.graph.ov_infer import replace_by_failure


def remove_unreached(top: Operation, inference: Inference) -> None:
    """Put `ov.fail` in the place of what is in a branch that the condition, which inference knows, never takes."""
    for branch in [op for op in walk(top) if isinstance(op, IfOp)]:
        if (taken := inference.taken.get(branch)) is not None:
            untaken = branch.else_region if taken else branch.then_region
            replace_by_failure(untaken.block, "a branch that never runs", inference)
