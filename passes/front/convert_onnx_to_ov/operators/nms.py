"""NonMaxSuppression."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.operators.nms import NonMaxSuppressionOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("NonMaxSuppression", 10, 11)
def non_max_suppression(node: Node) -> Results:
    """Translate NonMaxSuppression.

    Defaults of omitted inputs: no box at all, a threshold of 0, no threshold for scores.
    """
    defaults = (np.array(0, np.int64), np.array(0, np.float32), np.array(np.nan, np.float32))
    given = [node.optional(k) for k in (2, 3, 4)]
    operands = [node.constant(d) if v is None else v for v, d in zip(given, defaults)]
    found = node.emit(
        NonMaxSuppressionOp,
        node.input(0),
        node.input(1),
        *operands,
        attributes={
            "box_encoding": "center" if node.int("center_point_box", 0) else "corner",
            "sort_result_descending": False,
        },
    )
    return found.selected_indices
