"""Rewrites of `scf.if`, alone, consecutive or nested.

Common first operations of both arms move before the `scf.if`, a common last operation behind it.
`loomir.dialects.common_operations` defines which operations may move, for `ov.if` as for `scf.if`.

A condition is decided by the branches around it if the same condition, its negation, a conjunction or disjunction that contains
it, or a comparison that implies the result is known from an enclosing branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import AnyFloat, BoolAttr, IndexType, IntegerType, TensorType
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.common_operations import common_first, common_last, move_behind
from loomir.dialects.element_types import i1
from loomir.dialects.profile import drop, swap_arms
from loomir.dialects.region_flow import enclosing, owning_block, terminator
from loomir.dialects.scalars import EXCHANGED, OPPOSITE, integer_predicate_of
from loomir.dialects.scalars.intervals import Interval
from loomir.dialects.scalars.row import constant_integer, constant_range, type_range
from loomir.dialects.scf_canonicalization import canonicalizes, inline_arm, rebuilt


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
        swapped = rebuilt(op, [condition], types, arms)
        swap_arms(swapped)
        rewriter.replace(op, swapped)


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


_MOST_PARTS = 32
"""Maximum number of parts of conditions to visit.

It applies to one condition and to all conditions around it. Parts beyond it count as unknown.
"""

_ORDERS = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
"""Possible orders of two numbers for each relation."""


@canonicalizes(scf.IfOp)
class ConditionOfABranchAround(RewritePattern):
    """`if c { … if c { A } else { B } … } → if c { … A … }`; in the other arm it is B.

    So it is where one negates the other, where one is a part of the other (`if c and d { if c … }`), and where one comparison of integers
    decides the other: `if x < 3 { if x < 5 { A } else { B } } → if x < 3 { A }`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        known = enclosing_conditions(op).of(op.cond)
        if known is None:
            return
        region = op.true_region if known else op.false_region
        if region.blocks:
            inline_arm(op, region, (), rewriter)
        else:
            rewriter.erase(op)


def enclosing_conditions(op: Operation) -> KnownConditions:
    """Return the conditions known at an operation from its enclosing branches."""
    holds: dict[SSAValue, bool] = {}
    left = _MOST_PARTS
    for around, region in enclosing(op):
        if isinstance(around, scf.IfOp):
            for value, truth in _parts(around.cond, region is around.true_region):
                holds.setdefault(value, truth)
                left -= 1
        if left <= 0:
            break
    return KnownConditions(holds)


def _parts(condition: SSAValue, truth: bool) -> Iterator[tuple[SSAValue, bool]]:
    """Yield a known condition and its parts with their implied truth values."""
    work = [(condition, truth)]
    for _ in range(_MOST_PARTS):
        if not work:
            return
        value, truth = work.pop()
        yield value, truth
        made = value.owner
        if (opposite := negated(value)) is not None:
            work.append((opposite, not truth))
        elif isinstance(made, arith.AndIOp if truth else arith.OrIOp):
            work += ((part, truth) for part in made.operands)


class KnownConditions:
    """Known truth values of conditions at a place."""

    def __init__(self, holds: dict[SSAValue, bool]) -> None:
        self._holds = holds
        self._left = _MOST_PARTS

    def of(self, condition: SSAValue) -> bool | None:
        """Return the truth value of a condition, or None if unknown."""
        if not self._holds:
            return None
        if condition in self._holds:
            return self._holds[condition]
        self._left -= 1
        if self._left < 0:
            return None
        made = condition.owner
        if (opposite := negated(condition)) is not None:
            known = self.of(opposite)
            return None if known is None else not known
        if condition.type == i1 and isinstance(made, arith.AndIOp | arith.OrIOp):
            parts = [self.of(part) for part in made.operands]
            decides = isinstance(made, arith.OrIOp)
            if decides in parts:
                return decides
            return None if None in parts else not decides
        if not isinstance(made, arith.CmpiOp):
            return None
        return self.comparison(made.predicate.value.data, made.lhs, made.rhs)

    def comparison(self, predicate: int, value: SSAValue, other: SSAValue) -> bool | None:
        """Return the result of a comparison, or None if unknown.

        It follows from known comparisons of the same two values, and from those of one of them with constants.
        """
        if constant_integer(value) is not None:
            value, other, predicate = other, value, EXCHANGED[predicate]
        low, high = type_range(value.type)
        for condition, truth in self._holds.items():
            fact = condition.owner
            if not isinstance(fact, arith.CmpiOp):
                continue
            if (found := _decided(fact, truth, predicate, (value, other))) is not None:
                return found
            least, greatest = _interval(fact, truth, value)
            low, high = max(low, least), min(high, greatest)
        if constant_integer(other) is None or low > high or value.type == i1:
            return None
        relation, number = integer_predicate_of(predicate), constant_range(other)[0]
        if relation.unsigned and min(low, number) < 0:
            return None
        orders = ("<" if low < number else "") + ("=" if low <= number <= high else "")
        return _compared(orders + (">" if high > number else ""), _ORDERS[relation.relation])


