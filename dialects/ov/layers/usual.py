"""Values of properties that an operation leaves out.

A written layer specifies all properties of its operation set, so that no reader's own defaults apply.

OpenVINO's classes have defaults of their own (a block size of 0, no activation functions), which are not those of the
specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import DenseArrayBase, f64
from xdsl.ir import Attribute

from loomir.dialects.ov.attributes import to_ints
from loomir.dialects.ov.base import AttrValue, OvOperation, attr
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp
from loomir.dialects.ov.operators.columns import Col2ImOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.embedding import EmbeddingBagOffsetsOp, EmbeddingBagPackedOp
from loomir.dialects.ov.operators.gathering import GatherNDOp, GatherOp
from loomir.dialects.ov.operators.generators import OneHotOp
from loomir.dialects.ov.operators.interpolate import InterpolateOp
from loomir.dialects.ov.operators.layout import (
    DepthToSpaceOp,
    ReverseOp,
    ReverseSequenceOp,
    ShuffleChannelsOp,
    SpaceToDepthOp,
)
from loomir.dialects.ov.operators.pooling import AvgPoolOp, MaxPoolOp
from loomir.dialects.ov.operators.recurrent import (
    GRUCellOp,
    GRUSequenceOp,
    LSTMCellOp,
    LSTMSequenceOp,
    RecurrentOperation,
    RNNCellOp,
    RNNSequenceOp,
)
from loomir.dialects.ov.operators.reshape import SqueezeOp
from loomir.dialects.ov.operators.sampling import DeformableConvolutionOp
from loomir.dialects.ov.operators.scattering import ScatterElementsUpdateOp, ScatterNDUpdateOp
from loomir.dialects.ov.operators.searching import SearchSortedOp
from loomir.dialects.ov.operators.slicing import StridedSliceOp
from loomir.dialects.ov.operators.transposed_convolution import (
    ConvolutionBackpropDataOp,
    GroupConvolutionBackpropDataOp,
)

Usual = Mapping[str, AttrValue]

_SPATIAL = {"strides": 1, "dilations": 1, "pads_begin": 0, "pads_end": 0, "output_padding": 0}
"""Lists of a number for each spatial dimension, and which it is."""

_WORDS: Mapping[type[OvOperation], Usual] = {
    BroadcastOp: {"mode": "numpy"},
    PadOp: {"pad_mode": "constant"},
    EmbeddingBagOffsetsOp: {"reduction": "sum"},
    EmbeddingBagPackedOp: {"reduction": "sum"},
    GatherOp: {"batch_dims": 0},
    GatherNDOp: {"batch_dims": 0},
    SpaceToDepthOp: {"mode": "blocks_first", "block_size": 1},
    DepthToSpaceOp: {"mode": "blocks_first", "block_size": 1},
    ShuffleChannelsOp: {"axis": 1, "group": 1},
    ReverseOp: {"mode": "index"},
    ReverseSequenceOp: {"batch_axis": 0, "seq_axis": 1},
    SqueezeOp: {"allow_axis_skip": False},
    ScatterElementsUpdateOp: {"reduction": "none", "use_init_val": True},
    ScatterNDUpdateOp: {"reduction": "none"},
    SearchSortedOp: {"right_mode": False},
    OneHotOp: {"negative_indices_mode": "ignore_negative"},
}


def _recurrent(op: RecurrentOperation) -> Usual:
    no_floats = DenseArrayBase.from_list(f64, [])
    return {
        "activations": op.DEFAULT_ACTIVATIONS, "activations_alpha": no_floats, "activations_beta": no_floats, "clip": 0.0,
        "linear_before_reset": False, "input_forget": False,
    }  # fmt: skip


def _interpolate(op: InterpolateOp) -> Usual:
    none = [0] * (fact_of(op.data).rank or 0)
    return {"pads_begin": none, "pads_end": none}


def _strided_slice(op: StridedSliceOp) -> Usual:
    """Return zero masks of the length of the longest existing mask.

    They are at least as long as the number of positions.
    """
    names = ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")
    given = [len(to_ints(mask)) for name in names if (mask := op.properties.get(name)) is not None]
    extents = fact_of(op.begin).shape
    places = extents[0].static if extents else None
    return dict.fromkeys(names, [0] * max([*given, places or 0]))


def _spatial(dimensions: Callable[..., int | None]) -> Callable[..., Usual]:
    def usual(op: OvOperation) -> Usual:
        count = dimensions(op)
        return {} if count is None else {name: [value] * count for name, value in _SPATIAL.items()}

    return usual


def _behind_channels(op: OvOperation) -> int | None:
    """How many dimensions data have behind their channels."""
    rank = fact_of(op.operands[0]).rank
    return None if rank is None else max(rank - 2, 0)


def _kernel(op: AvgPoolOp | MaxPoolOp) -> int:
    return len(to_ints(op.kernel))


_FROM_OPERATION: Mapping[type[OvOperation], Callable[..., Usual]] = {
    **dict.fromkeys(
        (LSTMCellOp, LSTMSequenceOp, GRUCellOp, GRUSequenceOp, RNNCellOp, RNNSequenceOp), _recurrent
    ),
    **dict.fromkeys(
        (ConvolutionOp, ConvolutionBackpropDataOp, GroupConvolutionOp, GroupConvolutionBackpropDataOp),
        _spatial(_behind_channels),
    ),
    DeformableConvolutionOp: _spatial(lambda op: 2),
    Col2ImOp: _spatial(lambda op: 2),
    AvgPoolOp: _spatial(_kernel),
    MaxPoolOp: _spatial(_kernel),
    InterpolateOp: _interpolate,
    StridedSliceOp: _strided_slice,
}


def usual_properties(op: OvOperation) -> dict[str, Attribute]:
    """Return the value of each optional property when it is left out."""
    found = _FROM_OPERATION.get(type(op))
    usual = _WORDS.get(type(op), {}) if found is None else found(op)
    result: dict[str, Attribute] = {}
    for name, definition in op.get_irdl_definition().properties.items():
        value = attr(usual.get(name)) if definition.default_value is None else definition.default_value
        if value is not None:
            result[name] = value
    return result
