"""Operations that move a window over spatial dimensions: convolutions and pooling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from loomir.tools.model_optimizer.mo.front.onnx.extractors.utils import get_backend_pad
from loomir.tools.model_optimizer.mo.ops.row import Backend, OpRow, boolean, element_type, spatial

POOLINGS: dict[str, dict[str, Any]] = {
    "max": {"version": "opset8", "out_ports_count": 2},
    "avg": {"version": "opset1", "out_ports_count": 1},
}
"""Version in the operation set and output count of pooling, by method."""


def _padding(end: int) -> Callable[[Any], str | None]:
    """Return a function for the padding on one side of spatial dimensions.

    The side is before (0) or after (1) the dimensions. The function returns None if the node has no padding.
    """

    def text(node: Any) -> str | None:
        if not node.has_valid("pad"):
            return None
        return ",".join(map(str, get_backend_pad(node.pad, node.spatial_dims, end)))

    return text


def _explicit_padding(end: int) -> Callable[[Any], str | None]:
    """The same, but zeros where the padding follows from `auto_pad`."""

    def text(node: Any) -> str | None:
        if node.has_valid("pad") and node.soft_get("auto_pad", None) not in (None, "explicit"):
            return ",".join("0" for _ in node.pad[node.spatial_dims])
        return _padding(end)(node)

    return text


def _auto_pad(node: Any) -> str:
    return node.auto_pad if node.has_valid("auto_pad") else "explicit"


def _output_padding(node: Any) -> str | None:
    backwards = node.type in ("GroupConvolutionBackpropData", "ConvolutionBackpropData")
    if not backwards or not node.has_valid("output_padding"):
        return None
    return ",".join(map(str, node.output_padding[node.spatial_dims]))


_CONVOLUTION: Backend = [
    ("auto_pad", _auto_pad),
    *spatial(strides="stride", dilations="dilation"),
    ("pads_begin", _explicit_padding(0)),
    ("pads_end", _explicit_padding(1)),
    ("output_padding", _output_padding),
    "pad_value",
    "mode",
]
_DEFORMABLE: Backend = [*_CONVOLUTION, "deformable_group", "group"]


def _pooled(attributes: Mapping[str, Any]) -> Backend:
    common: Backend = [
        *spatial(strides="stride", kernel="window"),
        ("pads_begin", _padding(0)),
        ("pads_end", _padding(1)),
        ("exclude-pad", boolean("exclude_pad")[0][1]),
        "rounding_type",
        ("auto_pad", _auto_pad),
    ]
    if attributes.get("pool_method") == "avg":
        return common
    return [*common, *spatial(dilations="dilation"), "axis", *element_type("index_element_type")]


def _by_method(attributes: dict[str, Any]) -> None:
    row = POOLINGS[attributes["pool_method"]]
    outputs = 1 if attributes.get("version") == "opset1" else row["out_ports_count"]
    attributes.setdefault("version", row["version"])
    attributes.setdefault("out_ports_count", outputs)


def _transparent(weights: int) -> dict[str, Any]:
    """Return attributes of an operation that is transparent to multiplication.

    A factor of the data, or of the weights at input `weights`, is a factor of the result.
    """
    return {
        "multiplication_transparent": True,
        "multiplication_transparent_ports": [(0, 0), (weights, 0)],
    }


ROWS = [
    OpRow(
        *("convolution", "Convolution", "Convolution", "Convolution", "opset1", 3),
        attributes=_transparent(1),
        backend=_CONVOLUTION,
    ),
    OpRow(
        *("deconvolution", "Deconvolution", "Deconvolution", "Deconvolution", "opset1", 3),
        backend=[
            *spatial(dilations="dilation", strides="stride"),
            ("pads_begin", _padding(0)),
            ("pads_end", _padding(1)),
            "auto_pad",
        ],
    ),
    OpRow(
        *("deformable_convolution", "DeformableConvolution", "DeformableConvolution"),
        *("DeformableConvolution", "opset8", 3),
        attributes={
            **_transparent(2),
            "group": 1,
            "deformable_group": 1,
            "bilinear_interpolation_pad": False,
        },
        backend={"opset1": _DEFORMABLE, "opset8": [*_DEFORMABLE, "bilinear_interpolation_pad"]},
    ),
    OpRow("pooling", "PoolingV2", "PoolingV2", inputs=3, attributes={"version": None}),
    OpRow(
        *("pooling", "Pooling", "Pooling", "Pooling", None, 1, None),
        backend=_pooled,
        requires=("pool_method",),
        completed=_by_method,
    ),
    OpRow("adaptive_avg_pooling", "AdaptiveAvgPooling", "AdaptiveAvgPooling"),
    OpRow(
        *("ExtractImagePatches", "ExtractImagePatches", "ExtractImagePatches"),
        *("ExtractImagePatches", "opset3"),
        backend=[*spatial(sizes="sizes", strides="strides", rates="rates"), "auto_pad"],
        requires=("spatial_dims",),
    ),
]

NAMES = {"pooling": {"poolings_map": POOLINGS}}
