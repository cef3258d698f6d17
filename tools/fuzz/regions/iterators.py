"""Loops over parts of tensors, as in OpenVINO's TensorIterator and Loop.

The parts lie along any axis, and have several elements at a time, forwards and backwards; results are concatenated
along any axis. In ONNX models they become Gathers in the body and Reshapes behind it.
"""

from __future__ import annotations

from loomir.tools.fuzz.builder import LARGEST_TENSOR, replaced
from loomir.tools.fuzz.program import Extent, Joining, Loop, Shape, Slicing, Value, elements, most
from loomir.tools.fuzz.regions.carrying import carried_argument, next_of
from loomir.tools.fuzz.regions.conditions import condition, integer_scalar
from loomir.tools.fuzz.stepper import Stepper

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
        total: Extent = joining.part * trips if exact else g.open(0, joining.part * trips)
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


def _short(extent: Extent, limit: int) -> bool:
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
