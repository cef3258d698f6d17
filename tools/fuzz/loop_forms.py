"""Loops of the forms that passes on loop structure look for.

Random steps rarely make them: a body reads a row of a tensor by its iteration number, and what it computes of the rows is a map, a
reduction, a recurrence, or known from the iteration number. Such a loop has two to four of the parts below, each on values that the
other parts make, so that a part often depends on another one, which must then stop the pass. Now and then a second loop of as many
trips follows, over the same rows or over those that the first one gives.

| part | carried value or row |
|---|---|
| `map` | an elementwise function of the row, or its product with a constant |
| `arms` | the row, changed in one arm or the other of a branch on the iteration number, its parity, or an invariant |
| `reduction` | the sum, product, minimum or maximum of rows |
| `recurrence` | a function of the row and of what the iteration before gave |
| `affine` | an integer times a constant plus a constant, which may wrap around |
| `settled` | the maximum or minimum with a value from outside |
| `unread` | a function of the row that the next iteration does not read |
| `previous` | the row of the iteration before |
| `frozen` | a value that changes until a flag is set |
| `table` | a tensor of which an iteration writes the row of its number |
| `turned` | a matrix that is transposed, changed and transposed back |
| `joined` | two values that are joined, changed, and taken apart again |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from loomir.tools.fuzz import FLOATS, INTEGERS, AxisExtent, If, Loop, Region, Shape, Value, elements, most
from loomir.tools.fuzz.builder import LARGEST_INTEGER
from loomir.tools.fuzz.carried_values import carried_argument, damped
from loomir.tools.fuzz.compute_steps import combine
from loomir.tools.fuzz.region_steps import Stepper, condition

LONGEST = 6
"""Rows of a constant that is looped over."""


def _extents(value: Value) -> Shape:
    assert value.shape is not None
    return value.shape


@dataclass
class _Part:
    """Carried value under construction."""

    initial: Value
    argument: Value
    following: Value | None = None


@dataclass
class _Body:
    """Body under construction.

    `rows` are the values of the shape of a row that later parts may read; `kept` are those of which each iteration's is kept.
    """

    g: Stepper
    trips: int
    iteration: Value
    row: Value
    rows: list[Value] = field(default_factory=list)
    carried: list[_Part] = field(default_factory=list)
    kept: list[Value] = field(default_factory=list)

    def any_row(self) -> Value:
        """The row of this iteration, or what was computed of it."""
        return self.g.choose([self.row, *self.rows])

    def gives(self, value: Value) -> None:
        """Let later parts read a row, and perhaps keep it."""
        if value.shape == self.row.shape and value.dtype == self.row.dtype:
            self.rows.append(value)
        if self.g.chance(0.5):
            self.kept.append(value)


def loops_over_rows(g: Stepper) -> None:
    """One loop or two over the rows of a tensor."""
    whole = _whole(g)
    length = most(_extents(whole)[0])
    exact = g.chance(0.6)
    trips = length if g.chance(0.8) else g.integer(1, length)
    trip = g.number(trips)
    if not exact:
        number = g.pick("i64", lambda v: v.shape == ()) or g.number(g.integer(-1, trips))
        trip = g.emit("Min", [number, trip], "i64", (), max(number.limit, trips))
    given = _loop(g, whole, trip, trips, exact)
    g.feature("loop over rows")
    others = [
        v for v in given if v.shape is not None and v.rank and v.shape[0] == trips and v.dtype == whole.dtype
    ]
    if exact and g.chance(0.3):
        _loop(g, g.choose([whole, *others]), trip, trips, exact)
        g.feature("two loops over rows")


def _whole(g: Stepper) -> Value:
    """A tensor with rows."""

    def has_rows(v: Value) -> bool:
        return (
            v.static
            and 0 < v.rank < 4
            and elements(_extents(v)) > 0
            and most(_extents(v)[0]) <= g.trip_limit() + 1
        )

    dtype = g.any_type()
    found = g.pick(dtype, has_rows)
    if found is not None and most(_extents(found)[0]) > 1:
        return found
    shape = (g.integer(2, max(2, min(LONGEST, g.trip_limit()))), *g.choose(((), (2,), (3,), (2, 2), (1, 3))))
    return g.random_constant(dtype, shape)


def _loop(g: Stepper, whole: Value, trip: Value, trips: int, exact: bool) -> list[Value]:
    """Append one loop; return its outputs."""
    parts = [g.choose(PARTS) for _ in range(g.choose((1, 2, 2, 3, 4)))]
    # What is carried begins outside.
    begun = [(part, part.begin(g, whole) if part.begin is not None else None) for part in parts]
    scope = g.enter(trips)
    iteration = g.value("i", "i64", (), max(trips, 1))
    incoming = g.value("ci", "bool", (), 1)
    g.publish(iteration)
    row = g.emit("Gather", [whole, iteration], whole.dtype, _extents(whole)[1:], whole.limit, axis=0)
    body = _Body(g, trips, iteration, row)
    for part, initials in begun:
        g.feature(f"loop over rows: {part.name}")
        if initials is None:
            part.make(body, [])
            continue
        made = [_Part(v, carried_argument(g, v)) for v in initials]
        body.carried += made
        part.make(body, made)
        if g.chance(0.3):
            # (What may have wrapped around is for nobody else.)
            g.publish(
                *(p.argument for p in made if p.following is None or p.following.limit <= LARGEST_INTEGER)
            )
    if g.chance(0.2):
        g.steps(1)
    if not (body.kept or body.carried):
        body.kept.append(row)
    kept = [v for v in body.kept if v.static][:3]
    if not exact:
        # Of what ONNX Runtime does not know the extents after no trips, make it know them.
        kept = [_of_known_shape(g, v) for v in kept]
    nexts = [p.following or p.argument for p in body.carried]
    again = g.number(True, "bool")
    region = scope.region((iteration, incoming, *(p.argument for p in body.carried)), (again, *nexts, *kept))
    g.leave(region.results)
    outputs = [
        g.value(
            "l", p.initial.dtype, p.initial.shape, max(p.initial.limit, v.limit), max(p.initial.gain, v.gain)
        )
        for p, v in zip(body.carried, nexts)
    ]
    extent: AxisExtent = trips if exact else g.open(0, trips)
    outputs += [g.value("s", v.dtype, (extent, *(_extents(v))), v.limit, v.gain) for v in kept]
    initial = tuple(p.initial for p in body.carried)
    g.append(Loop(trip, None, initial, region, tuple(outputs), len(kept)))
    return [g.tamed(v) for v in outputs if not g.chance(0.15)]


def _of_known_shape(g: Stepper, value: Value) -> Value:
    extents = g.vector(*(most(e) for e in _extents(value)))
    return g.emit("Reshape", [value, extents], value.dtype, value.shape, value.limit, allowzero=1)


# -- what begins outside


def _as_row(g: Stepper, whole: Value) -> list[Value]:
    shape = _extents(whole)[1:]
    found = g.pick(whole.dtype, lambda v: v.shape == shape) if g.chance(0.5) else None
    return [found or g.random_constant(whole.dtype, [most(e) for e in shape])]


def _as_table(g: Stepper, whole: Value) -> list[Value]:
    shape = [most(e) for e in _extents(whole)]
    if g.chance(0.5):
        return [g.random_constant(whole.dtype, shape)]
    filled = np.zeros(shape, g.random_array(whole.dtype, ()).dtype)
    return [g.constant(filled)]


def _as_integer(g: Stepper, whole: Value) -> list[Value]:
    del whole
    return [g.number(g.integer(-3, 9))]


def _as_flagged(g: Stepper, whole: Value) -> list[Value]:
    return [*_as_row(g, whole), g.number(False, "bool") if g.chance(0.7) else condition(g)]


def _as_pair(g: Stepper, whole: Value) -> list[Value]:
    shape = _extents(whole)[1:] or (1,)
    found = g.pick(whole.dtype, lambda v: v.shape == shape) if g.chance(0.5) else None
    constants = [g.random_constant(whole.dtype, [most(e) for e in shape]) for _ in range(2)]
    return [found or constants[0], constants[1]]


def _as_matrix(g: Stepper, whole: Value) -> list[Value]:
    found = g.pick(whole.dtype, lambda v: v.static and v.rank == 2 and elements(_extents(v)) > 0)
    return [found or g.random_constant(whole.dtype, (2, 3))]


# -- parts of the body


def _changed(g: Stepper, value: Value) -> Value:
    """A function of one value alone."""
    if value.dtype in INTEGERS:
        kind = g.choose(("Neg", "Abs", "Sign"))
        return g.emit(kind, [value], value.dtype, value.shape, value.limit)
    if value.dtype == "bool":
        return g.emit("Not", [value], "bool", value.shape, 1)
    kind = g.choose(("Tanh", "Neg", "Sigmoid", "Relu", "Abs"))
    return g.emit(kind, [value], value.dtype, value.shape, max(value.limit, 1.0))


def _with_constant(g: Stepper, value: Value) -> Value:
    shape = [most(e) for e in _extents(value)]
    return combine(g, value, g.constant(g.random_array(value.dtype, shape[g.integer(0, len(shape)) :])))


def _map(body: _Body, parts: Sequence[_Part]) -> None:
    del parts
    g, value = body.g, body.any_row()
    if value.rank == 1 and value.static and g.chance(0.4):
        inner, width = most(_extents(value)[0]), g.integer(1, 3)
        factor = g.random_constant(value.dtype, (inner, width))
        gain = inner * (value.limit * factor.gain + factor.limit * value.gain)
        limit = value.limit * factor.limit * inner
        body.gives(g.emit("MatMul", [value, factor], value.dtype, (width,), limit, gain=gain))
        return
    body.gives(_with_constant(g, value) if g.chance(0.6) else _changed(g, value))


def _asked(body: _Body) -> Value:
    """A condition on the iteration number, or an invariant one."""
    g, i = body.g, body.iteration
    kind = g.integer(0, 3)
    if kind == 0:
        found = g.pick("bool", lambda v: v.shape == ())
        if found is not None:
            return found
    if kind == 1:
        left = g.emit("Mod", [i, g.number(g.choose((2, 2, 3)))], "i64", (), 3)
        return g.emit("Equal", [left, g.number(g.integer(0, 1))], "bool", (), 1)
    relation = g.choose(("Less", "Greater", "Equal", "LessOrEqual"))
    bound = g.choose((0, 1, body.trips - 2, body.trips - 1, body.trips))
    return g.emit(relation, [i, g.number(bound)], "bool", (), 1)


def _arms(body: _Body, parts: Sequence[_Part]) -> None:
    del parts
    g, value = body.g, body.any_row()
    asked = _asked(body)
    arms: list[tuple[Region, Value]] = []
    for stays in (False, g.chance(0.4)):
        scope = g.enter()
        given = value if stays else _with_constant(g, value) if g.chance(0.5) else _changed(g, value)
        region = scope.region((), (given,))
        g.leave(region.results)
        arms.append((region, given))
    (then, a), (otherwise, b) = arms
    result = g.value("if", value.dtype, value.shape, max(a.limit, b.limit), max(a.gain, b.gain))
    g.append(If(asked, then, otherwise, (result,)))
    g.publish(result)
    body.gives(result)


def _reduction(body: _Body, parts: Sequence[_Part]) -> None:
    (part,), g = parts, body.g
    kind, row = g.choose(("Add", "Add", "Max", "Min", "Mul")), body.any_row()
    limit = part.argument.limit * row.limit if kind == "Mul" else part.argument.limit + row.limit
    gain = None if kind != "Mul" else part.argument.limit * row.gain + row.limit * part.argument.gain
    operands = [part.argument, row] if g.chance(0.7) else [row, part.argument]
    floats = row.dtype in FLOATS
    # (Of integers nothing is between: they may wrap around.)
    emit = g.emit if floats else g.hidden
    limit = limit if floats else float(2**63)
    part.following = damped(g, emit(kind, operands, row.dtype, row.shape, limit, gain=gain))
    if floats:
        body.gives(part.following)


def _recurrence(body: _Body, parts: Sequence[_Part]) -> None:
    (part,), g = parts, body.g
    value = combine(g, part.argument, body.any_row())
    part.following = damped(g, _changed(g, value) if g.chance(0.5) else value)
    body.gives(part.following)


def _affine(body: _Body, parts: Sequence[_Part]) -> None:
    (part,), g = parts, body.g
    value, wide = part.argument, float(2**63)
    factor = g.choose((1, 1, 2, -1, 3, 2**61 + 1))
    if factor != 1:
        value = g.hidden("Mul", [value, g.number(factor)], "i64", (), wide)
    if factor == 1 or g.chance(0.6):
        added = g.number(g.choose((1, 2, -3, 2**62))) if g.chance(0.8) else body.iteration
        value = g.hidden(g.choose(("Add", "Sub")), [value, added], "i64", (), wide)
    part.following = value


def _settled(body: _Body, parts: Sequence[_Part]) -> None:
    (part,), g = parts, body.g
    shape = [most(e) for e in _extents(part.argument)]
    outside = g.constant(g.random_array(part.argument.dtype, shape))
    kind = g.choose(("Max", "Min"))
    limit = max(part.argument.limit, outside.limit)
    part.following = g.emit(kind, [part.argument, outside], outside.dtype, part.argument.shape, limit)


def _unread(body: _Body, parts: Sequence[_Part]) -> None:
    (part,) = parts
    part.following = _changed(body.g, body.any_row())


def _previous(body: _Body, parts: Sequence[_Part]) -> None:
    (part,), g = parts, body.g
    part.following = body.row
    body.gives(combine(g, part.argument, body.any_row()))


def _frozen(body: _Body, parts: Sequence[_Part]) -> None:
    (part, flag), g = parts, body.g
    changed = damped(g, combine(g, part.argument, body.any_row()))
    operands = [flag.argument, part.argument, changed]
    limit, gain = max(part.argument.limit, changed.limit), max(part.argument.gain, changed.gain)
    part.following = g.emit("Where", operands, changed.dtype, changed.shape, limit, gain=gain)
    set_now = g.emit("Or", [flag.argument, _asked(body)], "bool", (), 1)
    flag.following = set_now if g.chance(0.8) else g.number(True, "bool")


def _table(body: _Body, parts: Sequence[_Part]) -> None:
    (part,), g = parts, body.g
    shape, value = _extents(part.argument), body.any_row()
    place = g.emit("Reshape", [body.iteration, g.vector(1, 1)], "i64", (1, 1), body.iteration.limit)
    update = g.emit("Unsqueeze", [value, g.vector(0)], value.dtype, (1, *shape[1:]), value.limit)
    limit, gain = max(part.argument.limit, update.limit), max(part.argument.gain, update.gain)
    written = g.emit("ScatterND", [part.argument, place, update], value.dtype, shape, limit, gain=gain)
    part.following = damped(g, written)
    if g.chance(0.4):
        back = g.emit(
            "Gather", [part.following, body.iteration], value.dtype, shape[1:], limit, gain=gain, axis=0
        )
        body.gives(back)


def _turned(body: _Body, parts: Sequence[_Part]) -> None:
    (part,), g = parts, body.g
    shape: Shape = _extents(part.argument)
    turned = g.emit(
        "Transpose", [part.argument], part.argument.dtype, shape[::-1], part.argument.limit, perm=(1, 0)
    )
    changed = _with_constant(g, turned) if g.chance(0.6) else _changed(g, turned)
    back = g.emit("Transpose", [changed], changed.dtype, shape, changed.limit, perm=(1, 0))
    part.following = damped(g, back)


def _joined(body: _Body, parts: Sequence[_Part]) -> None:
    (one, other), g = parts, body.g
    shape = tuple(most(e) for e in _extents(one.argument))
    limit, gain = (max(getattr(p.argument, name) for p in parts) for name in ("limit", "gain"))
    operands = [one.argument, other.argument]
    joined = g.emit(
        "Concat", operands, one.argument.dtype, (2 * shape[0], *shape[1:]), limit, gain=gain, axis=0
    )
    changed = damped(g, _with_constant(g, joined) if g.chance(0.5) else _changed(g, joined))
    common = body.any_row() if g.chance(0.5) else None
    for part, begin in zip(parts if g.chance(0.8) else parts[::-1], (0, shape[0])):
        bounds = [g.vector(begin), g.vector(begin + shape[0]), g.vector(0)]
        taken = g.emit("Slice", [changed, *bounds], changed.dtype, shape, changed.limit, gain=changed.gain)
        if common is not None and common.shape == part.argument.shape:
            highest = [max(getattr(v, name) for v in (taken, common)) for name in ("limit", "gain")]
            taken = g.emit("Max", [taken, common], taken.dtype, shape, highest[0], gain=highest[1])
        part.following = taken


@dataclass(frozen=True)
class _Kind:
    name: str
    make: Callable[[_Body, Sequence[_Part]], None]
    begin: Callable[[Stepper, Value], list[Value]] | None = None


PARTS = (
    _Kind("map", _map),
    _Kind("map", _map),
    _Kind("arms", _arms),
    _Kind("reduction", _reduction, _as_row),
    _Kind("recurrence", _recurrence, _as_row),
    _Kind("affine", _affine, _as_integer),
    _Kind("settled", _settled, _as_row),
    _Kind("unread", _unread, _as_row),
    _Kind("previous", _previous, _as_row),
    _Kind("frozen", _frozen, _as_flagged),
    _Kind("table", _table, _as_table),
    _Kind("turned", _turned, _as_matrix),
    _Kind("joined", _joined, _as_pair),
)
