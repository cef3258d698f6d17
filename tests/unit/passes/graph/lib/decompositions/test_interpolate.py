"""Interpolate and Resize against ONNX Runtime, and by hand where it has no such mode or differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import loomir
from loomir.compiler.model import Model
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.interpolate import InterpolateOp
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.operators import one_operation
from tests.support import assert_agree, raises_error

F32 = np.float32


def resize(
    x: np.ndarray,
    attributes: Mapping[str, Any],
    *,
    scales: Sequence[float] = (),
    sizes: Sequence[int] = (),
    roi: Sequence[float] = (),
    shape: Sequence[Any] | None = None,
) -> onnx.ModelProto:
    """A model of one Resize; `shape` is what it says of its input's shape."""
    initialisers = [
        numpy_helper.from_array(np.array(v, t), n)
        for n, v, t in (("roi", roi, F32), ("scales", scales, F32), ("sizes", sizes, np.int64))
        if len(v)
    ]
    given = {i.name for i in initialisers}
    names = ["x", *(n if n in given else "" for n in ("roi", "scales", "sizes"))]
    element = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [helper.make_node("Resize", names if "sizes" in given else names[:3], ["y"], name="r", **attributes)],
        "g",
        [helper.make_tensor_value_info("x", element, list(x.shape) if shape is None else shape)],
        [helper.make_tensor_value_info("y", element, None)],
        initialisers,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)


def theirs(model: onnx.ModelProto, x: np.ndarray) -> np.ndarray:
    return np.asarray(onnxruntime_session(model).run(None, {"x": x})[0])


NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
COORDINATES = ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "half_pixel_symmetric")


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_resize(mode: str, coordinates: str) -> None:
    """Growing and shrinking, by sizes with known extents and by scales with bounded ones, along axes of 1 too."""
    rng = np.random.default_rng(len(mode) + len(coordinates))
    for k in range(2):
        x = rng.normal(size=(1, 2, int(rng.integers(1, 7)), int(rng.integers(2, 7)))).astype(F32)
        attributes: dict[str, Any] = {"mode": mode, "coordinate_transformation_mode": coordinates}
        if mode == "nearest":
            attributes["nearest_mode"] = NEAREST[int(rng.integers(4))]
        if mode == "cubic":
            attributes |= {"exclude_outside": k % 2, "cubic_coeff_a": (-0.5, -0.75)[k % 2]}
        # By scales ONNX Runtime takes the rounded length for align_corners, the specification the exact one.
        by_scales = k % 2 and coordinates != "align_corners"
        model = resize(
            x,
            attributes,
            scales=[1, 1, *(float(v) for v in rng.choice([0.6, 1, 1.5, 2, 3.3], 2))] if by_scales else (),
            sizes=() if by_scales else [1, 2, *(int(v) for v in rng.integers(1, 10, 2))],
            shape=[1, 2, "h", "w"] if k else None,
        )
        expected = theirs(model, x)
        if not expected.size:
            continue
        ours = loomir.load(model, max_shapes={"x": [1, 2, 7, 7]} if k else None)
        for engine in ("graph", "native") if k else ("graph",):
            assert_agree(ours.run({"x": x}, engine=engine)["y"], expected, f"{engine} {k}")


@pytest.mark.parametrize("sizes", [[1, 1, 6, 9], [1, 1, 1, 3], [1, 1, 3, 1]])
def test_nearest_without_tables(sizes: list[int]) -> None:
    """Repeated elements are a broadcast, regular ones a view: no table and no Resample is left."""
    x = np.arange(9, dtype=F32).reshape(1, 1, 3, 3)
    model = loomir.load(resize(x, {"mode": "nearest"}, sizes=sizes))
    text = str(model.optimize("ov-infer,ov-fold-constants,ov-decompose").mlir())
    assert "ov.interpolate" not in text
    assert "ov.resample" not in text
    places = [np.ceil((np.arange(n) + 0.5) * 3 / n - 1).astype(int) for n in sizes[2:]]
    expected = x[:, :, places[0]][..., places[1]]
    np.testing.assert_array_equal(model.run({"x": x})["y"], expected)


@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_crop_and_resize(mode: str) -> None:
    x = np.random.default_rng(0).normal(size=(1, 1, 5, 6)).astype(F32)
    model = resize(
        x,
        {"mode": mode, "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 7.0},
        sizes=[1, 1, 4, 8],
        roi=[0, 0, 0.1, -0.3, 1, 1, 0.7, 1.2],
    )
    expected = theirs(model, x)
    assert (expected == 7).any()
    for engine in ("graph", "native"):
        assert_agree(loomir.load(model).run({"x": x}, engine=engine)["y"], expected, engine)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32])
def test_integers_are_cut_off(dtype: type) -> None:
    x = np.random.default_rng(0).integers(0, 100, (1, 1, 3, 4)).astype(dtype)
    model = resize(x, {"mode": "linear"}, scales=[1, 1, 2, 1.5])
    for engine in ("graph", "native"):
        np.testing.assert_array_equal(loomir.load(model).run({"x": x}, engine=engine)["y"], theirs(model, x))


