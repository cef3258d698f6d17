"""Loops that carry a sequence of tensors, and branches that give one."""

from __future__ import annotations

from collections.abc import Callable

from loomir.tools.fuzz.operations.sequences import (
    construct,
    insert_into,
    joined,
    longest,
    pick_sequence,
    sequence,
    shortest,
)
from loomir.tools.fuzz.program import If, Loop, Region, Value
from loomir.tools.fuzz.regions.carrying import carried_argument, damped, next_of
from loomir.tools.fuzz.regions.conditions import condition, integer_scalar
from loomir.tools.fuzz.stepper import Stepper

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
