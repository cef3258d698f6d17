"""Layer types: layout."""

from __future__ import annotations

from loomir.dialects.element_types import i64, is_integer
from loomir.dialects.ov.layers.attributes import Row, read_int
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.layout import ReverseSequenceOp


def _reverse_sequence(layer: LayerBuilder) -> Results:
    """The lengths may be floats."""
    data, lengths = layer.take(2)
    if not is_integer(layer.element(1)):
        (lengths,) = layer.make(ConvertOp, lengths, destination_type=i64)
    return layer.make(ReverseSequenceOp, data, lengths, **layer.properties)


ROWS: dict[str, Row] = {
    "ReverseSequence": Row(ReverseSequenceOp, {"batch_axis": read_int, "seq_axis": read_int}, upgrade=_reverse_sequence),
}  # fmt: skip
