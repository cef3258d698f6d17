"""Quantisation parameters of patterns in GRAPH, and tensors computed with integers.

The patterns are FakeQuantize, and the operations that importers emit for QuantizeLinear and DequantizeLinear. They define

    real number = scale · (integer − zero point)

Each function that returns `QuantisationParameters` inspects one operation or value of a GRAPH program, and returns None if the
numbers are unknown, there is more than one scale, or it is no quantisation.

The maximum of a max-pooling window that contains only padding is -inf, or the least integer, whatever that integer represents
(`may_have_empty_windows`).

A quantised tensor that a pass computes with integers is associated with the value of the program before the pass that it represents
(`QuantisedTensor`). They are reported to a listener, as remarks are, so that `--check-each-pass` can inspect the tensors one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.dialects.element_types import i8, is_integer, ui8
from loomir.dialects.interface import Quantisation
from loomir.dialects.ov.attributes import to_int, to_str
from loomir.dialects.ov.facts import Dim, fact_of
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp, FakeQuantizeOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp, RoundOp
from loomir.dialects.ov.operators.pooling import MaxPoolOp, counted
from loomir.dialects.ov.operators.reshape import ShapeOfOp
from loomir.dialects.ov.operators.windows import Window
from loomir.passes.analysis.integer_weights import LEVEL_OF_ZERO, MOVES, PICKS, known_array


def may_have_empty_windows(op: MaxPoolOp) -> bool:
    """Return True if a window of the maximum may be empty."""
    shape, windows = fact_of(op.data).shape, op.windows()
    extents = [Dim()] * len(windows) if shape is None else shape[2:]
    return any(may_be_empty(window, extent) for window, extent in zip(windows, extents, strict=True))


def may_be_empty(window: Window, extent: Dim) -> bool:
    """Return True if a window over an axis may contain only padding.

    `extent` is the interval of the axis' extent.
    """
    known = extent.static
    if known is not None:
        # (Where the window does not fit there is none.)
        return window.count(known) > 0 and bool(counted(window, known, padding=False).min() < 1)
    if window.is_same:
        # Without dilations each window is next to an element, whatever the extent.
        return window.dilation > 1 or extent.lo < 1
    (begin, end), reach = window.padding(0), window.span - 1
    if begin and (begin > reach or extent.lo < window.dilation):
        return True
    # Does the last window begin behind the input? (Of `ceil_torch` one that does is left out.)
    return end + window.stride > window.span if window.rounding == "ceil" else end > reach


@dataclass(frozen=True)
class QuantisationParameters:
    """Quantisation parameters of 8 or 16-bit integers.

    The represented number is scale · (integer − zero).
    """

    scale: Fraction
    zero: int
    element: Attribute

    @staticmethod
    def of(scale: Fraction, zero: Fraction, element: Attribute) -> QuantisationParameters | None:
        """Return steps with an integral 32-bit zero point, or None.

        The zero point must be an integer up to `LEVEL_OF_ZERO`. The scale is rounded to single precision, as in programs.
        """
        held = Fraction(float(np.float32(float(scale))))
        if not held or abs(zero) >= 1 << 31 or abs(zero - round(zero)) > LEVEL_OF_ZERO:
            return None
        return QuantisationParameters(held, round(zero), element)

    def to(self, wanted: Attribute) -> QuantisationParameters:
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


def parameters_of_reads(value: SSAValue) -> QuantisationParameters | None:
    """Return the steps that a value's users agree on, or None.

    The users quantise floats, or dequantise integers, in one way; they may read parts of the value.
    """
    read = _dequantised if is_narrow(fact_of(value).element) else _quantised
    found, todo = set[QuantisationParameters | None](), [value]
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


def parameters_of_value(value: SSAValue) -> QuantisationParameters | None:
    """Return the steps of a value that directly results from a quantisation.

    The value is the quantised integers, or floats with few distinct levels.
    """
    op = _defining_op(value)
    if isinstance(op, ConvertOp) and is_narrow(op.destination_type):
        return _integers_of(op)
    if isinstance(op, FakeQuantizeOp):
        return _of_levels(op, 3)
    return _reals_of(op) if isinstance(op, MultiplyOp) else None


def is_narrow(element: Attribute) -> bool:
    """Return True for integer types of 8 or 16 bits."""
    return is_integer(element) and isinstance(element, IntegerType) and element.width.data in (8, 16)


def _quantised(op: Operation) -> QuantisationParameters | None:
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


def _integers_of(op: ConvertOp) -> QuantisationParameters | None:
    """Return the steps of integers that were quantised from floats.

    They come from a FakeQuantize whose levels are these integers, or from round(x / scale) + zero point, clamped.
    """
    element, before, zero = op.destination_type, _defining_op(op.data), Fraction(0)
    if isinstance(before, FakeQuantizeOp):
        integers, reals = _ends(before, 3), _ends(before, 1)
        return _of_ends(integers, reals, to_int(before.levels), element)
    if isinstance(before, ClampOp):
        before = _defining_op(before.operands[0])
    if isinstance(before, AddOp):
        known = _single(before.b)
        if known is None:
            return None
        zero, before = known, _defining_op(before.a)
    if not isinstance(before, RoundOp) or to_str(before.mode) != "half_to_even":
        return None
    scaled = _defining_op(before.operands[0])
    if not isinstance(scaled, DivideOp | MultiplyOp) or (scale := _single(scaled.b)) is None or scale <= 0:
        return None
    return QuantisationParameters.of(scale if isinstance(scaled, DivideOp) else 1 / scale, zero, element)


def _dequantised(op: Operation) -> QuantisationParameters | None:
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


def _reals_of(op: MultiplyOp) -> QuantisationParameters | None:
    """Floats that were made of integers: (x − zero point) · scale."""
    scale, before, zero = _single(op.b), _defining_op(op.a), Fraction(0)
    if isinstance(before, SubtractOp):
        known = _single(before.b)
        if known is None:
            return None
        zero, before = known, _defining_op(before.a)
    if scale is None or scale <= 0 or not isinstance(before, ConvertOp):
        return None
    element = fact_of(before.data).element
    return QuantisationParameters.of(scale, zero, element) if is_narrow(element) else None


_Ends = tuple[Fraction, Fraction]


def _ends(op: FakeQuantizeOp, at: int) -> _Ends | None:
    """Return the range of a FakeQuantize's input (`at` 1) or output (3).

    The range consists of the least and the greatest number.
    """
    low, high = (_single(limit) for limit in op.operands[at : at + 2])
    return None if low is None or high is None or low >= high else (low, high)


def _of_levels(op: FakeQuantizeOp, at: int) -> QuantisationParameters | None:
    """With the levels, counted from 0, for integers."""
    levels = to_int(op.levels)
    return _of_ends((Fraction(0), Fraction(levels - 1)), _ends(op, at), levels, ui8)


def _of_ends(
    integers: _Ends | None, reals: _Ends | None, levels: int, element: Attribute
) -> QuantisationParameters | None:
    """Of the first and the last integer and what they stand for."""
    if integers is None or reals is None or levels > 256 or integers[1] - integers[0] != levels - 1:
        return None
    scale = (reals[1] - reals[0]) / (levels - 1)
    return QuantisationParameters.of(scale, integers[0] - reals[0] / scale, element)


def _only_user(op: Operation) -> Operation | None:
    """Return the only user of a result, looking through moves."""
    user = op.results[0].get_user_of_unique_use()
    while isinstance(user, MOVES):
        user = user.results[0].get_user_of_unique_use()
    return user


def _defining_op(value: SSAValue) -> Operation | Block:
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


@dataclass(frozen=True)
class QuantisedTensor:
    """Correspondence of integers to a value of the program before the pass.

    `value` is scale · (`integers` − zero), up to one step; scale and zero broadcast to it.
    """

    value: SSAValue
    integers: SSAValue
    scale: np.ndarray
    zero: np.ndarray


QuantisedTensorListener = Callable[[QuantisedTensor], None]

_quantised_tensor_listener: ContextVar[QuantisedTensorListener | None] = ContextVar(
    "listener_of_quantised_tensors", default=None
)


@contextmanager
def listening_to_quantised_tensors(listener: QuantisedTensorListener) -> Iterator[None]:
    """While a pass runs."""
    token = _quantised_tensor_listener.set(listener)
    try:
        yield
    finally:
        _quantised_tensor_listener.reset(token)


def report_quantised_tensor(value: SSAValue, integers: SSAValue, scale: np.ndarray, zero: np.ndarray) -> None:
    """Report that a pass computes a value with these integers.

    The integers have 8 or 16 bits.
    """
    listener = _quantised_tensor_listener.get()
    if listener is not None:
        listener(QuantisedTensor(value, integers, scale.astype(np.float64), zero.astype(np.float64)))
