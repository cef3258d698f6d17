"""Loop-carried values: their body arguments and their next values.

Counters of 8 and 16 bits end loops. They count towards a bound, or away from it and wrap round. They leave the range of
their type within a few iterations, and that is where the knowledge of their range has to end.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from loomir.tools.fuzz import DTYPES, FLOATS, NARROW, If, Region, Shape, Value, elements, least, most
from loomir.tools.fuzz.builder import LARGEST_FLOAT, LARGEST_INTEGER, replaced
from loomir.tools.fuzz.compute_steps import combine
from loomir.tools.fuzz.region_steps import Stepper, condition


@dataclass
class Carry:
    """Loop-carried value.

    `role` specifies how the value changes; `shape` is the shape of the result if it differs from that of the initial value.
    """

    role: str
    initial: Value
    argument: Value
    following: Value | None = None
    shape: Shape | None = None
    axis: int = 0
    step: int = 0

    @property
    def hidden(self) -> bool:
        """True if only the loop itself reads the value."""
        return self.role == "dead cycle"


def carried_argument(g: Stepper, initial: Value, shape: Shape | None = None) -> Value:
    """Return the body argument of a carried value.

    It may have any value within the ranges, since the body may change it.
    """
    if initial.dtype in FLOATS:
        limit, gain = LARGEST_FLOAT, 1.0
    else:
        limit, gain = (1.0 if initial.dtype == "bool" else LARGEST_INTEGER), 0.0
    result = g.value("a", initial.dtype, initial.shape if shape is None else shape, limit, gain)
    g.carried.add(result)
    return result


def next_of(g: Stepper, argument: Value, arguments: Sequence[Value]) -> Value:
    """Return the next value of a carried value.

    It is a new value, another carried value, or any value of the same type and shape.
    """

    def same(v: Value) -> bool:
        return v.dtype == argument.dtype and v.shape == argument.shape and not v.is_sequence

    own = [v for v in g.own() if same(v) and v not in arguments]
    others = [v for v in arguments if same(v) and v is not argument]
    choice = g.integer(0, 9)
    result = None
    if choice < 5 and own:
        result = ([v for v in own if v in g.unread] or own)[-1]
    elif choice < 6 and others:
        result = g.choose(others)
    elif choice < 7:
        result = g.pick(argument.dtype, same)
    if result is None and argument.dtype == "bool":
        result = g.emit("Not", [argument], "bool", argument.shape, 1)
    if result is None:
        shape = argument.shape or ()
        other = g.pick(argument.dtype, lambda v: g.broadcast(shape, v.shape or ()) == shape)
        result = combine(g, argument, other or argument)
    return damped(g, result)


def damped(g: Stepper, value: Value) -> Value:
    """A float whose error no iteration makes larger."""
    return g.scaled(value, 1.0) if value.dtype in FLOATS else value


def carries(g: Stepper, most_trips: int, bounded: bool) -> list[tuple[str, Value]]:
    """Return initial values with their roles.

    Values that belong together (rotation, dead cycle) follow one another.
    """
    result: list[tuple[str, Value]] = []
    for _ in range(g.choose((0, 1, 1, 2, 3))):
        roles = (
            "plain",
            "plain",
            "plain",
            "group",
            "group",
            "invariant",
            "dead",
            "dead cycle",
            "reshaped",
            "turning",
            "twice",
        )
        role = g.choose(roles)
        first = g.any_of("bool" if g.chance(0.08) else g.any_type())
        if role in ("group", "dead cycle"):
            count = 2 if role == "dead cycle" else g.choose((2, 2, 3))
            result += _group(g, role, first, count)
        elif role == "turning":
            wide = g.pick(g.any_type(), lambda v: v.static and v.rank >= 2)
            result.append((role, wide) if wide is not None else ("plain", first))
        elif role == "reshaped":
            result.append((_shape_role(g, first, most_trips, bounded), first))
        elif role == "twice":
            g.feature("one initial value twice")
            result += [("plain", first), ("plain", first)]
        else:
            result.append((role, first))
    return result


def _group(g: Stepper, role: str, first: Value, count: int) -> list[tuple[str, Value]]:
    """Values of one type and shape, which a loop can exchange."""
    result = [(role, first)]
    for _ in range(count - 1):
        other = g.pick(first.dtype, lambda v: v.shape == first.shape and v is not first)
        result.append(("member", other or _constant_or_same(g, first)))
    return result


def _constant_or_same(g: Stepper, value: Value) -> Value:
    return g.filled_like(value) if value.static else value


def _shape_role(g: Stepper, value: Value, trips: int, bounded: bool) -> str:
    """Return how a carried value may change its shape.

    Without a bound on the trip count it only shrinks or turns.
    """
    if value.rank == 0 or value.dtype == "bool":
        return "plain"
    opens = sum(not isinstance(e, int) for e in value.shape or ())
    if bounded and opens < 2 and elements(value.shape or ()) <= 24 and trips <= 5:
        return g.choose(("growing", "growing", "growing at times", "shrinking"))
    return "shrinking"


def begin(g: Stepper, given: Sequence[tuple[str, Value]], trips: int) -> list[Carry]:
    """The arguments of a body, within its scope."""
    made: list[Carry] = []
    role = ""
    for name, initial in given:
        role = role if name == "member" else name
        carry = Carry(name if name != "member" else f"member of {role}", initial, initial)
        if name in ("growing", "growing at times", "shrinking"):
            assert initial.shape is not None
            # What is put to it has the other extents, so they are numbers.
            opens = [i for i, e in enumerate(initial.shape) if not isinstance(e, int)]
            growing = name != "shrinking" and len(opens) == 1
            carry.axis = opens[0] if growing else g.integer(0, initial.rank - 1)
            low, high = least(initial.shape[carry.axis]), most(initial.shape[carry.axis])
            carry.step = g.choose((1, 1, 2))
            total = carry.step * trips
            if name == "shrinking":
                inner = g.open(max(0, low - total), high)
            else:
                inner = g.open(low, high + total)
            shape = replaced(initial.shape, carry.axis, inner)
            carry.argument = carried_argument(g, initial, shape)
        elif name == "turning":
            assert initial.shape is not None
            low = min(least(e) for e in initial.shape)
            high = max(most(e) for e in initial.shape)
            carry.argument = carried_argument(g, initial, tuple(g.open(low, high) for _ in initial.shape))
        else:
            carry.argument = carried_argument(g, initial)
        made.append(carry)
        if role != "dead cycle":
            g.publish(carry.argument)
    return made


def finish(g: Stepper, made: Sequence[Carry]) -> None:
    """The next values."""
    arguments = [c.argument for c in made]
    position = 0
    while position < len(made):
        carry = made[position]
        end = position + 1
        while end < len(made) and made[end].role.startswith("member"):
            end += 1
        if end > position + 1:
            _rotate(g, made[position:end], arguments)
        else:
            carry.following = _following(g, carry, arguments)
        position = end


def _rotate(g: Stepper, group: Sequence[Carry], arguments: Sequence[Value]) -> None:
    """Rotate the values of a group.

    Each value becomes that of its neighbour; now and then one of them is changed on the way.
    """
    role = group[0].role
    shift = 1 if len(group) == 2 or g.chance(0.5) else 2
    for index, carry in enumerate(group):
        carry.following = group[(index + shift) % len(group)].argument
    if role == "dead cycle":
        g.feature("dead cycle")
        return
    g.feature("swap" if len(group) == 2 else "rotation of three")
    if g.chance(0.6):
        carry = group[g.integer(0, len(group) - 1)]
        carry.following = next_of(g, carry.argument, arguments)


def _following(g: Stepper, carry: Carry, arguments: Sequence[Value]) -> Value:
    argument = carry.argument
    if carry.role == "invariant":
        g.feature("invariant carry")
        return argument
    if carry.role == "growing":
        return _grow(g, carry)
    if carry.role == "growing at times":
        return _grow_at_times(g, carry)
    if carry.role == "shrinking":
        return _shrink(g, carry)
    if carry.role == "turning":
        g.feature("turning carry")
        turned = tuple(reversed(argument.shape or ()))
        permutation = tuple(reversed(range(argument.rank)))
        return g.emit("Transpose", [argument], argument.dtype, turned, argument.limit, perm=permutation)
    if carry.role == "dead":
        g.feature("dead carry")
    return next_of(g, argument, arguments)


def _grow(g: Stepper, carry: Carry) -> Value:
    """Some more elements at either end."""
    argument = carry.argument
    shape = replaced(argument.shape or (), carry.axis, carry.step)
    more = g.pick(argument.dtype, lambda v: v.shape == shape)
    more = (
        damped(g, more) if more is not None else g.random_constant(argument.dtype, [most(e) for e in shape])
    )
    parts = [argument, more] if g.chance(0.6) else [more, argument]
    inner = (argument.shape or ())[carry.axis]
    longer = replaced(shape, carry.axis, g.open(least(inner) + carry.step, most(inner) + carry.step))
    g.feature("growing carry")
    limit, gain = max(p.limit for p in parts), max(p.gain for p in parts)
    return g.emit("Concat", parts, argument.dtype, longer, limit, gain=gain, axis=carry.axis)


def _grow_at_times(g: Stepper, carry: Carry) -> Value:
    """Some more elements if a condition holds."""
    argument = carry.argument
    cond = condition(g)
    scope = g.enter()
    longer = _grow(g, carry)
    then = scope.region((), (longer,))
    g.leave(then.results)
    shape, extents = argument.shape or (), longer.shape or ()
    low, high = least(shape[carry.axis]), most(extents[carry.axis])
    joined = replaced(shape, carry.axis, g.open(low, high))
    limit, gain = max(longer.limit, argument.limit), max(longer.gain, argument.gain)
    output = g.value("if", argument.dtype, joined, limit, gain)
    g.append(If(cond, then, Region((), (), (argument,)), (output,)))
    g.publish(output)
    g.feature("carry growing at times")
    return output


def _shrink(g: Stepper, carry: Carry) -> Value:
    """Some elements less at either end, down to none."""
    argument = carry.argument
    inner = (argument.shape or ())[carry.axis]
    shorter = g.open(max(0, least(inner) - carry.step), max(0, most(inner) - carry.step))
    front = g.chance(0.5)
    start, end = (carry.step, 2**62) if front else (0, -carry.step)
    operands = [argument, g.vector(start), g.vector(end), g.vector(carry.axis)]
    g.feature("shrinking carry")
    shape = replaced(argument.shape or (), carry.axis, shorter)
    return g.emit("Slice", operands, argument.dtype, shape, argument.limit)


def result_shape(carry: Carry, exact_trips: int | None) -> Shape:
    """Return the shape of a carried value after the last iteration.

    It is the shape that the body sees, or exact if the trip count is.
    """
    shape = carry.argument.shape or ()
    extent = (carry.initial.shape or (0,))[carry.axis] if carry.role in ("growing", "shrinking") else None
    if exact_trips is not None and isinstance(extent, int):
        change = carry.step * exact_trips * (1 if carry.role == "growing" else -1)
        return replaced(shape, carry.axis, max(0, extent + change))
    return shape


RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "Less": operator.lt,
    "LessOrEqual": operator.le,
    "Greater": operator.gt,
    "GreaterOrEqual": operator.ge,
    "Equal": operator.eq,
}
SIZES = (1, 1, 3, 100)
DRAWS = 12
"""Number of counters to try.

