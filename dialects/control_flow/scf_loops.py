"""Rewrites of `scf.for` and `scf.while`.

(Constant bounds of an `scf.for` with zero iterations or one are handled by xDSL's patterns.)

Among the rewrites are those of carried integers of an `scf.for` that the number of the iteration gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, TensorType
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow import canonicalizes
from loomir.dialects.control_flow.rewriting import inline_once, is_number, make_boolean, remade
from loomir.dialects.element_types import i1
from loomir.dialects.index_builder import Extent, IntegerBuilder, extent_of
from loomir.dialects.region_flow import LoopCarriedValue, owning_block, region_flow, terminator
from loomir.dialects.scalars import EXCHANGED, OPPOSITE
from loomir.dialects.scalars.integer_forms import difference
from loomir.dialects.scalars.row import constant_integer, constant_trips, type_range, wrapped
from loomir.dialects.vectors import has_size_of_tile


@canonicalizes(scf.ForOp)
class KnownDistance(RewritePattern):
    """Folds loops whose bounds differ by a constant.

    `%a + 1` must be certain not to wrap around (`overflow<nsw>`).

    - At most one step: `for %i = %a to %a + 1 step 2 { A } → A`.
    - No distance or a negative one: `for %i = %a to %a - 1 { A }` runs no iteration, and its results are its initial values.

    A loop with the size of a tile stays: the C compiler chooses that size (`compiler/formats/c/loops.py`).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        if has_size_of_tile(op):
            return
        distance = difference(op.ub, op.lb, exact=True)
        if distance is None:
            return
        if distance <= 0:
            rewriter.replace(op, [], list(region_flow(op).entry.operands))
        elif (step := constant_integer(op.step)) is not None and distance <= step:
            inline_once(op, op.body, (op.lb, *region_flow(op).entry.operands), rewriter)


