"""Arithmetic on two tensors with numpy broadcasting, and operations on bits.

Integers wrap around. Division and remainder by an integer zero give 0; nothing traps. Bounds of small integer
tensors are followed through every operation of arithmetic here, for shapes are computed with them.

Bits are those of integers; booleans are one bit.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr, StringAttr
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Commutative, Pure

from loomir.dialects.element_types import TENSOR, dtype_of, is_integer, is_unsigned
from loomir.dialects.numerics import (
    as_type,
    float_remainder,
    integer_power,
    is_integer_dtype,
    maximum,
    minimum,
    truncating_quotient,
)
from loomir.dialects.ov.attributes import NUMPY, TRUE, to_bool, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.interfaces import Sources
from loomir.dialects.ov.shape_rules import (
    Interval,
    auto_broadcast_shapes,
    check_element,
    corners,
    divide,
    fact_from,
    floored_quotient,
    interval_of,
    is_boolean,
    is_number,
    remainder,
    same_element,
    truncated_quotient,
)
from loomir.dialects.speculation import FailsOnShapes
from loomir.errors import Error


class BinaryOp(OvOperation, ABC):
    """Elementwise operation on two operands of one numeric type.

    `ACCEPTS` may specify other types. The operands are broadcast as `auto_broadcast` (numpy, none, pdpd) specifies.

    Errors: `element-type`, `element-types-differ`, `broadcast-shapes`, `attribute-value`.
    """

    ACCEPTS: ClassVar[tuple[Callable[[Attribute], bool], str]] = (is_number, "a number")
    """Predicate for accepted element types, and its description."""

    FUNCTION: ClassVar[Callable[[np.ndarray, np.ndarray], np.ndarray]]
    """Implementation in numpy, if one function serves all types.

    Broadcasting is numpy's own: `infer` has checked the mode.
    """

    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0, 1)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0, 1)

    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    auto_broadcast = prop_def(StringAttr, default_value=NUMPY)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        a, b = facts
        element = same_element(facts, ("a", "b"))
        check_element(a, "a", *self.ACCEPTS)
        shape = auto_broadcast_shapes(to_str(self.auto_broadcast), [a.shape, b.shape])
        left, right = interval_of(a), interval_of(b)
        if left is None or right is None:
            return [Fact(element, shape)]
        return [fact_from(element, shape, self.bounds(left, right, element))]

    def bounds(self, a: Interval, b: Interval, element: Attribute) -> Interval | None:
        """Return the bounds of the result's elements from those of integer operands.

        The bounds are those before wrap-around; None if they are unknown.
        """
        return None

    def evaluate(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asarray(type(self).FUNCTION(a, b), a.dtype)


@irdl_op_definition
class AddOp(BinaryOp):
    """`a + b`. OpenVINO Add-1, ONNX Add-14."""

    name = "ov.add"
    SOURCES: ClassVar = Sources(openvino=("Add", 1), onnx=("Add", 7, 13, 14))
    FUNCTION: ClassVar = np.add
    traits = traits_def(FailsOnShapes(), Commutative())

    def bounds(self, a: Interval, b: Interval, element: Attribute) -> Interval:
        return a[0] + b[0], a[1] + b[1]


@irdl_op_definition
class SubtractOp(BinaryOp):
    """`a - b`. OpenVINO Subtract-1, ONNX Sub-14."""

    name = "ov.subtract"
    SOURCES: ClassVar = Sources(openvino=("Subtract", 1), onnx=("Sub", 7, 13, 14))
    FUNCTION: ClassVar = np.subtract

    def bounds(self, a: Interval, b: Interval, element: Attribute) -> Interval:
        return a[0] - b[1], a[1] - b[0]


@irdl_op_definition
class MultiplyOp(BinaryOp):
    """`a * b`. OpenVINO Multiply-1, ONNX Mul-14."""

    name = "ov.multiply"
    SOURCES: ClassVar = Sources(openvino=("Multiply", 1), onnx=("Mul", 7, 13, 14))
    FUNCTION: ClassVar = np.multiply
    traits = traits_def(FailsOnShapes(), Commutative())

    def bounds(self, a: Interval, b: Interval, element: Attribute) -> Interval:
        return corners(a, b, lambda x, y: x * y)


@irdl_op_definition
class DivideOp(BinaryOp):
    """`a / b`. OpenVINO Divide-1, ONNX Div-14.

    Of integers, the quotient is rounded down where `m_pythondiv` is true (the default, OpenVINO) and towards
    zero where it is false (ONNX); by zero it is 0, and the least number by -1 is itself.
    """

    name = "ov.divide"
    SOURCES: ClassVar = Sources(openvino=("Divide", 1))
    m_pythondiv = prop_def(BoolAttr, default_value=TRUE)

    def bounds(self, a: Interval, b: Interval, element: Attribute) -> Interval:
        return divide(a, b, floored_quotient if to_bool(self.m_pythondiv) else truncated_quotient)

    def evaluate(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if not is_integer_dtype(a.dtype):
            return np.asarray(a / b, a.dtype)
        return np.asarray(a // b if to_bool(self.m_pythondiv) else truncating_quotient(a, b), a.dtype)


@irdl_op_definition
class PowerOp(BinaryOp):
    """`a` to the power `b`. OpenVINO Power-1, ONNX Pow-15.

    (The ONNX importer makes the types equal.)

    For integers, it is computed by repeated multiplication that wraps around; a negative exponent yields 0 except for the bases
    1 and -1.
    """

    name = "ov.power"
    SOURCES: ClassVar = Sources(openvino=("Power", 1))

    def bounds(self, a: Interval, b: Interval, element: Attribute) -> Interval | None:
        # Worth following only where it is plainly monotone, and not where Python would compute huge numbers.
        if (a[0] < 0).any() or (b[0] < 0).any() or (b[1] > 64).any():
            return None
        if ((a[0] == 0) & (b[0] == 0)).any():
            # 0 to the power 0 is 1: not monotone in the exponent there.
            return None
        return a[0] ** b[0], a[1] ** b[1]

    def evaluate(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if is_integer_dtype(a.dtype):
            return integer_power(a, b)
        # `np.power` takes a root for the exponent 0.5, which is another for -inf and -0.
        return np.float_power(as_type(a, np.float64), as_type(b, np.float64)).astype(a.dtype)


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The greater of both; NaN where either is. OpenVINO Maximum-1, ONNX Max-13."""

    name = "ov.maximum"
    SOURCES: ClassVar = Sources(openvino=("Maximum", 1))
    FUNCTION: ClassVar = staticmethod(maximum)
    traits = traits_def(FailsOnShapes(), Commutative())

    def bounds(self, a: Interval, b: Interval, element: Attribute) -> Interval:
        return corners(a, b, max)


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The smaller of both; NaN where either is. OpenVINO Minimum-1, ONNX Min-13."""

    name = "ov.minimum"
    SOURCES: ClassVar = Sources(openvino=("Minimum", 1))
    FUNCTION: ClassVar = staticmethod(minimum)
    traits = traits_def(FailsOnShapes(), Commutative())

    def bounds(self, a: Interval, b: Interval, element: Attribute) -> Interval:
        return corners(a, b, min)


@irdl_op_definition
class ModOp(BinaryOp):
    """Remainder of a division rounded towards zero, with the sign of `a`.

    OpenVINO Mod-1, ONNX Mod with fmod=1.

    For integers, a remainder by zero is 0; for floats it is C's `fmod`, but a zero if |a / b| is 2^53 or more.
    """

    name = "ov.mod"
    SOURCES: ClassVar = Sources(openvino=("Mod", 1))

    def bounds(self, a: Interval, b: Interval, element: Attribute) -> Interval:
        return remainder(a, b, floored=False)

    def evaluate(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asarray(np.fmod(a, b), a.dtype) if is_integer_dtype(a.dtype) else float_remainder(a, b)


@irdl_op_definition
class FloorModOp(BinaryOp):
    """Remainder of a division rounded down, with the sign of `b`.

    OpenVINO FloorMod-1, ONNX Mod with fmod=0.

    For integers, a remainder by zero is 0; for floats it is as for `ov.mod`, plus `b` if that has the other sign.
    """

    name = "ov.floor_mod"
    SOURCES: ClassVar = Sources(openvino=("FloorMod", 1))

    def bounds(self, a: Interval, b: Interval, element: Attribute) -> Interval:
        return remainder(a, b, floored=True)

    def evaluate(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if is_integer_dtype(a.dtype):
            return np.asarray(np.mod(a, b), a.dtype)
        r = float_remainder(a, b)
        moved = np.where((r < 0) != (b < 0), r + b, r)
        return np.where(r != 0, moved, np.copysign(np.zeros_like(r), b)).astype(a.dtype)


@irdl_op_definition
class SquaredDifferenceOp(BinaryOp):
    """`(a - b) * (a - b)`. OpenVINO SquaredDifference-1."""

    name = "ov.squared_difference"
    SOURCES: ClassVar = Sources(openvino=("SquaredDifference", 0))
    traits = traits_def(FailsOnShapes(), Commutative())

    def bounds(self, a: Interval, b: Interval, element: Attribute) -> Interval | None:
        lo, hi = a[0] - b[1], a[1] - b[0]
        if is_unsigned(element) and (lo < 0).any():
            # The difference wraps around before it is squared.
            return None
        squares = corners((lo, hi), (lo, hi), lambda x, y: x * y)
        crosses = (lo <= 0) & (hi >= 0)
        low = corners((lo, lo), (hi, hi), lambda x, y: min(x * x, y * y))[0]
        return low * (1 - crosses.astype(object)), squares[1]

    def evaluate(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        difference = a - b
        return np.asarray(difference * difference, a.dtype)


def is_bits(element: Attribute) -> bool:
    """Integer or boolean."""
    return is_integer(element) or is_boolean(element)


class BitwiseBinaryOp(BinaryOp, ABC):
    """Bitwise operation on two integer or boolean tensors of one type.

    They are broadcast as `auto_broadcast` (numpy, none, pdpd) specifies.

    Errors: `element-type`, `element-types-differ`, `broadcast-shapes`, `attribute-value`.
    """

    ACCEPTS: ClassVar[tuple[Callable[[Attribute], bool], str]] = (is_bits, "an integer or boolean")


class ShiftOp(BitwiseBinaryOp, ABC):
    """Integer shift by numbers of bits.

    A number that is negative or not less than the type's width shifts everything out (ONNX; OpenVINO's specification leaves it
    open).
    """

    ACCEPTS: ClassVar[tuple[Callable[[Attribute], bool], str]] = (is_integer, "an integer")

    def evaluate(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        width = 8 * a.dtype.itemsize
        inside = (b >= 0) & (b < width)
        shifted = type(self).FUNCTION(a, np.where(inside, b, width - 1).astype(a.dtype))
        # Of a signed number, width - 1 bits further down there is nothing but its sign.
        keeps_sign = isinstance(self, BitwiseRightShiftOp) and a.dtype.kind == "i"
        return np.asarray(shifted if keeps_sign else np.where(inside, shifted, 0), a.dtype)


@irdl_op_definition
class BitwiseAndOp(BitwiseBinaryOp):
    """`a & b`. OpenVINO BitwiseAnd-13, ONNX BitwiseAnd-18."""

    name = "ov.bitwise_and"
    SOURCES: ClassVar = Sources(openvino=("BitwiseAnd", 13), onnx=("BitwiseAnd", 18))
    FUNCTION: ClassVar = np.bitwise_and
    traits = traits_def(FailsOnShapes(), Commutative())


@irdl_op_definition
class BitwiseOrOp(BitwiseBinaryOp):
    """`a | b`. OpenVINO BitwiseOr-13, ONNX BitwiseOr-18."""

    name = "ov.bitwise_or"
    SOURCES: ClassVar = Sources(openvino=("BitwiseOr", 13), onnx=("BitwiseOr", 18))
    FUNCTION: ClassVar = np.bitwise_or
    traits = traits_def(FailsOnShapes(), Commutative())


@irdl_op_definition
class BitwiseXorOp(BitwiseBinaryOp):
    """`a ^ b`. OpenVINO BitwiseXor-13, ONNX BitwiseXor-18."""

    name = "ov.bitwise_xor"
    SOURCES: ClassVar = Sources(openvino=("BitwiseXor", 13), onnx=("BitwiseXor", 18))
    FUNCTION: ClassVar = np.bitwise_xor
    traits = traits_def(FailsOnShapes(), Commutative())


@irdl_op_definition
class BitwiseLeftShiftOp(ShiftOp):
    """`a << b`; bits shifted beyond the type's width are lost.

    OpenVINO BitwiseLeftShift-15, ONNX BitShift-28.
    """

    name = "ov.bitwise_left_shift"
    SOURCES: ClassVar = Sources(openvino=("BitwiseLeftShift", 15))
    FUNCTION: ClassVar = np.left_shift


@irdl_op_definition
class BitwiseRightShiftOp(ShiftOp):
    """`a >> b`, rounded down: signed numbers are filled with their sign.

    OpenVINO BitwiseRightShift-15, ONNX BitShift-28.
    """

    name = "ov.bitwise_right_shift"
    SOURCES: ClassVar = Sources(openvino=("BitwiseRightShift", 15))
    FUNCTION: ClassVar = np.right_shift


@irdl_op_definition
class BitwiseNotOp(OvOperation):
    """`~x`. OpenVINO BitwiseNot-13, ONNX BitwiseNot-18. Error: `element-type`."""

    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0,)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.bitwise_not"
    SOURCES: ClassVar = Sources(openvino=("BitwiseNot", 13), onnx=("BitwiseNot", 18))
    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        check_element(facts[0], "data", is_bits, "an integer or boolean")
        return [facts[0].without_content()]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(np.bitwise_not(x), x.dtype)


@irdl_op_definition
class BitCastOp(OvOperation):
    """The same bits as a value of another type. ONNX BitCast-26.

    `destination_type` is as wide as the type of `data`. Booleans have 8 bits here: false is 0 and true 1, and any bits other
    than 0 are true. Errors: `element-type`, `bit-cast-width`.
    """

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.bit_cast"
    data = operand_def(TENSOR)
    destination_type = prop_def(TypeAttribute)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, target = facts[0], self.destination_type
        for element in (data.element, target):
            if not (is_number(element) or is_boolean(element)):
                raise Error(
                    "element-type", f"the bits of {element} cannot be read, expected numbers or booleans"
                )
        if dtype_of(data.element).itemsize != dtype_of(target).itemsize:
            raise Error("bit-cast-width", f"{data.element} and {target} do not have the same number of bits")
        return [Fact(target, data.shape)]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        target = dtype_of(self.destination_type)
        return x != 0 if target == np.bool_ else x.view(target)
