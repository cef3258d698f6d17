"""Layer types: layout."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_int, read_lower
from loomir.compiler.frontends.openvino.upgrade import LayerBuilder, Results
from loomir.dialects.element_types import i64, is_integer
from loomir.dialects.ov.conversion import ConvertOp
from loomir.dialects.ov.layout import ReverseSequenceOp

_BLOCK = {"mode": read_lower, "block_size": read_int}


def _reverse_sequence(layer: LayerBuilder) -> Results:
    """The lengths may be floats."""
    data, lengths = layer.take(2)
    if not is_integer(layer.element(1)):
        (lengths,) = layer.make(ConvertOp, lengths, destination_type=i64)
    return layer.make(ReverseSequenceOp, data, lengths, **layer.properties)  # pyright: ignore[reportArgumentType]


ROWS: dict[str, Row] = {
    "SpaceToDepth": Row("layout", "SpaceToDepthOp", _BLOCK),
    "DepthToSpace": Row("layout", "DepthToSpaceOp", _BLOCK),
    "ShuffleChannels": Row("layout", "ShuffleChannelsOp", {"axis": read_int, "group": read_int}),
    "SpaceToBatch": Row("layout", "SpaceToBatchOp"),
    "BatchToSpace": Row("layout", "BatchToSpaceOp"),
    "Roll": Row("layout", "RollOp"),
    "Reverse": Row("layout", "ReverseOp", {"mode": read_lower}),
    "ReverseSequence": Row(
        "layout", "ReverseSequenceOp", {"batch_axis": read_int, "seq_axis": read_int}, upgrade=_reverse_sequence
    ),
}  # fmt: skip
