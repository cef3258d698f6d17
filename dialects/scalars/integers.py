"""The rows of operations on integers."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation

from loomir.dialects.scalars import integer_functions as functions
from loomir.dialects.scalars import intervals
from loomir.dialects.scalars.integer_functions import extended, integer, signed, unsigned
from loomir.dialects.scalars.intervals import Interval
from loomir.dialects.scalars.row import CInteger, IntervalOf, Python, Scalar, is_boolean, width_of

# ----- intervals --------------------------------------------------------------------------------------------


def wide(rule: Callable[..., Interval | None]) -> Callable[[Operation, IntervalOf], Interval | None]:
    """Restrict an interval rule to integers wider than one bit.

    A boolean is held as 0 or 1, but read as 0 or -1 where it is signed.
    """

    def interval(op: Operation, of: IntervalOf) -> Interval | None:
        if any(is_boolean(v.type) for v in op.operands):
            return None
        return rule(*map(of, op.operands))

    return interval


# ----- where a result is defined ----------------------------------------------------------------------------


def _divides_unsigned(op: Operation, of: IntervalOf) -> bool:
    low, high = of(op.operands[1])
    return low > 0 or high < 0


def _divides(op: Operation, of: IntervalOf) -> bool:
    """Return True if a signed division is defined.

    Dividing the least integer by -1 is as undefined as a division by 0. The least index depends on the target.
    """
    a, b = op.operands
    (least, _), (low, high) = of(a), of(b)
    if is_boolean(b.type):
        return False
    overflows = isinstance(a.type, IndexType) or least == -(1 << (width_of(a.type) - 1))
    return low > 0 or high < -1 or (high < 0 and not overflows)


def _shifts(op: Operation, of: IntervalOf) -> bool:
    return intervals.contains((0, width_of(op.operands[0].type) - 1), of(op.operands[1]))


# ----- neutral elements -------------------------------------------------------------------------------------


def _zero(element: Attribute) -> int:
    return 0


def _one(element: Attribute) -> int:
    return 1


def _all_bits(element: Attribute) -> int:
    return -1


def _least(element: Attribute) -> int | None:
    return None if isinstance(element, IndexType) else -(1 << (width_of(element) - 1))


def _greatest(element: Attribute) -> int | None:
    return None if isinstance(element, IndexType) else (1 << (width_of(element) - 1)) - 1


# ----- the rows ---------------------------------------------------------------------------------------------

INTEGERS: dict[type[Operation], Scalar] = {
    arith.AddiOp: Scalar(
        numpy=integer(np.add),
        c=CInteger("add", "+", fits=True, boolean="!="),
        python=Python("{0} + {1}"),
        interval=wide(intervals.add),
        neutral=_zero,
        commutative=True,
    ),
    arith.SubiOp: Scalar(
        numpy=integer(np.subtract),
        c=CInteger("sub", "-", fits=True, boolean="!="),
        python=Python("{0} - {1}"),
        interval=wide(intervals.subtract),
        neutral=_zero,
    ),
    arith.MuliOp: Scalar(
        numpy=integer(np.multiply),
        c=CInteger("mul", "*", fits=True, boolean="&&"),
        python=Python("{0} * {1}"),
        interval=wide(intervals.multiply),
        neutral=_one,
        commutative=True,
    ),
    arith.DivSIOp: Scalar(
        numpy=integer(functions.truncated_quotient),
        c=CInteger("div", "/"),
        interval=wide(intervals.quotient(intervals.truncated_quotient)),
        defined=_divides,
        neutral=_one,
    ),
    arith.DivUIOp: Scalar(
        numpy=integer(np.floor_divide, unsigned),
        c=CInteger("divu", "/", non_negative=True),
        interval=wide(intervals.non_negative(intervals.quotient(intervals.floored_quotient))),
        defined=_divides_unsigned,
        neutral=_one,
    ),
    arith.FloorDivSIOp: Scalar(
        numpy=integer(np.floor_divide),
        c=CInteger("floordiv", "/", non_negative=True),
        interval=wide(intervals.quotient(intervals.floored_quotient)),
        defined=_divides,
        neutral=_one,
    ),
    arith.CeilDivSIOp: Scalar(
        numpy=integer(functions.raised_quotient),
        c=CInteger("ceildiv"),
        interval=wide(intervals.quotient(intervals.raised_quotient)),
        defined=_divides,
        neutral=_one,
    ),
    arith.CeilDivUIOp: Scalar(
        numpy=integer(functions.raised_quotient, unsigned),
        c=CInteger("ceildivu"),
        interval=wide(intervals.non_negative(intervals.quotient(intervals.raised_quotient))),
        defined=_divides_unsigned,
        neutral=_one,
    ),
    arith.RemSIOp: Scalar(
        numpy=integer(np.fmod),
        c=CInteger("rem", "%"),
        interval=wide(intervals.remainder),
        defined=_divides,
    ),
    arith.RemUIOp: Scalar(
        numpy=integer(np.remainder, unsigned),
        c=CInteger("remu", "%", non_negative=True),
        interval=wide(intervals.non_negative(intervals.remainder)),
        defined=_divides_unsigned,
    ),
    arith.MinSIOp: Scalar(
        numpy=integer(np.minimum),
        c=CInteger("min", boolean="||"),
        python=Python("{0} if {0} < {1} else {1}"),
        interval=wide(intervals.minimum),
        neutral=_greatest,
        commutative=True,
    ),
    arith.MaxSIOp: Scalar(
        numpy=integer(np.maximum),
        c=CInteger("max", boolean="&&"),
        python=Python("{0} if {0} > {1} else {1}"),
        interval=wide(intervals.maximum),
        neutral=_least,
        commutative=True,
    ),
    arith.MinUIOp: Scalar(
        numpy=integer(np.minimum, unsigned),
        c=CInteger("minu", boolean="&&"),
        interval=wide(intervals.non_negative(intervals.minimum)),
        neutral=_all_bits,
        commutative=True,
    ),
    arith.MaxUIOp: Scalar(
        numpy=integer(np.maximum, unsigned),
        c=CInteger("maxu", boolean="||"),
        interval=wide(intervals.non_negative(intervals.maximum)),
        neutral=_zero,
        commutative=True,
    ),
    arith.AndIOp: Scalar(
        numpy=lambda op: np.bitwise_and,
        c=CInteger("", "&", boolean="&&"),
        python=Python("{0} & {1}", boolean="{0} & {1}"),
        interval=wide(intervals.conjunction),
        neutral=_all_bits,
        commutative=True,
    ),
    arith.OrIOp: Scalar(
        numpy=lambda op: np.bitwise_or,
        c=CInteger("", "|", boolean="||"),
        python=Python("{0} | {1}", boolean="{0} | {1}"),
        interval=wide(intervals.bitwise(operator.or_)),
        neutral=_zero,
        commutative=True,
    ),
    arith.XOrIOp: Scalar(
        numpy=lambda op: np.bitwise_xor,
        c=CInteger("", "^", boolean="!="),
        python=Python("{0} ^ {1}", boolean="{0} ^ {1}"),
        interval=wide(intervals.bitwise(operator.xor)),
        neutral=_zero,
        commutative=True,
    ),
    arith.ShLIOp: Scalar(
        numpy=integer(np.left_shift, unsigned),
        c=CInteger("shl", "<<", fits=True, non_negative=True),
        interval=wide(intervals.shift_left),
        defined=_shifts,
        neutral=_zero,
    ),
    arith.ShRUIOp: Scalar(
        numpy=integer(np.right_shift, unsigned),
        c=CInteger("shru", ">>", fits=True, non_negative=True),
        interval=wide(intervals.shift_right),
        defined=_shifts,
        neutral=_zero,
    ),
    arith.ShRSIOp: Scalar(
        numpy=functions.arithmetic_shift_right,
        c=CInteger("shrs", ">>", fits=True, non_negative=True),
        interval=wide(intervals.shift_right),
        defined=_shifts,
        neutral=_zero,
    ),
    arith.AddUIExtendedOp: Scalar(extended(operator.add, unsigned), CInteger("add", high="carry")),
    arith.MulUIExtendedOp: Scalar(extended(operator.mul, unsigned), CInteger("mul", high="mulhu")),
    arith.MulSIExtendedOp: Scalar(extended(operator.mul, signed), CInteger("mul", high="mulhs")),
    math.AbsIOp: Scalar(lambda op: np.abs, CInteger("abs")),
    math.CountLeadingZerosOp: Scalar(functions.count(functions.leading_zeros), CInteger("ctlz")),
    math.CountTrailingZerosOp: Scalar(functions.count(functions.trailing_zeros), CInteger("cttz")),
    math.CtPopOp: Scalar(functions.count(lambda x, width: np.bitwise_count(x)), CInteger("ctpop")),
    # A power of 0 to a negative exponent is undefined, in C at the latest.
    math.IPowIOp: Scalar(lambda op: functions.power, CInteger("ipow"), defined=lambda op, of: False),
}
