"""Ranges of integers and non-negative floats in STRUCTURED and LOOPS.

Operations that cannot overflow are emitted as plain arithmetic.

The analysis of integers is sound and deliberately simple: intervals flow forwards, by the table of scalar operations; a loop
variable is bounded by its loop, a carried value by the most that one iteration can add to it times the trip count. Any other value
has the range of its type. (In GRAPH bounds are facts of a tensor's elements: `passes/analysis/inference`. Both use
`loomir.dialects.scalars.intervals`.)

Of floats, those are tracked that are certain to be +0 or greater. Such a float is neither NaN nor −0 nor negative; an example is
one computed from an iteration number.

    %f = arith.sitofp %j : i64 to f32           j of 0 … 99: 0 … 99
    %v = arith.mulf %f, %c : f32                c = 0.01: 0 … 0.99
    %m = arith.maximumf %x, %v : f32            a comparison is enough: what is no NaN is v or larger, and no zero below it

Only intervals from +0 upwards are tracked; sums and products stay in such intervals. An interval that may overflow ends at
infinity and is not multiplied further: infinity times 0 is NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, inf

from xdsl.dialects import arith, cf, memref, scf, vector
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from loomir.dialects import quads
from loomir.dialects.interface import arguments_of
from loomir.dialects.region_flow import owning_block, predecessor_values, region_flow, terminator
from loomir.dialects.scalars import SCALARS, integer_predicate
from loomir.dialects.scalars.integers import added_by
from loomir.dialects.scalars.intervals import Interval, contains, join
from loomir.dialects.scalars.row import constant_integer, constant_range, is_boolean, is_integer, type_range
from loomir.dialects.vectors import is_vector, lane_type
from loomir.passes.analysis.aliasing import VIEWS

_EXTREMA = arith.MaxSIOp, arith.MinSIOp
"""Operations whose result is one of their operands.

The result therefore fits the type, whatever the type's size.
"""
_MAX_DEPTH = 40
"""How many operations `_increment` follows; a longer chain counts as unknown."""
_FARTHEST = 64
"""How many operations outside of what was analysed are followed."""

_INDEX: Interval = type_range(IndexType())
SAFE_INDEX: Interval = (-(1 << 31), (1 << 31) - 1)
"""Range of an index that is safe on every target.

