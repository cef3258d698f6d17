"""Rewrites of one `scf.if`."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, BoolAttr, IndexType, IntegerType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i1
from loomir.dialects.region_flow import owning_block, terminator
from loomir.dialects.scalars.constants import constant_integer
from loomir.dialects.scf_canonicalization import canonicalizes
from loomir.dialects.scf_canonicalization.rebuilding import rebuilt


def negated(condition: SSAValue) -> SSAValue | None:
    """Return `%c` if the condition is its negation, `arith.xori %c, true`.

    The result is None if the condition is no negation.
    """
    xor = condition.owner
    if isinstance(xor, arith.XOrIOp) and xor.result.type == i1:
        for value, other in ((xor.lhs, xor.rhs), (xor.rhs, xor.lhs)):
            if constant_integer(other):
                return value
    return None


def boolean(value: bool, at: Operation, rewriter: PatternRewriter) -> SSAValue:
    """A constant in front of an operation."""
    constant = arith.ConstantOp(BoolAttr.from_bool(value))
    constant.location = at.location
    rewriter.insert(constant, InsertPoint.before(at))
    return constant.result


def _values(region: Region) -> list[SSAValue]:
    return list(terminator(region.block).operands) if region.blocks else []


def is_number(type_: Attribute) -> bool:
    """Return True for a number type.

    Its values can be operands of a select.
    """
    return isinstance(type_, IntegerType | IndexType | AnyFloat)


@canonicalizes(scf.IfOp)
class ConditionAsResult(RewritePattern):
    """Rewrites `if c { yield true } else { yield false } → c`.

    With the constants swapped the result is `not c`. Where an arm yields the condition itself, the condition is replaced by its
    known value in that arm.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        for region, value in ((op.true_region, True), (op.false_region, False)):
            if op.cond in _values(region):
                end = terminator(region.block)
                known = boolean(value, op, rewriter)
                end.operands = [known if operand is op.cond else operand for operand in end.operands]
                rewriter.notify_op_modified(end)
        for result, a, b in zip(op.output, _values(op.true_region), _values(op.false_region)):
            if result.first_use is None or result.type != i1:
                continue
            if_true, if_false = constant_integer(a), constant_integer(b)
            if if_true is None or if_false is None or bool(if_true) == bool(if_false):
                continue
            if if_true:
                rewriter.replace_all_uses_with(result, op.cond)
            else:
                negation = arith.XOrIOp(op.cond, boolean(True, op, rewriter))
                negation.location = op.location
                rewriter.insert(negation, InsertPoint.before(op))
                rewriter.replace_all_uses_with(result, negation.result)


@canonicalizes(scf.IfOp)
class SelectOfOutsideValues(RewritePattern):
    """`%r = if c { A; yield %x } else { B; yield %y } → %r = select c, %x, %y; if c { A } else { B }`, of numbers from outside."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        arms = op.true_region.block, op.false_region.block if op.false_region.blocks else None
        for result, *values in zip(op.output, _values(op.true_region), _values(op.false_region)):
            if result.first_use is None or not is_number(result.type):
                continue
            if any(owning_block(v) is arm for v, arm in zip(values, arms)):
                continue
            select = arith.SelectOp(op.cond, *values)
            select.location = op.location
            rewriter.insert(select, InsertPoint.before(op))
            rewriter.replace_all_uses_with(result, select.result)


@canonicalizes(scf.IfOp)
class NegatedCondition(RewritePattern):
    """`if not c { A } else { B } → if c { B } else { A }`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        condition = negated(op.cond)
        if condition is None or not op.false_region.blocks:
            return
        types = [result.type for result in op.output]
        arms = [rewriter.move_region_contents_to_new_regions(r) for r in (op.false_region, op.true_region)]
        rewriter.replace(op, rebuilt(op, [condition], types, arms))


@canonicalizes(scf.IfOp)
class EmptyArm(RewritePattern):
    """`if c { A } else { } → if c { A }`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        if (
            op.output
            or not op.false_region.blocks
            or op.false_region.block.first_op is not op.false_region.block.last_op
        ):
            return
        moved = rewriter.move_region_contents_to_new_regions(op.true_region)
        rewriter.replace(op, rebuilt(op, [op.cond], [], [moved, Region()]))
