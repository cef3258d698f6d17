"""Comparisons, logic, Select, and tests of floats.

Comparisons of small integer tensors by their bounds decide conditions of branches.

Elementwise tests of floats for NaN, infinite and finite values are composites of comparisons.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr, StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Commutative, Pure

from loomir.dialects.element_types import TENSOR, i1, is_float, string
from loomir.dialects.ov.attributes import NUMPY, TRUE, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.interfaces import Sources
from loomir.dialects.ov.shape_rules import (
    Interval,
    auto_broadcast_shapes,
    check_element,
    fact_from,
    interval_of,
    is_boolean,
    is_number,
    same_element,
    truth,
)
from loomir.dialects.speculation import FailsOnShapes


class TwoToBooleanOp(OvOperation, ABC):
    """Operation on two operands of one element type with a boolean result.

    The operands are broadcast as `auto_broadcast` specifies.

    Errors: `element-type`, `element-types-differ`, `broadcast-shapes`, `attribute-value`.
    """

    FUNCTION: ClassVar[np.ufunc]
    """It in numpy."""

    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0, 1)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0, 1)

    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    auto_broadcast = prop_def(StringAttr, default_value=NUMPY)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        a, b = facts
        same_element(facts, ("a", "b"))
        self.check_element(a)
        shape = auto_broadcast_shapes(to_str(self.auto_broadcast), [a.shape, b.shape])
        left, right = interval_of(a), interval_of(b)
        if left is None or right is None:
            return [Fact(i1, shape)]
        return [fact_from(i1, shape, self.bounds(left, right))]

    @abstractmethod
    def check_element(self, a: Fact) -> None:
        """Raises `element-type` for a type that the operation doesn't take."""

    @abstractmethod
    def bounds(self, a: Interval, b: Interval) -> Interval:
        """Where the result is certainly, and where it is possibly, true."""

    def evaluate(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asarray(self.FUNCTION(a, b), np.bool_)


class CompareOp(TwoToBooleanOp, ABC):
    """Comparison of numbers or booleans (false is less than true).

    The result is false if either is NaN, except for `!=`.
    """

    def check_element(self, a: Fact) -> None:
        check_element(a, "a", lambda e: is_number(e) or is_boolean(e), "a number or boolean")


class LogicalOp(TwoToBooleanOp, ABC):
    """Logic on booleans."""

    traits = traits_def(FailsOnShapes(), Commutative())

    def check_element(self, a: Fact) -> None:
        check_element(a, "a", is_boolean, "boolean")


def _equal(a: Interval, b: Interval) -> tuple[np.ndarray, np.ndarray]:
    certain = (a[0] == a[1]) & (b[0] == b[1]) & (a[0] == b[0])
    possible = (a[0] <= b[1]) & (b[0] <= a[1])
    return np.asarray(certain, bool), np.asarray(possible, bool)


class EqualityOp(CompareOp, ABC):
    """Compares strings, too."""

    CARRIES: ClassVar[tuple[int, ...] | None] = (0, 1)

    def check_element(self, a: Fact) -> None:
        if a.element != string:
            super().check_element(a)


@irdl_op_definition
class EqualOp(EqualityOp):
    """`a == b`. OpenVINO Equal-1, ONNX Equal-19."""

    name = "ov.equal"
    SOURCES: ClassVar = Sources(openvino=("Equal", 1), onnx=("Equal", 7, 11, 13, 19))
    FUNCTION: ClassVar = np.equal
    traits = traits_def(FailsOnShapes(), Commutative())

    def bounds(self, a: Interval, b: Interval) -> Interval:
        return truth(*_equal(a, b))


@irdl_op_definition
class NotEqualOp(EqualityOp):
    """`a != b`. OpenVINO NotEqual-1."""

    name = "ov.not_equal"
    SOURCES: ClassVar = Sources(openvino=("NotEqual", 1))
    FUNCTION: ClassVar = np.not_equal
    traits = traits_def(FailsOnShapes(), Commutative())

    def bounds(self, a: Interval, b: Interval) -> Interval:
        certain, possible = _equal(a, b)
        return truth(~possible, ~certain)


@irdl_op_definition
class LessOp(CompareOp):
    """`a < b`. OpenVINO Less-1, ONNX Less-13."""

    name = "ov.less"
    SOURCES: ClassVar = Sources(openvino=("Less", 1), onnx=("Less", 7, 9, 13))
    FUNCTION: ClassVar = np.less

    def bounds(self, a: Interval, b: Interval) -> Interval:
        return truth(a[1] < b[0], a[0] < b[1])


@irdl_op_definition
class LessEqualOp(CompareOp):
    """`a <= b`. OpenVINO LessEqual-1, ONNX LessOrEqual-16."""

    name = "ov.less_equal"
    SOURCES: ClassVar = Sources(openvino=("LessEqual", 1), onnx=("LessOrEqual", 12, 16))
    FUNCTION: ClassVar = np.less_equal

    def bounds(self, a: Interval, b: Interval) -> Interval:
        return truth(a[1] <= b[0], a[0] <= b[1])


@irdl_op_definition
class GreaterOp(CompareOp):
    """`a > b`. OpenVINO Greater-1, ONNX Greater-13."""

    name = "ov.greater"
    SOURCES: ClassVar = Sources(openvino=("Greater", 1), onnx=("Greater", 7, 9, 13))
    FUNCTION: ClassVar = np.greater

    def bounds(self, a: Interval, b: Interval) -> Interval:
        return truth(a[0] > b[1], a[1] > b[0])


@irdl_op_definition
class GreaterEqualOp(CompareOp):
    """`a >= b`. OpenVINO GreaterEqual-1, ONNX GreaterOrEqual-16."""

    name = "ov.greater_equal"
    SOURCES: ClassVar = Sources(openvino=("GreaterEqual", 1), onnx=("GreaterOrEqual", 12, 16))
    FUNCTION: ClassVar = np.greater_equal

    def bounds(self, a: Interval, b: Interval) -> Interval:
        return truth(a[0] >= b[1], a[1] >= b[0])


@irdl_op_definition
class LogicalAndOp(LogicalOp):
    """Both. OpenVINO LogicalAnd-1, ONNX And-7."""

    name = "ov.logical_and"
    SOURCES: ClassVar = Sources(openvino=("LogicalAnd", 1), onnx=("And", 7))
    FUNCTION: ClassVar = np.logical_and

    def bounds(self, a: Interval, b: Interval) -> Interval:
        return np.minimum(a[0], b[0]), np.minimum(a[1], b[1])


@irdl_op_definition
class LogicalOrOp(LogicalOp):
    """Either or both. OpenVINO LogicalOr-1, ONNX Or-7."""

    name = "ov.logical_or"
    SOURCES: ClassVar = Sources(openvino=("LogicalOr", 1), onnx=("Or", 7))
    FUNCTION: ClassVar = np.logical_or

    def bounds(self, a: Interval, b: Interval) -> Interval:
        return np.maximum(a[0], b[0]), np.maximum(a[1], b[1])


@irdl_op_definition
class LogicalXorOp(LogicalOp):
    """Exactly one. OpenVINO LogicalXor-1, ONNX Xor-7."""

    name = "ov.logical_xor"
    SOURCES: ClassVar = Sources(openvino=("LogicalXor", 1), onnx=("Xor", 7))
    FUNCTION: ClassVar = np.logical_xor

    def bounds(self, a: Interval, b: Interval) -> Interval:
        certain, possible = _equal(a, b)
        return truth(~possible, ~certain)


@irdl_op_definition
class LogicalNotOp(OvOperation):
    """The opposite of a boolean. OpenVINO LogicalNot-1, ONNX Not-1. Error: `element-type`."""

    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0,)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.logical_not"
    SOURCES: ClassVar = Sources(openvino=("LogicalNot", 1), onnx=("Not", 1))
    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        check_element(data, "data", is_boolean, "boolean")
        interval = interval_of(data)
        return [fact_from(i1, data.shape, None if interval is None else (1 - interval[1], 1 - interval[0]))]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(np.logical_not(x), np.bool_)


