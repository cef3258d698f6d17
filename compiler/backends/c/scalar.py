"""`arith` and `math` as C expressions.

Each function takes the operation and a `Context` and returns the expression of its (first) result. An
expression of an `i8` or `i16` always has just that C type: what C promotes to `int` is converted back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from xdsl.dialects import arith
from xdsl.dialects import math as mlir_math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.compiler.backends.c.expressions import (
    Expr,
    binary,
    call,
    cast,
    choose_boolean,
    conditional,
    integer,
    negate,
    unary,
)
from loomir.compiler.backends.c.literals import bits, float_literal, integer_literal, kind, limits, value_type
from loomir.compiler.backends.c.ranges import Ranges
from loomir.compiler.backends.c.runtime import Runtime
from loomir.errors import Error


class Context(Protocol):
    """What an expression needs from the function it stands in."""

    runtime: Runtime
    ranges: Ranges

    def use(self, value: SSAValue) -> Expr:
        """The expression of an operand, to be printed once."""
        ...

    def atom(self, value: SSAValue) -> Expr:
        """The operand as a variable or literal, to be printed any number of times."""
        ...


Rule = Callable[[Operation, Context], Expr]


def unsigned_type(k: str) -> str:
    """The unsigned C type of an integer kind."""
    return "size_t" if k == "index" else f"uint{bits(k)}_t"


def _wide_unsigned(k: str) -> str:
    return "size_t" if k == "index" else f"uint{max(32, bits(k))}_t"


def as_unsigned(e: Expr, k: str) -> Expr:
    """The bits of an integer read as unsigned."""
    if isinstance(e.literal, int) and (e.literal >= 0 or k != "index"):
        value = e.literal % (1 << bits(k))
        return integer(value, f"{value}u")
    return cast(unsigned_type(k), e)


def _narrow(e: Expr, k: str) -> Expr:
    """Undo C's promotion to `int`; the value fits."""
    return cast(f"int{k[1:]}_t", e) if k in ("i8", "i16") else e


def _plain(operator: str, op: Operation, c: Context, k: str) -> Expr:
    return _narrow(binary(operator, c.use(op.operands[0]), c.use(op.operands[1])), k)


def _helper(operation: str, op: Operation, c: Context, k: str) -> Expr:
    return call(c.runtime.integer(operation, k), *(c.use(v) for v in op.operands))


def refuse(op: Operation, why: str) -> Error:
    """The error for an operation, or a use of one, that C does not get."""
    return Error("c-unsupported-op", why, op=op.name)


# Booleans: two's complement of one bit, so that adding is "not equal" and the signed order is reversed.
_BOOLEAN: dict[type[Operation], str] = {
    arith.AddiOp: "!=", arith.SubiOp: "!=", arith.XOrIOp: "!=", arith.MuliOp: "&&", arith.AndIOp: "&&",
    arith.OrIOp: "||", arith.MaxSIOp: "&&", arith.MinSIOp: "||", arith.MaxUIOp: "||", arith.MinUIOp: "&&",
}  # fmt: skip


def _integer(op: Operation, c: Context) -> Expr:
    k = kind(op.results[0].type)
    if k == "i1":
        if type(op) not in _BOOLEAN:
            raise refuse(op, "no such arithmetic on booleans")
        a, b = (c.use(v) for v in op.operands)
        operator = _BOOLEAN[type(op)]
        if operator == "!=":
            if a.literal is not None or b.literal is not None:
                literal, other = (a, b) if a.literal is not None else (b, a)
                return negate(other) if literal.literal else other
            return binary("!=", a, b)
        false = integer_literal(0, "i1")
        true = integer_literal(1, "i1")
        return choose_boolean(a, b, false) if operator == "&&" else choose_boolean(a, true, b)
    return _INTEGER[type(op)](op, c, k)


def _wrapping(operator: str, operation: str):
    def rule(op: Operation, c: Context, k: str) -> Expr:
        if c.ranges.fits(op.results[0], c.ranges.exact(op)):
            return _plain(operator, op, c, k)
        return _helper(operation, op, c, k)

    return rule


def _bitwise(operator: str):
    def rule(op: Operation, c: Context, k: str) -> Expr:
        return _plain(operator, op, c, k)

    return rule


def _calling(operation: str):
    def rule(op: Operation, c: Context, k: str) -> Expr:
        return _helper(operation, op, c, k)

    return rule


def _signed_division(operator: str, operation: str):
    def rule(op: Operation, c: Context, k: str) -> Expr:
        (low, _), (b_low, b_high) = (c.ranges.of(v) for v in op.operands)
        no_zero = b_low > 0 or b_high < 0
        no_overflow = b_low > -1 or b_high < -1 or low > limits(k)[0]
        # On a 32-bit target the least index is another number than the one that `limits` knows.
        if no_zero and no_overflow and (k != "index" or b_low > 0):
            return _plain(operator, op, c, k)
        return _helper(operation, op, c, k)

    return rule


