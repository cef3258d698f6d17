"""Memory that evaluation takes beside operands and results.

It is requested before it is allocated; transforms of empty data are empty.
"""

import numpy as np

from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.operators.convolution import ConvolutionBackpropDataOp
from loomir.dialects.ov.operators.roi import ROIAlignOp
from tests.differential.operator_samples import Sample, build
from tests.support import raises_error

F32 = np.float32


def test_reach_of_a_transposed_convolution() -> None:
    data, filters = np.ones((1, 1, 2, 2), F32), np.ones((1, 1, 1, 1), F32)
    attributes = {"strides": [1 << 40, 1], "pads_begin": [1 << 40, 0], "pads_end": [0, 0]}
    op = build(Sample(ConvolutionBackpropDataOp, (data, filters), attributes, 1, frozenset()))
    with raises_error("limit-bytes"):
        evaluate(op, [data, filters])


def test_samples_of_a_region() -> None:
    data, rois, batches = np.ones((1, 1, 4, 4), F32), np.array([[0, 0, 1, 1]], F32), np.array([0])
    attributes = {"pooled_h": 2, "pooled_w": 2, "sampling_ratio": 1 << 16}
    op = build(Sample(ROIAlignOp, (data, rois, batches), attributes, 1, frozenset()))
    with raises_error("limit-bytes"):
        evaluate(op, [data, rois, batches])
