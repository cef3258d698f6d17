"""Values whose rank is only known at run time, and their uses.

They are results of Ifs, results of Loops, and values of computed shapes.
"""

from __future__ import annotations

from loomir.tools.fuzz.program import Loop, Value, elements, least, most
from loomir.tools.fuzz.regions.branches import close, finish
from loomir.tools.fuzz.regions.conditions import condition
from loomir.tools.fuzz.stepper import Stepper

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
