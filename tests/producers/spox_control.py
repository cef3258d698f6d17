"""Control flow as spox builds it: bodies are Python functions that see the values around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import spox
import spox.opset.ai.onnx.v17 as op
from spox import Tensor, Var, argument, build

from tests.producers.fixtures import Made, Programs, integers, normal

programs = Programs("spox")

REAL, WHOLE, FLAG = np.float32, np.int64, np.bool_


def number(value: Any, dtype: Any = WHOLE) -> Var:
    """A constant."""
    return op.constant(value=np.array(value, dtype))


def scalar(value: Var) -> Var:
    """spox declares a body's iteration number and condition with one element each, not as scalars."""
    return op.squeeze(value, number([0]))


def one(value: Var) -> Var:
    """A condition as spox declares them."""
    return op.unsqueeze(value, number([0]))


def made(
    types: Mapping[str, spox.Type], body: Callable[..., Any], *feeds: Sequence[Any], **remarks: Any
) -> Made:
    """The model of a function from inputs to outputs by name; each feed has the inputs in their order."""
    inputs = {name: argument(type_) for name, type_ in types.items()}
    outputs = body(*inputs.values())
    arrays = [
        dict(zip(inputs, (v if isinstance(v, list) else np.asarray(v) for v in f), strict=True))
        for f in feeds
    ]
    return Made(build(inputs, outputs), arrays, **remarks)


@programs
def fibonacci() -> Made:
    def run(n: Var) -> dict[str, Var]:
        def step(i: Var, going: Var, a: Var, b: Var) -> list[Var]:
            return [going, b, op.add(a, b), a]

        _, last, all_of_them = op.loop(n, v_initial=[number(0), number(1)], body=step)
        return {"all": all_of_them, "last": last}

    return made({"n": Tensor(WHOLE, ())}, run, [WHOLE(10)], [WHOLE(0)], [WHOLE(1)])


@programs
def brackets_match() -> Made:
    """Depths of brackets, 1 opens and -1 closes; ends where one closes that none opened."""

    def run(text: Var) -> dict[str, Var]:
        length = op.size(text)

        def step(i: Var, going: Var, depth: Var) -> list[Var]:
            depth = op.add(depth, op.gather(text, scalar(i)))
            return [one(op.greater_or_equal(depth, number(0))), depth, depth]

        depth, depths = op.loop(length, number([True], FLAG), v_initial=[number(0)], body=step)
        return {"matched": op.equal(depth, number(0)), "depths": depths}

    texts = ([1, 1, -1, 1, -1, -1], [1, -1, -1, 1], [1, 1, -1], [])
    return made({"text": Tensor(WHOLE, ("n",))}, run, *([np.array(t, WHOLE)] for t in texts))


@programs
def branch_with_captured_values() -> Made:
    def run(x: Var, y: Var) -> dict[str, Var]:
        total = op.reduce_sum(x, keepdims=False)
        difference = op.sub(x, y)

        def larger() -> list[Var]:
            return [op.mul(difference, total), op.shape(x)]

        def smaller() -> list[Var]:
            both = op.concat([x, difference], axis=0)
            return [both, op.shape(both)]

        result, shape = op.if_(op.greater(total, number(0, REAL)), then_branch=larger, else_branch=smaller)
        return {"result": result, "shape": shape, "difference": difference}

    types = {"x": Tensor(REAL, ("n", 2)), "y": Tensor(REAL, ("n", 2))}
    x = abs(normal(3, 2))
    return made(types, run, [x, normal(3, 2)], [-x, normal(3, 2)], [x[:1], x[:1]])


@programs
def branch_in_a_loop_in_a_branch() -> Made:
    def run(start: Var, deep: Var) -> dict[str, Var]:
        def step(i: Var, going: Var, x: Var) -> list[Var]:
            (x,) = op.if_(
                op.equal(op.mod(scalar(i), number(2)), number(0)),
                then_branch=lambda: [op.add(x, op.cast(i, to=REAL))],
                else_branch=lambda: [op.mul(x, x)],
            )
            return [one(op.less(op.reduce_max(x, keepdims=False), number(1000, REAL))), x]

        (result,) = op.if_(
            deep,
            then_branch=lambda: op.loop(number(9), number([True], FLAG), v_initial=[start], body=step),
            else_branch=lambda: [op.neg(start)],
        )
        return {"result": result}

    types = {"start": Tensor(REAL, ("n",)), "deep": Tensor(FLAG, ())}
    return made(types, run, [normal(3), FLAG(True)], [normal(2), FLAG(False)], [normal(4) * 30, FLAG(True)])


@programs
def loop_over_columns_backwards() -> Made:
    def run(x: Var, gates: Var) -> dict[str, Var]:
        start = op.reduce_sum(x, number([1]), keepdims=False)
        steps = op.squeeze(op.shape(x, start=1), number([0]))

        def step(i: Var, going: Var, state: Var) -> list[Var]:
            column = op.gather(x, op.sub(op.sub(steps, number(1)), scalar(i)), axis=1)
            state = op.add(op.mul(state, op.gather(gates, scalar(i))), column)
            return [going, state, op.relu(state)]

        state, states = op.loop(steps, v_initial=[start], body=step)
        return {"state": state, "states": op.transpose(states, perm=[1, 0])}

    types = {"x": Tensor(REAL, ("b", "t")), "gates": Tensor(REAL, ("t", "b"))}
    return made(types, run, *([normal(b, t), normal(t, b)] for b, t in ((2, 4), (3, 1))))


