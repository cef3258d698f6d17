"""Affine forms of the integers of `arith`.

Sums, differences and products are read through; any other value is a symbol.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.scalars.row import constant_integer, is_boolean, is_integer

MAX_DEPTH = 16
"""Operations that are looked back through."""


def form_of(value: SSAValue, *, exact: bool) -> AffineForm[SSAValue]:
    """Return the form of an integer.

    With `exact`, only operations that are certain not to wrap around (`overflow<nsw>`) are read through, and the integer is the form.
    Otherwise it is the form modulo 2^w, where w is the width of its type.
    """
    known: dict[SSAValue, AffineForm[SSAValue]] = {}

    def of(value: SSAValue, depth: int) -> AffineForm[SSAValue]:
        if value not in known:
            known[value] = computed(value, depth)
        return known[value]

    def computed(value: SSAValue, depth: int) -> AffineForm[SSAValue]:
        constant = constant_integer(value)
        if constant is not None and not is_boolean(value.type):
            return AffineForm(constant)
        op = value.owner
        if not depth or not isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp):
            return AffineForm.of(value)
        if not is_integer(value.type) or is_boolean(value.type):
            return AffineForm.of(value)
        if exact and arith.IntegerOverflowFlag.NSW not in op.overflow_flags.data:
            return AffineForm.of(value)
        a, b = (of(operand, depth - 1) for operand in op.operands)
        form = a + b if isinstance(op, arith.AddiOp) else a - b if isinstance(op, arith.SubiOp) else a * b
        return form if form.is_small else AffineForm.of(value)

    return of(value, MAX_DEPTH)


def difference(value: SSAValue, other: SSAValue, *, exact: bool) -> int | None:
    """Return the constant difference of two integers, or None."""
    if value is other:
        return 0
    a, b = constant_integer(value), constant_integer(other)
    if a is not None and b is not None and not is_boolean(value.type):
        return a - b
    return (form_of(value, exact=exact) - form_of(other, exact=exact)).number
