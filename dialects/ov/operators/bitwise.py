"""Operations on the bits of integers; booleans are one bit."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Commutative, Pure

from loomir.dialects.element_types import dtype_of, is_integer
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.elementwise_binary import BinaryOp
from loomir.dialects.ov.shape_rules import check_element, is_boolean, is_number
from loomir.dialects.ov.sources import Sources
from loomir.dialects.speculation import FailsOnShapes
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


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
