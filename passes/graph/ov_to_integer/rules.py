"""What each operation makes of tensors that are integers times a scale: linear and monotone ones compute with the integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import dtype_of, is_float, is_integer, ui8
from loomir.dialects.ov.attributes import to_bool, to_int, to_str
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import ClampOp, ReLUOp, RoundOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp, MaxPoolOp
from loomir.dialects.ov.operators.quantisation import FakeQuantizeOp
from loomir.dialects.ov.operators.reduction import ReduceMeanOp, ReduceSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.scalars.constants import type_range
from loomir.passes.analysis.integer_weights import decoded, factor_of, known_array
from loomir.passes.graph.ov_to_integer.requantising import Requantisation, requantised
from loomir.passes.graph.ov_to_integer.scaled import (
    Numbers,
    Scaled,
    constant_of,
    fractions,
    integers,
    rounded,
    single,
)

_LARGEST = (1 << 31) - 1
_NEAR = Fraction(1, 256)
"""How far a number may be from an integer that stands for it, in steps of a quantised tensor."""
_HEADROOM = 30
"""Bits that a sum of two tensors of different scales may have."""
_PRECISION = 10
"""The fewest bits of the factors that bring two scales to a common one."""


@dataclass(frozen=True)
class Pending:
    """What was divided by its scale and rounded, on its way to an integer type: round(scale · (value − zero)) + offset, limited."""

    of: Scaled
    offset: int = 0
    least: float = float("-inf")
    most: float = float("inf")


Form: TypeAlias = Scaled | Pending


class Rules:
    """The forms of values, and the rules that find those of an operation's result."""

    def __init__(self) -> None:
        self.forms: dict[SSAValue, Form] = {}
        self.requantised: dict[Operation, Requantisation] = {}

    def form_of(self, op: Operation) -> Form | None:
        """That of an operation's result, if no other one is used, with what computes its integers before the operation; None where there is no rule for it."""
        rule = _RULES.get(type(op))
        if rule is None or any(result.first_use is not None for result in op.results[1:]):
            return None
        return rule(self, op, GraphBuilder(InsertPoint.before(op), op.location))

    def scaled(self, value: SSAValue) -> Scaled | None:
        """The form of a value that is integers times a scale."""
        form = self.forms.get(value)
        return form if isinstance(form, Scaled) else None


# -- into integers, and back


def _converted(rules: Rules, op: ConvertOp, build: GraphBuilder) -> Form | None:
    source, target = fact_of(op.data).element, op.destination_type
    if is_integer(source) and is_float(target) and dtype_of(source).itemsize <= 2:
        if known_array(op.data) is not None:
            return None
        low, high = type_range(source)
        return Scaled(
            op.data, single(Fraction(1)), integers(0), integers(low), integers(high), computed=False
        )
    form = rules.forms.get(op.data)
    if form is None or not is_integer(target) or not isinstance(target, IntegerType):
        return None
    lowest, highest = type_range(target)
    if isinstance(form, Scaled):
        # A whole number already, such as a quantised tensor of scale 1.
        if (form.scale != 1).any():
            return None
        form = Pending(form)
    least, most = max(form.least, lowest), min(form.most, highest)
    if least > most or dtype_of(target).itemsize > 4:
        return None
    value, found = requantised(build, form.of, form.of.scale, form.offset, int(least), int(most), target)
    if found is not None:
        rules.requantised[op] = found
    # The operation itself gives integers: it is these, no longer a float.
    return Scaled(value, single(Fraction(1)), integers(0), integers(int(least)), integers(int(most)))


def _round(rules: Rules, op: RoundOp, build: GraphBuilder) -> Form | None:
    x = rules.scaled(op.operands[0])
    return Pending(x) if x is not None and to_str(op.mode) == "half_to_even" else None


def _fake_quantize(rules: Rules, op: FakeQuantizeOp, build: GraphBuilder) -> Form | None:
    limits = [known_array(operand) for operand in op.operands[1:]]
    levels = to_int(op.levels)
    if levels > 256 or any(limit is None or limit.size != 1 for limit in limits):
        return None
    input_low, input_high, output_low, output_high = (
        Fraction(float(limit.reshape(()))) for limit in limits if limit is not None
    )
    if input_low >= input_high or output_low >= output_high:
        return None
    scale = (output_high - output_low) / (levels - 1)
    zero = -output_low / scale
    if abs(zero - round(zero)) > _NEAR * 4:
        return None
    new_scale, new_zero = single(scale), integers(round(zero))
    x = rules.scaled(op.data)
    if x is None:
        return Scaled(_levels_of(op, build, levels), new_scale, new_zero, integers(0), integers(levels - 1))
    step = (input_high - input_low) / (levels - 1)
    offset = -input_low / step
    if abs(offset - round(offset)) > _NEAR * 4:
        return None
    ratio, offset = x.scale / step, round(offset)
    low, high = x.span
    if (ratio == 1).all() and x.is_exact and (low + offset >= 0).all() and (high + offset < levels).all():
        return Scaled(x.value, new_scale, x.zero + new_zero - offset, x.low, x.high)
    value, found = requantised(build, x, ratio, offset, 0, levels - 1, ui8)
    if found is not None:
        rules.requantised[op] = found
    return Scaled(value, new_scale, new_zero, integers(0), integers(levels - 1))


