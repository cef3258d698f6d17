"""Lowering of NonZero.

The elements are counted, then their coordinates are written. The rows of the result are as long as there are elements,
so the count must be known first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.ov.operators.nonzero import NonZeroOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.places import read
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath
from loomir.passes.structured.lowering.shaped import Shaped
from loomir.passes.structured.lowering.sorts import Cells, buffer_for, packed


@lowers(NonZeroOp)
def non_zero(op: NonZeroOp, low: Lowering) -> Shaped:
    """Two walks through the operand."""
    x = low.operand(op.data)
    if not x.dims:
        x = low.reshape(x, [1])
    s = ScalarMath(low)
    zero = low.constant(0, x.element)
    total = low.product(x.dims)
    elements = low.reshape(x, [total], [math.prod(x.bounds)])
    _ = elements.value, x.value  # constants are made here, not inside of the loops

    def one_more(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        counts = s.compare("ne", read(low, elements, [i]), zero, x.element)
        return [low.index(low.add(carried[0], low.select(counts, 1, 0)))]

    (number,) = low.for_(0, total, [low.index(0)], one_more)
    flat, element, bounds = buffer_for(low, op.output)
    rows = [Cells(low, element, low.mul(d, number)) for d in range(x.rank)]

    def walk(at: list[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        if len(at) < x.rank:
            return low.for_(0, x.dims[len(at)], carried, lambda i, c: walk([*at, i], c))
        found, buffer = carried

        def write() -> Sequence[SSAValue]:
            written = buffer
            for row, coordinate in zip(rows, at):
                written = row.store(written, found, coordinate)
            return [low.index(low.add(found, 1)), written]

        counts = s.compare("ne", read(low, x, at), zero, x.element)
        return low.if_(counts, [v.type for v in carried], write, lambda: carried)

    _, flat = walk([], [low.index(0), flat])
    return packed(low, flat, element, [x.rank, number], bounds)
