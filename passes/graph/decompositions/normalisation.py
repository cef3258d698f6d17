"""Softmax and its logarithm from reductions and elementwise operations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.ov.elementwise_binary import DivideOp, SubtractOp
from loomir.dialects.ov.elementwise_unary import ExpOp, LogOp
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.normalisation import AlongAxisOp, LogSoftmaxOp, SoftmaxOp
from loomir.dialects.ov.reduction import ReduceMaxOp, ReduceSumOp
from loomir.passes.graph.decompositions import decomposes


def _shifted(op: AlongAxisOp, build: GraphBuilder) -> tuple[SSAValue, SSAValue]:
    """`x - max(x)`, whose exponentials cannot overflow, and the axes."""
    rank = build.fact(op.data).rank
    # A scalar is normalised over itself: there is no axis to reduce, and max(x) is x.
    axes = build.integers([] if rank == 0 else [op.axis_value()])
    greatest = build.make(ReduceMaxOp, op.data, axes, attributes={"keep_dims": True})
    return build.make(SubtractOp, op.data, greatest), axes


@decomposes(SoftmaxOp)
def softmax(op: SoftmaxOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`e / sum(e)` with `e = exp(x - max(x))`."""
    shifted, axes = _shifted(op, build)
    exponentials = build.make(ExpOp, shifted)
    total = build.make(ReduceSumOp, exponentials, axes, attributes={"keep_dims": True})
    return [build.make(DivideOp, exponentials, total)]


@decomposes(LogSoftmaxOp)
def log_softmax(op: LogSoftmaxOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`s - log(sum(exp(s)))` with `s = x - max(x)`."""
    shifted, axes = _shifted(op, build)
    total = build.make(ReduceSumOp, build.make(ExpOp, shifted), axes, attributes={"keep_dims": True})
    return [build.make(SubtractOp, shifted, build.make(LogOp, total))]