def _predicate(comparison: arith.CmpiOp, truth: bool) -> int:
    """The predicate that holds where a comparison does, or does not."""
    number = comparison.predicate.value.data
    return number if truth else OPPOSITE[number]


def _decided(
    fact: arith.CmpiOp, truth: bool, predicate: int, compared: tuple[SSAValue, SSAValue]
) -> bool | None:
    """Return the result that a known comparison of the same values implies.

    The known comparison holds or does not hold, according to `truth`.
    """
    number = _predicate(fact, truth)
    if (fact.rhs, fact.lhs) == compared:
        number = EXCHANGED[number]
    elif (fact.lhs, fact.rhs) != compared:
        return None
    holds, asked = integer_predicate_of(number), integer_predicate_of(predicate)
    possible = _ORDERS[holds.relation]
    if holds.unsigned is not asked.unsigned and "=" not in (possible, _ORDERS[asked.relation]):
        # What is less as a signed number may be more as an unsigned one: no more is known than whether they are equal.
        possible = "<=>" if "=" in possible else "<>"
    return _compared(possible, _ORDERS[asked.relation])


def _compared(possible: str, asked: str) -> bool | None:
    """Return the truth value of a relation, given the possible orders.

    True if the relation holds in all of the orders in which two numbers may compare, False if in none, otherwise None.
    """
    found = {order in asked for order in possible}
    return found.pop() if len(found) == 1 else None


def _interval(fact: arith.CmpiOp, truth: bool, value: SSAValue) -> Interval:
    """Return a value's signed range, given a comparison's truth value."""
    low, high = type_range(value.type)
    predicate, other = _predicate(fact, truth), fact.rhs
    if fact.rhs is value:
        predicate, other = EXCHANGED[predicate], fact.lhs
    elif fact.lhs is not value:
        return low, high
    if constant_integer(other) is None:
        return low, high
    number = constant_range(other)[0]
    holds = integer_predicate_of(predicate)
    if holds.unsigned:
        if number < 0 or ">" in holds.relation:
            return low, high
        low = max(low, 0)
    match holds.relation:
        case "==":
            return number, number
        case "<":
            return low, number - 1
        case "<=":
            return low, number
        case ">":
            return number + 1, high
        case ">=":
            return number, high
        case _:
            return low, high


