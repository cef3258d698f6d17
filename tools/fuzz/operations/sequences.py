"""Steps with sequences of tensors (ONNX only).

Sequences are created, inserted into, erased from, read, joined, and split off a tensor.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loomir.tools.fuzz.builder import LARGEST_RANK, LARGEST_TENSOR, Builder, replaced
from loomir.tools.fuzz.operations.indexing import index
from loomir.tools.fuzz.program import Attribute, Extent, Op, Shape, Value, elements, least, most

LONGEST = 8


def sequence(
    b: Builder, prefix: str, dtype: str, shape: Shape, length: Extent, limit: float, gain: float
) -> Value:
    """A sequence with a fresh name."""
    made = b.value(prefix, dtype, shape, limit, gain)
    result = Value(made.name, dtype, shape, limit, gain, length)
    b.defined[result] = b.defined.pop(made)
    return result


def emit(b: Builder, kind: str, inputs: list[Value], result: Value, **attributes: Attribute) -> Value:
    """Append an operation that gives a sequence."""
    b.append(Op(kind, tuple(inputs), (result,), attributes))
    b.feature(f"op {kind}")
    b.publish(result)
    return result


def pick_sequence(b: Builder, test: Callable[[Value], bool] | None = None) -> Value | None:
    """A sequence that can be read here; late ones more often."""
    found = [v for v in b.scope.values if v.is_sequence and (test is None or test(v))]
    if not found:
        return None
    last = len(found) - 1
    return found[last - min(b.integer(0, last), b.integer(0, last))]


def shortest(value: Value) -> int:
    """The least length of a sequence."""
    return least(value.length) if value.length is not None else 0


def longest(value: Value) -> int:
    """The greatest length of a sequence."""
    return most(value.length) if value.length is not None else 0


def joined(b: Builder, x: Shape, y: Shape) -> Shape:
    """The shape of what is either; of equal rank."""
    return tuple(
        p if p == q else b.open(min(least(p), least(q)), max(most(p), most(q))) for p, q in zip(x, y)
    )


def construct(b: Builder) -> None:
    """Emit a sequence of tensors of one type and rank.

    It has one to three tensors, whose extents may differ.
    """
    first = b.any_of(b.any_type())
    parts, shape = [first], first.shape or ()
    for _ in range(b.integer(0, 2)):
        found = b.pick(first.dtype, lambda v: v.rank == first.rank)
        if found is not None:
            parts.append(found)
            shape = joined(b, shape, found.shape or ())
    limit, gain = max(p.limit for p in parts), max(p.gain for p in parts)
    emit(b, "SequenceConstruct", parts, sequence(b, "q", first.dtype, shape, len(parts), limit, gain))


def empty(b: Builder) -> None:
    """A sequence of nothing, and a first tensor in it."""
    x = b.any_of(b.any_type())
    nothing = sequence(b, "q", x.dtype, x.shape or (), 0, 0.0, 0.0)
    emit(b, "SequenceEmpty", [], nothing, dtype=x.dtype)
    insert_into(b, nothing, x)


def insert(b: Builder) -> None:
    """A tensor of the same type and rank at some position."""
    q = pick_sequence(b, lambda v: longest(v) < LONGEST)
    if q is None:
        construct(b)
        return
    x = b.pick(q.dtype, lambda v: v.rank == len(q.shape or ()))
    if x is not None:
        insert_into(b, q, x)


def insert_into(b: Builder, q: Value, x: Value) -> Value:
    """Insert a tensor at the end or a position of a sequence.

    The position is one that the sequence has in any case.
    """
    assert q.length is not None
    inputs = [q, x]
    low, high = shortest(q), longest(q)
    if b.chance(0.4):
        inputs.append(b.number(b.integer(-low, low), "i64" if b.chance(0.7) else "i32"))
    length = low + 1 if low == high else b.open(low + 1, high + 1)
    shape = joined(b, q.shape or (), x.shape or ()) if high > 0 else x.shape or ()
    limit, gain = max(q.limit, x.limit), max(q.gain, x.gain)
    return emit(b, "SequenceInsert", inputs, sequence(b, "q", q.dtype, shape, length, limit, gain))


def erase(b: Builder) -> None:
    """One element less: the last one, or that at a constant position."""
    q = pick_sequence(b, lambda v: shortest(v) > 0)
    if q is None:
        return
    low, high = shortest(q), longest(q)
    inputs = [q]
    if b.chance(0.6):
        inputs.append(b.number(b.integer(-low, low - 1)))
    length = low - 1 if low == high else b.open(low - 1, high - 1)
    emit(b, "SequenceErase", inputs, sequence(b, "q", q.dtype, q.shape or (), length, q.limit, q.gain))


def at(b: Builder) -> None:
    """The element at a constant or computed position."""
    q = pick_sequence(b, lambda v: shortest(v) > 0)
    if q is None:
        return
    low = shortest(q)
    if b.chance(0.5):
        position = b.number(b.integer(-low, low - 1), "i64" if b.chance(0.7) else "i32")
    else:
        position = index(b, low, ())
    # Elements differ in extents: each has some within the bounds, and which is not known.
    shape = tuple(e if isinstance(e, int) else b.open(least(e), most(e)) for e in q.shape or ())
    b.emit("SequenceAt", [q, position], q.dtype, shape, q.limit)


def length_of(b: Builder) -> None:
    """How many elements there are."""
    q = pick_sequence(b)
    if q is not None:
        b.emit("SequenceLength", [q], "i64", (), float(max(longest(q), 1)))


def concat(b: Builder) -> None:
    """Emit the concatenation of all elements of a sequence.

    They are joined along an axis that they have, or along a new one if their shapes are equal.
    """
    q = pick_sequence(b, lambda v: shortest(v) > 0 and all(isinstance(e, int) for e in v.shape or ()))
    if q is None or q.length is None:
        return
    shape = q.shape or ()
    if elements(shape) * longest(q) > LARGEST_TENSOR:
        return
    if not shape or (b.chance(0.5) and len(shape) < LARGEST_RANK):
        axis = b.integer(0, len(shape))
        result = (*shape[:axis], q.length, *shape[axis:])
        b.emit("ConcatFromSequence", [q], q.dtype, result, q.limit, axis=axis, new_axis=1)
        return
    axis = b.integer(0, len(shape) - 1)
    extent = most(shape[axis])
    result = replaced(shape, axis, b.open(extent * shortest(q), extent * longest(q)))
    given = axis if b.chance(0.7) else axis - len(shape)
    b.emit("ConcatFromSequence", [q], q.dtype, result, q.limit, axis=given, new_axis=0)


def split(b: Builder) -> None:
    """Emit the split of a tensor along a static axis.

    The parts are single elements without the axis, or have equal or given lengths.
    """
    x = b.pick(b.any_type(), lambda v: any(isinstance(e, int) and 0 < e <= LONGEST for e in v.shape or ()))
    if x is None or x.shape is None:
        return
    axis = b.choose([i for i, e in enumerate(x.shape) if isinstance(e, int) and 0 < e <= LONGEST])
    extent = most(x.shape[axis])
    kind = b.integer(0, 2)
    inputs, attributes = [x], {"axis": axis}
    shape: Shape
    if kind == 0:
        attributes["keepdims"] = b.integer(0, 1)
        length, shape = extent, replaced(x.shape, axis, *((1,) if attributes["keepdims"] else ()))
    elif kind == 1:
        size = b.integer(1, extent)
        inputs.append(b.number(size))
        length = -(-extent // size)
        rest = extent - size * (length - 1)
        shape = replaced(x.shape, axis, b.open(min(rest, size), size))
    else:
        first = b.integer(0, extent)
        inputs.append(b.constant(np.array([first, extent - first], np.int64)))
        length = 2
        shape = replaced(x.shape, axis, b.open(min(first, extent - first), max(first, extent - first)))
    emit(
        b, "SplitToSequence", inputs, sequence(b, "q", x.dtype, shape, length, x.limit, x.gain), **attributes
    )


SEQUENCE_STEPS: dict[Callable[[Builder], None], int] = {
    construct: 2,
    empty: 1,
    insert: 4,
    erase: 2,
    at: 4,
    length_of: 1,
    concat: 3,
    split: 2,
}
"""Only in programs that may hold sequences."""
