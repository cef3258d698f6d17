"""Quantisation parameters of patterns in GRAPH.

The patterns are FakeQuantize, and the operations that importers emit for QuantizeLinear and DequantizeLinear. They define

    real number = scale · (integer − zero point)

Each function below inspects one place in a GRAPH program, and returns None if the numbers are unknown, there is more than one
scale, or the place is no quantisation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.dialects.element_types import i8, is_integer, ui8
from loomir.dialects.ov.attributes import to_int, to_str
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp, RoundOp
from loomir.dialects.ov.operators.pooling import MaxPoolOp
from loomir.dialects.ov.operators.quantisation import FakeQuantizeOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp
from loomir.dialects.quantisation import Quantisation
from loomir.passes.analysis.empty_windows import may_have_empty_windows
from loomir.passes.analysis.integer_weights import LEVEL_OF_ZERO
from loomir.passes.analysis.known_arrays import MOVES, PICKS, known_array


@dataclass(frozen=True)
class Steps:
    """Quantisation parameters of 8 or 16-bit integers.

    The represented number is scale · (integer − zero).
    """

    scale: Fraction
    zero: int
    element: Attribute

    @staticmethod
    def of(scale: Fraction, zero: Fraction, element: Attribute) -> Steps | None:
        """Return steps with an integral 32-bit zero point, or None.

        The zero point must be an integer up to `LEVEL_OF_ZERO`. The scale is rounded to single precision, as in programs.
        """
        held = Fraction(float(np.float32(float(scale))))
        if not held or abs(zero) >= 1 << 31 or abs(zero - round(zero)) > LEVEL_OF_ZERO:
            return None
        return Steps(held, round(zero), element)

    def to(self, wanted: Attribute) -> Steps:
        """Return these steps with integers of another 8-bit type.

        Integers of 16 bits keep their type.
        """
        if self.element == wanted or {self.element, wanted} != {i8, ui8}:
            return self
        return replace(self, zero=self.zero + (-128 if wanted == i8 else 128), element=wanted)

    @property
    def said(self) -> Quantisation:
        """These steps as they appear in a program's interface."""
        return Quantisation(float(self.scale), self.zero)


def steps_of_reads(value: SSAValue) -> Steps | None:
    """Return the steps that a value's users agree on, or None.

    The users quantise floats, or dequantise integers, in one way; they may read parts of the value.
    """
    read = _dequantised if is_narrow(fact_of(value).element) else _quantised
    found, todo = set[Steps | None](), [value]
    while todo:
        for use in todo.pop().uses:
            reader = use.operation
            if isinstance(reader, (*MOVES, *PICKS)) and use.index == 0:
                todo.append(reader.results[0])
            elif isinstance(reader, LoopOp) and use.index >= len(reader.operands) - len(reader.sliced):
                todo.append(reader.part_arguments[use.index - len(reader.operands)])
            elif not isinstance(reader, ShapeOfOp):
                found.add(read(reader) if use.index == 0 else None)
    return found.pop() if len(found) == 1 else None


def steps_of_value(value: SSAValue) -> Steps | None:
    """Return the steps of a value that directly results from a quantisation.

    The value is the quantised integers, or floats with few distinct levels.
    """
    op = _maker(value)
    if isinstance(op, ConvertOp) and is_narrow(op.destination_type):
        return _integers_of(op)
    if isinstance(op, FakeQuantizeOp):
        return _of_levels(op, 3)
    return _reals_of(op) if isinstance(op, MultiplyOp) else None


def is_narrow(element: Attribute) -> bool:
    """Return True for integer types of 8 or 16 bits."""
    return is_integer(element) and isinstance(element, IntegerType) and element.width.data in (8, 16)


def _quantised(op: Operation) -> Steps | None:
    """Return the steps of an operation that starts the quantisation of floats.

    The operation is FakeQuantize, or the division or multiplication of the pattern in `_integers_of`, which must have no other
    users.
    """
    if isinstance(op, FakeQuantizeOp):
        return _of_levels(op, 1)
    if not isinstance(op, DivideOp | MultiplyOp):
        return None
    following = _only_user(op)
    while isinstance(following, RoundOp | AddOp | ClampOp):
        following = _only_user(following)
    if not isinstance(following, ConvertOp) or not is_narrow(following.destination_type):
        return None
    return _integers_of(following)


