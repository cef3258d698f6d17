"""`ov-loop-gather-to-slice`: turns gathers at the iteration number into sliced inputs."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.ov.attributes import Slicing, to_int
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.graph_builder import RewriteBuilder, static_extents
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, SubtractOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.region_flow import comes_from_outside
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.graph.lib.loop_rewriting import ExtraSlice, part_shape, reshaped, with_slices


@dataclass(frozen=True)
class OvLoopGatherToSlicePass(ModulePass):
    """Slices inputs that a loop gathers one element per iteration.

    The elements are gathered in the order of the iterations or backwards.

    ```mlir
    %r = ov.loop trip(%eight) carried(%a) {                     // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %row = ov.gather %x, %i, %zero : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
      %w = ov.add %v, %row
      ov.next carried(%w)
    }

    %r = ov.loop trip(%eight) carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, end = 8>]} {      // after
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %part: tensor<1x4xf32>):
      %row = ov.reshape %part, %four
      %w = ov.add %v, %row
      ov.next carried(%w)
    }
    ```

    The index is the iteration number, the sum of it and a constant (`i + 2`), or a constant minus it (`7 - i`), as one
    element of any rank. The trip count and the extent must be static, and all indices in range and not negative: then
    nothing is left to be checked. A condition may still end the loop.
    """

    name = "ov-loop-gather-to-slice"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, SliceGathered(Remarks(self.name)), once=True)


@dataclass(frozen=True)
class SliceGathered(RewritePattern):
    """Slice what a loop gathers one element per iteration (see the pass)."""

    remarks: Remarks

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        trips = static_trips(op)
        if not trips or op.iteration.first_use is None:
            why = "its iteration number is not used" if trips else "its trip count is 0 or not known"
            self.remarks.missed(op, why)
            return
        found = [
            (gather, cut)
            for gather in op.body.block.ops
            if isinstance(gather, GatherOp) and (cut := _cut_of(gather, op, trips)) is not None
        ]
        if found:
            cutting = _cut(op, found, rewriter)
            self.remarks.passed(
                cutting, f"{len(found)} inputs are sliced instead of gathered from", inputs=len(found)
            )
        else:
            self.remarks.missed(
                op, "it gathers from no input in the order of its iterations, surely in range"
            )


def _cut_of(gather: GatherOp, loop: LoopOp, trips: int) -> Slicing | None:
    """Return the slicing that replaces a gather.

    The loop has `trips` iterations. None if the gather traverses its data in another way.
    """
    axis, place = constant_of(gather.axis), _place_of(gather.indices, loop)
    shape, indices = static_extents(gather.data), static_extents(gather.indices)
    if axis is None or place is None or shape is None or indices is None:
        return None
    if static_extents(gather.output) is None or to_int(gather.batch_dims, 0) != 0:
        return None
    if not comes_from_outside(gather.data, loop):
        return None
    along, (first, step) = int(axis.reshape(())) % len(shape), place
    last = first + step * (trips - 1)
    if min(first, last) < 0 or max(first, last) >= shape[along]:
        return None
    if step > 0:
        return Slicing(along, first, last + 1)
    return Slicing(along, first + 1, last, -1)


def _place_of(index: SSAValue, loop: LoopOp) -> tuple[int, int] | None:
    """Return the first index and the step to the next one.

    The step is 1 or -1. The index is one element.
    """
    while isinstance(index, OpResult) and isinstance(index.op, ReshapeOp | SqueezeOp | UnsqueezeOp):
        if static_extents(index) is None:
            return None
        index = index.op.operands[0]
    if index is loop.iteration:
        return 0, 1
    if not isinstance(index, OpResult) or not isinstance(index.op, AddOp | SubtractOp):
        return None
    left, right = index.op.operands
    if isinstance(index.op, AddOp) and left is not loop.iteration:
        left, right = right, left
    if left is loop.iteration and (number := _number(right)) is not None:
        return (number, 1) if isinstance(index.op, AddOp) else (-number, 1)
    if right is loop.iteration and isinstance(index.op, SubtractOp) and (number := _number(left)) is not None:
        return number, -1
    return None


def _number(value: SSAValue) -> int | None:
    constant = constant_of(value)
    return None if constant is None or constant.size != 1 else int(constant.reshape(()))


def _cut(loop: LoopOp, found: list[tuple[GatherOp, Slicing]], rewriter: PatternRewriter) -> LoopOp:
    """Replace the loop by one that slices the gathered inputs.

    Gathers of the same input with the same slicing share one slice.
    """
    places: dict[tuple[SSAValue, Slicing], int] = {}
    for gather, cut in found:
        places.setdefault((gather.data, cut), len(places))
    parts: list[ExtraSlice] = []
    for value, cut in places:
        type_ = tensor_type_of(value)
        parts.append(
            ExtraSlice(value, cut, TensorType(type_.element_type, part_shape(type_.get_shape(), cut)))
        )
    cutting, arguments = with_slices(loop, parts)
    for gather, cut in found:
        build = RewriteBuilder.before(gather, rewriter)
        shape = tensor_type_of(gather.output).get_shape()
        row = reshaped(arguments[places[gather.data, cut]], shape, build)
        rewriter.replace(gather, [], [row])
    return cutting
