"""Softmax and normalisation from reductions and elementwise operations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import to_bool, to_float, to_int, to_str
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    FloorModOp,
    MaximumOp,
    MultiplyOp,
    PowerOp,
    SquaredDifferenceOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import ExpOp, LogOp, SqrtOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.normalisation import (
    AlongAxisOp,
    BatchNormInferenceOp,
    GroupNormalizationOp,
    LogSoftmaxOp,
    LRNOp,
    MVNOp,
    NormalizeL2Op,
    RMSOp,
    SoftmaxOp,
)
from loomir.dialects.ov.operators.pooling import AvgPoolOp
from loomir.dialects.ov.operators.reduction import ReduceMaxOp, ReduceMeanOp, ReduceSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.errors import Error
from loomir.passes.graph.lib.decompositions import decomposes, require_equal
from loomir.passes.graph.lib.decompositions.arithmetic import is_narrow, like, wide

KEEP = {"keep_dims": True}


def _shifted(op: AlongAxisOp, build: GraphBuilder) -> tuple[SSAValue, SSAValue]:
    """`x - max(x)`, whose exponentials cannot overflow, and the axes."""
    rank = build.fact(op.data).rank
    # A scalar is normalised over itself: there is no axis to reduce, and max(x) is x.
    axes = build.integers([] if rank == 0 else [op.axis_value()])
    greatest = build.make(ReduceMaxOp, op.data, axes, attributes=KEEP)
    return build.make(SubtractOp, op.data, greatest), axes


@decomposes(SoftmaxOp)
def softmax(op: SoftmaxOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Emit `e / sum(e)` with `e = exp(x - max(x))`.

    There is one division for each sum, which is 1 or more, instead of one for each element.

    (For f16 and bf16 each step is the one that ONNX defines: rounding twice would be visible.)
    """
    shifted, axes = _shifted(op, build)
    exponentials = build.make(ExpOp, shifted)
    total = build.make(ReduceSumOp, exponentials, axes, attributes=KEEP)
    if is_narrow(build, op.data):
        return [build.make(DivideOp, exponentials, total)]
    return [build.make(MultiplyOp, exponentials, _over(build, 1.0, total))]


