"""Layer types: searching."""

from __future__ import annotations

from loomir.dialects.element_types import f64, i64, is_float
from loomir.dialects.ov.layers.attributes import Row, element_type, read_bool
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.searching import SearchSortedOp


def _bucketize(layer: LayerBuilder) -> Results:
    """Convert Bucketize-3 to SearchSorted of data in the bounds.

    Operands of different types are compared as f64 or i64.
    """
    data, bounds = layer.take(2)
    types = layer.element(0), layer.element(1)
    if types[0] != types[1]:
        common = f64 if any(is_float(t) for t in types) else i64
        (data,) = layer.make(ConvertOp, data, destination_type=common)
        (bounds,) = layer.make(ConvertOp, bounds, destination_type=common)
    right = not layer.properties.get("with_right_bound", True)
    type_ = layer.properties.get("output_type", i64)
    return layer.make(SearchSortedOp, bounds, data, right_mode=right, output_type=type_)


ROWS: dict[str, Row] = {
    "Bucketize": Row(SearchSortedOp, {"output_type": element_type, "with_right_bound": read_bool}, upgrade=_bucketize, written=False),
}  # fmt: skip
