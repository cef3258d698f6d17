"""Rewrites of `ov.loop`'s functions of the iteration number.

They are of loop-carried values that are functions of the iteration number, and of such functions that are better carried.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.rewriting import increment_of, with_carried
from loomir.dialects.element_types import i64, is_integer, tensor_type_of
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loop_trips import trips_of
from loomir.dialects.ov.canonicalization.loops import with_last
from loomir.dialects.ov.graph_builder import GraphBuilder, RewriteBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, PowerOp, SubtractOp
from loomir.dialects.region_flow import LoopCarriedValue, comes_from_outside, region_flow


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

    def replace_argument(self, op: LoopOp, argument: SSAValue, rewriter: PatternRewriter) -> None:
        """Replace the counter's argument by a function of the iteration number."""
        if argument.first_use is not None:
            build = RewriteBuilder(rewriter, InsertPoint.at_start(op.body.block), op.location)
            rewriter.replace_all_uses_with(argument, self.after(op.iteration, build))


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
        for carried in region_flow(op).carried:
            counter, is_read = _counter(op, carried), carried.result.first_use is not None
            if counter is None or (is_read and trips is None):
                continue
            if is_read and trips is not None:
                build = RewriteBuilder.before(op, rewriter)
                rewriter.replace_all_uses_with(carried.result, counter.after(trips.emit(build), build))
            counter.replace_argument(op, carried.arguments[0], rewriter)
            rewriter.notify_op_modified(op)


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
            for index, carried in enumerate(region_flow(op).carried)
            if carried.result.first_use is not None and (counter := _counter(op, carried)) is not None
            if tensor_type_of(counter.begin).element_type == i64
        }
        if len(found) < 2:
            return
        number = next((index for index, counter in found.items() if counter.counts), None)
        if number is None:
            build = RewriteBuilder.before(op.next, rewriter)
            done = build.make(AddOp, op.iteration, build.scalar(1, i64))
            op = with_last(op, [done], rewriter)
            trips: SSAValue = op.last[-1]
        else:
            found.pop(number)
            trips = op.final[number]
        for index, counter in found.items():
            behind = RewriteBuilder(rewriter, InsertPoint.after(op), op.location)
            rewriter.replace_all_uses_with(op.final[index], counter.after(trips, behind))
            counter.replace_argument(op, op.carried_arguments[index], rewriter)
        rewriter.notify_op_modified(op)


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


def _counter(op: LoopOp, carried: LoopCarriedValue) -> _Counter | None:
    """Return the counter that a carried value is, or None."""
    begin, increment, type_ = carried.initial, increment_of(carried), carried.initial.type
    if increment is None or not _is_one_integer(type_) or not _is_scalar_or(increment.step, type_):
        return None
    if not (comes_from_outside(increment.step, op) or isinstance(increment.step.owner, ConstantOp)):
        return None
    if any(v.type != type_ for v in (*carried.arguments, carried.following, carried.result)):
        return None
    return _Counter(begin, increment.step, increment.sign < 0)


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
        loop = with_carried(op, [(first, product)], rewriter)
        rewriter.replace(power, [], [region_flow(loop).carried[-1].arguments[0]])
