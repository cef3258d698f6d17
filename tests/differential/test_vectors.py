"""Every rule by which elements get into vectors, through a lowering for each machine and C, against the graph engine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import pytest

import loomir
from loomir.compiler.engines.native import compile_batch
from loomir.compiler.feeds import Boundary
from loomir.compiler.model import Model
from loomir.tools.fuzz.builds import Build, usual_machines
from tests.differential.vector_programs import GROUPS, LONG, Program, elementwise
from tests.support import assert_agree
from tests.tiers import THOROUGH

MACHINES = [machine for machine in usual_machines() if machine != "generic"]
CASES = [
    (machine, group)
    for k, machine in enumerate(MACHINES)
    for j, group in enumerate(GROUPS)
    if THOROUGH or k == 0 or (j + k) % len(MACHINES) == 0
]
"""All groups for the machine that users get; the others in turns."""


Loaded = tuple[Program, Model, Mapping[str, np.ndarray]]
"""A program, loaded, and what the graph engine gives."""


@cache
def models(group: str) -> list[Loaded]:
    """The programs of a group."""
    loaded = [
        (program, loomir.load(program.model(), integers=program.integers)) for program in GROUPS[group]()
    ]
    return [(program, model, model.run(program.feed, engine="graph")) for program, model in loaded]


def compare(machine: str, programs: list[Loaded]) -> None:
    """All programs as one C file."""
    build = Build(machine)
    if not build.runs:
        pytest.skip(f"this processor is no {machine}")
    lowered = [model.for_machine(machine).lowered("loops") for _, model, _ in programs]
    for (program, _, expected), module, run in zip(
        programs, lowered, compile_batch(lowered, flags=build.compiler_flags), strict=True
    ):
        assert not isinstance(run, Exception), f"{program.name}: {run}"
        found = Boundary.of(module).assemble(run(program.feed))
        for name, what in program.results.items():
            assert_agree(found[name], expected[name], f"{machine}: {what}")


@pytest.mark.parametrize(("machine", "group"), CASES)
def test_agrees_with_the_graph_engine(machine: str, group: str) -> None:
    compare(machine, models(group))


def test_lengths_that_are_not_known() -> None:
    """Tails of vectors are loops of their own where nothing says how many elements there are."""
    opened: list[Loaded] = []
    for program in list(elementwise("arithmetic"))[:: 1 if THOROUGH else 3]:
        most = {name: [LONG + 2] for name in program.feed}
        model = loomir.load(program.model(opens=True), max_shapes=most)
        opened.append((program, model, model.run(program.feed, engine="graph")))
    compare(MACHINES[0], opened)
