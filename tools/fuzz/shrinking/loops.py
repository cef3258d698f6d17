"""Reductions of loops.

They replace loops by their bodies, or remove carried values, scan outputs, iterations and conditions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from loomir.tools.fuzz.program import Loop, Op, Program, Scan, Value
from loomir.tools.fuzz.shrinking.edits import Edit, Names, all_statements, constants, readers

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
