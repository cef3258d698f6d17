"""Limits of layers that operations do not have.

They concern ranks, functions and operands that no operation set has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from loomir.dialects.element_types import bf16
from loomir.dialects.ov.attributes import to_bool, to_float, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.activation import HardSigmoidOp, SeluOp, SwishOp
from loomir.dialects.ov.operators.columns import Col2ImOp
from loomir.dialects.ov.operators.embedding import EmbeddingSegmentsSumOp
from loomir.dialects.ov.operators.fourier import DFTOp, IDFTOp, IRDFTOp, RDFTOp
from loomir.dialects.ov.operators.interpolate import InterpolateOp
from loomir.dialects.ov.operators.layout import RollOp
from loomir.dialects.ov.operators.normalisation import GroupNormalizationOp, LRNOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp
from loomir.dialects.ov.operators.quantisation import FakeConvertOp, FakeQuantizeOp
from loomir.dialects.ov.operators.recurrent import (
    GRUCellOp,
    GRUSequenceOp,
    LSTMCellOp,
    LSTMSequenceOp,
    RecurrentOperation,
    RNNCellOp,
    RNNSequenceOp,
)
from loomir.dialects.ov.operators.roi import ROIPoolingOp
from loomir.dialects.ov.operators.sampling import GridSampleOp
from loomir.dialects.ov.parameters import length
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks

_ACTIVATIONS = {"sigmoid", "tanh", "relu"}
"""Activation functions without parameters.

OpenVINO assigns the parameters of others to functions by other rules.
"""

_COORDINATES = {"half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"}


def require_sayable(op: OvOperation, checks: Checks) -> None:
    """Refuse what no layer says. Error: `not-in-openvino`."""
    limit = _LIMITS.get(type(op))
    reason = None if limit is None else limit(op, checks)
    if reason is not None:
        raise Error("not-in-openvino", reason)


def _recurrent(op: RecurrentOperation, checks: Checks) -> str | None:
    functions = op.activation_functions(op.directions())
    for name, _, _ in functions:
        if name not in _ACTIVATIONS:
            return f"{op.name} has no activation function '{name}' there"
    if functions != functions[: len(op.DEFAULT_ACTIVATIONS)] * op.directions():
        return f"{op.name} has the same activation functions in both directions there"
    return None


def _lstm(op: LSTMCellOp | LSTMSequenceOp, checks: Checks) -> str | None:
    if op.p is not None:
        return f"{op.name} has no peepholes there"
    return _recurrent(op, checks)


def _grid_sample(op: GridSampleOp, checks: Checks) -> str | None:
    return None if checks.fact(op.data).rank == 4 else f"{op.name} is of data of four dimensions there"


def _col2im(op: Col2ImOp, checks: Checks) -> str | None:
    return (
        None
        if length(checks.fact(op.output_size)) == 2
        else f"{op.name} is of images of two dimensions there"
    )


def _interpolate(op: InterpolateOp, checks: Checks) -> str | None:
    coordinates, mode = to_str(op.coordinate_transformation_mode), to_str(op.mode)
    if to_bool(op.antialias) and mode != "linear":
        return f"{op.name} has no antialias in the mode '{mode}' there"
    axes, rank = checks.fact(op.axes).value, checks.fact(op.data).rank
    if mode.endswith("pillow") and (
        axes is None or rank is None or any(a % rank < 2 for a in axes.reshape(-1))
    ):
        return f"{op.name} is of images in the mode '{mode}' there"
    return None if coordinates in _COORDINATES else f"{op.name} has no coordinates '{coordinates}' there"


def _of_constants(op: HardSigmoidOp | SeluOp | SwishOp, checks: Checks) -> str | None:
    """(OpenVINO's own operations take any; its plugins have no kernels for these.)"""
    if any(checks.fact(parameter).value is None for parameter in op.operands[1:]):
        return f"{op.name} has constant parameters there"
    return None


def _roi_pooling(op: ROIPoolingOp, checks: Checks) -> str | None:
    scale = to_float(op.spatial_scale)
    return None if scale > 0 else f"{op.name} has no spatial_scale {scale} there"


def _fourier(op: DFTOp | IDFTOp | RDFTOp | IRDFTOp, checks: Checks) -> str | None:
    axes = checks.fact(op.axes)
    if axes.elements.lo == 0:
        return f"{op.name} is along some axis there"
    sizes = None if op.signal_size is None else checks.fact(op.signal_size).value
    if isinstance(op, RDFTOp | IRDFTOp) and sizes is not None and (sizes < 0).any():
        return f"{op.name} has lengths of signals there, and no -1"
    return None


def _avg_pool(op: AvgPoolOp, checks: Checks) -> str | None:
    if any(window.span <= max(window.pad_begin, window.pad_end) for window in op.windows()):
        return f"{op.name} has no window that lies in the padding there"
    return None


def _roll(op: RollOp, checks: Checks) -> str | None:
    lengths = [length(checks.fact(o)) for o in (op.shift, op.axes)]
    return None if lengths[0] == lengths[1] else f"{op.name} has as many shifts as axes there"


def _lrn(op: LRNOp, checks: Checks) -> str | None:
    axes = checks.fact(op.axes).value
    if axes is None or axes.reshape(-1).tolist() != [1]:
        return f"{op.name} is along the channels there"
    return None


def _fake_quantize(op: FakeQuantizeOp, checks: Checks) -> str | None:
    data, result = checks.fact(op.data).shape, Fact.of_type(op.output.type).shape
    if data is None or result is None or len(data) != len(result):
        return f"{op.name} does not broadcast its data there"
    if any(a.static != b.static for a, b in zip(data, result)):
        return f"{op.name} does not broadcast its data there"
    return None


def _fake_convert(op: FakeConvertOp, checks: Checks) -> str | None:
    if op.shift is not None and checks.fact(op.scale).shape != checks.fact(op.shift).shape:
        return f"{op.name} has scales and shifts of one shape there"
    return None


def _group_normalization(op: GroupNormalizationOp, checks: Checks) -> str | None:
    return f"{op.name} is not of bf16 there" if checks.fact(op.data).element == bf16 else None


def _segments(op: EmbeddingSegmentsSumOp, checks: Checks) -> str | None:
    default = checks.fact(op.default_index).bounds
    if default is None or (default[0] < 0).any():
        return f"{op.name} has a default index of a row there"
    return None


_LIMITS: Mapping[type[OvOperation], Callable[[Any, Checks], str | None]] = {
    LSTMCellOp: _lstm,
    LSTMSequenceOp: _lstm,
    **dict.fromkeys((GRUCellOp, GRUSequenceOp, RNNCellOp, RNNSequenceOp), _recurrent),
    GridSampleOp: _grid_sample,
    Col2ImOp: _col2im,
    InterpolateOp: _interpolate,
    HardSigmoidOp: _of_constants,
    SeluOp: _of_constants,
    SwishOp: _of_constants,
    ROIPoolingOp: _roi_pooling,
    **dict.fromkeys((DFTOp, IDFTOp, RDFTOp, IRDFTOp), _fourier),
    AvgPoolOp: _avg_pool,
    LRNOp: _lrn,
    RollOp: _roll,
    FakeQuantizeOp: _fake_quantize,
    FakeConvertOp: _fake_convert,
    GroupNormalizationOp: _group_normalization,
    EmbeddingSegmentsSumOp: _segments,
}