@canonicalizes(scf.IfOp)
class NextToOneOfTheSameCondition(RewritePattern):
    """`if c { A } if c { B } → if c { A; B }`, and `if c { A } if not c { B } → if c { A } else { B }`.

    What the second reads of the first's results is, in each arm, what the first hands on there.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        first = op.prev_op
        if not isinstance(first, scf.IfOp):
            return
        if first.cond is op.cond:
            swapped = False
        elif negated(op.cond) is first.cond or (negated(first.cond) is op.cond):
            swapped = True
        else:
            return
        types = [result.type for result in (*first.output, *op.output)]
        seconds = [op.false_region, op.true_region] if swapped else [op.true_region, op.false_region]
        arms = [
            _joined(first, a, op, b, rewriter)
            for a, b in zip((first.true_region, first.false_region), seconds)
        ]
        new = rebuilt(first, [first.cond], types, arms)
        rewriter.insert(new, InsertPoint.before(op))
        count = len(first.output)
        rewriter.replace(op, [], new.results[count:])
        rewriter.replace(first, [], new.results[:count])


def _joined(first: scf.IfOp, a: Region, second: scf.IfOp, b: Region, rewriter: PatternRewriter) -> Region:
    """An arm of the first branch, then one of the second."""
    for region in (a, b):
        if not region.blocks:
            region.add_block(Block([scf.YieldOp()]))
    end, last = terminator(a.block), terminator(b.block)
    for result, value in zip(first.output, end.operands):
        rewriter.replace_uses_with_if(result, value, lambda use: b.is_ancestor(use.operation))
    both = scf.YieldOp(*end.operands, *last.operands)
    both.location = end.location
    rewriter.erase(last)
    rewriter.inline_block(b.block, InsertPoint.before(end))
    rewriter.replace(end, both, [])
    return rewriter.move_region_contents_to_new_regions(a)


@canonicalizes(scf.IfOp)
class OnlyABranchInside(RewritePattern):
    """`if a { if b { A } else { yield %y } } else { yield %y } → if a and b { A } else { yield %y }`.

    All that the outer one gives is of the inner one, and where either is not taken it is the same.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        inner, end = op.true_region.block.first_op, terminator(op.true_region.block)
        if not isinstance(inner, scf.IfOp) or inner.next_op is not end:
            return
        if not all(_is_empty(region) for region in (op.false_region, inner.false_region)):
            return
        numbers = [v.index if isinstance(v, OpResult) and v.op is inner else None for v in end.operands]
        here = list(terminator(inner.true_region.block).operands)
        there = list(terminator(inner.false_region.block).operands) if inner.false_region.blocks else []
        otherwise = list(terminator(op.false_region.block).operands) if op.false_region.blocks else []
        if any(k is None or there[k] is not value for k, value in zip(numbers, otherwise)):
            return
        both = arith.AndIOp(op.cond, inner.cond)
        both.location = op.location
        rewriter.insert(both, InsertPoint.before(op))
        new_end = scf.YieldOp(*(here[k] for k in numbers if k is not None))
        new_end.location = end.location
        rewriter.replace(terminator(inner.true_region.block), new_end, [])
        arms = [rewriter.move_region_contents_to_new_regions(r) for r in (inner.true_region, op.false_region)]
        types = [result.type for result in op.output]
        new = rebuilt(op, [both.result], types, arms)
        drop(new)
        rewriter.insert(new, InsertPoint.before(op))
        rewriter.replace(op, [], new.results)


def _is_empty(region: Region) -> bool:
    return not region.blocks or region.block.first_op is region.block.last_op


@canonicalizes(scf.IfOp)
class CommonFirstOperations(RewritePattern):
    """`if c { %a = f(%x); … } else { %b = f(%x); … } → %a = f(%x); if c { … } else { … }`; of equal arms nothing is left.

    A destination (`tensor.empty`, `linalg.fill`) stays with what is computed in it: outside it would be a buffer for the whole time.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        if not op.false_region.blocks:
            return
        found = common_first(op.true_region.block, op.false_region.block)
        read = set[SSAValue](terminator(op.true_region.block).operands)
        for own in reversed(list(found)):
            if isinstance(own, tensor.EmptyOp | FillOp) and not read.intersection(own.results):
                del found[own]
            else:
                read.update(own.operands)
        for own, like in found.items():
            own.detach()
            rewriter.insert(own, InsertPoint.before(op))
            rewriter.replace(like, [], own.results)


@canonicalizes(scf.IfOp)
class CommonLastOperation(RewritePattern):
    """`if c { yield f(%a) } else { yield f(%b) } → f(if c { yield %a } else { yield %b })`, of numbers, made in the arms or one elsewhere.

    Tensors stay: in its arm one may be computed in the place of what it is made of.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        if not op.output or not op.false_region.blocks:
            return
        arms = op.true_region, op.false_region
        found = {
            index: pair
            for index, pair in common_last(op.output, *(arm.block for arm in arms)).items()
            if not any(isinstance(v.type, TensorType) for v in (*pair[0].operands, *pair[0].results))
        }
        if not found:
            return

        def rebuild(types: Sequence[Attribute]) -> Operation:
            new = rebuilt(
                op, [op.cond], types, [rewriter.move_region_contents_to_new_regions(a) for a in arms]
            )
            rewriter.insert(new)
            return new

        ends = terminator(arms[0].block), terminator(arms[1].block)
        rewriter.replace(op, [], move_behind(op.output, found, ends, rebuild, rewriter))
