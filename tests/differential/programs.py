"""Random ONNX programs of nested loops and branches: typed, terminating, and alike in every correct engine.

`program(seed)` is a model with feeds. What it holds by construction:

- Names are unique, every operand has the right type, and shapes fit. An extent is a number or a *symbol*: two values with one
  symbol have the same extent whenever both exist. `Builder.least` and `Builder.most` bound symbols.
- Every loop ends: a constant bound, a bounded number of trips, or a counter that runs to a constant.
- Floats stay within a few units (`Value.limit`), so that rounding differences stay small; integers stay within 10⁴.
- Conditions are made of integers, or of floats whose sums hit a threshold by accident only: no engine's rounding flips one.
- No shape depends on the number of trips without a static bound: the engines below GRAPH need one.

ONNX Runtime is the oracle, so its known faults are avoided: with an omitted condition the body's is true; a Scan has at
least one step and neither takes nor gives empty tensors (a division by zero ends the process); reductions of what may be
empty count their axes from the front; scan outputs of a loop that may not run have static inner extents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper

from tests.differential.builder import (
    BOOL,
    F32,
    I64,
    LARGEST_FLOAT,
    LARGEST_INTEGER,
    PROTO_TYPES,
    Extent,
    Scope,
    Value,
)
from tests.differential.steps import Steps

MAX_DEPTH = 3
MAX_REGIONS = 8


@dataclass
class Program:
    """A model and what to feed it with, call by call."""

    seed: int
    model: onnx.ModelProto
    feeds: list[dict[str, np.ndarray]]


@dataclass(frozen=True)
class Growth:
    """A carried value (by index) that gets `step` elements longer on an axis in each iteration, from `low` on."""

    index: int
    axis: int
    low: int
    step: int


def program(seed: int, *, size: int = 14, open_shapes: bool = False) -> Program:
    """The program of a seed; `size` is about the number of its steps.

    With `open_shapes`, one extent of an input is open and differs from feed to feed.
    """
    return Programs(seed, size).program(open_shapes)


class Programs(Steps):
    """Makes one program: its steps are plain ones, loops and branches."""

    def __init__(self, seed: int, size: int) -> None:
        super().__init__(seed)
        self.size = size
        self.regions = 0

    # -- the whole program

    def program(self, open_shapes: bool) -> Program:
        """Inputs, steps, outputs, feeds."""
        extents: list[Extent]
        extents = [self.random.choice([1, 2, 3, 4]) for _ in range(2)]
        if open_shapes:
            extents[0] = self.symbol(1, 4)
        inputs = [self.value("x", F32, (extents[0], extents[1]), LARGEST_FLOAT)]
        inputs.append(self.value("x", F32, (extents[self.random.randrange(2)],), LARGEST_FLOAT))
        inputs.append(self.value("n", I64, (), 9))
        inputs.append(self.value("n", I64, (self.random.choice([2, 3]),), 9))
        inputs.append(self.value("c", BOOL, (), 1))
        self.scope.values += inputs
        self.steps(self.size, force_region=True)
        outputs = self.outputs(inputs)
        graph = helper.make_graph(
            self.scope.nodes, f"seed_{self.seed}", [i.info() for i in inputs], [o.info() for o in outputs]
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=8)
        return Program(self.seed, model, [self.feed(inputs) for _ in range(2)])

    def feed(self, inputs: Sequence[Value]) -> dict[str, np.ndarray]:
        """Random arrays for the inputs."""
        result: dict[str, np.ndarray] = {}
        extents: dict[Extent, int] = {}
        for value in inputs:
            for e in value.shape:
                extents.setdefault(
                    e, e if isinstance(e, int) else self.random.randint(self.low(e), self.high(e))
                )
            shape = [extents[e] for e in value.shape]
            if value.dtype == F32:
                array = np.clip(self.numpy.normal(size=shape), -LARGEST_FLOAT, LARGEST_FLOAT).astype(
                    np.float32
                )
            elif value.dtype == I64:
                array = np.asarray(self.numpy.integers(-2, 8, size=shape), np.int64)
            else:
                array = np.asarray(self.numpy.integers(0, 2, size=shape) == 1)
            result[value.name] = np.asarray(array)
        return result

    def outputs(self, inputs: Sequence[Value]) -> list[Value]:
        """Some of the values made at the top, mostly late ones; each under a name of its own."""
        made = [v for v in self.scope.values if v not in inputs]
        chosen = [v for i, v in enumerate(made) if self.chance(0.25 + 0.5 * i / max(1, len(made)))]
        chosen = chosen[-8:] or made[-1:]
        return chosen or [self.emit("Identity", [inputs[0]], F32, inputs[0].shape, inputs[0].limit)]

    def steps(self, count: int, *, force_region: bool = False) -> None:
        """Random operations in the present scope; some are loops and branches."""
        for index in range(count):
            room = self.scope.depth < MAX_DEPTH and self.regions < MAX_REGIONS
            wanted = self.chance(0.22) or (force_region and index in (2, 5))
            if room and wanted:
                self.regions += 1
                self.weighted([(5, self.loop), (3, self.if_), (2, self.scan)])()
            else:
                self.weighted(self.plain())()

    # -- regions

    def nested(self) -> Scope:
        """Enter a subgraph."""
        self.scope = Scope(self.scope, self.scope.depth + 1)
        return self.scope

    def leave(self) -> None:
        """Go back to the scope around."""
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def renamed(self, value: Value) -> Value:
        """The value under a name of its own: a graph's outputs are its own values, each of another name."""
        result = self.value("out", value.dtype, value.shape, value.limit)
        self.scope.nodes.append(helper.make_node("Identity", [value.name], [result.name]))
        return result

    def if_(self) -> None:
        """Two branches; results differ in some extent now and then."""
        cond = self.condition()
        signature: list[Value] = []
        graphs: list[onnx.GraphProto] = []
        results: list[list[Value]] = []
        count = self.random.choice([1, 1, 2, 3])
        for name in ("then", "else"):
            scope = self.nested()
            self.steps(self.random.randint(1, 4))
            if name == "then":
                signature = [self.any_of(self.random.choice([F32, F32, I64, BOOL])) for _ in range(count)]
                chosen = signature
            else:
                chosen = [self.alike(v) for v in signature]
            outputs = [self.renamed(v) for v in chosen]
            self.leave()
            graphs.append(
                helper.make_graph(
                    scope.nodes, self.value(name, F32, (), 0).name, [], [o.info() for o in outputs]
                )
            )
            results.append(outputs)
        joined: list[Value] = []
        for a, b in zip(*results):
            shape = tuple(self.joined(x, y) for x, y in zip(a.shape, b.shape))
            joined.append(self.value("if", a.dtype, shape, max(a.limit, b.limit)))
        self.scope.nodes.append(
            helper.make_node(
                "If", [cond.name], [r.name for r in joined], then_branch=graphs[0], else_branch=graphs[1]
            )
        )
        self.scope.values += joined

    def joined(self, a: Extent, b: Extent) -> Extent:
        """The extent of a value that is either's; symbols of a branch mean nothing outside of it."""
        if a == b and (isinstance(a, int) or self.known_outside(a)):
            return a
        return self.symbol(min(self.low(a), self.low(b)), max(self.high(a), self.high(b)))

    def known_outside(self, symbol: Extent) -> bool:
        """Whether a value of the present scope or of one around it has this symbol."""
        return any(symbol in v.shape for v in self.scope.visible())

    def alike(self, wanted: Value) -> Value:
        """A value of the same type and rank: of the same shape, or one that differs in extents."""
        if self.chance(0.3):
            other = self.pick(wanted.dtype, lambda v: len(v.shape) == len(wanted.shape) and len(v.shape) > 0)
            if other is not None:
                return other
        same = self.pick(wanted.dtype, lambda v: v.shape == wanted.shape)
        if same is not None:
            return same
        shape = [e if isinstance(e, int) else self.high(e) for e in wanted.shape]
        return self.random_constant(wanted.dtype, shape)

    def loop(self) -> None:
        """A Loop: trips and condition of one of several kinds; carried values that change, stay, swap, grow or are dead."""
        kind = self.random.choice(
            ["static", "static", "static", "bounded", "condition", "condition", "while"]
        )
        most = self.random.choice([0, 1, 2, 3, 3, 4, 5])
        trip: Value | None = None
        cond: Value | None = None
        least = most if kind == "static" else 0
        if kind == "bounded":
            number = self.any_of(I64, lambda v: v.shape == ())
            if number.shape != ():
                number = self.emit("ReduceSum", [number], I64, (), number.limit * 12, keepdims=0)
            trip = self.emit("Min", [number, self.number(np.array(most, np.int64))], I64, (), LARGEST_INTEGER)
        elif kind != "while":
            trip = self.number(np.array(most, np.int64))
        if kind in ("condition", "while"):
            cond = self.condition() if self.chance(0.35) else self.true()
        elif self.chance(0.4):
            cond = self.true()
        carried = [
            self.any_of(self.random.choice([F32, F32, F32, I64, BOOL]))
            for _ in range(self.random.choice([0, 1, 2, 2, 3]))
        ]
        if self.chance(0.2) and carried and len(carried) < 4:
            carried.append(carried[0])
        if kind == "while":
            carried.append(self.number(np.array(0, np.int64)))
        growth = self.growth(carried) if kind != "while" and self.chance(0.3) else None
        scope = self.nested()
        iteration = self.value("i", I64, (), 20)
        incoming = self.value("ci", BOOL, (), 1)
        arguments = [self.carried_argument(v) for v in carried]
        if growth is not None:
            grown = arguments[growth.index]
            longest = growth.low + growth.step * most
            shape = self.replaced(grown.shape, growth.axis, self.symbol(growth.low, longest))
            arguments[growth.index] = Value(grown.name, grown.dtype, shape, grown.limit)
        scope.values += [*arguments, iteration]
        if cond is not None:
            scope.values.append(incoming)
        counter = arguments[-1] if kind == "while" else None
        self.steps(self.random.randint(1, 5))
        following = self.following(arguments)
        if growth is not None:
            following[growth.index] = self.grow(arguments[growth.index], growth)
        again = self.true()
        if kind == "condition":
            again = self.condition()
        elif kind == "while":
            assert counter is not None
            one, bound = self.number(np.array(1, np.int64)), self.number(np.array(most, np.int64))
            following[-1] = self.emit("Add", [counter, one], I64, (), 20)
            again = self.emit("Less", [following[-1], bound], BOOL, (), 1)
            if self.chance(0.4):
                again = self.emit("And", [again, self.condition()], BOOL, (), 1)
        elif cond is not None and self.chance(0.5):
            again = incoming
        scans: list[Value] = []
        if kind != "while":
            for _ in range(self.random.choice([0, 1, 1, 2])):
                v = self.pick(
                    self.random.choice([F32, F32, I64, BOOL]),
                    lambda v: v.static and self.elements(v.shape) <= 32,
                )
                if v is not None and len(v.shape) < 4:
                    scans.append(v)
        if not carried and not scans:
            scans.append(self.any_of(F32, lambda v: v.static and len(v.shape) < 4))
        if not (kind == "static" and most > 0):
            # With no trips the inner extents are what inference knows of them, so make it know.
            scans = [self.reshaped(v) for v in scans]
        limits = [max(a.limit, b.limit) for a, b in zip(carried, following)]
        outputs = [self.renamed(v) for v in (again, *following, *scans)]
        self.leave()
        graph = helper.make_graph(
            scope.nodes,
            self.value("body", F32, (), 0).name,
            [self.plain_info(v) for v in (iteration, incoming, *arguments)],
            [self.plain_info(v) for v in outputs],
        )
        extent: Extent = most if kind == "static" else self.symbol(least, most)
        results: list[Value] = []
        for index, (initial, argument, limit) in enumerate(zip(carried, arguments, limits)):
            shape = initial.shape
            if growth is not None and growth.index == index:
                longest = growth.low + growth.step * most
                grown = longest if kind == "static" else self.symbol(growth.low, longest)
                shape = self.replaced(shape, growth.axis, grown)
            results.append(self.value("l", initial.dtype, shape, max(limit, argument.limit)))
        results += [self.value("s", v.dtype, (extent, *v.shape), v.limit) for v in scans]
        inputs = [trip.name if trip else "", cond.name if cond else "", *(v.name for v in carried)]
        self.scope.nodes.append(helper.make_node("Loop", inputs, [r.name for r in results], body=graph))
        self.scope.values += results

    def carried_argument(self, initial: Value) -> Value:
        """What a body sees of a carried value: any value within the ranges, since the body may change it."""
        limit = {F32: LARGEST_FLOAT, I64: LARGEST_INTEGER, BOOL: 1.0}[initial.dtype]
        return self.value("a", initial.dtype, initial.shape, limit)

    def following(self, arguments: Sequence[Value]) -> list[Value]:
        """The next carried values."""
        return [self.next_of(argument, arguments) for argument in arguments]

    def next_of(self, argument: Value, arguments: Sequence[Value]) -> Value:
        """A carried value's next one: a new one, itself, another carried one, or any value of its type."""

        def same(v: Value) -> bool:
            return v.dtype == argument.dtype and v.shape == argument.shape

        choice = self.random.random()
        own = [v for v in self.scope.values if same(v) and v not in arguments]
        others = [v for v in arguments if same(v) and v is not argument]
        if choice < 0.12:
            return argument
        if choice < 0.35 and others:
            return self.random.choice(others)
        if choice < 0.42:
            return self.pick(argument.dtype, same) or argument
        if own and choice < 0.8:
            return own[-1]
        if argument.dtype == BOOL:
            return self.emit("Not", [argument], BOOL, argument.shape, 1)

        def fits(v: Value) -> bool:
            return self.broadcast(argument.shape, v.shape) == argument.shape

        return self.combine(argument.dtype, argument, self.pick(argument.dtype, fits) or argument)

    def growth(self, carried: Sequence[Value]) -> Growth | None:
        """Which carried value grows along which axis, by how many elements in an iteration."""
        found = [
            (index, axis)
            for index, v in enumerate(carried)
            for axis, e in enumerate(v.shape)
            if v.static and isinstance(e, int) and e <= 4 and v.dtype != BOOL
        ]
        if not found:
            return None
        index, axis = self.random.choice(found)
        return Growth(index, axis, self.low(carried[index].shape[axis]), self.random.choice([1, 1, 2]))

    def grow(self, argument: Value, growth: Growth) -> Value:
        """The argument with some more elements at either end."""
        shape = self.replaced(argument.shape, growth.axis, growth.step)
        more = self.pick(argument.dtype, lambda v: v.shape == shape)
        if more is None:
            more = self.random_constant(argument.dtype, [self.low(e) for e in shape])
        parts = [argument, more] if self.chance(0.6) else [more, argument]
        longer = self.symbol(self.low(argument.shape[growth.axis]), self.high(argument.shape[growth.axis]))
        result = self.replaced(argument.shape, growth.axis, longer)
        return self.emit("Concat", parts, argument.dtype, result, argument.limit, axis=growth.axis)

    def plain_info(self, value: Value) -> onnx.ValueInfoProto:
        """A declaration inside a body; a symbol is left open, since a name there would be taken for an equality."""
        shape = [e if isinstance(e, int) else None for e in value.shape]
        return helper.make_tensor_value_info(value.name, PROTO_TYPES[value.dtype], shape)

    def scan(self) -> None:
        """A Scan over one or two inputs of the same length, any axes, forward or reverse."""
        first = self.any_of(F32, lambda v: len(v.shape) > 0 and self.filled_surely(v))
        length = self.random.choice(first.shape)
        inputs = [first]
        if self.chance(0.5):
            dtype = self.random.choice([F32, I64])
            second = self.pick(dtype, lambda v: length in v.shape and self.filled_surely(v))
            inputs += [second] if second is not None else []
        input_axes = [self.random.choice([i for i, e in enumerate(v.shape) if e == length]) for v in inputs]
        directions = [int(self.chance(0.4)) for _ in inputs]
        states = [
            self.any_of(self.random.choice([F32, F32, I64])) for _ in range(self.random.choice([0, 1, 2]))
        ]
        scope = self.nested()
        arguments = [self.carried_argument(v) for v in states]
        parts = [
            self.value("p", v.dtype, (*v.shape[:a], *v.shape[a + 1 :]), v.limit)
            for v, a in zip(inputs, input_axes)
        ]
        scope.values += [*arguments, *parts]
        self.steps(self.random.randint(1, 5))
        following = self.following(arguments)
        scans: list[Value] = []
        for _ in range(self.random.choice([0, 1, 2]) if states else self.random.choice([1, 2])):
            v = self.any_of(
                self.random.choice([F32, F32, I64]),
                lambda v: v.static and 0 < self.elements(v.shape) <= 32 and len(v.shape) < 4,
            )
            scans.append(v)
        if not states and not scans:
            scans.append(self.random_constant(F32, (2,)))
        outputs = [self.renamed(v) for v in (*following, *scans)]
        self.leave()
        graph = helper.make_graph(
            scope.nodes,
            self.value("body", F32, (), 0).name,
            [self.plain_info(v) for v in (*arguments, *parts)],
            [self.plain_info(v) for v in outputs],
        )
        results = [
            self.value("l", v.dtype, v.shape, max(v.limit, a.limit, f.limit))
            for v, a, f in zip(states, arguments, following)
        ]
        output_axes: list[int] = []
        for v in scans:
            axis = self.random.randrange(len(v.shape) + 1)
            results.append(self.value("s", v.dtype, (*v.shape[:axis], length, *v.shape[axis:]), v.limit))
            output_axes.append(axis if self.chance(0.7) else axis - len(v.shape) - 1)
        attributes: dict[str, Any] = {"num_scan_inputs": len(inputs), "body": graph}
        given = [a if self.chance(0.7) else a - len(v.shape) for a, v in zip(input_axes, inputs)]
        attributes |= {"scan_input_axes": given, "scan_input_directions": directions}
        if scans:
            attributes["scan_output_axes"] = output_axes
            attributes["scan_output_directions"] = [int(self.chance(0.4)) for _ in scans]
        self.scope.nodes.append(
            helper.make_node(
                "Scan", [v.name for v in (*states, *inputs)], [r.name for r in results], **attributes
            )
        )
        self.scope.values += results
