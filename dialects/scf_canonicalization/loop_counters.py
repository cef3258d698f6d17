"""Carried integers of an `scf.for` that the number of the iteration gives."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i1
from loomir.dialects.region_flow import Carried, region_flow, terminator
from loomir.dialects.scalars.constants import constant_integer, constant_range, constant_trips, wrapped
from loomir.dialects.scf_canonicalization import canonicalizes


@canonicalizes(scf.ForOp)
class CounterOfTheIterationNumber(RewritePattern):
    """Rewrites a loop-carried counter to a function of the induction variable.

    It applies if each iteration adds a constant to the carried integer and the constant is a multiple of the step.

    `for %i = %l to %u step 2 iter_args(%k = %x) { … yield %k + 6 } → %b = %x - 3 * %l; for %i … { %k = 3 * %i + %b … }`.
    The final value is computed from the trip count. All arithmetic is modulo 2^n, as the additions are.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
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


def _value(op: scf.ForOp, carried: Carried, factor: int, rewriter: PatternRewriter) -> SSAValue:
    """A carried integer in an iteration, by the loop's variable."""
    before = _Emitter(rewriter, op, InsertPoint.before(op))
    inside = _Emitter(rewriter, op, InsertPoint.at_start(op.body.block))
    type_ = carried.initial.type
    base = before.sum(carried.initial, before.times(before.cast(op.lb, type_), -factor))
    number = inside.cast(op.body.block.args[0], type_)
    return inside.sum(inside.times(number, factor, before), base)


def _added(op: scf.ForOp, carried: Carried) -> int | None:
    """Return the constant that each iteration adds to a carried integer.

    The result is None if the integer cannot be computed from the induction variable.
    """
    (argument,), add = carried.arguments, carried.following.owner
    if not isinstance(argument.type, IndexType | IntegerType) or argument.type == i1:
        return None
    if argument.type != op.lb.type and not isinstance(op.lb.type, IndexType):
        return None
    if not isinstance(add, arith.AddiOp) or add.parent is not op.body.block or argument not in add.operands:
        return None
    other = add.rhs if add.lhs is argument else add.lhs
    return None if constant_integer(other) is None else constant_range(other)[0]


def _final(op: scf.ForOp, carried: Carried, added: int, step: int, rewriter: PatternRewriter) -> SSAValue:
    """Emit the final value of a carried integer.

    It is the initial value plus the additions of all iterations.
    """
    before = _Emitter(rewriter, op, InsertPoint.before(op))
    if (trips := constant_trips(op)) is not None:
        return before.sum(carried.initial, _Number(trips * added, carried.initial.type))
    # Unsigned, as the trips are: bounds may be farther apart than half of all numbers.
    length = before.emit(arith.SubiOp(before.emit(arith.MaxSIOp(op.lb, op.ub)), op.lb))
    if step != 1:
        length = before.emit(arith.CeilDivUIOp(length, op.step))
    return before.sum(carried.initial, before.times(before.cast(length, carried.initial.type), added))


@dataclass(frozen=True)
class _Number:
    """A constant that is not an operation yet."""

    number: int
    type: Attribute


@dataclass(frozen=True)
class _Emitter:
    """Emitter of integer arithmetic that replaces loop values.

    An operation on two known numbers is folded.
    """

    rewriter: PatternRewriter
    loop: scf.ForOp
    point: InsertPoint

    def emit(self, op: Operation) -> SSAValue:
        op.location = self.loop.location
        self.rewriter.insert(op, self.point)
        return op.results[0]

    def value(self, given: SSAValue | _Number) -> SSAValue:
        """A value, a constant made an operation."""
        if isinstance(given, SSAValue):
            return given
        assert isinstance(given.type, IndexType | IntegerType)
        return self.emit(arith.ConstantOp(IntegerAttr(wrapped(given.number, given.type), given.type)))

    def cast(self, value: SSAValue, type_: Attribute) -> SSAValue | _Number:
        """The number in another type: its low bits."""
        if (number := constant_integer(value)) is not None:
            return _Number(number, type_)
        return value if value.type == type_ else self.emit(arith.IndexCastOp(value, type_))

    def times(
        self, value: SSAValue | _Number, factor: int, constants: _Emitter | None = None
    ) -> SSAValue | _Number:
        """Emit the product of a value and a factor.

        The factor's constant is emitted at the place given by `constants`.
        """
        if isinstance(value, _Number):
            return _Number(value.number * factor, value.type)
        if factor in (0, 1):
            return value if factor else _Number(0, value.type)
        by = (constants or self).value(_Number(factor, value.type))
        return self.emit(arith.MuliOp(value, by))

    def sum(self, a: SSAValue | _Number, b: SSAValue | _Number) -> SSAValue:
        """The sum of two values, either of which may be a constant."""
        numbers = [v.number if isinstance(v, _Number) else constant_integer(v) for v in (a, b)]
        if numbers[0] is not None and numbers[1] is not None:
            return self.value(_Number(numbers[0] + numbers[1], a.type))
        if 0 in numbers:
            return self.value(b if numbers[0] == 0 else a)
        return self.emit(arith.AddiOp(self.value(a), self.value(b)))
