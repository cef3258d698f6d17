"""Lowerings of reductions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import f64, i64, is_float, is_unsigned, ui64
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.reduction import (
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
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.errors import Error
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath, neutral_maximum, neutral_minimum, wide
from loomir.passes.structured.lowering.shaped import Shaped
from loomir.passes.structured.lowering.sums import dims_map, reduced


@dataclass(frozen=True)
class Rule:
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


def _rule(op: ReductionOp, low: Lowering, element: Attribute, count: Extent) -> Rule:
    s = ScalarMath(low)
    acc = wide(element)
    exact = acc if is_float(element) else ui64 if is_unsigned(element) else i64

    def widened(v: SSAValue, to: Attribute) -> SSAValue:
        return s.convert(v, element, to)

    match op:
        case ReduceSumOp():
            return Rule(acc, 0, lambda v, t: s.add(t, widened(v, acc), acc))
        case ReduceProdOp():
            return Rule(acc, 1, lambda v, t: s.mul(t, widened(v, acc), acc))
        case ReduceL1Op():
            return Rule(acc, 0, lambda v, t: s.add(t, _magnitude(low, widened(v, acc), acc), acc))
        case ReduceMeanOp():
            number = s.convert(low.from_index(count, i64), i64, exact)

            def mean(v: SSAValue) -> SSAValue:
                return s.convert(s.divide(v, number, exact, floored=False), exact, element)

            return Rule(exact, 0, lambda v, t: s.add(t, widened(v, exact), exact), mean)
        case ReduceL2Op():

            def square(v: SSAValue, total: SSAValue) -> SSAValue:
                v = widened(v, exact)
                return s.add(total, s.mul(v, v, exact), exact)

            def root(v: SSAValue) -> SSAValue:
                real = exact if is_float(exact) else f64
                return s.convert(low.insert(math.SqrtOp(s.convert(v, exact, real))).result, real, element)

            return Rule(exact, 0, square, root)
        case ReduceMaxOp():
            return Rule(element, neutral_maximum(element), lambda v, t: s.maximum(t, v, element))
        case ReduceMinOp():
            return Rule(element, neutral_minimum(element), lambda v, t: s.minimum(t, v, element))
        case ReduceLogicalAndOp():
            return Rule(element, 1, lambda v, t: low.insert(arith.AndIOp(t, v)).result)
        case _:
            assert isinstance(op, ReduceLogicalOrOp), op.name
            return Rule(element, 0, lambda v, t: low.insert(arith.OrIOp(t, v)).result)


def _magnitude(low: Lowering, v: SSAValue, element: Attribute) -> SSAValue:
    if is_unsigned(element):
        return v
    return low.insert(math.AbsFOp(v) if is_float(element) else math.AbsIOp(v)).results[0]
