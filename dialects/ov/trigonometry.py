"""Trigonometric and hyperbolic functions and their inverses, element by element (of integers: see
`elementwise_unary`). Outside of a function's domain the result is NaN.
"""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from loomir.dialects.ov.elementwise_unary import UnaryOp


@irdl_op_definition
class SinOp(UnaryOp):
    """The sine of an angle in radians. OpenVINO Sin-1, ONNX Sin-22."""

    name = "ov.sin"


@irdl_op_definition
class CosOp(UnaryOp):
    """The cosine of an angle in radians. OpenVINO Cos-1, ONNX Cos-22."""

    name = "ov.cos"


@irdl_op_definition
class TanOp(UnaryOp):
    """The tangent of an angle in radians. OpenVINO Tan-1, ONNX Tan-22."""

    name = "ov.tan"


@irdl_op_definition
class AsinOp(UnaryOp):
    """The angle in [-π/2, π/2] with this sine. OpenVINO Asin-1, ONNX Asin-22."""

    name = "ov.asin"


@irdl_op_definition
class AcosOp(UnaryOp):
    """The angle in [0, π] with this cosine. OpenVINO Acos-1, ONNX Acos-22."""

    name = "ov.acos"


@irdl_op_definition
class AtanOp(UnaryOp):
    """The angle in [-π/2, π/2] with this tangent. OpenVINO Atan-1, ONNX Atan-22."""

    name = "ov.atan"


@irdl_op_definition
class SinhOp(UnaryOp):
    """The hyperbolic sine. OpenVINO Sinh-1, ONNX Sinh-22."""

    name = "ov.sinh"


@irdl_op_definition
class CoshOp(UnaryOp):
    """The hyperbolic cosine. OpenVINO Cosh-1, ONNX Cosh-22."""

    name = "ov.cosh"


@irdl_op_definition
class AsinhOp(UnaryOp):
    """The number with this hyperbolic sine. OpenVINO Asinh-3, ONNX Asinh-22."""

    name = "ov.asinh"


@irdl_op_definition
class AcoshOp(UnaryOp):
    """The number that is not negative with this hyperbolic cosine. OpenVINO Acosh-3, ONNX Acosh-22."""

    name = "ov.acosh"


@irdl_op_definition
class AtanhOp(UnaryOp):
    """The number with this hyperbolic tangent. OpenVINO Atanh-3, ONNX Atanh-22."""

    name = "ov.atanh"
