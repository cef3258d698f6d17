"""The pass `ov-layout`: the order of axes in which values lie, channels first or last, so that Transposes vanish.

| file | what it is |
|---|---|
| `orders.py` | permutations |
| `rules.py`, `ranks.py`, `reshaping.py`, `parameters.py` | what operations ask of operands, and how they change, in another order |
| `handed_on.py` | the same for values that loops and branches hand on |
| `graph.py` | the program without its Transposes: nodes, and which value is used where in which order |
| `homes.py` | the order of each node that suits the operations which need one |
| `choosing.py`, `minimum_cut.py` | which nodes have that order: a minimum cut |
| `edits.py`, `rewriting.py` | the program changed |
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
    """Let operations work in the order of axes in which their neighbours give and want their values, so that Transposes vanish.

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

    What counts are operations that need an order (`ChannelsFirst`, `dialects/ov/layouts.py`, which extensions declare too); a program
    without any stays as it is. From these an order spreads to all that can follow it: attributes and operands that name axes, broadcast
    constants, shapes, values that loops and branches hand on. Each operation has that order or keeps its own, whichever lets the
    Transposes that are left move fewer elements; a minimum cut decides for all at once. A Transpose that is left stands behind what it
    transposes, in front of loops, or in the branch that alone needs it; one of a constant is a constant; one that moves
    extents of 1 is a Reshape.

    Floats are added in the order in which they were: a reduction over several axes follows only where these stay in their
    order; a matrix product, and a Reshape that joins channels and pixels, see the order of before. (Weights of a matrix product could be
    put into another order instead of its operand, but sums of floats would be others.)

    `to="nhwc"` makes a network channels last. There is no convolution of such tensors in `ov`: it stands between two Transposes, which the
    pass does not count, and everything around lies channels last. Between convolutions the two cancel each other, and nothing says an
    order there. So the program means the same at every step, no operation has a second form that all passes would have to know, and a
    lowering finds what it can take in (a Transpose before a convolution or behind it) where it stands.
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
    """How many Transposes there were and are, and what those that are left stand between."""
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
