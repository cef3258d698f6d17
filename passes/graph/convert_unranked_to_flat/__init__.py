"""`convert-unranked-to-flat`: replaces unranked tensors by flat elements and extents.

GRAPH → GRAPH in which every value has a rank. A value of type `tensor<*xT>`, whose rank is known only at run time, is
held in two tensors:

| part | type | holds |
|---|---|---|
| *flat* | `tensor<?xT>` | the elements in row-major order |
| *extents* | `tensor<?xi64>` | the extents; how many there are is the rank |

Branches yield both, loops carry both. Operations that need no rank work on them:

| operation | becomes |
|---|---|
| elementwise, of one such value, or of several that have the same extents, and scalars | itself, on the flat parts |
| ShapeOf | the extents |
| Reshape | the flat part unchanged; the extents as the wanted shape specifies |
| Unsqueeze, Squeeze of known axes | the same with extents inserted or removed |

```mlir
%r = ov.if %c -> (tensor<*xf32>) {                                            // before
  ov.yield %x : tensor<2x3xf32>
} else {
  ov.yield %v : tensor<4xf32>
}
%e = ov.exp %r : (tensor<*xf32>) -> tensor<*xf32>

%f, %s = ov.if %c -> (tensor<?xf32>, tensor<?xi64>) {                         // after
  %a = ov.reshape %x, %all : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  ov.yield %a, %two_three : tensor<6xf32>, tensor<2xi64>
} else {
  ov.yield %v, %four : tensor<4xf32>, tensor<1xi64>
}
%e = ov.exp %f : (tensor<?xf32>) -> tensor<?xf32>
```

Any other operation is *dispatched*: `ov.if` tests the rank, and each branch has the operation on a value of that rank
(or `ov.fail` in a branch of a rank that the operation does not take). Operations that compute its other operands from
the rank move with it. Inference determines the possible ranks; if it cannot, or if there are more than `max-ranks`, the
program is refused.

A result of `main` becomes two, `y/data` and `y/extents`, with `loomir.of = "y"` and `loomir.part` `"flat"` and
`"extents"`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.walking import walk
from loomir.passes.analysis.inference import infer
from loomir.passes.graph.convert_unranked_to_flat.conversion import Conversion, of_other_rank
from loomir.passes.graph.ov_infer import write_types
from loomir.passes.options import check_least


@dataclass(frozen=True)
class ConvertUnrankedToFlatPass(ModulePass):
    """Replaces tensors of unknown rank by their elements and their extents.

    See the module's docstring. An operation is dispatched over at most `max-ranks` ranks. Errors: `unresolved-rank` (an
    operation needs a rank of which too little is known, or which an input of `main` leaves open).
    """

    name = "convert-unranked-to-flat"
    EXACT = True

    max_ranks: int = 8

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_ranks=1)
        if not any(map(_has_unranked, walk(op))):
            return
        inference = infer(op)
        write_types(op, inference)
        for func in op.body.block.ops:
            if isinstance(func, FuncOp) and func.body.blocks:
                Conversion(func, inference, self.max_ranks).run()
        # Ranks that turn out to be known leave branches that never run, which are illegal for what is known.
        inference = infer(op)
        write_types(op, inference)


def _has_unranked(op: Operation) -> bool:
    if isinstance(op, LoopOp) and of_other_rank(op):
        return True
    return any(isinstance(r.type, UnrankedTensorType) for r in op.results) or any(
        isinstance(a.type, UnrankedTensorType)
        for region in op.regions
        for block in region.blocks
        for a in block.args
    )


__all__ = ["ConvertUnrankedToFlatPass"]
