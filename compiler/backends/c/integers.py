"""Integer and boolean operations of `arith` and `math` as C expressions.

Plain operators where the intervals of the operands show that C defines the result, helper functions
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects import math as mlir_math
from xdsl.ir import Operation

from loomir.compiler.backends.c.expressions import (
    Expr,
    binary,
    call,
    choose_boolean,
    displaced,
    integer,
    negate,
)
from loomir.compiler.backends.c.literals import bits, integer_literal, kind, limits
from loomir.compiler.backends.c.scalar import Context, Rule, as_unsigned, narrow, refuse


def _plain(operator: str, op: Operation, c: Context, k: str) -> Expr:
    return narrow(binary(operator, c.use(op.operands[0]), c.use(op.operands[1])), k)


def _helper(operation: str, op: Operation, c: Context, k: str) -> Expr:
    return call(c.runtime.integer(operation, k), *(c.use(v) for v in op.operands))


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
        if a.text == b.text:
            return a if operator != "!=" else integer_literal(0, "i1")
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
        if not c.ranges.fits(op.results[0], c.ranges.exact(op)):
            return _helper(operation, op, c, k)
        if operator == "+" and k == "index":
            return displaced(c.use(op.operands[0]), c.use(op.operands[1]))
        if operator == "-" and k == "index":
            a, b = (c.use(v) for v in op.operands)
            if b.offset is not None and isinstance(a.literal, int):
                # `2 - (j - 1)` is `3 - j`
                return binary("-", integer(a.literal - b.offset[1]), b.offset[0])
            return binary("-", a, b)
        return _plain(operator, op, c, k)

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


EXTENDED = (arith.AddUIExtendedOp, arith.MulUIExtendedOp, arith.MulSIExtendedOp)


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
            if a.text == b.text:
                return integer_literal(operator == "==", "i1")
            return binary(operator, a, b)
        # true is -1 where signed, 1 where unsigned.
        less, equal = operator.startswith("<"), operator.endswith("=")
        if (predicate < 6) == less:
            a, b = b, a
        # Now: a is false, and b is true (or they are equal).
        return binary("||" if equal else "&&", negate(a), b)
    a, b = c.use(op.lhs), c.use(op.rhs)
    if a.text == b.text:
        # The same load twice, say: compilers warn of comparing a thing with itself.
        return integer_literal(operator in ("==", "<=", ">="), "i1")
    if predicate >= 6 and not all(c.ranges.of(v)[0] >= 0 for v in (op.lhs, op.rhs)):
        return binary(operator, as_unsigned(a, k), as_unsigned(b, k))
    return binary(operator, a, b)


INTEGERS: dict[type[Operation], Rule] = {**dict.fromkeys(_INTEGER, _integer), arith.CmpiOp: _compare_integers}
