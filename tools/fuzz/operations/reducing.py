"""Steps that sum up: reductions, products, running sums, positions of extremes."""

from __future__ import annotations

from collections.abc import Callable

from loomir.tools.fuzz.builder import LARGEST_RANK, LARGEST_TENSOR, Builder, filled_surely
from loomir.tools.fuzz.program import FLOATS, elements, least, most


def reduce(b: Builder) -> None:
    """Emit a sum, mean or extreme over some axes.

    An extent that may be 0 is only summed.
    """
    x = b.pick(b.any_type(), lambda v: v.rank > 0)
    if x is None or x.shape is None:
        return
    axes = [i for i in range(x.rank) if b.chance(0.5)] or [b.integer(0, x.rank - 1)]
    keep = b.chance(0.5)
    shape = tuple(1 if i in axes else e for i, e in enumerate(x.shape) if keep or i not in axes)
    kinds = ["ReduceSum"]
    if all(least(x.shape[a]) > 0 for a in axes):
        kinds += ["ReduceMax", "ReduceMin", "ReduceMean" if x.dtype in FLOATS else "ReduceSum"]
    kind = b.choose(kinds)
    count = max(elements(tuple(x.shape[a] for a in axes)), 1) if kind == "ReduceSum" else 1
    # ONNX Runtime takes negative axes of an empty tensor to be none of its axes.
    backwards = x.rank if filled_surely(x) and b.chance(0.4) else 0
    given = b.vector(*(a - backwards for a in axes))
    b.emit(kind, [x, given], x.dtype, shape, x.limit * count, gain=x.gain * count, keepdims=int(keep))


def matmul(b: Builder) -> None:
    """A matrix product of small operands, with or without a batch."""
    x = b.pick(b.any_type(), lambda v: v.static and 0 < v.rank < LARGEST_RANK and filled_surely(v))
    if x is None or x.shape is None:
        return
    inner = most(x.shape[-1])
    y = b.pick(x.dtype, lambda v: v.rank == 2 and v.static and v.shape is not None and v.shape[0] == inner)
    if y is None or not filled_surely(y):
        y = b.random_constant(x.dtype, (inner, b.integer(1, 3)))
    assert y.shape is not None
    shape = (*x.shape[:-1], y.shape[1])
    if elements(shape) <= LARGEST_TENSOR:
        gain = inner * (x.limit * y.gain + y.limit * x.gain)
        b.emit("MatMul", [x, y], x.dtype, shape, x.limit * y.limit * inner, gain=gain)


def cumulate(b: Builder) -> None:
    """Emit running sums along an axis.

    They run in either direction, with or without the element itself.
    """
    x = b.pick(b.any_type(), lambda v: v.static and v.rank > 0 and filled_surely(v))
    if x is None or x.shape is None:
        return
    axis = b.integer(-x.rank, x.rank - 1)
    extent = most(x.shape[axis])
    flags = {"exclusive": b.integer(0, 1), "reverse": b.integer(0, 1)}
    limit, gain = x.limit * extent, x.gain * extent
    b.emit("CumSum", [x, b.number(axis)], x.dtype, x.shape, limit, gain=gain, **flags)


def extreme(b: Builder) -> None:
    """Emit the position of the greatest or least integer along an axis.

    Of several, it is the first.
    """
    x = b.pick(b.choose(("i64", "i32")), lambda v: v.static and v.rank > 0 and filled_surely(v))
    if x is None or x.shape is None:
        return
    axis = b.integer(0, x.rank - 1)
    keep = b.integer(0, 1)
    shape = tuple(1 if i == axis else e for i, e in enumerate(x.shape) if keep or i != axis)
    kind = b.choose(("ArgMax", "ArgMin"))
    b.emit(kind, [x], "i64", shape, float(most(x.shape[axis])), axis=axis, keepdims=keep)


STEPS: dict[Callable[[Builder], None], int] = {reduce: 4, matmul: 2, cumulate: 1, extreme: 1}
