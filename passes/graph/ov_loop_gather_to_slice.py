"""`ov-loop-gather-to-slice`: turns gathers at the iteration number into sliced inputs."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.ov.attributes import Slicing, to_int
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import RewriteBuilder, static_extents
from loomir.dialects.ov.integer_forms import IntegerForms, integer_type
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.region_flow import comes_from_outside
from loomir.dialects.scalars.intervals import contains
from loomir.dialects.scalars.row import type_range
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.graph.lib.loop_rewriting import ExtraSlice, reshaped, with_slices


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

    The index is one element of any rank: the iteration number, or an integer that grows or falls by 1 with it, from a
    constant (`i + 2`, `7 - i`). The trip count and the extent must be static, and all indices in range and not negative: then
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
        forms = IntegerForms(op, fact_of)
        found = [
            (gather, cut)
            for gather in op.body.block.ops
            if isinstance(gather, GatherOp) and (cut := cut_of_gather(gather, forms, trips)) is not None
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


def cut_of_gather(gather: GatherOp, forms: IntegerForms, trips: int) -> Slicing | None:
    """Return the slicing that replaces a gather.

    The loop has `trips` iterations. None if the gather traverses its data in another way.
    """
    axis, place = constant_of(gather.axis), forms.of(gather.indices)
    shape = static_extents(gather.data)
    if axis is None or place is None or shape is None:
        return None
    if static_extents(gather.output) is None or to_int(gather.batch_dims, 0) != 0:
        return None
    if not comes_from_outside(gather.data, forms.loop):
        return None
    along, step = int(axis.reshape(())) % len(shape), place.coefficient(forms.loop.iteration)
    first = place.without(forms.loop.iteration).number
    if first is None or step not in (1, -1):
        return None
    last = first + step * (trips - 1)
    ends, element = (min(first, last), max(first, last)), integer_type(gather.indices, fact_of)
    if (
        element is None
        or not contains((0, shape[along] - 1), ends)
        or not contains(type_range(element), ends)
    ):
        return None
    if step > 0:
        return Slicing(along, first, last + 1)
    return Slicing(along, first + 1, last, -1)


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
            ExtraSlice(value, cut, TensorType(type_.element_type, cut.part_shape(type_.get_shape())))
        )
    cutting, arguments = with_slices(loop, parts)
    for gather, cut in found:
        build = RewriteBuilder.before(gather, rewriter)
        shape = tensor_type_of(gather.output).get_shape()
        row = reshaped(arguments[places[gather.data, cut]], shape, build)
        rewriter.replace(gather, [], [row])
    return cutting
