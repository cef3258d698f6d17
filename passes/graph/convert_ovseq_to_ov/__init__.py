"""`convert-ovseq-to-ov`: sequences become tensors of rows, optionals a flag and a value.

GRAPH with `seq` → GRAPH without. A sequence is held in one of these layouts, the same for all values that loops, branches and
operations hand on to one another:

| elements | tensors | element i |
|---|---|---|
| of one static shape | *rows* `tensor<? x shape>` | row i |
| of other shapes, of rank r | *slots* `tensor<? x M>`, `shapes tensor<? x r x i64>` | the first `prod(shapes[i])` of slot i |
| of several ranks up to r | as above, and `ranks tensor<? x i64>` | the same, of the first `ranks[i]` extents |

Slots hold their elements in row-major order. M is the product of the largest extents that inference finds. How many elements there
are is dimension 0, in every case. Of an optional there is a flag `tensor<i1>`, then its value: where it has none, a tensor whose
dynamic dimensions are 0, or an empty sequence.

```mlir
%s0 = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
%s = ov.loop trip(%n) carried(%s0) : (tensor<i64>, !ovseq.sequence<tensor<*xf32>>) -> (!ovseq.sequence<tensor<2xf32>>) {
^bb0(%i: tensor<i64>, %c: !ovseq.sequence<tensor<2xf32>>):
  %d = ovseq.insert %c, %x : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  ov.next carried(%d : !ovseq.sequence<tensor<2xf32>>)
}
%y = ovseq.at %s, %k : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
```

becomes

```mlir
%s0 = ov.constant dense<> : tensor<0x2xf32> : tensor<0x2xf32>
%s = ov.loop trip(%n) carried(%s0) : (tensor<i64>, tensor<0x2xf32>) -> (tensor<?x2xf32>) {
^bb0(%i: tensor<i64>, %c: tensor<?x2xf32>):
  %r = ov.unsqueeze %x, %zero : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  %d = ov.concat %c, %r {axis = 0} : (tensor<?x2xf32>, tensor<1x2xf32>) -> tensor<?x2xf32>
  ov.next carried(%d : tensor<?x2xf32>)
}
%y = ov.gather %s, %k, %axis {out_of_range = "error"} : (tensor<?x2xf32>, tensor<i64>, tensor<i64>) -> tensor<2xf32>
```

Arguments and results of `main` become several, named `y/data` and `y/shapes` (sequences), `y/has`, `y` or `y/data` … (optionals);
`loomir.of = "y"` and `loomir.part = "data"` (rows), `"slots"`, `"shapes"`, `"ranks"`, `"has"` or `"value"` say which is which.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from loomir.dialects.ovseq.types import SeqType
from loomir.dialects.walking import walk
from loomir.passes.analysis.bounds import CAPACITY
from loomir.passes.analysis.graph_only import refuse_graph_only
from loomir.passes.analysis.inference import infer
from loomir.passes.graph.convert_ovseq_to_ov.conversion import Conversion
from loomir.passes.graph.convert_ovseq_to_ov.layouts import Layouts
from loomir.passes.graph.ov_infer import OvInferPass, remove_unreached
from loomir.passes.options import check_least


@dataclass(frozen=True)
class ConvertOvseqToOvPass(ModulePass):
    """Replace sequences and optionals by tensors (see the module's docstring).

    `capacity` is the largest extent of an element that nothing else bounds, and how many elements a sequence that is an input may
    have; more is a `capacity` error when the program runs. Errors: `dynamic-input` and `unbounded-shape` (without `capacity`),
    `unresolved-rank` (a rank is not known, or elements are read whose ranks differ), `graph-only-type`.
    """

    name = "convert-ovseq-to-ov"
    EXACT = True

    capacity: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, capacity=1)
        if not any(map(_has_sequences, walk(op))):
            return
        refuse_graph_only(op)
        inference = infer(op, capacity=self.capacity)
        remove_unreached(inference)
        for func in op.body.block.ops:
            if isinstance(func, FuncOp) and func.body.blocks:
                layouts = Layouts(func, inference, self.capacity)
                Conversion(func, layouts).run()
                if layouts.used_capacity:
                    op.attributes[CAPACITY] = IntegerAttr(self.capacity or 0, i64)
        OvInferPass().apply(ctx, op)


def _has_sequences(op: Operation) -> bool:
    return any(isinstance(r.type, SeqType) for r in op.results) or any(
        isinstance(a.type, SeqType) for region in op.regions for block in region.blocks for a in block.args
    )


__all__ = ["ConvertOvseqToOvPass"]
