"""`auto_broadcast="pdpd"` with an axis.

The second operand starts at this dimension of the first.

The operations support `pdpd` with its default axis only, where operands end together. Another axis is equivalent to the
default one after dimensions of 1 are appended to the operand (or surplus ones removed: they must be 1).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.base import int64_array
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.layers.attributes import int64
from loomir.dialects.ov.layers.builder import Layer
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.reshape import SqueezeOp, UnsqueezeOp
from loomir.errors import Error

AXIS = "auto_broadcast.auto_broadcast_axis"
"""How OpenVINO writes the axis."""


def aligned(layer: Layer, operands: list[SSAValue], add: Callable[[Operation], object]) -> list[SSAValue]:
    """Align a layer's operands to end where the first one does.

    Errors: `unknown-rank`, `bad-attribute`.
    """
    text = layer.data.get(AXIS, "-1")
    if layer.data.get("auto_broadcast", "").strip().lower() != "pdpd" or text.strip() == "-1":
        return operands
    try:
        axis = int64(text)
    except ValueError as error:
        raise Error("bad-attribute", f"{AXIS}='{text}' cannot be read") from error
    # Select's condition and second value are broadcast to its first value.
    position = 1 if layer.type.lower() == "select" else 0
    if position >= len(operands):
        return operands  # The operation says how many it has.
    whole = operands[position]
    rank = fact_of(whole).rank
    return [o if o is whole else _moved(o, rank, axis, add) for o in operands]


def _moved(operand: SSAValue, whole: int | None, axis: int, add: Callable[[Operation], object]) -> SSAValue:
    rank = fact_of(operand).rank
    if rank is None or whole is None:
        raise Error("unknown-rank", "the rank of an input is not known", hint="set the model's input shapes")
    if not 0 <= axis <= whole:
        raise Error("bad-attribute", f"{AXIS}='{axis}' is no dimension of a tensor of {whole}")
    missing = whole - axis - rank
    if -missing > rank:
        raise Error("bad-attribute", f"{AXIS}='{axis}' leaves no room for a tensor of {rank} dimensions")
    if missing == 0:
        return operand
    axes = ConstantOp.of(
        int64_array(range(rank, rank + missing) if missing > 0 else range(rank + missing, rank))
    )
    add(axes)
    reshape = UnsqueezeOp if missing > 0 else SqueezeOp
    op = reshape.make(operand, axes.output)
    add(op)
    return op.results[0]