@programs
def mandelbrot() -> Made:
    """A loop over pixels that are computed all at once, until all have left or a limit is reached."""

    def run(width: Var, height: Var) -> dict[str, Var]:
        def line(count: Var) -> Var:
            places = op.cast(op.range(number(0), count, number(1)), to=REAL)
            return op.sub(op.mul(places, number(0.4, REAL)), number(1.6, REAL))

        real, imaginary = op.unsqueeze(line(width), number([0])), op.unsqueeze(line(height), number([1]))
        zeros = op.mul(op.add(real, imaginary), number(0, REAL))

        def step(i: Var, going: Var, a: Var, b: Var, count: Var) -> list[Var]:
            inside = op.less(op.add(op.mul(a, a), op.mul(b, b)), number(4, REAL))
            following = op.add(op.sub(op.mul(a, a), op.mul(b, b)), real)
            other = op.add(op.mul(op.mul(a, b), number(2, REAL)), imaginary)
            going = op.greater(op.reduce_sum(op.cast(inside, to=WHOLE), keepdims=False), number(0))
            kept = [op.where(inside, new, old) for new, old in ((following, a), (other, b))]
            return [one(going), *kept, op.add(count, op.cast(inside, to=WHOLE))]

        start = [zeros, zeros, op.cast(zeros, to=WHOLE)]
        return {"count": op.loop(number(12), number([True], FLAG), v_initial=start, body=step)[2]}

    types = {"width": Tensor(WHOLE, ()), "height": Tensor(WHOLE, ())}
    return made(types, run, [WHOLE(7), WHOLE(5)], [WHOLE(3), WHOLE(9)])


@programs
def insertion_sort() -> Made:
    """Loops inside of a loop, the inner one ends at the place."""

    def run(x: Var) -> dict[str, Var]:
        def insert(i: Var, going: Var, values: Var) -> list[Var]:
            item = op.gather(x, scalar(i))

            def seek(j: Var, going: Var, place: Var) -> list[Var]:
                smaller = op.less(op.gather(values, place), item)
                place = op.add(place, op.cast(smaller, to=WHOLE))
                return [one(op.and_(smaller, op.less(place, scalar(i)))), place]

            (place,) = op.loop(i, op.greater(i, number([0])), v_initial=[number(0)], body=seek)
            at, end = one(place), i
            front = op.slice(values, number([0]), at)
            behind = op.slice(values, at, end)
            return [going, op.concat([front, one(item), behind], axis=0)]

        (values,) = op.loop(op.size(x), v_initial=[op.slice(x, number([0]), number([0]))], body=insert)
        return {"values": values}

    return made(
        {"x": Tensor(REAL, ("n",))}, run, [normal(6)], [normal(1)], [np.arange(4, 0, -1).astype(REAL)]
    )


@programs
def counter_from_outside() -> Made:
    """A condition that is false at once, a trip count of 0, and outputs of no iterations."""

    def run(x: Var, n: Var, going: Var) -> dict[str, Var]:
        def step(i: Var, go: Var, x: Var) -> list[Var]:
            x = op.add(x, op.cast(i, to=REAL))
            return [
                one(op.less(op.reduce_sum(x, keepdims=False), number(20, REAL))),
                x,
                op.gather(x, number([0])),
                i,
            ]

        last, firsts, counts = op.loop(n, one(going), v_initial=[x], body=step)
        return {"last": last, "firsts": firsts, "counts": counts}

    types = {"x": Tensor(REAL, ("k",)), "n": Tensor(WHOLE, ()), "going": Tensor(FLAG, ())}
    calls = ((5, True), (0, True), (3, False), (50, True))
    return made(types, run, *([normal(3), WHOLE(n), FLAG(g)] for n, g in calls))


@programs
def newton_without_trip_count() -> Made:
    def run(a: Var) -> dict[str, Var]:
        def step(i: Var, going: Var, x: Var) -> list[Var]:
            following = op.div(op.add(x, op.div(a, x)), number(2, REAL))
            moved = op.reduce_max(op.abs(op.sub(following, x)), keepdims=False)
            return [one(op.greater(moved, number(1e-3, REAL))), following, moved]

        x, moves = op.loop(cond=number([True], FLAG), v_initial=[a], body=step)
        return {"root": x, "enough": op.less(op.reduce_min(moves, keepdims=False), number(1e-2, REAL))}

    return made({"a": Tensor(REAL, ("n",))}, run, [abs(normal(4)) + 1], [np.array([2.0, 144.0], REAL)])


@programs
def longest_common_part() -> Made:
    """Dynamic programming: each row of a table from the one before, kept as the scan output."""

    def run(a: Var, b: Var) -> dict[str, Var]:
        width = op.shape(b)
        zeros = op.expand(number([0]), width)

        def row(i: Var, going: Var, before: Var) -> list[Var]:
            same = op.cast(op.equal(b, op.gather(a, i)), to=WHOLE)
            shifted = op.slice(op.concat([number([0]), before], axis=0), number([0]), width)
            now = op.mul(op.add(shifted, number(1)), same)
            return [going, now, now]

        _, table = op.loop(op.size(a), v_initial=[zeros], body=row)
        return {"table": table, "longest": op.reduce_max(table, keepdims=False)}

    types = {"a": Tensor(WHOLE, ("n",)), "b": Tensor(WHOLE, ("m",))}
    return made(types, run, *([integers(0, 3, n), integers(0, 3, m, seed="b")] for n, m in ((6, 7), (3, 4))))
