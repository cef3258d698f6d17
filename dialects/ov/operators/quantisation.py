"""Simulated quantisation of floats.

The floats take only as many values as a quantised tensor could hold. Real quantisation, to integers and back, consists of
arithmetic and Convert; the importers emit it so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def

from loomir.dialects.element_types import f8e4m3fn, f8e5m2, is_float
from loomir.dialects.ov.attributes import NUMPY, to_int, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.layouts import Broadcasting, Layout
from loomir.dialects.ov.named_extents import Named, NamedExtents
from loomir.dialects.ov.shape_rules import (
    auto_broadcast_shapes,
    broadcast_shapes,
    check_element,
    same_element,
)
from loomir.dialects.ov.sources import Sources
from loomir.dialects.speculation import FailsOnShapes
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


@irdl_op_definition
class FakeQuantizeOp(OvOperation):
    """Rounding of x to `levels` equidistant values. OpenVINO FakeQuantize-1.

    x is limited to the input range, rounded to one of its `levels` equidistant values, and mapped to the output range.

    ```
    y = output_low                      where x <= min(input_low, input_high)
        output_high                     where x > max(input_low, input_high)
        round((x - input_low) / (input_high - input_low) * (levels - 1)) / (levels - 1)
            * (output_high - output_low) + output_low
    ```
    computed in this order; halves are rounded to the even number. The four limits are broadcast to x as
    `auto_broadcast` (numpy, none, pdpd) specifies. Composite. Errors: `element-type`, `element-types-differ`,
    `broadcast-shapes`, `attribute-value`.
    """

    LAYOUT: ClassVar[Layout | None] = Broadcasting((-1,))

    COMPOSITE: ClassVar[bool] = True

    name = "ov.fake_quantize"
    SOURCES: ClassVar = Sources(openvino=("FakeQuantize", 0))
    NAMES: ClassVar[tuple[str, ...]] = ("data", "input_low", "input_high", "output_low", "output_high")

    data = operand_def(TENSOR)
    input_low = operand_def(TENSOR)
    input_high = operand_def(TENSOR)
    output_low = operand_def(TENSOR)
    output_high = operand_def(TENSOR)
    levels = prop_def(IntegerAttr)
    auto_broadcast = prop_def(StringAttr, default_value=NUMPY)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        element = same_element(facts, self.NAMES)
        check_element(facts[0], "data", is_float, "a float")
        if to_int(self.levels) < 2:
            raise Error("attribute-value", f"levels is {to_int(self.levels)}, expected at least 2")
        mode = to_str(self.auto_broadcast)
        shape = facts[0].shape
        for limit in facts[1:]:
            shape = auto_broadcast_shapes(mode, [shape, limit.shape])
        return [Fact(element, shape)]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        """Where nothing is broadcast all extents are equal."""
        rank = next((f.rank for f in facts if f.rank is not None), None)
        if rank is None or to_str(self.auto_broadcast) not in ("none", "explicit"):
            return None
        names = [f"dimension {k}" for k in range(rank)]
        return NamedExtents("broadcast-shapes", [Named(i, what, names) for i, what in enumerate(self.NAMES)])


@irdl_op_definition
class FakeConvertOp(OvOperation):
    """Rounding to the 8-bit float `destination_type`. OpenVINO FakeConvert-13.

    `(convert(convert(data * scale - shift)) + shift) / scale`; the inner conversion saturates at the range of
    `destination_type`. Without `shift` nothing is subtracted and added. Composite. Errors: `element-type`,
    `element-types-differ`, `broadcast-shapes`, `attribute-value`.
    """

    LAYOUT: ClassVar[Layout | None] = Broadcasting((-1,))

    COMPOSITE: ClassVar[bool] = True

    name = "ov.fake_convert"
    SOURCES: ClassVar = Sources(openvino=("FakeConvert", 13))
    data = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    shift = opt_operand_def(TENSOR)
    destination_type = prop_def(TypeAttribute, default_value=f8e4m3fn)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        element = same_element(facts, ("data", "scale", "shift"))
        check_element(facts[0], "data", is_float, "a float")
        if self.destination_type not in (f8e4m3fn, f8e5m2):
            raise Error(
                "attribute-value", f"destination_type is {self.destination_type}, expected f8e4m3 or f8e5m2"
            )
        return [Fact(element, broadcast_shapes([fact.shape for fact in facts]))]
