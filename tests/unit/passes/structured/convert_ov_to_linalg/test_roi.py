"""ROIAlign and ROIPooling below GRAPH against `evaluate`."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from loomir.compiler.model import Engine, Model
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.roi import ROIAlignOp, ROIPoolingOp
from tests.operators import one_operation
from tests.support import raises_error
from tests.unit.passes.structured.convert_ov_to_linalg.engines import check

F32 = np.float32
DTYPES = (F32, np.float64, np.float16, ml_dtypes.bfloat16)
SIZE = {"pooled_h": 2, "pooled_w": 2}


def image(rng: np.random.Generator, dtype: type) -> np.ndarray:
    shape = [int(v) for v in rng.integers(1, 4, 2)] + [int(v) for v in rng.integers(3, 7, 2)]
    data = rng.standard_normal(shape)
    if rng.random() < 0.15:
        data[rng.random(shape) < 0.2] = np.nan
    return data.astype(dtype)


def random_size(rng: np.random.Generator) -> dict[str, int | float]:
    return {
        "pooled_h": int(rng.integers(1, 4)),
        "pooled_w": int(rng.integers(1, 4)),
        "spatial_scale": float(rng.choice([0.5, 1.0, 1.3])),
    }


def test_roi_align() -> None:
    """Regions in, across and beyond the image, turned round, NaN."""
    rng = np.random.default_rng(0)
    for case in range(16):
        dtype = DTYPES[case % 4]
        data = image(rng, dtype)
        regions = int(rng.integers(0, 4))
        rois = rng.random((regions, 4)) * 8 - 2
        if case % 5 == 0:
            rois[rng.random(rois.shape) < 0.2] = np.nan
        batches = rng.integers(0, len(data), regions).astype((np.int32, np.int64, np.uint8)[case % 3])
        check(
            ROIAlignOp,
            [data, rois.astype(dtype), batches],
            {
                **random_size(rng),
                "sampling_ratio": int(rng.integers(0, 4)),
                "mode": ("max", "avg")[int(rng.integers(2))],
                "aligned_mode": ("asymmetric", "half_pixel", "half_pixel_for_nn")[int(rng.integers(3))],
                "maximum_of": ("samples", "corners")[int(rng.integers(2))],
            },
            dynamic=bool(rng.integers(2)) and regions > 0,
            engines=("structured", "native") if case % 5 == 0 else ("structured",),
        )


def test_roi_pooling() -> None:
    rng = np.random.default_rng(1)
    for case in range(16):
        dtype = DTYPES[case % 4]
        data = image(rng, dtype)
        regions = int(rng.integers(0, 4))
        method = ("max", "bilinear")[case % 2]
        reach = 1.2 if method == "bilinear" else 8
        rois = np.concatenate(
            [rng.integers(0, len(data), (regions, 1)), rng.random((regions, 4)) * reach - 0.1], 1
        )
        check(
            ROIPoolingOp,
            [data, rois.astype(dtype)],
            {**random_size(rng), "method": method},
            dynamic=bool(rng.integers(2)) and regions > 0,
            engines=("structured", "native") if case % 5 == 0 else ("structured",),
        )


@pytest.mark.parametrize("engine", ["graph", "structured", "native"])
def test_errors_of_data(engine: Engine) -> None:
    data, rois = np.zeros((2, 1, 4, 4), F32), np.zeros((1, 4), F32)
    module, _ = one_operation(ROIAlignOp, [data, rois, np.zeros(1, np.int64)], SIZE)
    model = Model(module)
    for batch in (2, -1):
        with raises_error("runtime-index"):
            model.run({"x0": data, "x1": rois, "x2": np.array([batch])}, engine=engine)
    huge = np.array([[0, 0, 1e9, 1]], F32)
    with raises_error("limit-iterations"):
        model.run({"x0": data, "x1": huge, "x2": np.array([0])}, engine=engine)
    module, _ = one_operation(ROIPoolingOp, [data, np.zeros((1, 5), F32)], SIZE)
    with raises_error("runtime-index"):
        Model(module).run({"x0": data, "x1": np.full((1, 5), 2, F32)}, engine=engine)


def fails(identifier: str, op_class: type[OvOperation], *arrays: np.ndarray, **attributes) -> None:
    with raises_error(identifier):
        op_class.make(*(ConstantOp.of(a).output for a in arrays), attributes={**SIZE, **attributes})


def test_errors_of_shapes_and_attributes() -> None:
    data, rois, batches = np.zeros((1, 1, 4, 4), F32), np.zeros((2, 4), F32), np.zeros(2, np.int64)
    with raises_error("roi-shapes", "expected [N, C, H, W] with pixels"):
        ROIPoolingOp.make(*(ConstantOp.of(a).output for a in (data[0], rois)), attributes=SIZE)
    fails("roi-shapes", ROIAlignOp, data[:, :, :0], rois, batches)
    fails("roi-shapes", ROIAlignOp, data, rois[:, :3], batches)
    fails("roi-shapes", ROIAlignOp, data, rois, batches[:1])
    fails("roi-shapes", ROIAlignOp, data, rois, batches[:, None])
    fails("attribute-value", ROIAlignOp, data, rois, batches, pooled_h=0)
    fails("attribute-value", ROIAlignOp, data, rois, batches, sampling_ratio=-1)
    fails("roi-shapes", ROIPoolingOp, data, rois)
    fails("element-types-differ", ROIPoolingOp, data, np.zeros((1, 5)))
