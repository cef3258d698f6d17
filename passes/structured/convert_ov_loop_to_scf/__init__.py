"""`convert-ov-loop-to-scf`: control flow and `main`'s signature become `scf` and docs/ir.md's boundary form.

Every `ov.loop` becomes an `scf.for` or `scf.while`, every `ov.if` an `scf.if`; the arguments and results of
`main` become scalars, static tensors, and flat capacity tensors with their extents. Other `ov` operations
stay, on tensors of the true shape, for `convert-ov-to-linalg`; upstream operations materialize one as the other
(see `boundary`).

```mlir
func.func @main(%x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  %zero = ov.constant dense<0.0> : tensor<4xf32> : tensor<4xf32>
  %sum, %all = ov.loop carried(%zero) sliced(%x)
      {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%i: tensor<i64>, %acc: tensor<4xf32>, %part: tensor<1x4xf32>):
    …
    ov.next carried(%next : tensor<4xf32>) concat(%row : tensor<1x4xf32>)
  }
  func.return %sum, %all : tensor<4xf32>, tensor<8x4xf32>
}
```
becomes
```mlir
func.func @main(%x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  %zero = ov.constant …
  %e = tensor.empty() : tensor<8x4xf32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero, %all = %e)
      -> (tensor<4xf32>, tensor<8x4xf32>) {
    %part = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    …
    %all2 = tensor.insert_slice %row into %all[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %next, %all2 : tensor<4xf32>, tensor<8x4xf32>
  }
  func.return %r#0, %r#1 : tensor<4xf32>, tensor<8x4xf32>
}
```

Run-time errors are `cf.assert`s: `shape:` (a trip count beyond the slices of an input, parts that differ between
iterations, a range that does not fit), `capacity:` (more output than its bounds allow).

`max-iterations=N` adds a `limit:` assert to every loop that is not known to run at most N times: at the start of the
body of an `scf.while`, before an `scf.for`. It bounds each run of a loop for itself, not all loops in total as the
interpreters do: two nested loops may run N times N iterations. C has no other bound.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.bounds import bounds_of_type
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.failure import CheckBoundsOp, FailOp
from loomir.passes.analysis.graph_only import refuse_graph_only
from loomir.passes.options import check_least
from loomir.passes.structured.convert_ov_loop_to_scf.boundary import Boundaries
from loomir.passes.structured.convert_ov_loop_to_scf.branches import convert_if
from loomir.passes.structured.convert_ov_loop_to_scf.loops import convert_loop
from loomir.passes.structured.convert_ov_loop_to_scf.signature import convert_arguments, convert_results


@dataclass(frozen=True)
class ConvertOvLoopToScfPass(ModulePass):
    """Lower loops, branches and the signature of `main` (see the module's docstring).

    Errors: `unbounded-shape` and `dynamic-input` where `ov-bound-shapes` has not run, `unresolved-rank`, `graph-only-type`, and
    those of `ov.loop`'s slices; `bad-option`.
    """

    name = "convert-ov-loop-to-scf"
    EXACT = True

    max_iterations: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_iterations=0)
        refuse_graph_only(op)
        for func in op.body.block.ops:
            if isinstance(func, FuncOp) and func.body.blocks:
                low = Boundaries(func.body.block)
                low.location = func.location
                convert_arguments(func, low)
                _convert_block(func.body.block, low, self.max_iterations)
                convert_results(func, low)
                low.remove_unused_materializations()


def _convert_block(block: Block, low: Boundaries, max_iterations: int | None) -> None:
    """Convert the control flow of a block, innermost regions included."""

    def convert_inner(inner: Block) -> None:
        _convert_block(inner, low, max_iterations)

    for op in list(block.ops):
        if isinstance(op, CheckBoundsOp):
            _convert_check(op, low)
        if not isinstance(op, LoopOp | IfOp):
            continue
        with low.at(InsertPoint.before(op)), low.located(op.location):
            if isinstance(op, LoopOp):
                convert_loop(op, low, convert_inner, max_iterations)
            else:
                convert_if(op, low, convert_inner)
        op.detach()
        op.erase()


def _convert_check(op: CheckBoundsOp, low: Boundaries) -> None:
    """Emit the bounds check of a value that no lowering will compute.

    A value that a lowering computes is checked there, before it is written.
    """
    owner = op.value.owner
    if isinstance(owner, OvOperation) and not isinstance(owner, ConstantOp | FailOp):
        return
    with low.at(InsertPoint.before(op)), low.located(op.location):
        low.assert_capacity(low.dims(op.value), op.most.beyond(bounds_of_type(op.value.type)))
    op.output.replace_all_uses_with(op.value)
    op.detach()
    op.erase()
