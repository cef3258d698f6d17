"""`math-form-fma`: fused multiply-add operations, if the processor supports them.

A product that is added once becomes part of one operation.

```mlir
%m = arith.mulf %a, %b : vector<8xf32>
%s = arith.addf %acc, %m : vector<8xf32>
```

becomes, with `machine=x86-64-v3`,

```mlir
%s = math.fma %a, %b, %acc : vector<8xf32>
```

The product is then not rounded, which changes the last bits. The operation is in the program, and not left to the C
compiler, so that all engines compute the same. Of a sum of two products, the second one is fused. Programs for
`generic`, or another machine without such an instruction, stay unchanged: a function of the C library would be slower
than the two operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.vectors import lane_type
from loomir.passes.analysis.machines import machine_of


@dataclass(frozen=True)
class MathFormFmaPass(ModulePass):
    """Form `math.fma` for a `machine` that has it (see the module's docstring)."""

    name = "math-form-fma"
    EXACT = False

    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if machine_of(self.machine).fma:
            rewrite(op, FormFma(), once=True)


class FormFma(RewritePattern):
    """Fuses `a * b + c → fma(a, b, c)` for a product with one use."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddfOp, rewriter: PatternRewriter) -> None:
        if not isinstance(lane_type(op.result.type), Float32Type | Float64Type):
            return
        for product, other in ((op.rhs, op.lhs), (op.lhs, op.rhs)):
            if (multiply := _product(product, op)) is not None:
                fma = math.FmaOp(multiply.lhs, multiply.rhs, other)
                fma.location = op.location
                rewriter.replace(op, fma)
                rewriter.erase(multiply)
                return


def _product(value: SSAValue, add: Operation) -> arith.MulfOp | None:
    """Return the multiplication that only this addition uses, or None.

    The multiplication must be in the same block: it would be executed there in any case.
    """
    owner = value.owner
    if isinstance(owner, arith.MulfOp) and value.has_one_use() and owner.parent is add.parent:
        return owner
    return None
