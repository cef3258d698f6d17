"""Layers that resample, sample, pool and convolve backwards, against OpenVINO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino.opset1 as opset1
import openvino.opset8 as opset8
import openvino.opset13 as opset13
import pytest
from openvino.utils.node_factory import NodeFactory

from tests.openvino_layers import compare_layers

F32 = np.float32


def values(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(F32)


def ints(*numbers: int) -> Any:
    return opset13.constant(np.array(numbers, np.int64))


@pytest.mark.parametrize("dynamic", [False, True])
def test_transposed_convolution(tmp_path: Path, dynamic: bool) -> None:
    w, g = opset13.constant(values(2, 3, 3, 3)), opset13.constant(values(2, 1, 2, 3, 3, seed=1))

    def layers(p: Any) -> dict[str, Any]:
        def plain(**kw: Any) -> Any:
            return opset13.convolution_backprop_data(p["x"], w, [2, 3], **kw)

        return {
            "pads": plain(pads_begin=[1, 0], pads_end=[0, 2], dilations=[2, 1], output_padding=[1, 0]),
            "valid": plain(auto_pad="valid"),
            "upper": plain(output_shape=ints(8, 11), auto_pad="same_upper"),
            "lower": plain(output_shape=ints(8, 11), auto_pad="same_lower"),
            "groups": opset13.group_convolution_backprop_data(
                p["x"], g, [1, 2], pads_begin=[1, 1], pads_end=[1, 1]
            ),
        }

    compare_layers(tmp_path, {"x": values(1, 2, 4, 5)}, layers, dynamic=["x"] if dynamic else [])


def test_interpolate(tmp_path: Path) -> None:
    """Versions 11, 4 and 0; modes, coordinates and padding in turn."""

    def newest(x: Any, mode: str, target: Any, by: str, **kw: Any) -> Any:
        return opset13.interpolate(x, target, mode, by, axes=ints(2, 3), **{"cube_coeff": -0.5, **kw})

    def layers(p: Any) -> dict[str, Any]:
        x = p["x"]
        scales = opset13.constant(np.array([1.6, 0.7], F32))
        sizes = ints(3, 9)
        made = {
            f"{mode} {coordinates}": newest(
                x, mode, target, by, coordinate_transformation_mode=coordinates, nearest_mode=nearest
            )
            for mode, coordinates, nearest, target, by in (
                ("nearest", "half_pixel", "round_prefer_floor", sizes, "sizes"),
                ("nearest", "tf_half_pixel_for_nn", "floor", scales, "scales"),
                ("nearest", "asymmetric", "simple", sizes, "sizes"),
                ("nearest", "align_corners", "round_prefer_ceil", scales, "scales"),
                ("linear", "half_pixel", "ceil", scales, "scales"),
                ("linear_onnx", "pytorch_half_pixel", "ceil", scales, "scales"),
                ("linear_onnx", "align_corners", "ceil", sizes, "sizes"),
                ("cubic", "asymmetric", "ceil", scales, "scales"),
                ("bilinear_pillow", "asymmetric", "ceil", sizes, "sizes"),
                ("bicubic_pillow", "half_pixel", "ceil", scales, "scales"),
            )
        }
        made["padded"] = newest(
            x, "linear_onnx", sizes, "sizes", pads_begin=[0, 0, 1, 0], pads_end=[0, 0, 0, 2]
        )
        made["four"] = NodeFactory("opset4").create(
            "Interpolate",
            [x.output(0), ints(4, 4).output(0), scales.output(0), ints(2, 3).output(0)],
            {
                "mode": "linear_onnx", "shape_calculation_mode": "scales", "pads_begin": [0], "pads_end": [0],
                "coordinate_transformation_mode": "half_pixel", "nearest_mode": "floor", "antialias": False,
                "cube_coeff": -0.75,
            },
        )  # fmt: skip
        for name, attributes in (
            ("nearest", {"mode": "nearest"}),
            ("linear", {"mode": "linear"}),
            ("corners", {"mode": "linear", "align_corners": True}),
        ):
            made[f"first {name}"] = opset1.interpolate(
                x,
                sizes,
                {"axes": [2, 3], "pads_begin": [0], "pads_end": [0], "antialias": False, **attributes},
            )
        return made

    compare_layers(tmp_path, {"x": values(1, 2, 5, 6)}, layers)


def test_grid_sample(tmp_path: Path) -> None:
    grid = values(2, 3, 4, 2, seed=1)

    def layers(p: Any) -> dict[str, Any]:
        return {
            f"{mode} {padding} {align}": opset13.grid_sample(
                p["x"], p["grid"], {"mode": mode, "padding_mode": padding, "align_corners": align}
            )
            for mode in ("bilinear", "nearest", "bicubic")
            for padding in ("zeros", "border", "reflection")
            for align in (False, True)
        }

    compare_layers(tmp_path, {"x": values(2, 2, 4, 5), "grid": grid}, layers, dynamic=["x", "grid"])


@pytest.mark.parametrize("pad", [False, True])
def test_deformable_convolution(tmp_path: Path, pad: bool) -> None:
    """Two groups, two offset groups, a mask; with and without zeros around the data.

    OpenVINO gets the second of two such layers in one model wrong.
    """
    filters = opset13.constant(values(4, 2, 2, 3))
    feed = {
        "x": values(2, 4, 5, 6),
        "offsets": values(2, 24, 3, 3, seed=1),
        "mask": values(2, 12, 3, 3, seed=2),
    }

    def layers(p: Any) -> dict[str, Any]:
        return {
            "": opset8.deformable_convolution(
                p["x"], p["offsets"], filters, [2, 2], [1, 1], [0, 1], [1, 1], p["mask"],
                group=2, deformable_group=2, bilinear_interpolation_pad=pad,
            )
        }  # fmt: skip

    compare_layers(tmp_path, feed, layers, dynamic=list(feed) if pad else [])


def test_adaptive_pooling(tmp_path: Path) -> None:
    """Windows that overlap, that lie side by side, and that share elements; equal elements."""
    x = np.round(values(2, 3, 6, 7) * 2)

    def layers(p: Any) -> dict[str, Any]:
        targets = {"some": (4, 3), "even": (3, 7), "more": (9, 2)}
        made = {f"mean {n}": opset8.adaptive_avg_pool(p["x"], ints(*t)) for n, t in targets.items()}
        for name, target in targets.items():
            pool = opset8.adaptive_max_pool(p["x"], ints(*target), "i32")
            made[f"greatest {name}"] = pool
            made[f"place {name}"] = opset13.convert(pool.output(1), "i32")
        return made

    compare_layers(tmp_path, {"x": x}, layers)


def test_patches(tmp_path: Path) -> None:
    def layers(p: Any) -> dict[str, Any]:
        made: dict[str, Any] = {
            f"patches {pad} {k}": opset13.extract_image_patches(p["x"], [2, 3], strides, rates, pad)
            for pad in ("valid", "same_upper", "same_lower")
            for k, (strides, rates) in enumerate((([2, 1], [1, 1]), ([1, 2], [2, 1])))
        }
        made["none"] = opset13.extract_image_patches(p["x"], [8, 3], [1, 1], [1, 1], "valid")
        made["reorganised"] = opset13.reorg_yolo(p["y"], [2])
        return made

    compare_layers(tmp_path, {"x": values(2, 3, 5, 6), "y": values(1, 8, 4, 6)}, layers)
