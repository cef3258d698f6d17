"""Rewrites of `ov.loop`'s dead values, and of functions of the iteration number.

Dead values are loop-carried (through cycles), last, concatenated and sliced.

The other rewrites are of loop-carried values that are functions of the iteration number, and of such functions that are better
carried.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import prod

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64, is_integer, tensor_type_of
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loop_trips import trips_of
from loomir.dialects.ov.canonicalization.loops import RetainedParts, extend, rebuild, static_trips
from loomir.dialects.ov.graph_builder import GraphBuilder, RewriteBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, PowerOp, SubtractOp
from loomir.dialects.region_flow import (
    RegionFlow,
    comes_from_outside,
    owning_block,
    owning_operation,
    region_flow,
)
from loomir.dialects.upstream.effects import EffectsOfNests


@canonicalizes(LoopOp)
class DeadLoopValues(RewritePattern):
    """Drops unused results, and carried values that only keep each other alive.

    `r, s = loop(v = x, k = 0) { next f(v), k + 1 } → r = loop(v = x) { next f(v) }`, if `s` is unused.

    Optimistic: a carried value is live only if it is needed by a used result, the condition, an operation that stays for its
    effects (`ov.fail` in a branch) or another live value. So a counter that only feeds itself is dropped, and so are two values
    that swap, through nested loops too. A sliced input that the body does not use is dropped if the trip count is known without
    it.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        last = [i for i, r in enumerate(op.last) if r.first_use is not None]
        concat = [i for i, r in enumerate(op.concat) if r.first_use is not None]
        live = _live_arguments(op, last, concat)
        carried = [i for i, a in enumerate(op.carried_arguments) if a in live]
        sliced = list(range(len(op.sliced)))
        if static_trips(op) is not None:
            read = [i for i, a in enumerate(op.part_arguments) if a.first_use is not None]
            # Without a trip count one of the slices, which are all as many, says how often the loop runs.
            sliced = read if read or op.trip is not None else sliced[:1]
        before = (len(op.last), len(op.concat), len(op.carried), len(op.sliced))
        if (len(last), len(concat), len(carried), len(sliced)) == before:
            return
        kept = set(carried)
        for index, argument in enumerate(op.carried_arguments):
            if index not in kept:
                # Only dead operations use it; they go once nothing hands their results on.
                rewriter.replace_all_uses_with(argument, op.carried[index])
        rebuild(
            op,
            rewriter,
            replace(RetainedParts.all_of(op), carried=carried, last=last, concat=concat, sliced=sliced),
        )


def _live_arguments(op: LoopOp, last: list[int], concat: list[int]) -> set[SSAValue]:
    """Return the values inside the loop that must stay live.

    Its used results, its trip count and the operations that stay in any case depend on them.

    Values from outside depend on nothing inside, and are not followed: the surrounding program may be large.
    """
    if all(result.first_use is not None for result in op.final):
        # Every chain stays: there is nothing to follow, however deep the loops in it are.
        return set(op.carried_arguments)
    inside: dict[Block, bool] = {}
    end = op.next
    work: list[SSAValue] = [end.last[i] for i in last] + [end.concat[i] for i in concat]
    if end.cond is not None:
        work.append(end.cond)
    work += _needed_by_effects(op.body.block)
    arguments = op.carried_arguments
    for index, result in enumerate(op.final):
        if result.first_use is not None:
            # The final value is also the initial one after zero trips, so the whole chain stays.
            work += [arguments[index], end.carried[index]]
    seen: set[SSAValue] = set()
    flow_of = cache(region_flow)
    while work:
        value = work.pop()
        if value in seen or not _is_inside(op, value, inside):
            continue
        seen.add(value)
        work += _needs(value, flow_of(owning_operation(value)))
    return seen


def _needed_by_effects(block: Block) -> list[SSAValue]:
    """Return the operands of operations that stay even if unused.

    These are the operations in the block, at any depth, that may fail or whose effects are unknown.

    If an `ov.if` contains such an operation, one of its results stays too, so both branches need the values that they yield. If
    a loop contains one, the values that determine its trip count are needed.
    """
    effects = EffectsOfNests()
    needed: list[SSAValue] = []
    blocks = [block]
    while blocks:
        for op in blocks.pop().ops:
            if isinstance(op, NextOp) or effects.is_dead_if_unused(op):
                continue
            flow = region_flow(op)
            needed += op.operands if flow is None else flow.deciders
            blocks += (inner.block for inner in op.regions)
    return needed


