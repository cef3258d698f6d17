"""Carried values of `ov.loop` that its conditions decide."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.conditions import parts_of
from loomir.dialects.control_flow.rewriting import negation_of
from loomir.dialects.element_types import same_contents
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
        first = {} if op.cond is None else _decided(op.cond)
        later = _decided(again)
        for carried in region_flow(op).carried:
            argument = carried.arguments[0]
            if argument.first_use is None:
                continue
            known, begin = _known(carried.following, later), _known(carried.initial, first)
            if known is None or begin is None or not same_contents(known, begin):
                continue
            constant = ConstantOp.of(known)
            if constant.output.type == argument.type:
                constant.location = op.location
                rewriter.insert(constant, InsertPoint.before(op))
                rewriter.replace_all_uses_with(argument, constant.output)
                rewriter.notify_op_modified(op)


def _decided(condition: SSAValue) -> dict[SSAValue, np.ndarray]:
    """Return the scalars that values are where a condition holds."""
    found: dict[SSAValue, np.ndarray] = {}
    for value, truth in parts_of(condition, True):
        found[value] = np.array(truth)
        if isinstance(op := value.owner, EqualOp if truth else NotEqualOp):
            for one, other in (tuple(op.operands), tuple(reversed(op.operands))):
                if (number := _integer(other)) is not None and one.type == other.type:
                    found.setdefault(one, number)
    return found


def _integer(value: SSAValue) -> np.ndarray | None:
    """Return the integer that a constant scalar is, or None.

    Floats that are equal may be zeros of another sign.
    """
    number = constant_of(value)
    return number if number is not None and number.shape == () and number.dtype.kind in "iub" else None


def _known(value: SSAValue, decided: Mapping[SSAValue, np.ndarray]) -> np.ndarray | None:
    """Return the contents of a value that is a constant, or decided."""
    if (number := decided.get(value)) is not None:
        return number
    opposite = negation_of(value)
    if opposite is not None and (truth := decided.get(opposite)) is not None:
        return np.array(not truth)
    return constant_of(value)
