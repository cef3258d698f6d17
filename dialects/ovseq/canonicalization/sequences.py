"""Rewrites of sequences with known elements and optionals of known presence.

Each element of such a sequence is known individually; such an optional is known to have a value or to have none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.ov.base import set_result_types
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.parameters import from_front
from loomir.dialects.ovseq.canonicalization import canonicalizes
from loomir.dialects.ovseq.facts import ITEM_LIMIT
from loomir.dialects.ovseq.operators.optionals import GetOp, HasOp, NoneOp, SomeOp
from loomir.dialects.ovseq.operators.sequences import AtOp, ConstructOp, EmptyOp, EraseOp, InsertOp, LengthOp
from loomir.dialects.ovseq.types import SequenceType


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
