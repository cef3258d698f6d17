"""Scalar operations as Python expressions.

Numbers are `float` (exactly a value of the type), `int` (signed) and `bool` (i1).

The table of scalar operations has expressions for the common ones; the others call the numpy function that the pure
interpreter uses, so that rare or delicate operations have a single definition.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Operation

from loomir.compiler.interpreters.codegen.source import Source, python_type
from loomir.compiler.interpreters.scalar import elementwise
from loomir.dialects.element_types import dtype_of, is_float
from loomir.dialects.scalars import SCALARS, Python
from loomir.dialects.scalars.row import is_boolean, is_integer, width_of


def scalar(source: Source, op: Operation, operands: Sequence[str]) -> None:
    """Write an elementwise operation on scalars and name its results."""
    python = SCALARS[type(op)].python
    if callable(python):
        python = python(op)
    expression = None if python is None else _expression(source, op, operands, python)
    if python is None or expression is None:
        _by_numpy(source, op, operands)
        return
    name = source.define(op.results[0])
    element = op.results[0].type
    if isinstance(element, Float32Type) and not python.exact:
        source.line(f"C[0] = {expression}")
        source.line(f"{name} = C[0]")
        return
    source.line(f"{name} = {expression}")
    if is_integer(element) and source.forms.ranges.wraps(op):
        half = 1 << (width_of(element) - 1)
        source.line(f"if not {-half} <= {name} <= {half - 1}:")
        source.line(f"    {name} = (({name} + {half}) & {2 * half - 1}) - {half}")


def _expression(source: Source, op: Operation, operands: Sequence[str], python: Python) -> str | None:
    """Return the expression of an operation, or None.

    The result is None if the types require the general implementation.
    """
    element = op.results[0].type
    if any(is_boolean(v.type) for v in (*op.operands, *op.results)):
        template = python.boolean
    elif is_float(element) and not python.exact and not _once_rounded(op):
        return None
    else:
        template = python.expression
    if template is None:
        return None
    given = op.operands[0].type
    mask = (1 << width_of(given)) - 1 if is_integer(given) else None
    numpy = _numpy_call(source, op, operands) if "{numpy}" in template else None
    return template.format(*operands, mask=mask, numpy=numpy)


def _once_rounded(op: Operation) -> bool:
    """Return True if a float result may be rounded from double.

    This holds for f64 and, unless an integer was rounded to double before, for f32.
    """
    element = op.results[0].type
    if isinstance(element, Float32Type):
        return not any(is_integer(v.type) and width_of(v.type) > 53 for v in op.operands)
    return isinstance(element, Float64Type)


def _numpy_call(source: Source, op: Operation, operands: Sequence[str]) -> str:
    """A call of the operation's numpy function, with one result converted back."""
    function = source.constant(elementwise(op))
    arguments = ", ".join(
        f"{source.constant(dtype_of(v.type).type)}({text})" for v, text in zip(op.operands, operands)
    )
    text = f"{function}({arguments})"
    return f"{python_type(op.results[0].type)}({text})" if len(op.results) == 1 else text


def _by_numpy(source: Source, op: Operation, operands: Sequence[str]) -> None:
    text = _numpy_call(source, op, operands)
    names = [source.define(r) for r in op.results]
    source.line(f"{', '.join(names)} = {text}")
    if len(names) > 1:
        for name, result in zip(names, op.results):
            source.line(f"{name} = {python_type(result.type)}({name})")
