"""Interpolation, LpPool and ROIAlign.

- Interpolate by ONNX's rules becomes OpenVINO's Interpolate if the rules agree, else `ov.resample`, which becomes Gathers, products
  and sums.
- LpPool is a convolution of powers with ones, of each channel apart.
- ROIAlign: an average ignores the operand of maxima.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import bf16, dtype_of, f16, f32, is_float
from loomir.dialects.ov.attributes import to_bool, to_float, to_ints, to_str
from loomir.dialects.ov.base import int64_array
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp, PowerOp
from loomir.dialects.ov.operators.elementwise_unary import AbsOp, SqrtOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.interpolate import InterpolateOp, ResampleOp, resized
from loomir.dialects.ov.operators.pooling import LpPoolOp
from loomir.dialects.ov.operators.reduction import ReduceSumOp
from loomir.dialects.ov.operators.reshape import UnsqueezeOp
from loomir.dialects.ov.operators.roi import ROIAlignOp
from loomir.dialects.ov.operators.windows import Window
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.legalization import legalizes
from loomir.passes.graph.lib.decompositions import Sizes, rank_of

_STAYING = {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"}
"""Coordinate modes that move no element if an axis keeps its scale."""


@legalizes(InterpolateOp)
def interpolate(op: InterpolateOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Drop ONNX-only properties if they have no effect.

    Axes are counted from the front.
    """
    fact = checks.fact(op.data)
    if fact.rank is not None and any(side for sides in op.pads(fact.rank) for side in sides):
        return [_of_padded(op, build, fact.rank)]
    dropped = {"pads_begin", "pads_end"} & op.properties.keys() if _short_pads(op, fact) else set[str]()
    if to_bool(op.exact_scale) and _scales_agree(op, checks):
        dropped.add("exact_scale")
    if to_bool(op.exclude_outside) and to_str(op.mode) == "nearest":
        dropped.add("exclude_outside")
    if to_bool(op.antialias) and to_str(op.mode).endswith("pillow"):
        dropped.add("antialias")  # They are so anyway.
    if op.roi is None and to_float(op.extrapolation_value) != 0:
        dropped.add("extrapolation_value")
    axes = checks.fact(op.axes).value
    negative = axes is not None and fact.rank is not None and bool((axes < 0).any())
    if not dropped and not negative:
        return None
    places = op.axes
    if negative:
        assert axes is not None
        assert fact.rank is not None
        places = build.integers(normalise_axes(axes.reshape(-1), fact.rank, "axes"))
    attributes = {name: value for name, value in op.properties.items() if name not in dropped}
    return [build.make(InterpolateOp, op.data, op.target, places, op.roi, attributes=attributes)]


def _of_padded(op: InterpolateOp, build: GraphBuilder, rank: int) -> SSAValue:
    """(OpenVINO's plugins do not add pads along all axes.)"""
    begins, ends = zip(*op.pads(rank))
    data = build.make(
        PadOp, op.data, build.integers(begins), build.integers(ends), build.like(0, op.data),
        attributes={"pad_mode": "constant"},
    )  # fmt: skip
    attributes = {
        name: value for name, value in op.properties.items() if name not in ("pads_begin", "pads_end")
    }
    return build.make(InterpolateOp, data, op.target, op.axes, op.roi, attributes=attributes)


def _short_pads(op: InterpolateOp, data: Fact) -> bool:
    """Return True if the pads do not cover every axis."""
    given = [to_ints(pads) for pads in (op.pads_begin, op.pads_end) if pads is not None]
    return any(len(pads) != data.rank for pads in given)


def _scales_agree(op: InterpolateOp, checks: Checks) -> bool:
    """Return True if rounded and exact scales have the same effect.

    The length that a scale implies must be the integer that it is rounded to, or must not matter. No axis that would be
    moved may be left as it is.
    """
    mode, coordinates = to_str(op.mode), to_str(op.coordinate_transformation_mode)
    if not is_float(checks.fact(op.data).element) and (mode == "cubic" or to_bool(op.antialias)):
        return False  # They are rounded otherwise.
    if coordinates not in _STAYING:
        return False
    if not op.uses_scales:
        return to_str(op.keep_aspect_ratio_policy) == "stretch"
    data, axes, scales = (checks.fact(o) for o in (op.data, op.axes, op.target))
    new = Fact.of_type(op.output.type).shape
    if data.shape is None or new is None or axes.value is None:
        return False
    known = None if scales.value is None else scales.value.reshape(-1)
    places = normalise_axes(axes.value.reshape(-1), len(data.shape), "axes")
    return all(
        _axis_agrees(data.shape[p], new[p], None if known is None else np.float32(known[k]), coordinates)
        for k, p in enumerate(places)
    )


