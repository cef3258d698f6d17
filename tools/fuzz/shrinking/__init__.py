"""Failing programs made smaller: the same failure of as little as possible.

Reductions of loops replace them by their bodies, or remove carried values, scan outputs, iterations and conditions.
Those of statements and data are in `edits`. Every loop of a candidate surely ends soon (`terminates`): candidates that
are tried during a reduction must not hang an engine that has no limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from loomir.tools.fuzz import NARROW, Loop, Op, Program, Region, Scan, Value, regions_of
from loomir.tools.fuzz.carried_values import RELATIONS, NarrowCounter
from loomir.tools.fuzz.shrinking import edits
from loomir.tools.fuzz.shrinking.edits import (
    Edit,
    Names,
    all_statements,
    constants,
    readers,
    without_dead_code,
)

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


Ways = list[Callable[[], Program | None]]


def body_instead_of_loop(program: Program) -> Ways:
    """Return ways to replace a loop by one iteration.

    The body is applied to the initial values; scan outputs have one element.
    """
    ways: Ways = []
    for statement in all_statements(program):
        if isinstance(statement, Loop) and not statement.sliced:
            ways.append(lambda s=statement: _one_iteration(program, s))
        elif isinstance(statement, Scan):
            ways.append(lambda s=statement: _one_step(program, s))
    return ways


def _one_iteration(program: Program, loop: Loop) -> Program:
    names = Names(program)
    before = [names.constant(np.array(0, np.int64)), names.constant(np.array(True))]
    parameters, results = loop.body.parameters, loop.body.results
    initial = (*(c.outputs[0] for c in before), *loop.carried)
    edit = Edit(dict(zip(parameters, initial)))
    behind: list[Op] = []
    count = len(loop.carried)
    edit.values.update(zip(loop.outputs[:count], results[1 : 1 + count]))
    stacked = loop.outputs[count : count + loop.scans]
    for output, result in zip(stacked, results[1 + count :]):
        behind += _unsqueezed(names, result, output, 0)
    edit.values.update(zip(loop.outputs[count + loop.scans :], results[1 + count + loop.scans :]))
    edit.statements[loop] = (*before, *loop.body.statements, *behind)
    return edit.program(program)


def _one_step(program: Program, scan: Scan) -> Program:
    names = Names(program)
    edit = Edit(dict(zip(scan.body.parameters, scan.states)))
    zero = names.constant(np.array(0, np.int64))
    made: list[Op] = [zero]
    count = len(scan.states)
    for part, sequence, where in zip(scan.body.parameters[count:], scan.sequences, scan.sequence_axes):
        made.append(Op("Gather", (sequence, zero.outputs[0]), (part,), {"axis": where.axis}))
    edit.values.update(zip(scan.outputs, scan.body.results[:count]))
    behind: list[Op] = []
    for output, result, where in zip(scan.outputs[count:], scan.body.results[count:], scan.output_axes):
        behind += _unsqueezed(names, result, output, where.axis)
    edit.statements[scan] = (*made, *scan.body.statements, *behind)
    return edit.program(program)


def _unsqueezed(names: Names, result: Value, output: Value, axis: int) -> list[Op]:
    axes = names.constant(np.array([axis], np.int64))
    return [axes, Op("Unsqueeze", (result, axes.outputs[0]), (output,))]


def fewer_carried(program: Program) -> Ways:
    """Return ways to remove one of a loop's carried values.

    The value is replaced by its initial value everywhere.
    """
    ways: Ways = []
    for statement in all_statements(program):
        if isinstance(statement, Loop):
            for index in range(len(statement.carried)):
                ways.append(lambda s=statement, i=index: _without_carried(program, s, i))
        elif isinstance(statement, Scan):
            for index in range(len(statement.states)):
                ways.append(lambda s=statement, i=index: _without_state(program, s, i))
    return ways


def _without(values: tuple[Value, ...], index: int) -> tuple[Value, ...]:
    return (*values[:index], *values[index + 1 :])


def _without_carried(program: Program, loop: Loop, index: int) -> Program | None:
    if len(loop.outputs) == 1:
        return None
    body = replace(
        loop.body,
        parameters=_without(loop.body.parameters, index + 2),
        results=_without(loop.body.results, index + 1),
    )
    smaller = replace(
        loop, carried=_without(loop.carried, index), body=body, outputs=_without(loop.outputs, index)
    )
    initial = loop.carried[index]
    values = {loop.body.parameters[index + 2]: initial, loop.outputs[index]: initial}
    return Edit(values, {loop: (smaller,)}).program(program)


def _without_state(program: Program, scan: Scan, index: int) -> Program | None:
    if len(scan.outputs) == 1:
        return None
    body = replace(
        scan.body,
        parameters=_without(scan.body.parameters, index),
        results=_without(scan.body.results, index),
    )
    smaller = replace(
        scan, states=_without(scan.states, index), body=body, outputs=_without(scan.outputs, index)
    )
    initial = scan.states[index]
    values = {scan.body.parameters[index]: initial, scan.outputs[index]: initial}
    return Edit(values, {scan: (smaller,)}).program(program)


def fewer_scans(program: Program) -> Ways:
    """A loop without a scan output that nothing reads."""
    ways: Ways = []
    read = readers(program)
    for statement in all_statements(program):
        if not isinstance(statement, Loop | Scan) or len(statement.outputs) < 2:
            continue
        first = len(statement.carried if isinstance(statement, Loop) else statement.states)
        last = first + statement.scans if isinstance(statement, Loop) else len(statement.outputs)
        for index in range(first, last):
            if statement.outputs[index] not in read:
                ways.append(lambda s=statement, i=index: _without_scan(program, s, i))
    return ways


def _without_scan(program: Program, loop: Loop | Scan, index: int) -> Program:
    outputs = _without(loop.outputs, index)
    if isinstance(loop, Loop):
        body = replace(loop.body, results=_without(loop.body.results, index + 1))
        smaller: Loop | Scan = replace(loop, body=body, outputs=outputs, scans=loop.scans - 1)
    else:
        body = replace(loop.body, results=_without(loop.body.results, index))
        place = index - len(loop.states)
        axes = (*loop.output_axes[:place], *loop.output_axes[place + 1 :])
        smaller = replace(loop, body=body, outputs=outputs, output_axes=axes)
    return Edit(statements={loop: (smaller,)}).program(program)


def fewer_trips(program: Program) -> Ways:
    """A constant number of trips: 1, 2, 3, or one less."""
    ways: Ways = []
    numbers = constants(program)
    for statement in all_statements(program):
        if isinstance(statement, Loop) and statement.trip is not None:
            number = numbers.get(statement.trip)
            now = int(number.item()) if number is not None else None
            for trips in (0, 1, 2, 3) if now is None else sorted({0, 1, 2, 3, now - 1}):
                if now is None or 0 <= trips < now:
                    ways.append(lambda s=statement, n=trips: _with_trips(program, s, n))
    return ways


def _with_trips(program: Program, loop: Loop, trips: int) -> Program:
    constant = Names(program).constant(np.array(trips, np.int64))
    smaller = replace(loop, trip=constant.outputs[0])
    return Edit(statements={loop: (constant, smaller)}).program(program)


def fewer_conditions(program: Program) -> Ways:
    """Return ways to remove the condition of a counted loop.

    The loop has a trip count. The body's condition becomes true, since ONNX Runtime reads it.
    """
    ways: Ways = []
    for statement in all_statements(program):
        if isinstance(statement, Loop) and statement.trip is not None and statement.condition is not None:
            ways.append(lambda s=statement: _without_condition(program, s))
    return ways


def _without_condition(program: Program, loop: Loop) -> Program:
    names = Names(program)
    true = names.constant(np.array(True))
    body = replace(
        loop.body,
        statements=(*loop.body.statements, true),
        results=(true.outputs[0], *loop.body.results[1:]),
    )
    incoming = names.constant(np.array(True))
    smaller = replace(loop, condition=None, body=body)
    values = {loop.body.parameters[1]: incoming.outputs[0]}
    return Edit(values, {loop: (incoming, smaller)}).program(program)


Candidates = Callable[[Program], list[Callable[[], Program | None]]]
"""Ways to reduce a program, each evaluated on demand.

