"""Edits of program trees, and reductions of statements and data.

Edits replace values that are read, replace statements, and remove dead code. Results of statements are replaced by
operands or constants, Ifs by their arms. Of data there remain one feed and fewer inputs; numbers of constants and feeds
become zeros and ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from loomir.tools.fuzz import (
    DTYPES,
    If,
    Loop,
    Op,
    Program,
    Region,
    Scan,
    Statement,
    Value,
    most,
    regions_of,
    walk,
)


@dataclass
class Edit:
    """Replacement of values and statements.

    Each of `values` is read as another value; each of `statements` becomes none, one or several statements.
    """

    values: dict[Value, Value] = field(default_factory=dict)
    statements: dict[Statement, Sequence[Statement]] = field(default_factory=dict)

    def program(self, program: Program) -> Program:
        """The changed program."""
        return replace(program, body=self.region(program.body))

    def region(self, region: Region) -> Region:
        """The changed region."""
        made: list[Statement] = []
        for statement in region.statements:
            for each in self.statements.get(statement, (statement,)):
                made.append(self.statement(each))
        return Region(region.parameters, tuple(made), tuple(self.value(v) for v in region.results))

    def value(self, value: Value) -> Value:
        """Return the replacement of a value, following chains of changes."""
        while value in self.values:
            value = self.values[value]
        return value

    def statement(self, statement: Statement) -> Statement:
        """The statement with other operands, and changed within."""
        if isinstance(statement, Op):
            inputs = tuple(self.value(v) if v is not None else None for v in statement.inputs)
            return replace(statement, inputs=inputs)
        if isinstance(statement, If):
            return replace(
                statement,
                condition=self.value(statement.condition),
                then=self.region(statement.then),
                otherwise=self.region(statement.otherwise),
            )
        if isinstance(statement, Loop):
            return replace(
                statement,
                trip=self.value(statement.trip) if statement.trip else None,
                condition=self.value(statement.condition) if statement.condition else None,
                carried=tuple(self.value(v) for v in statement.carried),
                sliced=tuple(replace(s, value=self.value(s.value)) for s in statement.sliced),
                body=self.region(statement.body),
            )
        return replace(
            statement,
            states=tuple(self.value(v) for v in statement.states),
            sequences=tuple(self.value(v) for v in statement.sequences),
            body=self.region(statement.body),
        )


def all_statements(program: Program) -> list[Statement]:
    """Every statement; one with regions before those within."""
    return [s for _, s in walk(program.body)]


def readers(program: Program) -> set[Value]:
    """Return all values that are read.

    They are read by a statement, or as a result of a region or of the program.
    """
    read = set(program.body.results)
    for _, statement in walk(program.body):
        read.update(v for v in statement.inputs if v is not None)
        for region in regions_of(statement):
            read.update(region.results)
    return read


def without_dead_code(program: Program) -> Program:
    """Return the program without statements whose outputs are never read.

    Carried values and results of regions stay.
    """
    return replace(program, body=_live(program.body, set()))


def _live(region: Region, wanted: set[Value]) -> Region:
    """The region without dead statements; adds to `wanted` what it reads."""
    wanted.update(region.results)
    kept: list[Statement] = []
    for statement in reversed(region.statements):
        if not any(v in wanted for v in statement.outputs):
            continue
        wanted.update(v for v in statement.inputs if v is not None)
        if isinstance(statement, If):
            then, otherwise = (_live(r, wanted) for r in regions_of(statement))
            statement = replace(statement, then=then, otherwise=otherwise)
        elif isinstance(statement, Loop | Scan):
            statement = replace(statement, body=_live(statement.body, wanted))
        kept.append(statement)
    return Region(region.parameters, tuple(reversed(kept)), region.results)


class Names:
    """Names that a program does not have yet."""

    def __init__(self, program: Program) -> None:
        taken = {v.name for v in program.inputs}
        for _, statement in walk(program.body):
            taken.update(v.name for v in statement.outputs)
            for region in regions_of(statement):
                taken.update(v.name for v in region.parameters)
        self._taken = taken
        self._next = 0

    def value(self, like: Value) -> Value:
        """A value of the same type under a new name."""
        while f"r{self._next}" in self._taken:
            self._next += 1
        self._next += 1
        return replace(like, name=f"r{self._next - 1}")

    def constant(self, array: np.ndarray) -> Op:
        """A constant, by the statement that makes it."""
        dtype = next(n for n, d in DTYPES.items() if d == array.dtype)
        output = self.value(Value("", dtype, array.shape))
        return Op("Constant", (), (output,), {"value": array})


def constants(program: Program) -> Mapping[Value, np.ndarray]:
    """The arrays of all constants."""
    result: dict[Value, np.ndarray] = {}
    for _, statement in walk(program.body):
        if isinstance(statement, Op) and statement.kind == "Constant":
            array = statement.attributes["value"]
            assert isinstance(array, np.ndarray)
            result[statement.outputs[0]] = array
    return result


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


def one_feed(program: Program) -> Ways:
    """One feed of several."""
    if len(program.feeds) < 2:
        return []
    return [lambda feed=feed: replace(program, feeds=(feed,)) for feed in program.feeds]


def fewer_inputs(program: Program) -> Ways:
    """Without the inputs that nothing reads, else without one."""
    read = readers(program)
    unread = [v for v in program.inputs if v not in read]

    def without(names: set[str]) -> Program:
        parameters = tuple(v for v in program.inputs if v.name not in names)
        feeds = tuple({n: a for n, a in feed.items() if n not in names} for feed in program.feeds)
        return replace(program, body=replace(program.body, parameters=parameters), feeds=feeds)

    if not unread:
        return []
    ways: Ways = [lambda: without({v.name for v in unread})]
    return [*ways, *(lambda v=v: without({v.name}) for v in unread)]


def simpler(array: np.ndarray) -> Iterator[np.ndarray]:
    """Generate arrays of the same shape that are simpler to read.

    They are all zeros, all ones, and rounded numbers.
    """
    candidates = [np.zeros_like(array), np.ones_like(array)]
    if array.dtype.kind == "f":
        candidates.append(np.round(array))
    for candidate in candidates:
        if np.array_equal(candidate, array):
            return
        yield np.asarray(candidate, array.dtype)


def simpler_constants(program: Program) -> Ways:
    """Return ways to replace a constant by one of simpler numbers.

    Constants of one element stay, since they are bounds and axes.
    """
    ways: Ways = []
    for statement in all_statements(program):
        if isinstance(statement, Op) and statement.kind == "Constant":
            array = statement.attributes["value"]
            assert isinstance(array, np.ndarray)
            if array.dtype.kind == "i" and array.size < 2:
                continue
            for other in simpler(array):
                made = replace(statement, attributes={"value": other})
                edit = Edit(statements={statement: (made,)})
                ways.append(lambda edit=edit: edit.program(program))
    return ways


def simpler_feeds(program: Program) -> Ways:
    """An input fed with simpler numbers."""
    ways: Ways = []
    for index, feed in enumerate(program.feeds):
        for name, array in feed.items():
            for other in simpler(array):
                made = (*program.feeds[:index], {**feed, name: other}, *program.feeds[index + 1 :])
                ways.append(lambda made=made: replace(program, feeds=made))
    return ways
