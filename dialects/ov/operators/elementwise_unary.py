"""Functions of one tensor, element by element.

Where a function needs a float (exp, sqrt, sin …) and the tensor holds integers, it is computed in double precision
and rounded to the nearest integer (halves to even, beyond the range of the type its limits, NaN 0).

Outside of the domain of a trigonometric or hyperbolic function, or of the inverse of one, the result is NaN.
"""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import FloatAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from loomir.dialects.element_types import TENSOR, element_of, is_float
from loomir.dialects.numerics import error_function, is_integer_dtype, rounded_away, through_float
from loomir.dialects.ov.attributes import choice, to_float, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.interfaces import Sources
from loomir.dialects.ov.shape_rules import (
    Interval,
    check_element,
    fact_from,
    interval_of,
    is_number,
    type_range,
)
from loomir.errors import Error


class UnaryOp(OvOperation, ABC):
    """Elementwise operation on one operand of numeric type.

    The result has its type and shape. Error: `element-type`.
    """

    ACCEPTS: ClassVar[tuple[Callable[[Attribute], bool], str]] = (is_number, "a number")
    """Predicate for accepted element types, and its description."""

    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0,)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        check_element(data, "data", *self.ACCEPTS)
        interval = None if is_float(data.element) else interval_of(data)
        bounds = None if interval is None else self.bounds(interval, data.element)
        return [fact_from(data.element, data.shape, bounds)]

    def bounds(self, x: Interval, element: Attribute) -> Interval | None:
        """Return the bounds of the result's elements from an integer operand's bounds.

        The bounds are those before wrap-around; None if they are unknown.
        """
        return None


class FloatFunctionOp(UnaryOp, ABC):
    """A function of floats; of integers as the module says."""

    FUNCTION: ClassVar[Callable[[np.ndarray], np.ndarray]]
    """It in numpy, for floats of any precision."""

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return through_float(x, type(self).FUNCTION)


class RoundingOp(UnaryOp, ABC):
    """A whole number for each element; integers stay."""

    def rounded(self, x: np.ndarray) -> np.ndarray:
        """The whole numbers for floats."""
        raise NotImplementedError

    def bounds(self, x: Interval, element: Attribute) -> Interval:
        return x

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return x if is_integer_dtype(x.dtype) else np.asarray(self.rounded(x), x.dtype)


@irdl_op_definition
class AbsOp(UnaryOp):
    """The magnitude; of the least integer, itself. OpenVINO Abs-0, ONNX Abs-13."""

    name = "ov.abs"
    SOURCES: ClassVar = Sources(openvino=("Abs", 0), onnx=("Abs", 1, 6, 13))

    def bounds(self, x: Interval, element: Attribute) -> Interval:
        lo, hi = x
        least = np.where(lo > 0, lo, np.where(hi < 0, -hi, 0))
        return np.asarray(least, object), np.maximum(-lo, hi)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(x), x.dtype)


@irdl_op_definition
class NegativeOp(UnaryOp):
    """`-x`, which wraps around. OpenVINO Negative-0, ONNX Neg-13."""

    name = "ov.negative"
    SOURCES: ClassVar = Sources(openvino=("Negative", 0), onnx=("Neg", 1, 6, 13))

    def bounds(self, x: Interval, element: Attribute) -> Interval:
        return -x[1], -x[0]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(np.negative(x), x.dtype)


@irdl_op_definition
class SqrtOp(FloatFunctionOp):
    """The square root; NaN of negative numbers. OpenVINO Sqrt-0, ONNX Sqrt-13."""

    name = "ov.sqrt"
    SOURCES: ClassVar = Sources(openvino=("Sqrt", 0), onnx=("Sqrt", 1, 6, 13))
    FUNCTION: ClassVar = np.sqrt


@irdl_op_definition
class ExpOp(FloatFunctionOp):
    """The exponential. OpenVINO Exp-0, ONNX Exp-13."""

    name = "ov.exp"
    SOURCES: ClassVar = Sources(openvino=("Exp", 0), onnx=("Exp", 1, 6, 13))
    FUNCTION: ClassVar = np.exp


@irdl_op_definition
class LogOp(FloatFunctionOp):
    """Natural logarithm. OpenVINO Log-0, ONNX Log-13.

    It is -inf for 0, and NaN for negative numbers.
    """

    name = "ov.log"
    SOURCES: ClassVar = Sources(openvino=("Log", 0), onnx=("Log", 1, 6, 13))
    FUNCTION: ClassVar = np.log


@irdl_op_definition
class TanhOp(FloatFunctionOp):
    """The hyperbolic tangent. OpenVINO Tanh-0, ONNX Tanh-13."""

    name = "ov.tanh"
    SOURCES: ClassVar = Sources(openvino=("Tanh", 0), onnx=("Tanh", 1, 6, 13))
    FUNCTION: ClassVar = np.tanh


