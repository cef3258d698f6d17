"""Steps with loops: ONNX Loops, iterations over slices, and Scans.

ONNX Loops have trip counts and conditions of many kinds, and carried values that change, stay, rotate, change shape or
are dead. ONNX Runtime reads the body's condition even if the loop has none (against the specification), so the body's
condition is true in that case. The scan output of a Loop needs a bound on the trip count below GRAPH. If there may be no
iteration, the scan output has static inner extents, or those of a value from outside: of these ONNX Runtime knows
nothing in that case (`OPEN_SCANS`).

Other loops run over parts of tensors, as OpenVINO's TensorIterator and Loop. The parts lie along any axis, and have
several elements at a time, forwards and backwards; results are concatenated along any axis. In ONNX models they become
Gathers in the body and Reshapes behind it.

Scans have one or two operands of equal length. They go along any axes, forwards and backwards. ONNX Runtime requires at
least one step and neither accepts nor produces empty tensors in a Scan (a division by zero ends the process).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loomir.tools.fuzz import (
    OPEN_SCANS,
    AxisExtent,
    Joining,
    Loop,
    Scan,
    ScanAxis,
    Shape,
    Slicing,
    Value,
    carried_values,
    elements,
    least,
    most,
)
from loomir.tools.fuzz.boundary_steps import fed_end
from loomir.tools.fuzz.builder import LARGEST_TENSOR, filled_surely, replaced
from loomir.tools.fuzz.carried_values import (
    Carry,
    NarrowCounter,
    carried_argument,
    following,
    goes_on,
    narrow_counter,
    next_of,
)
from loomir.tools.fuzz.region_steps import Stepper, condition, integer_scalar

KINDS = (
    *("static", "static", "static", "dynamic", "dynamic", "dynamic", "computed"),
    *("condition", "condition", "while", "while", "huge"),
)
HUGE = (2**31 + 3, 2**32 + 3, 2**63 - 2, 2**63 - 1)
NONE = (0, 0, 0, -1, -(2**63) + 1, -(2**63))
"""Constants of no trips."""


@dataclass
class Trips:
    """Termination of a loop: its operands and properties of its trip count.

    `exact`: exactly `most` iterations run. `counts`: the body must count. `bounded`: an engine can know that there are at
    most `most` iterations.
    """

    kind: str
    trip: Value | None
    condition: Value | None
    most: int
    exact: bool
    counts: bool
    bounded: bool


def loop(g: Stepper) -> None:
    """A Loop of some kind."""
    trips = _trips(g)
    narrow = narrow_counter(g, trips.most) if trips.kind == "while" and g.chance(0.5) else None
    if narrow is not None:
        trips.most = narrow.trips
    given = carried_values.carries(g, trips.most, trips.bounded)
    if not trips.bounded and not given:
        # A scan output alone has no bound below GRAPH.
        given.append(("plain", g.any_of(g.any_type())))
    if narrow is not None:
        given.append(("counter", g.number(narrow.begin, narrow.dtype)))
    elif trips.kind == "while":
        given.append(("counter", g.number(0)))
    outside = [v for v in g.scope.values if _is_open(v)]
    scope = g.enter(trips.most)
    iteration = g.value("i", "i64", (), max(trips.most, 1))
    incoming = g.value("ci", "bool", (), 1)
    made = carried_values.begin(g, given, trips.most)
    g.publish(iteration)
    if trips.condition is not None:
        g.publish(incoming)
    g.steps(g.integer(1, 5))
    counter = made[-1] if trips.kind == "while" else None
    carried_values.finish(g, made[:-1] if counter is not None else made)
    if counter is not None and narrow is not None:
        counter.following = following(g, narrow, counter.argument)
    elif counter is not None:
        counter.following = g.emit("Add", [counter.argument, g.number(1)], "i64", (), 20)
    again = _again(g, trips, incoming, iteration, counter, narrow)
    scans = _scans(g, trips, bool(made), outside)
    nexts = [c.following for c in made if c.following is not None]
    parameters = (iteration, incoming, *(c.argument for c in made))
    region = scope.region(parameters, (again, *nexts, *scans))
    g.leave(region.results)
    outputs: list[Value] = []
    for carry, value in zip(made, nexts):
        limit, gain = max(carry.initial.limit, value.limit), max(carry.initial.gain, value.gain)
        exact = trips.most if trips.exact else None
        shape = carried_values.result_shape(carry, exact)
        outputs.append(g.value("l", carry.initial.dtype, shape, limit, gain))
    hidden = [c.role == "dead" or "dead cycle" in c.role for c in made]
    extent: AxisExtent = trips.most if trips.exact else g.open(0, trips.most)
    for value in scans:
        stacked: Shape = (extent, *(value.shape or ()))
        outputs.append(g.value("s", value.dtype, stacked, value.limit, value.gain))
        hidden.append(False)
    inputs = tuple(c.initial for c in made)
    g.append(Loop(trips.trip, trips.condition, inputs, region, tuple(outputs), len(scans)))
    g.publish(*(v for v, dead in zip(outputs, hidden) if not dead))
    g.feature("loop")
    if scans:
        g.feature("loop with scan outputs")


def _trips(g: Stepper) -> Trips:
    """Operands of one of the kinds of loops."""
    kind = g.choose(KINDS)
    limit = g.trip_limit()
    count = g.integer(0, limit)
    bounded = kind not in ("while", "huge")
    trip: Value | None = None
    if kind == "dynamic" and limit >= 5 and g.chance(0.3):
        # Nothing but the caller knows how large the number may be.
        trip = _input_number(g)
        count, bounded = round(trip.limit), False
        g.feature("trips as fed")
    elif kind in ("dynamic", "computed"):
        trip = _ends_to(g, count) if g.chance(0.3) else None
        if trip is None:
            number = _input_number(g) if kind == "dynamic" else integer_scalar(g)
            trip = g.emit("Min", [number, g.number(count)], "i64", (), max(number.limit, count))
    elif kind in ("static", "condition"):
        trip = _one_number(g, np.array(count or g.choose(NONE), np.int64))
    elif kind == "huge":
        trip = g.number(g.choose(HUGE))
    g.feature(f"{kind} trips")
    if kind in ("static", "condition") and count == 0:
        g.feature("zero trips")
    cond, starts = _initial_condition(g, kind)
    counts = kind in ("while", "huge")
    return Trips(
        kind, trip, cond, max(count, 1) if counts else count, kind == "static" and starts, counts, bounded
    )


def _input_number(g: Stepper) -> Value:
    """The number that is fed, which may be negative."""
    return next(v for v in g.scope.values if v.dtype == "i64" and v.shape == ())


def _ends_to(g: Stepper, count: int) -> Value | None:
    """Return the lesser of `count` and a fed end of 64 bits.

    The result is `count` (all iterations), or a negative number far from 0.
    """
    end = fed_end(g)
    if end is None:
        return None
    g.feature("trips from the ends of 64 bits")
    number = g.hidden("Reshape", [end, g.vector()], "i64", (), end.limit)
    return g.hidden("Min", [number, g.number(count)], "i64", (), end.limit)


def _initial_condition(g: Stepper, kind: str) -> tuple[Value | None, bool]:
    """Return an initial condition, and True if it surely starts the loop.

    The condition is None, true, false, or computed.
    """
    if kind in ("static", "dynamic", "computed") and g.chance(0.6):
        g.feature("no condition")
        return None, True
    if g.chance(0.25):
        g.feature("dynamic initial condition")
        return condition(g), False
    if g.chance(0.08):
        g.feature("initial condition false")
        return g.number(False, "bool"), False
    return g.number(True, "bool"), True


def _one_number(g: Stepper, array: np.ndarray) -> Value:
    """Return a constant of rank 0, or sometimes of shape [1].

    ONNX allows both.
    """
    if g.chance(0.1):
        g.feature("trips of shape [1]")
        array = array.reshape(1)
    return g.constant(array)


def _again(
    g: Stepper,
    trips: Trips,
    incoming: Value,
    iteration: Value,
    counter: Carry | None,
    narrow: NarrowCounter | None,
) -> Value:
    """The condition for the next iteration."""
    if trips.condition is None:
        return g.number(True, "bool")
    if trips.counts:
        # A counter that the body keeps, already incremented, or the number of this iteration.
        kept = None if counter is None else counter.following
        if counter is not None and kept is not None and narrow is not None:
            again = goes_on(g, narrow, counter.argument, kept)
        else:
            operands = [iteration, g.number(trips.most - 1)] if kept is None else [kept, g.number(trips.most)]
            again = g.emit("Less", operands, "bool", (), 1)
        if g.chance(0.4):
            again = g.emit("And", [again, condition(g)], "bool", (), 1)
        g.feature("early exit")
        return again
    if trips.kind == "condition":
        g.feature("early exit")
        return condition(g)
    if g.chance(0.5):
        g.feature("condition passed through")
        return incoming
    return g.number(True, "bool")


def _is_open(value: Value) -> bool:
    """Return True if a value may be a part of dynamic shape."""
    return (
        value.shape is not None
        and value.length is None
        and not value.static
        and value.rank < 4
        and elements(value.shape) <= 32
    )


def _scans(g: Stepper, trips: Trips, carried: bool, outside: list[Value]) -> list[Value]:
    """Values of which every iteration's is kept."""
    scans: list[Value] = []
    wanted = g.choose((0, 1, 1, 2)) if trips.bounded or g.open_trips else 0
    if wanted and not trips.bounded:
        g.feature("scan outputs of an unbounded loop")
        g.refusals |= {"unbounded-shape", "unbounded-trips"}
    for _ in range(wanted if carried or wanted else 1):
        dtype = "bool" if g.chance(0.1) else g.any_type()
        found = g.pick(dtype, lambda v: v.static and v.rank < 4 and elements(v.shape or ()) <= 32)
        scans.append(found or g.random_constant(dtype, (2,)))
    if trips.exact and trips.most > 0:
        return scans
    # Of what ONNX Runtime does not know the extents after no trips, make it know them.
    scans = [_reshaped(g, v) for v in scans]
    if g.open_scans and outside and g.chance(0.3):
        whole = outside[g.integer(0, len(outside) - 1)]
        scans.append(g.emit("Identity", [whole], whole.dtype, whole.shape, whole.limit))
        g.feature(OPEN_SCANS)
    return scans


