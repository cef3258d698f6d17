"""Termination check: every loop of a program surely ends soon.

Candidates that are tried during a reduction must not hang an engine that has no limit.
"""

from __future__ import annotations

import numpy as np

from loomir.tools.fuzz.program import NARROW, Loop, Op, Region, Value, regions_of
from loomir.tools.fuzz.regions.narrow_counters import RELATIONS, NarrowCounter

MAX_TRIPS = 10_000


def terminates(region: Region, known: dict[Value, Op] | None = None) -> bool:
    """Return True if each loop is bounded.

    A loop is bounded by a trip count, or by counting to a constant in its condition.
    """
    made = dict(known or {})
    for statement in region.statements:
        if isinstance(statement, Op):
            made.update((v, statement) for v in statement.outputs)
        if not all(terminates(r, made) for r in regions_of(statement)):
            return False
        if (
            isinstance(statement, Loop)
            and not _bounded(statement.trip, made)
            and not _counts(statement, made)
        ):
            return False
    return True


def _bounded(trips: Value | None, made: dict[Value, Op]) -> bool:
    """Return True if a trip count is small.

    It is small as a constant, by its operands, or as the least of several numbers one of which is small.
    """
    if trips is None:
        return False
    op = made.get(trips)
    if op is not None and op.kind == "Min":
        return any(_bounded(v, made) for v in op.inputs)
    number = _constant(op)
    return (trips.limit if number is None else number) <= MAX_TRIPS


def _counts(loop: Loop, around: dict[Value, Op]) -> bool:
    """Return True if the condition ends the loop by counting.

    The condition holds only while the iteration number or a carried counter is below a constant, or it ends by a narrow
    counter.
    """
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
        if _ends_narrowly(loop, op, made, around):
            return True
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


def _ends_narrowly(loop: Loop, asked: Op, made: dict[Value, Op], around: dict[Value, Op]) -> bool:
    """Return True if a comparison of a narrow counter fails soon.

    A narrow counter is a carried number of few bits that changes by constants.
    """
    value, limit = (*asked.inputs, None, None)[:2]
    bound = None if limit is None else _constant(made.get(limit))
    if asked.kind not in RELATIONS or value is None or value.dtype not in NARROW or bound is None:
        return False
    for initial, argument, following in zip(loop.carried, loop.body.parameters[2:], loop.body.results[1:]):
        step, begin = made.get(following), _constant(around.get(initial))
        if value not in (argument, following) or begin is None or step is None:
            continue
        if step.kind not in ("Add", "Sub") or step.inputs[0] is not argument or step.inputs[1] is None:
            continue
        size = _constant(made.get(step.inputs[1]))
        if size is not None:
            counter = NarrowCounter(
                value.dtype, begin, step.kind, size, asked.kind, bound, value is following
            )
            return counter.counted(MAX_TRIPS) > 0
    return False


def _constant(op: Op | None) -> int | None:
    """The number of a constant that has one element."""
    if op is None or op.kind != "Constant":
        return None
    array = op.attributes["value"]
    return int(array.item()) if isinstance(array, np.ndarray) and array.size == 1 else None
