"""Float operations of `arith` and `math` as C expressions.

Each is computed in the precision of its type. 16-bit floats are computed as `float` and rounded after each operation, as if
they had been computed in 16 bits.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.utils.fast_math import FastMathFlag
from xdsl.ir import Operation

from loomir.compiler.backends.c.expressions import (
    Expr,
    binary,
    boolean,
    call,
    cast,
    conditional,
    integer,
    unary,
)
from loomir.compiler.backends.c.literals import float_literal, kind
from loomir.compiler.backends.c.scalar import Context, Rule, rounded
from loomir.dialects.scalars.predicates import RELATIONS, float_predicate
from loomir.dialects.scalars.row import CLibrary, COperator
from loomir.passes.analysis.float_ranges import from_zero_on


def compare_floats(op: arith.CmpfOp, c: Context) -> Expr:
    """The rule of `arith.cmpf`."""
    predicate = float_predicate(op)
    if predicate.relation in RELATIONS:
        e = binary(predicate.relation, c.use(op.lhs), c.use(op.rhs))
        return unary("!", e) if predicate.negated else e
    a, b = c.atom(op.lhs), c.atom(op.rhs)
    if predicate.relation == "false":
        return boolean(predicate.negated)
    if predicate.relation == "<>":
        differ = binary("||", binary("<", a, b), binary(">", a, b))
        return unary("!", differ) if predicate.negated else differ
    unordered = call("isnan", a) if op.lhs is op.rhs else call("isunordered", a, b)
    # The macros give an int.
    return binary("!=" if predicate.negated else "==", unordered, integer(0))


def _float_kind(op: Operation) -> str:
    return "f64" if kind(op.results[0].type) == "f64" else "f32"


def operator_rule(form: COperator) -> Rule:
    """Return the rule for a C operator on floats.

    A prefix operator needs no rounding.
    """

    def rule(op: Operation, c: Context) -> Expr:
        if len(op.operands) == 1:
            return unary(form.operator, c.use(op.operands[0]))
        e = binary(form.operator, c.use(op.operands[0]), c.use(op.operands[1]))
        return rounded(e, kind(op.results[0].type), c)

    return rule


def library_rule(form: CLibrary) -> Rule:
    """The rule of a function of `<math.h>`."""

    def rule(op: Operation, c: Context) -> Expr:
        name = form.function if _float_kind(op) == "f64" else f"{form.function}f"
        return rounded(call(name, *(c.use(v) for v in op.operands)), kind(op.results[0].type), c)

    return rule


def extremum(operation: str, strict: str) -> Rule:
    """Return the rule for `maximumf` or `minimumf`.

    A comparison suffices if one operand is a literal or is known to be a number from +0 on; `nsz` leaves the sign of a zero
    open.
    """

    def rule(op: arith.MaximumfOp | arith.MinimumfOp, c: Context) -> Expr:
        either_zero = FastMathFlag.NO_SIGNED_ZEROS in op.fastmath.data
        a, b = op.operands
        if c.use(a).literal is not None or from_zero_on(a, c.ranges) is not None:
            a, b = b, a
        bound = c.use(b)
        value = bound.literal
        # Not -0.0: clang 14 takes `x < -0.0f ? -0.0f : x` for one that may turn 0 into -0.
        is_number = isinstance(value, float) and value == value and bound.text not in ("-0.0f", "-0.0")
        if is_number or from_zero_on(b, c.ranges) is not None:
            bound, x = c.atom(b), c.atom(a)
            # `x <= 0 ? 0 : x` turns -0 into 0, as maximumf does; minimumf keeps it.
            relation = strict + "=" if operation == "maximum" and not either_zero else strict
            return conditional(binary(relation, x, bound), bound, x)
        name = f"{operation}_nsz" if either_zero else operation
        return call(c.runtime.float(name, _float_kind(op)), c.use(a), bound)

    return rule


def reciprocal_root(op: Operation, c: Context) -> Expr:
    """The rule of `math.rsqrt`."""
    real = _float_kind(op)
    root = call("sqrt" if real == "f64" else "sqrtf", c.use(op.operands[0]))
    return rounded(binary("/", float_literal(1.0, real), root), kind(op.results[0].type), c)


def float_power(op: Operation, c: Context) -> Expr:
    """The rule of `math.fpowi`."""
    base, exponent = op.operands
    e = c.use(exponent)
    e = e if kind(exponent.type) == "i64" else cast("int64_t", e)
    return rounded(
        call(c.runtime.float("powi", _float_kind(op)), c.use(base), e), kind(op.results[0].type), c
    )
