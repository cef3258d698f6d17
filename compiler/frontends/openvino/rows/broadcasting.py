"""Layer types: broadcasting."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, element_type, read_lower
from loomir.compiler.frontends.openvino.upgrade import LayerBuilder, Results
from loomir.dialects.ov.broadcasting import RangeOp


def _range(layer: LayerBuilder) -> Results:
    """Range-0 has no output type: it is that of the operands."""
    return layer.make(RangeOp, *layer.operands, **{"output_type": layer.element(0), **layer.properties})


ROWS: dict[str, Row] = {
    "Broadcast": Row("broadcasting", "BroadcastOp", {"mode": read_lower}),
    "Range": Row("broadcasting", "RangeOp", {"output_type": element_type}, upgrade=_range),
    "Pad": Row("broadcasting", "PadOp", {"pad_mode": read_lower}),
}  # fmt: skip
