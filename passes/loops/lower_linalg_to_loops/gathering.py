"""Reductions whose iterations may run in any order: each output gathers what they give by one operation.

    acc + a·b        max(acc, a)        acc · a

But for rounding the result is the same, whatever the order, and whether there is one accumulator or several.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Operation

_GATHERING = (
    arith.AddfOp,
    arith.MulfOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.AddiOp,
    arith.MuliOp,
    arith.MaxSIOp,
    arith.MaxUIOp,
    arith.MinSIOp,
    arith.MinUIOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
)
"""What is associative and commutative, but for rounding."""


def gathering(generic: GenericOp) -> list[Operation] | None:
    """The operation by which each output gathers; None where one of them is made otherwise, or of the iteration's number."""
    if any(isinstance(op, IndexOp) or op.regions for op in generic.body.block.ops):
        return None
    end = generic.body.block.last_op
    assert isinstance(end, YieldOp)
    found: list[Operation] = []
    for argument, yielded in zip(generic.body.block.args[len(generic.inputs) :], end.operands, strict=True):
        op = yielded.owner
        if not isinstance(op, _GATHERING) or argument not in op.operands:
            return None
        if not argument.has_one_use() or not yielded.has_one_use():
            return None
        found.append(op)
    return found
