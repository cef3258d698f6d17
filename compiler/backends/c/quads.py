"""Sums of products of quads as C (`quad_functions.py` has what is called)."""

from __future__ import annotations

from loomir.compiler.backends.c.expressions import Expr, call, integer
from loomir.compiler.backends.c.scalar import Context
from loomir.dialects.quads import DotOp


def function_of(op: DotOp) -> str:
    """`dot`, or `dotu` where the bytes of the left factor have no sign."""
    return "dot" if op.unsigned is None else "dotu"


def dot(op: DotOp, c: Context) -> Expr:
    """The rule of `quads.dot` on numbers."""
    operands = [c.use(value) for value in op.operands]
    return call(c.runtime.fixed(function_of(op)), *operands, integer(op.zero.value.data))