@canonicalizes(scf.ForOp)
class SameFromTheFirstIterationOn(RewritePattern):
    """Replaces a loop result by the outside value that each iteration yields.

    The loop must be certain to run. If it may not run, the rewrite is

    `%r = for %i = %l to %u step 1 iter_args(%v = %x) { A; yield %y } → for %i = %l to %u step 1 { A }; %r = select %l < %u, %y, %x`

    for numbers, if A does not read `%v`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        if not op.results:
            return
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


def _only_hands_on(carried: LoopCarriedValue) -> bool:
    """Return True if a carried number is not read in the loop.

    Such a number need not be carried if the loop's result is replaced by another value.
    """
    return is_number(carried.result.type) and carried.arguments[0].first_use is None


@canonicalizes(scf.ForOp)
class CounterOfTheIterationNumber(RewritePattern):
    """Rewrites a loop-carried counter to a function of the induction variable.

    It applies if each iteration adds a constant to the carried integer and the constant is a multiple of the step.

    `for %i = %l to %u step 2 iter_args(%k = %x) { … yield %k + 6 } → %b = %x - 3 * %l; for %i … { %k = 3 * %i + %b … }`.
    The final value is computed from the trip count. All arithmetic is modulo 2^n, as the additions are.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        if not op.results:
            return
        step = constant_integer(op.step)
        if step is None or step <= 0:
            return
        end = terminator(op.body.block)
        for number, carried in enumerate(region_flow(op).carried):
            added = _added(op, carried)
            if added is None:
                continue
            (argument,) = carried.arguments
            if not argument.has_one_use() or not carried.following.has_one_use():
                if added % step:
                    continue
                value = _value(op, carried, added // step, rewriter)
            elif carried.result.first_use is None:
                continue  # it counts for nobody: `remove-dead-values`
            else:
                value = argument
            if carried.result.first_use is not None:
                rewriter.replace_all_uses_with(carried.result, _final(op, carried, added, step, rewriter))
            if value is not argument:
                rewriter.replace_all_uses_with(argument, value)
            # Handed on as it is, it is handed on to nobody who reads it.
            end.operands[number] = argument
            rewriter.notify_op_modified(end)


def _numbers(op: scf.ForOp, type_: Attribute, rewriter: PatternRewriter) -> IntegerBuilder:
    """A builder of numbers in front of a loop."""
    assert isinstance(type_, IndexType | IntegerType)
    return IntegerBuilder(type_, op.location, lambda new: rewriter.insert(new, InsertPoint.before(op)))


def _value(op: scf.ForOp, carried: LoopCarriedValue, factor: int, rewriter: PatternRewriter) -> SSAValue:
    """A carried integer in an iteration, by the loop's variable."""
    before = _numbers(op, carried.initial.type, rewriter)
    start = InsertPoint.at_start(op.body.block)
    inside = replace(before, insert=lambda new: rewriter.insert(new, start), outside=before)
    base = before.value(before.add(extent_of(carried.initial), before.mul(before.cast(op.lb), -factor)))
    return inside.value(inside.add(inside.mul(inside.cast(op.body.block.args[0]), factor), extent_of(base)))


def _added(op: scf.ForOp, carried: LoopCarriedValue) -> int | None:
    """Return the constant that each iteration adds to a carried integer.

    The result is None if the integer cannot be computed from the induction variable.
    """
    (argument,) = carried.arguments
    if not isinstance(argument.type, IndexType | IntegerType) or argument.type == i1:
        return None
    if argument.type != op.lb.type and not isinstance(op.lb.type, IndexType):
        return None
    added = difference(carried.following, argument, exact=False)
    return wrapped(added, argument.type) if added else None


def _final(
    op: scf.ForOp, carried: LoopCarriedValue, added: int, step: int, rewriter: PatternRewriter
) -> SSAValue:
    """Emit the final value of a carried integer.

    It is the initial value plus the additions of all iterations.
    """
    before = _numbers(op, carried.initial.type, rewriter)
    count: Extent | None = constant_trips(op)
    if count is None:
        # Unsigned, as the trips are: bounds may be farther apart than half of all numbers.
        numbers = _numbers(op, op.lb.type, rewriter)
        count = numbers.sub(numbers.max(op.lb, op.ub), extent_of(op.lb))
        if step != 1:
            count = numbers.emit("ceildivui", count, op.step)
        count = before.cast(numbers.value(count))
    return before.value(before.add(extent_of(carried.initial), before.mul(count, added)))


@canonicalizes(scf.ForOp)
class BeginsWhereItReads(RewritePattern):
    """Shifts constant bounds by what each reader adds to the induction variable.

    `for %i = 0 to 9 { f(%i + 1) } → for %i = 1 to 10 { f(%i) }`, also where the sum is of `index_cast %i`. Loops in which a tensor is
    read at the sum stay, and those with the size of a tile.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        bounds = constant_integer(op.lb), constant_integer(op.ub)
        number = op.body.block.args[0]
        if bounds[0] is None or bounds[1] is None or number.first_use is None or has_size_of_tile(op):
            return
        sums: list[tuple[arith.AddiOp, SSAValue]] = []
        waiting: list[SSAValue] = [number]
        while waiting:
            value = waiting.pop()
            for use in value.uses:
                reader = use.operation
                if isinstance(reader, arith.AddiOp):
                    sums.append((reader, value))
                elif isinstance(reader, arith.IndexCastOp) and value is number:
                    waiting.append(reader.result)
                else:
                    return
        added = {constant_integer(each.rhs if each.lhs is value else each.lhs) for each, value in sums}
        by = added.pop() if len(added) == 1 else None
        least, greatest = type_range(op.lb.type)
        allowed = range(max(least, -_LARGE), min(greatest + 1, _LARGE))
        if by is None or not all(bound + by in allowed for bound in bounds if bound is not None):
            return
        if any(isinstance(v.type, TensorType) for each, _ in sums for v in _operands_of_readers(each)):
            return
        numbers = _numbers(op, op.lb.type, rewriter)
        for k, bound in enumerate(bounds):
            op.operands[k] = numbers.value((bound or 0) + by)
        for each, value in sums:
            rewriter.replace(each, [], [value])
        rewriter.notify_op_modified(op)


_LARGE = 1 << 31
"""Bounds from its negative up to one less fit 32 bits.

Small machines have such an index.
"""


def _operands_of_readers(op: arith.AddiOp) -> Iterator[SSAValue]:
    return (value for use in op.result.uses for value in use.operation.operands)


@canonicalizes(scf.WhileOp)
class NeverAgain(RewritePattern):
    """`%r = while (%a = %x) { A(%a); condition(false) %b } do { B } → A(%x); %r = %b`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter) -> None:
        flow = region_flow(op)
        (condition,), first = flow.deciders, flow.entry
        if constant_integer(condition) == 0 and first.target is not None:
            inline_once(op, first.target, list(first.operands), rewriter)