def _non_negative_division(operator: str, operation: str):
    """Unsigned and flooring division are C's own where nothing is negative."""

    def rule(op: Operation, c: Context, k: str) -> Expr:
        (low, _), (b_low, _) = (c.ranges.of(v) for v in op.operands)
        if low >= 0 and b_low > 0:
            return _plain(operator, op, c, k)
        return _helper(operation, op, c, k)

    return rule


def _shift(operator: str, operation: str):
    def rule(op: Operation, c: Context, k: str) -> Expr:
        (low, high), (n_low, n_high) = (c.ranges.of(v) for v in op.operands)
        most = high << min(n_high, 64) if operator == "<<" and n_high >= 0 else high
        inside = n_low >= 0 and n_high < (31 if k == "index" else bits(k))
        if low >= 0 and inside and c.ranges.fits(op.results[0], (0, most)):
            return _plain(operator, op, c, k)
        return _helper(operation, op, c, k)

    return rule


_INTEGER: dict[type[Operation], Callable[[Operation, Context, str], Expr]] = {
    arith.AddiOp: _wrapping("+", "add"),
    arith.SubiOp: _wrapping("-", "sub"),
    arith.MuliOp: _wrapping("*", "mul"),
    arith.DivSIOp: _signed_division("/", "div"),
    arith.RemSIOp: _signed_division("%", "rem"),
    arith.DivUIOp: _non_negative_division("/", "divu"),
    arith.RemUIOp: _non_negative_division("%", "remu"),
    arith.FloorDivSIOp: _non_negative_division("/", "floordiv"),
    arith.CeilDivSIOp: _calling("ceildiv"),
    arith.CeilDivUIOp: _calling("ceildivu"),
    arith.MinSIOp: _calling("min"),
    arith.MaxSIOp: _calling("max"),
    arith.MinUIOp: _calling("minu"),
    arith.MaxUIOp: _calling("maxu"),
    arith.AndIOp: _bitwise("&"),
    arith.OrIOp: _bitwise("|"),
    arith.XOrIOp: _bitwise("^"),
    arith.ShLIOp: _shift("<<", "shl"),
    arith.ShRSIOp: _shift(">>", "shrs"),
    arith.ShRUIOp: _shift(">>", "shru"),
    mlir_math.AbsIOp: _calling("abs"),
    mlir_math.CountLeadingZerosOp: _calling("ctlz"),
    mlir_math.CountTrailingZerosOp: _calling("cttz"),
    mlir_math.CtPopOp: _calling("ctpop"),
    mlir_math.IPowIOp: _calling("ipow"),
}


def extended(op: Operation, c: Context, index: int) -> Expr:
    """Result `index` of `addui_extended`, `mului_extended`, `mulsi_extended`."""
    k = kind(op.operands[0].type)
    if k in ("i1", "index"):
        raise refuse(op, f"no extended arithmetic on {k}")
    a, b = (c.atom(v) for v in op.operands)
    operation = {
        arith.AddUIExtendedOp: ("add", "carry"),
        arith.MulUIExtendedOp: ("mul", "mulhu"),
        arith.MulSIExtendedOp: ("mul", "mulhs"),
    }[type(op)][index]
    return call(c.runtime.integer(operation, k), a, b)


def _constant(op: Operation, c: Context) -> Expr:
    assert isinstance(op, arith.ConstantOp)
    k = kind(op.result.type)
    if isinstance(op.value, FloatAttr):
        return float_literal(op.value.value.data, k)
    assert isinstance(op.value, IntegerAttr), op
    value = c.ranges.constant(op.result)
    assert value is not None
    if k == "index" and value == (1 << 63) - 1:
        return Expr("PTRDIFF_MAX")
    return integer_literal(value, k)


_SIGNED = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")


def _compare_integers(op: Operation, c: Context) -> Expr:
    assert isinstance(op, arith.CmpiOp)
    predicate = op.predicate.value.data
    operator = _SIGNED[predicate]
    k = kind(op.lhs.type)
    if k == "i1":
        a, b = c.atom(op.lhs), c.atom(op.rhs)
        if predicate < 2:
            if a.literal is not None or b.literal is not None:
                literal, other = (a, b) if a.literal is not None else (b, a)
                return other if bool(literal.literal) == (predicate == 0) else negate(other)
            return binary(operator, a, b)
        # true is -1 where signed, 1 where unsigned.
        less, equal = operator.startswith("<"), operator.endswith("=")
        if (predicate < 6) == less:
            a, b = b, a
        # Now: a is false, and b is true (or they are equal).
        return binary("||" if equal else "&&", negate(a), b)
    if predicate >= 6 and not all(c.ranges.of(v)[0] >= 0 for v in (op.lhs, op.rhs)):
        return binary(operator, as_unsigned(c.use(op.lhs), k), as_unsigned(c.use(op.rhs), k))
    return binary(operator, c.use(op.lhs), c.use(op.rhs))


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


