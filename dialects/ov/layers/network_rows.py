"""Layer types: attention, normalisation, embedding, resampling, patches, and decoding.

Einsum is here, too.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, i64
from loomir.dialects.ov.base import AttrValue, int64_array
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.layers.attributes import (
    LayerBuilder,
    Results,
    Row,
    element_type,
    read_bool,
    read_ints,
    read_lower,
)
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.contraction import EinsumOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.decoding import CTCGreedyDecoderOp, NonMaxSuppressionOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp, MinimumOp, MultiplyOp
from loomir.dialects.ov.operators.gathering import (
    EmbeddingBagOffsetsOp,
    EmbeddingBagPackedOp,
    EmbeddingSegmentsSumOp,
    GatherOp,
)
from loomir.dialects.ov.operators.interpolate import InterpolateOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.normalisation import (
    BatchNormInferenceOp,
    MVNOp,
    NormalizeL2Op,
    RMSOp,
    ScaledDotProductAttentionOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.operators.windows import ReorgYoloOp
from loomir.errors import Error


def _attention(layer: LayerBuilder) -> Results:
    """The mask and the scale are optional."""
    return layer.make(
        ScaledDotProductAttentionOp,
        *layer.operands[:3],
        layer.operands[3:],
        **layer.properties,
    )


ATTENTION_ROWS: dict[str, Row] = {
    "ScaledDotProductAttention": Row(ScaledDotProductAttentionOp, {"causal": read_bool}, upgrade=_attention),
}  # fmt: skip


EINSUM_ROWS: dict[str, Row] = {
    # Its letters' case counts.
    "Einsum": Row(EinsumOp, {"equation": str}),
}  # fmt: skip


def _mvn(layer: LayerBuilder) -> Results:
    """Convert MVN; the attributes of MVN-0 determine its axes.

    They name some axes, or select those behind the channels, or the channels too.
    """
    properties, operands = dict(layer.properties), list(layer.operands)
    axes = properties.pop("reduction_axes", None)
    across = properties.pop("across_channels", False)
    if layer.version == 0:
        if not isinstance(axes, list) or not axes:
            rank = layer.fact(0).rank
            if rank is None:
                raise Error(
                    "unknown-rank", "MVN-0 needs the rank of its input", hint="fix the shapes of the inputs"
                )
            axes = range(1 if across else 2, rank)
        operands.append(layer.constant(np.array(axes, np.int64)))
    return layer.make(MVNOp, *operands, **properties)


def _batch_norm(layer: LayerBuilder) -> Results:
    """BatchNormInference-0 has gamma and beta before the data."""
    operands = layer.take(5)
    if layer.version == 0:
        operands[:3] = [operands[2], operands[0], operands[1]]
    return layer.make(BatchNormInferenceOp, *operands, **layer.properties)


def _grn(layer: LayerBuilder) -> Results:
    """GRN is the norm over the channels."""
    axes = layer.constant(np.array([1], np.int64))
    return layer.make(NormalizeL2Op, *layer.take(1), axes, eps=layer.attribute("bias"), eps_mode="add")


NORMALISATION_ROWS: dict[str, Row] = {
    "MVN": Row(
        MVNOp,
        {"normalize_variance": read_bool, "eps": float, "eps_mode": read_lower, "across_channels": read_bool,
         "reduction_axes": read_ints}, versions=(0, 6), upgrade=_mvn,
    ),
    "GRN": Row(NormalizeL2Op, {"bias": float}, upgrade=_grn, written=False),
    "BatchNormInference": Row(BatchNormInferenceOp, {"epsilon": float}, versions=(0, 5), upgrade=_batch_norm),
    # (OpenVINO has the operation, and its reader does not take the layer.)
    "RMS": Row(RMSOp, {"epsilon": float, "compute_type": str}, written=False),
}  # fmt: skip


def _offsets(layer: LayerBuilder) -> Results:
    """Without a default index it is -1: zeros."""
    return layer.make(EmbeddingBagOffsetsOp, *_with_default(layer, 3), **layer.properties)


def _segments(layer: LayerBuilder) -> Results:
    return layer.make(EmbeddingSegmentsSumOp, *_with_default(layer, 4), **layer.properties)


def _with_default(layer: LayerBuilder, place: int) -> list[object]:
    if len(layer.operands) > place:
        return [*layer.operands]
    return [*layer.operands, layer.constant(np.array(-1, np.int64))]


EMBEDDING_ROWS: dict[str, Row] = {
    "EmbeddingBagOffsets": Row(EmbeddingBagOffsetsOp, {"reduction": read_lower}, upgrade=_offsets),
    "EmbeddingBagOffsetsSum": Row(EmbeddingBagOffsetsOp, upgrade=_offsets, written=False),
    "EmbeddingBagPackedSum": Row(EmbeddingBagPackedOp, written=False),
    "EmbeddingSegmentsSum": Row(EmbeddingSegmentsSumOp, upgrade=_segments),
}  # fmt: skip


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


INTERPOLATE_ROWS: dict[str, Row] = {
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


def _stride(text: str) -> int:
    """Parse a stride that is the same for both axes.

    OpenVINO writes a list of one number, or of the same number for both axes.
    """
    (stride,) = set(read_ints(text))
    return stride


PATCHES_ROWS: dict[str, Row] = {
    "ReorgYolo": Row(ReorgYoloOp, {"stride": _stride}),
}  # fmt: skip


def _decoder(layer: LayerBuilder) -> Results:
    """The specification and OpenVINO's writer call the attribute differently."""
    given = layer.properties
    merge = given.get("merge_repeated", given.get("ctc_merge_repeated"))
    return layer.make(CTCGreedyDecoderOp, *layer.operands, merge_repeated=merge)


