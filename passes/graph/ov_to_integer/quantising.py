"""Conversion to integers, between scales, and across loops and branches.

This covers FakeQuantize and the operations that importers emit for QuantizeLinear and DequantizeLinear.

Quantised tensors enter loops, and leave loops and branches, as integers instead of the floats that these represent.

```mlir
%r = ov.loop trip(%n) carried(%x) : … {              %q = quantise %x
^bb0(%i, %v: tensor<4xf32>):                          %r8 = ov.loop trip(%n) carried(%q) : … {
  …                                                   ^bb0(%i, %v8: tensor<4xi8>):
  %w = scale · (… − zero)                               %v = scale · (%v8 − zero)
  ov.next carried(%w)                                   …
}                                                       ov.next carried(quantise %w)
                                                      }
                                                      %r = scale · (%r8 − zero)
```

The rules find that `quantise (scale · (q − zero))` is q. A loop-carried value must come from the same quantisation in
each iteration. Its initial value must come from this quantisation, too, or be a constant that integers represent
exactly. After no iteration, `last` yields zeros: it stays unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType, UnrankedTensorType, i32
from xdsl.ir import Attribute, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import dtype_of, i8, is_integer, set_type, ui8
from loomir.dialects.ov.attributes import to_int, to_str
from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp, FakeQuantizeOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp, RoundOp
from loomir.dialects.ov.operators.internal import FailOp
from loomir.dialects.ov.operators.pooling import MaxPoolOp
from loomir.dialects.ovseq.types import SeqType
from loomir.dialects.scalars.row import type_range
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.integer_weights import LEVEL_OF_ZERO, MOVES, PRODUCTS, known_array
from loomir.passes.analysis.quantisation import (
    QuantisationParameters,
    may_have_empty_windows,
    parameters_of_value,
)
from loomir.passes.graph.ov_to_integer.quantised_values import (
    FLOATS,
    LARGEST,
    MOST_NUMBERS,
    Pending,
    QuantisedForm,
    QuantisedForms,
    TabulatedFunction,
    emit_lookup,
    keeps_shape,
)
from loomir.passes.graph.ov_to_integer.scaled import (
    Biased,
    Numbers,
    OutputLimits,
    Scaled,
    fractions,
    integers,
    ratio_of,
    requantised,
    rounded,
    single,
)


def quantised(build: GraphBuilder, value: SSAValue, steps: QuantisationParameters) -> SSAValue:
    """Floats as integers: round(value / scale) + zero point, limited."""
    element = fact_of(value).element
    value = build.make(DivideOp, value, build.scalar(float(steps.scale), element))
    value = build.make(RoundOp, value)
    if steps.zero:
        value = build.make(AddOp, value, build.scalar(steps.zero, element))
    low, high = type_range(steps.element)
    value = build.make(ClampOp, value, attributes={"min": float(low), "max": float(high)})
    return build.make(ConvertOp, value, attributes={"destination_type": steps.element})


def make_integers(
    build: GraphBuilder, value: SSAValue, steps: QuantisationParameters, uses: Sequence[Use]
) -> None:
    """Change a float value to integers, and dequantise it for `uses`."""
    element = fact_of(value).element
    set_type(value, _with_element(value.type, steps.element))
    real = build.make(ConvertOp, value, attributes={"destination_type": element})
    if steps.zero:
        real = build.make(SubtractOp, real, build.scalar(steps.zero, element))
    real = build.make(MultiplyOp, real, build.scalar(float(steps.scale), element))
    for use in uses:
        use.operation.operands[use.index] = real


def _with_element(type_: Attribute, element: Attribute) -> TensorType | UnrankedTensorType:
    if isinstance(type_, UnrankedTensorType):
        return UnrankedTensorType(element)
    assert isinstance(type_, TensorType)
    return TensorType(element, type_.shape, type_.encoding)


def converted(forms: QuantisedForms, op: ConvertOp, build: GraphBuilder) -> QuantisedForm | None:
    """Convert integers to floats or wider integers, or rounded numbers to integers.

    Integers converted to floats or to a wider type become numbers of scale 1. Rounded numbers converted to integers are
    requantised to these.
    """
    source, target = fact_of(op.data).element, op.destination_type
    if is_integer(source) and target in (*FLOATS, i32):
        if (found := forms.scaled(op.data)) is not None:
            return found
        if dtype_of(source).itemsize > 2 or known_array(op.data) is not None:
            return None
        low, high = type_range(source)
        return Scaled(
            op.data, single(Fraction(1)), integers(0), integers(low), integers(high), computed=False
        )
    form = forms.get(op.data)
    if form is None and (function := forms.functions.get(op.data)) is not None and target in (i8, ui8):
        return _table(op, function, build)
    if form is None or source not in FLOATS or not is_integer(target) or not isinstance(target, IntegerType):
        return None
    lowest, highest = type_range(target)
    if isinstance(form, Scaled):
        # Whole numbers already: a quantised tensor of scale 1. Others, with an offset, are not rounded here but cut off.
        if (form.scale != 1).any() or not _is_quantised(op.data):
            return None
        form = Pending(form)
    least, most = max(form.least, lowest), min(form.most, highest)
    if least > most or dtype_of(target).itemsize > 4 or abs(form.offset) > LARGEST:
        return None
    ratio = form.of.scale
    if not forms.rounding.takes(form.of, ratio, int(least) - form.offset, int(most) - form.offset):
        return None
    least, most = int(least), int(most)
    ratio = ratio_of(form.of, ratio)
    # The operation itself gives integers: it is these, no longer a float.
    zero = _zero_point_below(op, least, most)
    target = ui8 if zero else target
    moved = OutputLimits(integers(form.offset - zero), least - zero, most - zero)
    value, told = requantised(build, form.of, ratio, moved, target, forms.rounding)
    if told is not None:
        forms.requantised[op] = told
    return Scaled(value, single(Fraction(1)), integers(-zero), integers(least - zero), integers(most - zero))


def _table(op: ConvertOp, function: TabulatedFunction, build: GraphBuilder) -> Scaled:
    """The integers that a function of quantised ones is rounded to."""
    integers_of = evaluate(op, [function.values])[0].astype(np.int64)
    low, high = int(integers_of.min()), int(integers_of.max())
    zero = _zero_point_below(op, low, high)
    table = (integers_of - zero).astype(np.uint8 if zero else dtype_of(op.destination_type))
    return Scaled(
        emit_lookup(build, function, table),
        single(Fraction(1)),
        integers(-zero),
        integers(low - zero),
        integers(high - zero),
    )


def _zero_point_below(op: ConvertOp, least: int, most: int) -> int:
    """Return the zero point that all readers subtract, or 0.

    The zero point is returned if no integer lies below it, as after a ReLU: unsigned integers without a zero point then
    represent the same numbers.
    """
    zeros = _subtracted(op.results[0])
    if zeros is None or len(zeros) > 1:
        return 0
    # (Where only products read them, whose bias has what a zero point adds, any will do.)
    zero = min(zeros, default=least)
    return zero if zero < 0 and zero <= least and most - zero < 256 else 0


def _subtracted(integers: SSAValue) -> set[int] | None:
    """Return the numbers that readers subtract from quantised integers, or None.

    The integers may be padded with such a number. Return None if a reader uses the integers as they are.
    """
    found, todo = set[int](), [integers]
    while todo:
        for use in todo.pop().uses:
            reader = use.operation
            if isinstance(reader, MaxPoolOp) and may_have_empty_windows(reader):
                return None
            if isinstance(reader, (*MOVES, MaxPoolOp, PadOp)) and use.index == 0:
                if isinstance(reader, PadOp):
                    value = None if reader.pad_value is None else known_array(reader.pad_value)
                    if value is None:
                        return None
                    found.add(int(value.reshape(-1)[0]))
                todo.append(reader.results[0])
                continue
            if not isinstance(reader, ConvertOp) or reader.destination_type not in (*FLOATS, i32):
                return None
            for step in reader.results[0].uses:
                if isinstance(step.operation, PRODUCTS) and step.index == 0:
                    # What a zero point adds to it is in its bias.
                    continue
                known = known_array(step.operation.b) if isinstance(step.operation, SubtractOp) else None
                if known is None or known.size != 1 or step.index != 0:
                    return None
                found.add(round(float(known.reshape(()))))
    return found


def _is_quantised(value: SSAValue) -> bool:
    """Return True if a value comes unchanged from a FakeQuantize.

    Only operations that move elements may lie between.
    """
    while isinstance(value.owner, MOVES):
        value = value.owner.operands[0]
    return isinstance(value.owner, FakeQuantizeOp)


def round_half_to_even(forms: QuantisedForms, op: RoundOp, build: GraphBuilder) -> QuantisedForm | None:
    """Not yet computed: what follows says to which integers."""
    x = forms.with_offset(op.operands[0])
    return Pending(x) if x is not None and to_str(op.mode) == "half_to_even" else None


def fake_quantize(forms: QuantisedForms, op: FakeQuantizeOp, build: GraphBuilder) -> QuantisedForm | None:
    """Emit the levels of a FakeQuantize as 8-bit integers.

    The result represents the levels times the step of the output range. The step and the level of 0 may differ between
    channels.
    """
    limits = [known_array(operand) for operand in op.operands[1:]]
    known = [limit for limit in limits if limit is not None and 0 < limit.size <= MOST_NUMBERS]
    levels = to_int(op.levels)
    if len(known) < len(limits) or levels > 256 or not all(np.isfinite(limit).all() for limit in known):
        return None
    if not keeps_shape(op, op.data) or (
        max(limit.size for limit in known) > 1 and to_str(op.auto_broadcast) != "numpy"
    ):
        return None
    input_low, input_high, output_low, output_high = map(fractions, known)
    if (input_low >= input_high).any() or (output_low >= output_high).any():
        return None
    new_scale = forms.rounding.scale_of_steps(np.asarray((output_high - output_low) / (levels - 1), object))
    new_zero = _levels_of_zero(output_low, new_scale)
    if new_zero is None:
        return None
    x = forms.with_offset(op.data)
    if x is None and (function := forms.functions.get(op.data)) is not None:
        if max(limit.size for limit in known[:2]) > 1:
            return None
        # In the order of operations of FakeQuantize, in the type of the tensor.
        low, high = (limit.reshape(()) for limit in known[:2])
        place = (function.values - low) / (high - low)
        levels_of = np.rint(place * np.asarray(levels - 1, place.dtype)).clip(0, levels - 1).astype(np.uint8)
        value = emit_lookup(build, function, levels_of)
        return Scaled(value, new_scale, new_zero, integers(0), integers(levels - 1))
    if x is None:
        return Scaled(_levels_of(op, build, levels), new_scale, new_zero, integers(0), integers(levels - 1))
    step = forms.rounding.scale_of_steps(np.asarray((input_high - input_low) / (levels - 1), object))
    offset = _levels_of_zero(input_low, step)
    if offset is None:
        return None
    ratio = ratio_of(x, np.asarray(x.scale / step, object))
    low, high = x.span
    is_same = (ratio == 1).all() and x.is_exact and not isinstance(x.terms, Biased)
    if is_same and (low + offset >= 0).all() and (high + offset < levels).all():
        return Scaled(x.value, new_scale, x.zero + new_zero - offset, x.low, x.high)
    if not forms.rounding.takes(x, ratio, -offset, levels - 1 - offset):
        return None
    value, told = requantised(build, x, ratio, OutputLimits(offset, 0, levels - 1), ui8, forms.rounding)
    if told is not None:
        forms.requantised[op] = told
    return Scaled(value, new_scale, new_zero, integers(0), integers(levels - 1))


def _levels_of_zero(low: Numbers, step: Numbers) -> Numbers | None:
    """Return the level that represents 0, counted from `low`, or None.

    The level must be practically an integer. It is one number for all channels, or one for each channel if they differ.
    """
    exact = np.asarray(-low / step, object)
    levels = rounded(exact)
    if max(abs(number) for number in (exact - levels).reshape(-1)) > LEVEL_OF_ZERO:
        return None
    first = levels.reshape(-1)[:1]
    return integers(first) if (levels == first).all() else levels


def _levels_of(op: FakeQuantizeOp, build: GraphBuilder, levels: int) -> SSAValue:
    """The level of each float, in the order of operations of FakeQuantize."""
    x, low, high = op.operands[:3]
    place = build.make(DivideOp, build.make(SubtractOp, x, low), build.make(SubtractOp, high, low))
    level = build.make(RoundOp, build.make(MultiplyOp, place, build.like(levels - 1, x)))
    level = build.make(ClampOp, level, attributes={"min": 0.0, "max": float(levels - 1)})
    return build.make(ConvertOp, level, attributes={"destination_type": ui8})


def carry_integers(module: ModuleOp) -> None:
    """Carry integers instead of quantised floats across loop and branch boundaries.

    Inner regions come first, since their results may be results of the outer ones.
    """
    for op in reversed(list(walk(module))):
        if isinstance(op, IfOp):
            _branches(op)
        elif isinstance(op, LoopOp):
            _sliced(op)
            _carried(op)
            _concatenated(op)


def _branches(op: IfOp) -> None:
    ends = [region.block.last_op for region in (op.then_region, op.else_region)]
    for index, result in enumerate(op.results):
        values = [end.operands[index] for end in ends if end is not None]
        # (What a branch that only fails gives is nothing.)
        found = {_steps(value) for value in values if not isinstance(value.owner, FailOp)}
        steps = found.pop() if len(found) == 1 and _is_floats(result) else None
        if steps is None:
            continue
        for end in ends:
            assert end is not None
            _quantise(end, index, steps)
        _make_integers_behind(op, result, steps)


def _sliced(op: LoopOp) -> None:
    first = len(op.operands) - len(op.sliced)
    for index, (value, part) in enumerate(zip(op.sliced, op.part_arguments, strict=True)):
        steps = _steps(value) if _is_floats(part) else None
        if steps is not None:
            _quantise(op, first + index, steps)
            _make_integers_inside(op, part, steps)


def _carried(op: LoopOp) -> None:
    first, again = len(op.operands) - len(op.sliced) - len(op.carried), op.next.cond is not None
    for index, (argument, final) in enumerate(zip(op.carried_arguments, op.final, strict=True)):
        # (What an argument was is what it stands for, once an earlier one is of integers.)
        start, following = op.carried[index], op.next.carried[index]
        steps = _steps(following) if _is_floats(argument) else None
        if steps is None or not (_steps(start) == steps or _stands_for(start, steps)):
            continue
        _quantise(op, first + index, steps)
        _quantise(op.next, again + index, steps)
        _make_integers_inside(op, argument, steps)
        _make_integers_behind(op, final, steps)


def _concatenated(op: LoopOp) -> None:
    first = len(op.next.operands) - len(op.concat)
    for index, result in enumerate(op.concat):
        steps = _steps(op.next.operands[first + index]) if _is_floats(result) else None
        if steps is not None:
            _quantise(op.next, first + index, steps)
            _make_integers_behind(op, result, steps)


def _steps(value: SSAValue) -> QuantisationParameters | None:
    """Return the quantisation steps of floats that come from a quantisation."""
    return parameters_of_value(value) if _is_floats(value) else None


def _is_floats(value: SSAValue) -> bool:
    return not isinstance(value.type, SeqType) and fact_of(value).element in FLOATS


def _stands_for(value: SSAValue, steps: QuantisationParameters) -> bool:
    """Return True if integers represent a constant exactly."""
    known = known_array(value)
    if known is None:
        return False
    said, dtype = steps.said, dtype_of(steps.element)
    return bool(np.array_equal(said.reals(said.integers(known, dtype)), known))


def _quantise(op: Operation, index: int, steps: QuantisationParameters) -> None:
    """An operand as integers."""
    build = GraphBuilder(InsertPoint.before(op), op.location)
    op.operands[index] = quantised(build, op.operands[index], steps)


def _make_integers_inside(op: LoopOp, argument: SSAValue, steps: QuantisationParameters) -> None:
    body = op.body.block
    assert body.first_op is not None
    build = GraphBuilder(InsertPoint.before(body.first_op), op.location)
    make_integers(build, argument, steps, list(argument.uses))


def _make_integers_behind(op: Operation, result: SSAValue, steps: QuantisationParameters) -> None:
    build = GraphBuilder(InsertPoint.after(op), op.location)
    make_integers(build, result, steps, list(result.uses))
