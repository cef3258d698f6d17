"""Execution of a phase's transformations on a module.

An error names the transformation that broke the module.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)

from loomir.compiler.extensions.transformation import Transformation
from loomir.compiler.pipeline import Instrumentation, run_passes
from loomir.compiler.stages.verify import verify_stage
from loomir.dialects.onnx.dead_nodes import remove_dead_nodes
from loomir.errors import Error
from loomir.passes.analysis.inference.incremental import KeepsTypes

SETTLE = "ov-infer"
"""Pass that runs after each step on GRAPH.

It propagates types through loops and branches, and through changes that a pass did not report.
"""


def run_phase(
    module: ModuleOp,
    steps: Sequence[Transformation],
    context: Context,
    *,
    instrumentation: Instrumentation | None = None,
) -> None:
    """Run transformations in their order.

    After each one the module is valid, and on GRAPH its types are those of inference.

    Errors: those of the steps, each with the id of the one that raised it; `transformation-failed` for any other exception
    of an extension's step; `transformation-broke-ir`.
    """
    for step in steps:
        if step.is_anchor or (step.condition is not None and not step.condition(module)):
            continue
        try:
            _apply(module, step, context, instrumentation)
            _settle(module, step)
        except Error as error:
            error.what = f"in the transformation {step.id}: {error.what}"
            raise
        except Exception as error:
            # What an extension's own code raises is no defect of loomir.
            if not step.owner:
                raise
            raise Error(
                "transformation-failed",
                f"the transformation {step.id} failed: {type(error).__name__}: {error}",
                hint=f"it is of the extension {step.owner}, which has to mend it; --disable {step.id} leaves it out",
            ) from error
        try:
            verify_stage(module, "front" if step.phase == "front" else "graph")
        except Error as error:
            broken = Error(
                "transformation-broke-ir",
                f"after the transformation {step.id} the program is not valid: {error.what}",
                hint=error.hint or (f"it is of the extension {step.owner}" if step.owner else None),
            )
            broken.where = error.where
            raise broken from error


def _apply(
    module: ModuleOp, step: Transformation, context: Context, instrumentation: Instrumentation | None
) -> None:
    steps = step.steps
    if isinstance(steps, str | ModulePass):
        run_passes(
            module,
            steps if isinstance(steps, str) else [steps],
            context=context,
            instrumentation=instrumentation,
        )
    elif isinstance(steps, Sequence):
        patterns = steps if step.recursive else [_NotInBodies(each) for each in steps]
        listener = PatternRewriterListener() if step.phase == "front" else KeepsTypes()
        applied = GreedyRewritePatternApplier(list(patterns), context, dce_enabled=False)
        PatternRewriteWalker(applied, listener=listener).rewrite_module(module)
    else:
        steps(module)


def _settle(module: ModuleOp, step: Transformation) -> None:
    if step.phase == "front":
        if step.clean_up:
            remove_dead_nodes(module)
        return
    passes = [*(["ov-remove-unneeded"] if step.clean_up else []), SETTLE]
    run_passes(module, passes)


class _NotInBodies(RewritePattern):
    """A pattern that is applied to the operations of functions themselves only."""

    def __init__(self, pattern: RewritePattern) -> None:
        self.pattern = pattern

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op.parent_op(), FuncOp):
            self.pattern.match_and_rewrite(op, rewriter)
