"""Sums of products, and operations that keep the scale.

- Convolutions and matrix products are sums of products of integers, in 32 bits.
- Operations move elements, select some of them, or select the greatest. The result has the scale of the operand.
- Limits are clamps, the maximum or minimum of a tensor and a number, and ReLU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.attributes import to_bool, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertOp, FakeQuantizeOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp, MinimumOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp, ReLUOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp, VariadicSplitOp
from loomir.dialects.ov.operators.pooling import MaxPoolOp
from loomir.dialects.ov.operators.reduction import ReduceMaxOp, ReduceMinOp
from loomir.dialects.scalars.row import type_range
from loomir.passes.analysis.integer_weights import (
    Product,
    bounds_of_product,
    decoded,
    factor_of,
    known_array,
    spatial_axes,
    sums_of_weights,
)
from loomir.passes.analysis.quantisation import may_have_empty_windows
from loomir.passes.graph.ov_to_integer.arithmetic import is_factor, product_of_spans
from loomir.passes.graph.ov_to_integer.quantised_values import (
    NEAR,
    Pending,
    QuantisedForm,
    QuantisedForms,
    attributes_of,
    fits,
    keeps_shape,
)
from loomir.passes.graph.ov_to_integer.scaled import (
    FAR,
    Numbers,
    Scaled,
    constant_of,
    fractions,
    integers,
    rounded,
    single,
)


def product_of_integers(forms: QuantisedForms, op: Product, build: GraphBuilder) -> QuantisedForm | None:
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


def _product_of_tensors(forms: QuantisedForms, op: MatMulOp, build: GraphBuilder) -> QuantisedForm | None:
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


def move(forms: QuantisedForms, op: OvOperation, build: GraphBuilder) -> QuantisedForm | None:
    """Apply an operation that only moves elements to the integers."""
    x = forms.scaled(op.operands[0])
    if x is None or not x.is_uniform:
        return None
    moved = build.emit(type(op).make(x.value, *op.operands[1:], attributes=attributes_of(op)))
    return _flat(x).changed(value=moved.results[0])


def pick(forms: QuantisedForms, op: OvOperation, build: GraphBuilder) -> QuantisedForm | None:
    """Apply an operation that only selects elements to the integers.

    The operation must not produce zeros for an index out of range, which the integers would not represent, nor a least
    number where there are no elements.
    """
    x = forms.scaled(op.operands[0])
    if x is None:
        return None
    if isinstance(op, GatherOp) and not op.checks_indices and x.zero.any() and not _is_inside(op):
        return None
    if isinstance(op, ReduceMaxOp | ReduceMinOp):
        shape = fact_of(op.operands[0]).shape
        if shape is None or any(extent.lo < 1 for extent in shape):
            return None
    return move(forms, op, build)


def greatest(forms: QuantisedForms, op: MaxPoolOp, build: GraphBuilder) -> QuantisedForm | None:
    """Apply a max pooling to the integers.

    Not supported if a window may hold nothing but padding: no integer represents -inf.
    """
    return None if may_have_empty_windows(op) else move(forms, op, build)


def _is_inside(op: GatherOp) -> bool:
    """Return True if all indices are known and within the axis."""
    data, indices, axis = fact_of(op.operands[0]), known_array(op.operands[1]), known_array(op.operands[2])
    if data.shape is None or indices is None or axis is None:
        return False
    extent = data.shape[int(axis.reshape(-1)[0])].lo
    return bool(((indices >= -extent) & (indices < extent)).all())


def split(forms: QuantisedForms, op: SplitOp | VariadicSplitOp, build: GraphBuilder) -> QuantisedForm | None:
    """Split the integers and return the form of the first part.

    The forms of the other parts are recorded here.
    """
    x = forms.scaled(op.operands[0])
    if x is None or not x.is_uniform:
        return None
    moved = build.emit(
        type(op).make(x.value, *op.operands[1:], attributes=attributes_of(op), results=len(op.results))
    )
    parts = [_flat(x).changed(value=part) for part in moved.results]
    forms.of_values.update(zip(op.results[1:], parts[1:], strict=True))
    return parts[0]


def pad(forms: QuantisedForms, op: PadOp, build: GraphBuilder) -> QuantisedForm | None:
    """Pad the integers with the integer that represents the padding value."""
    x, value = forms.scaled(op.data), None if op.pad_value is None else known_array(op.pad_value)
    if x is None or not x.is_uniform or value is None or to_str(op.pad_mode) != "constant":
        return None
    if value.size != 1 or not np.isfinite(value).all():
        return None
    exact = Fraction(value.reshape(-1)[0].item()) / x.scale.reshape(-1)[0] + int(x.zero.reshape(-1)[0])
    least, most = type_range(x.element)
    if exact.denominator != 1 or not least <= exact <= most:
        return None
    zero = int(exact)
    moved = build.make(
        PadOp,
        x.value,
        op.pads_begin,
        op.pads_end,
        build.scalar(zero, x.element),
        attributes=attributes_of(op),
    )
    low, high = min(int(x.low.min()), zero), max(int(x.high.max()), zero)
    return _flat(x).changed(value=moved, low=integers(low), high=integers(high))


def concat(forms: QuantisedForms, op: ConcatOp, build: GraphBuilder) -> QuantisedForm | None:
    """Tensors of one scale and zero point."""
    parts = [forms.scaled(operand) for operand in op.operands]
    first = parts[0]
    if first is None or not first.is_uniform:
        return None
    found = [part for part in parts if part is not None and part.is_uniform and part.element == first.element]
    same = all(part.scale == first.scale and part.zero == first.zero for part in found)
    if len(found) < len(parts) or not same:
        return None
    joined = build.make(ConcatOp, [part.value for part in found], attributes=attributes_of(op))
    low, high = min(int(part.low.min()) for part in found), max(int(part.high.max()) for part in found)
    return _flat(first).changed(
        value=joined,
        low=integers(low),
        high=integers(high),
        error=max(part.error for part in found),
        parts=first.parts if all(part.parts == first.parts for part in found) else None,
    )


def _flat(x: Scaled) -> Scaled:
    """A uniform one with numbers that broadcast to any rank."""
    return x.changed(
        scale=x.scale.reshape(1),
        zero=x.zero.reshape(1),
        low=integers(int(x.low.min())),
        high=integers(int(x.high.max())),
    )


_MOST_LIMITS = 4
"""Maximum number of consecutive limits that are looked through.