def _select(op: Operation, c: Context) -> Expr:
    assert isinstance(op, arith.SelectOp)
    condition, a, b = c.use(op.cond), c.use(op.lhs), c.use(op.rhs)
    return choose(condition, a, b, op.result.type)


def choose(condition: Expr, a: Expr, b: Expr, t: Attribute) -> Expr:
    """`condition ? a : b` of a scalar type."""
    k = kind(t)
    if k == "i1":
        return choose_boolean(condition, a, b)
    if k in ("i64", "index") and a.literal is not None and b.literal is not None:
        # Two literals would make an int, in which the operations around it may overflow.
        a = cast(value_type(t), a)
    return _narrow(conditional(condition, a, b), k)


def _extend(op: Operation, c: Context) -> Expr:
    source, target = op.operands[0], op.results[0]
    k = kind(source.type)
    e = c.use(source)
    if k == "i1":
        if isinstance(op, arith.ExtUIOp):
            return cast(value_type(target.type), e)
        return choose(e, integer(-1), integer(0), target.type)
    if isinstance(op, arith.ExtUIOp) and c.ranges.of(source)[0] < 0:
        e = as_unsigned(e, k)
    return cast(value_type(target.type), e)


def _truncate(op: Operation, c: Context) -> Expr:
    source, target = op.operands[0], op.results[0]
    e, k = c.use(source), kind(target.type)
    if k == "i1":
        return binary("!=", binary("&", e, integer(1)), integer(0))
    if c.ranges.fits(target, c.ranges.of(source)):
        return cast(value_type(target.type), e)
    return call(c.runtime.integer("wrap", k), cast(_wide_unsigned(k), e))


def _index_cast(op: Operation, c: Context) -> Expr:
    source, target = op.operands[0], op.results[0]
    k = kind(source.type)
    if k == "i1":
        return _extend(op, c)
    if k == "i64" and not c.ranges.fits(target, c.ranges.of(source)):
        return call(c.runtime.fixed("index_i64"), c.use(source))
    if k != "index" or kind(target.type) == "i64":
        return cast(value_type(target.type), c.use(source))
    return _truncate(op, c)


def _integer_to_float(op: Operation, c: Context) -> Expr:
    source, target = op.operands[0], op.results[0]
    k, real = kind(source.type), kind(target.type)
    e = c.use(source)
    signed = isinstance(op, arith.SIToFPOp)
    if k == "i1" and signed:
        return conditional(e, float_literal(-1.0, real), float_literal(0.0, real))
    if not signed and c.ranges.of(source)[0] < 0:
        e = as_unsigned(e, k)
    return rounded(cast(value_type(target.type), e), real, c)


def _float_to_integer(op: Operation, c: Context) -> Expr:
    source, target = op.operands[0], op.results[0]
    real, k = kind(source.type), kind(target.type)
    if k == "i1":
        raise refuse(op, "no conversion of a float to a boolean: compare it with zero")
    real = "f64" if real == "f64" else "f32"
    operation = "to" if isinstance(op, arith.FPToSIOp) else "tou"
    return call(c.runtime.convert(operation, real, k), c.use(source))


def _float_cast(op: Operation, c: Context) -> Expr:
    source, target = (kind(v.type) for v in (op.operands[0], op.results[0]))
    e = c.use(op.operands[0])
    if (source == "f64") != (target == "f64"):
        e = cast("double" if target == "f64" else "float", e)
    return rounded(e, target, c) if isinstance(op, arith.TruncFOp) else e


def _bitcast(op: Operation, c: Context) -> Expr:
    source, target = (kind(v.type) for v in (op.operands[0], op.results[0]))
    e = c.use(op.operands[0])
    if source == target:
        return e
    if source in ("f16", "bf16") and target == "i16":
        return call(c.runtime.integer("wrap", "i16"), call(c.runtime.fixed(f"store_{source}"), e))
    if source == "i16" and target in ("f16", "bf16"):
        return call(c.runtime.fixed(f"load_{target}"), as_unsigned(e, "i16"))
    if (source, target) in (("f32", "i32"), ("f64", "i64")):
        return call(c.runtime.convert("bits_to", source, target), e)
    if (source, target) in (("i32", "f32"), ("i64", "f64")):
        return call(c.runtime.convert("bits_of", source, target), e)
    raise refuse(op, f"no bitcast from {source} to {target}")


