"""Branches around what may fail, for loops that may not run.

```mlir
%all = ov.loop sliced(%x) {                                    // before; %x: tensor<?x?xf32>, %w: tensor<?x?xf32>
^bb0(%i: tensor<i64>, %p: tensor<1x?xf32>):
  %m = ov.mat_mul %p, %w
  ov.next concat(%m)
}

%runs = ov.not_equal %trips, %zero                             // after
%fits = ov.equal %columns_of_x, %rows_of_w
%safe = ov.logical_or %runs, %fits
%all = ov.if %safe -> (tensor<?x?xf32>) {
  %m = ov.mat_mul %x, %w
  ov.yield %m
} else {
  ov.yield %none : tensor<0x0xf32>
}
```

After no iteration, what is joined has the extents of a first one. If they fit, the operations for all iterations give them; otherwise
the types of the body do.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import i1, i64
from loomir.dialects.ov.attributes import Slicing, to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.canonicalization.loop_trips import Trips
from loomir.dialects.ov.canonicalization.loops import first_value, is_static_beside, may_be_constant
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp, LogicalAndOp, LogicalOrOp, NotEqualOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp
from loomir.dialects.speculation import FailsOnShapes
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.inference import Inference
from loomir.passes.graph.lib.whole_axis.maps import may_stop
from loomir.passes.graph.lib.whole_axis.rules import broadcasts, elementwise_operands
from loomir.passes.graph.lib.whole_axis.values import WholeAxis, shape_of

Extent = int | SSAValue


def runs(trips: Trips, build: GraphBuilder) -> SSAValue:
    """Emit whether a loop runs an iteration."""
    return build.make(NotEqualOp, trips.emit(build), build.scalar(0, i64))


def is_known_of_no_trip(loop: LoopOp, value: SSAValue, join: Slicing) -> bool:
    """Return True if joined parts have known extents after no iteration."""
    return (is_static_beside(value, join) and may_be_constant(value)) or first_value(loop, value) is not None


def only_risk(loop: LoopOp, inference: Inference) -> OvOperation | None:
    """Return the only operation that may fail, if `fits` checks it."""
    found = [
        op
        for op in walk(loop.body)
        if (not op.regions or isinstance(op, LoopOp)) and may_stop(op, inference) and not _surely_fits(op)
    ]
    op = found[0] if len(found) == 1 else None
    if not isinstance(op, OvOperation) or op.get_trait(FailsOnShapes) is None or op.parent_op() is not loop:
        return None
    if isinstance(op, MatMulOp):
        return op if all(len(shape_of(o)) >= 2 for o in op.operands) else None
    return op if elementwise_operands(op) == (0, 1) and len(op.operands) == 2 and broadcasts(op) else None


def fits(op: Operation, operands: Sequence[SSAValue], axis: WholeAxis) -> SSAValue:
    """Emit whether the extents of two operands fit in an iteration.

    `op` is one of those that `only_risk` returns. What varies is in `axis`.
    """
    a, b = (_extents(value, axis) for value in operands)
    build = axis.build
    found: list[SSAValue] = []
    if isinstance(op, MatMulOp):
        inner = a.pop(-2 if to_bool(op.transpose_a) else -1), b.pop(-1 if to_bool(op.transpose_b) else -2)
        if not all(isinstance(n, int) for n in inner):
            found.append(build.make(EqualOp, *(_number(n, build) for n in inner)))
        a.pop()
        b.pop()
    for m, n in _open(a, b):
        first, second = _number(m, build), _number(n, build)
        fit = build.make(EqualOp, first, second)
        for extent in (k for k, known in ((first, m), (second, n)) if not isinstance(known, int)):
            fit = build.make(LogicalOrOp, fit, build.make(EqualOp, extent, build.scalar(1, i64)))
        found.append(fit)
    result = found[0] if found else build.scalar(True, i1)
    for fit in found[1:]:
        result = build.make(LogicalAndOp, result, fit)
    return result


def _surely_fits(op: Operation) -> bool:
    """Return True if all open extents are beside one of 1."""
    if len(op.operands) != 2 or elementwise_operands(op) != (0, 1) or not broadcasts(op):
        return False
    if op.get_trait(FailsOnShapes) is None or not all(isinstance(o.type, TensorType) for o in op.operands):
        return False
    return not any(_open(*(list(shape_of(o)) for o in op.operands)))


def _open(a: Sequence[Extent], b: Sequence[Extent]) -> list[tuple[Extent, Extent]]:
    """Return the pairs of extents that may not fit.

    The last one is first. Others have been compared: both are known, or one of them is 1.
    """

    def is_known(extent: Extent) -> bool:
        return isinstance(extent, int) and extent != DYNAMIC_INDEX

    pairs = zip(reversed(a), reversed(b))
    return [(m, n) for m, n in pairs if 1 not in (m, n) and not (is_known(m) and is_known(n))]


def _extents(value: SSAValue, axis: WholeAxis) -> list[Extent]:
    """Emit the extents of a value in an iteration.

    Those that are known are numbers.
    """
    whole = axis.values.get(value)
    source = axis.fixed(value) if whole is None else whole.value
    ahead = int(whole is not None and whole.place is None)
    build, shape = axis.build, shape_of(value)
    if DYNAMIC_INDEX not in shape:
        return list(shape)
    all_of_it = build.make(ShapeOfOp, source)
    return [
        extent
        if extent != DYNAMIC_INDEX
        else build.make(GatherOp, all_of_it, build.scalar(k + ahead, i64), build.scalar(0, i64))
        for k, extent in enumerate(shape)
    ]


def _number(extent: Extent, build: GraphBuilder) -> SSAValue:
    return build.scalar(extent, i64) if isinstance(extent, int) else extent
