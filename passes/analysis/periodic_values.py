"""Values of a loop's body that repeat after a few iterations.

They are remainders of integers that are affine in the iteration number, and carried values that come back to their first value:

```mlir
^bb0(%i: tensor<i64>, %even: tensor<i1>, …):         // %even begins as true
  %m = ov.floor_mod %i, %three                       // 0, 1, 2, 0, 1, 2, …
  %odd = ov.logical_not %even                        // false, true, false, true, …
  ov.next carried(%odd, …)
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd

import numpy as np
from xdsl.ir import Block, SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.base import evaluate, has_evaluator
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import BitwiseAndOp, FloorModOp, ModOp
from loomir.errors import Error
from loomir.passes.analysis.affine_conditions import IterationForms
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.trip_counts import BodySlice

MAX_VALUES = 32
"""Values from which a condition is computed that are looked at."""

Period = tuple[np.ndarray, ...]
"""Values in iterations 0, 1, … until the first one repeats."""

_REMAINDERS = (FloorModOp, ModOp, BitwiseAndOp)


def candidates(condition: SSAValue) -> Iterator[SSAValue]:
    """Yield the values of a condition that may repeat.

    They are remainders and carried values of loops. This needs no inference.
    """
    waiting, seen = [condition], {condition}
    while waiting:
        value = waiting.pop()
        owner = value.owner
        if isinstance(owner, Block):
            around = owner.parent_op()
            if isinstance(around, LoopOp) and value in around.carried_arguments:
                yield value
            continue
        if isinstance(owner, _REMAINDERS):
            yield value
        if not owner.regions and len(seen) < MAX_VALUES:
            new = [operand for operand in owner.operands if operand not in seen]
            waiting += new
            seen.update(new)


def period_of(value: SSAValue, forms: IterationForms, inference: Inference, most: int) -> Period | None:
    """Return what a value is until it repeats, or None.

    That takes at least 2 iterations of the loop of `forms`, and at most `most`.
    """
    if value in forms.loop.carried_arguments:
        return _period_of_carried(value, forms.loop, inference, most)
    op = value.owner
    if not isinstance(op, _REMAINDERS):
        return None
    form, divisor, shape = forms.of(op.a), inference.fact(op.b).value, forms.extents(op.a)
    if form is None or divisor is None or divisor.size != 1 or shape is None or not forms.is_exact(op.a):
        return None
    slope, rest = form.split(forms.loop.iteration)
    factor, first, by = slope.number, rest.number, int(divisor.reshape(()))
    bounds = form.interval(forms.interval)
    if factor is None or first is None or bounds is None:
        return None
    if isinstance(op, BitwiseAndOp):
        by += 1
        if by & (by - 1):
            return None  # no remainder by a power of two
    elif isinstance(op, ModOp) and bounds[0] < 0:
        return None  # it has the sign of the dividend
    length = abs(by) // gcd(factor, by) if by else 0
    if not 2 <= length <= most:
        return None
    dtype = dtype_of(inference.fact(op.a).element)
    numbers = (np.full(shape, factor * j + first, dtype) for j in range(length))
    return tuple(evaluate(op, [number, divisor])[0] for number in numbers)


def _period_of_carried(value: SSAValue, loop: LoopOp, inference: Inference, most: int) -> Period | None:
    """Return the period of a carried value that nothing but itself decides."""
    part = BodySlice(loop, inference)
    if not part.add(value) or any(loop.iteration in op.operands for op in part.operations):
        return None
    state, found = dict(part.initial), list[np.ndarray]()
    for _ in range(most):
        found.append(state[value])
        values = part.values(state, 0)
        if values is None or any(array.dtype.kind not in "biu" for array in values.values()):
            return None  # (Of floats 0 is -0, and no NaN is another one.)
        state = part.following(values)
        if all(np.array_equal(state[argument], first) for argument, first in part.initial.items()):
            return tuple(found) if len(found) > 1 else None
    return None


def value_of(
    value: SSAValue, known: Mapping[SSAValue, np.ndarray], depth: int = MAX_VALUES
) -> np.ndarray | None:
    """Return a value that follows from those that are known, or None."""
    if value in known:
        return known[value]
    op = value.owner
    if isinstance(op, ConstantOp):
        return op.array
    if isinstance(op, Block) or not depth or not has_evaluator(type(op)) or not op.operands:
        return None
    arrays: Sequence[np.ndarray | None] = [value_of(operand, known, depth - 1) for operand in op.operands]
    if any(array is None or array.size != 1 for array in arrays):
        return None
    try:
        results = evaluate(op, [array for array in arrays if array is not None])
        return results[0] if value is op.results[0] else None
    except Error:
        return None
