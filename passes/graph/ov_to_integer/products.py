"""Convolutions and matrix products by constant integers: sums in 32 bits."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import i32

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.passes.analysis.integer_weights import decoded, factor_of
from loomir.passes.graph.ov_to_integer.forms import (
    Form,
    Forms,
    attributes_of,
    fits,
)
from loomir.passes.graph.ov_to_integer.scaled import (
    Scaled,
    fractions,
    integers,
)


def product_of_integers(
    forms: Forms, op: ConvolutionOp | GroupConvolutionOp | MatMulOp, build: GraphBuilder
) -> Form | None:
    x = forms.scaled(op.operands[0])
    found = decoded(op.operands[1])
    if x is None or not x.is_uniform or not x.is_exact or found is None:
        return None
    weights, scale = found
    factor = factor_of(op, 1, scale)
    if factor is None:
        return None
    if isinstance(op, MatMulOp):
        columns = weights if to_bool(op.transpose_b) else weights.T
    else:
        leading = 2 if isinstance(op, GroupConvolutionOp) else 1
        columns = weights.reshape(prod(weights.shape[:leading]), -1)
    columns = columns.astype(np.int64)
    up, down = np.maximum(columns, 0).sum(1), np.minimum(columns, 0).sum(1)
    least, most = min(int(x.span[0].min()), 0), max(int(x.span[1].max()), 0)
    spatial = weights.ndim - (3 if isinstance(op, GroupConvolutionOp) else 2)
    shape = (-1,) if isinstance(op, MatMulOp) else (1, -1, *[1] * spatial)
    low = integers(up * least + down * most).reshape(shape)
    high = integers(up * most + down * least).reshape(shape)
    if not fits(low, high):
        return None
    filters = build.make(ConvertOp, build.constant(weights), attributes={"destination_type": i32})
    product = build.emit(type(op).make(x.centred(build), filters, attributes=attributes_of(op)))
    return Scaled(product.results[0], x.scale.reshape(-1)[0] * fractions(factor), integers(0), low, high)