def _levels_of(op: FakeQuantizeOp, build: GraphBuilder, levels: int) -> SSAValue:
    """The level of each float, in the order of operations of FakeQuantize."""
    x, low, high = op.operands[:3]
    place = build.make(DivideOp, build.make(SubtractOp, x, low), build.make(SubtractOp, high, low))
    level = build.make(RoundOp, build.make(MultiplyOp, place, build.like(levels - 1, x)))
    level = build.make(ClampOp, level, attributes={"min": 0.0, "max": float(levels - 1)})
    return build.make(ConvertOp, level, attributes={"destination_type": ui8})


# -- scales and offsets


def _multiply(rules: Rules, op: MultiplyOp | DivideOp, build: GraphBuilder) -> Form | None:
    sides = [(op.operands[0], op.operands[1])]
    if isinstance(op, MultiplyOp):
        sides.append((op.operands[1], op.operands[0]))
    for tensor, number in sides:
        x, factor = rules.scaled(tensor), known_array(number)
        if x is None or factor is None or not _keeps_shape(op, tensor) or not (factor > 0).all():
            continue
        exact = fractions(factor)
        return replace(x, scale=x.scale * exact if isinstance(op, MultiplyOp) else x.scale / exact)
    return None


def _add(rules: Rules, op: AddOp | SubtractOp, build: GraphBuilder) -> Form | None:
    a, b = op.operands
    sides = [(a, b)] if isinstance(op, SubtractOp) else [(a, b), (b, a)]
    for tensor, number in sides:
        form, known = rules.forms.get(tensor), known_array(number)
        if form is None or known is None or not _keeps_shape(op, tensor):
            continue
        sign = -1 if isinstance(op, SubtractOp) else 1
        if isinstance(form, Pending):
            if known.size != 1 or float(known.reshape(())) != round(float(known.reshape(()))):
                return None
            by = sign * int(known.reshape(()))
            return replace(form, offset=form.offset + by, least=form.least + by, most=form.most + by)
        exact = sign * fractions(known) / form.scale
        steps = rounded(exact)
        if form.is_exact and max(abs(e) for e in (exact - steps).reshape(-1)) > _NEAR:
            return None
        low, high = form.low - form.zero + steps, form.high - form.zero + steps
        if min(low.min(), -high.max()) < -_LARGEST:
            return None
        return replace(form, zero=form.zero - steps)
    return _sum(rules, op, build) if isinstance(op, AddOp) else None


def _sum(rules: Rules, op: AddOp, build: GraphBuilder) -> Form | None:
    """Two tensors of different scales: both as multiples of a common one, which is finer by as many bits as there is room."""
    parts = [rules.scaled(operand) for operand in op.operands]
    a, b = parts
    if a is None or b is None or not (a.is_uniform and b.is_uniform):
        return None
    spans = [max(abs(int(side)) for bound in part.span for side in bound.reshape(-1)) for part in (a, b)]
    scales = [part.scale.reshape(-1)[0] for part in (a, b)]
    bits = (
        _HEADROOM
        - max(int(span * scale / max(scales)).bit_length() for span, scale in zip(spans, scales))
        - 1
    )
    if bits < _PRECISION:
        return None
    unit = max(scales) / (1 << bits)
    factors = [round(scale / unit) for scale in scales]
    terms = [
        build.make(MultiplyOp, part.centred(build), build.scalar(factor, i32))
        for part, factor in zip((a, b), factors)
    ]
    low, high = (
        sum(int(part.span[side].reshape(-1)[0]) * factor for part, factor in zip((a, b), factors))
        for side in (0, 1)
    )
    return Scaled(build.make(AddOp, *terms), single(unit), integers(0), integers(low), integers(high))


def _clamp(rules: Rules, op: ClampOp, build: GraphBuilder) -> Form | None:
    form = rules.forms.get(op.operands[0])
    least, most = float(op.min.value.data), float(op.max.value.data)
    if isinstance(form, Pending):
        return replace(form, least=max(form.least, least), most=min(form.most, most))
    if form is None or not form.is_uniform:
        return None
    scale, zero = form.scale.reshape(-1)[0], int(form.zero.reshape(-1)[0])
    low, high = int(form.low.min()), int(form.high.max())
    for bound, is_low in ((least, True), (most, False)):
        if np.isinf(bound):
            continue
        exact = Fraction(bound) / scale + zero
        if form.is_exact and abs(exact - round(exact)) > _NEAR:
            return None
        low, high = (max(low, round(exact)), high) if is_low else (low, min(high, round(exact)))
    if low > high:
        return None
    value = build.make(ClampOp, form.value, attributes={"min": float(low), "max": float(high)})
    return Scaled(value, form.scale, form.zero, integers(low), integers(high))