CTC_ROWS: dict[str, Row] = {
    "CTCGreedyDecoder": Row(CTCGreedyDecoderOp, {"merge_repeated": read_bool, "ctc_merge_repeated": read_bool}, upgrade=_decoder,
        renamed={"merge_repeated": "ctc_merge_repeated"}),
}  # fmt: skip


def _non_max_suppression(layer: LayerBuilder) -> Results:
    """Convert NonMaxSuppression.

    Operands that are left out are 0. Versions 1, 3 and 4 have one result, which is padded with -1.
    """
    given = [o for o in layer.take_up_to(2, 5 if layer.version in (1, 3) else 6) if o is not None]
    for default in (np.array(0, np.int64), np.array(0, np.float32), np.array(0, np.float32))[
        len(given) - 2 :
    ]:
        given.append(layer.constant(default))
    found = layer.make(
        NonMaxSuppressionOp,
        *given,
        **{"drop_above_threshold": layer.version == 5, **layer.properties},
    )
    if layer.version not in (1, 3, 4):
        return found
    (first,) = found[:1]
    rows = _rows(layer, given)
    one, three = layer.constant(np.array([1])), layer.constant(np.array([3]))
    (shape,) = layer.make(ConcatOp, [rows, three], axis=0)
    minus_one = layer.constant(np.array(-1, dtype_of(fact_of(first).element)))
    (filling,) = layer.make(BroadcastOp, minus_one, shape)
    (joined,) = layer.make(ConcatOp, [first, filling], axis=0)
    zero = layer.constant(np.array([0]))
    return layer.make(SliceOp, joined, zero, rows, one, zero)


def _rows(layer: LayerBuilder, given: list[SSAValue]) -> SSAValue:
    """Return the number of rows of the result.

    It is min(boxes, most * classes), in version 4 min(boxes, most) * batches * classes.
    """

    def extent(operand: SSAValue, axis: int) -> SSAValue:
        (shape,) = layer.make(ShapeOfOp, operand)
        places = layer.constant(np.array([axis])), layer.constant(np.array(0))
        return layer.make(GatherOp, shape, *places)[0]

    (most,) = layer.make(ConvertOp, given[2], destination_type=i64)
    (most,) = layer.make(ReshapeOp, most, layer.constant(np.array([1])))
    (most,) = layer.make(MaximumOp, most, layer.constant(np.array([0])))
    boxes, batches, classes = extent(given[0], 1), extent(given[1], 0), extent(given[1], 1)
    (rows,) = layer.make(MinimumOp, boxes, most)
    if layer.version == 4:
        (rows,) = layer.make(MultiplyOp, rows, batches)
        return layer.make(MultiplyOp, rows, classes)[0]
    (rows,) = layer.make(MultiplyOp, rows, classes)
    return layer.make(MinimumOp, boxes, rows)[0]


NMS_ROWS: dict[str, Row] = {
    "NonMaxSuppression": Row(
        NonMaxSuppressionOp,
        {"box_encoding": read_lower, "sort_result_descending": read_bool, "output_type": element_type},
        upgrade=_non_max_suppression,
        implies=lambda op: {"drop_above_threshold": False},
        versions=(1, 3, 4, 5, 9),
    ),
}  # fmt: skip
