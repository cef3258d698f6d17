"""Intervals of integer values, so that what cannot overflow is printed as plain C.

Sound and deliberately modest: intervals flow forwards; a loop variable is bounded by its loop, a
carried value by how much one iteration can add to it times the number of iterations. Anything else has
the range of its type.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from loomir.compiler.backends.c.liveness import terminator

Interval = tuple[int, int]

_DEPTH = 40
"""How many operations `_increment` follows; a longer chain counts as unknown."""

# An index is ptrdiff_t: only what stays within 32 bits is known to fit on every target.
_INDEX: Interval = (-(1 << 63), (1 << 63) - 1)
SAFE_INDEX: Interval = (-(1 << 31), (1 << 31) - 1)


def full(t: object) -> Interval:
    """The range of an integer type; a boolean is 0 or 1."""
    if isinstance(t, IntegerType) and t.width.data > 1:
        half = 1 << (t.width.data - 1)
        return -half, half - 1
    return (0, 1) if isinstance(t, IntegerType) else _INDEX


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
        """The interval of `addi`, `subi`, `muli` before wrapping, `None` for other operations."""
        rule = _EXACT.get(type(op))
        return None if rule is None else rule(self.of(op.operands[0]), self.of(op.operands[1]))

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
        yielded = terminator(op.body.block).operands
        for k, argument in enumerate(op.body.block.args[1:]):
            if not isinstance(argument.type, IntegerType | IndexType):
                continue
            start = self.of(op.iter_args[k])
            delta = self._increment(yielded[k], argument, _DEPTH)
            if delta is None:
                if start == full(argument.type):
                    continue
                # A value that is replaced, not added to: the initial one or one the body makes from scratch.
                fresh = self._independent(yielded[k])
                if fresh is not None:
                    self._known[argument] = self._known[op.results[k]] = _join(start, fresh)
                continue
            inside = (start[0] + min(0, delta[0]) * trips, start[1] + max(0, delta[1]) * trips)
            if _within(inside, argument.type):
                self._known[argument] = inside
                after = inside
                if least == trips:
                    after = (start[0] + delta[0] * trips, start[1] + delta[1] * trips)
                self._known[op.results[k]] = after

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
            arms = [terminator(r.block).operands[value.index] for r in op.regions]
            return _join_optional(*(self._increment(a, base, depth - 1) for a in arms))
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
            return _constant(op)
        interval: Interval | None = None
        if isinstance(op, arith.SelectOp):
            interval = _join(of(op.lhs), of(op.rhs))
        elif isinstance(op, arith.CmpiOp):
            predicate = op.predicate.value.data
            if op.lhs is op.rhs:
                return (1, 1) if predicate in (0, 3, 5, 7, 9) else (0, 0)
            # A boolean read as signed is 0 or -1, not the 0 or 1 of its interval.
            if _wide(op.lhs) or predicate < 2:
                interval = _compare(predicate, of(op.lhs), of(op.rhs))
        elif isinstance(op, arith.CmpfOp):
            interval = {0: (0, 0), 15: (1, 1)}.get(op.predicate.value.data)
        elif isinstance(op, arith.TruncIOp):
            interval = of(op.input) if _wide(op.result) else None
        elif isinstance(op, arith.ExtUIOp):
            low, high = of(op.input)
            interval = (low, high) if low >= 0 else (0, 2 * full(op.input.type)[1] + 1)
        elif isinstance(op, arith.IndexCastOp | arith.ExtSIOp) and not _wide(op.operands[0]):
            interval = (-1, 0)
        elif (rule := _TRANSFER.get(type(op))) is not None and all(map(_wide, op.operands)):
            interval = rule(*map(of, op.operands))
        return interval if interval is not None and _within(interval, op.results[0].type) else None


def _constant(op: arith.ConstantOp) -> Interval | None:
    if not isinstance(op.value, IntegerAttr):
        return None
    number = op.value.value.data
    if isinstance(op.result.type, IntegerType):
        width = op.result.type.width.data
        number &= (1 << width) - 1
        if width > 1 and number >> (width - 1):
            number -= 1 << width
    return number, number


def _within(interval: Interval, t: object) -> bool:
    """Whether every target's C type holds the interval."""
    low, high = SAFE_INDEX if isinstance(t, IndexType) else full(t)
    return low <= interval[0] and interval[1] <= high


def _above_16(t: IntegerType) -> bool:
    return t.width.data > 16


def _wide(value: SSAValue) -> bool:
    return not isinstance(value.type, IntegerType) or value.type.width.data > 1


def _join(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), max(a[1], b[1])


def _join_optional(*intervals: Interval | None) -> Interval | None:
    result: Interval | None = None
    for interval in intervals:
        if interval is None:
            return None
        result = interval if result is None else _join(result, interval)
    return result


