"""Conjunctions, disjunctions and selections of booleans that say the same with less."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of, is_static
from loomir.dialects.ov.operators.comparison import LogicalAndOp, LogicalNotOp, LogicalOrOp, SelectOp


@canonicalizes(LogicalAndOp, LogicalOrOp)
class DecidedOrNeutral(RewritePattern):
    """`c and true`, `c or false`, `c and c`, `c or c` → c; `c and false` → false, `c or true` → true.

    Where what stays has the type of the result, with no extent open: the operands broadcast.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LogicalAndOp | LogicalOrOp, rewriter: PatternRewriter) -> None:
        neutral = isinstance(op, LogicalAndOp)
        for kept, other in (op.operands, reversed(op.operands)):
            if kept.type != op.output.type or not is_static(kept):
                continue
            if kept is other or _is_all(other, neutral) or _is_all(kept, not neutral):
                rewriter.replace(op, [], [kept])
                return


@canonicalizes(SelectOp)
class SelectionOfBooleans(RewritePattern):
    """`select(c, d, false) → c and d`, `select(c, true, d) → c or d`, `select(c, true, false) → c`, `select(c, false, true) → not c`.

    Where condition, choices and result have one type, with no extent open.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter) -> None:
        condition, then, otherwise = op.operands
        if not is_static(condition) or any(v.type != condition.type for v in (then, otherwise, op.output)):
            return
        if _is_all(then, False) and _is_all(otherwise, True):
            new = LogicalNotOp.build(operands=[condition], result_types=[condition.type])
        elif _is_all(otherwise, False):
            new = LogicalAndOp.make(condition, then)
        elif _is_all(then, True):
            new = LogicalOrOp.make(condition, otherwise)
        else:
            return
        new.location = op.location
        rewriter.replace(op, new)


@canonicalizes(SelectOp)
class SameChoices(RewritePattern):
    """`select(c, x, x) → x`, if x has the result's type and static shape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter) -> None:
        if op.then is op.else_value and op.then.type == op.output.type and is_static(op.then):
            rewriter.replace(op, [], [op.then])


def _is_all(value: SSAValue, wanted: bool) -> bool:
    """Return True if every element of a boolean constant equals `wanted`."""
    array = constant_of(value)
    return (
        array is not None and array.dtype == np.bool_ and bool(array.size) and bool((array == wanted).all())
    )