def _relu(rules: Rules, op: ReLUOp, build: GraphBuilder) -> Form | None:
    x = rules.scaled(op.operands[0])
    lowest, highest = (0, 0) if x is None else type_range(x.element)
    if x is None or x.zero.min() < lowest or x.zero.max() > highest:
        return None
    zero = constant_of(build, x.zero, dtype_of(x.element))
    low = _each_maximum(x.low, x.zero)
    return replace(x, value=build.make(MaximumOp, x.value, zero), low=low, high=_each_maximum(x.high, x.zero))


def _each_maximum(a: Numbers, b: Numbers) -> Numbers:
    return np.asarray(np.maximum(a, b), object)


# -- products


def _product(
    rules: Rules, op: ConvolutionOp | GroupConvolutionOp | MatMulOp, build: GraphBuilder
) -> Form | None:
    x = rules.scaled(op.operands[0])
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
    if min(low.min(), -high.max()) < -_LARGEST:
        return None
    filters = build.make(ConvertOp, build.constant(weights), attributes={"destination_type": i32})
    product = build.emit(type(op).make(x.centred(build), filters, attributes=_attributes(op)))
    return Scaled(product.results[0], x.scale.reshape(-1)[0] * fractions(factor), integers(0), low, high)


def _attributes(op: Operation) -> dict[str, Any]:
    return dict(op.properties)


# -- moves and averages


def _move(rules: Rules, op: Operation, build: GraphBuilder) -> Form | None:
    x = rules.scaled(op.operands[0])
    if x is None or not x.is_uniform:
        return None
    moved = build.emit(type(op).make(x.value, *op.operands[1:], attributes=_attributes(op)))  # pyright: ignore[reportAttributeAccessIssue]
    return replace(_flat(x), value=moved.results[0])


def _concat(rules: Rules, op: ConcatOp, build: GraphBuilder) -> Form | None:
    """Tensors of one scale and zero point."""
    parts = [rules.scaled(operand) for operand in op.operands]
    first = parts[0]
    if first is None or not first.is_uniform:
        return None
    found = [part for part in parts if part is not None and part.is_uniform and part.element == first.element]
    same = all(part.scale == first.scale and part.zero == first.zero for part in found)
    if len(found) < len(parts) or not same:
        return None
    joined = build.make(ConcatOp, [part.value for part in found], attributes=_attributes(op))
    low, high = min(int(part.low.min()) for part in found), max(int(part.high.max()) for part in found)
    return replace(_flat(first), value=joined, low=integers(low), high=integers(high))


def _flat(x: Scaled) -> Scaled:
    """A uniform one with numbers that broadcast to any rank."""
    return replace(
        x,
        scale=x.scale.reshape(1),
        zero=x.zero.reshape(1),
        low=integers(int(x.low.min())),
        high=integers(int(x.high.max())),
    )


def _average(rules: Rules, op: AvgPoolOp | ReduceMeanOp, build: GraphBuilder) -> Form | None:
    """A sum, whose scale is that of its parts divided by their number."""
    x, extents = rules.scaled(op.operands[0]), static_extents_of(op.operands[0])
    if x is None or not x.is_uniform:
        return None
    if isinstance(op, AvgPoolOp):
        rank = len(extents)
        axes, keep = list(range(2, rank)), True
        result = static_extents_of(op.results[0])
        if any(result[axis] != 1 or list(window_of(op))[axis - 2] != extents[axis] for axis in axes):
            return None
    else:
        known = known_array(op.operands[1])
        if known is None:
            return None
        axes, keep = [int(axis) for axis in known.reshape(-1)], to_bool(op.keep_dims)
    count = prod(extents[axis] for axis in axes)
    low, high = (bound * count for bound in x.span)
    if count < 1 or min(low.min(), -high.max()) < -_LARGEST:
        return None
    total = build.make(ReduceSumOp, x.centred(build), build.integers(axes), attributes={"keep_dims": keep})
    return Scaled(
        total,
        single(x.scale.reshape(-1)[0] / count),
        integers(0),
        integers(int(low.min())),
        integers(int(high.max())),
    )


def window_of(op: AvgPoolOp) -> tuple[int, ...]:
    """The extents of a pooling's window."""
    return tuple(op.kernel.get_values())


def static_extents_of(value: SSAValue) -> list[int]:
    """The extents of a value, 0 for those that are not known."""
    shape = fact_of(value).shape
    return [] if shape is None else [d.static or 0 for d in shape]


def _keeps_shape(op: Operation, tensor: SSAValue) -> bool:
    return op.results[0].type == tensor.type


_RULES: dict[type[Operation], Callable[[Rules, Any, GraphBuilder], Form | None]] = {
    ConvertOp: _converted,
    RoundOp: _round,
    FakeQuantizeOp: _fake_quantize,
    MultiplyOp: _multiply,
    DivideOp: _multiply,
    AddOp: _add,
    SubtractOp: _add,
    ClampOp: _clamp,
    ReLUOp: _relu,
    ConvolutionOp: _product,
    GroupConvolutionOp: _product,
    MatMulOp: _product,
    ReshapeOp: _move,
    SqueezeOp: _move,
    UnsqueezeOp: _move,
    TransposeOp: _move,
    MaxPoolOp: _move,
    ConcatOp: _concat,
    AvgPoolOp: _average,
    ReduceMeanOp: _average,
}
