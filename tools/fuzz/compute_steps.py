"""Steps that compute: elementwise operations, reductions and matrix products.

Elementwise steps are arithmetic, comparisons, logic, choices and conversions. The steps that sum up are reductions,
matrix products, running sums and positions of extremes.
"""

from __future__ import annotations

from collections.abc import Callable

from loomir.tools.fuzz import FLOATS, INTEGERS, Shape, Value, elements, least, most
from loomir.tools.fuzz.builder import LARGEST_RANK, LARGEST_TENSOR, Builder, filled_surely

STEEP = {"Sigmoid": 0.25}
"""The greatest derivative of a unary operation, where it isn't 1."""


def unary(b: Builder) -> None:
    """An operation of one operand."""
    x = b.any_of(b.any_type())
    if x.dtype in INTEGERS:
        kind = b.choose(("Neg", "Abs", "Sign", "Identity"))
        b.emit(kind, [x], x.dtype, x.shape, 1 if kind == "Sign" else x.limit)
        return
    kinds = ["Tanh", "Neg", "Sigmoid", "Relu", "Abs", "Exp", "Sqrt", "Identity"]
    if x.dtype == "f32":
        kinds += ["LeakyRelu", "Softplus"]
    kind = b.choose(kinds)
    if kind == "Exp":
        x = b.emit("Neg", [b.emit("Abs", [x], x.dtype, x.shape, x.limit)], x.dtype, x.shape, x.limit)
    elif kind == "Sqrt":
        bump = b.number(0.375, x.dtype)
        x = b.emit("Abs", [x], x.dtype, x.shape, x.limit)
        x = b.emit("Add", [x, bump], x.dtype, x.shape, x.limit + 1)
    limits = {"Tanh": 1.0, "Sigmoid": 1.0, "Exp": 1.0, "Softplus": x.limit + 1, "Sqrt": max(x.limit, 1.0)}
    b.emit(kind, [x], x.dtype, x.shape, limits.get(kind, x.limit), gain=x.gain * STEEP.get(kind, 1.0))


def binary(b: Builder) -> None:
    """An operation of two operands that broadcast."""
    x = b.any_of(b.any_type())
    y = b.partner(x)
    if b.chance(0.5):
        x, y = y, x
    combine(b, x, y)


def combine(b: Builder, x: Value, y: Value) -> Value:
    """An operation of two values that broadcast."""
    assert x.shape is not None
    assert y.shape is not None
    shape = b.broadcast(x.shape, y.shape)
    assert shape is not None
    kind = b.choose(("Add", "Sub", "Mul", "Max", "Min", "Div"))
    dtype, gain = x.dtype, x.gain + y.gain
    limit = max(x.limit, y.limit)
    if kind == "Div" and dtype in FLOATS:
        y = b.emit("Abs", [y], dtype, y.shape, y.limit)
        y = b.emit("Add", [y, b.number(1.125, dtype)], dtype, y.shape, y.limit + 1.125)
        # The divisor is at least tanh(1.125) > 0.8, whatever `emit` did to it.
        limit, gain = 1.25 * x.limit, 1.25 * x.gain + 1.6 * x.limit * y.gain
    elif kind == "Div":
        return divide(b, x)
    elif kind == "Mul":
        limit, gain = x.limit * y.limit, x.limit * y.gain + y.limit * x.gain
    elif kind in ("Add", "Sub"):
        limit = x.limit + y.limit
    elif x.dtype in FLOATS:
        gain = max(x.gain, y.gain)
    return b.emit(kind, [x, y], dtype, shape, limit, gain=gain)


def divide(b: Builder, x: Value) -> Value:
    """Emit an integer quotient or remainder by a nonzero constant.

    Both signs and both roundings occur.
    """
    divisor = b.choose((2, 3, 5, 7, -3))
    y = b.number(divisor, x.dtype)
    if b.chance(0.4):
        return b.emit("Div", [x, y], x.dtype, x.shape, x.limit)
    return b.emit("Mod", [x, y], x.dtype, x.shape, abs(divisor), fmod=b.integer(0, 1))


def wrapping(b: Builder) -> None:
    """Emit integers that leave their range and wrap round.

    They are taken modulo a small number afterwards.
    """
    x = b.any_of(b.choose(("i32", "i64", "i32")))
    width = 31 if x.dtype == "i32" else 63
    factor = b.number(b.choose((2**width - 1, 2 ** (width - 2) + 3, -(2**width))), x.dtype)
    kind = b.choose(("Mul", "Mul", "Add", "Sub"))
    b.feature("wrapping integers")
    b.emit(kind, [x, factor], x.dtype, x.shape, float(2**width))


