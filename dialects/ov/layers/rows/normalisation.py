"""Layer types: normalisation."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.layers.attributes import Row, read_bool, read_ints, read_lower
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.normalisation import BatchNormInferenceOp, MVNOp, NormalizeL2Op, RMSOp
from loomir.errors import Error


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


ROWS: dict[str, Row] = {
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
