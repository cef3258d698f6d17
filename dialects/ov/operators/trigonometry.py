"""Elementwise trigonometric and hyperbolic functions and their inverses.

For integers see `elementwise_unary`. Outside of a function's domain the result is NaN.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.irdl import irdl_op_definition

from loomir.dialects.ov.operators.elementwise_unary import FloatFunctionOp
from loomir.dialects.ov.sources import Sources


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
