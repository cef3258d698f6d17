"""Table of scalar operations, with one row of semantics per operation.

It covers the operations of `arith` and `math`, and `quads.dot`, for all of their readers.

| column of `Scalar` | read by |
|---|---|
| `numpy` | the interpreters, on arrays where iterations run at once (`compiler/engines`); the search for neutral padding |
| `python` | generated Python (`compiler/engines/codegen`) |
| `c` | the C printer (`compiler/formats/c`) |
| `interval` | `passes/analysis/value_ranges.py`, for C and generated Python: what cannot overflow is plain arithmetic |
| `defined` | every pass that moves an operation (`speculation.py`), and the C printer |
| `neutral`, `commutative` | the search for neutral padding (`passes/loops/lower_linalg_to_loops/padding.py`) |

Operands and results in numpy are arrays (or numpy scalars) with exactly `dtype_of(type)`: signless integers are held signed, `i1` as
`bool`, `index` as `int64`. Where MLIR leaves a result undefined, loomir defines one, so that engines agree:

| case | result |
|---|---|
| integer division or remainder by zero | 0 |
| `INT_MIN / -1` | wraps to `INT_MIN`, remainder 0 |
| shift by the width or more | 0; `shrsi`: the sign |
| `fptosi`, `fptoui` out of range | the nearest representable value; NaN gives 0 |

Callers disable numpy's warnings (`np.errstate(all="ignore")`). `arith.constant` has no row: it has a value and computes nothing.

Here are the rows of operations on floats, and of choices, comparisons and casts; those of integers are in `integers.py`. Predicates
of `arith.cmpi` and `arith.cmpf` are known by their numbers in MLIR.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import Operation

from loomir.dialects.numerics import error_function, rounded_away
from loomir.dialects.scalars import float_functions, integers, intervals
from loomir.dialects.scalars import float_functions as functions
from loomir.dialects.scalars.float_functions import floating, in_double, ordered_zeros
from loomir.dialects.scalars.integers import INTEGERS, QUADS, signed, unsigned
from loomir.dialects.scalars.intervals import FALSE, TRUE, Interval
from loomir.dialects.scalars.row import (
    Array,
    CLibrary,
    COperator,
    Function,
    IntervalOf,
    Python,
    Scalar,
    is_boolean,
    width_of,
)
from loomir.dialects.vectors import MaskedSelectOp

RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
"""Relations of numbers, written as in C and Python.

With NaN all but `!=` are false, in numpy too.
"""


@dataclass(frozen=True)
class IntegerPredicate:
    """A relation of the operands, read as signed or as unsigned."""

    relation: str
    unsigned: bool = False

    @property
    def reflexive(self) -> bool:
        """True if the predicate holds between a number and itself."""
        return "=" in self.relation and self.relation != "!="


@dataclass(frozen=True)
class FloatPredicate:
    """Predicate of `arith.cmpf`: a relation of the operands, or its negation.

    Beside the usual relations there are `<>` (one operand is less than the other), `ordered` (neither is NaN) and `false`. With
    `negated`, the predicate is the negation of the relation.
    """

    relation: str
    negated: bool = False


_INTEGER = (
    *map(IntegerPredicate, ("==", "!=", "<", "<=", ">", ">=")),
    *(IntegerPredicate(relation, unsigned=True) for relation in ("<", "<=", ">", ">=")),
)
_FLOAT = (
    *map(FloatPredicate, ("false", "==", ">", ">=", "<", "<=", "<>", "ordered")),
    # Unordered ones are the negation of the opposite.
    *(FloatPredicate(relation, negated=True) for relation in ("<>", "<=", "<", ">=", ">")),
    FloatPredicate("!="),
    FloatPredicate("ordered", negated=True),
    FloatPredicate("false", negated=True),
)


LESS = 2
"""Predicate of `arith.cmpi` for signed less-than."""
OPPOSITE = (1, 0, 5, 4, 3, 2, 9, 8, 7, 6)
"""Negation of each predicate of `arith.cmpi`."""
EXCHANGED = (0, 1, 4, 5, 2, 3, 8, 9, 6, 7)
"""Equivalent of each predicate of `arith.cmpi` for swapped operands."""


def integer_predicate(op: arith.CmpiOp) -> IntegerPredicate:
    return integer_predicate_of(op.predicate.value.data)


def integer_predicate_of(number: int) -> IntegerPredicate:
    """Return the integer predicate of this number."""
    return _INTEGER[number]


def integer_predicate_number(relation: str, *, unsigned: bool) -> int:
    """Return the predicate of `arith.cmpi` for a relation."""
    return _INTEGER.index(IntegerPredicate(relation, unsigned))


def float_predicate(op: arith.CmpfOp) -> FloatPredicate:
    return _FLOAT[op.predicate.value.data]


def _library(function: Function, name: str) -> Scalar:
    """A function that numpy and C's library have."""
    return Scalar(floating(function), CLibrary(name))


