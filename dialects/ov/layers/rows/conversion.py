"""Layer types: conversion."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Attribute

from loomir.dialects.element_types import f8e8m0
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.layers.attributes import Row, element_type
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.conversion import ConvertLikeOp, ConvertOp
from loomir.dialects.small_floats import SMALL_FLOATS
from loomir.dialects.tensors import any_tensor_of
from loomir.errors import Error


def _rounding(target: Attribute) -> dict[str, Any]:
    """Return OpenVINO's rounding attributes for conversions to small floats.

    Values out of range become infinite or NaN; those of `f8e8m0` become its limits.
    """
    if target == f8e8m0:
        return {"round_mode": "nearest"}
    return {"saturate": False} if target in SMALL_FLOATS else {}


def _rounding_of(op: OvOperation) -> dict[str, Any]:
    return _rounding(any_tensor_of(op.results[0]).element_type)


def _convert(layer: LayerBuilder) -> Results:
    target = layer.properties.get("destination_type")
    if not isinstance(target, Attribute):
        raise Error("bad-attribute", "destination_type is missing")
    return layer.make(ConvertOp, *layer.operands, destination_type=target, **_rounding(target))


def _convert_like(layer: LayerBuilder) -> Results:
    return layer.make(ConvertLikeOp, *layer.operands, **_rounding(layer.element(1)))


ROWS: dict[str, Row] = {
    "Convert": Row(
        ConvertOp, {"destination_type": element_type}, upgrade=_convert,
        implies=_rounding_of,
    ),
    "ConvertLike": Row(ConvertLikeOp, upgrade=_convert_like, implies=_rounding_of),
}  # fmt: skip
