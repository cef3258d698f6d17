"""Rewrites of sequences, of optionals, and of their conversions to tensors.

They are for sequences with known elements and optionals of known presence: each element of such a sequence is known
individually; such an optional is known to have a value or to have none. Conversions between sequences and tensors are
splitting and concatenation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64, set_type
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.base import set_result_types
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import GraphBuilder, RewriteBuilder
from loomir.dialects.ov.inference import from_front
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp as OvConcatOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.dialects.ovseq import canonicalizes
from loomir.dialects.ovseq.sequences import (
    AtOp,
    ConstructOp,
    EmptyOp,
    EraseOp,
    GetOp,
    HasOp,
    InsertOp,
    LengthOp,
    NoneOp,
    SomeOp,
)
from loomir.dialects.ovseq.splitting import ConcatOp, SplitOp
from loomir.dialects.ovseq.types import ITEM_LIMIT, SequenceType


def elements_of(value: SSAValue) -> list[SSAValue] | None:
    """The elements of a sequence that `ovseq.construct` or `ovseq.empty` makes."""
    op = value.owner
    if isinstance(op, EmptyOp):
        return []
    return list(op.inputs) if isinstance(op, ConstructOp) else None


def make_sequence(elements: Sequence[SSAValue], like: SSAValue) -> Operation:
    """Create the operation that builds a sequence of the elements.

    Its result replaces the value `like`, whose type and location it takes.
    """
    assert isinstance(like.type, SequenceType)
    made: EmptyOp | ConstructOp
    if elements:
        made = ConstructOp.make(elements)
    else:
        made = EmptyOp.make(attributes={"element_type": like.type.element_type})
    # Users rely on the type that is there: it may be less precise.
    set_result_types(made, [like.type])
    if isinstance(like.owner, Operation):
        made.location = like.owner.location
    return made


def position(value: SSAValue | None, count: int, end: int) -> int | None:
    """Return a constant position counted from the front, if in range.

    If the position is omitted, return `end - 1`; otherwise return None.
    """
    if value is None:
        return end - 1 if end else None
    array = constant_of(value)
    if array is None or array.size != 1:
        return None
    return from_front(int(array.reshape(())), count, end)


@canonicalizes(AtOp)
class AtOfConstruct(RewritePattern):
    """`at(construct(a, b), 1) → b`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AtOp, rewriter: PatternRewriter) -> None:
        elements = elements_of(op.sequence)
        if elements is None:
            return
        at = position(op.position, len(elements), len(elements))
        if at is not None and elements[at].type == op.output.type:
            rewriter.replace(op, [], [elements[at]])


@canonicalizes(AtOp)
class AtOfInsert(RewritePattern):
    """`at(insert(s, x), -1) → x`, `at(insert(s, x, 0), 0) → x`: these places are there whatever the length of s."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AtOp, rewriter: PatternRewriter) -> None:
        insert = op.sequence.owner
        if not isinstance(insert, InsertOp) or insert.tensor.type != op.output.type:
            return
        read = constant_of(op.position)
        put = None if insert.position is None else constant_of(insert.position)
        if read is None or read.size != 1:
            return
        last = insert.position is None and int(read.reshape(())) == -1
        first = put is not None and put.size == 1 and int(put.reshape(())) == int(read.reshape(())) == 0
        if last or first:
            rewriter.replace(op, [], [insert.tensor])


@canonicalizes(LengthOp)
class LengthOfConstruct(RewritePattern):
    """`length(construct(a, b)) → 2`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LengthOp, rewriter: PatternRewriter) -> None:
        elements = elements_of(op.sequence)
        if elements is not None:
            _replace_by_constant(op, np.array(len(elements), np.int64), rewriter)


