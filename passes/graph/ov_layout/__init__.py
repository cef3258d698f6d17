"""`ov-layout`: chooses axis orders, channels first or last, to eliminate Transposes.

| file | what it is |
|---|---|
| `orders.py` | permutations |
| `rules.py`, `ranks.py`, `reshaping.py`, `parameters.py` | operations in another order: their operands' orders and their changes |
| `handed_on.py` | the same for values that loops and branches forward |
| `graph.py` | the program without its Transposes: nodes, and the order of each use of a value |
| `homes.py` | the order of each node that suits the operations which need one |
| `choosing.py`, `minimum_cut.py` | the nodes that have that order: a minimum cut |
| `edits.py`, `rewriting.py` | the changes to the program |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from loomir.dialects.ov.operators.reshape import TransposeOp
from loomir.dialects.region_flow import owning_operation
from loomir.dialects.walking import walk
from loomir.passes.analysis.remarks import Remarks, are_heard
from loomir.passes.graph.ov_layout import parameters, ranks, reshaping
from loomir.passes.graph.ov_layout.choosing import choose
from loomir.passes.graph.ov_layout.graph import graph_of
from loomir.passes.graph.ov_layout.homes import Homes
from loomir.passes.graph.ov_layout.rewriting import Rewriting

REGISTERED = (parameters, ranks, reshaping)
"""The modules whose rules are registered when they are imported."""


@dataclass(frozen=True)
class OvLayoutPass(ModulePass):
    """Chooses the axis orders of operations so that Transposes vanish.

    An operation works in the order in which its neighbours produce and consume its values.

    ```mlir
    %a = ov.transpose %x, %first : (tensor<1x8x8x3xf32>, tensor<4xi64>) -> tensor<1x3x8x8xf32>     // before: [0, 3, 1, 2]
    %b = ov.convolution %a, %w : …
    %c = ov.transpose %b, %last : (tensor<1x4x8x8xf32>, tensor<4xi64>) -> tensor<1x8x8x4xf32>      // [0, 2, 3, 1]
    %d = ov.add %c, %bias : (tensor<1x8x8x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
    %e = ov.transpose %d, %first : (tensor<1x8x8x4xf32>, tensor<4xi64>) -> tensor<1x4x8x8xf32>
    %f = ov.convolution %e, %v : …
    ```
    becomes
    ```mlir
    %a = ov.transpose %x, %first : (tensor<1x8x8x3xf32>, tensor<4xi64>) -> tensor<1x3x8x8xf32>
    %b = ov.convolution %a, %w : …
    %d = ov.add %b, %bias : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32>
    %f = ov.convolution %d, %v : …
    ```

    The starting points are operations that need an order (`ChannelsFirst`, `dialects/ov/layouts.py`, which extensions
    declare too); a program without any stays unchanged. From these an order spreads to everything that can follow it:
    attributes and operands that name axes, broadcast constants, shapes, values that loops and branches forward. Each
    operation has that order or keeps its own, whichever lets the remaining Transposes move fewer elements; a minimum cut
    decides for all at once. A remaining Transpose stands behind the operation whose result it transposes, in front of
    loops, or in the only branch that needs it. A Transpose of a constant becomes a constant, and one that moves only
    extents of 1 becomes a Reshape.

    Floats are added in their original order: a reduction over several axes follows only if these stay in their order. A
    matrix product, and a Reshape that merges channels and pixels, keep the original order. (Weights of a matrix product
    could be reordered instead of its operand, but sums of floats would be others.)

    `to="nhwc"` converts a network to channels last. `ov` has no convolution of such tensors: the convolution stands between
    two Transposes, which the pass does not count, and everything around is channels last. Between convolutions the two
    cancel each other, and nothing requires an order there. So the program has the same meaning at every step, no operation
    has a second form that all passes would have to know, and a lowering finds the Transposes that it can absorb (before a
    convolution or behind it) where they stand.
    """

    name = "ov-layout"
    EXACT = True

    to: Literal["nchw", "nhwc"] = "nchw"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        graph = graph_of(op, last=self.to == "nhwc")
        if not graph.fixed_results:
            return
        Homes(graph).find()
        choose(graph)
        before = len(graph.transposes)
        if (Rewriting(graph).run() or before) and are_heard():
            _remark(Remarks(self.name), op, before)


def _remark(remarks: Remarks, module: ModuleOp, before: int) -> None:
    """Report the number of Transposes before and after.

    For each remaining one, also report the operations around it.
    """
    left = [each for each in walk(module) if isinstance(each, TransposeOp)]
    function = next(each for each in walk(module) if isinstance(each, FuncOp))
    text = f"{before} Transposes before, {len(left)} after"
    remarks.passed(function, text, before=before, after=len(left))
    for each in left:
        users = sorted({_told(use.operation) for use in each.output.uses})
        what = f"{_told(owning_operation(each.arg))} gives another order than {', '.join(users)} wants"
        remarks.missed(each, what)


def _told(op: Operation | None) -> str:
    return "an input of the program" if op is None or isinstance(op, FuncOp) else op.name