@decomposes(LogSoftmaxOp)
def log_softmax(op: LogSoftmaxOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`s - log(sum(exp(s)))` with `s = x - max(x)`."""
    shifted, axes = _shifted(op, build)
    total = build.make(ReduceSumOp, build.make(ExpOp, shifted), axes, attributes=KEEP)
    return [build.make(SubtractOp, shifted, build.make(LogOp, total))]


# -- mean, variance and norm


def _plus(build: GraphBuilder, value: SSAValue, term: float) -> SSAValue:
    return value if term == 0.0 else build.make(AddOp, value, build.like(term, value))


def _square(build: GraphBuilder, value: SSAValue) -> SSAValue:
    return build.make(MultiplyOp, value, value)


def _over(build: GraphBuilder, numerator: SSAValue | float, denominator: SSAValue) -> SSAValue:
    value = numerator if isinstance(numerator, SSAValue) else build.like(numerator, denominator)
    return build.make(DivideOp, value, denominator)


def _centred(build: GraphBuilder, x: SSAValue, axes: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Return `x - mean(x)` and the variance of x.

    Subtracting twice is cheaper than storing the differences.
    """
    mean = build.make(ReduceMeanOp, x, axes, attributes=KEEP)
    squares = build.make(SquaredDifferenceOp, x, mean)
    return build.make(SubtractOp, x, mean), build.make(ReduceMeanOp, squares, axes, attributes=KEEP)


@decomposes(MVNOp)
def mvn(op: MVNOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """One division for each variance, not for each element."""
    x, eps = wide(build, op.data), to_float(op.eps)
    if not to_bool(op.normalize_variance):
        mean = build.make(ReduceMeanOp, x, op.axes, attributes=KEEP)
        return [like(build, build.make(SubtractOp, x, mean), op.data)]
    centred, variance = _centred(build, x, op.axes)
    if to_str(op.eps_mode) == "inside_sqrt":
        deviation = build.make(SqrtOp, _plus(build, variance, eps))
    else:
        deviation = _plus(build, build.make(SqrtOp, variance), eps)
    return [like(build, build.make(MultiplyOp, centred, _over(build, 1.0, deviation)), op.data)]


@decomposes(NormalizeL2Op)
def normalize_l2(op: NormalizeL2Op, build: GraphBuilder) -> Sequence[SSAValue]:
    x, eps = wide(build, op.data), to_float(op.eps)
    total = build.make(ReduceSumOp, _square(build, x), op.axes, attributes=KEEP)
    if to_str(op.eps_mode) == "add":
        total = _plus(build, total, eps)
    else:
        total = build.make(MaximumOp, total, build.like(eps, total))
    factor = _over(build, 1.0, build.make(SqrtOp, total))
    return [like(build, build.make(MultiplyOp, x, factor), op.data)]


@decomposes(RMSOp)
def rms(op: RMSOp, build: GraphBuilder) -> Sequence[SSAValue]:
    x = wide(build, op.data)
    mean = build.make(ReduceMeanOp, _square(build, x), op.axes, attributes=KEEP)
    factor = _over(build, 1.0, build.make(SqrtOp, _plus(build, mean, to_float(op.epsilon))))
    value = build.make(MultiplyOp, x, factor)
    if op.scale is not None:
        value = build.make(MultiplyOp, value, wide(build, op.scale))
    return [like(build, value, op.data)]


# -- local response


@decomposes(LRNOp)
def lrn(op: LRNOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose LRN with average poolings.

    The mean over a box is the mean along one axis after the other, each an average pooling. Error: `unknown-axes` if the
    axes or the rank of data are not known.
    """
    axes, rank = build.fact(op.axes).value, build.fact(op.data).rank
    if axes is None or rank is None:
        raise Error(
            "unknown-axes", "the axes or the rank of data is not known", hint="fix the shapes of the inputs"
        )
    x, bias = wide(build, op.data), to_float(op.bias)
    mean = _square(build, x)
    for axis in normalise_axes(axes.reshape(-1), rank):
        mean = _local_mean(build, mean, axis, rank, to_int(op.size))
    alpha = to_float(op.alpha)
    base = _plus(build, build.make(MultiplyOp, mean, build.like(alpha, mean)), bias)
    value = _over_power(build, x, base, to_float(op.beta), positive=alpha >= 0 and bias >= 0)
    return [like(build, value, op.data)]


def _local_mean(build: GraphBuilder, x: SSAValue, axis: int, rank: int, size: int) -> SSAValue:
    """Return the mean of `size` elements around each, along one axis.

    The axes before become N and C of a pooling.
    """
    new = max(0, 2 - axis)
    spatial, place = rank + new - 2, axis + new - 2
    if new:
        x = build.make(UnsqueezeOp, x, build.integers(range(new)))

    def at_place(value: int, other: int) -> list[int]:
        return [value if i == place else other for i in range(spatial)]

    x = build.make(
        AvgPoolOp,
        x,
        attributes={
            "kernel": at_place(size, 1),
            "strides": [1] * spatial,
            # (size - 1) / 2 before and size / 2 behind: as many windows as elements, also of none.
            "auto_pad": "same_upper",
        },
    )
    return build.make(SqueezeOp, x, build.integers(range(new))) if new else x


def _over_power(
    build: GraphBuilder, x: SSAValue, base: SSAValue, exponent: float, *, positive: bool
) -> SSAValue:
    """Emit `x / base^exponent`.

    If the bases are not negative, square roots are used where possible.
    """
    if exponent == 1.0:
        return _over(build, x, base)
    if positive and exponent in (0.5, 0.75):
        root = build.make(SqrtOp, base)
        if exponent == 0.75:
            root = build.make(MultiplyOp, root, build.make(SqrtOp, root))
        return _over(build, x, root)
    return _over(build, x, build.make(PowerOp, base, build.like(exponent, base)))


# -- per channel


def _rank(build: GraphBuilder, value: SSAValue) -> int:
    """The rank of data. Error: `unknown-rank`."""
    rank = build.fact(value).rank
    if rank is None:
        raise Error("unknown-rank", "the rank of data is not known", hint="fix the shapes of the inputs")
    return rank


def _scaled(
    build: GraphBuilder,
    x: SSAValue,
    mean: SSAValue,
    variance: SSAValue,
    scale: SSAValue,
    bias: SSAValue,
    epsilon: float,
) -> SSAValue:
    """`(x - mean) · (scale / sqrt(variance + epsilon)) + bias`: one division per channel."""
    factor = _over(build, scale, build.make(SqrtOp, _plus(build, variance, epsilon)))
    centred = build.make(SubtractOp, x, mean)
    return build.make(AddOp, build.make(MultiplyOp, centred, factor), bias)


@decomposes(BatchNormInferenceOp)
def batch_norm_inference(op: BatchNormInferenceOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Error: `unknown-rank`."""
    shape = [-1] + [1] * (_rank(build, op.data) - 2)
    gamma, beta, mean, variance = (
        build.make(ReshapeOp, wide(build, v), build.integers(shape))
        for v in (op.gamma, op.beta, op.mean, op.variance)
    )
    value = _scaled(build, wide(build, op.data), mean, variance, gamma, beta, to_float(op.epsilon))
    return [like(build, value, op.data)]


@decomposes(GroupNormalizationOp)
def group_normalization(op: GroupNormalizationOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """On `[N, groups, C / groups, positions]`. Error: `unknown-rank`."""
    rank, groups = _rank(build, op.data), to_int(op.num_groups)
    shape = build.make(ShapeOfOp, op.data)
    fact = build.fact(op.data)
    assert fact.shape is not None
    channels = fact.shape[1].static
    if channels is not None:
        per_group = build.integers([channels // groups])
    else:
        extent = build.make(GatherOp, shape, build.integers([1]), build.scalar(0, i64))
        rest = build.make(FloorModOp, extent, build.integers([groups]))
        reason = f"the channels of {op.name} cannot be divided into {groups} groups"
        extent = require_equal(build, extent, rest, 0, reason)
        per_group = build.make(DivideOp, extent, build.integers([groups]))
    wanted = [build.integers([0, groups]), per_group, build.integers([-1] if rank > 2 else [1])]
    whole = build.make(ConcatOp, wanted, attributes={"axis": 0})
    x = build.make(ReshapeOp, wide(build, op.data), whole, attributes={"special_zero": True})
    centred, variance = _centred(build, x, build.integers([2, 3]))
    row = build.make(
        ConcatOp, [build.integers([groups]), per_group, build.integers([1])], attributes={"axis": 0}
    )
    scale, bias = (build.make(ReshapeOp, wide(build, v), row) for v in (op.scale, op.bias))
    factor = _over(build, scale, build.make(SqrtOp, _plus(build, variance, to_float(op.epsilon))))
    value = build.make(AddOp, build.make(MultiplyOp, centred, factor), bias)
    return [like(build, build.make(ReshapeOp, value, shape), op.data)]
