"""Rules of all operations of `arith`, `math` and `quads` as C expressions.

A rule takes the operation and a `Context` and returns the expression of its (first) result. An expression of an `i8` or
`i16` always has exactly that C type: values that C promotes to `int` are converted back.

Integer and boolean operations are plain operators where the intervals of the operands show that C defines the result, and
helper functions otherwise.

Each float operation is computed in the precision of its type. 16-bit floats are computed as `float` and rounded after each
operation, as if they had been computed in 16 bits.

Sums of products of quads call the functions of `vector_functions.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr
from xdsl.dialects.utils.fast_math import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.compiler.formats.c.expressions import (
    Expr,
    binary,
    bits,
    boolean,
    call,
    cast,
    choose_boolean,
    conditional,
    displaced,
    float_literal,
    integer,
    integer_literal,
    kind,
    negate,
    unary,
    value_type,
)
from loomir.compiler.formats.c.runtime import Runtime
from loomir.dialects import quads
from loomir.dialects.quads import DotOp
from loomir.dialects.scalars import RELATIONS, SCALARS, float_predicate, integer_predicate
from loomir.dialects.scalars.row import CInteger, CLibrary, COperator
from loomir.dialects.vectors import MaskedSelectOp
from loomir.errors import Error
from loomir.passes.analysis.value_ranges import IntegerRanges, non_negative_range


class Context(Protocol):
    """Context that an expression needs from its enclosing function."""

    runtime: Runtime
    ranges: IntegerRanges

    def use(self, value: SSAValue) -> Expr:
        """The expression of an operand, to be printed once."""
        ...

    def atom(self, value: SSAValue) -> Expr:
        """Return the operand as a variable or literal that may be repeated.

        It can be printed any number of times.
        """
        ...


Rule = Callable[[Any, Context], Expr]
"""Takes an operation of the class that it is the rule of."""


def unsigned_type(k: str) -> str:
    """The unsigned C type of an integer kind."""
    return "size_t" if k == "index" else f"uint{bits(k)}_t"


def wide_unsigned(k: str) -> str:
    return "size_t" if k == "index" else f"uint{max(32, bits(k))}_t"


def as_unsigned(e: Expr, k: str) -> Expr:
    """The bits of an integer read as unsigned."""
    if isinstance(e.literal, int) and (e.literal >= 0 or k != "index"):
        value = e.literal % (1 << bits(k))
        return integer(value, f"{value}u")
    return cast(unsigned_type(k), e)


def narrow(e: Expr, k: str) -> Expr:
    """Undo C's promotion to `int`; the value fits."""
    return cast(f"int{k[1:]}_t", e) if k in ("i8", "i16") else e


def refuse(op: Operation, why: str) -> Error:
    """Return the error for an operation, or a use, unsupported in C."""
    return Error("c-unsupported-op", why, op=op.name)


def choose(condition: Expr, a: Expr, b: Expr, t: Attribute) -> Expr:
    """`condition ? a : b` of a scalar type."""
    k = kind(t)
    if k == "i1":
        return choose_boolean(condition, a, b)
    if k in ("i64", "index") and a.literal is not None and b.literal is not None:
        # Two literals would make an int, in which the operations around it may overflow.
        a = cast(value_type(t), a)
    return narrow(conditional(condition, a, b), k)


def rounded(e: Expr, k: str, c: Context) -> Expr:
    """Round a result computed in `float` to its 16-bit type."""
    return call(c.runtime.fixed(f"round_{k}"), e) if k in ("f16", "bf16") else e


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
        if c.use(a).literal is not None or non_negative_range(a, c.ranges) is not None:
            a, b = b, a
        bound = c.use(b)
        value = bound.literal
        # Not -0.0: clang 14 takes `x < -0.0f ? -0.0f : x` for one that may turn 0 into -0.
        is_number = isinstance(value, float) and value == value and bound.text not in ("-0.0f", "-0.0")
        if is_number or non_negative_range(b, c.ranges) is not None:
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


def quads_function(op: DotOp) -> str:
    """Return `dot`, or `dotu` if the left factor's bytes are unsigned."""
    return "dot" if op.unsigned is None else "dotu"


def quads_dot(op: DotOp, c: Context) -> Expr:
    """The rule of `quads.dot` on numbers."""
    operands = [c.use(value) for value in op.operands]
    return call(c.runtime.fixed(quads_function(op)), *operands, integer(op.zero.value.data))


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
    quads.DotOp: quads_dot,
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
