"""State of a program under construction, and its random choices.

The source of the choices is a seeded generator, or hypothesis, which records and shrinks the choices. The state consists
of scopes, readable values, and the helpers that every step needs. A program has these properties by construction:

- Operands have the right types, and shapes fit. An `Open` extent is one number, whichever values have it.
- Floats stay within `LARGEST_FLOAT`, integers within `LARGEST_INTEGER`, unless wrapping round is intended.
- Rounding errors stay small: `Value.gain` bounds the growth of an error in a carried value. A value beyond
  `LARGEST_GAIN` is scaled down, to 1 if it is carried on, so that no loop amplifies differences in the rounding of
  engines.
- Conditions are computed from integers, or from sums of floats that hit a random threshold only by accident.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, log2
from typing import Protocol, TypeVar

import numpy as np

from loomir.tools.fuzz import (
    DTYPES,
    FLOATS,
    INTEGERS,
    Attribute,
    AxisExtent,
    Op,
    Open,
    Region,
    Shape,
    Statement,
    Value,
    elements,
    least,
    most,
)

_T = TypeVar("_T")


class Choices(Protocol):
    """Source of all random choices.

    Small numbers and first items are the simple ones: hypothesis shrinks towards them.
    """

    def integer(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        ...

    def chance(self, probability: float) -> bool:
        """True with about this probability (in 64ths)."""
        ...

    def pick(self, items: Sequence[_T]) -> _T:
        """One of the items."""
        ...

    def weighted(self, items: Sequence[_T], cumulative: Sequence[int]) -> _T:
        """One of the items, by sums of weights."""
        ...


class SeededChoices:
    """Choices of a pseudo-random number generator.

    They are the same for the same seed, in every version of Python.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def integer(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random() < probability

    def pick(self, items: Sequence[_T]) -> _T:
        """One of the items."""
        return items[int(self._random() * len(items))]

    def weighted(self, items: Sequence[_T], cumulative: Sequence[int]) -> _T:
        """One of the items, by sums of weights."""
        number = int(self._random() * cumulative[-1])
        return items[next(i for i, c in enumerate(cumulative) if number < c)]


LARGEST_FLOAT = 4.0
LARGEST_INTEGER = 10_000.0
LARGEST_GAIN = 8.0
LARGEST_TENSOR = 96
LARGEST_RANK = 4


@dataclass
class Scope:
    """Region under construction.

    `values` can be read in it; those from `first` on are its own. `trips` is the maximum number of times that the region
    runs.
    """

    depth: int
    values: list[Value]
    first: int
    trips: int = 1
    statements: list[Statement] = field(default_factory=list)

    def region(self, parameters: Sequence[Value], results: Sequence[Value]) -> Region:
        """Return the region that was constructed."""
        return Region(tuple(parameters), tuple(self.statements), tuple(results))


class Builder:
    """Scopes, names and features of a program under construction.

    The functions that create steps are in the modules named `…_steps.py`.
    """

    dense = False
    """True if most values are read and many steps have regions.

    Such programs have more nests of control flow that matter to the results.
    """

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.chance = choices.chance
        self.choose = choices.pick
        self.integer = choices.integer
        self.numpy = np.random.default_rng(choices.integer(0, 2**32 - 1))
        self.features: Counter[str] = Counter()
        self.refusals: set[str] = set()
        self.names = 0
        self.scope = Scope(0, [], 0)
        self.scopes: list[Scope] = []
        self.ends: Value | None = None
        """Input that is fed with the extremes of 64 bits, or None.

        See `boundary_steps.EXTREMES`.
        """
        self.unread: dict[Value, None] = {}
        self.defined: dict[Value, int] = {}
        self.carried: set[Value] = set()
        """Loop-carried values, as the bodies of the loops see them.

        A nested body should read such a value, since it changes.
        """
        self.float = "f64" if choices.chance(0.12) else "f32"
        self.types = (self.float, self.float, self.float, self.float, "i64", "i64", "i32")
        """Element types that steps choose from.

        Most of them are one of two types, so that values find partners.
        """

    def feature(self, name: str) -> None:
        """Count something that the program holds."""
        self.features[name] += 1

    # -- values

    def value(self, prefix: str, dtype: str, shape: Shape | None, limit: float, gain: float = 0.0) -> Value:
        """A value with a fresh name."""
        self.names += 1
        result = Value(f"{prefix}{self.names}", dtype, shape, limit, gain)
        self.defined[result] = self.scope.depth
        return result

    def open(self, low: int, high: int) -> AxisExtent:
        """Return a fresh extent within bounds.

        If only one number is within the bounds, that number is returned.
        """
        if low == high:
            return low
        self.names += 1
        return Open(f"d{self.names}", low, high)

    def publish(self, *values: Value) -> None:
        """Later steps may read these."""
        for value in values:
            self.scope.values.append(value)
            self.unread[value] = None

    def pick(self, dtype: str, test: Callable[[Value], bool] | None = None) -> Value | None:
        """Return a value of this element type and known rank, or None.

        Late and inner values are more likely; unread values are the most likely.
        """
        found = [
            v
            for v in self.scope.values
            if v.dtype == dtype and v.shape is not None and v.length is None and (test is None or test(v))
        ]
        if not found:
            return None
        if self.scope.depth > 1 and self.chance(0.2):
            depth = self.scope.depth
            found = [v for v in found if v in self.carried and self.defined[v] < depth] or found
        if len(found) > 1 and self.chance(0.8 if self.dense else 0.4):
            unread = [v for v in found if v in self.unread]
            found = unread or found
        last = len(found) - 1
        return found[last - min(self.integer(0, last), self.integer(0, last))]

    def any_of(self, dtype: str, test: Callable[[Value], bool] | None = None) -> Value:
        """Return the result of `pick`, or a constant of a small shape.

        The constant is returned if there is no such value; the test need not hold for it.
        """
        return self.pick(dtype, test) or self.random_constant(dtype, (2,))

    def any_type(self) -> str:
        """An element type to compute in."""
        return self.choose(self.types)

    def append(self, statement: Statement) -> None:
        """Append a statement; counts captures and marks what is read."""
        depth = self.scope.depth
        for value in statement.inputs:
            if value is not None:
                self.unread.pop(value, None)
                through = depth - self.defined[value]
                if through > 0:
                    self.feature(f"capture through {through}")
                    if value in self.carried:
                        self.feature("capture of a carried value")
        self.scope.statements.append(statement)

    def emit(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        dtype: str,
        shape: Shape | None,
        limit: float,
        *,
        gain: float | None = None,
        **attributes: Attribute,
    ) -> Value:
        """Append an operation of one result.

        A result that could grow is made small again. `gain` is by default the sum of the operands' gains.
        """
        return self.tamed(self.hidden(kind, inputs, dtype, shape, limit, gain=gain, **attributes))

    def hidden(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        dtype: str,
        shape: Shape | None,
        limit: float,
        *,
        gain: float | None = None,
        **attributes: Attribute,
    ) -> Value:
        """Append an operation like `emit`, but keep its result's magnitude.

        Only the caller reads the result.
        """
        if dtype in FLOATS:
            if gain is None:
                gain = sum(v.gain for v in inputs if v is not None)
        else:
            gain = 0.0
        result = self.value(kind.lower()[:4], dtype, shape, limit, gain)
        self.append(Op(kind, tuple(inputs), (result,), attributes))
        self.feature(f"op {kind}")
        return result

    def tamed(self, result: Value) -> Value:
        """Return the value, brought back into its range if necessary.

        The returned value can be read from then on.
        """
        if result.dtype in FLOATS:
            if result.gain > LARGEST_GAIN:
                return self.scaled(result, 1.0)
            if result.limit > LARGEST_FLOAT:
                return self.limited(result)
        elif result.dtype in INTEGERS and result.limit > LARGEST_INTEGER:
            modulus = self.number(97, result.dtype)
            return self.emit("Mod", [result, modulus], result.dtype, result.shape, 96)
        self.publish(result)
        return result

    def limited(self, value: Value) -> Value:
        """A float brought back into its range."""
        if self.chance(0.5):
            return self.emit("Tanh", [value], value.dtype, value.shape, 1)
        low, high = (self.number(n, value.dtype) for n in (-2.75, 3.25))
        return self.emit("Clip", [value, low, high], value.dtype, value.shape, 3.25)

    def scaled(self, value: Value, gain: float) -> Value:
        """Scale a float by a power of two to lower its gain.

        The gain becomes at most `gain`. The multiplication is exact, so that it introduces no error.
        """
        if value.gain <= gain:
            return value
        factor = 2.0 ** -ceil(log2(value.gain / gain))
        operands = [value, self.number(factor, value.dtype)]
        limit = value.limit * factor
        return self.emit("Mul", operands, value.dtype, value.shape, limit, gain=value.gain * factor)

    # -- constants

    def constant(self, array: np.ndarray) -> Value:
        """A constant that no later step reads by chance."""
        dtype = next(n for n, d in DTYPES.items() if d == array.dtype)
        limit = float(np.abs(array.astype(np.float64)).max()) if array.size and dtype != "bool" else 1.0
        result = self.value("k", dtype, array.shape, limit)
        self.scope.statements.append(Op("Constant", (), (result,), {"value": array}))
        return result

    def number(self, number: float | bool, dtype: str = "i64") -> Value:
        """A scalar constant."""
        return self.constant(np.array(number, DTYPES[dtype]))

    def vector(self, *numbers: int) -> Value:
        """A constant i64 vector."""
        return self.constant(np.array(numbers, np.int64))

    def random_array(self, dtype: str, shape: Sequence[int]) -> np.ndarray:
        """Return an array of random elements.

        Floats are within 1.5 of 0; integers are small, with negative ones and zeros among them.
        """
        if dtype in FLOATS:
            return np.asarray(self.numpy.uniform(-1.5, 1.5, size=shape), DTYPES[dtype])
        if dtype in INTEGERS:
            return np.asarray(self.numpy.integers(-4, 9, size=shape), DTYPES[dtype])
        return np.asarray(self.numpy.integers(0, 2, size=shape) == 1)

    def random_constant(self, dtype: str, shape: Sequence[int]) -> Value:
        """A constant with random contents, which later steps may read."""
        result = self.constant(self.random_array(dtype, shape))
        self.scope.values.append(result)
        return result

    def filled_like(self, value: Value) -> Value:
        """A constant that has the largest shape which a value can have."""
        assert value.shape is not None
        return self.random_constant(value.dtype, [most(e) for e in value.shape])

    # -- scopes

    def enter(self, trips: int = 1) -> Scope:
        """Begin a region that runs at most `trips` times per enclosing run.

        An enclosing run is one of the present region.
        """
        self.scopes.append(self.scope)
        values = list(self.scope.values)
        self.scope = Scope(self.scope.depth + 1, values, len(values), self.scope.trips * max(trips, 1))
        return self.scope

    def leave(self, results: Sequence[Value]) -> None:
        """End it; its results are read. What it defines is forgotten."""
        for value in results:
            self.unread.pop(value, None)
            through = self.scope.depth - self.defined[value]
            if through > 0:
                self.feature("result that is a capture")
        for value in self.scope.values[self.scope.first :]:
            self.unread.pop(value, None)
        self.scope = self.scopes.pop()

    def own(self) -> list[Value]:
        """The values of the present scope itself."""
        return self.scope.values[self.scope.first :]

    def known_outside(self, extent: AxisExtent) -> bool:
        """Return True if an extent means the same in the enclosing scope.

        This holds for a number, and for an extent that a value in the enclosing scope has.
        """
        return isinstance(extent, int) or any(
            extent in v.shape for v in self.scopes[-1].values if v.shape is not None
        )

    # -- shapes

    def broadcast(self, a: Shape, b: Shape) -> Shape | None:
        """Return the shape that both broadcast to, or None.

        The result is None if the shapes surely or possibly do not broadcast.
        """
        rank = max(len(a), len(b))
        result: list[AxisExtent] = []
        for x, y in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b):
            if x == y or y == 1:
                result.append(x)
            elif x == 1:
                result.append(y)
            else:
                return None
        shape = tuple(result)
        allowed = max(LARGEST_TENSOR, elements(a), elements(b))
        return shape if rank <= LARGEST_RANK and elements(shape) <= allowed else None

    def partner(self, a: Value) -> Value:
        """Return a second operand that broadcasts with the first.

        It is a constant now and then.
        """
        shape = a.shape
        assert shape is not None
        found = None
        if not self.chance(0.2):
            found = self.pick(a.dtype, lambda v: self.broadcast(shape, v.shape or ()) is not None)
        if found is not None:
            return found
        extents = [e if isinstance(e, int) else 1 for e in shape]
        return self.random_constant(a.dtype, extents[self.integer(0, len(extents)) :])


def filled_surely(value: Value) -> bool:
    """Return True if the value has an element in any case."""
    return all(least(e) > 0 for e in value.shape or ())


def replaced(shape: Shape, axis: int, *extents: AxisExtent) -> Shape:
    """The shape with other extents in the place of one axis."""
    return (*shape[:axis], *extents, *shape[axis + 1 :])