def _add(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _sub(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def _mul(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _quotient(rounding: Callable[[int, int], int]) -> Callable[[Interval, Interval], Interval | None]:
    def rule(a: Interval, b: Interval) -> Interval | None:
        if b[0] <= 0:
            return None
        corners = [rounding(x, y) for x in a for y in b]
        return min(corners), max(corners)

    return rule


def _truncated(x: int, y: int) -> int:
    return abs(x) // y if x >= 0 else -(abs(x) // y)


def _unsigned(rule: Callable[[Interval, Interval], Interval | None]):
    def both_non_negative(a: Interval, b: Interval) -> Interval | None:
        return rule(a, b) if a[0] >= 0 and b[0] >= 0 else None

    return both_non_negative


def _remainder(a: Interval, b: Interval) -> Interval | None:
    if b[0] <= 0:
        return None
    most = b[1] - 1
    return (0 if a[0] >= 0 else max(a[0], -most)), min(max(a[1], 0), most)


def _and(a: Interval, b: Interval) -> Interval | None:
    non_negative = [x[1] for x in (a, b) if x[0] >= 0]
    return (0, min(non_negative)) if non_negative else None


def _or(rule: Callable[[int, int], int]) -> Callable[[Interval, Interval], Interval | None]:
    """Of two constants the very result; of two non-negative numbers one with no more bits than they have."""

    def transfer(a: Interval, b: Interval) -> Interval | None:
        if a[0] == a[1] and b[0] == b[1]:
            exact = rule(a[0], b[0])
            return exact, exact
        if a[0] < 0 or b[0] < 0:
            return None
        return 0, (1 << max(a[1].bit_length(), b[1].bit_length())) - 1

    return transfer


def _shift_right(a: Interval, n: Interval) -> Interval | None:
    if n[0] < 0 or n[1] > 63 or a[0] < 0:
        return None
    return a[0] >> n[1], a[1] >> n[0]


def _shift_left(a: Interval, n: Interval) -> Interval | None:
    if n[0] < 0 or n[1] > 63:
        return None
    return _mul(a, (1 << n[0], 1 << n[1]))


def _compare(predicate: int, a: Interval, b: Interval) -> Interval | None:
    """A comparison that the intervals decide; unsigned ones only where both are non-negative."""
    if predicate >= 6:
        if a[0] < 0 or b[0] < 0:
            return _compare_extreme(predicate, a, b)
        predicate -= 4
    always, never = {
        0: (a[0] == a[1] == b[0] == b[1], a[1] < b[0] or b[1] < a[0]),
        1: (a[1] < b[0] or b[1] < a[0], a[0] == a[1] == b[0] == b[1]),
        2: (a[1] < b[0], a[0] >= b[1]),
        3: (a[1] <= b[0], a[0] > b[1]),
        4: (a[0] > b[1], a[1] <= b[0]),
        5: (a[0] >= b[1], a[1] < b[0]),
    }[predicate]
    return (1, 1) if always else (0, 0) if never else None


def _compare_extreme(predicate: int, a: Interval, b: Interval) -> Interval | None:
    """Unsigned comparisons with the least or greatest number: C compilers warn where these always hold."""
    if b in ((0, 0), (-1, -1)):
        # x < 0, x >= 0 and x <= max, x > max
        return {(6, 0): (0, 0), (9, 0): (1, 1), (7, -1): (1, 1), (8, -1): (0, 0)}.get((predicate, b[0]))
    if a in ((0, 0), (-1, -1)):
        return {(7, 0): (1, 1), (8, 0): (0, 0), (6, -1): (0, 0), (9, -1): (1, 1)}.get((predicate, a[0]))
    return None


_EXACT = {arith.AddiOp: _add, arith.SubiOp: _sub, arith.MuliOp: _mul}

_TRANSFER: dict[type, Callable[..., Interval | None]] = {
    **_EXACT,
    arith.DivSIOp: _quotient(_truncated),
    arith.FloorDivSIOp: _quotient(lambda x, y: x // y),
    arith.CeilDivSIOp: _quotient(lambda x, y: -(-x // y)),
    arith.DivUIOp: _unsigned(_quotient(lambda x, y: x // y)),
    arith.CeilDivUIOp: _unsigned(_quotient(lambda x, y: -(-x // y))),
    arith.RemSIOp: _remainder,
    arith.RemUIOp: _unsigned(_remainder),
    arith.MinSIOp: lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    arith.MaxSIOp: lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    arith.MinUIOp: _unsigned(lambda a, b: (min(a[0], b[0]), min(a[1], b[1]))),
    arith.MaxUIOp: _unsigned(lambda a, b: (max(a[0], b[0]), max(a[1], b[1]))),
    arith.AndIOp: _and,
    arith.OrIOp: _or(lambda x, y: x | y),
    arith.XOrIOp: _or(lambda x, y: x ^ y),
    arith.ShLIOp: _shift_left,
    arith.ShRSIOp: _shift_right,
    arith.ShRUIOp: _shift_right,
    arith.IndexCastOp: lambda a: a,
    arith.ExtSIOp: lambda a: a,
}
