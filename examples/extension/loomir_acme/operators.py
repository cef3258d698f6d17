"""An operator of ONNX's domain `com.acme` that is an operation of GRAPH of its own: it runs in every engine, and in C."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import Float64Type, FloatAttr, f64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from loomir.dialects.element_types import TENSOR, is_float
from loomir.dialects.ov.attributes import to_float
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.interfaces import Sources
from loomir.dialects.ov.shape_rules import check_element
from loomir.passes.structured.lib.generics import elementwise
from loomir.passes.structured.lib.lowering import Lowering
from loomir.passes.structured.lib.tensor_builder import Shaped
from loomir_acme.package import extension


@extension.operation
@irdl_op_definition
class SoftShrinkOp(OvOperation):
    """`x` moved towards 0 by `threshold`, and 0 where it is nearer: `max(x - t, 0) + min(x + t, 0)`. com.acme's SoftShrink-1."""

    name = "ov.acme.soft_shrink"
    SOURCES: ClassVar = Sources(onnx=("SoftShrink", 1), domain="com.acme")
    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0,)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    threshold = prop_def(FloatAttr[Float64Type], default_value=FloatAttr(0.5, f64))
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        check_element(facts[0], "data", is_float, "a float")
        return [Fact(facts[0].element, facts[0].shape)]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        t = x.dtype.type(to_float(self.threshold))
        zero = x.dtype.type(0)
        return np.maximum(x - t, zero) + np.minimum(x + t, zero)


@extension.lowering(SoftShrinkOp)
def lower_soft_shrink(op: SoftShrinkOp, low: Lowering) -> Shaped:
    x = low.operand(op.data)
    zero = low.constant(0.0, x.element)
    threshold = low.constant(to_float(op.threshold), x.element)

    def body(v: SSAValue) -> SSAValue:
        above = low.insert(arith.MaximumfOp(low.insert(arith.SubfOp(v, threshold)).result, zero)).result
        below = low.insert(arith.MinimumfOp(low.insert(arith.AddfOp(v, threshold)).result, zero)).result
        return low.insert(arith.AddfOp(above, below)).result

    return elementwise(low, op.output, [x], body)
