"""Lowering of Convert."""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.dialects.element_types import is_storage
from loomir.dialects.ov.attributes import to_bool, to_str
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.broadcast_shapes import elementwise
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath
from loomir.passes.structured.lowering.shaped import Shaped
from loomir.passes.structured.lowering.storage import StorageMath


@lowers(ConvertOp)
def convert(op: ConvertOp, low: Lowering) -> Shaped:
    x, target = low.operand(op.data), op.destination_type
    if x.element == target:
        return x
    if is_storage(x.element) or is_storage(target):
        storage = StorageMath(low)
        saturate, round_mode = to_bool(op.saturate), to_str(op.round_mode)

        def body(v: SSAValue) -> SSAValue:
            return storage.convert(v, x.element, target, saturate, round_mode)
    else:
        scalars = ScalarMath(low)

        def body(v: SSAValue) -> SSAValue:
            return scalars.convert(v, x.element, target)

    return elementwise(low, op.output, [x], body)
