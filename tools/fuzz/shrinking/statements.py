"""Reductions of statements and outputs.

Results are replaced by operands or constants, Ifs by their arms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from loomir.tools.fuzz.program import DTYPES, If, Op, Program, Statement, Value, most
from loomir.tools.fuzz.shrinking.edits import (
    Edit,
    Names,
    all_statements,
    readers,
    without_dead_code,
)

Ways = list[Callable[[], Program | None]]


def fewer_outputs(program: Program) -> Ways:
    """One output alone, else all but one."""
    results = program.body.results

    def only(*kept: Value) -> Callable[[], Program]:
        return lambda: replace(program, body=replace(program.body, results=kept))

    if len(results) < 2:
        return []
    alone = [only(v) for v in results]
    return [*alone, *(only(*results[:i], *results[i + 1 :]) for i in range(len(results)))]


def no_dead_code(program: Program) -> Ways:
    """All dead statements dropped, else one."""
    read = readers(program)
    dead = [s for s in all_statements(program) if not any(v in read for v in s.outputs)]
    if not dead:
        return []
    ways: Ways = [lambda: without_dead_code(program)]
    return [*ways, *(lambda s=s: Edit(statements={s: ()}).program(program) for s in dead)]


def arm_instead_of_if(program: Program) -> Ways:
    """An If's arm evaluated unconditionally."""
    ways: Ways = []
    for statement in all_statements(program):
        if isinstance(statement, If):
            for arm in (statement.then, statement.otherwise):
                edit = Edit(dict(zip(statement.outputs, arm.results)), {statement: arm.statements})
                ways.append(lambda edit=edit: edit.program(program))
    return ways


def operand_instead_of_result(program: Program) -> Ways:
    """Return ways to remove a statement.

    Each of its results is replaced by an operand of the same type and rank.
    """
    ways: Ways = []
    for statement in reversed(all_statements(program)):
        edit = _operands_for_results(statement)
        if edit is not None:
            ways.append(lambda edit=edit: edit.program(program))
    return ways


def _operands_for_results(statement: Statement) -> Edit | None:
    edit = Edit(statements={statement: ()})
    for output in statement.outputs:
        found = [v for v in statement.inputs if v is not None and _interchangeable(v, output)]
        if not found:
            return None
        same = [v for v in found if v.shape == output.shape]
        edit.values[output] = (same or found)[0]
    return edit


def _interchangeable(a: Value, b: Value) -> bool:
    if a.dtype != b.dtype or a.is_sequence != b.is_sequence or (a.shape is None) != (b.shape is None):
        return False
    return a.shape is None or b.shape is None or len(a.shape) == len(b.shape)


def constant_instead_of_result(program: Program) -> Ways:
    """Return ways to replace a result by a constant.

    The constant has the largest shape of the result. The statement is removed if that was its only result.
    """
    ways: Ways = []
    read = readers(program)
    for statement in reversed(all_statements(program)):
        if isinstance(statement, Op) and statement.kind == "Constant":
            continue
        for output in statement.outputs:
            if output.shape is not None and not output.is_sequence and output in read:
                ways.append(lambda s=statement, v=output: _with_constant(program, s, v))
    return ways


def _with_constant(program: Program, statement: Statement, value: Value) -> Program:
    array = np.ones([most(e) for e in value.shape or ()], DTYPES[value.dtype])
    constant = Names(program).constant(array)
    kept = (constant,) if len(statement.outputs) == 1 else (constant, statement)
    return Edit({value: constant.outputs[0]}, {statement: kept}).program(program)


def fewer_if_outputs(program: Program) -> Ways:
    """An If without a result that nothing reads."""
    ways: Ways = []
    read = readers(program)
    for statement in all_statements(program):
        if isinstance(statement, If) and len(statement.outputs) > 1:
            for index, output in enumerate(statement.outputs):
                if output not in read:
                    ways.append(lambda s=statement, i=index: _without_output(program, s, i))
    return ways


def _without_output(program: Program, statement: If, index: int) -> Program:
    def without(values: tuple[Value, ...]) -> tuple[Value, ...]:
        return (*values[:index], *values[index + 1 :])

    smaller = replace(
        statement,
        then=replace(statement.then, results=without(statement.then.results)),
        otherwise=replace(statement.otherwise, results=without(statement.otherwise.results)),
        outputs=without(statement.outputs),
    )
    return Edit(statements={statement: (smaller,)}).program(program)
