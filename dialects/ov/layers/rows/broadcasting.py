"""Layer types: broadcasting."""

from __future__ import annotations

from loomir.dialects.ov.layers.attributes import Row, element_type, read_lower
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, RangeOp


def _range(layer: LayerBuilder) -> Results:
    """Range-0 has no output type: it is that of the operands."""
    return layer.make(RangeOp, *layer.operands, **{"output_type": layer.element(0), **layer.properties})


def _broadcast(layer: LayerBuilder) -> Results:
    """Convert Broadcast.

    The axes_mapping is used only in the mode "explicit", which Broadcast-1 also calls "none".
    """
    mode = layer.properties.get("mode", "numpy")
    if mode == "none":
        mode = "explicit"
    data, shape, axes = layer.take_up_to(2, 3)
    return layer.make(BroadcastOp, data, shape, axes if mode == "explicit" else None, mode=mode)


ROWS: dict[str, Row] = {
    "Broadcast": Row(BroadcastOp, {"mode": read_lower}, versions=(1, 3), upgrade=_broadcast),
    "Range": Row(RangeOp, {"output_type": element_type}, versions=(0, 4), upgrade=_range),
}  # fmt: skip
