"""Rewrites of conversions between sequences and tensors: splitting and concatenation."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.joining import ConcatOp as OvConcatOp
from loomir.dialects.ov.operators.reshape import SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.dialects.ovseq.canonicalization import canonicalizes
from loomir.dialects.ovseq.canonicalization.sequences import elements_of, make_sequence
from loomir.dialects.ovseq.facts import ITEM_LIMIT
from loomir.dialects.ovseq.operators.sequences import AtOp
from loomir.dialects.ovseq.operators.splitting import ConcatOp, SplitOp
from loomir.dialects.tensors import set_type


@canonicalizes(ConcatOp)
class ConcatOfConstruct(RewritePattern):
    """`concat(construct(a, b), axis) → ov.concat(a, b)`; with `new_axis` of the elements unsqueezed."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConcatOp, rewriter: PatternRewriter) -> None:
        elements = elements_of(op.sequence)
        if not elements:
            return
        types = [v.type for v in elements]
        shapes = [t.get_shape() for t in types if isinstance(t, TensorType)]
        if len(shapes) < len(types) or len({len(s) for s in shapes}) > 1:
            return
        axis = op.normalised_axis(len(shapes[0]))
        if not _go_together(shapes, None if op.stacks else axis):
            return
        build = GraphBuilder(InsertPoint.before(op), op.location)
        parts: list[SSAValue] = list(elements)
        if op.stacks:
            parts = [build.make(UnsqueezeOp, v, build.integers([axis])) for v in elements]
        joined = build.make(OvConcatOp, parts, attributes={"axis": axis})
        # Users rely on the type that is there.
        set_type(joined, op.output.type)
        rewriter.replace(op, [], [joined])


def _go_together(shapes: list[tuple[int, ...]], axis: int | None) -> bool:
    """Return True if no extents contradict each other except on the axis.

    A contradiction is an error at run time.
    """
    for d in range(len(shapes[0])):
        known = {s[d] for s in shapes if s[d] != DYNAMIC_INDEX}
        if d != axis and len(known) > 1:
            return False
    return True


@canonicalizes(SplitOp)
class SplitOfKnownSizes(RewritePattern):
    """Rewrites `split(x, [2, 1]) → construct(x[0:2], x[2:3])`.

    It applies if the axis and the sizes are known and the parts are few. Equal parts, one of which is taken at an unknown
    position, remain a split: they are rows of one tensor, which may be x.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SplitOp, rewriter: PatternRewriter) -> None:
        if not isinstance(op.data.type, TensorType):
            return
        shape = op.data.type.get_shape()
        axis = normalise_axis(to_int(op.axis, 0), len(shape))
        sizes = _sizes(op, shape[axis])
        if sizes is None or len(sizes) > ITEM_LIMIT or (len(set(sizes)) == 1 and _taken_at_any_position(op)):
            return
        build = GraphBuilder(InsertPoint.before(op), op.location)
        parts: list[SSAValue] = []
        begin = 0
        for size in sizes:
            bounds = [build.integers([n]) for n in (begin, begin + size, 1, axis)]
            part = build.make(SliceOp, op.data, *bounds)
            parts.append(build.make(SqueezeOp, part, build.integers([axis])) if op.removes_axis else part)
            begin += size
        rewriter.replace(op, make_sequence(parts, op.output))


def _taken_at_any_position(op: SplitOp) -> bool:
    """Return True if a user takes a part at a non-constant position."""
    users = [use.operation for use in op.output.uses]
    return any(isinstance(user, AtOp) and constant_of(user.position) is None for user in users)


def _sizes(op: SplitOp, extent: int) -> list[int] | None:
    """Return the extent of each part, or None.

    The result is None unless all extents are known and add up to the axis.
    """
    if extent == DYNAMIC_INDEX:
        return None
    split = np.array(1) if op.split is None else constant_of(op.split)
    if split is None:
        return None
    if split.ndim == 1:
        sizes = [int(n) for n in split]
        return sizes if all(n >= 0 for n in sizes) and sum(sizes) == extent else None
    size = int(split)
    if size < 1 or extent > size * ITEM_LIMIT:
        return None
    return [min(size, extent - at) for at in range(0, extent, size)]