FLOATS: dict[type[Operation], Scalar] = {
    arith.AddfOp: Scalar(
        numpy=floating(np.add),
        c=COperator("+"),
        python=Python("{0} + {1}"),
        neutral=lambda t: 0.0,
        commutative=True,
    ),
    arith.SubfOp: Scalar(
        numpy=floating(np.subtract),
        c=COperator("-"),
        python=Python("{0} - {1}"),
        neutral=lambda t: 0.0,
    ),
    arith.MulfOp: Scalar(
        numpy=floating(np.multiply),
        c=COperator("*"),
        python=Python("{0} * {1}"),
        neutral=lambda t: 1.0,
        commutative=True,
    ),
    arith.DivfOp: Scalar(
        numpy=floating(np.divide),
        c=COperator("/"),
        # Python raises where IEEE 754 has infinities and NaN.
        python=Python("{0} / {1} if {1} else {numpy}"),
        neutral=lambda t: 1.0,
    ),
    arith.NegfOp: Scalar(
        numpy=floating(np.negative),
        c=COperator("-"),
        python=Python("-{0}", exact=True),
    ),
    arith.MaximumfOp: Scalar(
        numpy=floating(ordered_zeros(np.maximum, maximum=True)),
        neutral=lambda t: -inf,
        commutative=True,
    ),
    arith.MinimumfOp: Scalar(
        numpy=floating(ordered_zeros(np.minimum, maximum=False)),
        neutral=lambda t: inf,
        commutative=True,
    ),
    arith.MaxnumfOp: _library(ordered_zeros(np.fmax, maximum=True), "fmax"),
    arith.MinnumfOp: _library(ordered_zeros(np.fmin, maximum=False), "fmin"),
    math.AbsFOp: Scalar(floating(np.abs), CLibrary("fabs"), Python("abs({0})", exact=True)),
    math.AcosOp: _library(np.arccos, "acos"),
    math.AcoshOp: _library(np.arccosh, "acosh"),
    math.AsinOp: _library(np.arcsin, "asin"),
    math.AsinhOp: _library(np.arcsinh, "asinh"),
    math.Atan2Op: _library(np.arctan2, "atan2"),
    math.AtanOp: _library(np.arctan, "atan"),
    math.AtanhOp: _library(np.arctanh, "atanh"),
    math.CbrtOp: _library(np.cbrt, "cbrt"),
    math.CeilOp: _library(np.ceil, "ceil"),
    math.CopySignOp: _library(np.copysign, "copysign"),
    math.CosOp: _library(np.cos, "cos"),
    math.CoshOp: _library(np.cosh, "cosh"),
    math.ErfOp: _library(lambda x: error_function(np.asarray(x)), "erf"),
    math.Exp2Op: _library(np.exp2, "exp2"),
    math.ExpM1Op: _library(np.expm1, "expm1"),
    math.ExpOp: _library(np.exp, "exp"),
    math.FPowIOp: Scalar(functions.integer_power),
    math.FloorOp: _library(np.floor, "floor"),
    math.FmaOp: Scalar(functions.fused_multiply_add, CLibrary("fma")),
    math.Log10Op: _library(np.log10, "log10"),
    math.Log1pOp: _library(np.log1p, "log1p"),
    math.Log2Op: _library(np.log2, "log2"),
    math.LogOp: _library(np.log, "log"),
    # Not np.power: where the exponent is 0.5 for all, it takes the square root, also of -inf and -0.
    math.PowFOp: Scalar(in_double(np.float_power), CLibrary("pow")),
    # C99 has no roundeven; in the default rounding mode, which a caller must not leave, rint is that.
    math.RoundEvenOp: _library(np.rint, "rint"),
    math.RoundOp: _library(lambda x: rounded_away(np.asarray(x)), "round"),
    math.RsqrtOp: Scalar(floating(functions.reciprocal_root)),
    math.SinOp: _library(np.sin, "sin"),
    math.SinhOp: _library(np.sinh, "sinh"),
    math.SqrtOp: Scalar(
        numpy=floating(np.sqrt),
        c=CLibrary("sqrt"),
        python=Python("sqrt({0}) if {0} >= 0.0 else nan"),
    ),
    math.TanOp: _library(np.tan, "tan"),
    math.TanhOp: _library(np.tanh, "tanh"),
    math.TruncOp: _library(np.trunc, "trunc"),
}


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
        numpy=integers.to_integer(signed), python=_index_cast, interval=_signed_interval
    ),
    arith.ExtSIOp: Scalar(
        numpy=integers.to_integer(signed),
        python=Python("{0}", boolean=_MINUS_ONE),
        interval=_signed_interval,
    ),
    arith.ExtUIOp: Scalar(
        numpy=integers.to_integer(unsigned),
        python=Python("{0} & {mask}", boolean="int({0})"),
        interval=_unsigned_interval,
    ),
    arith.TruncIOp: Scalar(
        numpy=integers.to_integer(unsigned),
        python=Python("{0}", boolean=_LOW_BIT),
        interval=_narrowed_interval,
    ),
    arith.SIToFPOp: Scalar(
        numpy=integers.to_float(signed), python=Python("float({0})", boolean="float(-int({0}))")
    ),
    arith.UIToFPOp: Scalar(
        numpy=integers.to_float(unsigned), python=Python("float({0} & {mask})", boolean="float({0})")
    ),
    # A float that is no such integer has no result in MLIR.
    arith.FPToSIOp: Scalar(numpy=float_functions.to_integer(signed=True), defined=lambda op, of: False),
    arith.FPToUIOp: Scalar(numpy=float_functions.to_integer(signed=False), defined=lambda op, of: False),
    arith.ExtFOp: Scalar(numpy=float_functions.to_float, python=Python("{0}", exact=True)),
    arith.TruncFOp: Scalar(numpy=float_functions.to_float, python=Python("{0}")),
}


__all__ = ["NUMBERS", "SCALARS", "Python", "Scalar"]

SCALARS: dict[type[Operation], Scalar] = {**INTEGERS, **FLOATS, **CONVERSIONS, **QUADS}
"""Operation class → its row."""

NUMBERS = frozenset(SCALARS) - {arith.SelectOp, MaskedSelectOp} | {arith.ConstantOp}
"""Operations on numbers and vectors of numbers only.

Most operations of a program are among them. `arith.select` is not: it also chooses between memrefs.
"""
