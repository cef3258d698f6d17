"""Products of a loop's input, computed for all steps at once.

```mlir
%xw = ov.mat_mul %x, %w                      // of all steps
ov.loop sliced(%xw) … {
^bb0(%i: tensor<i64>, %h: tensor<1x16xf32>, %part: tensor<1x16xf32>):
  %hu = ov.mat_mul %h, %u
  %s = ov.add %part, %hu                     // x·W + h·U
```

A cell reads x, not its product: here %x is what the loop traverses, and each part is a product with %w (`ov-loop-whole-axis` makes such
loops).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.tools.model_optimizer.passes.graph.ov_loop_to_lstm_sequence.body import (
    HoistedProduct,
    LoopBody,
    TimeAxis,
    check_conditions,
    check_trips,
    sliced_axis,
)


def hoisted_axis(body: LoopBody) -> TimeAxis | None:
    """Return the axis of the factor of all sliced products.

    Each sliced input is a product of that factor with a matrix, of static extents. The products are recorded in the body. None if the
    loop slices anything else.
    """
    found: set[tuple[SSAValue, int, bool]] = set()
    check_conditions(body)
    for number, argument in enumerate(body.loop.part_arguments):
        axis = sliced_axis(body, number)
        product, part = _whole_product(body, axis), body.matrix(argument)
        shape = None if product is None else body.fact(product.factor).static
        if product is None or part is None or not shape:
            return None
        if (place := _same_axis(body, axis, shape)) is None:
            return None
        check_trips(body, axis)
        body.hoisted[argument] = product
        body.standing[product.factor] = (part[0], shape[-1])
        found.add((product.factor, place, axis.backwards))
    if len(found) != 1:
        return None
    ((x, place, backwards),) = found
    shape = body.fact(x).shape
    assert shape is not None
    return TimeAxis(x, place, shape[place], backwards, x)


def _whole_product(body: LoopBody, axis: TimeAxis) -> HoistedProduct | None:
    """Return the product that a whole input is, for all steps."""
    op = _same_rows(body, axis.x).owner
    if not isinstance(op, MatMulOp) or to_bool(op.transpose_a):
        return None
    matrix = body.fact(op.b).static
    if matrix is None or len(matrix) != 2 or body.fact(op.a).static is None:
        return None
    return HoistedProduct(_same_rows(body, op.a), op.b, not to_bool(op.transpose_b))


def _same_rows(body: LoopBody, value: SSAValue) -> SSAValue:
    """Return the source of a value behind operations that keep its rows.

    They add and remove dimensions of extent 1.
    """
    while isinstance(op := value.owner, SqueezeOp | UnsqueezeOp | ReshapeOp):
        one, other = body.fact(op.data).static, body.fact(value).static
        if not one or not other or _long(one) != _long(other) or one[-1] != other[-1]:
            break
        value = op.data
    return value


def _long(shape: Sequence[int]) -> list[int]:
    """The extents of rows that are not 1."""
    return [extent for extent in shape[:-1] if extent != 1]


def _same_axis(body: LoopBody, axis: TimeAxis, shape: Sequence[int]) -> int | None:
    """Return the time axis of a product's factor."""
    of_product = body.fact(axis.x).static
    if not of_product or axis.axis == len(of_product) - 1 or of_product[axis.axis] == 1:
        return None
    if _long(of_product) != _long(shape):
        return None
    before = len(_long([*of_product[: axis.axis], 0]))
    return [k for k, extent in enumerate(shape[:-1]) if extent != 1][before]


def erase_unused(values: Sequence[SSAValue]) -> None:
    """Erase what computed values that are no longer read."""
    waiting = list(values)
    while waiting:
        op = waiting.pop().owner
        if not isinstance(op, Operation) or op.parent is None or not is_side_effect_free(op):
            continue
        if all(result.first_use is None for result in op.results):
            waiting += op.operands
            op.detach()
            op.erase()