@canonicalizes(scf.WhileOp)
class ConditionHoldsInside(RewritePattern):
    """Folds the loop condition to true in the second region.

    An equal comparison there is true as well; the opposite comparison is false.

    `while { %c = cmpi ne, %v, %x; condition(%c) %v } do { ^bb(%w): f(cmpi eq, %w, %x) } → while { … } do { ^bb(%w): f(false) }`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter) -> None:
        flow = region_flow(op)
        (condition,) = flow.deciders
        inside = {
            argument: value
            for edge in flow.edges
            if edge.source is flow.entry.target and edge.target is not None
            for value, argument in edge.pairs
        }
        for argument, value in inside.items():
            if value is condition and argument.first_use is not None:
                assert isinstance(argument, BlockArgument)
                first = argument.block.first_op
                assert first is not None
                rewriter.replace_all_uses_with(argument, make_boolean(True, first, i1, rewriter))
        asked = condition.owner
        if not isinstance(asked, arith.CmpiOp):
            return
        for argument, value in inside.items():
            if value is not asked.lhs and value is not asked.rhs:
                continue
            for use in list(argument.uses):
                comparison = use.operation
                if isinstance(comparison, arith.CmpiOp):
                    holds = _follows(asked, comparison, [inside.get(v, v) for v in comparison.operands])
                    if holds is not None:
                        rewriter.replace(comparison, [], [make_boolean(holds, comparison, i1, rewriter)])


def _follows(asked: arith.CmpiOp, comparison: arith.CmpiOp, operands: list[SSAValue]) -> bool | None:
    """Return a comparison's result given another that holds, or None if unknown.

    `operands` are the operands of the first comparison.
    """
    predicate = comparison.predicate.value.data
    if operands == [asked.rhs, asked.lhs]:
        predicate = EXCHANGED[predicate]
    elif operands != [asked.lhs, asked.rhs]:
        return None
    holding = asked.predicate.value.data
    return True if predicate == holding else False if predicate == OPPOSITE[holding] else None


@canonicalizes(scf.WhileOp)
class ArgumentsInOrder(RewritePattern):
    """Reorders forwarded arguments of a loop into their own order.

    It applies if a loop forwards all its arguments in another order; the result is the normal form.

    `%r, %s = while (%a, %b) { condition(%c) %b, %a } do { ^bb(%d, %e) A } → %s, %r = while (%a, %b) { condition(%c) %a, %b } do
    { ^bb(%e, %d) A }`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter) -> None:
        flow = region_flow(op)
        arguments = list(flow.entry.inputs)
        way = next(
            edge for edge in flow.edges if edge.source is flow.entry.target and edge.target is not None
        )
        given = list(way.operands)
        if given == arguments or len(given) != len(arguments) or set(given) != set(arguments):
            return
        assert way.target is not None
        block, end = way.target.block, way.forwarder
        place = [given.index(argument) for argument in arguments]
        old = list(block.args)
        for k in place:
            new_argument = rewriter.insert_block_argument(block, len(block.args), old[k].type)
            new_argument.name_hint = old[k].name_hint
            rewriter.replace_all_uses_with(old[k], new_argument)
        for argument in old:
            rewriter.erase_block_argument(argument)
        end.operands = [*end.operands[: way.first], *arguments]
        rewriter.notify_op_modified(end)
        regions = [rewriter.move_region_contents_to_new_regions(region) for region in op.regions]
        new = remade(op, op.operands, [argument.type for argument in arguments], regions)
        rewriter.replace(op, new, [new.results[arguments.index(value)] for value in given])
