"""Rules of all operations of `arith` and `math`.

Constants, choices and casts are defined here.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation

from loomir.compiler.backends.c.expressions import Expr, binary, call, cast, conditional, integer
from loomir.compiler.backends.c.floats import (
    compare_floats,
    extremum,
    float_power,
    library_rule,
    operator_rule,
    reciprocal_root,
)
from loomir.compiler.backends.c.integers import compare_integers, integer_rule
from loomir.compiler.backends.c.literals import float_literal, integer_literal, kind, value_type
from loomir.compiler.backends.c.quads import dot
from loomir.compiler.backends.c.scalar import (
    Context,
    Rule,
    as_unsigned,
    choose,
    refuse,
    rounded,
    wide_unsigned,
)
from loomir.dialects import quads
from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.row import CInteger, CLibrary, COperator
from loomir.dialects.vectors import MaskedSelectOp


def _constant(op: arith.ConstantOp, c: Context) -> Expr:
    k = kind(op.result.type)
    if isinstance(op.value, FloatAttr):
        return float_literal(op.value.value.data, k)
    value = c.ranges.constant(op.result)
    assert value is not None, op
    if k == "index" and value == (1 << 63) - 1:
        return Expr("PTRDIFF_MAX")
    return integer_literal(value, k)


def _select(op: arith.SelectOp, c: Context) -> Expr:
    condition, a, b = c.use(op.cond), c.use(op.lhs), c.use(op.rhs)
    return choose(condition, a, b, op.result.type)


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
    if not c.ranges.wraps(op):
        return cast(value_type(target.type), e)
    return call(c.runtime.integer("wrap", k), cast(wide_unsigned(k), e))


def _index_cast(op: Operation, c: Context) -> Expr:
    source, target = op.operands[0], op.results[0]
    k = kind(source.type)
    if k == "i1":
        return _extend(op, c)
    if k == "i64" and c.ranges.wraps(op):
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


_OWN: dict[type[Operation], Rule] = {
    arith.ConstantOp: _constant,
    arith.SelectOp: _select,
    MaskedSelectOp: _select,
    arith.CmpiOp: compare_integers,
    arith.CmpfOp: compare_floats,
    arith.MaximumfOp: extremum("maximum", "<"),
    arith.MinimumfOp: extremum("minimum", ">"),
    math.RsqrtOp: reciprocal_root,
    math.FPowIOp: float_power,
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
    quads.DotOp: dot,
}
"""Operations whose C has more than one form.

The form depends on predicates, literals, or two types at once.
"""


def _rules() -> Iterator[tuple[type[Operation], Rule]]:
    for op_class, row in SCALARS.items():
        match row.c:
            case CInteger(high=""):
                yield op_class, integer_rule(row.c)
            case COperator():
                yield op_class, operator_rule(row.c)
            case CLibrary():
                yield op_class, library_rule(row.c)
            case _:
                pass


RULES: dict[type[Operation], Rule] = {**dict(_rules()), **_OWN}
"""The rule of every scalar operation with one result."""
EXTENDED = {c: row.c for c, row in SCALARS.items() if isinstance(row.c, CInteger) and row.c.high}
"""The scalar operations with two."""