def _integers_of(op: ConvertOp) -> Steps | None:
    """Return the steps of integers that were quantised from floats.

    They come from a FakeQuantize whose levels are these integers, or from round(x / scale) + zero point, clamped.
    """
    element, before, zero = op.destination_type, _maker(op.data), Fraction(0)
    if isinstance(before, FakeQuantizeOp):
        integers, reals = _ends(before, 3), _ends(before, 1)
        return _of_ends(integers, reals, to_int(before.levels), element)
    if isinstance(before, ClampOp):
        before = _maker(before.operands[0])
    if isinstance(before, AddOp):
        known = _single(before.b)
        if known is None:
            return None
        zero, before = known, _maker(before.a)
    if not isinstance(before, RoundOp) or to_str(before.mode) != "half_to_even":
        return None
    scaled = _maker(before.operands[0])
    if not isinstance(scaled, DivideOp | MultiplyOp) or (scale := _single(scaled.b)) is None or scale <= 0:
        return None
    return Steps.of(scale if isinstance(scaled, DivideOp) else 1 / scale, zero, element)


def _dequantised(op: Operation) -> Steps | None:
    """Return the steps of an operation that starts the dequantisation of integers.

    The pattern is a FakeQuantize whose levels are these integers, or the one in `_reals_of`.
    """
    if not isinstance(op, ConvertOp):
        return None
    following = _only_user(op)
    if isinstance(following, FakeQuantizeOp):
        element = fact_of(op.data).element
        return _of_ends(_ends(following, 1), _ends(following, 3), to_int(following.levels), element)
    if isinstance(following, SubtractOp):
        following = _only_user(following)
    return _reals_of(following) if isinstance(following, MultiplyOp) else None


def _reals_of(op: MultiplyOp) -> Steps | None:
    """Floats that were made of integers: (x − zero point) · scale."""
    scale, before, zero = _single(op.b), _maker(op.a), Fraction(0)
    if isinstance(before, SubtractOp):
        known = _single(before.b)
        if known is None:
            return None
        zero, before = known, _maker(before.a)
    if scale is None or scale <= 0 or not isinstance(before, ConvertOp):
        return None
    element = fact_of(before.data).element
    return Steps.of(scale, zero, element) if is_narrow(element) else None


_Ends = tuple[Fraction, Fraction]


def _ends(op: FakeQuantizeOp, at: int) -> _Ends | None:
    """Return the range of a FakeQuantize's input (`at` 1) or output (3).

    The range consists of the least and the greatest number.
    """
    low, high = (_single(limit) for limit in op.operands[at : at + 2])
    return None if low is None or high is None or low >= high else (low, high)


def _of_levels(op: FakeQuantizeOp, at: int) -> Steps | None:
    """With the levels, counted from 0, for integers."""
    levels = to_int(op.levels)
    return _of_ends((Fraction(0), Fraction(levels - 1)), _ends(op, at), levels, ui8)


def _of_ends(integers: _Ends | None, reals: _Ends | None, levels: int, element: Attribute) -> Steps | None:
    """Of the first and the last integer and what they stand for."""
    if integers is None or reals is None or levels > 256 or integers[1] - integers[0] != levels - 1:
        return None
    scale = (reals[1] - reals[0]) / (levels - 1)
    return Steps.of(scale, integers[0] - reals[0] / scale, element)


def _only_user(op: Operation) -> Operation | None:
    """Return the only user of a result, looking through moves."""
    user = op.results[0].get_user_of_unique_use()
    while isinstance(user, MOVES):
        user = user.results[0].get_user_of_unique_use()
    return user


def _maker(value: SSAValue) -> Operation | Block:
    """Return the operation that defines a value, looking through moves.

    It also looks through max pooling, whose result has the same steps.
    """
    while isinstance(op := value.owner, (*MOVES, MaxPoolOp)) and value is op.results[0]:
        if isinstance(op, MaxPoolOp) and may_have_empty_windows(op):
            # (The greatest of nothing has no steps.)
            return op
        value = op.operands[0]
    return op


def _single(value: SSAValue) -> Fraction | None:
    """The one number that a value is known to be."""
    known = known_array(value)
    if known is None or known.size != 1 or not np.isfinite(known).all():
        return None
    return Fraction(float(known.reshape(())))