@canonicalizes(InsertOp)
class InsertIntoConstruct(RewritePattern):
    """`insert(construct(a, b), x, 1) → construct(a, x, b)`, for sequences of few elements."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: InsertOp, rewriter: PatternRewriter) -> None:
        elements = elements_of(op.sequence)
        if elements is None or len(elements) >= ITEM_LIMIT:
            return
        at = position(op.position, len(elements), len(elements) + 1)
        if at is not None:
            rewriter.replace(op, make_sequence([*elements[:at], op.tensor, *elements[at:]], op.output))


@canonicalizes(EraseOp)
class EraseOfConstruct(RewritePattern):
    """`erase(construct(a, b), 0) → construct(b)`, for sequences of few elements."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: EraseOp, rewriter: PatternRewriter) -> None:
        elements = elements_of(op.sequence)
        if elements is None or len(elements) > ITEM_LIMIT:
            return
        at = position(op.position, len(elements), len(elements))
        if at is not None:
            rewriter.replace(op, make_sequence([*elements[:at], *elements[at + 1 :]], op.output))


@canonicalizes(HasOp)
class HasOfKnown(RewritePattern):
    """`has(some(x)) → true`, `has(none) → false`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: HasOp, rewriter: PatternRewriter) -> None:
        if isinstance(op.optional.owner, SomeOp | NoneOp):
            _replace_by_constant(op, np.array(isinstance(op.optional.owner, SomeOp)), rewriter)


@canonicalizes(GetOp)
class GetOfSome(RewritePattern):
    """`get(some(x)) → x`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GetOp, rewriter: PatternRewriter) -> None:
        some = op.optional.owner
        if isinstance(some, SomeOp) and some.value.type == op.output.type:
            rewriter.replace(op, [], [some.value])


def _replace_by_constant(op: Operation, array: np.ndarray, rewriter: PatternRewriter) -> None:
    constant = ConstantOp.of(array)
    constant.location = op.location
    rewriter.replace(op, constant)


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


@canonicalizes(AtOp)
class AtOfEqualParts(RewritePattern):
    """`at(split(x), k) → gather(x, k)`: equal parts are rows of one tensor.

    Parts of more than one element are rows of x with an axis of them.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AtOp, rewriter: PatternRewriter) -> None:
        split = op.sequence.owner
        if not isinstance(split, SplitOp) or constant_of(op.position) is not None:
            return
        data, number = split.data, op.position
        if not isinstance(data.type, TensorType) or not isinstance(number.type, TensorType):
            return
        shape = list(data.type.get_shape())
        axis, size = normalise_axis(to_int(split.axis, 0), len(shape)), _equal_size(split, shape)
        if size is None:
            return
        build = RewriteBuilder.before(op, rewriter)
        if size > 1:
            shape[axis : axis + 1] = [shape[axis] // size, size]
            data = build.make(ReshapeOp, data, build.integers(shape))
        rank = [1] if size == 1 and not split.removes_axis else []
        if list(number.type.get_shape()) != rank:
            number = build.make(ReshapeOp, number, build.integers(rank))
        part = build.make(
            GatherOp, data, number, build.scalar(axis, i64), attributes={"out_of_range": "error"}
        )
        # Users rely on the type that is there.
        set_type(part, op.output.type)
        rewriter.replace(op, [], [part])


def _equal_size(op: SplitOp, shape: Sequence[int]) -> int | None:
    """Return the extent of all parts of a split, or None."""
    if op.split is None:
        return 1
    extent = shape[normalise_axis(to_int(op.axis, 0), len(shape))]
    size = constant_of(op.split)
    if size is None or size.ndim or int(size) < 1 or (int(size) > 1 and DYNAMIC_INDEX in shape):
        return None
    return None if int(size) > 1 and extent % int(size) else int(size)


@canonicalizes(ConcatOp)
class ConcatOfSplit(RewritePattern):
    """`concat(split(x)) → x`, along the same axis, which has an element."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConcatOp, rewriter: PatternRewriter) -> None:
        split = op.sequence.owner
        if not isinstance(split, SplitOp) or split.data.type != op.output.type:
            return
        if op.stacks != split.removes_axis or not isinstance(split.data.type, TensorType):
            return
        shape = split.data.type.get_shape()
        axis = normalise_axis(to_int(split.axis, 0), len(shape))
        if normalise_axis(to_int(op.axis, 0), len(shape)) != axis:
            return
        if shape[axis] > 0 and (split.split is None or _sizes(split, shape[axis])):
            rewriter.replace(op, [], [split.data])
