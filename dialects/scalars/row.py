"""What the table of scalar operations says of one operation: a `Scalar`, a column for each of its readers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.scalars.intervals import Interval

Array = Any
"""A numpy array or scalar."""
Function = Callable[..., Any]
"""A numpy function of the operands; a tuple where the operation has several results."""
IntervalOf = Callable[[SSAValue], Interval]
"""What is known of an integer operand; at least the range of its type."""


def is_boolean(element: Attribute) -> bool:
    """Whether the type is `i1`."""
    return isinstance(element, IntegerType) and element.width.data == 1


def is_integer(element: Attribute) -> bool:
    """Whether the type is an integer, a boolean, or `index`."""
    return type(element) is IntegerType or type(element) is IndexType


def width_of(element: Attribute) -> int:
    """Bits of an integer type; `index` has 64."""
    if isinstance(element, IndexType):
        return 64
    assert isinstance(element, IntegerType)
    return element.width.data


@dataclass(frozen=True)
class Python:
    """A Python expression of the operands `{0}`, `{1}` …: a `float` that is a value of its type, an `int` read as signed, a `bool` of i1.

    - `{mask}` is all bits of the first operand's type, `{numpy}` a call of the numpy function, for what Python raises at;
    - an integer is wrapped to its type, and a float rounded to it, by whoever writes the expression; `exact`: the float is
      one of the type already. Any other is of f32 or f64 and rounded from double, which changes no result of these (p ≥ 2·24 + 2);
    - `boolean` is the expression where an operand or the result is i1, without which the numpy function is called.
    """

    expression: str
    boolean: str | None = None
    exact: bool = False


@dataclass(frozen=True)
class CInteger:
    """A function of the C runtime on integers, or C's operator where that is as good.

    That is so where the operation is `defined` and

    - `fits`: the interval of the exact result is in the type;
    - `non_negative`: no operand can be negative.

    `boolean` is the operator on booleans, one of `!=`, `&&` and `||`, without which they are refused; `high` the function of a second
    result.
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
    """The C printer has code of its own: it depends on types, predicates or literals."""


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