def bitwise(b: Builder) -> None:
    """And, or, exclusive or of the bits of integers."""
    x = b.any_of(b.choose(INTEGERS))
    y = b.partner(x)
    shape = b.broadcast(x.shape or (), y.shape or ())
    limit = 2 * max(x.limit, y.limit, 1.0)
    b.emit(b.choose(("BitwiseAnd", "BitwiseOr", "BitwiseXor")), [x, y], x.dtype, shape, limit)


def clip(b: Builder) -> None:
    """Limited below, above, or both."""
    x = b.any_of(b.any_type())
    low, high = (b.number(n, x.dtype) for n in ((-1.25, 1.5) if x.dtype in FLOATS else (-3, 5)))
    bounds = b.choose(([low, high], [low], [None, high]))
    limit = x.limit if len(bounds) < 2 or bounds[0] is None else min(x.limit, 5)
    b.emit("Clip", [x, *bounds], x.dtype, x.shape, max(limit, 5.0 if x.dtype in INTEGERS else 1.5))


def where(b: Builder) -> None:
    """A choice element by element."""
    mask = b.any_of("bool")
    wide: Shape = mask.shape or ()
    x = b.pick(b.any_type(), lambda v: b.broadcast(wide, v.shape or ()) is not None)
    shape = b.broadcast(wide, x.shape or ()) if x is not None else None
    if x is None or shape is None:
        return
    y = b.pick(x.dtype, lambda v: b.broadcast(shape, v.shape or ()) is not None)
    if y is None:
        return
    result = b.broadcast(shape, y.shape or ())
    b.emit("Where", [mask, x, y], x.dtype, result, max(x.limit, y.limit), gain=max(x.gain, y.gain))


def cast(b: Builder) -> None:
    """To another type, exactly: booleans to numbers, integers to anything."""
    source = b.choose(("bool", "i64", "i32"))
    targets = {
        "bool": ("i64", "i32", b.float),
        "i64": (b.float, "i32", "bool"),
        "i32": ("i64", b.float, "bool"),
    }
    to = b.choose(targets[source])
    x = b.any_of(source)
    # Integers within 10,000 are floats of up to 10,000, which `emit` brings down.
    b.emit("Cast", [x], to, x.shape, 1.0 if to == "bool" else x.limit, to=to)


def float_cast(b: Builder) -> None:
    """From one floating-point type to the other."""
    x = b.any_of(b.float if b.chance(0.7) else b.choose(FLOATS))
    to = "f64" if x.dtype == "f32" else "f32"
    b.emit("Cast", [x], to, x.shape, x.limit, to=to)


def compare(b: Builder) -> None:
    """Integers compared, which is exact in every engine."""
    x = b.any_of(b.choose(("i64", "i64", "i32")))
    y = b.partner(x) if b.chance(0.5) else b.number(b.integer(-1, 5), x.dtype)
    shape = b.broadcast(x.shape or (), y.shape or ())
    kind = b.choose(("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"))
    b.emit(kind, [x, y], "bool", shape, 1)


def logic(b: Builder) -> None:
    """Booleans joined or turned round."""
    x = b.any_of("bool")
    if b.chance(0.35):
        b.emit("Not", [x], "bool", x.shape, 1)
        return
    y = b.partner(x)
    shape = b.broadcast(x.shape or (), y.shape or ())
    b.emit(b.choose(("And", "Or", "Xor")), [x, y], "bool", shape, 1)


def softmax(b: Builder) -> None:
    """exp(x) / sum(exp(x)) along an axis that has elements."""
    x = b.pick(b.float, lambda v: v.static and 0 not in (v.shape or ()) and v.rank > 0)
    if x is None:
        return
    axis = b.integer(-x.rank, x.rank - 1)
    b.emit("Softmax", [x], x.dtype, x.shape, 1, axis=axis)


ELEMENTWISE: dict[Callable[[Builder], None], int] = {
    unary: 6,
    binary: 9,
    wrapping: 1,
    bitwise: 1,
    clip: 1,
    where: 2,
    cast: 2,
    float_cast: 1,
    compare: 2,
    logic: 2,
    softmax: 1,
}


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


REDUCING: dict[Callable[[Builder], None], int] = {reduce: 4, matmul: 2, cumulate: 1, extreme: 1}