def _is_inside(loop: LoopOp, value: SSAValue, known: dict[Block, bool]) -> bool:
    """Return True if the loop's body defines the value, at any depth.

    `known` caches the result for each block.
    """
    block = owning_block(value)
    way: list[Block] = []
    found = False
    while block is not None:
        if block in known:
            found = known[block]
            break
        way.append(block)
        parent = block.parent_op()
        if parent is loop:
            found = True
            break
        block = None if parent is None else parent.parent
    known.update(dict.fromkeys(way, found))
    return found


def _needs(value: SSAValue, flow: RegionFlow | None) -> list[SSAValue]:
    """Return the values from which a value is computed, in one step.

    A step looks into and out of loops and ifs, value by value.
    """
    made = isinstance(value, OpResult)
    if flow is None:
        return list(value.op.operands) if made else []
    handed = [*flow.predecessor_operands(value), *flow.predecessor_operands(value, flow.derived)]
    return [*(flow.deciders if made else ()), *(op.operands[number] for op, number in handed)]


@dataclass(frozen=True)
class _Counter:
    """Loop-carried integer with a constant increment or decrement.

    Holds its initial value and its step.
    """

    begin: SSAValue
    step: SSAValue
    falls: bool

    @property
    def counts(self) -> bool:
        """True if the counter is a scalar that counts the iterations."""
        return (
            not (self.falls or tensor_type_of(self.begin).get_shape())
            and _is(self.begin, 0)
            and _is(self.step, 1)
        )

    def after(self, number: SSAValue, build: GraphBuilder) -> SSAValue:
        """Return the counter's value after a number of iterations, an i64.

        Integers wrap around, so the product equals the repeated sums.
        """
        type_ = tensor_type_of(self.begin)
        if type_.element_type != i64:
            number = build.make(ConvertOp, number, attributes={"destination_type": type_.element_type})
        step = self.step
        if isinstance(step.owner, ConstantOp):
            step = build.constant(step.owner.array)
        if not _is(self.step, 1):
            number = build.make(MultiplyOp, number, step)
        if self.falls or not _is(self.begin, 0) or number.type != type_:
            number = build.make(SubtractOp if self.falls else AddOp, self.begin, number)
        return number


@canonicalizes(LoopOp)
class AffineCarried(RewritePattern):
    """Replaces a carried counter by `begin + i · step`.

    Each iteration adds the same step. Behind the loop its value is `begin + trips · step`.

    `r = loop(i; k = b) { f(k); next k + s } → loop(i) { f(b + i · s) }; r = b + trips · s`.

    Applies only to loops that no condition of their body ends: the values that such a condition reads determine the trip count.
    If the final value is used, the trip count must be known.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        if op.next.cond is not None:
            return
        trips = trips_of(op)
        kept: list[int] = []
        for index, result in enumerate(op.final):
            counter = _counter(op, index)
            if counter is None or (result.first_use is not None and trips is None):
                kept.append(index)
                continue
            if result.first_use is not None and trips is not None:
                build = RewriteBuilder.before(op, rewriter)
                rewriter.replace_all_uses_with(result, counter.after(trips.emit(build), build))
            argument = op.carried_arguments[index]
            if argument.first_use is not None:
                build = RewriteBuilder(rewriter, InsertPoint.at_start(op.body.block), op.location)
                rewriter.replace_all_uses_with(argument, counter.after(op.iteration, build))
        if len(kept) < len(op.carried):
            rebuild(op, rewriter, replace(RetainedParts.all_of(op), carried=kept))


@canonicalizes(LoopOp)
class CountersOfTheTrips(RewritePattern):
    """Replaces carried counters, read behind the loop, by functions of its trips.

    The trip count of the loop is known only at run time.

    ```mlir
    %r, %s = ov.loop carried(%a, %b) {                          // before
    ^bb0(%i: tensor<i64>, %k: tensor<i64>, %l: tensor<i64>):
      …
      %k1 = ov.add %k, %one
      %l1 = ov.subtract %l, %two
      ov.next while(%again) carried(%k1, %l1)
    }

    %trips = ov.loop {                                          // after
    ^bb0(%i: tensor<i64>):
      %k = ov.add %a, %i
      …
      ov.next while(%again) last(%done)                         // %i + 1, which after no trip is 0
    }
    %r = ov.add %a, %trips
    ```

    There must be at least two counters, because the number of trips is kept for them; a counter from 0 by 1 is that number
    itself. Applies only to 64-bit integers: a condition is more informative with the original narrower counters.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        if op.next.cond is None and trips_of(op) is not None:
            return
        found = {
            index: counter
            for index, result in enumerate(op.final)
            if result.first_use is not None and (counter := _counter(op, index)) is not None
            if tensor_type_of(result).element_type == i64
        }
        if len(found) < 2:
            return
        number = next((index for index, counter in found.items() if counter.counts), None)
        if number is None:
            build = RewriteBuilder.before(op.next, rewriter)
            done = build.make(AddOp, op.iteration, build.scalar(1, i64))
            op = extend(op, rewriter, last=[done])
            trips: SSAValue = op.last[-1]
        else:
            found.pop(number)
            trips = op.final[number]
        for index, counter in found.items():
            behind = RewriteBuilder(rewriter, InsertPoint.after(op), op.location)
            rewriter.replace_all_uses_with(op.final[index], counter.after(trips, behind))
            if op.carried_arguments[index].first_use is not None:
                inside = RewriteBuilder(rewriter, InsertPoint.at_start(op.body.block), op.location)
                rewriter.replace_all_uses_with(
                    op.carried_arguments[index], counter.after(op.iteration, inside)
                )
        kept = [index for index in range(len(op.carried)) if index not in found]
        rebuild(op, rewriter, replace(RetainedParts.all_of(op), carried=kept))


