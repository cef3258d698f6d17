"""Activation functions composed of a few elementwise operations.

They are composites of floats. Fused below GRAPH, they still become one loop.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def

from loomir.dialects.element_types import TENSOR, is_float
from loomir.dialects.ov.attributes import choice
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.interfaces import ANY, NamedExtents, NamedOperand, Sources, broadcast_to
from loomir.dialects.ov.operators.elementwise_unary import UnaryOp
from loomir.dialects.ov.shape_rules import ONE, check_element, is_number, same_element, show_shape
from loomir.dialects.speculation import FailsOnShapes
from loomir.errors import Error


class ActivationOp(UnaryOp, ABC):
    """A function of a float tensor, element by element. Error: `element-type`."""

    COMPOSITE: ClassVar[bool] = True
    ACCEPTS: ClassVar[tuple[Callable[[Attribute], bool], str]] = (is_float, "a float")


class ParametricOp(OvOperation, ABC):
    """Function of each element of `data`, with parameters.

    The parameters (operands of the subclass behind `data`) are tensors of one element of its type.

    Errors: `element-type`, `element-types-differ`, `activation-parameter`.
    """

    COMPOSITE: ClassVar[bool] = True
    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0,)
    PARAMETERS: ClassVar[tuple[str, ...]]

    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, *parameters = facts
        check_element(data, "data", is_float, "a float")
        same_element(facts, ("data", *self.PARAMETERS))
        for name, fact in zip(self.PARAMETERS, parameters):
            if fact.shape is not None and any(d.meet(ONE) is None for d in fact.shape):
                raise Error(
                    "activation-parameter", f"{name} has shape {show_shape(fact.shape)}, expected one element"
                )
        return [Fact(data.element, data.shape)]


@irdl_op_definition
class EluOp(ActivationOp):
    """`alpha · (exp(x) - 1)` where x is negative, else x. OpenVINO Elu-1, ONNX Elu-22."""

    name = "ov.elu"
    SOURCES: ClassVar = Sources(openvino=("Elu", 0))
    alpha = prop_def(FloatAttr)


@irdl_op_definition
class GeluOp(ActivationOp):
    """Gaussian error linear unit, `x · Φ(x)`. OpenVINO Gelu-7, ONNX Gelu-20.

    `Φ(x) = (1 + erf(x / √2)) / 2` is the normal distribution function. `approximation_mode` "tanh" computes it as
    `(1 + tanh(√(2/π) · (x + 0.044715·x³))) / 2`; "erf" is the default.

    Error: also `attribute-value`.
    """

    name = "ov.gelu"
    SOURCES: ClassVar = Sources(openvino=("Gelu", 0, 7))
    approximation_mode = prop_def(StringAttr, default_value=StringAttr("erf"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        choice(self.approximation_mode, "approximation_mode", ("erf", "tanh"))
        return super().infer(facts)


@irdl_op_definition
class HSigmoidOp(ActivationOp):
    """`min(max(x + 3, 0), 6) / 6`. OpenVINO HSigmoid-5."""

    name = "ov.h_sigmoid"
    SOURCES: ClassVar = Sources(openvino=("HSigmoid", 5))


@irdl_op_definition
class HSwishOp(ActivationOp):
    """`x · min(max(x + 3, 0), 6) / 6`. OpenVINO HSwish-4, ONNX HardSwish-22."""

    name = "ov.h_swish"
    SOURCES: ClassVar = Sources(openvino=("HSwish", 4), onnx=("HardSwish", 14, 22))


@irdl_op_definition
class MishOp(ActivationOp):
    """`x · tanh(log(1 + exp(x)))`. OpenVINO Mish-4, ONNX Mish-22."""

    name = "ov.mish"
    SOURCES: ClassVar = Sources(openvino=("Mish", 4), onnx=("Mish", 18, 22))


@irdl_op_definition
class SoftPlusOp(ActivationOp):
    """`log(1 + exp(x))`, which does not overflow. OpenVINO SoftPlus-4, ONNX Softplus-22."""

    name = "ov.soft_plus"
    SOURCES: ClassVar = Sources(openvino=("SoftPlus", 4), onnx=("Softplus", 1, 22))


@irdl_op_definition
class SoftSignOp(ActivationOp):
    """`x / (1 + |x|)`. OpenVINO SoftSign-9, ONNX Softsign-22."""

    name = "ov.soft_sign"
    SOURCES: ClassVar = Sources(openvino=("SoftSign", 9), onnx=("Softsign", 1, 22))


@irdl_op_definition
class HardSigmoidOp(ParametricOp):
    """`min(max(alpha · x + beta, 0), 1)`. OpenVINO HardSigmoid-1, ONNX HardSigmoid-22."""

    name = "ov.hard_sigmoid"
    SOURCES: ClassVar = Sources(openvino=("HardSigmoid", 0))
    PARAMETERS: ClassVar[tuple[str, ...]] = ("alpha", "beta")
    data = operand_def(TENSOR)
    alpha = operand_def(TENSOR)
    beta = operand_def(TENSOR)


@irdl_op_definition
class SeluOp(ParametricOp):
    """Scaled exponential linear unit. OpenVINO Selu-1, ONNX Selu-22.

    `lambda · (alpha · (exp(x) - 1))` if x is not positive, else `lambda · x`.
    """

    name = "ov.selu"
    SOURCES: ClassVar = Sources(openvino=("Selu", 0))
    PARAMETERS: ClassVar[tuple[str, ...]] = ("alpha", "lambda")
    data = operand_def(TENSOR)
    alpha = operand_def(TENSOR)
    lambda_ = operand_def(TENSOR)


@irdl_op_definition
class SwishOp(ParametricOp):
    """`x · sigmoid(beta · x)`; beta is 1 by default.

    OpenVINO Swish-4, ONNX Swish-24.
    """

    name = "ov.swish"
    SOURCES: ClassVar = Sources(openvino=("Swish", 4))
    PARAMETERS: ClassVar[tuple[str, ...]] = ("beta",)
    data = operand_def(TENSOR)
    beta = opt_operand_def(TENSOR)


@irdl_op_definition
class PReluOp(OvOperation):
    """`slope · x` if x is negative, else x.

    OpenVINO PRelu-1, ONNX PRelu-16 (whose slopes are never per channel).

    A slope of rank 1 with as many elements as data has channels (dimension 1) is one number per channel; any other is broadcast
    to data as numpy does. Errors: `element-type`, `element-types-differ`, `broadcast-shapes`.
    """

    COMPOSITE: ClassVar[bool] = True

    name = "ov.prelu"
    SOURCES: ClassVar = Sources(openvino=("PRelu", 0))
    data = operand_def(TENSOR)
    slope = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        check_element(data, "data", is_number, "a number")
        same_element(facts, ("data", "slope"))
        self.agreed_extents(facts)
        return [Fact(data.element, data.shape)]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        data, slope = facts
        if per_channel(data, slope):
            names = [ANY, "C", *[ANY] * ((data.rank or 2) - 2)]
            return NamedExtents(
                "broadcast-shapes", [NamedOperand(0, "data", names), NamedOperand(1, "slope", ["C?"])]
            )
        return broadcast_to(facts, "data", [(1, "slope")])


def per_channel(data: Fact, slope: Fact) -> bool:
    """Return True if the slope may be one number per channel.

    Their shapes need only permit it.
    """
    if slope.rank != 1 or data.shape is None or len(data.shape) < 2:
        return False
    assert slope.shape is not None
    (count,) = slope.shape
    return count.static != 1 and data.shape[1].meet(count) is not None
