"""Float operations of `arith` and `math` as C expressions, in the precision of their type.

16-bit floats are computed as `float` and rounded after each operation, as if they had been computed in
16 bits.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects import math as mlir_math
from xdsl.dialects.utils.fast_math import FastMathFlag
from xdsl.ir import Operation

from loomir.compiler.backends.c.expressions import Expr, binary, call, cast, conditional, integer, unary
from loomir.compiler.backends.c.literals import float_literal, kind
from loomir.compiler.backends.c.scalar import Context, Rule, rounded

# Ordered predicates are C's own; unordered ones are the negation of the opposite.
_ORDERED = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<="}
_UNORDERED = {9: "<=", 10: "<", 11: ">=", 12: ">"}


def _compare_floats(op: Operation, c: Context) -> Expr:
    assert isinstance(op, arith.CmpfOp)
    predicate = op.predicate.value.data
    if predicate in _ORDERED:
        return binary(_ORDERED[predicate], c.use(op.lhs), c.use(op.rhs))
    if predicate in _UNORDERED:
        return unary("!", binary(_UNORDERED[predicate], c.use(op.lhs), c.use(op.rhs)))
    if predicate == 13:
        return binary("!=", c.use(op.lhs), c.use(op.rhs))
    a, b = c.atom(op.lhs), c.atom(op.rhs)
    if predicate in (6, 8):  # one, ueq
        differ = binary("||", binary("<", a, b), binary(">", a, b))
        return differ if predicate == 6 else unary("!", differ)
    unordered = call("isnan", a) if op.lhs is op.rhs else call("isunordered", a, b)
    # The macros give an int.
    return binary("!=" if predicate == 14 else "==", unordered, integer(0))


def _float_kind(op: Operation) -> str:
    return "f64" if kind(op.results[0].type) == "f64" else "f32"


def _float_binary(operator: str) -> Rule:
    def rule(op: Operation, c: Context) -> Expr:
        e = binary(operator, c.use(op.operands[0]), c.use(op.operands[1]))
        return rounded(e, kind(op.results[0].type), c)

    return rule


def _extremum(operation: str, strict: str) -> Rule:
    """`maximumf`, `minimumf`: against a literal a comparison is enough; `nsz` leaves the sign of a zero open."""

    def rule(op: Operation, c: Context) -> Expr:
        assert isinstance(op, arith.MaximumfOp | arith.MinimumfOp)
        either_zero = FastMathFlag.NO_SIGNED_ZEROS in op.fastmath.data
        a, b = op.operands
        if c.use(a).literal is not None:
            a, b = b, a
        bound = c.use(b)
        value = bound.literal
        # Not -0.0: clang 14 takes `x < -0.0f ? -0.0f : x` for one that may turn 0 into -0.
        if isinstance(value, float) and value == value and bound.text not in ("-0.0f", "-0.0"):
            x = c.atom(a)
            # `x <= 0 ? 0 : x` turns -0 into 0, as maximumf does; minimumf keeps it.
            relation = strict + "=" if operation == "maximum" and not either_zero else strict
            return conditional(binary(relation, x, bound), bound, x)
        name = f"{operation}_nsz" if either_zero else operation
        return call(c.runtime.float(name, _float_kind(op)), c.use(a), bound)

    return rule


def _library(function: str) -> Rule:
    """A function of `<math.h>`, in the precision of its result."""

    def rule(op: Operation, c: Context) -> Expr:
        name = function if _float_kind(op) == "f64" else f"{function}f"
        return rounded(call(name, *(c.use(v) for v in op.operands)), kind(op.results[0].type), c)

    return rule


def _reciprocal_root(op: Operation, c: Context) -> Expr:
    real = _float_kind(op)
    root = call("sqrt" if real == "f64" else "sqrtf", c.use(op.operands[0]))
    return rounded(binary("/", float_literal(1.0, real), root), kind(op.results[0].type), c)


def _float_power(op: Operation, c: Context) -> Expr:
    base, exponent = op.operands
    e = c.use(exponent)
    e = e if kind(exponent.type) == "i64" else cast("int64_t", e)
    return rounded(
        call(c.runtime.float("powi", _float_kind(op)), c.use(base), e), kind(op.results[0].type), c
    )


def _negate_float(op: Operation, c: Context) -> Expr:
    return unary("-", c.use(op.operands[0]))


_LIBRARY = {
    mlir_math.AbsFOp: "fabs",
    mlir_math.AcosOp: "acos",
    mlir_math.AcoshOp: "acosh",
    mlir_math.AsinOp: "asin",
    mlir_math.AsinhOp: "asinh",
    mlir_math.AtanOp: "atan",
    mlir_math.AtanhOp: "atanh",
    mlir_math.Atan2Op: "atan2",
    mlir_math.CbrtOp: "cbrt",
    mlir_math.CeilOp: "ceil",
    mlir_math.CopySignOp: "copysign",
    mlir_math.CosOp: "cos",
    mlir_math.CoshOp: "cosh",
    mlir_math.ErfOp: "erf",
    mlir_math.ExpOp: "exp",
    mlir_math.Exp2Op: "exp2",
    mlir_math.ExpM1Op: "expm1",
    mlir_math.FloorOp: "floor",
    mlir_math.FmaOp: "fma",
    mlir_math.LogOp: "log",
    mlir_math.Log2Op: "log2",
    mlir_math.Log10Op: "log10",
    mlir_math.Log1pOp: "log1p",
    mlir_math.PowFOp: "pow",
    mlir_math.RoundOp: "round",
    mlir_math.SinOp: "sin",
    mlir_math.SinhOp: "sinh",
    mlir_math.SqrtOp: "sqrt",
    mlir_math.TanOp: "tan",
    mlir_math.TanhOp: "tanh",
    mlir_math.TruncOp: "trunc",
    # C99 has no roundeven; in the default rounding mode, which a caller must not leave, rint is that.
    mlir_math.RoundEvenOp: "rint",
    arith.MaxnumfOp: "fmax",
    arith.MinnumfOp: "fmin",
}

FLOATS: dict[type[Operation], Rule] = {
    **{op: _library(function) for op, function in _LIBRARY.items()},
    arith.CmpfOp: _compare_floats,
    arith.AddfOp: _float_binary("+"),
    arith.SubfOp: _float_binary("-"),
    arith.MulfOp: _float_binary("*"),
    arith.DivfOp: _float_binary("/"),
    arith.NegfOp: _negate_float,
    arith.MaximumfOp: _extremum("maximum", "<"),
    arith.MinimumfOp: _extremum("minimum", ">"),
    mlir_math.RsqrtOp: _reciprocal_root,
    mlir_math.FPowIOp: _float_power,
}
