"""`linalg-fuse-elementwise`: an elementwise `linalg.generic` is computed where its one consumer reads it.

```mlir
%e = tensor.empty() : tensor<8xf32>
%a = linalg.generic {… "parallel"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) { (%p) exp }
%b = linalg.generic {… "parallel"} ins(%a, %y : …) outs(%e : tensor<8xf32>) { (%q, %r) addf }
```

becomes

```mlir
%e = tensor.empty() : tensor<8xf32>
%b = linalg.generic {… "parallel"} ins(%y, %x : …) outs(%e : tensor<8xf32>) { (%r, %p) exp, addf }
```

and an input that is a `linalg.fill` becomes the scalar. A producer is fused if

- all its loops are parallel, its map for the result is a permutation, and it doesn't read its outputs;
- every use of its results is an input of the same consumer, in the same block, and all read it the same way;
- nothing is computed twice: the consumer (elementwise, or a reduction) reads each element once, or the
  producer only moves elements about (a transposition, a broadcast) or widens integers, less a constant zero
  point, or weights to floats, which is as good to do inside a convolution or a product;
- or the consumer is elementwise, and the producer computes from its indices alone (`counting.py`): a few sums and products of integers,
  or anything if the consumer's outermost loops give the indices, which then compute it no more often;
- it does not make less of a reduction's result (a sum of 32 bits, quantised to 8), unless the consumer is elementwise and reads no other
  such result: behind its reduction it is computed on the accumulator, and the sum is never stored;
- it does not unite two reductions that read a state which the consumer may overwrite: behind them it takes one tensor less;
- every loop of the consumer still has an operand that tells its extent;
- no tensor that it reads may be overwritten in place between the two: reading the old version later would
  cost a copy.

The consumer may also read a producer or a fill through a `tensor.expand_shape` that only adds dimensions of extent 1. If it takes the
producer in, the view goes, too.

A constant of more than 64 elements that holds a sequence of integers, or of floats that are integers, along one axis (`sequences.py`) is
such a producer if it has one consumer, whose inner loops read an element again. With `small` (`-Os`), integers need no such loop.

One addition, comparison or the like of a constant and numbers that two or three elementwise operations read is computed in each.

Between a producer that widens integers and its consumer there may also be a `tensor.expand_shape` (the groups of a
convolution): it is made before the widening instead, and before a `tensor.pad`, which then needs no memory:
`expand_shape(pad(x))` becomes `pad(expand_shape(x))`. The groups of a convolution split its channels, which are not padded. What reads a
padded tensor itself reads around the border and needs no copy of it; behind a view it would be one.

The consumer's outputs stay, so nothing changes for the views of dynamic tensors. Consumers are visited from
last to first and take in everything they can, so each operation of a body moves once: the pass is linear, in
long chains too.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, ModuleOp, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import Rewriter

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.region_flow import owning_block, terminator
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.structured.lib.memrefs import groups_of
from loomir.passes.structured.linalg_fuse_elementwise.consumer import Consumer
from loomir.passes.structured.linalg_fuse_elementwise.copies import CopyForReaders
from loomir.passes.structured.linalg_fuse_elementwise.counting import chains
from loomir.passes.structured.linalg_fuse_elementwise.producers import InPlaceWrites, SplitBeforeWidening
from loomir.passes.structured.linalg_fuse_elementwise.sequences import erase_unused_constants


class SplitBeforePadding(RewritePattern):
    """Rewrites `expand_shape(pad(x))` to `pad(expand_shape(x))`.

    This is done if everything is static, if nothing else reads the padded tensor, and if no padded dimension is split.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ExpandShapeOp, rewriter: PatternRewriter) -> None:
        pad, result = op.src.owner, op.result.type
        assert isinstance(result, TensorType)
        if not isinstance(pad, tensor.PadOp) or not pad.result.has_one_use() or pad.low or pad.high:
            return
        low, high = (list(numbers.get_values()) for numbers in (pad.static_low, pad.static_high))
        source, groups = tensor_type_of(pad.source), groups_of(op.reassociation)
        inside = pad.region.block
        value = terminator(inside).operands[0]
        split = any(len(group) != 1 and (low[dim] or high[dim]) for dim, group in enumerate(groups))
        shape = result.get_shape()
        if split or owning_block(value) is inside or DYNAMIC_INDEX in (*source.get_shape(), *shape):
            return
        extents = [
            extent
            for dim, group in enumerate(groups)
            for extent in ([source.get_shape()[dim]] if len(group) == 1 else [shape[d] for d in group])
        ]
        spread = [
            [number for dim, group in enumerate(groups) for number in [side[dim]] + [0] * (len(group) - 1)]
            for side in (low, high)
        ]
        view = tensor.ExpandShapeOp.build(
            operands=[pad.source, []],
            result_types=[TensorType(source.element_type, extents)],
            properties={**op.properties, "static_output_shape": DenseArrayBase.from_list(i64, extents)},
        )
        block = Block([tensor.YieldOp(value)], arg_types=[IndexType()] * len(shape))
        padded = tensor.PadOp(view.result, [], [], Region(block), spread[0], spread[1], result)
        view.location, padded.location = op.location, pad.location
        rewriter.replace(op, [view, padded])
        rewriter.erase(pad)


ERASED_WHEN_UNUSED = (
    tensor.EmptyOp,
    tensor.ExtractSliceOp,
    tensor.ExpandShapeOp,
    tensor.CollapseShapeOp,
    FillOp,
)


@dataclass(frozen=True)
class LinalgFuseElementwisePass(ModulePass):
    """Fuse elementwise producers into their consumers (see the module's docstring).

    `small` counts the memory of constants more than the time of their elements: integers are computed in innermost loops, too.
    """

    name = "linalg-fuse-elementwise"
    EXACT = True

    small: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, SplitBeforeWidening(), SplitBeforePadding(), CopyForReaders())
        blocks = [block for inner in walk(op) for region in inner.regions for block in region.blocks]
        written: dict[Operation, list[SSAValue]] = {}
        # The inner ones first: what they write to outside themselves is collected on the way out.
        for block in reversed(blocks):
            _fuse_block(block, written, Remarks(self.name), small=self.small)
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                erase_unused_constants(function)


def _fuse_block(
    block: Block, written: dict[Operation, list[SSAValue]], remarks: Remarks, *, small: bool
) -> None:
    """Fuse the operations within a block.

    `written` holds the tensors that inner blocks write to; the tensors that this block writes to are added.
    """
    places = InPlaceWrites(block, written)
    if (owner := block.parent_op()) is not None:
        written.setdefault(owner, []).extend(places.written_outside())
    unused: list[SSAValue] = []
    for op in [*reversed(chains(block)), *reversed(list(block.ops))]:
        # A producer that was taken in has left the block.
        if isinstance(op, GenericOp) and op.parent is block:
            Consumer(op, places, unused, remarks, small=small).run()
    _erase_unused(unused)


def _erase_unused(values: list[SSAValue]) -> None:
    """Erase the destinations and views behind values that nothing uses any more."""
    while values:
        op = values.pop().owner
        if isinstance(op, ERASED_WHEN_UNUSED) and op.parent is not None and not op.results[0].uses:
            values += op.operands
            Rewriter.erase_op(op)
