"""Lowering of Col2Im.

Loops run over the elements of the columns that lie inside the image and add each element to its pixel.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from loomir.dialects.ov.operators.columns import Col2ImOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.nests import Carried, flat_of, get, linear, nest, put, shaped_of
from loomir.passes.structured.lowering.places import read, require_equal
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath, wide
from loomir.passes.structured.lowering.shaped import Shaped


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
            return [put(low, scalars.add(get(low, values[0], to), value, total), values[0], to)]

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