A way that is not applicable returns None.
"""

PASSES: tuple[Candidates, ...] = (
    edits.fewer_outputs,
    edits.one_feed,
    edits.arm_instead_of_if,
    body_instead_of_loop,
    edits.operand_instead_of_result,
    edits.constant_instead_of_result,
    edits.fewer_if_outputs,
    fewer_carried,
    fewer_scans,
    fewer_trips,
    fewer_conditions,
    edits.no_dead_code,
    edits.fewer_inputs,
    edits.simpler_constants,
    edits.simpler_feeds,
)
"""From coarse to fine."""


def reduce_program(program: Program, is_bad: Callable[[Program], bool], *, max_checks: int = 500) -> Program:
    """Return the smallest program found for which `is_bad` still holds.

    `is_bad` is called at most `max_checks` times. Each step that keeps the failure is kept; the same program and predicate
    produce the same result. A candidate may fail in ways other than the one looked for (shapes may not fit any more):
    `is_bad` returns False for it. Every loop of a candidate ends.
    """
    search = _Search(program, is_bad, max_checks)
    search.sweep()
    while sum(search.run(candidates) for candidates in PASSES):
        pass
    return search.program


class _Search:
    """The smallest failing program so far."""

    def __init__(self, program: Program, is_bad: Callable[[Program], bool], max_checks: int) -> None:
        self.program = program
        self._is_bad = is_bad
        self._left = max_checks
        self._sweep = False

    def sweep(self) -> None:
        """Remove dead code from now on, unless the failure needs it."""
        self._sweep = self._accept(without_dead_code(self.program))

    def run(self, candidates: Candidates) -> bool:
        """Try the ways of a pass.

        After a way was accepted, continue with those of the new program from the same position on.
        """
        ways = candidates(self.program)
        position = 0
        changed = False
        while position < len(ways) and self._left > 0:
            made = ways[position]()
            if made is not None and self._sweep:
                made = without_dead_code(made)
            if made is not None and terminates(made.body) and self._accept(made):
                ways = candidates(self.program)
                changed = True
            else:
                position += 1
        return changed

    def _accept(self, candidate: Program) -> bool:
        if self._left <= 0:
            return False
        self._left -= 1
        if not self._is_bad(candidate):
            return False
        self.program = candidate
        return True
