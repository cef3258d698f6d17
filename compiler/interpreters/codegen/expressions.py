"""One scalar operation as Python: numbers are `float` (exactly a value of the type), `int` (signed) and
`bool` (i1).

`emit` writes the fast form of the common operations; for the rest it calls the numpy function that the pure
interpreter uses, so that there is one definition of what is rare or delicate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type, Float64Type, IndexType, IntegerType
from xdsl.ir import Operation

from loomir.compiler.interpreters.arith import width_of
from loomir.compiler.interpreters.codegen.source import Source, python_type
from loomir.compiler.interpreters.core import is_boolean
from loomir.compiler.interpreters.scalar import elementwise
from loomir.dialects.element_types import dtype_of

Emit = Callable[[Source, Operation, Sequence[str]], "str | None"]
"""Gives an expression for the result, or None where the operation needs the general way."""


def scalar(source: Source, op: Operation, operands: Sequence[str]) -> None:
    """Write an elementwise operation on scalars and name its results."""
    emit = _EMIT.get(type(op))
    expression = emit(source, op, operands) if emit is not None else None
    if expression is None:
        _by_numpy(source, op, operands)
        return
    name = source.define(op.results[0])
    element = op.results[0].type
    if isinstance(element, Float32Type) and type(op) not in _EXACT:
        source.line(f"C[0] = {expression}")
        source.line(f"{name} = C[0]")
        return
    source.line(f"{name} = {expression}")
    if type(op) in _WRAPPING and source.forms.wraps(op.results[0]):
        half = 1 << (width_of(element) - 1)
        source.line(f"if not {-half} <= {name} <= {half - 1}:")
        source.line(f"    {name} = (({name} + {half}) & {2 * half - 1}) - {half}")


def _by_numpy(source: Source, op: Operation, operands: Sequence[str]) -> None:
    function = source.constant(elementwise(op))
    arguments = ", ".join(
        f"{source.constant(dtype_of(v.type).type)}({text})" for v, text in zip(op.operands, operands)
    )
    names = [source.define(r) for r in op.results]
    if len(names) == 1:
        source.line(f"{names[0]} = {python_type(op.results[0].type)}({function}({arguments}))")
        return
    source.line(f"{', '.join(names)} = {function}({arguments})")
    for name, result in zip(names, op.results):
        source.line(f"{name} = {python_type(result.type)}({name})")


def _integer(template: str) -> Emit:
    """An operation on integers of more than one bit, whose result may have to be wrapped."""

    def emit(source: Source, op: Operation, operands: Sequence[str]) -> str | None:
        return None if is_boolean(op.operands[0].type) else template.format(*operands)

    return emit


def _any(template: str) -> Emit:
    return lambda source, op, operands: template.format(*operands)


def _float(template: str) -> Emit:
    """Exact in double for f64; for f32 double is wide enough that rounding twice does no harm (p ≥
    2·24 + 2).
    """

    def emit(source: Source, op: Operation, operands: Sequence[str]) -> str | None:
        wide = isinstance(op.operands[0].type, Float32Type | Float64Type)
        return template.format(*operands) if wide else None

    return emit


_SIGNED = {0: "==", 1: "!=", 2: "<", 3: "<=", 4: ">", 5: ">="}
_UNSIGNED = {6: "<", 7: "<=", 8: ">", 9: ">="}
_ORDERED = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 13: "!="}


def _cmpi(source: Source, op: Operation, operands: Sequence[str]) -> str | None:
    assert isinstance(op, arith.CmpiOp)
    predicate = op.predicate.value.data
    a, b = operands
    if predicate < 2:
        return f"{a} {_SIGNED[predicate]} {b}"
    if is_boolean(op.lhs.type):
        return None
    if predicate in _SIGNED:
        return f"{a} {_SIGNED[predicate]} {b}"
    mask = (1 << width_of(op.lhs.type)) - 1
    return f"({a} & {mask}) {_UNSIGNED[predicate]} ({b} & {mask})"


def _cmpf(source: Source, op: Operation, operands: Sequence[str]) -> str | None:
    assert isinstance(op, arith.CmpfOp)
    sign = _ORDERED.get(op.predicate.value.data)
    return None if sign is None else f"{operands[0]} {sign} {operands[1]}"


def _division(source: Source, op: Operation, operands: Sequence[str]) -> str | None:
    if not isinstance(op.operands[0].type, Float32Type | Float64Type):
        return None
    a, b = operands
    by_zero = source.constant(elementwise(op))
    kind = source.constant(dtype_of(op.operands[0].type).type)
    # Python raises where IEEE 754 has infinities and NaN.
    return f"{a} / {b} if {b} else float({by_zero}({kind}({a}), {kind}({b})))"


def _square_root(source: Source, op: Operation, operands: Sequence[str]) -> str | None:
    if not isinstance(op.operands[0].type, Float32Type | Float64Type):
        return None
    (a,) = operands
    root, nan = source.constant(sqrt), source.constant(float("nan"))
    return f"{root}({a}) if {a} >= 0.0 else {nan}"


def _widen_integer(source: Source, op: Operation, operands: Sequence[str]) -> str | None:
    (a,) = operands
    given = op.operands[0].type
    if is_boolean(given):
        return f"-int({a})" if isinstance(op, arith.ExtSIOp | arith.IndexCastOp) else f"int({a})"
    if isinstance(op, arith.ExtUIOp):
        return f"{a} & {(1 << width_of(given)) - 1}"
    return a if isinstance(op, arith.ExtSIOp) or width_of(op.results[0].type) == 64 else None


def _truncate_integer(source: Source, op: Operation, operands: Sequence[str]) -> str | None:
    if is_boolean(op.results[0].type):
        return f"bool({operands[0]} & 1)"
    half = 1 << (width_of(op.results[0].type) - 1)
    return f"(({operands[0]} + {half}) & {2 * half - 1}) - {half}"


def _index_cast(source: Source, op: Operation, operands: Sequence[str]) -> str | None:
    if isinstance(op.results[0].type, IndexType):
        return _widen_integer(source, op, operands)
    return _truncate_integer(source, op, operands) if width_of(op.results[0].type) < 64 else operands[0]


def _integer_to_float(source: Source, op: Operation, operands: Sequence[str]) -> str | None:
    given, target = op.operands[0].type, op.results[0].type
    if (
        not isinstance(given, IntegerType)
        or is_boolean(given)
        or not isinstance(target, Float32Type | Float64Type)
    ):
        return None
    if isinstance(target, Float32Type) and width_of(given) > 53:
        return None  # through double it would be rounded twice
    return f"float({operands[0]})"


_WRAPPING = {arith.AddiOp, arith.SubiOp, arith.MuliOp}
_EXACT = {arith.SelectOp, arith.NegfOp, arith.ExtFOp, math.AbsFOp, arith.MaxnumfOp, arith.MinnumfOp}

_EMIT: dict[type[Operation], Emit] = {
    arith.AddiOp: _integer("{0} + {1}"),
    arith.SubiOp: _integer("{0} - {1}"),
    arith.MuliOp: _integer("{0} * {1}"),
    arith.MinSIOp: _integer("{0} if {0} < {1} else {1}"),
    arith.MaxSIOp: _integer("{0} if {0} > {1} else {1}"),
    arith.AndIOp: _any("{0} & {1}"),
    arith.OrIOp: _any("{0} | {1}"),
    arith.XOrIOp: _any("{0} ^ {1}"),
    arith.CmpiOp: _cmpi,
    arith.CmpfOp: _cmpf,
    arith.SelectOp: _any("{1} if {0} else {2}"),
    arith.AddfOp: _float("{0} + {1}"),
    arith.SubfOp: _float("{0} - {1}"),
    arith.MulfOp: _float("{0} * {1}"),
    arith.DivfOp: _division,
    arith.NegfOp: _float("-{0}"),
    math.AbsFOp: _float("abs({0})"),
    math.SqrtOp: _square_root,
    arith.ExtSIOp: _widen_integer,
    arith.ExtUIOp: _widen_integer,
    arith.TruncIOp: _truncate_integer,
    arith.IndexCastOp: _index_cast,
    arith.SIToFPOp: _integer_to_float,
    arith.ExtFOp: _any("{0}"),
    arith.TruncFOp: lambda source, op, operands: (
        operands[0] if isinstance(op.results[0].type, Float32Type) else None
    ),
}
