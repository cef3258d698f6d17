"""Checks: limits of layers, and run-time checks by OpenVINO's operations.

Limits of layers that operations do not have concern ranks, functions and operands that no operation set has.

OpenVINO has no operations for run-time checks. `ov.require %v, %c` becomes

```mlir
%shape = ov.select %c, [2, 1], [3, 1]
%two = ov.reshape [1, 2], %shape          // fails where the condition does not hold: two elements are no three
%ok = ov.greater (ov.reduce_min %two), 0  // true
%r = ov.select %ok, %v, 0
```

so that no knowledge is lost: the result has the type of the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import bf16, dtype_of, zeros
from loomir.dialects.ov.attributes import to_bool, to_float, to_str
from loomir.dialects.ov.base import OvOperation, int64_array
from loomir.dialects.ov.facts import Fact, fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.inference import length
from loomir.dialects.ov.operators.activation import HardSigmoidOp, SeluOp, SwishOp
from loomir.dialects.ov.operators.comparison import GreaterOp, LessOp, LogicalNotOp, SelectOp
from loomir.dialects.ov.operators.contraction import DFTOp, IDFTOp, IRDFTOp, RDFTOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.conversion import FakeConvertOp, FakeQuantizeOp
from loomir.dialects.ov.operators.gathering import EmbeddingSegmentsSumOp
from loomir.dialects.ov.operators.interpolate import InterpolateOp
from loomir.dialects.ov.operators.layout import RollOp
from loomir.dialects.ov.operators.normalisation import GroupNormalizationOp, LRNOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp
from loomir.dialects.ov.operators.recurrent import (
    GRUCellOp,
    GRUSequenceOp,
    LSTMCellOp,
    LSTMSequenceOp,
    RecurrentOperation,
    RNNCellOp,
    RNNSequenceOp,
)
from loomir.dialects.ov.operators.reduction import ReduceMinOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.operators.roi import ROIPoolingOp
from loomir.dialects.ov.operators.sampling import GridSampleOp
from loomir.dialects.ov.operators.windows import Col2ImOp
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference

CHECKS = ("keep", "drop")


def always_stops(reason: str) -> Error:
    """Return the error for a program that always stops here.

    No known fact lets the program go on.
    """
    return Error("not-in-openvino", f"the program always stops here: {reason}")


@dataclass(frozen=True)
class Checks:
    """Treatment of checks that stop a program: kept or dropped.

    `facts` holds the facts inferred from the original program.
    """

    keep: bool
    facts: Inference

    def fact(self, value: SSAValue) -> Fact:
        """Return the known fact of a value, which may be new.

        A new value has come into the program since the inference.
        """
        known = self.facts.known(value)
        return known if isinstance(known, Fact) else fact_of(value)

    def require(self, build: GraphBuilder, value: SSAValue, condition: SSAValue) -> SSAValue:
        """The value where the condition, a scalar boolean, holds."""
        if not self.keep:
            return value
        shape = build.make(SelectOp, condition, build.integers([2, 1]), build.integers([3, 1]))
        two = build.make(ReshapeOp, build.integers([1, 2]), shape, attributes={"special_zero": False})
        least = build.make(ReduceMinOp, two, build.integers([0, 1]), attributes={"keep_dims": False})
        holds = build.make(GreaterOp, least, build.constant(np.array(0, np.int64)))
        nothing = build.constant(zeros((), dtype_of(build.fact(value).element)))
        return build.make(SelectOp, holds, value, nothing)

    def never(self, build: GraphBuilder, op: Operation) -> SSAValue | None:
        """Return a condition that is false where an operation runs.

        Its value is not known before run time. None outside of branches and loops.
        """
        region = op.parent_region()
        parent = None if region is None else region.parent
        if isinstance(parent, IfOp):
            return build.make(LogicalNotOp, parent.cond) if region is parent.then_region else parent.cond
        if isinstance(parent, LoopOp):
            return build.make(LessOp, parent.iteration, build.constant(int64_array([0]).reshape(())))
        return None


_ACTIVATIONS = {"sigmoid", "tanh", "relu"}
"""Activation functions without parameters.

