"""Lowering of CumSum and CumProd.

Each line has one loop along the axis, with the total as a scalar.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.cumulative import CumProdOp, CumSumOp, CumulativeOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.nests import Carried, fresh_flat, linear, nest, put, shaped_of
from loomir.passes.structured.lowering.places import constant_axes, read
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath, wide
from loomir.passes.structured.lowering.shaped import Shaped


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
            return [put(low, shown, now, linear(low, groups, to)), after_it]

        return low.for_(0, extent, [*carried, begin], step)[:1]

    (flat,) = nest(low, [groups[0], groups[2]], [flat], line)
    return shaped_of(low, flat, x.element, x.dims, result_bounds)