def rounded(e: Expr, k: str, c: Context) -> Expr:
    """A result computed in `float`, rounded to the 16 bits that it stands for."""
    return call(c.runtime.fixed(f"round_{k}"), e) if k in ("f16", "bf16") else e


def _float_kind(op: Operation) -> str:
    return "f64" if kind(op.results[0].type) == "f64" else "f32"


def _float_binary(operator: str) -> Rule:
    def rule(op: Operation, c: Context) -> Expr:
        e = binary(operator, c.use(op.operands[0]), c.use(op.operands[1]))
        return rounded(e, kind(op.results[0].type), c)

    return rule


def _extremum(operation: str, strict: str) -> Rule:
    """`maximumf`, `minimumf`: against a literal a comparison is enough."""

    def rule(op: Operation, c: Context) -> Expr:
        a, b = op.operands
        if c.use(a).literal is not None:
            a, b = b, a
        bound = c.use(b)
        value = bound.literal
        # Not -0.0: clang 14 takes `x < -0.0f ? -0.0f : x` for one that may turn 0 into -0.
        if isinstance(value, float) and value == value and bound.text not in ("-0.0f", "-0.0"):
            x = c.atom(a)
            # `x <= 0 ? 0 : x` turns -0 into 0, as maximumf does; minimumf keeps it.
            relation = strict + "=" if operation == "maximum" else strict
            return conditional(binary(relation, x, bound), bound, x)
        return call(c.runtime.float(operation, _float_kind(op)), c.use(a), bound)

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
    mlir_math.AbsFOp: "fabs", mlir_math.AcosOp: "acos", mlir_math.AcoshOp: "acosh", mlir_math.AsinOp: "asin",
    mlir_math.AsinhOp: "asinh", mlir_math.AtanOp: "atan", mlir_math.AtanhOp: "atanh", mlir_math.Atan2Op: "atan2",
    mlir_math.CbrtOp: "cbrt", mlir_math.CeilOp: "ceil", mlir_math.CopySignOp: "copysign", mlir_math.CosOp: "cos",
    mlir_math.CoshOp: "cosh", mlir_math.ErfOp: "erf", mlir_math.ExpOp: "exp", mlir_math.Exp2Op: "exp2",
    mlir_math.ExpM1Op: "expm1", mlir_math.FloorOp: "floor", mlir_math.FmaOp: "fma", mlir_math.LogOp: "log",
    mlir_math.Log2Op: "log2", mlir_math.Log10Op: "log10", mlir_math.Log1pOp: "log1p", mlir_math.PowFOp: "pow",
    mlir_math.RoundOp: "round", mlir_math.SinOp: "sin", mlir_math.SinhOp: "sinh", mlir_math.SqrtOp: "sqrt",
    mlir_math.TanOp: "tan", mlir_math.TanhOp: "tanh", mlir_math.TruncOp: "trunc",
    # C99 has no roundeven; in the default rounding mode, which a caller must not leave, rint is that.
    mlir_math.RoundEvenOp: "rint",
    arith.MaxnumfOp: "fmax", arith.MinnumfOp: "fmin",
}  # fmt: skip

RULES: dict[type[Operation], Rule] = {
    **dict.fromkeys(_INTEGER, _integer),
    **{op: _library(function) for op, function in _LIBRARY.items()},
    arith.ConstantOp: _constant,
    arith.CmpiOp: _compare_integers,
    arith.CmpfOp: _compare_floats,
    arith.SelectOp: _select,
    arith.AddfOp: _float_binary("+"),
    arith.SubfOp: _float_binary("-"),
    arith.MulfOp: _float_binary("*"),
    arith.DivfOp: _float_binary("/"),
    arith.NegfOp: _negate_float,
    arith.MaximumfOp: _extremum("maximum", "<"),
    arith.MinimumfOp: _extremum("minimum", ">"),
    arith.ExtSIOp: _extend,
    arith.ExtUIOp: _extend,
    arith.TruncIOp: _truncate,
    arith.IndexCastOp: _index_cast,
    arith.SIToFPOp: _integer_to_float,
    arith.UIToFPOp: _integer_to_float,
    arith.FPToSIOp: _float_to_integer,
    arith.FPToUIOp: _float_to_integer,
    arith.ExtFOp: _float_cast,
    arith.TruncFOp: _float_cast,
    arith.BitcastOp: _bitcast,
    mlir_math.RsqrtOp: _reciprocal_root,
    mlir_math.FPowIOp: _float_power,
}
"""The rule of every scalar operation with one result."""

EXTENDED = (arith.AddUIExtendedOp, arith.MulUIExtendedOp, arith.MulSIExtendedOp)
