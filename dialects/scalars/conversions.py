"""The rows of choices, comparisons and casts."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Operation

from loomir.dialects.scalars import float_functions, integer_functions, intervals
from loomir.dialects.scalars.integer_functions import signed, unsigned
from loomir.dialects.scalars.intervals import FALSE, TRUE, Interval
from loomir.dialects.scalars.predicates import RELATIONS, float_predicate, integer_predicate
from loomir.dialects.scalars.row import Array, Function, IntervalOf, Python, Scalar, is_boolean, width_of
from loomir.dialects.vectors import MaskedSelectOp


def _anything(expression: str) -> Python:
    """Return an exact expression that is valid for booleans too.

    Booleans need no special case, and the expression does not round.
    """
    return Python(expression, boolean=expression, exact=True)


def _chosen(op: arith.SelectOp, of: IntervalOf) -> Interval:
    condition = of(op.cond)
    if condition == TRUE:
        return of(op.lhs)
    return of(op.rhs) if condition == FALSE else intervals.join(of(op.lhs), of(op.rhs))


# ----- comparison -------------------------------------------------------------------------------------------


def _compare_integers(op: arith.CmpiOp) -> Function:
    predicate = integer_predicate(op)
    compare, read = RELATIONS[predicate.relation], unsigned if predicate.unsigned else signed
    if read is signed and not is_boolean(op.lhs.type):
        return compare
    return lambda a, b: compare(read(a), read(b))


def _comparison(op: arith.CmpiOp) -> Python:
    predicate = integer_predicate(op)
    relation = predicate.relation
    if is_boolean(op.lhs.type):
        # True is -1 where signed.
        return _anything(f"{{0}} {relation} {{1}}" if predicate.unsigned else f"-{{0}} {relation} -{{1}}")
    read = "({} & {{mask}})" if predicate.unsigned else "{}"
    return _anything(f"{read.format('{0}')} {relation} {read.format('{1}')}")


def _decided(op: arith.CmpiOp, of: IntervalOf) -> Interval | None:
    """A comparison that the intervals decide."""
    predicate = integer_predicate(op)
    if op.lhs is op.rhs:
        return TRUE if predicate.reflexive else FALSE
    if predicate.unsigned:
        compare = intervals.compare_unsigned
    elif is_boolean(op.lhs.type) and predicate.relation not in ("==", "!="):
        # A boolean read as signed is 0 or -1, not the 0 or 1 of its interval.
        return None
    else:
        compare = intervals.compare
    return compare(predicate.relation, of(op.lhs), of(op.rhs))


def _unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


_FLOAT_RELATIONS = RELATIONS | {
    "<>": lambda a, b: np.less(a, b) | np.greater(a, b),
    "ordered": lambda a, b: ~_unordered(a, b),
    "false": lambda a, b: np.zeros(np.broadcast(a, b).shape, np.bool_),
}
_FLOAT_EXPRESSIONS = {relation: f"{{0}} {relation} {{1}}" for relation in RELATIONS} | {
    "<>": "({0} < {1} or {0} > {1})",
    "ordered": "({0} == {0} and {1} == {1})",
    "false": "False",
}


def _compare_floats(op: arith.CmpfOp) -> Function:
    predicate = float_predicate(op)
    compare = _FLOAT_RELATIONS[predicate.relation]
    return (lambda a, b: ~compare(a, b)) if predicate.negated else compare


def _float_comparison(op: arith.CmpfOp) -> Python:
    predicate = float_predicate(op)
    return _anything("not " * predicate.negated + _FLOAT_EXPRESSIONS[predicate.relation])


def _decided_floats(op: arith.CmpfOp, of: IntervalOf) -> Interval | None:
    predicate = float_predicate(op)
    return (TRUE if predicate.negated else FALSE) if predicate.relation == "false" else None


# ----- casts ------------------------------------------------------------------------------------------------

_MINUS_ONE = "-int({0})"
"""Python expression of a boolean as a signed integer."""
_LOW_BIT = "bool({0} & 1)"


def _signed_interval(op: Operation, of: IntervalOf) -> Interval:
    return (-1, 0) if is_boolean(op.operands[0].type) else of(op.operands[0])


def _unsigned_interval(op: arith.ExtUIOp, of: IntervalOf) -> Interval:
    low, high = of(op.input)
    return (low, high) if low >= 0 else (0, (1 << width_of(op.input.type)) - 1)


def _narrowed_interval(op: arith.TruncIOp, of: IntervalOf) -> Interval | None:
    return None if is_boolean(op.result.type) else of(op.input)


def _index_cast(op: arith.IndexCastOp) -> Python:
    return Python("{0}", boolean=_MINUS_ONE if is_boolean(op.input.type) else _LOW_BIT)


_SELECT = Scalar(numpy=lambda op: np.where, python=_anything("{1} if {0} else {2}"), interval=_chosen)

CONVERSIONS: dict[type[Operation], Scalar] = {
    arith.SelectOp: _SELECT,
    MaskedSelectOp: _SELECT,
    arith.CmpiOp: Scalar(numpy=_compare_integers, python=_comparison, interval=_decided),
    arith.CmpfOp: Scalar(numpy=_compare_floats, python=_float_comparison, interval=_decided_floats),
    arith.BitcastOp: Scalar(float_functions.bits),
    arith.IndexCastOp: Scalar(
        numpy=integer_functions.to_integer(signed), python=_index_cast, interval=_signed_interval
    ),
    arith.ExtSIOp: Scalar(
        numpy=integer_functions.to_integer(signed),
        python=Python("{0}", boolean=_MINUS_ONE),
        interval=_signed_interval,
    ),
    arith.ExtUIOp: Scalar(
        numpy=integer_functions.to_integer(unsigned),
        python=Python("{0} & {mask}", boolean="int({0})"),
        interval=_unsigned_interval,
    ),
    arith.TruncIOp: Scalar(
        numpy=integer_functions.to_integer(unsigned),
        python=Python("{0}", boolean=_LOW_BIT),
        interval=_narrowed_interval,
    ),
    arith.SIToFPOp: Scalar(
        numpy=integer_functions.to_float(signed), python=Python("float({0})", boolean="float(-int({0}))")
    ),
    arith.UIToFPOp: Scalar(
        numpy=integer_functions.to_float(unsigned), python=Python("float({0} & {mask})", boolean="float({0})")
    ),
    # A float that is no such integer has no result in MLIR.
    arith.FPToSIOp: Scalar(numpy=float_functions.to_integer(signed=True), defined=lambda op, of: False),
    arith.FPToUIOp: Scalar(numpy=float_functions.to_integer(signed=False), defined=lambda op, of: False),
    arith.ExtFOp: Scalar(numpy=float_functions.to_float, python=Python("{0}", exact=True)),
    arith.TruncFOp: Scalar(numpy=float_functions.to_float, python=Python("{0}")),
}