def _axis_agrees(old: Dim, new: Dim, scale: np.float32 | None, coordinates: str) -> bool:
    if scale == 1:
        return True
    whole = coordinates != "align_corners"
    if scale is None:
        # One element is that element wherever it is looked at.
        moved = old.static == 1 or (None not in (old.static, new.static) and old.static != new.static)
        return moved and whole
    if old.static is None:
        # From 1.5 on an axis of two elements or more grows.
        return bool((scale >= 1.5 or scale <= 0.5) and (whole or scale == np.floor(scale)))
    moved = old.static == 1 or resized(old.static, scale) != old.static
    return moved and bool(whole or np.float32(old.static) * scale == resized(old.static, scale))


@legalizes(ResampleOp)
def resample(op: ResampleOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Gather the elements at the positions, axis by axis.

    With weights, the elements are weighted and summed. Smaller floats are computed in f32.
    """
    element = build.fact(op.data).element
    rank = rank_of(build, op.data)
    weighted = to_bool(op.weighted)
    wide = f32 if weighted and element in (f16, bf16) else element
    value = op.data
    if wide != element:
        value = build.make(ConvertOp, value, attributes={"destination_type": wide})
    tables = iter(op.tables)
    for axis in normalise_axes(to_ints(op.axes), rank, "axes"):
        attributes = {"out_of_range": "error"}
        value = build.make(
            GatherOp,
            value,
            next(tables),
            build.constant(int64_array([axis]).reshape(())),
            attributes=attributes,
        )
        if weighted:
            weights = next(tables)
            if build.fact(weights).element != wide:
                weights = build.make(ConvertOp, weights, attributes={"destination_type": wide})
            behind = range(2, rank - axis + 1)
            if behind:
                weights = build.make(UnsqueezeOp, weights, build.integers(behind))
            value = build.make(MultiplyOp, value, weights)
            value = build.make(
                ReduceSumOp, value, build.integers([axis + 1]), attributes={"keep_dims": False}
            )
    if wide != element:
        value = build.make(ConvertOp, value, attributes={"destination_type": element})
    return [value]


@legalizes(LpPoolOp)
def lp_pool(op: LpPoolOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Compute `(Σ |x|^p)^(1/p)` over windows.

    Smaller floats are computed in f32. Error: `not-in-openvino` if padding depends on extents that are not known.
    """
    shape = checks.fact(op.data).shape
    if shape is None:
        raise Error("not-in-openvino", "a norm over windows in OpenVINO needs data of a known rank")
    element, p = build.fact(op.data).element, to_float(op.p)
    wide = f32 if element in (f16, bf16) else element
    windows = op.windows()
    pads = [_padding(window, extent.static) for window, extent in zip(windows, shape[2:])]
    value = op.data
    if wide != element:
        value = build.make(ConvertOp, value, attributes={"destination_type": wide})
    sizes = Sizes(build)
    batch, channels, *rest = sizes.of(value)
    value = _power(build, build.make(AbsOp, value), p)
    value = sizes.reshape(value, [sizes.mul(batch, channels), 1, *rest])
    ones = build.constant(np.ones((1, 1, *(w.kernel for w in windows)), dtype_of(wide)))
    value = build.make(
        ConvolutionOp, value, ones,
        attributes={
            "strides": [w.stride for w in windows],
            "dilations": [w.dilation for w in windows],
            "pads_begin": [begin for begin, _ in pads],
            "pads_end": [end for _, end in pads],
        },
    )  # fmt: skip
    value = sizes.reshape(value, [batch, channels, *sizes.of(value)[2:]])
    value = _root(build, value, p)
    if wide != element:
        value = build.make(ConvertOp, value, attributes={"destination_type": element})
    return [value]


def _power(build: GraphBuilder, value: SSAValue, p: float) -> SSAValue:
    if p == 1:
        return value
    return (
        build.make(MultiplyOp, value, value) if p == 2 else build.make(PowerOp, value, build.like(p, value))
    )


def _root(build: GraphBuilder, value: SSAValue, p: float) -> SSAValue:
    if p == 1:
        return value
    return build.make(SqrtOp, value) if p == 2 else build.make(PowerOp, value, build.like(1 / p, value))


def _padding(window: Window, extent: int | None) -> tuple[int, int]:
    """Return the padding before and behind, for windows that round down.

    The padding is such that the number of windows may be rounded down. The zeros add nothing to a sum.
    """
    if extent is None:
        if window.is_same or (window.rounding != "floor" and window.stride > 1):
            raise Error("not-in-openvino", "OpenVINO needs a known extent for padding that depends on it")
        return (0, 0) if window.auto_pad == "valid" else (window.pad_begin, window.pad_end)
    begin, _ = window.padding(extent)
    # What the last window reads and nobody has: below zero where elements at the end are in no window.
    return begin, (window.extent(extent) - 1) * window.stride + window.span - extent - begin


@legalizes(ROIAlignOp)
def roi_align(op: ROIAlignOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """The same average without a word about maxima."""
    if not (op.averages and op.of_corners):
        return None
    attributes = {name: value for name, value in op.properties.items() if name != "maximum_of"}
    return [build.make(ROIAlignOp, op.data, op.rois, op.batch_indices, attributes=attributes)]
