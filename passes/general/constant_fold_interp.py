"""`constant-fold-interp`: folds integer operations on constants, like xDSL's pass.

An operation that fails stays: it fails at run time, if it runs. xDSL's interpreter ends with an `AssertionError`.

```mlir
%s = arith.addi %c2, %c3 : i32          // becomes arith.constant 5 : i32
%d = arith.floordivsi %c7, %c0 : i32    // stays
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter
from xdsl.interpreters import register_implementations
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.transforms.constant_fold_interp import ConstantFoldInterpPass, ConstantFoldInterpPattern

from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.rewriting import rewrite


class FoldSpeculatable(ConstantFoldInterpPattern):
    """xDSL's pattern, for operations that surely do not fail."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if speculatable(op):
            super().match_and_rewrite(op, rewriter)


@dataclass(frozen=True)
class SafeConstantFoldInterpPass(ConstantFoldInterpPass):
    """Evaluate integer operations on constants with xDSL's interpreter."""

    name = "constant-fold-interp"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        interpreter = Interpreter(op)
        register_implementations(interpreter, ctx)
        rewrite(op, FoldSpeculatable(ctx, interpreter))
