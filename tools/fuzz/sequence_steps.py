"""Steps with sequences of tensors (ONNX only).

Sequences are created, inserted into, erased from, read, joined, and split off a tensor. Loops carry a sequence of
tensors, and branches give one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loomir.tools.fuzz import Attribute, AxisExtent, If, Loop, Op, Region, Shape, Value, elements, least, most
from loomir.tools.fuzz.builder import LARGEST_RANK, LARGEST_TENSOR, Builder, replaced
from loomir.tools.fuzz.carried_values import carried_argument, damped, next_of
from loomir.tools.fuzz.movement_steps import index
from loomir.tools.fuzz.region_steps import Stepper, condition, integer_scalar

LONGEST = 8


def sequence(
    b: Builder, prefix: str, dtype: str, shape: Shape, length: AxisExtent, limit: float, gain: float
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


LONGEST_START = 3


def _some_sequence(g: Stepper) -> Value | None:
    found = pick_sequence(g, lambda v: longest(v) <= LONGEST_START)
    if found is None:
        construct(g)
        found = pick_sequence(g, lambda v: longest(v) <= LONGEST_START)
    return found


def appending_loop(g: Stepper) -> None:
    """Emit a loop that inserts tensors into a sequence.

    It inserts a tensor in each iteration, or in some.
    """
    start = _some_sequence(g)
    if start is None or start.length is None:
        return
    trips = g.integer(0, min(3, g.trip_limit()))
    exact = g.chance(0.5)
    trip = g.number(trips)
    if not exact:
        number = integer_scalar(g)
        trip = g.emit("Min", [number, trip], "i64", (), max(number.limit, trips))
    stops = g.chance(0.3)
    at_times = g.chance(0.3)
    initial = g.any_of(start.dtype, lambda v: v.rank == len(start.shape or ()))
    if initial.rank != len(start.shape or ()):
        return
    scope = g.enter(trips)
    iteration, incoming = g.value("i", "i64", (), max(trips, 1)), g.value("ci", "bool", (), 1)
    argument = carried_argument(g, initial)
    shape = joined(g, start.shape or (), initial.shape or ())
    low, high = shortest(start), longest(start)
    limit, gain = max(start.limit, argument.limit), max(start.gain, 1.0)
    inner = sequence(g, "q", start.dtype, shape, g.open(low, high + trips), limit, gain)
    g.publish(iteration, argument, inner)
    g.steps(g.integer(1, 3))
    following = next_of(g, argument, [argument])
    element = damped(g, g.pick(start.dtype, lambda v: v.shape == initial.shape) or following)
    longer = _inserted_at_times(g, inner, element) if at_times else insert_into(g, inner, element)
    again = condition(g) if stops else g.number(True, "bool")
    region = scope.region((iteration, incoming, inner, argument), (again, longer, following))
    g.leave(region.results)
    whole = exact and not stops and not at_times
    length = high + trips if whole and low == high else g.open(low + (trips if whole else 0), high + trips)
    outputs = (
        sequence(g, "q", start.dtype, shape, length, max(limit, longer.limit), max(gain, longer.gain)),
        g.value(
            "l", initial.dtype, initial.shape, max(initial.limit, following.limit), max(initial.gain, 1.0)
        ),
    )
    cond = g.number(True, "bool") if stops else None
    g.append(Loop(trip, cond, (start, initial), region, outputs))
    g.publish(*outputs)
    g.feature("loop that appends to a sequence")


def _inserted_at_times(g: Stepper, q: Value, element: Value) -> Value:
    """The sequence with the element in it if a condition holds."""
    cond = condition(g)
    scope = g.enter()
    longer = insert_into(g, q, element)
    then = scope.region((), (longer,))
    g.leave(then.results)
    length = g.open(shortest(q), longest(longer))
    limit, gain = max(q.limit, element.limit), max(q.gain, element.gain)
    output = sequence(g, "q", q.dtype, q.shape or (), length, limit, gain)
    g.append(If(cond, then, Region((), (), (q,)), (output,)))
    g.publish(output)
    g.feature("sequence that grows at times")
    return output


def sequence_if(g: Stepper) -> None:
    """Branches that give sequences of different lengths."""
    start = _some_sequence(g)
    if start is None:
        return
    cond = condition(g)
    rank = len(start.shape or ())
    scope = g.enter()
    g.steps(g.integer(0, 2))
    element = g.pick(start.dtype, lambda v: v.rank == rank)
    longer = insert_into(g, start, element) if element is not None else start
    then = scope.region((), (longer,))
    g.leave(then.results)
    low, high = shortest(start), max(longest(start), longest(longer))
    # An extent that both have is known here, since one of them was made here.
    shape = joined(g, start.shape or (), longer.shape or ())
    limit, gain = max(start.limit, longer.limit), max(start.gain, longer.gain)
    output = sequence(g, "q", start.dtype, shape, g.open(low, high), limit, gain)
    arms = (then, Region((), (), (start,)))
    then, otherwise = arms if g.chance(0.5) else (arms[1], arms[0])
    g.append(If(cond, then, otherwise, (output,)))
    g.publish(output)
    g.feature("if that gives a sequence")


SEQUENCE_REGIONS: dict[Callable[[Stepper], None], int] = {appending_loop: 5, sequence_if: 3}
"""Only in programs that may hold sequences."""
