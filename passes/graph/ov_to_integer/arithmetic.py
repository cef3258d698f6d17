"""Scales and offsets, products and sums of two tensors, and averages.

Averages are sums. The scale of such a sum is the scale of its parts divided by their number.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, prod

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.attributes import to_bool, to_str
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp, counted
from loomir.dialects.ov.operators.reduction import ReduceMeanOp, ReduceSumOp
from loomir.dialects.scalars.row import type_range
from loomir.passes.analysis.integer_weights import known_array
from loomir.passes.graph.ov_to_integer.quantised_values import (
    FLOATS,
    LARGEST,
    NEAR,
    Pending,
    QuantisedForm,
    QuantisedForms,
    attributes_of,
    fits,
    keeps_shape,
    known_numbers,
)
from loomir.passes.graph.ov_to_integer.scaled import (
    FAR,
    Biased,
    Numbers,
    Scaled,
    TensorSum,
    constant_of,
    integers,
    rounded,
    single,
)

_SCALE_BITS = 1024
"""Maximum number of bits of a scale's numerator.

A float has 24 bits, and each product adds as many. No network multiplies so often between two quantisations.
"""

_HEADROOM = 30
"""Bits that a sum of two tensors of different scales may have."""

_SINGLE = Fraction(1, 1 << 22)
"""Relative tolerance between a bias and a multiple of a sum's steps.

It applies to a bias that was meant to be such a multiple: the bias and three scales are rounded.
"""

_FACTORS = 20
"""Maximum bits of a product in which one tensor has refined steps.

