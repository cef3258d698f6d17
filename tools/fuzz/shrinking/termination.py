"""Whether every loop of a program surely ends soon: what is tried while reducing must not hang an engine without a limit."""

from __future__ import annotations

import numpy as np

from loomir.tools.fuzz.program import Loop, Op, Region, Value, regions_of

MAX_TRIPS = 10_000


def terminates(region: Region, known: dict[Value, Op] | None = None) -> bool:
    """Whether each loop has a bound of trips, or counts to a constant in its condition."""
    made = dict(known or {})
    for statement in region.statements:
        if isinstance(statement, Op):
            made.update((v, statement) for v in statement.outputs)
        if not all(terminates(r, made) for r in regions_of(statement)):
            return False
        if isinstance(statement, Loop) and not _bounded(statement, made) and not _counts(statement):
            return False
    return True


def _bounded(loop: Loop, made: dict[Value, Op]) -> bool:
    """A trip count that isn't a huge constant: numbers that are computed stay small."""
    if loop.trip is None:
        return False
    number = _constant(made.get(loop.trip))
    return number is None or number <= MAX_TRIPS


def _counts(loop: Loop) -> bool:
    """Whether the condition holds only while the iteration number or a carried counter is below a constant."""
    if loop.condition is None:
        return False
    made = {s.outputs[0]: s for s in loop.body.statements if isinstance(s, Op)}
    parameters, results = loop.body.parameters, loop.body.results
    waiting = [results[0]]
    while waiting:
        op = made.get(waiting.pop())
        if op is None:
            continue
        if op.kind == "And":
            waiting += [v for v in op.inputs if v is not None]
        if op.kind != "Less" or op.inputs[1] is None or _constant(made.get(op.inputs[1])) is None:
            continue
        number = op.inputs[0]
        if number is parameters[0]:
            return True
        add = made.get(number) if number is not None else None
        if add is None or add.kind != "Add" or add.inputs[1] is None:
            continue
        for argument, following in zip(parameters[2:], results[1:]):
            step = _constant(made.get(add.inputs[1]))
            if following is number and add.inputs[0] is argument and step is not None and step > 0:
                return True
    return False


def _constant(op: Op | None) -> int | None:
    """The number of a constant that has one element."""
    if op is None or op.kind != "Constant":
        return None
    array = op.attributes["value"]
    return int(array.item()) if isinstance(array, np.ndarray) and array.size == 1 else None
