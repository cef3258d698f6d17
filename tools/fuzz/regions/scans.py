"""Scans of one or two operands of equal length.

They go along any axes, forwards and backwards. ONNX Runtime requires at least one step and neither accepts nor produces
empty tensors in a Scan (a division by zero ends the process).
"""

from __future__ import annotations

from loomir.tools.fuzz.builder import filled_surely, replaced
from loomir.tools.fuzz.program import Scan, ScanAxis, Value, elements, least, most
from loomir.tools.fuzz.regions.carrying import carried_argument, next_of
from loomir.tools.fuzz.stepper import Stepper


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
