"""Changes to program trees.

They replace values that are read, replace statements, and remove dead code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from loomir.tools.fuzz.program import (
    DTYPES,
    If,
    Loop,
    Op,
    Program,
    Region,
    Scan,
    Statement,
    Value,
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
