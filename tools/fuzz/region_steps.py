"""Regions of random programs: steps in them, conditions, and branches.

A `Stepper` fills regions with steps: it chooses their kinds and number, and their share with regions. Conditions and
numbers of trips are those of branches and loops.

The arms of an If differ in extents or in rank, or one of them is unreachable and must never be evaluated. Values whose
rank is only known at run time are results of Ifs, results of Loops, and values of computed shapes; steps use them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np

from loomir.tools.fuzz import AxisExtent, If, Loop, Op, Region, Shape, Value, elements, least, most
from loomir.tools.fuzz.builder import Builder, Choices, replaced

MAX_TRIPS = 40
"""How often the innermost region of a program may run, about."""

_T = TypeVar("_T")

Weights = Mapping[Callable[[Any], None], int]
"""Kinds of steps with their relative frequencies."""


class Stepper(Builder):
    """Fills regions with steps, of which some have regions that it fills."""

    def __init__(self, choices: Choices, *, size: int, depth: int, plain: Weights, regions: Weights) -> None:
        super().__init__(choices)
        self.size = size
        self.depth = depth
        self.regions = 0
        self.max_regions = max(2, size)
        self.open_trips = self.chance(0.08)
        """True if unbounded loops may have scan outputs.

        The contents of these scan outputs have no bound either below GRAPH.
        """
        self.open_scans = False
        """True if scan outputs may have extents unknown to ONNX Runtime.

        ONNX Runtime does not know them after no iteration (`OPEN_SCANS`).
        """
        self._plain = _table(plain)
        self._regions = _table(regions)

    def steps(self, count: int, *, wanted: int = 0) -> None:
        """Append steps in the present scope.

        Some are branches and loops: at least about `wanted` of them if there is room.
        """
        deep = self.scope.depth
        made = 0
        for index in range(count):
            room = deep < self.depth and self.regions < self.max_regions
            due = made < wanted and index >= 2 + 2 * made
            if room and (due or self.chance(0.4 if self.dense else 0.2 if deep == 0 else 0.26)):
                self.regions += 1
                made += 1
                self.feature(f"region depth {deep + 1}")
                self.weighted(self._regions)(self)
            else:
                self.weighted(self._plain)(self)

    def weighted(self, table: tuple[list[_T], list[int]]) -> _T:
        """One of a table's functions, by weight."""
        return self.choices.weighted(*table)

    def trip_limit(self) -> int:
        """Return the maximum trip count of a loop in the present scope.

        The more often the enclosing region runs, the lower it is.
        """
        return max(1, min(5, MAX_TRIPS // self.scope.trips))


def _table(weights: Mapping[_T, int]) -> tuple[list[_T], list[int]]:
    return list(weights), list(accumulate(weights.values()))


def condition(b: Builder) -> Value:
    """Return a boolean that changes with the data.

    It is an existing boolean, or a comparison of integers or of the sum of floats.
    """
    kind = b.integer(0, 9)
    if kind < 3:
        found = b.pick("bool", lambda v: v.shape == ())
        if found is not None:
            return found
    if kind < 9:
        number = integer_scalar(b)
        kind = b.choose(("Less", "Greater", "Equal", "GreaterOrEqual", "LessOrEqual"))
        return b.emit(kind, [number, b.number(b.integer(-1, 5), number.dtype)], "bool", (), 1)
    x = b.any_of(b.float)
    # Not limited, and read by the comparison only.
    total = b.value("sum", x.dtype, (), x.limit * elements(x.shape or ()), 0.0)
    b.append(Op("ReduceSum", (x,), (total,), {"keepdims": 0}))
    bound = b.number(float(b.numpy.uniform(-0.5, 0.5)), x.dtype)
    b.feature("condition of floats")
    return b.emit(b.choose(("Less", "Greater")), [total, bound], "bool", (), 1)


def integer_scalar(b: Builder, dtype: str = "i64") -> Value:
    """Return an integer of rank 0: an existing one or a sum.

    The sum is that of a tensor.
    """
    number = b.any_of(dtype, lambda v: v.shape == ()) if b.chance(0.7) else b.any_of(dtype)
    if number.shape == ():
        return number
    count = max(elements(number.shape or ()), 1)
    return b.emit("ReduceSum", [number], dtype, (), number.limit * count, keepdims=0)


def false_at_run_time(b: Builder) -> Value:
    """Return a condition that never holds: |n| < -1.

    No compiler is expected to find this out.
    """
    number = integer_scalar(b)
    size = b.emit("Abs", [number], "i64", (), number.limit)
    return b.emit("Less", [size, b.number(-1)], "bool", (), 1)


def if_(g: Stepper) -> None:
    """Two branches; results differ in some extent now and then."""
    cond = condition(g)
    if g.chance(0.08):
        cond = g.number(g.chance(0.5), "bool")
        g.feature("if of a constant")
    count = g.choose((1, 1, 2, 3))
    g.enter()
    g.steps(g.integer(1, 4))
    first = [g.any_of("bool" if g.chance(0.1) else g.any_type()) for _ in range(count)]
    then = close(g, first)
    g.enter()
    g.steps(g.integer(0, 4))
    second = [_alike(g, v) for v in first]
    shapes = [_joined(g, a, b) for a, b in zip(first, second)]
    otherwise = close(g, second)
    if g.chance(0.5):
        then, otherwise = otherwise, then
    finish(g, cond, then, otherwise, list(zip(first, second)), shapes)
    g.feature("if")


def close(g: Stepper, results: list[Value]) -> Region:
    """The arm that is being filled, with these results."""
    scope = g.scope
    g.leave(results)
    return scope.region((), results)


def finish(
    g: Stepper,
    cond: Value,
    then: Region,
    otherwise: Region,
    pairs: list[tuple[Value, Value]],
    shapes: Sequence[Shape | None],
) -> list[Value]:
    """Append an If of two arms and return its outputs.

    The results of the arms are joined pairwise to these shapes (None: of any rank).
    """
    outputs: list[Value] = []
    for (a, b), shape in zip(pairs, shapes):
        outputs.append(g.value("if", a.dtype, shape, max(a.limit, b.limit), max(a.gain, b.gain)))
        if shape is not None and (a.shape != shape or b.shape != shape):
            g.feature("shape-changing if")
    g.append(If(cond, then, otherwise, tuple(outputs)))
    g.publish(*outputs)
    return outputs


def _joined(g: Stepper, a: Value, b: Value) -> Shape:
    """Return the shape of a value that is one of two.

    An open extent of a branch has no meaning outside of the branch.
    """
    assert a.shape is not None
    assert b.shape is not None
    return tuple(_joined_extent(g, x, y) for x, y in zip(a.shape, b.shape))


def _joined_extent(g: Stepper, a: AxisExtent, b: AxisExtent) -> AxisExtent:
    if a == b and g.known_outside(a):
        return a
    return g.open(min(least(a), least(b)), max(most(a), most(b)))


def _alike(g: Stepper, wanted: Value) -> Value:
    """Return a value of the same type and rank.

    It has the same shape, or differs in extents.
    """
    assert wanted.shape is not None
    if g.chance(0.3):
        other = g.pick(wanted.dtype, lambda v: v.rank == wanted.rank > 0)
        if other is not None:
            return other
    return g.pick(wanted.dtype, lambda v: v.shape == wanted.shape) or g.filled_like(wanted)


def faulty_if(g: Stepper) -> None:
    """Emit a branch that is never taken and reads out of bounds.

    It would read behind the end of a tensor.
    """
    x = g.pick(g.any_type(), lambda v: v.rank > 0)
    if x is None or x.shape is None:
        return
    cond = false_at_run_time(g)
    axis = g.integer(0, x.rank - 1)
    g.enter()
    far = g.constant(np.array(most(x.shape[axis]) + g.integer(0, 3), np.int64))
    if g.chance(0.5):
        far = g.emit("Identity", [far], "i64", (), far.limit)
    bad = g.emit("Gather", [x, far], x.dtype, replaced(x.shape, axis), x.limit, axis=axis)
    then = close(g, [bad])
    g.enter()
    good = g.pick(x.dtype, lambda v: v.shape == bad.shape) or g.filled_like(bad)
    shape = _joined(g, bad, good)
    otherwise = close(g, [good])
    if g.chance(0.5):
        cond = g.emit("Not", [cond], "bool", (), 1)
        then, otherwise = otherwise, then
    finish(g, cond, then, otherwise, [(bad, good)], [shape])
    g.feature("fault in an arm not taken")


MAX_RANK = 3
"""Of what a loop begins with."""


def rank_changing_if(g: Stepper) -> None:
    """Two branches whose results differ in rank."""
    cond = condition(g)
    g.enter()
    g.steps(g.integer(0, 2))
    first = g.any_of(g.any_type())
    then = close(g, [first])
    g.enter()
    g.steps(g.integer(0, 2))
    second = g.pick(first.dtype, lambda v: v.rank != first.rank)
    if second is None:
        shape = [2] if first.rank != 1 else [2, 1]
        second = g.random_constant(first.dtype, shape)
    otherwise = close(g, [second])
    if g.chance(0.5):
        then, otherwise = otherwise, then
    (result,) = finish(g, cond, then, otherwise, [(first, second)], [None])
    g.feature("rank-changing if")
    count = max(elements(first.shape or ()), elements(second.shape or ()))
    _use(g, result, count, min(first.rank, second.rank))


def rank_changing_loop(g: Stepper) -> None:
    """Emit a loop that changes the rank of its carried value.

    The loop adds a dimension to the value, or reduces it to a scalar.
    """
    start = g.any_of(g.any_type(), lambda v: v.rank <= MAX_RANK)
    count = elements(start.shape or ())
    trips = min(g.trip_limit(), 4)
    number = next(v for v in g.scope.values if v.dtype == "i64" and v.shape == ())
    trip = g.emit("Min", [number, g.number(trips)], "i64", (), max(number.limit, trips))
    grows = g.chance(0.6)
    scope = g.enter(trips)
    iteration, incoming = g.value("i", "i64", (), max(trips, 1)), g.value("ci", "bool", (), 1)
    # A sum that is summed again stays what it is.
    limit = start.limit if grows else start.limit * max(count, 1)
    gain = start.gain if grows else start.gain * max(count, 1)
    inside = g.value("r", start.dtype, None, limit, gain)
    if grows:
        value = g.hidden("Neg", [inside], start.dtype, None, limit) if g.chance(0.5) else inside
        following = g.hidden("Unsqueeze", [value, g.vector(g.choose((0, 0, -1)))], start.dtype, None, limit)
    else:
        following = g.hidden("ReduceSum", [inside], start.dtype, (), limit, gain=gain, keepdims=0)
    again = g.number(True, "bool")
    region = scope.region((iteration, incoming, inside), (again, following))
    g.leave([again, following])
    result = g.value("l", start.dtype, None, limit, gain)
    g.append(Loop(trip, None, (start,), region, (result,)))
    g.feature("rank-changing loop")
    _use(g, g.tamed(result), max(count, 1), start.rank if grows else 0)


def shape_of_any_length(g: Stepper) -> None:
    """Emit a Reshape to a shape of dynamic length.

    The length is only known at run time.
    """
    x = g.any_of(g.any_type(), lambda v: v.rank > 0)
    cond = condition(g)
    arms = []
    others = [(1, -1), (-1, 1, 1)]
    if all(least(e) for e in x.shape or ()):
        others.append((0, -1))  # of no elements ONNX Runtime refuses it
    for shape in ((-1,), g.choose(others)):
        g.enter()
        wanted = g.emit("Identity", [g.vector(*shape)], "i64", (len(shape),), 2)
        arms.append((wanted, close(g, [wanted])))
    (first, then), (second, otherwise) = arms
    length = g.open(1, 3)
    (wanted,) = finish(g, cond, then, otherwise, [(first, second)], [(length,)])
    g.feature("shape of any length")
    y = g.emit("Reshape", [x, wanted], x.dtype, None, x.limit)
    _use(g, y, elements(x.shape or ()), 1)


def element_loop(g: Stepper) -> None:
    """Emit a loop over the elements of a vector.

    The vector may have no elements: then no shape allows the body.
    """
    x = g.pick(g.float, lambda v: v.rank == 1 and most((v.shape or (99,))[0]) <= g.trip_limit())
    if x is None or x.shape is None:
        return
    trips = most(x.shape[0])
    trip = g.emit("Size", [x], "i64", (), max(trips, 1))
    scope = g.enter(trips)
    iteration, incoming = g.value("i", "i64", (), max(trips, 1)), g.value("ci", "bool", (), 1)
    limit = x.limit * (trips + 1)
    inside = g.value("r", x.dtype, (), limit, x.gain * (trips + 1))
    begin = g.hidden("Reshape", [iteration, g.vector(1)], "i64", (1,), max(trips, 1))
    end = g.hidden("Add", [begin, g.vector(1)], "i64", (1,), trips + 1)
    part = g.hidden("Slice", [x, begin, end], x.dtype, (g.open(0, 1),), x.limit)
    element = g.hidden("Reshape", [part, g.vector()], x.dtype, (), x.limit)
    following = g.hidden("Add", [inside, element], x.dtype, (), limit)
    again = g.number(True, "bool")
    region = scope.region((iteration, incoming, inside), (again, following))
    g.leave([again, following])
    result = g.value("l", x.dtype, (), limit, x.gain * (trips + 1))
    start = g.number(0.5, x.dtype)
    g.append(Loop(trip, None, (start,), region, (result,)))
    g.feature("loop over elements")
    g.tamed(result)


def _use(g: Stepper, x: Value, count: int, least_rank: int) -> None:
    """Emit some operations on a value of dynamic rank.

    They are followed by one whose result has a known rank, or by nothing more.
    """
    for _ in range(g.integer(0, 2)):
        kinds = ("Neg", "Add", "Unsqueeze", *(("ReduceSum", "Concat") if least_rank else ()))
        kind = g.choose(kinds)
        if kind == "Neg":
            x = g.emit(kind, [x], x.dtype, None, x.limit)
        elif kind == "Add":
            x = g.emit(kind, [x, g.number(2, x.dtype)], x.dtype, None, x.limit + 2)
        elif kind == "Unsqueeze":
            x = g.emit(kind, [x, g.vector(g.choose((0, -1)))], x.dtype, None, x.limit)
            least_rank += 1
        elif kind == "Concat":
            x = g.emit(kind, [x, x], x.dtype, None, x.limit, gain=x.gain, axis=0)
            count *= 2
        else:
            total, gain = x.limit * max(count, 1), x.gain * max(count, 1)
            x = g.emit(kind, [x, g.vector(0)], x.dtype, None, total, gain=gain, keepdims=1)
    end = g.choose(("", "Size", "ReduceSum", "Reshape", "Reshape"))
    if end == "Size":
        g.emit(end, [x], "i64", (), float(max(count, 1)))
    elif end == "ReduceSum":
        total, gain = x.limit * max(count, 1), x.gain * max(count, 1)
        g.emit(end, [x], x.dtype, (), total, gain=gain, keepdims=0)
    elif end == "Reshape":
        g.emit(end, [x, g.vector(-1)], x.dtype, (g.open(0, count),), x.limit)