OpenVINO assigns the parameters of others to functions by other rules.
"""

_COORDINATES = {"half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"}


def require_expressible(op: OvOperation, checks: Checks) -> None:
    """Refuse what no layer says. Error: `not-in-openvino`."""
    limit = _LIMITS.get(type(op))
    reason = None if limit is None else limit(op, checks)
    if reason is not None:
        raise Error("not-in-openvino", reason)


def _recurrent(op: RecurrentOperation, checks: Checks) -> str | None:
    functions = op.activation_functions(op.directions())
    for name, _, _ in functions:
        if name not in _ACTIVATIONS:
            return f"{op.name} in OpenVINO has no activation function '{name}'"
    if functions != functions[: len(op.DEFAULT_ACTIVATIONS)] * op.directions():
        return f"{op.name} in OpenVINO needs the same activation functions in both directions"
    return None


def _lstm(op: LSTMCellOp | LSTMSequenceOp, checks: Checks) -> str | None:
    if op.p is not None:
        return f"{op.name} in OpenVINO has no peepholes"
    return _recurrent(op, checks)


def _grid_sample(op: GridSampleOp, checks: Checks) -> str | None:
    return None if checks.fact(op.data).rank == 4 else f"{op.name} in OpenVINO needs data of four dimensions"


def _col2im(op: Col2ImOp, checks: Checks) -> str | None:
    return (
        None
        if length(checks.fact(op.output_size)) == 2
        else f"{op.name} in OpenVINO needs images of two dimensions"
    )


def _interpolate(op: InterpolateOp, checks: Checks) -> str | None:
    coordinates, mode = to_str(op.coordinate_transformation_mode), to_str(op.mode)
    if to_bool(op.antialias) and mode != "linear":
        return f"{op.name} in OpenVINO has no antialias in the mode '{mode}'"
    axes, rank = checks.fact(op.axes).value, checks.fact(op.data).rank
    if mode.endswith("pillow") and (
        axes is None or rank is None or any(a % rank < 2 for a in axes.reshape(-1))
    ):
        return f"{op.name} in OpenVINO needs images in the mode '{mode}'"
    return (
        None if coordinates in _COORDINATES else f"{op.name} in OpenVINO has no coordinates '{coordinates}'"
    )


def _of_constants(op: HardSigmoidOp | SeluOp | SwishOp, checks: Checks) -> str | None:
    """(OpenVINO's own operations take any; its plugins have no kernels for these.)"""
    if any(checks.fact(parameter).value is None for parameter in op.operands[1:]):
        return f"{op.name} in OpenVINO needs constant parameters"
    return None


def _roi_pooling(op: ROIPoolingOp, checks: Checks) -> str | None:
    scale = to_float(op.spatial_scale)
    return None if scale > 0 else f"{op.name} in OpenVINO has no spatial_scale {scale}"


def _fourier(op: DFTOp | IDFTOp | RDFTOp | IRDFTOp, checks: Checks) -> str | None:
    axes = checks.fact(op.axes)
    if axes.elements.lo == 0:
        return f"{op.name} in OpenVINO needs at least one axis"
    sizes = None if op.signal_size is None else checks.fact(op.signal_size).value
    if isinstance(op, RDFTOp | IRDFTOp) and sizes is not None and (sizes < 0).any():
        return f"{op.name} in OpenVINO has no signal length of -1"
    return None


def _avg_pool(op: AvgPoolOp, checks: Checks) -> str | None:
    if any(window.span <= max(window.pad_begin, window.pad_end) for window in op.windows()):
        return f"{op.name} in OpenVINO has no windows within the padding"
    return None


def _roll(op: RollOp, checks: Checks) -> str | None:
    lengths = [length(checks.fact(o)) for o in (op.shift, op.axes)]
    return None if lengths[0] == lengths[1] else f"{op.name} in OpenVINO needs as many shifts as axes"


def _lrn(op: LRNOp, checks: Checks) -> str | None:
    axes = checks.fact(op.axes).value
    if axes is None or axes.reshape(-1).tolist() != [1]:
        return f"{op.name} in OpenVINO needs the axis of the channels"
    return None


def _fake_quantize(op: FakeQuantizeOp, checks: Checks) -> str | None:
    data, result = checks.fact(op.data).shape, Fact.of_type(op.output.type).shape
    if data is None or result is None or len(data) != len(result):
        return f"{op.name} in OpenVINO does not broadcast its data"
    if any(a.static != b.static for a, b in zip(data, result)):
        return f"{op.name} in OpenVINO does not broadcast its data"
    return None


def _fake_convert(op: FakeConvertOp, checks: Checks) -> str | None:
    if op.shift is not None and checks.fact(op.scale).shape != checks.fact(op.shift).shape:
        return f"{op.name} in OpenVINO needs scales and shifts of one shape"
    return None


def _group_normalization(op: GroupNormalizationOp, checks: Checks) -> str | None:
    return f"{op.name} in OpenVINO does not take bf16" if checks.fact(op.data).element == bf16 else None


def _segments(op: EmbeddingSegmentsSumOp, checks: Checks) -> str | None:
    default = checks.fact(op.default_index).bounds
    if default is None or (default[0] < 0).any():
        return f"{op.name} in OpenVINO needs the index of a row as its default"
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
