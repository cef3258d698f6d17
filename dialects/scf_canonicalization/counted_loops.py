"""Rewrites of `scf.for`.

(Constant bounds with zero iterations or one are handled by xDSL's patterns.)
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.region_flow import Carried, owning_block, region_flow
from loomir.dialects.scalars.constants import constant_integer, constant_trips
from loomir.dialects.scf_canonicalization import canonicalizes
from loomir.dialects.scf_canonicalization.branches import is_number
from loomir.dialects.scf_canonicalization.rebuilding import inline_arm


@canonicalizes(scf.ForOp)
class KnownDistance(RewritePattern):
    """Folds loops whose bounds differ by a constant.

    `%a + 1` must be certain not to wrap around (`overflow<nsw>`).

    - At most one step: `for %i = %a to %a + 1 step 2 { A } → A`.
    - No distance or a negative one: `for %i = %a to %a - 1 { A }` runs no iteration, and its results are its initial values.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        distance, step = _distance(op.lb, op.ub), constant_integer(op.step)
        if distance is None:
            return
        if distance <= 0:
            rewriter.replace(op, [], list(region_flow(op).entry.operands))
        elif step is not None and distance <= step:
            inline_arm(op, op.body, (op.lb, *region_flow(op).entry.operands), rewriter)


def _distance(lower: SSAValue, upper: SSAValue) -> int | None:
    """Return the constant distance between two bounds, or None.

    The distance is the constant that is added to one value to get the other. The result is None if there is none or the sum may
    wrap around.
    """
    if lower is upper:
        return 0
    add = upper.owner
    if not isinstance(add, arith.AddiOp) or arith.IntegerOverflowFlag.NSW not in add.overflow_flags.data:
        return None
    if add.lhs is lower:
        return constant_integer(add.rhs)
    return constant_integer(add.lhs) if add.rhs is lower else None


@canonicalizes(scf.ForOp)
class SameFromTheFirstIterationOn(RewritePattern):
    """Replaces a loop result by the outside value that each iteration yields.

    The loop must be certain to run. If it may not run, the rewrite is

    `%r = for %i = %l to %u step 1 iter_args(%v = %x) { A; yield %y } → for %i = %l to %u step 1 { A }; %r = select %l < %u, %y, %x`

    for numbers, if A does not read `%v`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        trips, step = constant_trips(op), constant_integer(op.step)
        runs: SSAValue | None = None
        for carried in region_flow(op).carried:
            following, result = carried.following, carried.result
            if result.first_use is None or owning_block(following) is op.body.block:
                continue
            if trips:
                rewriter.replace_all_uses_with(result, following)
            elif trips is None and step is not None and step > 0 and _only_hands_on(carried):
                if runs is None:
                    asked = arith.CmpiOp(op.lb, op.ub, "slt")
                    asked.location = op.location
                    rewriter.insert(asked, InsertPoint.before(op))
                    runs = asked.result
                select = arith.SelectOp(runs, following, carried.initial)
                select.location = op.location
                rewriter.insert(select, InsertPoint.before(op))
                rewriter.replace_all_uses_with(result, select.result)


def _only_hands_on(carried: Carried) -> bool:
    """Return True if a carried number is not read in the loop.

    Such a number need not be carried if the loop's result is replaced by another value.
    """
    return is_number(carried.result.type) and carried.arguments[0].first_use is None
