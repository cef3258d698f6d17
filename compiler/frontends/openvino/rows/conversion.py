"""Layer types: conversion."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, element_type

ROWS: dict[str, Row] = {
    "Convert": Row("conversion", "ConvertOp", {"destination_type": element_type}),
    "ConvertLike": Row("conversion", "ConvertLikeOp"),
}  # fmt: skip
