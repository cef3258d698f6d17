"""Patches: what is refused. The rest is compared with OpenVINO."""

from __future__ import annotations

import numpy as np

from loomir.compiler.model import Model
from loomir.dialects.ov.operators.windows import ExtractImagePatchesOp, ReorgYoloOp
from tests.operators import one_operation
from tests.support import raises_error

PATCHES = {"sizes": [2, 2], "strides": [1, 1], "rates": [1, 1], "auto_pad": "valid"}


def test_shapes() -> None:
    with raises_error("patches-shape"):
        one_operation(ExtractImagePatchesOp, [np.zeros((2, 3, 3), np.float32)], PATCHES)
    with raises_error("patches-shape"):
        one_operation(ReorgYoloOp, [np.zeros((1, 4, 3, 4), np.float32)], {"stride": 2})


def test_unknown_extents() -> None:
    data = np.zeros((1, 4, 4, 4), np.float32)
    for op_class, attributes in ((ExtractImagePatchesOp, PATCHES), (ReorgYoloOp, {"stride": 2})):
        module, _ = one_operation(op_class, [data], attributes, dynamic=True)
        with raises_error("unknown-shape"):
            Model(module).optimize("ov-decompose")