One is sought that ends within the allowed number of iterations.
"""

MORE = 5
"""Trips beyond those that other loops make."""


@dataclass(frozen=True)
class NarrowCounter:
    """Counter, with the relation to `bound` for which the loop continues.

    The relation is that of the counter's next value (`ahead`), or of the present one.
    """

    dtype: str
    begin: int
    kind: str
    size: int
    relation: str
    bound: int
    ahead: bool
    trips: int = 0
    """How many iterations it lets run where one does."""

    @property
    def limit(self) -> float:
        """The largest absolute value that it can have."""
        info = np.iinfo(DTYPES[self.dtype])
        return float(max(-int(info.min), int(info.max)))

    def counted(self, most: int) -> int:
        """Its trips; 0 where they are more than `most`."""
        info = np.iinfo(DTYPES[self.dtype])
        least, span = int(info.min), int(info.max) - int(info.min) + 1
        step = self.size if self.kind == "Add" else -self.size
        value = self.begin
        for trips in range(1, most + 1):
            present, value = value, (value + step - least) % span + least
            if not RELATIONS[self.relation](value if self.ahead else present, self.bound):
                return trips
        return 0


def narrow_counter(g: Stepper, most: int) -> NarrowCounter | None:
    """Return a counter that ends a loop after at most `most` iterations.

    In a region that runs once, it may allow some more iterations: inference goes through a loop a few times before it
    forgets bounds, and a counter has to wrap round after that. The result is None if no suitable counter was drawn.
    """
    allowed = most + MORE if g.scope.trips == 1 else most
    found: NarrowCounter | None = None
    for _ in range(DRAWS):
        drawn = _drawn(g, allowed)
        trips = drawn.counted(allowed)
        if trips > (0 if found is None else found.trips):
            found = replace(drawn, trips=trips)
    if found is not None:
        g.feature("narrow counter")
        g.feature(f"type {found.dtype}")
    return found


def _drawn(g: Stepper, most: int) -> NarrowCounter:
    dtype = g.choose(NARROW)
    info = np.iinfo(DTYPES[dtype])
    low, high = int(info.min), int(info.max)
    kind, size = g.choose(("Add", "Sub")), g.choose(SIZES)
    # So far from the end that it goes to.
    far = min(size * g.integer(0, most), high)
    begin = g.choose((high - far if kind == "Add" else low + far, g.integer(0, 9)))
    bound = g.choose((low + g.integer(0, 99), high - g.integer(0, 99), g.integer(0, 9)))
    return NarrowCounter(dtype, begin, kind, size, g.choose(tuple(RELATIONS)), bound, g.chance(0.5))


def following(g: Stepper, counter: NarrowCounter, argument: Value) -> Value:
    """The next value."""
    operands = [argument, g.number(counter.size, counter.dtype)]
    return g.hidden(counter.kind, operands, counter.dtype, (), counter.limit)


def goes_on(g: Stepper, counter: NarrowCounter, argument: Value, value: Value) -> Value:
    """Return the condition on which the loop continues, by its counter.

    The condition depends on the counter's incoming or next value. Other operations of the body may read the incoming value
    as an i32.
    """
    wide = g.hidden("Cast", [argument], "i32", (), counter.limit, to="i32")
    g.tamed(wide)
    operands = [value if counter.ahead else argument, g.number(counter.bound, counter.dtype)]
    return g.emit(counter.relation, operands, "bool", (), 1)