@irdl_op_definition
class SigmoidOp(FloatFunctionOp):
    """`1 / (1 + exp(-x))`. OpenVINO Sigmoid-0, ONNX Sigmoid-13."""

    name = "ov.sigmoid"
    SOURCES: ClassVar = Sources(openvino=("Sigmoid", 0), onnx=("Sigmoid", 1, 6, 13))

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return through_float(x, lambda v: np.asarray(1, v.dtype) / (np.asarray(1, v.dtype) + np.exp(-v)))


@irdl_op_definition
class ReLUOp(UnaryOp):
    """0 where x is negative, else x (so NaN stays).

    OpenVINO ReLU-0, ONNX Relu-14.
    """

    name = "ov.relu"
    SOURCES: ClassVar = Sources(openvino=("ReLU", 0), onnx=("Relu", 1, 6, 13, 14))

    def bounds(self, x: Interval, element: Attribute) -> Interval:
        return np.maximum(x[0], 0), np.maximum(x[1], 0)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.where(x < 0, np.zeros((), x.dtype), x)


@irdl_op_definition
class ClampOp(UnaryOp):
    """Limitation of x to `min` and `max`. OpenVINO Clamp-0, ONNX Clip-13.

    The result is `min` where x is below it, then `max` where that is above it (so NaN stays).

    For integers `min` is rounded up and `max` down, and both are limited to the range of the type (OpenVINO's rule; 0.5 to 0.5
    becomes 1 to 0, where the upper one wins). `min` greater than `max` is rejected (`attribute-value`), NaN too; ±inf mean no
    bound.
    """

    name = "ov.clamp"
    SOURCES: ClassVar = Sources(openvino=("Clamp", 0))
    min = prop_def(FloatAttr)
    max = prop_def(FloatAttr)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        low, high = to_float(self.min), to_float(self.max)
        if not low <= high:
            raise Error("attribute-value", f"min {low} must not be greater than max {high}")
        return super().infer(facts)

    def integer_limits(self, element: Attribute) -> tuple[int, int]:
        """The limits for a tensor of this integer type."""
        least, greatest = type_range(element)
        low, high = to_float(self.min), to_float(self.max)
        lower = _limit(low, math.ceil, least, greatest)
        upper = _limit(high, math.floor, least, greatest)
        return lower, upper

    def bounds(self, x: Interval, element: Attribute) -> Interval:
        lower, upper = self.integer_limits(element)
        lo, hi = (np.minimum(np.maximum(side, lower), upper) for side in x)
        return np.asarray(lo, object), np.asarray(hi, object)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        if is_integer_dtype(x.dtype):
            low, high = self.integer_limits(element_of(x.dtype))
        else:
            low, high = to_float(self.min), to_float(self.max)
        lower, upper = np.asarray(low, x.dtype), np.asarray(high, x.dtype)
        # One after the other: integer limits may cross, and then the upper one wins.
        x = np.where(x < lower, lower, x)
        return np.where(x > upper, upper, x)


def _limit(value: float, rounded: Callable[[float], int], least: int, greatest: int) -> int:
    if math.isinf(value):
        return least if value < 0 else greatest
    return min(max(rounded(value), least), greatest)


@irdl_op_definition
class FloorOp(RoundingOp):
    """Rounded down; integers stay. OpenVINO Floor-0, ONNX Floor-13."""

    name = "ov.floor"
    SOURCES: ClassVar = Sources(openvino=("Floor", 0), onnx=("Floor", 1, 6, 13))

    def rounded(self, x: np.ndarray) -> np.ndarray:
        return np.floor(x)


@irdl_op_definition
class CeilingOp(RoundingOp):
    """Rounded up; integers stay. OpenVINO Ceiling-0, ONNX Ceil-13."""

    name = "ov.ceiling"
    SOURCES: ClassVar = Sources(openvino=("Ceiling", 0), onnx=("Ceil", 1, 6, 13))

    def rounded(self, x: np.ndarray) -> np.ndarray:
        return np.ceil(x)