Networks have two: ONNX's Max and Min.
"""

Limit: TypeAlias = ClampOp | MaximumOp | MinimumOp


def clamp(forms: QuantisedForms, op: ClampOp, build: GraphBuilder) -> QuantisedForm | None:
    """Limits in steps."""
    return _limited(forms, op, op.operands[0], float(op.min.value.data), float(op.max.value.data), build)


def limit(forms: QuantisedForms, op: MaximumOp | MinimumOp, build: GraphBuilder) -> QuantisedForm | None:
    """The greater or the less one of a tensor and a number."""
    for tensor, number in (op.operands, reversed(op.operands)):
        known = known_array(number)
        if known is None or known.size != 1 or np.isnan(known).any() or not keeps_shape(op, tensor):
            continue
        bound = float(known.reshape(()))
        limits = (bound, np.inf) if isinstance(op, MaximumOp) else (-np.inf, bound)
        return _limited(forms, op, tensor, *limits, build)
    return None


def _limited(
    forms: QuantisedForms, op: Limit, value: SSAValue, least: float, most: float, build: GraphBuilder
) -> QuantisedForm | None:
    form, error = forms.get(value), Fraction(0)
    if isinstance(form, Pending):
        return replace(form, least=max(form.least, least), most=min(form.most, most))
    if form is None or _is_limited_again(op.results[0], least, most):
        return form
    low, high = form.low, form.high
    for bound, is_low in ((least, True), (most, False)):
        if np.isinf(bound):
            continue
        exact = np.asarray(Fraction(bound) / form.scale + form.zero, object)
        steps = rounded(exact)
        away = max(abs(number) for number in (exact - steps).reshape(-1))
        if form.is_exact and away > NEAR:
            return None
        error = max(error, away)
        low, high = (_each_maximum(low, steps), high) if is_low else (low, _each_minimum(high, steps))
    ends = [None if np.isinf(bound) else Fraction(bound) for bound in (least, most)]
    terms = form.terms and form.terms.limited(*ends)
    if (low > high).any():
        return terms and form.changed(error=FAR, terms=terms)
    limited, dtype = form.value, dtype_of(form.element)
    if low.size == high.size == 1 and (low != form.low or high != form.high):
        both = {"min": float(low.reshape(-1)[0]), "max": float(high.reshape(-1)[0])}
        limited = build.make(ClampOp, limited, attributes=both)
    elif low.size > 1 or high.size > 1:
        if (low != form.low).any():
            limited = build.make(MaximumOp, limited, constant_of(build, low, dtype))
        if (high != form.high).any():
            limited = build.make(MinimumOp, limited, constant_of(build, high, dtype))
    return form.changed(value=limited, low=low, high=high, error=form.error + error, terms=terms)


def relu(forms: QuantisedForms, op: ReLUOp, build: GraphBuilder) -> QuantisedForm | None:
    """The maximum with the zero point."""
    x = forms.with_offset(op.operands[0])
    lowest, highest = (0, 0) if x is None else type_range(x.element)
    if x is None or x.zero.min() < lowest or x.zero.max() > highest:
        return None
    zero = constant_of(build, x.zero, dtype_of(x.element))
    low = _each_maximum(x.low, x.zero)
    terms = x.terms and x.terms.limited(Fraction(0), None)
    value = build.make(MaximumOp, x.value, zero)
    return x.changed(value=value, low=low, high=_each_maximum(x.high, x.zero), terms=terms)


def _each_minimum(a: Numbers, b: Numbers) -> Numbers:
    return np.asarray(np.minimum(a, b), object)


def _each_maximum(a: Numbers, b: Numbers) -> Numbers:
    return np.asarray(np.maximum(a, b), object)


def _is_limited_again(value: SSAValue, least: float, most: float) -> bool:
    """Return True if every reader limits the value at least as much.

    Such a reader is a FakeQuantize whose range lies within these limits, possibly behind other limits.
    """
    todo, limits, found = [value], set[Operation](), False
    while todo:
        for use in todo.pop().uses:
            reader = use.operation
            if isinstance(reader, Limit):
                if reader not in limits:
                    limits.add(reader)
                    todo.append(reader.results[0])
                if len(limits) > _MOST_LIMITS:
                    return False
                continue
            if not isinstance(reader, FakeQuantizeOp) or use.index:
                return False
            low, high = (known_array(end) for end in reader.operands[1:3])
            if low is None or high is None or not ((least <= low).all() and (high <= most).all()):
                return False
            found = True
    return found
