"""Layer types: resampling."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.base import AttrValue, int64_array
from loomir.dialects.ov.layers.attributes import Row, read_bool, read_ints, read_lower
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.interpolate import InterpolateOp
from loomir.errors import Error


def _interpolate(layer: LayerBuilder) -> Results:
    """Convert Interpolate of versions 0, 4 and 11.

    Interpolate-11 takes sizes or scales; Interpolate-4 takes both, of which an attribute selects one; Interpolate-0 has sizes,
    and its axes are an attribute.

    `antialias` is for the mode linear only: elsewhere it has no effect.
    """
    properties = dict(layer.properties)
    data, *rest = layer.take_up_to(*{0: (2, 2), 4: (3, 4)}.get(layer.version, (2, 3)))
    rank = layer.fact(0).rank
    if rank is None:
        raise Error("unknown-rank", "the rank of the input is not known", hint="set the model's input shapes")
    if layer.version == 0:
        target = rest[0]
        axes = layer.constant(np.array(_attributes_of_first(properties, rank), np.int64))
    else:
        if layer.version == 4:
            sizes, scales, *rest = rest
            target = scales if properties.get("shape_calculation_mode") == "scales" else sizes
        else:
            target, *rest = rest
        axes = rest[0] if rest and rest[0] is not None else layer.constant(int64_array(range(rank)))
        for name in ("align_corners", "axes"):
            properties.pop(name, None)
    if properties.get("mode") != "linear":
        properties.pop("antialias", None)
    return layer.make(InterpolateOp, data, target, axes, None, **properties)


def _attributes_of_first(properties: dict[str, AttrValue], rank: int) -> list[int]:
    """Convert Interpolate-0 attributes to those of version 11; return the axes.

    This follows OpenVINO's reference implementation.
    """
    axes = _numbers(properties.pop("axes", []))
    mode = properties.get("mode")
    if mode == "linear" and rank < 5:
        mode = properties["mode"] = "linear_onnx"
    coordinates = "asymmetric"
    padded = any(any(_numbers(properties.get(name, []))) for name in ("pads_begin", "pads_end"))
    if properties.pop("align_corners", False):
        coordinates = "align_corners"
    elif mode in ("linear", "linear_onnx") and not padded and not (rank == 4 and sorted(axes) == [2, 3]):
        coordinates = "half_pixel"
    properties.update(
        shape_calculation_mode="sizes", nearest_mode="simple", coordinate_transformation_mode=coordinates
    )
    return sorted(axes)


def _numbers(value: AttrValue) -> list[int]:
    """Return the result of `read_ints` as a list of int."""
    assert isinstance(value, list)
    return [int(v) for v in value]


ROWS: dict[str, Row] = {
    "Interpolate": Row(
        InterpolateOp,
        {
            **dict.fromkeys(
                ("mode", "shape_calculation_mode", "coordinate_transformation_mode", "nearest_mode"), read_lower
            ),
            "antialias": read_bool, "pads_begin": read_ints, "pads_end": read_ints, "cube_coeff": float,
            "align_corners": read_bool, "axes": read_ints,
        },
        upgrade=_interpolate,
        versions=(0, 4, 11),
    ),
}  # fmt: skip