A sum must have room for this product beside another one.
"""

_PRECISION = 10
"""Minimum bits of the factors that bring two scales to one."""


def scale(forms: QuantisedForms, op: MultiplyOp | DivideOp, build: GraphBuilder) -> QuantisedForm | None:
    """Multiply or divide a tensor by constants, or multiply two tensors.

    A product or quotient by positive constants only changes the scale; nothing is computed.
    """
    sides = [(op.operands[0], op.operands[1])]
    if isinstance(op, MultiplyOp):
        sides.append((op.operands[1], op.operands[0]))
    for tensor, number in sides:
        x = forms.with_offset(tensor)
        if x is None or not keeps_shape(op, tensor):
            continue
        exact = known_numbers(number)
        if exact is None or not (exact > 0).all():
            continue
        if not _broadcasts(op, exact):
            return None
        found = x.scale * exact if isinstance(op, MultiplyOp) else x.scale / exact
        if any(Fraction(number).numerator.bit_length() > _SCALE_BITS for number in found.reshape(-1)):
            return None
        terms = x.terms and x.terms.times(found.reshape(-1)[0] / x.scale.reshape(-1)[0])
        return x.changed(scale=found, terms=terms if exact.size == 1 else None)
    return _product(forms, op, build) if isinstance(op, MultiplyOp) else None


def _product(forms: QuantisedForms, op: MultiplyOp, build: GraphBuilder) -> QuantisedForm | None:
    """Multiply two quantised tensors elementwise.

    The square of an 8-bit tensor is excluded: it is a function of that tensor, which a table implements.
    """
    a, b = (forms.scaled(operand) for operand in op.operands)
    if a is None or b is None:
        return None
    if a.value is b.value and dtype_of(a.element).itemsize == 1:
        return None
    a, b = _factor(a, b, build), _factor(b, a, build)
    if a is None or b is None:
        return None
    low, high, found = product_of_spans(a, b, 1)
    if not fits(low, high):
        return None
    value = build.make(MultiplyOp, a.centred(build), b.centred(build), attributes=attributes_of(op))
    # Both were exact, or one of them was.
    error = a.error * _greatest(b) + b.error * _greatest(a)
    parts = 1 if a.is_of_8_bits and b.is_of_8_bits else None
    return Scaled(value, found, integers(0), low, high, error=error, parts=parts)


def _factor(x: Scaled, other: Scaled, build: GraphBuilder) -> Scaled | None:
    """Return a tensor whose integers may be multiplied by those of `other`.

    The residual of a bias is included in finer steps, such that the product has at most `_FACTORS` bits.
    """
    if is_factor(x):
        return x
    of, rest = _with_rest(x)
    if not (is_factor(of) and rest.size == 1 and rest.any() and is_factor(other)):
        return None
    bits = _FACTORS - (_greatest(of) + ceil(abs(rest[0]))).bit_length() - _greatest(other).bit_length()
    if bits < 1:
        return None
    value = build.make(MultiplyOp, of.centred(build), build.scalar(1 << bits, i32))
    exact = rest * (1 << bits)
    low, high = (end * (1 << bits) for end in of.span)
    zero = -rounded(exact)
    return Scaled(value, of.scale / (1 << bits), zero, low, high, error=_largest(exact + zero))


def _greatest(x: Scaled) -> int:
    """The greatest of value − zero, without its sign."""
    return max(abs(int(end)) for bound in x.span for end in bound.reshape(-1))


def _with_rest(x: Scaled) -> tuple[Scaled, Numbers]:
    """A tensor, and what is missing of it, exactly, in its steps."""
    terms = x.terms
    if isinstance(terms, Biased) and terms.least is None and terms.most is None:
        return terms.of, terms.rest
    return x, integers(0)


def is_factor(x: Scaled) -> bool:
    """Return True if products of the integers represent products of the numbers."""
    return x.is_uniform and x.is_exact and not x.error


def product_of_spans(a: Scaled, b: Scaled, count: int) -> tuple[Numbers, Numbers, Numbers]:
    """Between which numbers sums of so many products are, and their scale."""
    ends = [
        int(x) * int(y) * count
        for x in (a.span[0].min(), a.span[1].max())
        for y in (b.span[0].min(), b.span[1].max())
    ]
    return integers(min(ends)), integers(max(ends)), single(a.scale.reshape(-1)[0] * b.scale.reshape(-1)[0])


def add(forms: QuantisedForms, op: AddOp | SubtractOp, build: GraphBuilder) -> QuantisedForm | None:
    """Add a constant to a tensor, or add two tensors.

    A constant changes the zero point and is rounded to steps. The steps of a sum are fine; those of an 8-bit tensor are
    refined first. A tensor that is subtracted from a constant is negated first.
    """
    a, b = op.operands
    for tensor, number in ((a, b), (b, a)):
        form = forms.get(tensor)
        if form is None or not keeps_shape(op, tensor):
            continue
        known = known_numbers(number)
        if known is None:
            continue
        if not _broadcasts(op, known):
            return None
        sign = -1 if isinstance(op, SubtractOp) and tensor is a else 1
        if isinstance(op, SubtractOp) and tensor is b:
            if isinstance(form, Pending) or fact_of(op.results[0]).element not in FLOATS:
                return None
            form = _turned_round(form, build)
        if isinstance(form, Pending):
            if known.size != 1 or known.reshape(-1)[0].denominator != 1:
                return None
            by = sign * int(known.reshape(-1)[0])
            return replace(form, offset=form.offset + by, least=form.least + by, most=form.most + by)
        exact = sign * known / form.scale
        steps = rounded(exact)
        terms = _biased(form, sign * known)
        if form.is_exact and max(abs(e) for e in (exact - steps).reshape(-1)) > NEAR:
            finer = _finer(form, max(abs(int(step)) for step in steps.reshape(-1)), build)
            if finer is None:
                return None
            form = finer
            exact = sign * known / form.scale
            steps = rounded(exact)
        low, high = form.low - form.zero + steps, form.high - form.zero + steps
        if not fits(low, high) or not fits(form.zero - steps, form.zero - steps):
            # (Of a channel whose weights are next to nothing the bias may have more steps than 32 bits hold.)
            return terms and form.changed(error=FAR, terms=terms)
        return form.changed(zero=form.zero - steps, error=form.error + _largest(exact - steps), terms=terms)
    # (Sums of integers are exact already.)
    first, second = forms.with_offset(a), forms.with_offset(b)
    if first is None or second is None or fact_of(op.results[0]).element not in FLOATS:
        return None
    return _sum(op, first, _turned_round(second, build) if isinstance(op, SubtractOp) else second, build)


def _biased(x: Scaled, offset: Numbers) -> Biased | None:
    """Return the tensor with an exact offset, or None.

    Return None if the offset is practically a multiple of the steps, or if the tensor is not known exactly.
    """
    terms = x.terms if isinstance(x.terms, Biased) else None
    if (terms is None and x.error) or (terms is not None and (terms.least, terms.most) != (None, None)):
        return None
    of, before = _with_rest(x)
    exact = np.asarray(before + offset / of.scale, object)
    steps = rounded(exact)
    near = (
        abs(number - step) <= max(NEAR, abs(step) * _SINGLE)
        for number, step in zip(exact.reshape(-1), steps.reshape(-1))
    )
    # What 32 bits do not hold beside the sum is left to the requantisation.
    most = LARGEST - max(abs(int(end)) for bound in of.span for end in bound.reshape(-1))
    held = np.asarray(np.abs(steps) <= most, bool)
    if held.all() and all(near):
        return None
    steps = np.asarray(np.where(held, steps, 0), object)
    return Biased(of.changed(zero=np.asarray(of.zero - steps, object)), np.asarray(exact - steps, object))


def _finer(x: Scaled, most: int, build: GraphBuilder) -> Scaled | None:
    """Return the tensor in finer steps, or None if none fit.

    The steps are so fine that an offset of up to `most` original steps can be rounded to them.
    """
    low, high = x.span
    bits = _HEADROOM - (_greatest(x) + most + 1).bit_length()
    if bits < _PRECISION:
        return None
    value = build.make(MultiplyOp, x.centred(build), build.scalar(1 << bits, i32))
    scale, factor = x.scale / (1 << bits), 1 << bits
    return Scaled(value, scale, integers(0), low * factor, high * factor, error=x.error * factor)


def _largest(numbers: Numbers) -> Fraction:
    return Fraction(max(abs(number) for number in numbers.reshape(-1)))


def _broadcasts(op: MultiplyOp | DivideOp | AddOp | SubtractOp, number: Numbers) -> bool:
    """Return True if a number broadcasts to the elements as in numpy."""
    return number.size == 1 or to_str(op.auto_broadcast) == "numpy"


def negative(forms: QuantisedForms, op: NegativeOp, build: GraphBuilder) -> QuantisedForm | None:
    """The integers turned round."""
    x = forms.scaled(op.operands[0])
    return None if x is None else _turned_round(x, build)


def _turned_round(x: Scaled, build: GraphBuilder) -> Scaled:
    """Return the negated tensor.

    The new integers are 0 − the integers; for narrow types, an offset is added such that they stay within their type.
    """
    ends = sum(type_range(x.element)) if x.is_exact else 0
    value = build.make(SubtractOp, build.scalar(ends, x.element), x.value)
    return x.changed(value=value, zero=ends - x.zero, low=ends - x.high, high=ends - x.low)


def _sum(op: AddOp | SubtractOp, a: Scaled, b: Scaled, build: GraphBuilder) -> QuantisedForm | None:
    """Add two tensors of different scales.

    Both become multiples of a common scale (per channel), refined by as many bits as there is room for. The residual of a
    bias is added in these steps. A requantisation of the sum reads the two tensors themselves.
    """
    is_numpy = to_str(op.auto_broadcast) == "numpy"
    if not is_numpy and not (a.is_uniform and b.is_uniform):
        return None
    parts, rests = zip(*map(_with_rest, (a, b)), strict=True)
    if any(part.is_far for part in parts):
        return None
    spans = [np.asarray(np.maximum(*(np.abs(end) for end in part.span)), object) for part in parts]
    scales = [part.scale for part in parts]
    greatest = np.asarray(np.maximum(*scales), object)
    largest = max(
        int(number)
        for span, rest, scale in zip(spans, rests, scales)
        for number in np.asarray((span + np.abs(rest)) * scale / greatest, object).reshape(-1)
    )
    bits = _HEADROOM - largest.bit_length() - 1
    if bits < _PRECISION:
        return None
    unit = np.asarray(greatest / (1 << bits), object)
    steps = [np.asarray(scale / unit, object) for scale in scales]
    factors = [rounded(step) for step in steps]
    low, high = (
        np.asarray(sum(part.span[end] * factor for part, factor in zip(parts, factors)), object)
        for end in (0, 1)
    )
    exact = np.asarray(sum(rest * step for rest, step in zip(rests, steps)), object)
    offset = rounded(exact)
    error = _largest(exact - offset) + sum(
        _largest(np.asarray(span * abs(factor - step) + part.error * factor, object))
        for part, span, step, factor in zip(parts, spans, steps, factors)
    )
    products = [
        build.make(MultiplyOp, part.centred(build), constant_of(build, factor, np.int32))
        for part, factor in zip(parts, factors)
    ]
    is_sum = a.is_exact and b.is_exact and a.is_uniform and b.is_uniform and is_numpy
    return Scaled(
        build.make(AddOp, *products, attributes=attributes_of(op)),
        unit,
        np.asarray(-offset, object),
        low,
        high,
        error=Fraction(error),
        terms=TensorSum(a, b) if is_sum else None,
    )


def mean(forms: QuantisedForms, op: ReduceMeanOp | ReduceSumOp, build: GraphBuilder) -> QuantisedForm | None:
    """Over whole axes."""
    x, known = forms.scaled(op.operands[0]), known_array(op.operands[1])
    if x is None or known is None:
        return None
    axes = [int(axis) for axis in known.reshape(-1)]
    extents = _extents_of(op.operands[0])
    count = prod(extents[axis] for axis in axes) if extents else 0
    return _summed(x, axes, count, to_bool(op.keep_dims), build, divided=isinstance(op, ReduceMeanOp))


def average(forms: QuantisedForms, op: AvgPoolOp, build: GraphBuilder) -> QuantisedForm | None:
    """Average over windows that all hold the same number of elements.

    Emit a convolution by ones, or a sum if there is only one window.
    """
    x, extents = forms.scaled(op.operands[0]), _extents_of(op.operands[0])
    windows = op.windows()
    if x is None or len(extents) != len(windows) + 2 or not all(extents[1:]):
        return None
    pads = [window.padding(extent) for window, extent in zip(windows, extents[2:])]
    if extents[2:] == [window.kernel for window in windows] and not any(map(any, pads)):
        axes = list(range(2, len(extents)))
        found = _summed(x, axes, prod(extents[2:]), True, build)
        return found and found.changed(parts=None)
    counts = [
        counted(window, extent, padding=not to_bool(op.exclude_pad))
        for window, extent in zip(windows, extents[2:])
    ]
    if any(along.size == 0 or along.min() != along.max() or along.min() < 1 for along in counts):
        return None
    count, kernel = prod(int(along[0]) for along in counts), [window.kernel for window in windows]
    if not x.is_uniform or not fits(*(bound * prod(kernel) for bound in x.span)):
        return None
    ones = build.constant(np.ones((extents[1], 1, 1, *kernel), np.int8))
    attributes = {
        "strides": [window.stride for window in windows],
        "dilations": [window.dilation for window in windows],
        "pads_begin": [begin for begin, _ in pads],
        "pads_end": [end for _, end in pads],
        "auto_pad": "explicit",
    }
    filters = build.make(ConvertOp, ones, attributes={"destination_type": i32})
    total = build.make(GroupConvolutionOp, x.centred(build), filters, attributes=attributes)
    if fact_of(total).shape != fact_of(op.results[0]).shape:
        # The last window hangs over the end.
        return None
    # (What is padded counts as 0.)
    low, high = min(int(x.span[0].min()), 0), max(int(x.span[1].max()), 0)
    return _of_sum(total, x, prod(kernel), low, high, count)


def _summed(
    x: Scaled, axes: list[int], count: int, keep: bool, build: GraphBuilder, *, divided: bool = True
) -> Scaled | None:
    low, high = x.span
    if not x.is_uniform or count < 1 or not fits(low * count, high * count):
        return None
    total = build.make(ReduceSumOp, x.centred(build), build.integers(axes), attributes={"keep_dims": keep})
    by = count if divided else 1
    found = _of_sum(total, x, count, int(low.min()), int(high.max()), by)
    return found.changed(parts=by if x.is_of_8_bits else None)


def _of_sum(total: SSAValue, x: Scaled, terms: int, low: int, high: int, count: int) -> Scaled:
    """Return the form of a sum that is divided by `count`.

    The sum has at most `terms` numbers, each between `low` and `high`.
    """
    scale = single(x.scale.reshape(-1)[0] / count)
    return Scaled(
        total, scale, integers(0), integers(low * terms), integers(high * terms), error=x.error * terms
    )


def _extents_of(value: SSAValue) -> list[int]:
    """The extents of a value, 0 for those that are not known."""
    shape = fact_of(value).shape
    return [] if shape is None else [d.static or 0 for d in shape]
