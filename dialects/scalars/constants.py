"""Scalar facts that the IR itself states.

They are the value of an `arith.constant`, the trip count of a loop and the range of a type.
"""

from __future__ import annotations

from typing import Protocol, SupportsFloat, SupportsInt

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import is_unsigned
from loomir.dialects.scalars.intervals import Interval
from loomir.dialects.scalars.row import is_boolean, width_of


class Number(SupportsInt, SupportsFloat, Protocol):
    """Python's and numpy's numbers, and arrays of one."""


def constant_number(value: SSAValue) -> int | float | None:
    """Return the value of a scalar `arith.constant`, or None.

    The value is as stored in the attribute.
    """
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr | FloatAttr):
        return owner.value.value.data
    return None


def constant_integer(value: SSAValue) -> int | None:
    """Return the value of an integer `arith.constant`, or None.

    The value is as stored in the attribute.
    """
    number = constant_number(value)
    return number if isinstance(number, int) else None


def number_attr(number: Number, type_: Attribute) -> IntegerAttr | FloatAttr:
    """A number as the attribute of an `arith.constant` of this type."""
    if isinstance(type_, AnyFloat):
        return FloatAttr(float(number), type_)
    assert isinstance(type_, IntegerType | IndexType), type_
    return IntegerAttr(int(number), type_)


def constant_trips(loop: scf.ForOp) -> int | None:
    """Return the trip count of a loop, or None.

    The bounds must be constant, and the step constant and positive.
    """
    lower, upper, step = (constant_integer(value) for value in (loop.lb, loop.ub, loop.step))
    if lower is None or upper is None or step is None or step <= 0:
        return None
    return max(0, -((lower - upper) // step))


def wrapped(number: int, element: Attribute) -> int:
    """Wrap a number to the width of an integer type.

    The result is held signed; a boolean is 0 or 1.
    """
    if is_boolean(element):
        return number & 1
    half = 1 << (width_of(element) - 1)
    return (number + half) % (2 * half) - half


def type_range(element: Attribute) -> Interval:
    """Return the least and the greatest value of an integer type.

    A boolean is 0 or 1.
    """
    width = width_of(element)
    if width == 1 or is_unsigned(element):
        return 0, (1 << width) - 1
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def constant_range(value: SSAValue) -> Interval:
    """Return the range of an integer from its definition alone.

    The range is a single value for a constant, otherwise that of the type.
    """
    number = constant_integer(value)
    if number is None:
        return type_range(value.type)
    number = wrapped(number, value.type)
    return number, number