@canonicalizes(LoopOp)
class TripsAsLastValue(RewritePattern):
    """Replaces a last value `i + 1` by the trip count, if known.

    Without trips it is 0, like any last value.

    `r = loop(i; trip n) { …; last i + 1 } → r = max(n, 0)`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        counts = [
            result
            for result, value in zip(op.last, op.next.last)
            if result.first_use is not None
            and result.type == value.type
            and _is_one_more(value, op.iteration)
        ]
        if not counts or (trips := trips_of(op)) is None:
            return
        number = trips.emit(RewriteBuilder.before(op, rewriter))
        for result in counts:
            rewriter.replace_all_uses_with(result, number)


def _is_one_more(value: SSAValue, than: SSAValue) -> bool:
    following = value.owner
    if not isinstance(following, AddOp) or value.type != than.type:
        return False
    return any(a is than and _is(b, 1) for a, b in ((following.a, following.b), (following.b, following.a)))


def _counter(op: LoopOp, index: int) -> _Counter | None:
    """Return the counter that a carried value is, or None."""
    begin, argument = op.carried[index], op.carried_arguments[index]
    following = op.next.carried[index].owner
    if not isinstance(following, AddOp | SubtractOp) or following.parent is not op.body.block:
        return None
    falls = isinstance(following, SubtractOp)
    if following.a is argument:
        step = following.b
    elif following.b is argument and not falls:
        step = following.a
    else:
        return None
    if not (comes_from_outside(step, op) or isinstance(step.owner, ConstantOp)):
        return None
    type_ = begin.type
    if any(t != type_ for t in (argument.type, following.output.type, op.final[index].type)):
        return None
    return _Counter(begin, step, falls) if _is_one_integer(type_) and _is_scalar_or(step, type_) else None


def _is_one_integer(type_: Attribute) -> bool:
    return (
        isinstance(type_, TensorType)
        and is_integer(type_.element_type)
        and type_.has_static_shape()
        and prod(type_.get_shape()) == 1
    )


def _is_scalar_or(value: SSAValue, type_: Attribute) -> bool:
    return value.type == type_ or (isinstance(value.type, TensorType) and not value.type.get_shape())


def _is(value: SSAValue, number: int) -> bool:
    array = constant_of(value)
    return array is not None and bool(np.all(array == number))


@canonicalizes(LoopOp)
class PowerOfTheIterationNumber(RewritePattern):
    """Replaces `b ^ i` by a carried product that begins as `b ^ 0`.

    Applies to integers, which wrap around in both forms.

    ```mlir
    %r = ov.loop trip(%n) carried(%x) {                        // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
      %p = ov.power %b, %i
      …
    }

    %ones = ov.power %b, %zero                                 // after
    %r, %_ = ov.loop trip(%n) carried(%x, %ones) {
    ^bb0(%i: tensor<i64>, %v: tensor<4xi64>, %p: tensor<4xi64>):
      %q = ov.multiply %p, %b
      …
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        for use in op.iteration.uses:
            power = use.operation
            # A number without dimensions goes with every base: computed before the loop, a power cannot fail either.
            if (
                isinstance(power, PowerOp)
                and power.parent is op.body.block
                and power.b is op.iteration
                and comes_from_outside(power.a, op)
                and power.output.type == power.a.type
            ):
                break
        else:
            return
        ones = RewriteBuilder.before(op, rewriter)
        first = ones.make(PowerOp, power.a, ones.scalar(0, i64))
        if isinstance(power.a.owner, ConstantOp):
            first = ones.constant(np.ones_like(power.a.owner.array))
        following = RewriteBuilder.before(op.next, rewriter)
        # The product reads what takes the power's place.
        product = following.make(MultiplyOp, power.output, power.a)
        loop = extend(op, rewriter, carried=[(first, product)])
        rewriter.replace(power, [], [loop.carried_arguments[-1]])
