"""Carried values of `ov.loop` that its conditions decide."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.conditions import parts_of
from loomir.dialects.control_flow.rewriting import negation_of
from loomir.dialects.element_types import dtype_of, tensor_type_of
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.operators.comparison import EqualOp, NotEqualOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.region_flow import region_flow


@canonicalizes(LoopOp)
class ValuesOfTheConditions(RewritePattern):
    """Replaces carried values in the body that the conditions decide.

    An iteration runs only if the condition before it was true. So its parts are known in the body, and an integer that is equal to a
    constant. The initial value may also be that constant itself.

    ```mlir
    %go = ov.equal %k0, %c42                                    // before
    %r = ov.loop while(%go) carried(%k0) {
    ^bb0(%i: tensor<i64>, %k: tensor<i32>):
      %k1 = ov.multiply %k, %step
      %again = ov.equal %k1, %c42
      ov.next while(%again) carried(%k1)
    }

    %r = ov.loop while(%go) carried(%k0) {                      // after
    ^bb0(%i: tensor<i64>, %k: tensor<i32>):
      %k1 = ov.multiply %c42, %step
      …
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        again = op.next.cond
        if again is None or not op.carried:
            return
        first = {} if op.cond is None else dict(parts_of(op.cond, True))
        later = dict(parts_of(again, True))
        for carried in region_flow(op).carried:
            argument = carried.arguments[0]
            if argument.first_use is None:
                continue
            known = _implied(carried.following, later)
            begin = constant_of(carried.initial)
            if begin is None:
                begin = _implied(carried.initial, first)
            if known is None or begin is None or known.dtype != begin.dtype or known != begin:
                continue
            constant = ConstantOp.of(known)
            if constant.output.type == argument.type:
                constant.location = op.location
                rewriter.insert(constant, InsertPoint.before(op))
                rewriter.replace_all_uses_with(argument, constant.output)
                rewriter.notify_op_modified(op)


def _implied(value: SSAValue, holds: Mapping[SSAValue, bool]) -> np.ndarray | None:
    """Return the scalar that a value is, if these conditions are known."""
    if (truth := holds.get(value)) is not None:
        return np.array(truth)
    opposite = negation_of(value)
    if opposite is not None and (truth := holds.get(opposite)) is not None:
        return np.array(not truth)
    for use in value.uses:
        number = _compared_with(value, use.operation)
        if number is not None and holds.get(use.operation.results[0]) is isinstance(use.operation, EqualOp):
            return number
    return None


def _compared_with(value: SSAValue, op: Operation) -> np.ndarray | None:
    """Return the integer that an operation compares a scalar with, or None."""
    if not isinstance(op, EqualOp | NotEqualOp):
        return None
    other = op.operands[1] if op.operands[0] is value else op.operands[0]
    number = constant_of(other)
    if number is None or number.shape != () or other.type != value.type:
        return None
    return number if dtype_of(tensor_type_of(value).element_type).kind in "iub" else None
