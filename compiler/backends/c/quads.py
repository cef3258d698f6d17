"""Sums of products of quads as C (`quad_functions.py` has what is called)."""

from __future__ import annotations

from loomir.compiler.backends.c.expressions import Expr, call, integer
from loomir.compiler.backends.c.scalar import Context
from loomir.dialects.quads import DotOp


def function_of(op: DotOp) -> str:
    """Return `dot`, or `dotu` if the left factor's bytes are unsigned."""
    return "dot" if op.unsigned is None else "dotu"


def dot(op: DotOp, c: Context) -> Expr:
    """The rule of `quads.dot` on numbers."""
    operands = [c.use(value) for value in op.operands]
    return call(c.runtime.fixed(function_of(op)), *operands, integer(op.zero.value.data))
