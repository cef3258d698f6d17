"""Lowerings of reductions, CumSum, CumProd and pooling.

CumSum and CumProd: each line has one loop along the axis, with the total as a scalar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, math
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from loomir.dialects.element_types import f64, i1, i64, is_float, is_unsigned, ui64
from loomir.dialects.ov.attributes import to_bool, to_float, to_int
from loomir.dialects.ov.operators.pooling import AvgPoolOp, LpPoolOp, MaxPoolOp, PoolingOp
from loomir.dialects.ov.operators.reduction import (
    CumProdOp,
    CumSumOp,
    CumulativeOp,
    ReduceL1Op,
    ReduceL2Op,
    ReduceLogicalAndOp,
    ReduceLogicalOrOp,
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceProdOp,
    ReduceSumOp,
    ReductionOp,
)
from loomir.dialects.ov.operators.windows import Window
from loomir.dialects.ov.shape_rules import normalise_axes, normalise_axis
from loomir.errors import Error
from loomir.passes.structured.lib.builder import Extent
from loomir.passes.structured.lib.elements import (
    Carried,
    constant_axes,
    fresh_flat,
    insert_flat,
    linear,
    nest,
    read,
    shaped_of,
)
from loomir.passes.structured.lib.generics import (
    dims_map,
    padded,
    padding,
    reduced,
    window_count,
    window_exprs,
    window_shape,
)
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.scalars import ScalarMath, neutral_maximum, neutral_minimum, wide
from loomir.passes.structured.lib.tensor_builder import Shaped


@dataclass(frozen=True)
class Combiner:
    """Combination of the elements of a reduction.

    A rule consists of the accumulator's type and initial value, one step, and the transformation of the final value.
    """

    accumulator: Attribute
    initial: float | int
    step: Callable[[SSAValue, SSAValue], SSAValue]
    finish: Callable[[SSAValue], SSAValue] | None = None


@lowers(
    ReduceSumOp,
    ReduceProdOp,
    ReduceMeanOp,
    ReduceMaxOp,
    ReduceMinOp,
    ReduceL1Op,
    ReduceL2Op,
    ReduceLogicalAndOp,
    ReduceLogicalOrOp,
)
def reduction(op: ReductionOp, low: Lowering) -> Shaped:
    """A generic over all dimensions. Error: `unknown-axes`."""
    x, axes = low.operand(op.data), low.operand(op.axes)
    if axes.array is None:
        raise Error(
            "unknown-axes",
            "the axes of a reduction are not constants",
            hint="fix the inputs that they depend on with values=",
        )
    gone = normalise_axes(axes.array.reshape(-1), x.rank)
    if not gone:
        return x
    rule = _rule(op, low, x.element, low.product([x.dims[k] for k in gone]))
    iterators = ["reduction" if k in gone else "parallel" for k in range(x.rank)]
    places: list[int | None] = [None if k in gone else k for k in range(x.rank)]
    if not to_bool(op.keep_dims):
        places = [k for k in places if k is not None]
    dims: list[Extent] = [1 if k is None else x.dims[k] for k in places]
    return reduced(
        low,
        op.output,
        [x],
        [dims_map(x.rank, range(x.rank))],
        iterators,
        dims,
        places,
        initial=rule.initial,
        accumulator=rule.accumulator,
        body=rule.step,
        finish=rule.finish,
    )


def _rule(op: ReductionOp, low: Lowering, element: Attribute, count: Extent) -> Combiner:
    s = ScalarMath(low)
    acc = wide(element)
    exact = acc if is_float(element) else ui64 if is_unsigned(element) else i64

    def widened(v: SSAValue, to: Attribute) -> SSAValue:
        return s.convert(v, element, to)

    match op:
        case ReduceSumOp():
            return Combiner(acc, 0, lambda v, t: s.add(t, widened(v, acc), acc))
        case ReduceProdOp():
            return Combiner(acc, 1, lambda v, t: s.mul(t, widened(v, acc), acc))
        case ReduceL1Op():
            return Combiner(acc, 0, lambda v, t: s.add(t, _magnitude(low, widened(v, acc), acc), acc))
        case ReduceMeanOp():
            number = s.convert(low.from_index(count, i64), i64, exact)

            def mean(v: SSAValue) -> SSAValue:
                return s.convert(s.divide(v, number, exact, floored=False), exact, element)

            return Combiner(exact, 0, lambda v, t: s.add(t, widened(v, exact), exact), mean)
        case ReduceL2Op():

            def square(v: SSAValue, total: SSAValue) -> SSAValue:
                v = widened(v, exact)
                return s.add(total, s.mul(v, v, exact), exact)

            def root(v: SSAValue) -> SSAValue:
                real = exact if is_float(exact) else f64
                return s.convert(low.insert(math.SqrtOp(s.convert(v, exact, real))).result, real, element)

            return Combiner(exact, 0, square, root)
        case ReduceMaxOp():
            return Combiner(element, neutral_maximum(element), lambda v, t: s.maximum(t, v, element))
        case ReduceMinOp():
            return Combiner(element, neutral_minimum(element), lambda v, t: s.minimum(t, v, element))
        case ReduceLogicalAndOp():
            return Combiner(element, 1, lambda v, t: low.insert(arith.AndIOp(t, v)).result)
        case _:
            assert isinstance(op, ReduceLogicalOrOp), op.name
            return Combiner(element, 0, lambda v, t: low.insert(arith.OrIOp(t, v)).result)


def _magnitude(low: Lowering, v: SSAValue, element: Attribute) -> SSAValue:
    if is_unsigned(element):
        return v
    return low.insert(math.AbsFOp(v) if is_float(element) else math.AbsIOp(v)).results[0]


@lowers(CumSumOp, CumProdOp)
def cumulative(op: CumulativeOp, low: Lowering) -> Shaped:
    """Emit loops over data in the form `[before, axis, after]`.

    The outer loops run over before and after, the inner loop along the axis.
    """
    x, axes = low.operands(op)
    (axis,) = constant_axes(axes, x.rank, "axis")
    if 0 in x.dims:
        return x
    before, extent, after = x.dims[:axis], x.dims[axis], x.dims[axis + 1 :]
    groups: list[Extent] = [low.product(before), extent, low.product(after)]
    bounds = [prod(x.bounds[:axis]), x.bounds[axis], prod(x.bounds[axis + 1 :])]
    data = low.reshape(x, groups, bounds)
    _ = data.splat or data.value
    flat, result_bounds = fresh_flat(low, op.output, x.dims)
    total_type, scalars = wide(x.element), ScalarMath(low)
    sums = isinstance(op, CumSumOp)
    begin = low.constant(0 if sums else 1, total_type)
    exclusive, reverse = to_bool(op.exclusive), to_bool(op.reverse)

    def line(at: list[Extent], carried: Carried) -> Carried:
        def step(i: SSAValue, values: Carried) -> Carried:
            now, total = values
            along = low.sub(low.sub(extent, 1), i) if reverse else i
            to: list[Extent] = [at[0], along, at[1]]
            value = scalars.convert(read(low, data, to), x.element, total_type)
            after_it = (scalars.add if sums else scalars.mul)(total, value, total_type)
            shown = scalars.convert(total if exclusive else after_it, total_type, x.element)
            return [insert_flat(low, shown, now, linear(low, groups, to)), after_it]

        return low.for_(0, extent, [*carried, begin], step)[:1]

    (flat,) = nest(low, [groups[0], groups[2]], [flat], line)
    return shaped_of(low, flat, x.element, x.dims, result_bounds)


class _Loops:
    """The loops of a pooling: n, c, windows …, kernel …."""

    def __init__(self, op: PoolingOp, low: Lowering) -> None:
        self.x = low.operand(op.data)
        self.windows = op.windows()
        self.rank = len(self.windows)
        self.counts = [window_count(low, w, d) for w, d in zip(self.windows, self.x.dims[2:])]
        self.dims: list[Extent] = [*self.x.dims[:2], *self.counts]
        self.count = 2 + 2 * self.rank
        self.outer = range(2, 2 + self.rank)
        self.inner = range(2 + self.rank, self.count)
        self.iterators = ["parallel"] * (2 + self.rank) + ["reduction"] * self.rank
        self.kernel_map = dims_map(self.count, self.inner)
        self.out_map = dims_map(self.count, range(2 + self.rank))
        exprs = window_exprs(self.windows, self.outer, self.inner)
        self.data_map = AffineMap(self.count, 0, (AffineExpr.dimension(0), AffineExpr.dimension(1), *exprs))


@lowers(AvgPoolOp)
def avg_pool(op: AvgPoolOp, low: Lowering) -> Shaped:
    """Sum over the windows of the padded data, then divide.

    Each sum is divided by the number of elements that count in its window.
    """
    loops = _Loops(op, low)
    x, s = loops.x, ScalarMath(low)
    element = x.element
    acc = wide(element) if is_float(element) else ui64 if is_unsigned(element) else i64
    data, begins = padded(low, x, loops.windows, loops.counts, 2, 0)
    ends = [padding(low, w, d, c)[1] for w, d, c in zip(loops.windows, x.dims[2:], loops.counts)]
    exclude = to_bool(op.exclude_pad)

    def divided(total: SSAValue) -> SSAValue:
        number = _counted(low, loops, begins, ends, exclude)
        divisor = s.convert(low.from_index(number, i64), i64, acc)
        return s.convert(s.divide(total, divisor, acc, floored=False), acc, element)

    return reduced(
        low,
        op.output,
        [data, window_shape(low, loops.windows)],
        [loops.data_map, loops.kernel_map],
        loops.iterators,
        loops.dims,
        range(2 + loops.rank),
        initial=0,
        accumulator=acc,
        body=lambda v, _, total: s.add(total, s.convert(v, element, acc), acc),
        finish=divided,
    )


def _counted(
    low: Lowering, loops: _Loops, begins: Sequence[Extent], ends: Sequence[Extent], exclude: bool
) -> Extent:
    """Return the number of window elements that count, at least 1.

    The window is the one at the current indices.
    """
    total: Extent = 1
    for axis, (window, extent, begin, end) in enumerate(zip(loops.windows, loops.x.dims[2:], begins, ends)):
        if _always_full(window, extent, begin, end, loops.counts[axis], exclude):
            total = low.mul(total, window.kernel)
            continue
        index = low.insert(IndexOp(2 + axis)).result
        # Where the window begins, from the first element that counts; how far it is to the last of those.
        offset: Extent = low.mul(index, window.stride)
        length = extent if exclude else low.add(low.add(extent, begin), end)
        if exclude:
            offset = low.sub(offset, begin)
        before = low.max(low.ceildiv(low.sub(0, offset), window.dilation), 0) if exclude else 0
        behind = low.min(low.ceildiv(low.sub(length, offset), window.dilation), window.kernel)
        total = low.mul(total, low.max(low.sub(behind, before), 0))
    return low.max(total, 1)


def _always_full(
    window: Window, extent: Extent, begin: Extent, end: Extent, count: Extent, exclude: bool
) -> bool:
    """Return True if every element of every window counts."""
    if not exclude and window.rounding == "ceil":
        return True
    if not isinstance(extent, int):
        # Windows of floor rounding never leave the padded axis.
        hangs = window.rounding != "floor" and window.auto_pad == "explicit"
        return not hangs and (not exclude or (begin == 0 and end == 0 and not window.is_same))
    assert isinstance(begin, int)
    assert isinstance(end, int)
    assert isinstance(count, int)
    reach = (count - 1) * window.stride + window.span
    if exclude:
        return begin == 0 and reach <= extent
    return reach <= extent + begin + end


@lowers(LpPoolOp)
def lp_pool(op: LpPoolOp, low: Lowering) -> Shaped:
    """Sum powers over the windows of zero-padded data, then take the roots."""
    loops = _Loops(op, low)
    element, s = loops.x.element, ScalarMath(low)
    acc, p = wide(element), to_float(op.p)
    data, _ = padded(low, loops.x, loops.windows, loops.counts, 2, 0)

    def step(v: SSAValue, _: SSAValue, total: SSAValue) -> SSAValue:
        v = s.convert(v, element, acc)
        if p == 2:
            return s.add(total, s.mul(v, v, acc), acc)
        v = low.insert(math.AbsFOp(v)).result
        return s.add(total, v if p == 1 else s.power(v, low.constant(p, acc), acc), acc)

    def root(total: SSAValue) -> SSAValue:
        if p == 2:
            total = low.insert(math.SqrtOp(total)).result
        elif p != 1:
            total = s.power(total, low.constant(1 / p, acc), acc)
        return s.convert(total, acc, element)

    return reduced(
        low,
        op.output,
        [data, window_shape(low, loops.windows)],
        [loops.data_map, loops.kernel_map],
        loops.iterators,
        loops.dims,
        range(2 + loops.rank),
        initial=0,
        accumulator=acc,
        body=step,
        finish=None if p == 1 else root,
    )


@lowers(MaxPoolOp)
def max_pool(op: MaxPoolOp, low: Lowering) -> list[Shaped]:
    """Compute the maxima over the windows of the padded data.

    The data is padded with the least value. Positions are only computed if they are used.
    """
    if op.indices.first_use is not None:
        return _max_with_positions(op, low)
    loops = _Loops(op, low)
    element, s = loops.x.element, ScalarMath(low)
    least = neutral_maximum(element)
    data, _ = padded(low, loops.x, loops.windows, loops.counts, 2, least)
    values = reduced(
        low,
        op.output,
        [data, window_shape(low, loops.windows)],
        [loops.data_map, loops.kernel_map],
        loops.iterators,
        loops.dims,
        range(2 + loops.rank),
        initial=least,
        accumulator=element,
        body=lambda v, _, best: s.maximum(best, v, element),
    )
    return [values, low.destination(op.indices, loops.dims)]


def _max_with_positions(op: MaxPoolOp, low: Lowering) -> list[Shaped]:
    """Emit one generic with two results: the maxima and their positions.

    An element is taken if it is greater than the current maximum, or if it is the first of its window.
    """
    loops = _Loops(op, low)
    x, s = loops.x, ScalarMath(low)
    element, index_element = x.element, op.index_element_type
    least = neutral_maximum(element)
    data, begins = padded(low, x, loops.windows, loops.counts, 2, least)
    axis = normalise_axis(to_int(op.axis), x.rank)
    best = low.fill(low.constant(least, element), low.destination(op.output, loops.dims))
    none = low.constant(-1, index_element)
    places = low.fill(none, low.destination(op.indices, loops.dims))

    def body(v: SSAValue, _: SSAValue, most: SSAValue, place: SSAValue) -> list[SSAValue]:
        position, inside = _position(low, loops, begins, axis)
        first = s.compare("lt", place, low.constant(0, index_element), index_element)
        better = s.compare("gt", v, most, element)
        if is_float(element):
            # The first NaN stays.
            is_nan, was_nan = s.compare("ne", v, v, element), s.compare("ne", most, most, element)
            was_number = low.insert(arith.XOrIOp(was_nan, low.constant(1, i1))).result
            better = low.insert(
                arith.OrIOp(better, low.insert(arith.AndIOp(is_nan, was_number)).result)
            ).result
        taken = low.insert(arith.OrIOp(first, better)).result
        for condition in inside:
            taken = low.insert(arith.AndIOp(taken, condition)).result
        here = low.from_index(position, index_element)
        return [s.select(taken, v, most), s.select(taken, here, place)]

    values, places = low.generic(
        [data, window_shape(low, loops.windows)],
        [best, places],
        [loops.data_map, loops.kernel_map, loops.out_map, loops.out_map],
        loops.iterators,
        body,
    )
    return [values, _found(low, op, places, index_element)]


def _found(low: Lowering, op: MaxPoolOp, places: Shaped, element: Attribute) -> Shaped:
    """Position 0 for windows without elements."""
    from loomir.passes.structured.lib.generics import elementwise

    s = ScalarMath(low)
    return elementwise(low, op.indices, [places], lambda v: s.maximum(v, low.constant(0, element), element))


def _position(
    low: Lowering, loops: _Loops, begins: Sequence[Extent], axis: int
) -> tuple[SSAValue, list[SSAValue]]:
    """Return the current element's flat position and its in-bounds conditions.

    The position counts from dimension `axis` on. The conditions hold if the element lies in the input.
    """
    x = loops.x
    position: Extent = 0
    inside: list[SSAValue] = []
    for k in range(x.rank):
        index: Extent = low.insert(IndexOp(k)).result
        if k >= 2:
            window = loops.windows[k - 2]
            inner = low.insert(IndexOp(loops.inner[k - 2])).result
            index = low.add(low.mul(index, window.stride), low.mul(inner, window.dilation))
            index = low.sub(index, begins[k - 2])
            for condition in (low.compare("sge", index, 0), low.compare("slt", index, x.dims[k])):
                assert isinstance(condition, SSAValue)
                inside.append(condition)
        if k >= axis:
            position = low.add(low.mul(position, x.dims[k]), index)
    return low.index(position), inside
