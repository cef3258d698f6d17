"""Layers of OpenVINO IR that no operation set has: one that is made of others, and one that is lowered."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from loomir.dialects.element_types import TENSOR, is_float
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.interfaces import Sources
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, MaximumOp
from loomir.dialects.ov.operators.elementwise_unary import AbsOp
from loomir.dialects.ov.operators.reduction import ReduceMaxOp
from loomir.dialects.ov.shape_rules import check_element
from loomir.passes.structured.lib.generics import elementwise
from loomir.passes.structured.lib.lowering import Lowering
from loomir.passes.structured.lib.tensor_builder import Shaped
from loomir_acme.package import extension


class FloatOp(OvOperation):
    """One tensor of floats; the result has its type and shape."""

    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        check_element(facts[0], "data", is_float, "a float")
        return [Fact(facts[0].element, facts[0].shape)]


@extension.operation
@irdl_op_definition
class PeakNormOp(FloatOp):
    """`x / max |x|` over the last axis, which is `x` where all are 0. The layer AcmePeakNorm."""

    name = "ov.acme.peak_norm"
    COMPOSITE: ClassVar[bool] = True
    SOURCES: ClassVar = Sources(openvino=("AcmePeakNorm",))


@extension.decomposition(PeakNormOp)
def decompose_peak_norm(op: PeakNormOp, build: GraphBuilder) -> Sequence[SSAValue]:
    magnitudes = build.make(AbsOp, op.data)
    peak = build.make(ReduceMaxOp, magnitudes, build.integers([-1]), attributes={"keep_dims": True})
    least = build.like(1e-30, op.data)
    return [build.make(DivideOp, op.data, build.make(MaximumOp, peak, least))]


@extension.operation
@irdl_op_definition
class SquaredReluOp(FloatOp):
    """`max(x, 0)²`. The layer AcmeSquaredRelu."""

    name = "ov.acme.squared_relu"
    SOURCES: ClassVar = Sources(openvino=("AcmeSquaredRelu",))
    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0,)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.square(np.maximum(x, x.dtype.type(0)))


@extension.lowering(SquaredReluOp)
def lower_squared_relu(op: SquaredReluOp, low: Lowering) -> Shaped:
    x = low.operand(op.data)
    zero = low.constant(0.0, x.element)

    def body(v: SSAValue) -> SSAValue:
        positive = low.insert(arith.MaximumfOp(v, zero)).result
        return low.insert(arith.MulfOp(positive, positive)).result

    return elementwise(low, op.output, [x], body)
