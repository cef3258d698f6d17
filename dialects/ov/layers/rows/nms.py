"""Layer types: nms."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, i64
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.layers.attributes import Row, element_type, read_bool, read_lower
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp, MinimumOp, MultiplyOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.nms import NonMaxSuppressionOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.dialects.ov.operators.slicing import SliceOp


def _non_max_suppression(layer: LayerBuilder) -> Results:
    """Convert NonMaxSuppression.

    Operands that are left out are 0. Versions 1, 3 and 4 have one result, which is padded with -1.
    """
    given = [o for o in layer.take_up_to(2, 5 if layer.version in (1, 3) else 6) if o is not None]
    for default in (np.array(0, np.int64), np.array(0, np.float32), np.array(0, np.float32))[
        len(given) - 2 :
    ]:
        given.append(layer.constant(default))
    found = layer.make(
        NonMaxSuppressionOp,
        *given,
        **{"drop_above_threshold": layer.version == 5, **layer.properties},
    )
    if layer.version not in (1, 3, 4):
        return found
    (first,) = found[:1]
    rows = _rows(layer, given)
    one, three = layer.constant(np.array([1])), layer.constant(np.array([3]))
    (shape,) = layer.make(ConcatOp, [rows, three], axis=0)
    minus_one = layer.constant(np.array(-1, dtype_of(fact_of(first).element)))
    (filling,) = layer.make(BroadcastOp, minus_one, shape)
    (joined,) = layer.make(ConcatOp, [first, filling], axis=0)
    zero = layer.constant(np.array([0]))
    return layer.make(SliceOp, joined, zero, rows, one, zero)


def _rows(layer: LayerBuilder, given: list[SSAValue]) -> SSAValue:
    """Return the number of rows of the result.

    It is min(boxes, most * classes), in version 4 min(boxes, most) * batches * classes.
    """

    def extent(operand: SSAValue, axis: int) -> SSAValue:
        (shape,) = layer.make(ShapeOfOp, operand)
        places = layer.constant(np.array([axis])), layer.constant(np.array(0))
        return layer.make(GatherOp, shape, *places)[0]

    (most,) = layer.make(ConvertOp, given[2], destination_type=i64)
    (most,) = layer.make(ReshapeOp, most, layer.constant(np.array([1])))
    (most,) = layer.make(MaximumOp, most, layer.constant(np.array([0])))
    boxes, batches, classes = extent(given[0], 1), extent(given[1], 0), extent(given[1], 1)
    (rows,) = layer.make(MinimumOp, boxes, most)
    if layer.version == 4:
        (rows,) = layer.make(MultiplyOp, rows, batches)
        return layer.make(MultiplyOp, rows, classes)[0]
    (rows,) = layer.make(MultiplyOp, rows, classes)
    return layer.make(MinimumOp, boxes, rows)[0]


ROWS: dict[str, Row] = {
    "NonMaxSuppression": Row(
        NonMaxSuppressionOp,
        {"box_encoding": read_lower, "sort_result_descending": read_bool, "output_type": element_type},
        upgrade=_non_max_suppression,
        implies=lambda op: {"drop_above_threshold": False},
        versions=(1, 3, 4, 5, 9),
    ),
}  # fmt: skip