@irdl_op_definition
class RoundOp(RoundingOp):
    """Nearest whole number. OpenVINO Round-5, ONNX Round-22 (half to even).

    Of two that are equally near, it is the even one (`mode` "half_to_even", the default) or the one further from 0
    ("half_away_from_zero"). Integers stay.

    Error: `attribute-value`.
    """

    name = "ov.round"
    SOURCES: ClassVar = Sources(openvino=("Round", 5), onnx=("Round", 11, 22))
    mode = prop_def(StringAttr, default_value=StringAttr("half_to_even"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        choice(self.mode, "mode", ("half_to_even", "half_away_from_zero"))
        return super().infer(facts)

    def rounded(self, x: np.ndarray) -> np.ndarray:
        return np.rint(x) if to_str(self.mode) == "half_to_even" else rounded_away(x)


@irdl_op_definition
class ErfOp(FloatFunctionOp):
    """The error function, `2/√π · ∫ exp(-t²) dt` from 0 to x. OpenVINO Erf-1, ONNX Erf-13."""

    name = "ov.erf"
    SOURCES: ClassVar = Sources(openvino=("Erf", 0), onnx=("Erf", 9, 13))
    FUNCTION: ClassVar = staticmethod(error_function)


@irdl_op_definition
class SignOp(UnaryOp):
    """-1, 0 or 1; NaN of NaN. OpenVINO Sign-0, ONNX Sign-13."""

    name = "ov.sign"
    SOURCES: ClassVar = Sources(openvino=("Sign", 0), onnx=("Sign", 9, 13))

    def bounds(self, x: Interval, element: Attribute) -> Interval:
        lo, hi = (np.where(side > 0, 1, np.where(side < 0, -1, 0)) for side in x)
        return lo.astype(object), hi.astype(object)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(np.sign(x), x.dtype)


@irdl_op_definition
class SinOp(FloatFunctionOp):
    """The sine of an angle in radians. OpenVINO Sin-1, ONNX Sin-22."""

    name = "ov.sin"
    SOURCES: ClassVar = Sources(openvino=("Sin", 0), onnx=("Sin", 7, 22))
    FUNCTION: ClassVar = np.sin


@irdl_op_definition
class CosOp(FloatFunctionOp):
    """The cosine of an angle in radians. OpenVINO Cos-1, ONNX Cos-22."""

    name = "ov.cos"
    SOURCES: ClassVar = Sources(openvino=("Cos", 0), onnx=("Cos", 7, 22))
    FUNCTION: ClassVar = np.cos


@irdl_op_definition
class TanOp(FloatFunctionOp):
    """The tangent of an angle in radians. OpenVINO Tan-1, ONNX Tan-22."""

    name = "ov.tan"
    SOURCES: ClassVar = Sources(openvino=("Tan", 0), onnx=("Tan", 7, 22))
    FUNCTION: ClassVar = np.tan


@irdl_op_definition
class AsinOp(FloatFunctionOp):
    """The angle in [-π/2, π/2] with this sine. OpenVINO Asin-1, ONNX Asin-22."""

    name = "ov.asin"
    SOURCES: ClassVar = Sources(openvino=("Asin", 0), onnx=("Asin", 7, 22))
    FUNCTION: ClassVar = np.arcsin


@irdl_op_definition
class AcosOp(FloatFunctionOp):
    """The angle in [0, π] with this cosine. OpenVINO Acos-1, ONNX Acos-22."""

    name = "ov.acos"
    SOURCES: ClassVar = Sources(openvino=("Acos", 0), onnx=("Acos", 7, 22))
    FUNCTION: ClassVar = np.arccos


@irdl_op_definition
class AtanOp(FloatFunctionOp):
    """The angle in [-π/2, π/2] with this tangent. OpenVINO Atan-1, ONNX Atan-22."""

    name = "ov.atan"
    SOURCES: ClassVar = Sources(openvino=("Atan", 0), onnx=("Atan", 7, 22))
    FUNCTION: ClassVar = np.arctan


@irdl_op_definition
class SinhOp(FloatFunctionOp):
    """The hyperbolic sine. OpenVINO Sinh-1, ONNX Sinh-22."""

    name = "ov.sinh"
    SOURCES: ClassVar = Sources(openvino=("Sinh", 0), onnx=("Sinh", 9, 22))
    FUNCTION: ClassVar = np.sinh


@irdl_op_definition
class CoshOp(FloatFunctionOp):
    """The hyperbolic cosine. OpenVINO Cosh-1, ONNX Cosh-22."""

    name = "ov.cosh"
    SOURCES: ClassVar = Sources(openvino=("Cosh", 0), onnx=("Cosh", 9, 22))
    FUNCTION: ClassVar = np.cosh


@irdl_op_definition
class AsinhOp(FloatFunctionOp):
    """The number with this hyperbolic sine. OpenVINO Asinh-3, ONNX Asinh-22."""

    name = "ov.asinh"
    SOURCES: ClassVar = Sources(openvino=("Asinh", 3), onnx=("Asinh", 9, 22))
    FUNCTION: ClassVar = np.arcsinh


@irdl_op_definition
class AcoshOp(FloatFunctionOp):
    """Inverse hyperbolic cosine, not negative. OpenVINO Acosh-3, ONNX Acosh-22."""

    name = "ov.acosh"
    SOURCES: ClassVar = Sources(openvino=("Acosh", 3), onnx=("Acosh", 9, 22))
    FUNCTION: ClassVar = np.arccosh


@irdl_op_definition
class AtanhOp(FloatFunctionOp):
    """The number with this hyperbolic tangent. OpenVINO Atanh-3, ONNX Atanh-22."""

    name = "ov.atanh"
    SOURCES: ClassVar = Sources(openvino=("Atanh", 3), onnx=("Atanh", 9, 22))
    FUNCTION: ClassVar = np.arctanh
