"""Every rule by which elements get into vectors, through a lowering for each machine and C, against the graph engine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

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


@pytest.mark.parametrize("machine", MACHINES)
def test_comparisons_of_a_value_with_itself(machine: str, tmp_path: Path) -> None:
    """They are known, but for NaN: a mask for each vector, whatever its length. (Found by `make fuzz-sample`.)"""
    x = {"i8": np.int8, "i32": np.int32, "i64": np.int64, "f32": np.float32}
    operators = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
    for count in (2, 16, 37):
        arguments, lines, results = list[str](), list[str](), list[str]()
        for element in x:
            arguments.append(f'%{element}: tensor<{count}x{element}> {{loomir.name = "{element}"}}')
            for operator in operators:
                name, kind = f"{element}_{operator}", f"tensor<{count}x{element}>"
                masks, floats = f"tensor<{count}xi1>", f"tensor<{count}xf32>"
                lines.append(
                    f"%m_{name} = ov.{operator} %{element}, %{element} : ({kind}, {kind}) -> {masks}"
                )
                lines.append(
                    f"%{name} = ov.convert %m_{name} {{destination_type = f32}} : ({masks}) -> {floats}"
                )
                results.append(name)
        types = ", ".join(f'tensor<{count}xf32> {{loomir.name = "{r}"}}' for r in results)
        values = ", ".join(f"%{r}" for r in results)
        kinds = ", ".join([f"tensor<{count}xf32>"] * len(results))
        path = tmp_path / f"same_{count}.mlir"
        text = [f"func.func @main({', '.join(arguments)}) -> ({types}) {{", *lines]
        path.write_text("\n".join([*text, f"func.return {values} : {kinds}", "}"]))
        feed = {element: np.arange(count).astype(dtype) for element, dtype in x.items()}
        feed["f32"][1] = np.nan
        model = loomir.load(path)
        expected = model.run(feed, engine="graph")
        assert expected["f32_equal"][1] == 0
        assert expected["i8_equal"].all()
        for engine in ("loops", "native") if Build(machine).runs else ("loops",):
            found = model.for_machine(machine).run(feed, engine=engine)
            for name in results:
                np.testing.assert_array_equal(found[name], expected[name], err_msg=f"{engine} {name} {count}")
