"""Integer and boolean operations of `arith` and `math` as C expressions.

Plain operators where the intervals of the operands show that C defines the result, helper functions
otherwise.
"""

from __future__ import annotations

from xdsl.dialects import arith
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
from loomir.compiler.backends.c.literals import integer_literal, kind
from loomir.compiler.backends.c.scalar import Context, Rule, as_unsigned, narrow, refuse
from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.predicates import integer_predicate
from loomir.dialects.scalars.row import CInteger


def integer_rule(form: CInteger) -> Rule:
    """The rule of an operation on integers, from its row."""

    def rule(op: Operation, c: Context) -> Expr:
        k = kind(op.results[0].type)
        operands = [c.use(v) for v in op.operands]
        if k == "i1":
            return _boolean(form.boolean, op, *operands)
        if not _is_plain(form, op, c, k):
            return call(c.runtime.integer(form.function, k), *operands)
        a, b = operands
        if form.operator == "+" and k == "index":
            return displaced(a, b)
        if form.operator == "-" and k == "index" and b.offset is not None and isinstance(a.literal, int):
            # `2 - (j - 1)` is `3 - j`
            return binary("-", integer(a.literal - b.offset[1]), b.offset[0])
        return narrow(binary(form.operator, a, b), k)

    return rule


def _is_plain(form: CInteger, op: Operation, c: Context, k: str) -> bool:
    """Return True if C's operator has the semantics of the operation."""
    if not form.operator:
        return False
    row = SCALARS[type(op)]
    if row.defined is not None and not row.defined(op, c.ranges.of):
        return False
    if form.operator in ("<<", ">>") and k == "index" and c.ranges.of(op.operands[1])[1] >= 31:
        # An index may have 32 bits.
        return False
    if form.non_negative and any(c.ranges.of(v)[0] < 0 for v in op.operands):
        return False
    return not (form.fits and c.ranges.wraps(op))


def _boolean(operator: str, op: Operation, *operands: Expr) -> Expr:
    """Return one-bit two's complement arithmetic as a boolean expression.

    Addition is "not equal", and the signed order is reversed.
    """
    if not operator:
        raise refuse(op, "no such arithmetic on booleans")
    a, b = operands
    if a.text == b.text:
        return a if operator != "!=" else integer_literal(0, "i1")
    if operator == "!=":
        if a.literal is not None or b.literal is not None:
            literal, other = (a, b) if a.literal is not None else (b, a)
            return negate(other) if literal.literal else other
        return binary("!=", a, b)
    false, true = integer_literal(0, "i1"), integer_literal(1, "i1")
    return choose_boolean(a, b, false) if operator == "&&" else choose_boolean(a, true, b)


def extended_rule(form: CInteger, op: Operation, c: Context, index: int) -> Expr:
    """Result `index` of an operation with two, from its row."""
    k = kind(op.operands[0].type)
    if k in ("i1", "index"):
        raise refuse(op, f"no extended arithmetic on {k}")
    a, b = (c.atom(v) for v in op.operands)
    return call(c.runtime.integer(form.high if index else form.function, k), a, b)


def compare_integers(op: arith.CmpiOp, c: Context) -> Expr:
    """The rule of `arith.cmpi`."""
    predicate = integer_predicate(op)
    operator = predicate.relation
    k = kind(op.lhs.type)
    if k == "i1":
        return _compare_booleans(operator, predicate.unsigned, c.atom(op.lhs), c.atom(op.rhs))
    a, b = c.use(op.lhs), c.use(op.rhs)
    if a.text == b.text:
        # The same load twice, say: compilers warn of comparing a thing with itself.
        return integer_literal(predicate.reflexive, "i1")
    if predicate.unsigned and not all(c.ranges.of(v)[0] >= 0 for v in (op.lhs, op.rhs)):
        return binary(operator, as_unsigned(a, k), as_unsigned(b, k))
    return binary(operator, a, b)


def _compare_booleans(operator: str, unsigned: bool, a: Expr, b: Expr) -> Expr:
    if operator in ("==", "!="):
        if a.literal is not None or b.literal is not None:
            literal, other = (a, b) if a.literal is not None else (b, a)
            return other if bool(literal.literal) == (operator == "==") else negate(other)
        if a.text == b.text:
            return integer_literal(operator == "==", "i1")
        return binary(operator, a, b)
    # true is -1 where signed, 1 where unsigned.
    less, equal = operator.startswith("<"), operator.endswith("=")
    if less != unsigned:
        a, b = b, a
    # Now: a is false, and b is true (or they are equal).
    return binary("||" if equal else "&&", negate(a), b)
