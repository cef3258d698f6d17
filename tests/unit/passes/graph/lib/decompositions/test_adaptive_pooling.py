"""Adaptive pooling where extents are not known; the rest is compared with OpenVINO."""

from __future__ import annotations

import numpy as np
import pytest

from loomir.compiler.model import Engine, Model
from loomir.dialects.ov.operators.pooling import AdaptiveAvgPoolOp, AdaptiveMaxPoolOp
from tests.operators import one_operation
from tests.support import assert_agree, raises_error


@pytest.mark.parametrize("engine", ["graph", "native"])
def test_mean_with_bounded_extents(engine: Engine) -> None:
    """The windows are computed when the program runs."""
    x = np.random.default_rng(0).normal(size=(1, 2, 7)).astype(np.float32)
    module, _ = one_operation(AdaptiveAvgPoolOp, [x, np.array([3])], constants=[1], dynamic=True)
    expected = np.stack([x[..., 0:3].mean(-1), x[..., 2:5].mean(-1), x[..., 4:7].mean(-1)], -1)
    assert_agree(Model(module).run({"x0": x}, engine=engine)["y0"], expected)


def test_greatest_with_unknown_extents() -> None:
    arrays = [np.zeros((1, 2, 7), np.float32), np.array([3])]
    module, _ = one_operation(AdaptiveMaxPoolOp, arrays, constants=[1], dynamic=True)
    with raises_error("unknown-length"):
        Model(module).optimize("ov-decompose")
