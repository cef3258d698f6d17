"""Lowerings of scattering and Col2Im.

Scattering: loops over the updates write into a flat tensor whose initial contents are the data. The loops carry the data itself:
bufferization writes in place if the data is not read afterwards, and otherwise copies it.

Col2Im: loops run over the elements of the columns that lie inside the image and add each element to its pixel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod

from xdsl.dialects import arith
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import dtype_of, i1, i64, is_float, is_unsigned, ui64
from loomir.dialects.ov.operators.scattering import (
    ScatterElementsUpdateOp,
    ScatterNDUpdateOp,
    ScatterUpdateOp,
    neutral,
)
from loomir.dialects.ov.operators.windows import Col2ImOp
from loomir.errors import Error
from loomir.passes.structured.lib.builder import Extent
from loomir.passes.structured.lib.elements import (
    Carried,
    assert_all_inside,
    checked,
    constant_axes,
    counted,
    extract_flat,
    flat_of,
    insert_flat,
    linear,
    nest,
    read,
    require_equal,
    shaped_of,
    surely_inside,
)
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.scalars import ScalarMath, wide
from loomir.passes.structured.lib.tensor_builder import Shaped

_OUTSIDE = "a scatter writes outside of its axis"

Visit = Callable[[Extent, Sequence[Extent], Carried], Carried]
"""Emitter of the code for one update.

