"""Transposed convolution, pooling and sampling from ONNX, against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import loomir
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import assert_agree, raises_error

F32 = np.float32


def model_of(
    operator: str,
    inputs: Sequence[np.ndarray | None],
    attributes: Mapping[str, Any],
    *,
    outputs: int = 1,
    opset: int = 17,
    known: Sequence[int] = (),
) -> onnx.ModelProto:
    """A model of one node; the inputs numbered in `known` are initialisers."""
    names = [f"x{k}" if a is not None else "" for k, a in enumerate(inputs)]
    made = [f"y{k}" for k in range(outputs)]

    def info(name: str, array: np.ndarray) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)

    graph = helper.make_graph(
        [helper.make_node(operator, names, made, name="n", **attributes)],
        "g",
        [info(n, a) for k, (n, a) in enumerate(zip(names, inputs)) if a is not None and k not in known],
        [
            helper.make_tensor_value_info(n, onnx.TensorProto.INT64 if k else onnx.TensorProto.FLOAT, None)
            for k, n in enumerate(made)
        ],
        [
            numpy_helper.from_array(a, n)
            for k, (n, a) in enumerate(zip(names, inputs))
            if a is not None and k in known
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def compare(
    operator: str,
    inputs: Sequence[np.ndarray | None],
    attributes: Mapping[str, Any],
    *,
    expected: Sequence[np.ndarray] | None = None,
    **options: Any,
) -> None:
    """Both engines give what ONNX Runtime gives (or what is expected)."""
    known = options.get("known", ())
    model = model_of(operator, inputs, attributes, **options)
    feed = {f"x{k}": a for k, a in enumerate(inputs) if a is not None and k not in known}
    if expected is None:
        session = onnxruntime_session(model)
        expected = [np.asarray(v) for v in session.run(None, feed)]
    for engine in ("graph", "native"):
        found = loomir.load(model).run(feed, engine=engine)
        for k, wanted in enumerate(expected):
            assert_agree(found[f"y{k}"], wanted, f"{operator} {dict(attributes)} {engine}")


def values(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(F32)


@pytest.mark.parametrize(
    "attributes",
    [
        {"strides": [2, 3], "pads": [1, 0, 0, 2], "output_padding": [1, 2], "dilations": [2, 1]},
        {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
        {"auto_pad": "SAME_LOWER", "strides": [2, 2], "output_padding": [1, 0]},
        {"auto_pad": "VALID", "strides": [2, 2]},
        {"output_shape": [9, 8], "strides": [2, 2]},
        {"output_shape": [9, 8], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
        {"group": 2, "strides": [1, 2]},
    ],
)
def test_conv_transpose(attributes: dict[str, Any]) -> None:
    x, w, b = values(2, 4, 4, 4), values(4, 3, 3, 3, seed=1), values(3 * attributes.get("group", 1), seed=2)
    compare("ConvTranspose", [x, w, b], attributes, known=[1, 2])


def test_conv_transpose_smaller_than_same() -> None:
    """A kernel that does not fill the stride leaves zeros at the end."""
    x, w = np.array([[[1, 2]]], F32), np.array([[[1, 10]]], F32)
    compare(
        "ConvTranspose", [x, w], {"strides": [3], "auto_pad": "SAME_UPPER"}, known=[1],
        expected=[np.array([[[1, 10, 0, 2, 20, 0]]], F32)],
    )  # fmt: skip


def test_conv_transpose_errors() -> None:
    x, w = values(1, 2, 3, 3), values(2, 1, 2, 2)
    for attributes in (
        {"kernel_shape": [3, 3]},
        {"output_padding": [1]},
        {"output_shape": [4]},
        {"strides": [1]},
        {"group": 3},
    ):
        with raises_error("invalid-onnx"):
            loomir.load(model_of("ConvTranspose", [x, w], attributes, known=[1]))
    for attributes in ({"group": 2}, {"auto_pad": "SAME_UPPER"}):
        model = model_of("ConvTranspose", [x, w], attributes)
        for extent in model.graph.input[1].type.tensor_type.shape.dim:
            extent.ClearField("dim_value")
        with raises_error("unknown-shape"):
            loomir.load(model)


def test_negative_pads() -> None:
    x, w = values(1, 1, 5, 5), values(1, 1, 2, 2, seed=1)
    compare("Conv", [x, w], {"pads": [-1, 1, 0, -2]}, known=[1], expected=[_cropped(x, w)])


def _cropped(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    model = model_of("Conv", [np.pad(x[:, :, 1:, :-2], ((0, 0), (0, 0), (0, 0), (1, 0))), w], {}, known=[1])
    feed = {"x0": np.pad(x[:, :, 1:, :-2], ((0, 0), (0, 0), (0, 0), (1, 0)))}
    return np.asarray(onnxruntime_session(model).run(None, feed)[0])


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_max_pool_positions_by_columns(rank: int) -> None:
    x = values(2, 2, *(4, 5, 3)[:rank])
    compare(
        "MaxPool", [x], {"kernel_shape": [2] * rank, "strides": [2] * rank, "storage_order": 1}, outputs=2
    )


@pytest.mark.parametrize(
    ("operator", "opset", "p"), [("LpPool", 1, 3.0), ("LpPool", 18, 1), ("LpPool", 17, 4)]
)
def test_lp_pool(operator: str, opset: int, p: float) -> None:
    x = np.abs(values(1, 2, 5))
    attributes = {"kernel_shape": [2], "strides": [2], "pads": [1, 0], "p": p}
    padded = np.pad(x, ((0, 0), (0, 0), (1, 0))).reshape(1, 2, 3, 2)
    compare(operator, [x], attributes, opset=opset, expected=[(padded**p).sum(-1) ** F32(1 / p)])


@pytest.mark.parametrize(("opset", "p"), [(1, 2.5), (17, 1), (17, 2), (17, 3)])
def test_global_lp_pool(opset: int, p: float) -> None:
    x = values(2, 3, 4, 5)
    expected = (np.abs(x) ** p).sum((2, 3), keepdims=True) ** F32(1 / p)
    compare("GlobalLpPool", [x], {"p": p}, opset=opset, expected=[expected.astype(F32)])
    with raises_error("invalid-onnx"):
        loomir.load(model_of("GlobalLpPool", [x], {"p": p * 0}, opset=opset))


def test_max_unpool() -> None:
    x, places = np.array([[[[1, 2], [3, 4]]]], F32), np.array([[[[5, 7], [13, 10]]]])
    attributes = {"kernel_shape": [2, 2], "strides": [2, 2]}
    compare("MaxUnpool", [x, places], attributes)
    compare(
        "MaxUnpool",
        [x, places, np.array([1, 1, 5, 6])],
        attributes,
        known=[2],
        expected=[_unpooled(x, places)],
    )
    with raises_error("invalid-onnx"):
        loomir.load(model_of("MaxUnpool", [x, places], {"kernel_shape": [2]}))


def _unpooled(x: np.ndarray, places: np.ndarray) -> np.ndarray:
    flat = np.zeros(16, F32)
    flat[places.reshape(-1)] = x.reshape(-1)
    return np.pad(flat.reshape(1, 1, 4, 4), ((0, 0), (0, 0), (0, 1), (0, 2)))


@pytest.mark.parametrize(("opset", "mode"), [(1, "nearest"), (1, "bilinear"), (8, "linear"), (9, "nearest")])
def test_upsample(opset: int, mode: str) -> None:
    x = np.array([[[[1, 2], [3, 5]]]], F32)
    scales = {1: {"height_scale": 1.5, "width_scale": 2.0}, 8: {"scales": [1.0, 1.0, 1.5, 2.0]}}.get(
        opset, {}
    )
    rows = (
        x[:, :, [0, 0, 1]]
        if mode == "nearest"
        else x[:, :, [0, 0, 1]] * F32(1) + np.array([0, 0, 0], F32)[:, None]
    )
    if mode == "nearest":
        expected = rows[..., [0, 0, 1, 1]]
    else:
        rows = np.stack([x[0, 0, 0], x[0, 0, 0] / 3 + x[0, 0, 1] * 2 / 3, x[0, 0, 1]])
        expected = np.stack([rows[:, 0], rows.mean(1), rows[:, 1], rows[:, 1]], -1)[None, None]
    inputs = [x, np.array([1, 1, 1.5, 2], F32)] if opset == 9 else [x]
    compare(
        "Upsample", inputs, {"mode": mode, **scales}, opset=opset, known=[1], expected=[expected.astype(F32)]
    )


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_resized_images(mode: str) -> None:
    """Antialiased integers are rounded after each axis, the last one first. ONNX Runtime's weights are of fixed point,
    so that its ties fall either way: this data has none."""
    x = np.random.default_rng(6).integers(0, 256, (1, 2, 9, 7), np.uint8)
    attributes = {"mode": mode, "antialias": 1}
    model = model_of("Resize", [x, None, None, np.array([1, 2, 4, 9])], attributes, opset=19, known=[3])
    model.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.UINT8
    session = onnxruntime_session(model)
    expected = np.asarray(session.run(None, {"x0": x})[0])
    for engine in ("graph", "native"):
        assert_agree(loomir.load(model).run({"x0": x}, engine=engine)["y0"], expected, engine)


@pytest.mark.parametrize("scale", [0.4, 1.0, 1.3, 2.0])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_resize_of_bounded_extents(scale: float, mode: str) -> None:
    """Scales bound what they are applied to: C needs no more than the bounds of the input."""
    scales = np.array([1, 1, scale, scale], np.float32)
    attributes = {"mode": mode, "coordinate_transformation_mode": "asymmetric"}
    x = values(1, 2, 5, 7)
    model = model_of("Resize", [x, None, scales], attributes, known=[2])
    expected = loomir.load(model).run({"x0": x}, engine="graph")["y0"]
    for k in (2, 3):
        model.graph.input[0].type.tensor_type.shape.dim[k].dim_param = f"d{k}"
    found = loomir.load(model, max_shapes={"x0": [None, None, 9, 8]}).run({"x0": x}, engine="native")
    assert_agree(found["y0"], expected)


def test_resize_not_larger_than_a_bound() -> None:
    x = values(5, 7)
    attributes = {"mode": "linear", "keep_aspect_ratio_policy": "not_larger"}
    model = model_of("Resize", [x, None, None, np.array([8, 9])], attributes, opset=19, known=[3])
    expected = loomir.load(model).run({"x0": x}, engine="graph")["y0"]
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "rows"
    found = loomir.load(model, max_shapes={"x0": [9, None]}).run({"x0": x}, engine="native")
    assert_agree(found["y0"], expected)


def test_resize_of_version_10_and_errors() -> None:
    x, scales = values(1, 1, 4, 5), np.array([1, 1, 0.6, 2], F32)
    compare("Resize", [x, scales], {"mode": "nearest"}, opset=10, known=[1])
    for attributes, inputs in (
        ({}, [x, None, None]),
        ({"mode": "bilinear"}, [x, None, scales]),
        ({"nearest_mode": "round"}, [x, None, scales]),
        ({"coordinate_transformation_mode": "tf_crop_and_resize"}, [x, None, scales]),
    ):
        with raises_error("invalid-onnx"):
            loomir.load(model_of("Resize", inputs, attributes, opset=13, known=[2]))


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_grid_sample(mode: str, padding: str) -> None:
    x, grid = values(2, 2, 4, 5), values(2, 3, 4, 2, seed=1)
    for align in (0, 1):
        compare("GridSample", [x, grid], {"mode": mode, "padding_mode": padding, "align_corners": align})
    with raises_error("invalid-onnx"):
        loomir.load(model_of("GridSample", [x, grid], {"mode": "quadratic"}))
