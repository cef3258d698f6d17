"""Convolutions and matrix products: sums of products of integers, in 32 bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.dialects.scalars.constants import type_range
from loomir.passes.analysis.integer_sums import Product, bounds_of_product, spatial_axes, sums_of_weights
from loomir.passes.analysis.integer_weights import decoded, factor_of
from loomir.passes.graph.ov_to_integer.arithmetic import is_factor, product_of_spans
from loomir.passes.graph.ov_to_integer.forms import NEAR, Form, Forms, attributes_of, fits
from loomir.passes.graph.ov_to_integer.scaled import Numbers, Scaled, fractions, integers, single


def product_of_integers(forms: Forms, op: Product, build: GraphBuilder) -> Form | None:
    """Emit the integer product of a tensor and weights, or two tensors.

    The tensor has one scale and zero point, or one for each channel if the channels are convolved separately. The weights
    are constant integers with a scale for each result.
    """
    x = forms.scaled(op.operands[0])
    found = decoded(op.operands[1])
    if found is None and isinstance(op, MatMulOp):
        return _product_of_tensors(forms, op, build)
    if x is None or not x.is_exact or x.error > NEAR or found is None:
        return None
    weights, scale = found
    scale_of_x, zero_of_x = (_by_result(op, numbers, weights) for numbers in (x.scale, x.zero))
    if scale_of_x is None or zero_of_x is None:
        return None
    factor = factor_of(op, 1, scale)
    if factor is None or not np.isfinite(factor).all() or not (factor > 0).all():
        return None
    low, high = bounds_of_product(op, weights, int(x.span[0].min()), int(x.span[1].max()))
    spatial = spatial_axes(op, weights)
    if not fits(low, high):
        return None
    attributes = attributes_of(op)
    pads = [] if isinstance(op, MatMulOp) else _pads(op, x, weights.shape[-spatial:])
    zero = integers(0)
    if pads is not None and not any(map(any, pads)) and not isinstance(x.value.owner, PadOp):
        # Each sum has all its numbers: what the zero point adds to it is known, and goes into the bias.
        zero = np.asarray(zero_of_x * sums_of_weights(op, weights), object)
        value = build.make(ConvertOp, x.value, attributes={"destination_type": i32})
    else:
        # (What is padded is left out where it counts as 0, which is cheaper than a bias.)
        padded = None if pads is None or not any(map(any, pads)) else _padded(x, pads, build)
        if padded is not None:
            none = [0] * spatial
            attributes |= {"pads_begin": none, "pads_end": none, "auto_pad": "explicit"}
            x = x.changed(value=padded)
        value = x.centred(build)
    if not fits(low + zero, high + zero):
        return None
    filters = build.make(ConvertOp, build.constant(weights), attributes={"destination_type": i32})
    product = build.emit(type(op).make(value, filters, attributes=attributes)).results[0]
    found_scale = forms.rounding.scale_of_product(op, np.asarray(scale_of_x * fractions(factor), object))
    parts = 1 if x.is_of_8_bits else None
    return Scaled(product, found_scale, zero, low + zero, high + zero, parts=parts)


def _by_result(op: Product, numbers: Numbers, weights: np.ndarray) -> Numbers | None:
    """Return the input scale or zero point of each result.

    This is one number for all results, or the number of the result's channel if the channels are convolved separately.
    """
    if numbers.size == 1:
        return single(numbers.reshape(-1)[0])
    spatial = weights.ndim - 3
    if not isinstance(op, GroupConvolutionOp) or weights.shape[2] != 1:
        return None
    if numbers.shape != (1, weights.shape[0], *[1] * spatial):
        return None
    return np.repeat(numbers, weights.shape[1], 1)


def _product_of_tensors(forms: Forms, op: MatMulOp, build: GraphBuilder) -> Form | None:
    a, b = (forms.scaled(operand) for operand in op.operands)
    shape = fact_of(op.operands[0]).shape
    if a is None or b is None or not (is_factor(a) and is_factor(b)) or not shape:
        return None
    count = shape[-2 if to_bool(op.transpose_a) and len(shape) > 1 else -1].static
    if not count:
        return None
    low, high, scale = product_of_spans(a, b, count)
    if not fits(low, high):
        return None
    value = build.make(MatMulOp, a.centred(build), b.centred(build), attributes=attributes_of(op))
    scale = forms.rounding.scale_of_product(op, scale)
    parts = 1 if a.is_of_8_bits and b.is_of_8_bits else None
    return Scaled(value, scale, integers(0), low, high, parts=parts)


def _pads(
    op: ConvolutionOp | GroupConvolutionOp, x: Scaled, kernel: Sequence[int]
) -> list[tuple[int, int]] | None:
    """The padding of each axis; None where it is not known."""
    extents = [d.static for d in (fact_of(x.value).shape or ())[2:]]
    windows = op.windows(kernel)
    if len(extents) != len(windows) or any(w.is_same and e is None for w, e in zip(windows, extents)):
        return None
    # (The padding is the same for any extent.)
    return [window.padding(extent or 0) for window, extent in zip(windows, extents)]


def _padded(x: Scaled, pads: Sequence[tuple[int, int]], build: GraphBuilder) -> SSAValue | None:
    """Pad the input with its zero point before it is widened.

    Padding in 8 bits needs no 32-bit buffer. Return None if the zero point is not representable in the type, or if there
    are several zero points.
    """
    if x.zero.size > 1:
        return None
    zero = int(x.zero.reshape(-1)[0])
    least, most = type_range(x.element)
    if min(min(pair) for pair in pads) < 0 or not least <= zero <= most:
        return None
    begin, end = (build.integers([0, 0, *(pair[side] for pair in pads)]) for side in (0, 1))
    value = build.scalar(zero, x.element)
    return build.make(PadOp, x.value, begin, end, value, attributes={"pad_mode": "constant"})
