"""Concatenated outputs of `ov.loop` of which only the last part is read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of, is_static
from loomir.dialects.ov.canonicalization.loops import with_last
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder, RewriteBuilder
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.slicing import SliceOp, slice_positions
from loomir.dialects.ov.shape_rules import normalise_axis

Emit = Callable[[SSAValue, GraphBuilder], SSAValue]


@canonicalizes(LoopOp)
class LastPartOfAConcat(RewritePattern):
    """Replaces a concatenated output by a last value.

    Applies if all users gather or slice only elements of the part of the last iteration; then nothing is concatenated.

    ```mlir
    %r, %all = ov.loop … { … ov.next carried(%w) concat(%q : tensor<1x4xf32>) }      // before
    %s = ov.gather %all, %ninety_nine, %axis                                         // of tensor<100x4xf32>

    %r, %q = ov.loop … { … ov.next carried(%w) last(%q : tensor<1x4xf32>) }          // after
    %s = ov.gather %q, %zero, %axis
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        for index, result in enumerate(op.concat):
            readers = [use.operation for use in result.uses]
            moved = [_of_last_part(op, index, reader) for reader in readers]
            if not readers or any(m is None for m in moved):
                continue
            loop = with_last(op, [op.next.concat[index]], rewriter)
            for reader, emit in zip(readers, moved):
                assert emit is not None
                value = emit(loop.last[-1], RewriteBuilder.before(reader, rewriter))
                rewriter.replace(reader, [], [value])
            return


def _of_last_part(op: LoopOp, index: int, reader: Operation) -> Emit | None:
    """Return what emits the result of a reader, of the last part.

    None if it reads anything else. A static extent other than 0 implies that there was an iteration.
    """
    result, part, join = op.concat[index], op.next.concat[index], op.concatenations[index]
    if not (is_static(result) and is_static(part)):
        return None
    shape, own = tensor_type_of(result).get_shape(), tensor_type_of(part).get_shape()
    along = join.normalised_axis(len(shape))
    extent, size = shape[along], own[along]
    if not 0 < size <= extent:
        return None
    begin = extent - size if join.stride > 0 else 0
    if isinstance(reader, GatherOp) and reader.data is result:
        return _gathered(reader, along, extent, range(begin, begin + size))
    if isinstance(reader, SliceOp) and reader.data is result:
        return _sliced(reader, along, extent, range(begin, begin + size))
    return None


def _gathered(reader: GatherOp, along: int, extent: int, part: range) -> Emit | None:
    axis, indices = constant_of(reader.axis), constant_of(reader.indices)
    if axis is None or indices is None or to_int(reader.batch_dims, 0):
        return None
    if normalise_axis(int(axis.reshape(())), tensor_type_of(reader.data).get_num_dims()) != along:
        return None
    moved = np.where(indices < 0, indices + extent, indices) - part.start
    if not bool(((moved >= 0) & (moved < len(part))).all()):
        return None
    places = moved.astype(indices.dtype)

    def emit(value: SSAValue, build: GraphBuilder) -> SSAValue:
        return build.emit(reader.clone({reader.data: value, reader.indices: build.constant(places)})).output

    return emit


def _sliced(reader: SliceOp, along: int, extent: int, part: range) -> Emit | None:
    cuts = reader.cuts([fact_of(operand) for operand in reader.operands])
    if cuts is None or any(cut.positions is not None for cut in cuts if cut.axis != along):
        return None
    positions = cuts[along].positions
    if positions is None or any(low != high for low, high in positions):
        return None
    start, stop, step = (low for low, _ in positions)
    first, count = slice_positions(start, stop, step, extent)
    if step < 1 or not count or first not in part or first + step * (count - 1) not in part:
        return None
    begin = first - part.start
    bounds = begin, begin + step * (count - 1) + 1, step, along

    def emit(value: SSAValue, build: GraphBuilder) -> SSAValue:
        return build.make(SliceOp, value, *(build.integers([number]) for number in bounds))

    return emit