An index may be a pointer difference: only values within 32 bits fit on every target.
"""


class IntegerRanges:
    """Intervals of integer and index values.

    Values in an operation's regions have theirs after `analyse`. `index` is the range that is certain to fit an index.
    """

    def __init__(self, index: Interval = _INDEX) -> None:
        self._index = index
        self._known: dict[SSAValue, Interval] = {}
        self._elements: dict[SSAValue, Interval] = {}
        self._visited: set[Operation] = set()
        self._narrowed: set[SSAValue] = set()

    def analyse(self, block: Block) -> None:
        """Compute the intervals of all values of a block and its regions.

        Operations are visited in program order.
        """
        for op in block.ops:
            self.analyse_operation(op)

    def analyse_operation(self, op: Operation) -> None:
        """Compute the intervals of an operation's results and its regions' values."""
        if op.regions:
            if isinstance(op, scf.ForOp):
                self._enter_for(op)
            elif isinstance(op, scf.WhileOp):
                self._enter_while(op)
            for region in op.regions:
                for inner in region.blocks:
                    self.analyse(inner)
        elif isinstance(op, cf.AssertOp):
            self._narrow(op)
        self._visited.add(op)
        for result in op.results:
            if is_integer(result.type):
                self.of(result)

    def set(self, value: SSAValue, interval: Interval) -> None:
        """Set the interval of a value that the program does not determine.

        An example is the extent of an input.
        """
        self._known[value] = interval

    def set_extents(self, function: FuncOp) -> None:
        """State that the extents of inputs are within their bounds.

        They are arguments of `main`, which callers check. One without a bound is not negative.
        """
        entries = arguments_of(function)
        bounds = {entry.name: entry.bounds for entry in entries if entry.bounds is not None}
        for entry, argument in zip(entries, function.body.block.args):
            if entry.dim is not None:
                name, axis = entry.dim
                bound = bounds[name][axis] if name in bounds else None
                self.set(argument, (0, self._index[1] if bound is None else bound))

    def set_elements(self, memory: SSAValue, interval: Interval) -> None:
        """State what the elements of a memref are, which nothing writes."""
        self._elements[memory] = interval

    def _loaded(self, op: memref.LoadOp) -> Interval | None:
        """Return the interval of the elements that a load reads, if known."""
        memory = op.memref
        while isinstance(memory, OpResult) and isinstance(memory.op, VIEWS):
            if isinstance(memory.op, quads.ViewOp):
                return None  # (Its elements are others.)
            memory = memory.op.operands[0]
        return self._elements.get(memory)

    def of(self, value: SSAValue, depth: int = _FARTHEST) -> Interval:
        """Return the interval of a value or of each vector lane.

        For a value outside of the analysed blocks it is computed from the operations that lead to it.
        """
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._computed(value, depth) or type_range(lane_type(value.type))
        return known

    def _computed(self, value: SSAValue, depth: int) -> Interval | None:
        if is_vector(value.type):
            # (The table of scalar operations reads types of scalars: of vectors only copies are followed.)
            op = value.owner
            return self.of(op.source, depth - 1) if depth and isinstance(op, vector.BroadcastOp) else None
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if isinstance(loop, scf.ForOp) and value.index == 0:
                return self._variable(loop, depth)
        elif depth and isinstance(value, OpResult):
            return self._transfer(value, lambda v: self.of(v, depth - 1))
        return None

    def constant(self, value: SSAValue) -> int | None:
        """The value, where it is only one."""
        low, high = self.of(value)
        return low if low == high else None

    def limits(self, t: Attribute) -> Interval:
        """Return the range that is certain to fit a type."""
        return self._index if isinstance(t, IndexType) else type_range(t)

    def wraps(self, op: Operation) -> bool:
        """Return True if an operation's mathematical result may exceed its type."""
        row = SCALARS.get(type(op))
        exact = None if row is None or row.interval is None else row.interval(op, self.of)
        return exact is not None and not self._fits(exact, op.results[0].type)

    def _fits(self, interval: Interval, t: Attribute) -> bool:
        return contains(self.limits(t), interval)

    def _variable(self, op: scf.ForOp, depth: int = _FARTHEST) -> Interval:
        """The interval of a loop's variable."""
        low = self.of(op.lb, depth)[0]
        return low, max(low, self.of(op.ub, depth)[1] - 1)

    def _enter_for(self, op: scf.ForOp) -> None:
        """Compute the intervals of a `for`'s arguments and results.

        This happens before its body is visited.
        """
        lower, upper, by, *initial = op.operands
        (low, lb_high), (ub_low, ub_high) = self.of(lower), self.of(upper)
        self._known[op.body.block.args[0]] = low, max(low, ub_high - 1)
        if not initial:
            return
        step = max(1, self.of(by)[0])
        least = max(0, -(-(ub_low - lb_high) // max(1, self.of(by)[1])))
        trips = max(0, -(-(ub_high - low) // step))
        for carried in region_flow(op).carried:
            (argument,) = carried.arguments
            if not is_integer(argument.type):
                continue
            start = self.of(carried.initial)
            delta = self._increment(carried.following, argument, _MAX_DEPTH)
            if delta is None:
                if start == type_range(argument.type):
                    continue
                # A value that is replaced, not added to: the initial one or one the body makes from scratch.
                fresh = self._independent(carried.following)
                if fresh is not None:
                    self._known[argument] = self._known[carried.result] = join(start, fresh)
                continue
            inside = (start[0] + min(0, delta[0]) * trips, start[1] + max(0, delta[1]) * trips)
            if self._fits(inside, argument.type):
                self._known[argument] = inside
                after = inside
                if least == trips:
                    after = (start[0] + delta[0] * trips, start[1] + delta[1] * trips)
                self._known[carried.result] = after

    def _enter_while(self, op: scf.WhileOp) -> None:
        """Compute the intervals of counters that a `while` condition bounds.

        The `while` is in normal form.
        """
        condition = terminator(op.before_region.block)
        assert isinstance(condition, scf.ConditionOp)
        limits, _ = self._implied(condition.condition)
        yielded = terminator(op.after_region.block).operands
        before = op.before_region.block.args
        after = op.after_region.block.args
        for k, argument in enumerate(before):
            if not is_integer(argument.type) or argument not in limits:
                continue
            positions = [m for m, v in enumerate(condition.args) if v is argument]
            delta = next(
                (d for m in positions if (d := self._increment(yielded[k], after[m], _MAX_DEPTH))), None
            )
            if delta is None or delta[0] < 0:
                continue
            low, high = self.of(op.arguments[k])
            last = limits[argument][1]
            top = max(high, last + delta[1])
            if not self._fits((low, top), argument.type):
                continue
            self._known[argument] = (low, top)
            for m in positions:
                self._known[after[m]] = (low, max(low, last))
                self._known[op.results[m]] = (low, top)

    def _narrow(self, op: cf.AssertOp) -> None:
        """Narrow the intervals of what an assertion compares.

        They hold behind it, and `of` does not tell where it is asked: a value is narrowed if nothing but the condition uses it in front.
        """
        limits, compared = self._implied(op.arg)
        for value, (low, high) in limits.items():
            known = self.of(value)
            narrowed = max(known[0], low), min(known[1], high)
            # One that has a single value behind the assertion is a constant for nobody: it is made in front, and the assertion reads it.
            if narrowed == known or narrowed[0] >= narrowed[1] or value in self._narrowed:
                continue
            self._narrowed.add(value)
            if owning_block(value) is op.parent and not any(
                use.operation in self._visited and use.operation not in compared for use in value.uses
            ):
                self._known[value] = narrowed

    def _implied(self, condition: SSAValue) -> tuple[dict[SSAValue, Interval], set[Operation]]:
        """Return the intervals of compared values where a condition holds.

        The comparisons from which they follow are returned, too.
        """
        found: dict[SSAValue, Interval] = {}
        compared: set[Operation] = set()

        def limit(value: SSAValue, low: int | None, high: int | None) -> None:
            before = found.get(value) or type_range(value.type)
            found[value] = (
                before[0] if low is None else max(before[0], low),
                before[1] if high is None else min(before[1], high),
            )

        work = [condition]
        while work:
            op = work.pop().owner
            if isinstance(op, arith.AndIOp):
                work += op.operands
            elif isinstance(op, arith.CmpiOp) and not is_boolean(op.lhs.type):
                relation = integer_predicate(op)
                if not relation.unsigned and relation.relation[0] in "<>":
                    less, more = (op.lhs, op.rhs) if relation.relation[0] == "<" else (op.rhs, op.lhs)
                    apart = not relation.reflexive
                    limit(less, None, (self._independent(more) or type_range(more.type))[1] - apart)
                    limit(more, (self._independent(less) or type_range(less.type))[0] + apart, None)
                    compared.add(op)
        return found, compared

    def _increment(self, value: SSAValue, base: SSAValue, depth: int) -> Interval | None:
        """Return the interval of `value` minus `base`, before wrapping.

        The result is `(a, b)` if `value` is `base` plus a number between a and b, and `None` if that is unknown.
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
        if isinstance(op, quads.DotOp):
            inner, added = self._increment(op.accumulator, base, depth - 1), added_by(op)
            return None if inner is None else (inner[0] + added[0], inner[1] + added[1])
        if isinstance(op, arith.SelectOp):
            return _join_optional(
                self._increment(op.lhs, base, depth - 1), self._increment(op.rhs, base, depth - 1)
            )
        if isinstance(op, scf.IfOp):
            return _join_optional(
                *(self._increment(arm, base, depth - 1) for arm in predecessor_values(value))
            )
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
        """Return the greatest trip count, or None if unknown.

        The bounds must be known outside of the loop under analysis.
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
        assert isinstance(value, OpResult)
        if isinstance(value.op, memref.LoadOp):
            if (elements := self._loaded(value.op)) is not None:
                return elements
            # Narrow enough that sums of it are worth following.
            narrow = isinstance(value.type, IntegerType) and value.type.width.data <= 16
            return type_range(value.type) if narrow else None
        if depth == 0 and not isinstance(value.op, arith.ConstantOp):
            return None
        return self._transfer(value, lambda v: self._independent(v, depth - 1) or type_range(v.type))

    def _transfer(self, value: OpResult, of: Callable[[SSAValue], Interval]) -> Interval | None:
        """Return the interval of an operation's result.

        The result is `None` if it is unknown or the operation wraps.
        """
        if constant_integer(value) is not None:
            return constant_range(value)
        if isinstance(value.op, memref.LoadOp):
            return self._loaded(value.op)
        row = SCALARS.get(type(value.op))
        interval = None if row is None or row.interval is None else row.interval(value.op, of)
        if interval is None or self._fits(interval, value.type):
            return interval
        if isinstance(value.op, arith.IndexCastOp) and isinstance(value.type, IndexType):
            # Beyond what an index of the target holds it is the nearest that it does (compiler/formats/c/runtime.py).
            return min(interval[0], self._index[1]), max(interval[1], self._index[0])
        return interval if isinstance(value.op, _EXTREMA) else None


def _join_optional(*intervals: Interval | None) -> Interval | None:
    result: Interval | None = None
    for interval in intervals:
        if interval is None:
            return None
        result = interval if result is None else join(result, interval)
    return result


FloatInterval = tuple[float, float]

_MAX_FLOAT_DEPTH = 12
"""How many operations are followed."""
_LARGEST = {16: 65504.0, 32: 3.4028234663852886e38, 64: 1.7976931348623157e308}


def non_negative_range(
    value: SSAValue, integers: IntegerRanges, depth: int = _MAX_FLOAT_DEPTH
) -> FloatInterval | None:
    """Return the range of a float that is certainly +0 or greater.

    For a vector of floats the range covers each lane. The result is None if the value may be negative, −0 or NaN.

    The bounds are those of exact arithmetic except for overflow, so a rounded number may be off them by the rounding.
    """
    op = value.owner
    if depth == 0:
        return None

    def of(operand: SSAValue) -> FloatInterval | None:
        return non_negative_range(operand, integers, depth - 1)

    match op:
        case arith.ConstantOp() if isinstance(op.value, FloatAttr):
            number = op.value.value.data
            return (number, number) if copysign(1.0, number) > 0 and number < inf else None
        case vector.BroadcastOp():
            return of(op.source) if isinstance(lane_type(op.source.type), AnyFloat) else None
        case arith.SIToFPOp() | arith.UIToFPOp():
            return _of_integer(op, integers)
        case arith.AddfOp() | arith.MulfOp() | arith.MaximumfOp() | arith.MinimumfOp():
            a, b = of(op.lhs), of(op.rhs)
            return None if a is None or b is None else _of_two(op, a, b)
        case _:
            return None


def _of_integer(op: arith.SIToFPOp | arith.UIToFPOp, integers: IntegerRanges) -> FloatInterval | None:
    (operand,) = op.operands
    if isinstance(op, arith.SIToFPOp) and is_boolean(lane_type(operand.type)):
        return None  # As a signed number it is −1.
    low, high = integers.of(operand)
    return _limited(float(low), float(high), op.results[0]) if low >= 0 else None


def _of_two(
    op: arith.AddfOp | arith.MulfOp | arith.MaximumfOp | arith.MinimumfOp, a: FloatInterval, b: FloatInterval
) -> FloatInterval | None:
    match op:
        case arith.MulfOp():
            return _limited(a[0] * b[0], a[1] * b[1], op.result) if a[1] < inf and b[1] < inf else None
        case arith.AddfOp():
            return _limited(a[0] + b[0], a[1] + b[1], op.result)
        case arith.MaximumfOp():
            return max(a[0], b[0]), max(a[1], b[1])
        case _:
            return min(a[0], b[0]), min(a[1], b[1])


def _limited(low: float, high: float, result: SSAValue) -> FloatInterval | None:
    type_ = lane_type(result.type)
    largest = _LARGEST.get(type_.bitwidth) if isinstance(type_, AnyFloat) else None
    if largest is None or low > largest / 2:
        return None
    return low, (high if high <= largest / 2 else inf)