def _reshaped(g: Stepper, value: Value) -> Value:
    """A value of static shape, by a Reshape to that shape."""
    extents = g.vector(*(most(e) for e in value.shape or ()))
    return g.emit("Reshape", [value, extents], value.dtype, value.shape, value.limit, allowzero=1)


LARGEST_PART = 2


def iterator(g: Stepper) -> None:
    """A loop over the parts of one or two operands."""
    slicings, trips = _slicings(g)
    trip = g.number(trips)
    exact = True
    if g.chance(0.25):
        # At most as many as there are parts: beyond them is an error.
        number = integer_scalar(g)
        trip = g.emit("Min", [number, trip], "i64", (), max(number.limit, trips))
        exact = False
    stops = g.chance(0.25)
    initial = [g.any_of(g.any_type()) for _ in range(g.choose((0, 1, 1, 2)))]
    scope = g.enter(trips)
    iteration = g.value("i", "i64", (), max(trips, 1))
    incoming = g.value("ci", "bool", (), 1)
    arguments = [carried_argument(g, v) for v in initial]
    parts = [
        g.value(
            "p", s.value.dtype, replaced(s.value.shape or (), s.axis, s.part), s.value.limit, s.value.gain
        )
        for s in slicings
    ]
    g.publish(iteration, *arguments, *parts)
    g.steps(g.integer(1, 4))
    following = [next_of(g, a, arguments) for a in arguments]
    again = condition(g) if stops else g.number(True, "bool")
    exact = exact and not stops
    joined = [_joined(g, trips, exact) for _ in range(g.choose((1, 1, 2)))]
    region = scope.region(
        (iteration, incoming, *arguments, *parts), (again, *following, *(v for v, _ in joined))
    )
    g.leave(region.results)
    outputs = [
        g.value("l", v.dtype, v.shape, max(v.limit, f.limit), max(v.gain, f.gain))
        for v, f in zip(initial, following)
    ]
    for value, joining in joined:
        total: AxisExtent = joining.part * trips if exact else g.open(0, joining.part * trips)
        shape = replaced(value.shape or (), joining.axis, total)
        outputs.append(g.value("s", value.dtype, shape, value.limit, value.gain))
        _note(g, "joined parts", joining.axis, joining.part, joining.backward)
    cond = g.number(True, "bool") if stops else None
    joinings = tuple(j for _, j in joined)
    g.append(Loop(trip, cond, tuple(initial), region, tuple(outputs), 0, tuple(slicings), joinings))
    g.publish(*outputs)
    g.feature("loop over parts")


