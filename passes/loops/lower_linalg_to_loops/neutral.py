"""Whether a padding value leaves an accumulation unchanged, so that padded iterations need not run at all.

The body of a `linalg.generic` is evaluated with the padded input replaced by its padding value: if every
result then is the accumulator that came in, the iteration may be skipped.

    acc + pad·w        pad = 0 and w finite (or integer)      a convolution
    acc + pad          pad = 0                                a sum
    max(acc, pad)      pad = −∞ or the least integer          max-pooling
    acc + (pad − z)·w  pad = z, integers                      a quantised convolution

The sign of a zero is not tracked: `-0.0 + 0.0·w` is `+0.0`, which compares equal to the `-0.0` that skipping
leaves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, SSAValue


@dataclass(frozen=True)
class Known:
    """A number: a Python float, or an int in two's complement."""

    number: int | float


@dataclass(frozen=True)
class Accumulator:
    """The value that output `index` had before this iteration."""

    index: int


@dataclass(frozen=True)
class Finite:
    """Some number that is neither infinite nor NaN."""


@dataclass(frozen=True)
class Anything:
    """Any value."""


Fact: TypeAlias = Known | Accumulator | Finite | Anything
FINITE, ANYTHING = Finite(), Anything()


def is_neutral(body: Block, facts: list[Fact]) -> bool:
    """Whether the body, given a fact for each argument, yields its accumulators unchanged.

    Integer arguments count as finite in any case.
    """
    known: dict[SSAValue, Fact] = {}
    for argument, fact in zip(body.args, facts, strict=True):
        known[argument] = FINITE if fact == ANYTHING and _is_integer(argument.type) else fact
    for op in body.ops:
        if isinstance(op, YieldOp):
            yielded = [_fact(value, known) for value in op.operands]
            return yielded == [Accumulator(i) for i in range(len(yielded))]
        for result in op.results:
            fact = _evaluate(op, [_fact(value, known) for value in op.operands])
            known[result] = FINITE if fact == ANYTHING and _is_integer(result.type) else fact
    raise AssertionError("a linalg body without linalg.yield")


def _fact(value: SSAValue, known: dict[SSAValue, Fact]) -> Fact:
    """What is known of a value inside or outside of the body."""
    if value in known:
        return known[value]
    number = constant_number(value)
    return ANYTHING if number is None else Known(number)


def constant_number(value: SSAValue) -> int | float | None:
    """The number of an `arith.constant`, or None."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr | FloatAttr):
        return op.value.value.data
    return None


def _is_integer(type: Attribute) -> bool:
    return isinstance(type, IntegerType | IndexType)


def _evaluate(op: Operation, operands: list[Fact]) -> Fact:
    if isinstance(op, arith.ConstantOp):
        number = constant_number(op.result)
        return ANYTHING if number is None else Known(number)
    if op.regions or len(op.results) != 1:
        return ANYTHING
    type = op.results[0].type
    match op, operands:
        case (arith.AddiOp() | arith.AddfOp(), [a, Known(number=0)]):
            return a
        case (arith.AddiOp() | arith.AddfOp(), [Known(number=0), b]):
            return b
        case (arith.SubiOp() | arith.SubfOp(), [a, Known(number=0)]):
            return a
        case (
            arith.MuliOp() | arith.MulfOp(),
            [Known(number=0), Finite() | Known()] | [Finite() | Known(), Known(number=0)],
        ):
            # A Known float may be infinite: 0·∞ is NaN.
            if all(
                isinstance(x, Finite) or math.isfinite(x.number)
                for x in operands
                if isinstance(x, Finite | Known)
            ):
                return Known(0)
            return ANYTHING
        case (arith.MaximumfOp(), [Known(number=n), other] | [other, Known(number=n)]) if n == -math.inf:
            return other
        case (arith.MinimumfOp(), [Known(number=n), other] | [other, Known(number=n)]) if n == math.inf:
            return other
        case (
            arith.MaxSIOp() | arith.MinSIOp() | arith.MaxUIOp() | arith.MinUIOp(),
            [Known(number=n), other] | [other, Known(number=n)],
        ) if _is_extreme(op, type, int(n)):
            return other
        case (arith.AddiOp(), [Known(number=a), Known(number=b)]):
            return _wrapped(int(a) + int(b), type)
        case (arith.SubiOp(), [Known(number=a), Known(number=b)]):
            return _wrapped(int(a) - int(b), type)
        case (arith.SubfOp(), [Known(number=a), Known(number=b)]) if a == b and math.isfinite(a):
            return Known(0.0)
        case (arith.ExtSIOp(), [Known()]):
            return operands[0]
        case (arith.ExtUIOp(), [Known(number=n)]):
            source = op.operands[0].type
            return Known(int(n) % (1 << source.width.data)) if isinstance(source, IntegerType) else ANYTHING
        case (arith.TruncIOp(), [Known(number=n)]):
            return _wrapped(int(n), type)
        case (arith.SIToFPOp(), [Known(number=n)]) if abs(n) <= 1 << 8:
            return Known(float(n))
        case (arith.ExtFOp(), [Known() | Finite()]):
            return operands[0]
        case (arith.SIToFPOp() | arith.UIToFPOp(), [Finite() | Known()]):
            return FINITE if _holds_any_integer(op.operands[0].type, type) else ANYTHING
        case (arith.TruncFOp(), [Known(number=n)]) if n == 0 or not math.isfinite(n):
            return operands[0]
        case _:
            return ANYTHING


def _wrapped(number: int, type: Attribute) -> Fact:
    """An integer in the two's complement of its type."""
    if not isinstance(type, IntegerType):
        return Known(number)
    width = type.width.data
    number %= 1 << width
    return Known(number - (1 << width) if width > 1 and number >> (width - 1) else number)


def _is_extreme(op: Operation, type: Attribute, number: int) -> bool:
    """Whether a number is the identity of an integer minimum or maximum."""
    if not isinstance(type, IntegerType):
        return False
    width = type.width.data
    match op:
        case arith.MaxSIOp():
            return number == -(1 << (width - 1))
        case arith.MinSIOp():
            return number == (1 << (width - 1)) - 1
        case arith.MaxUIOp():
            return number == 0
        case _:
            return number % (1 << width) == (1 << width) - 1


def _holds_any_integer(source: Attribute, target: Attribute) -> bool:
    """Whether no integer of the source type overflows the float type: all but f16 hold 2⁶⁴."""
    return isinstance(source, IntegerType) and isinstance(target, AnyFloat) and target.bitwidth > 16


def is_finite(array: np.ndarray) -> bool:
    """Whether all elements are finite; true of integers."""
    if array.dtype.kind in "iub":
        return True
    return bool(np.isfinite(array).all())
