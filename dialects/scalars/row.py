"""Row of the scalar operation table, and scalars that the IR states.

A `Scalar` describes one operation, with one column for each reader of the table.

Facts that the IR itself states are the value of an `arith.constant`, the trip count of a loop and the range of a type.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, SupportsFloat, SupportsInt

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import is_unsigned
from loomir.dialects.scalars.intervals import Interval

Array = Any
"""A numpy array or scalar."""
Function = Callable[..., Any]
"""Numpy function of the operands.

It returns a tuple if the operation has several results.
"""
IntervalOf = Callable[[SSAValue], Interval]
"""Known interval of an integer operand.

It is at least the range of the operand's type.
"""


def is_boolean(element: Attribute) -> bool:
    """Return True if the type is `i1`."""
    return isinstance(element, IntegerType) and element.width.data == 1


def is_integer(element: Attribute) -> bool:
    """Return True if the type is an integer, a boolean, or `index`."""
    return type(element) is IntegerType or type(element) is IndexType


def width_of(element: Attribute) -> int:
    """Bits of an integer type; `index` has 64."""
    if isinstance(element, IndexType):
        return 64
    assert isinstance(element, IntegerType)
    return element.width.data


@dataclass(frozen=True)
class Python:
    """Python expression of the operands `{0}`, `{1}` …

    An operand is a `float` that is a value of its type, an `int` read as signed, or a `bool` for i1.

    - `{mask}` is all bits of the first operand's type, `{numpy}` a call of the numpy function, for cases in which Python raises;
    - the emitter of the expression wraps an integer to its type and rounds a float to its type; `exact`: the float is already a
      value of the type. Any other float is f32 or f64 and rounded from double, which changes no result of these (p ≥ 2·24 + 2);
    - `boolean` is the expression for an operand or result of i1; without it the numpy function is called.
    """

    expression: str
    boolean: str | None = None
    exact: bool = False


@dataclass(frozen=True)
class CInteger:
    """C runtime function on integers, or an equivalent C operator.

    The operator is used if the operation is `defined` and

    - `fits`: the interval of the exact result is in the type;
    - `non_negative`: no operand can be negative.

    `boolean` is the operator on booleans, one of `!=`, `&&` and `||`; without it booleans are rejected. `high` is the function of
    a second result.
    """

    function: str
    operator: str = ""
    fits: bool = False
    non_negative: bool = False
    boolean: str = ""
    high: str = ""


@dataclass(frozen=True)
class COperator:
    """C's operator on floats, or its prefix where there is one operand."""

    operator: str


@dataclass(frozen=True)
class CLibrary:
    """A function of `<math.h>`, in the precision of the result."""

    function: str


@dataclass(frozen=True)
class COwn:
    """Marker for operations with their own code in the C printer.

    The code depends on types, predicates or literals.
    """


@dataclass(frozen=True)
class Scalar:
    """One operation of `arith` or `math`: a row of the table.

    - `numpy`: from an operation, the numpy function of its operands; it defines what the operation computes, all else agrees with it;
    - `c`, `python`: what the C printer and generated Python write; `python` may depend on the operation, and without it they call
      the numpy function;
    - `interval`: from an operation and the intervals of its operands, that of the mathematical result, before it is wrapped
      to its type: one that is not inside of the type says nothing, and so does None;
    - `defined`: whether operands in these intervals surely have a result in MLIR, so that the operation may run early; None: always;
    - `neutral`: the number that leaves the other operand unchanged, by the type: on either side where the operation is `commutative`, else
      on the right. The sign of a zero is not looked at.
    """

    numpy: Callable[[Any], Function]
    c: CInteger | COperator | CLibrary | COwn = field(default_factory=COwn)
    python: Python | Callable[[Any], Python] | None = None
    interval: Callable[[Any, IntervalOf], Interval | None] | None = None
    defined: Callable[[Any, IntervalOf], bool] | None = None
    neutral: Callable[[Attribute], float | None] | None = None
    commutative: bool = False


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


def low_bits(number: int, element: Attribute) -> int:
    """Wrap a number to the range of an integer type."""
    least, greatest = type_range(element)
    return (number - least) % (greatest - least + 1) + least


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
