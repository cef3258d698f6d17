"""`ov-remove-unneeded`: removes operations and values that no output needs."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import IsTerminator

from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import PatternRemarks, Remarks, is_listening
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of


class UnusedCustom(RewritePattern):
    """Removes an unknown operator whose results are unused.

    In a model's file a node exists only for its results.

    `r = custom(x); return y → return y`.

    (This does not hold for a program in between: `dead_code` keeps operations with unknown side effects.)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CustomOp, rewriter: PatternRewriter) -> None:
        if not any(result.first_use for result in op.results):
            rewriter.erase(op)


@dataclass(frozen=True)
class OvRemoveUnneededPass(ModulePass):
    """Removes operations and results without uses, and dead carried values.

    The results include those of branches and loops. Carried values are dead if they only keep each other alive.

    ```mlir
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : …    // before: nothing uses it
    %y = ov.relu %x : (tensor<4xf32>) -> tensor<4xf32>

    %y = ov.relu %x : (tensor<4xf32>) -> tensor<4xf32>           // after
    ```

    It is the first pass after import, with and without optimisation. So at every level and in every engine the same
    operations that may fail are run.
    """

    name = "ov-remove-unneeded"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        before = list(walk(op)) if is_listening() else []
        with PatternRemarks().recording(op, self.name):
            if not rewrite(op, DeadValues(), UnusedCustom(), clean_up=True):
                analyses_of(ctx).keep_all()
        # What is erased is in no block; what was in it still is in one of its own.
        gone = [o for o in before if o.parent is None and o is not op and not _is_rebuilt(o)]
        if gone:
            Remarks(self.name).passed(
                gone[0], f"removed {len(gone)} unneeded operations, this one first", gone=len(gone)
            )


def _is_rebuilt(op: Operation) -> bool:
    """Return True if an operation was removed because a pattern rebuilt it.

    Patterns rebuild branches, loops and their terminators.
    """
    return bool(op.regions) or op.has_trait(IsTerminator)