def ours(data: np.ndarray, target: np.ndarray, **attributes: Any) -> np.ndarray:
    """One Interpolate of the last axis (or what `axes` says)."""
    axes = np.array(attributes.pop("axes", [-1]))
    attributes.setdefault("shape_calculation_mode", "sizes" if target.dtype.kind == "i" else "scales")
    module, _ = one_operation(InterpolateOp, [data, target, axes], attributes, constants=[1, 2])
    results = [Model(module.clone()).run({"x0": data}, engine=e)["y0"] for e in ("graph", "native")]
    assert_agree(results[1], results[0])
    return results[0]


def test_linear_with_antialias() -> None:
    """The kernel spans 1 / scale elements to each side; what is beyond the ends does not count."""
    x = np.array([0, 1, 2, 3, 4, 5], F32)
    found = ours(x, np.array([2]), mode="linear", antialias=True)
    weights = [1 - abs(k - 1) / 3 for k in range(4)]
    first = sum(w * k for k, w in enumerate(weights)) / sum(weights)
    np.testing.assert_allclose(found, [first, 5 - first], rtol=1e-6)


def test_pillow_rounds_after_each_axis() -> None:
    """In bytes: 0, 255, 255 → halves along the last axis first."""
    x = np.array([[0, 255], [255, 255]], np.uint8)
    found = ours(x, np.array([1, 1]), mode="bilinear_pillow", axes=[0, 1])
    # 127.5 is 128 after the last axis; then (128 + 255) / 2 is 191.5, that is 192.
    np.testing.assert_array_equal(found, [[192]])
    same = ours(x, np.array([2, 2]), mode="bicubic_pillow", axes=[0, 1])
    np.testing.assert_array_equal(same, x)


def test_openvino_leaves_an_axis_of_unchanged_length() -> None:
    """floor(3 * 1.2) is 3: OpenVINO's coordinates stay, ONNX's are divided by the scale."""
    x, scales = np.array([1, 10, 100], F32), np.array([1.2], F32)
    np.testing.assert_array_equal(ours(x, scales, mode="linear_onnx"), x)
    moved = ours(x, scales, mode="linear_onnx", coordinate_transformation_mode="asymmetric", exact_scale=True)
    np.testing.assert_allclose(moved, [1, 1 + 9 / 1.2, 10 + 90 * (2 / 1.2 - 1)], rtol=1e-5)


def test_padding() -> None:
    x = np.array([4, 8], F32)
    found = ours(x, np.array([4]), mode="nearest", pads_begin=[1], pads_end=[1])
    np.testing.assert_array_equal(found, [0, 4, 8, 0])


def test_errors() -> None:
    x, sizes = np.zeros((1, 1, 3, 3), F32), np.array([2, 2])
    with raises_error("interpolate-target", "values"):
        ours(x, sizes, mode="nearest", axes=[2])
    with raises_error("interpolate-target", "negative"):
        ours(x, -sizes, mode="nearest", axes=[2, 3])
    with raises_error("interpolate-target", "positive"):
        ours(x, np.array([0.0], F32), mode="nearest")
    with raises_error("interpolate-roi"):
        ours(x, sizes, mode="nearest", axes=[2, 3], coordinate_transformation_mode="tf_crop_and_resize")
    for wrong in (
        {"mode": "bilinear"},
        {"mode": "nearest", "nearest_mode": "round"},
        {"mode": "nearest", "antialias": True},
        {"mode": "nearest", "pads_begin": [-1]},
        {"mode": "nearest", "pads_end": [0, 0, 0, 0, 1]},
        {"mode": "nearest", "coordinate_transformation_mode": "half"},
    ):
        with raises_error("attribute-value"):
            ours(x, sizes, axes=[2, 3], **wrong)
    with raises_error("attribute-value", "for sizes"):
        ours(x, np.array([2.0], F32), mode="nearest", keep_aspect_ratio_policy="not_larger")
    roi = ConstantOp.of(np.zeros(3, F32)).output
    operands = [ConstantOp.of(a).output for a in (x, sizes, np.array([2, 3]))]
    attributes = {"mode": "nearest", "coordinate_transformation_mode": "tf_crop_and_resize"}
    with raises_error("interpolate-target", "3 values"):
        InterpolateOp.make(*operands, roi, attributes={**attributes, "shape_calculation_mode": "sizes"})


def test_axes_that_are_not_known() -> None:
    arrays = [np.zeros((2, 2), F32), np.array([3]), np.array([0])]
    module, _ = one_operation(
        InterpolateOp, arrays, {"mode": "nearest", "shape_calculation_mode": "sizes"}, constants=[1]
    )
    with raises_error("unknown-axes"):
        Model(module).optimize("ov-decompose")