def _slicings(g: Stepper) -> tuple[list[Slicing], int]:
    """Return one or two operands and their equal number of parts."""
    limit = max(2, g.trip_limit())

    def fits(v: Value) -> bool:
        return any(isinstance(e, int) and 0 < e <= limit * LARGEST_PART for e in v.shape or ())

    first = g.pick(g.any_type(), fits) or g.random_constant(g.float, (2,))
    slicing, trips = _cut(
        g, first, g.choose([i for i, e in enumerate(first.shape or ()) if _short(e, limit)]), limit
    )
    result = [slicing]
    if g.chance(0.4):
        second = g.pick(g.any_type(), lambda v: trips in (v.shape or ()))
        if second is not None:
            axis = g.choose([i for i, e in enumerate(second.shape or ()) if e == trips])
            result.append(_slicing(g, second, axis, 1))
    return result, trips


def _short(extent: AxisExtent, limit: int) -> bool:
    return isinstance(extent, int) and 0 < extent <= limit * LARGEST_PART


def _cut(g: Stepper, value: Value, axis: int, limit: int) -> tuple[Slicing, int]:
    extent = most((value.shape or ())[axis])
    first = g.integer(1, extent - 1) if extent > 1 and g.chance(0.2) else 0
    if first:
        g.feature("parts of a range")
    left = extent - first
    part = g.choose([n for n in range(1, left + 1) if left % n == 0 and left // n <= limit])
    return _slicing(g, value, axis, part, first), left // part


def _slicing(g: Stepper, value: Value, axis: int, part: int, left_out: int = 0) -> Slicing:
    """All elements but some at one end."""
    backward = g.chance(0.4)
    at_the_end = bool(left_out) and g.chance(0.5)
    first = 0 if at_the_end else left_out
    last = -1 - left_out if at_the_end else -1
    _note(g, "parts", axis, part, backward)
    if backward:
        return Slicing(value, axis, last, first, -part, part)
    return Slicing(value, axis, first, last, part, part)


def _joined(g: Stepper, trips: int, exact: bool) -> tuple[Value, Joining]:
    """Return a result of each iteration and how the results are concatenated."""

    def fits(v: Value) -> bool:
        shape: Shape = v.shape or ()
        size = elements(shape)
        return v.static and len(shape) > 0 and 0 < size <= LARGEST_TENSOR // trips

    found = g.pick(g.any_type(), fits) or g.random_constant(g.float, (2,))
    if not exact:
        # With no trips the inner extents are what inference knows of them, so make it know.
        extents = g.vector(*(most(e) for e in found.shape or ()))
        found = g.emit("Reshape", [found, extents], found.dtype, found.shape, found.limit)
    axis = g.integer(0, found.rank - 1)
    return found, Joining(axis, most((found.shape or ())[axis]), g.chance(0.3))


def _note(g: Stepper, what: str, axis: int, part: int, backward: bool) -> None:
    g.feature(f"{what} on axis {axis}")
    if part > 1:
        g.feature(f"{what} of several elements")
    if backward:
        g.feature(f"{what} backwards")


def scan(g: Stepper) -> None:
    """A Scan with states and scan outputs."""
    room = g.trip_limit()

    def may_be_sequence(v: Value) -> bool:
        return filled_surely(v) and any(most(e) <= max(room, 2) for e in v.shape or ())

    first = g.pick(g.any_type(), may_be_sequence) or g.random_constant(g.float, (2,))
    assert first.shape is not None
    length = g.choose([e for e in first.shape if most(e) <= max(room, 2)])
    sequences = [first]
    if g.chance(0.5):
        second = g.pick(g.any_type(), lambda v: length in (v.shape or ()) and filled_surely(v))
        sequences += [second] if second is not None else []
    axes: list[int] = []
    given: list[ScanAxis] = []
    for v in sequences:
        axis = g.choose([i for i, e in enumerate(v.shape or ()) if e == length])
        axes.append(axis)
        given.append(_axis(g, axis, v.rank, "scan input"))
    states = [g.any_of(g.any_type()) for _ in range(g.choose((0, 1, 2)))]
    scope = g.enter(most(length))
    arguments = [carried_argument(g, v) for v in states]
    parts = [
        g.value("p", v.dtype, replaced(v.shape or (), a), v.limit, v.gain) for v, a in zip(sequences, axes)
    ]
    g.publish(*arguments, *parts)
    g.steps(g.integer(1, 5))
    following = [next_of(g, a, arguments) for a in arguments]
    scans: list[Value] = []
    for _ in range(g.integer(0 if states else 1, 2)):
        found = g.pick(g.any_type(), lambda v: v.static and v.rank < 4 and 0 < elements(v.shape or ()) <= 32)
        scans.append(found or g.random_constant(g.float, (2,)))
    region = scope.region((*arguments, *parts), (*following, *scans))
    g.leave(region.results)
    outputs = [
        g.value("l", v.dtype, v.shape, max(v.limit, f.limit), max(v.gain, 1.0))
        for v, f in zip(states, following)
    ]
    output_axes: list[ScanAxis] = []
    for v in scans:
        shape = v.shape or ()
        axis = g.integer(0, len(shape))
        stacked = (*shape[:axis], length, *shape[axis:])
        outputs.append(g.value("s", v.dtype, stacked, v.limit, v.gain))
        output_axes.append(_axis(g, axis, len(stacked), "scan output"))
    g.append(Scan(tuple(states), tuple(sequences), tuple(given), region, tuple(outputs), tuple(output_axes)))
    g.publish(*outputs)
    g.feature("scan")
    if not isinstance(length, int):
        g.feature("scan of dynamic length")
    assert least(length) > 0


def _axis(g: Stepper, axis: int, rank: int, what: str) -> ScanAxis:
    backward = g.chance(0.4)
    g.feature(f"{what} on axis {axis}")
    if backward:
        g.feature(f"{what} backwards")
    return ScanAxis(axis if g.chance(0.7) else axis - rank, backward)