@irdl_op_definition
class SelectOp(OvOperation):
    """`then` where `cond` (boolean) is true, else `else_value`.

    All three are broadcast. OpenVINO Select-1, ONNX Where-16.

    With `auto_broadcast` "pdpd" the result has the shape of `then`.
    Errors: `element-type`, `element-types-differ`, `broadcast-shapes`, `attribute-value`.
    """

    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0, 1, 2)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0, 1, 2)
    name = "ov.select"
    SOURCES: ClassVar = Sources(openvino=("Select", 1), onnx=("Where", 9, 16))
    CARRIES: ClassVar[tuple[int, ...] | None] = (1, 2)
    cond = operand_def(TENSOR)
    then = operand_def(TENSOR)
    else_value = operand_def(TENSOR)
    auto_broadcast = prop_def(StringAttr, default_value=NUMPY)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        cond, then, otherwise = facts
        check_element(cond, "cond", is_boolean, "boolean")
        element = same_element([then, otherwise], ("then", "else"))
        mode = to_str(self.auto_broadcast)
        if mode == "pdpd":
            # One-sided: both others follow `then`.
            auto_broadcast_shapes(mode, [then.shape, cond.shape])
            shape = auto_broadcast_shapes(mode, [then.shape, otherwise.shape])
        else:
            shape = auto_broadcast_shapes(mode, [cond.shape, then.shape, otherwise.shape])
        choice, left, right = interval_of(cond), interval_of(then), interval_of(otherwise)
        if choice is None or left is None or right is None:
            return [Fact(element, shape)]
        never, always = choice[1] == 0, choice[0] == 1
        lo = np.where(always, left[0], np.where(never, right[0], np.minimum(left[0], right[0])))
        hi = np.where(always, left[1], np.where(never, right[1], np.maximum(left[1], right[1])))
        return [fact_from(element, shape, (lo, hi))]

    def evaluate(self, cond: np.ndarray, then: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
        return np.where(cond, then, otherwise)


class FloatingTestOp(OvOperation, ABC):
    """Elementwise test of a float tensor, with boolean results.

    Error: `element-type`.
    """

    COMPOSITE: ClassVar[bool] = True

    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0,)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        check_element(facts[0], "data", is_float, "a float")
        return [Fact(i1, facts[0].shape)]


@irdl_op_definition
class IsNaNOp(FloatingTestOp):
    """Elementwise test for NaN. OpenVINO IsNaN-10, ONNX IsNaN-20."""

    name = "ov.is_nan"
    SOURCES: ClassVar = Sources(openvino=("IsNaN", 10))


@irdl_op_definition
class IsInfOp(FloatingTestOp):
    """Elementwise test for infinities of selected signs.

    OpenVINO IsInf-10, ONNX IsInf-20.
    """

    name = "ov.is_inf"
    SOURCES: ClassVar = Sources(openvino=("IsInf", 10))
    detect_negative = prop_def(BoolAttr, default_value=TRUE)
    detect_positive = prop_def(BoolAttr, default_value=TRUE)


@irdl_op_definition
class IsFiniteOp(FloatingTestOp):
    """Elementwise test for neither infinite nor NaN. OpenVINO IsFinite-10."""

    name = "ov.is_finite"
    SOURCES: ClassVar = Sources(openvino=("IsFinite", 10))
