"""`math-form-fma`: a product that is only added becomes one fused multiplication and addition, which rounds once.

```mlir
%m = arith.mulf %a, %b : f32
%s = arith.addf %acc, %m : f32
```
becomes, for a machine that has the instruction,
```mlir
%s = math.fma %a, %b, %acc : f32
```

So do vectors of one dimension, and f64. Where both operands of an addition are products, the one that was computed last becomes part of
it: the other one is ready by then. A product with a second use stays, for it would be computed twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp, VectorType, f32, f64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.walking import walk
from loomir.passes.analysis.machines import machine_of


@dataclass(frozen=True)
class MathFormFmaPass(ModulePass):
    """Fuse products into the additions that alone use them (see the module's docstring).

    `machine`: the one that the program is for; without the instruction nothing changes.
    """

    name = "math-form-fma"
    EXACT = False

    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not machine_of(self.machine).fma:
            return
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                _form(function)


def _form(function: FuncOp) -> None:
    places: dict[Operation, int] = {}
    for place, op in enumerate(list(walk(function.body))):
        places[op] = place
        if isinstance(op, arith.AddfOp) and _has_fma(op.result.type):
            products = [p for value in op.operands if (p := _product(value)) is not None]
            if products:
                _fuse(op, max(products, key=places.__getitem__))


def _has_fma(type: Attribute) -> bool:
    """Whether C has the function, and the machine the instruction, for scalars of this type or rows of them."""
    if isinstance(type, VectorType):
        return len(type.get_shape()) == 1 and type.element_type in (f32, f64)
    return type in (f32, f64)


def _product(value: SSAValue) -> arith.MulfOp | None:
    """The multiplication that gives a value of this one use."""
    owner = value.owner
    return owner if isinstance(owner, arith.MulfOp) and value.has_one_use() else None


def _fuse(addition: arith.AddfOp, product: arith.MulfOp) -> None:
    other = addition.rhs if addition.lhs is product.result else addition.lhs
    fma = math.FmaOp(product.lhs, product.rhs, other)
    fma.location = addition.location
    Rewriter.insert_op(fma, InsertPoint.before(addition))
    Rewriter.replace_op(addition, [], [fma.result])
    Rewriter.erase_op(product)