The arguments are the position in the flat tensor, the coordinates of the update, and the loop-carried values.
"""

Walk = Callable[[Carried, Visit], Carried]
"""Emits the loops over all updates."""


@lowers(ScatterElementsUpdateOp)
def scatter_elements_update(op: ScatterElementsUpdateOp, low: Lowering) -> Shaped:
    """Emit a loop nest over the indices.

    Each index writes to its own coordinates, except along the axis.
    """
    data, indices, updates, axes = low.operands(op)
    (axis,) = constant_axes(axes, data.rank, "axis")
    dims: list[Extent] = []
    for i in range(data.rank):
        dims.append(indices.dims[i] if isinstance(indices.dims[i], int) else updates.dims[i])
        if i != axis:
            low.assert_(low.compare("sle", dims[i], data.dims[i]), "shape: more updates than data")
    if 0 in dims:
        return data
    if 0 in data.dims:
        assert_all_inside(low, indices, [data.dims[axis]], _OUTSIDE)
        return data
    _prepare(indices, updates)
    sure = surely_inside(indices.array, data.dims[axis])

    def walk(carried: Carried, visit: Visit) -> Carried:
        def body(at: list[Extent], values: Carried) -> Carried:
            to = list(at)
            index = read(low, indices, at)
            place = counted if sure else partial(checked, what=_OUTSIDE)
            to[axis] = place(low, index, data.dims[axis], unsigned=indices.unsigned)
            return visit(linear(low, data.dims, to), at, values)

        return nest(low, dims, carried, body)

    return _Scatter(low, data, updates, op.joins, op.uses_data).run(walk)


@lowers(ScatterNDUpdateOp)
def scatter_nd_update(op: ScatterNDUpdateOp, low: Lowering) -> Shaped:
    """Emit a loop over index tuples, and inside it over slice elements."""
    data, indices, updates = low.operands(op)
    depth = indices.dims[-1]
    if not isinstance(depth, int):
        raise Error(
            "unknown-length", "the length of the tuples of indices is not known before the program runs"
        )
    outer, inner = indices.dims[:-1], data.dims[depth:]
    if outer or inner:
        for a, b in zip([*outer, *inner], updates.dims, strict=True):
            require_equal(low, a, b, "the updates do not have the shape of the slices")
    assert_all_inside(low, indices, data.dims[:depth], _OUTSIDE)
    if 0 in (*outer, *inner) or 0 in data.dims:
        return data
    total, size = low.product(outer), low.product(inner)
    bounds = [prod(indices.bounds[:-1]), prod(data.bounds[depth:])]
    tuples = low.reshape(indices, [total, depth], [bounds[0], depth])
    rows = low.reshape(updates, [total, size], bounds)
    _prepare(tuples, rows)

    def walk(carried: Carried, visit: Visit) -> Carried:
        def tuple_(i: list[Extent], values: Carried) -> Carried:
            to = [
                counted(low, read(low, tuples, [*i, c]), data.dims[c], unsigned=indices.unsigned)
                for c in range(depth)
            ]
            first = low.mul(linear(low, data.dims[:depth], to), size)
            return nest(low, [size], values, lambda j, v: visit(low.add(first, j[0]), [*i, *j], v))

        return nest(low, [total], carried, tuple_)

    return _Scatter(low, data, rows, op.joins).run(walk)


@lowers(ScatterUpdateOp)
def scatter_update(op: ScatterUpdateOp, low: Lowering) -> Shaped:
    """Emit loops over the indices and the dimensions around the axis.

    The loops run over the dimensions before the axis, the indices, and the dimensions behind the axis. A single index
    becomes the insertion of a slice.
    """
    data, indices, updates, axes = low.operands(op)
    (axis,) = constant_axes(axes, data.rank, "axis")
    before, after = data.dims[:axis], data.dims[axis + 1 :]
    expected = [*before, *indices.dims, *after]
    if expected:
        for a, b in zip(expected, updates.dims, strict=True):
            require_equal(low, a, b, "the updates do not have the shape of the slices")
    extent = data.dims[axis]
    assert_all_inside(low, indices, [extent], _OUTSIDE, negative=False)
    if 0 in expected or 0 in data.dims:
        return data
    count = low.product(indices.dims)
    if count == 1:
        # (The tensor keeps its dimensions, so that `memref-order-dimensions` may give it another order of them.)
        index = read(low, indices, [0] * indices.rank)
        offsets: list[Extent] = [0] * data.rank
        offsets[axis] = low.to_index(index, unsigned=indices.unsigned)
        dims, bounds = [*before, 1, *after], [*data.bounds[:axis], 1, *data.bounds[axis + 1 :]]
        return low.insert_into(low.reshape(updates, dims, bounds), data, offsets)
    extents = [low.product(before), count, low.product(after)]
    bounds = [prod(data.bounds[:axis]), prod(indices.bounds), prod(data.bounds[axis + 1 :])]
    rows = low.reshape(updates, extents, bounds)
    picks = low.reshape(indices, extents[1:2], bounds[1:2])
    _prepare(picks, rows)

    def walk(carried: Carried, visit: Visit) -> Carried:
        def slice_(at: list[Extent], values: Carried) -> Carried:
            place = low.to_index(read(low, picks, [at[1]]), unsigned=indices.unsigned)
            first = low.mul(low.add(low.mul(at[0], extent), place), extents[2])
            return nest(low, extents[2:], values, lambda j, v: visit(low.add(first, j[0]), [*at, *j], v))

        return nest(low, extents[:2], carried, slice_)

    return _Scatter(low, data, rows, "none").run(walk)


def _prepare(*operands: Shaped) -> None:
    """Make the arguments of constants before the loops."""
    for x in operands:
        _ = x.splat or x.value


class _Scatter:
    """Application of the updates, independent of the loops over them."""

    def __init__(
        self, low: Lowering, data: Shaped, updates: Shaped, reduction: str, uses_data: bool = True
    ) -> None:
        self.low, self.data, self.updates = low, data, updates
        self.reduction, self.uses_data = reduction, uses_data
        self.scalars = ScalarMath(low)

    def run(self, walk: Walk) -> Shaped:
        low, data = self.low, self.data
        if self.reduction == "mean":
            return self._mean(walk)
        flat = flat_of(low, data)
        if self.reduction != "none" and not self.uses_data:
            begin = low.constant(neutral(self.reduction, dtype_of(data.element)), data.element)
            (flat,) = walk([flat], lambda place, _, now: [insert_flat(low, begin, now[0], place)])

        def visit(place: Extent, at: Sequence[Extent], now: Carried) -> Carried:
            value = read(low, self.updates, at)
            if self.reduction != "none":
                value = self._joined(extract_flat(low, now[0], place), value)
            return [insert_flat(low, value, now[0], place)]

        (flat,) = walk([flat], visit)
        return shaped_of(low, flat, data.element, data.dims, data.bounds)

    def _joined(self, old: SSAValue, new: SSAValue) -> SSAValue:
        s, element = self.scalars, self.data.element
        if element == i1:
            logic = {"sum": arith.OrIOp, "max": arith.OrIOp, "sub": arith.XOrIOp}.get(
                self.reduction, arith.AndIOp
            )
            return self.low.insert(logic(old, new)).result
        operation = {"sum": s.add, "sub": s.sub, "prod": s.mul, "min": s.minimum, "max": s.maximum}
        return operation[self.reduction](old, new, element)

    def _mean(self, walk: Walk) -> Shaped:
        """Accumulate totals and counts side by side, then emit each quotient."""
        low, data, s = self.low, self.data, self.scalars
        element = data.element
        exact: Attribute = wide(element) if is_float(element) else ui64 if is_unsigned(element) else i64
        one, zero = low.constant(1, exact), low.constant(0, exact)
        sums, counts = (low.new(data.dims, exact, data.bounds) for _ in range(2))
        if self.uses_data:
            sums = self.low.each([data], sums, lambda v: s.convert(v, element, exact))
        else:
            sums = low.fill(zero, sums)
        counts = low.fill(one if self.uses_data else zero, counts)

        def visit(place: Extent, at: Sequence[Extent], now: Carried) -> Carried:
            value = s.convert(read(low, self.updates, at), element, exact)
            total = insert_flat(low, s.add(extract_flat(low, now[0], place), value, exact), now[0], place)
            return [
                total,
                insert_flat(low, s.add(extract_flat(low, now[1], place), one, exact), now[1], place),
            ]

        made = walk([flat_of(low, sums), flat_of(low, counts)], visit)
        total, count = (shaped_of(low, flat, exact, data.dims, data.bounds) for flat in made)

        def mean(t: SSAValue, n: SSAValue, old: SSAValue) -> SSAValue:
            quotient = s.convert(s.divide(t, n, exact, floored=True), exact, element)
            return quotient if self.uses_data else s.select(s.compare("gt", n, zero, exact), quotient, old)

        return self.low.each([total, count, data], low.new(data.dims, element, data.bounds), mean)


@lowers(Col2ImOp)
def col2im(op: Col2ImOp, low: Lowering) -> Shaped:
    """Emit loops only over the window positions whose pixel is not padding.

    No test is needed inside the loops.
    """
    x = low.operand(op.data)
    image, kernel = list(low.ints(low.operand(op.output_size))), list(low.ints(low.operand(op.kernel_size)))
    parameters = op.parameters(len(image))
    places = [
        _places(low, d, k, stride, dilation, begin + end)
        for d, k, (stride, dilation, begin, end) in zip(image, kernel, parameters)
    ]
    taps, windows = low.product(kernel), low.product(places)
    batch, rows = x.dims[:-2], x.dims[-2]
    require_equal(low, x.dims[-1], windows, "the columns do not fit the image")
    require_equal(low, low.rem(rows, taps), 0, "the rows do not fit the kernel")
    channels = low.floordiv(rows, taps)
    dims = [*batch, channels, *image]
    out = low.destination(op.output, dims)
    if 0 in out.dims:
        return out
    total = wide(x.element)
    sums = low.fill(low.constant(0, total), low.new(out.dims, total, out.bounds))
    if windows == 0 and isinstance(windows, int):
        return _converted(low, sums, out)
    outer = low.product([*batch, channels])
    data = low.reshape(x, [outer, taps, windows], [prod(x.bounds[:-1]), prod(x.bounds[:-1]), x.bounds[-1]])
    _ = data.splat or data.value
    scalars = ScalarMath(low)

    def window(at: list[Extent], carried: Carried) -> Carried:
        tap = linear(low, kernel, at[1:])

        def along(found: list[Extent], values: Carried) -> Carried:
            """Emit the loop of the next dimension, then add at the pixel.

            The dimensions' loops are emitted one after the other. Inside all of them, an element and its pixel are known.
            """
            k = len(found)
            if k < len(image):
                stride, dilation, begin, _ = parameters[k]
                shift = low.sub(low.mul(at[k + 1], dilation), begin)
                first = low.max(0, low.ceildiv(low.sub(0, shift), stride))
                last = low.min(places[k], low.ceildiv(low.sub(image[k], shift), stride))
                return low.for_(first, last, values, lambda i, inner: along([*found, i], inner))
            pixel = [
                low.add(low.sub(low.mul(a, dilation), begin), low.mul(i, stride))
                for a, i, (stride, dilation, begin, _) in zip(at[1:], found, parameters)
            ]
            value = read(low, data, [at[0], tap, linear(low, places, found)])
            value = scalars.convert(value, x.element, total)
            to = linear(low, [outer, *image], [at[0], *pixel])
            return [
                insert_flat(low, scalars.add(extract_flat(low, values[0], to), value, total), values[0], to)
            ]

        return along([], carried)

    (flat,) = nest(low, [outer, *kernel], [flat_of(low, sums)], window)
    return _converted(low, shaped_of(low, flat, total, out.dims, out.bounds), out)


def _places(low: Lowering, d: Extent, k: Extent, stride: int, dilation: int, pads: int) -> Extent:
    reach = low.add(low.mul(low.sub(k, 1), dilation), 1)
    return low.max(0, low.add(low.floordiv(low.sub(low.add(d, pads), reach), stride), 1))


def _converted(low: Lowering, sums: Shaped, out: Shaped) -> Shaped:
    """The sums in the result's type."""
    if sums.element == out.element:
        return sums
    scalars = ScalarMath(low)

    def body(v: SSAValue) -> SSAValue:
        return scalars.convert(v, sums.element, out.element)

    return low.each([sums], out, body)
