"""Trigonometric and hyperbolic functions and their inverses, element by element (of integers: see
`elementwise_unary`). Outside of a function's domain the result is NaN.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.irdl import irdl_op_definition

from loomir.dialects.ov.elementwise_unary import FloatFunctionOp


@irdl_op_definition
class SinOp(FloatFunctionOp):
    """The sine of an angle in radians. OpenVINO Sin-1, ONNX Sin-22."""

    name = "ov.sin"
    FUNCTION: ClassVar = np.sin


@irdl_op_definition
class CosOp(FloatFunctionOp):
    """The cosine of an angle in radians. OpenVINO Cos-1, ONNX Cos-22."""

    name = "ov.cos"
    FUNCTION: ClassVar = np.cos


@irdl_op_definition
class TanOp(FloatFunctionOp):
    """The tangent of an angle in radians. OpenVINO Tan-1, ONNX Tan-22."""

    name = "ov.tan"
    FUNCTION: ClassVar = np.tan


@irdl_op_definition
class AsinOp(FloatFunctionOp):
    """The angle in [-π/2, π/2] with this sine. OpenVINO Asin-1, ONNX Asin-22."""

    name = "ov.asin"
    FUNCTION: ClassVar = np.arcsin


@irdl_op_definition
class AcosOp(FloatFunctionOp):
    """The angle in [0, π] with this cosine. OpenVINO Acos-1, ONNX Acos-22."""

    name = "ov.acos"
    FUNCTION: ClassVar = np.arccos


@irdl_op_definition
class AtanOp(FloatFunctionOp):
    """The angle in [-π/2, π/2] with this tangent. OpenVINO Atan-1, ONNX Atan-22."""

    name = "ov.atan"
    FUNCTION: ClassVar = np.arctan


@irdl_op_definition
class SinhOp(FloatFunctionOp):
    """The hyperbolic sine. OpenVINO Sinh-1, ONNX Sinh-22."""

    name = "ov.sinh"
    FUNCTION: ClassVar = np.sinh


@irdl_op_definition
class CoshOp(FloatFunctionOp):
    """The hyperbolic cosine. OpenVINO Cosh-1, ONNX Cosh-22."""

    name = "ov.cosh"
    FUNCTION: ClassVar = np.cosh


@irdl_op_definition
class AsinhOp(FloatFunctionOp):
    """The number with this hyperbolic sine. OpenVINO Asinh-3, ONNX Asinh-22."""

    name = "ov.asinh"
    FUNCTION: ClassVar = np.arcsinh


@irdl_op_definition
class AcoshOp(FloatFunctionOp):
    """The number that is not negative with this hyperbolic cosine. OpenVINO Acosh-3, ONNX Acosh-22."""

    name = "ov.acosh"
    FUNCTION: ClassVar = np.arccosh


@irdl_op_definition
class AtanhOp(FloatFunctionOp):
    """The number with this hyperbolic tangent. OpenVINO Atanh-3, ONNX Atanh-22."""

    name = "ov.atanh"
    FUNCTION: ClassVar = np.arctanh
