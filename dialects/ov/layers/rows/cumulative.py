"""Layer types: cumulative."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.layers.attributes import Row, read_bool
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.cumulative import CumSumOp


def _cum_sum(layer: LayerBuilder) -> Results:
    """Without an axis it is 0."""
    data, axis = layer.take_up_to(1, 2)
    if axis is None:
        axis = layer.constant(np.array(0, np.int64))
    return layer.make(CumSumOp, data, axis, **layer.properties)


ROWS: dict[str, Row] = {
    "CumSum": Row(CumSumOp, {"exclusive": read_bool, "reverse": read_bool}, upgrade=_cum_sum),
}  # fmt: skip
