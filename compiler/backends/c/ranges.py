"""Intervals of integer values, so that what cannot overflow is printed as plain C.

Sound and deliberately modest: intervals flow forwards; a loop variable is bounded by its loop, a
carried value by how much one iteration can add to it times the number of iterations. Anything else has
the range of its type.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from loomir.dialects.region_flow import origins, region_flow, terminator
from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.constants import constant_interval, type_interval
from loomir.dialects.scalars.intervals import Interval, contains, join
from loomir.dialects.scalars.row import is_integer

_DEPTH = 40
"""How many operations `_increment` follows; a longer chain counts as unknown."""

SAFE_INDEX: Interval = (-(1 << 31), (1 << 31) - 1)
"""An index is a ptrdiff_t: only what stays within 32 bits is known to fit on every target."""


def full(t: Attribute) -> Interval:
    """The range of an integer type; that of an index for anything else."""
    return type_interval(t if is_integer(t) else IndexType())


class Ranges:
    """Intervals of the integer and index values of one function."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, Interval] = {}

    def analyse(self, block: Block) -> None:
        """Compute the intervals of all values of a block and its regions, in the order of the program."""
        for op in block.ops:
            if isinstance(op, scf.ForOp):
                self.enter_for(op)
            elif isinstance(op, scf.WhileOp):
                self.enter_while(op)
            for region in op.regions:
                for inner in region.blocks:
                    self.analyse(inner)
            self.visit(op)

    def set(self, value: SSAValue, interval: Interval) -> None:
        """State a fact that the program does not show, such as the extent of an input."""
        self._known[value] = interval

    def of(self, value: SSAValue) -> Interval:
        """The interval of a value; that of its type before `visit` or `enter` has seen it."""
        return self._known.get(value) or full(value.type)

    def constant(self, value: SSAValue) -> int | None:
        """The value, where it is only one."""
        low, high = self.of(value)
        return low if low == high else None

    def fits(self, value: SSAValue, exact: Interval | None) -> bool:
        """Whether a mathematically exact result stays within what the C type holds on every target."""
        if exact is None:
            return False
        return _within(exact, value.type)

    def exact(self, op: Operation) -> Interval | None:
        """The interval of an operation's only result before wrapping, `None` if it is unknown."""
        row = SCALARS.get(type(op))
        return None if row is None or row.interval is None else row.interval(op, self.of)

    def visit(self, op: Operation) -> None:
        """Compute the intervals of the results of an operation whose operands have been visited."""
        if len(op.results) == 1 and isinstance(op.results[0].type, IntegerType | IndexType):
            result = op.results[0]
            interval = self._transfer(op, self.of)
            if interval is not None:
                self._known[result] = interval

    def enter_for(self, op: scf.ForOp) -> None:
        """Compute the intervals of the arguments and results of a `for` before its body is visited."""
        (low, lb_high), (ub_low, ub_high) = self.of(op.lb), self.of(op.ub)
        step = max(1, self.of(op.step)[0])
        self._known[op.body.block.args[0]] = (low, max(low, ub_high - 1))
        least = max(0, -(-(ub_low - lb_high) // max(1, self.of(op.step)[1])))
        trips = max(0, -(-(ub_high - low) // step))
        for carried in region_flow(op).carried:
            (argument,) = carried.arguments
            if not isinstance(argument.type, IntegerType | IndexType):
                continue
            start = self.of(carried.initial)
            delta = self._increment(carried.following, argument, _DEPTH)
            if delta is None:
                if start == full(argument.type):
                    continue
                # A value that is replaced, not added to: the initial one or one the body makes from scratch.
                fresh = self._independent(carried.following)
                if fresh is not None:
                    self._known[argument] = self._known[carried.result] = join(start, fresh)
                continue
            inside = (start[0] + min(0, delta[0]) * trips, start[1] + max(0, delta[1]) * trips)
            if _within(inside, argument.type):
                self._known[argument] = inside
                after = inside
                if least == trips:
                    after = (start[0] + delta[0] * trips, start[1] + delta[1] * trips)
                self._known[carried.result] = after

    def enter_while(self, op: scf.WhileOp) -> None:
        """Compute the intervals of counters of a `while` in normal form that its condition bounds."""
        condition = terminator(op.before_region.block)
        assert isinstance(condition, scf.ConditionOp)
        upper = self._upper_bounds(condition.condition)
        yielded = terminator(op.after_region.block).operands
        before = op.before_region.block.args
        after = op.after_region.block.args
        for k, argument in enumerate(before):
            if not isinstance(argument.type, IntegerType | IndexType) or argument not in upper:
                continue
            positions = [m for m, v in enumerate(condition.args) if v is argument]
            delta = next((d for m in positions if (d := self._increment(yielded[k], after[m], _DEPTH))), None)
            if delta is None or delta[0] < 0:
                continue
            low, high = self.of(op.arguments[k])
            last = upper[argument] - 1
            top = max(high, last + delta[1])
            if not _within((low, top), argument.type):
                continue
            self._known[argument] = (low, top)
            for m in positions:
                self._known[after[m]] = (low, max(low, last))
                self._known[op.results[m]] = (low, top)

    def _upper_bounds(self, condition: SSAValue) -> dict[SSAValue, int]:
        """For each value that the condition compares: a number that it is less than whenever the
        condition holds.
        """
        found: dict[SSAValue, int] = {}
        work = [condition]
        while work:
            value = work.pop()
            op = value.owner
            if isinstance(op, arith.AndIOp):
                work += op.operands
            elif isinstance(op, arith.CmpiOp):
                # 2 slt, 3 sle, 4 sgt, 5 sge
                predicate = op.predicate.value.data
                if predicate in (2, 3):
                    found[op.lhs] = (self._independent(op.rhs) or full(op.rhs.type))[1] + (predicate == 3)
                elif predicate in (4, 5):
                    found[op.rhs] = (self._independent(op.lhs) or full(op.lhs.type))[1] + (predicate == 5)
        return found

    def _increment(self, value: SSAValue, base: SSAValue, depth: int) -> Interval | None:
        """`(a, b)` if `value` is `base` plus something in between, before wrapping; `None` if that is
        unknown.
        """
        if value is base:
            return 0, 0
        if depth == 0 or not isinstance(value, OpResult):
            return None
        op = value.op
        if isinstance(op, arith.AddiOp):
            for own, other in (op.operands, tuple(reversed(op.operands))):
                inner = self._increment(own, base, depth - 1)
                added = None if inner is None else self._independent(other)
                if inner is not None and added is not None:
                    return inner[0] + added[0], inner[1] + added[1]
            return None
        if isinstance(op, arith.SelectOp):
            return _join_optional(
                self._increment(op.lhs, base, depth - 1), self._increment(op.rhs, base, depth - 1)
            )
        if isinstance(op, scf.IfOp):
            return _join_optional(*(self._increment(arm, base, depth - 1) for arm in origins(value)))
        if isinstance(op, scf.ForOp):
            start = self._increment(op.iter_args[value.index], base, depth - 1)
            inner = self._increment(
                terminator(op.body.block).operands[value.index],
                op.body.block.args[value.index + 1],
                depth - 1,
            )
            trips = self._trips(op)
            if start is None or inner is None or trips is None:
                return None
            return start[0] + min(0, inner[0]) * trips, start[1] + max(0, inner[1]) * trips
        return None

    def _trips(self, op: scf.ForOp) -> int | None:
        """The greatest number of iterations, where the bounds are known outside the loop that is asked
        about.
        """
        lower, upper = self._independent(op.lb), self._independent(op.ub)
        step = self._independent(op.step)
        if lower is None or upper is None or step is None:
            return None
        return max(0, -(-(upper[1] - lower[0]) // max(1, step[0])))

    def _independent(self, value: SSAValue, depth: int = 6) -> Interval | None:
        """An interval that holds without having visited the operations in between."""
        known = self._known.get(value)
        if known is not None:
            return known
        if isinstance(value, BlockArgument):
            return None
        op = value.owner
        assert isinstance(op, Operation)
        if isinstance(op, memref.LoadOp):
            # Narrow enough that sums of it are worth following.
            return (
                full(value.type)
                if isinstance(value.type, IntegerType) and not _above_16(value.type)
                else None
            )
        if depth == 0 and not isinstance(op, arith.ConstantOp):
            return None
        return self._transfer(op, lambda v: self._independent(v, depth - 1) or full(v.type))

    def _transfer(self, op: Operation, of: Callable[[SSAValue], Interval]) -> Interval | None:
        """The interval of an operation's only result, `None` if it is unknown or the operation wraps."""
        if isinstance(op, arith.ConstantOp):
            return constant_interval(op.result) if isinstance(op.value, IntegerAttr) else None
        row = SCALARS.get(type(op))
        interval = None if row is None or row.interval is None else row.interval(op, of)
        return interval if interval is not None and _within(interval, op.results[0].type) else None


def _within(interval: Interval, t: Attribute) -> bool:
    """Whether every target's C type holds the interval."""
    return contains(SAFE_INDEX if isinstance(t, IndexType) else full(t), interval)


def _above_16(t: IntegerType) -> bool:
    return t.width.data > 16


def _join_optional(*intervals: Interval | None) -> Interval | None:
    result: Interval | None = None
    for interval in intervals:
        if interval is None:
            return None
        result = interval if result is None else join(result, interval)
    return result
