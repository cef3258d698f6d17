"""Shape requirements of composite operations, checked at run time if unknown.

The checks are emitted where inference does not know whether a requirement holds, as for a GRU cell whose batch is
dynamic in two operands:

```mlir
%n = ov.gather %shape_of_x, …             %m = ov.gather %shape_of_state, …
%same = ov.equal %m, %n
%checked = ov.require %state, %same {kind = "shape", reason = "the initial state of ov.gru_cell has another N than x"}
```
The operations of the decomposition read `%checked`.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp, GreaterEqualOp, LogicalOrOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalAndOp
from loomir.passes.graph.decompositions.extents import Size, Sizes


def require_named_extents(op: OvOperation, build: GraphBuilder) -> None:
    """Replace operands by ones whose extents agree with their names.

    See `OvOperation.named_extents`.
    """
    sizes: dict[int, list[Size]] = {}

    def size(operand: int, axis: int) -> Size:
        if operand not in sizes:
            sizes[operand] = Sizes(build).of(op.operands[operand])
        return sizes[operand][axis]

    for asked in op.extent_questions([build.fact(operand) for operand in op.operands]):
        wanted = asked.wanted if isinstance(asked.wanted, int) else size(*asked.wanted)
        op.operands[asked.operand] = require_equal(
            build,
            op.operands[asked.operand],
            size(asked.operand, asked.axis),
            wanted,
            asked.reason,
            or_one=asked.or_one,
        )


def require_equal(
    build: GraphBuilder,
    value: SSAValue,
    size: Size,
    wanted: Size,
    reason: str,
    *,
    or_one: bool = False,
) -> SSAValue:
    """Return the value, checked to have the wanted extent.

    With `or_one` the extent may also be 1. If the extents are not known, the check runs at run time.
    """
    if isinstance(size, int) and isinstance(wanted, int):
        return value
    sizes = Sizes(build)
    same = build.make(EqualOp, sizes.value(size), sizes.value(wanted))
    if or_one:
        same = build.make(LogicalOrOp, same, build.make(EqualOp, sizes.value(size), build.integers([1])))
    return require_all(build, value, same, reason)


def require_at_least(
    build: GraphBuilder, value: SSAValue, vector: SSAValue, least: int, reason: str
) -> SSAValue:
    """The value, where no element of a vector is below a number."""
    enough = build.make(GreaterEqualOp, vector, build.like(least, vector))
    return require_all(build, value, enough, reason)


def require_all(build: GraphBuilder, value: SSAValue, conditions: SSAValue, reason: str) -> SSAValue:
    """The value, where all of a vector of booleans hold."""
    holds = build.make(ReduceLogicalAndOp, conditions, build.integers([0]), attributes={"keep_dims": False})
    return build.require(value, holds, "shape", reason)
