"""Levels: what each has, that programs mean the same at all of them, and that their passes can be printed and given back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.compiler.levels import LEVELS, Level
from loomir.compiler.model import ENGINES
from loomir.compiler.pipeline import STAGES, LevelPipelines, StageName, passes_to
from loomir.tools.loomir_main import main
from loomir.tools.loomir_opt import LoomirOpt
from tests.support import assert_all_agree, raises_error

ROOT = Path(__file__).parents[3]
MODEL = str(ROOT / "examples" / "controlflow.xml")
X = np.linspace(-1, 1, 128, dtype=np.float32).reshape(8, 16)


def names(level: Level, step: str) -> list[str]:
    return [each.name for each in LevelPipelines(level)[step]]


def test_a_lower_level_has_no_pass_that_a_higher_one_has_not() -> None:
    for step in LevelPipelines("O0"):
        # What `ov-infer` does, `ov-fold-constants` does on its way.
        assert {*names("O0", step)} - {"ov-infer"} <= {*names("O1", step)} <= {*names("O2", step)}, step
        # What is for small weights makes programs slower.
        small = {"ov-narrow-weights", "linalg-pack-nibbles"}
        assert {*names("Os", step)} - small <= {*names("O2", step)}, step


@pytest.mark.parametrize("level", LEVELS)
def test_a_program_is_the_same_in_every_engine(level: Level) -> None:
    wanted = loomir.load(MODEL).run({"x": X}, engine="graph")
    model = loomir.load(MODEL, level=level, verify_each=True)
    for engine in ENGINES:
        assert_all_agree(model.run({"x": X}, engine=engine), wanted, f"{level} {engine}")


@pytest.mark.parametrize("level", LEVELS)
def test_every_pass_of_a_level_is_checked(level: Level) -> None:
    loomir.load(MODEL, level=level, check_each_pass=True).run({"x": X}, engine="native")


def test_pipelines_are_stronger_than_levels() -> None:
    model = loomir.load(MODEL, level="O0", pipelines={"graph": "ov-infer,canonicalize"})
    assert [record.name for record in model.history.records] == ["ov-infer", "canonicalize"]
    model.lowered("structured")
    assert "linalg-fuse-elementwise" not in {record.name for record in model.history.records}


@pytest.mark.parametrize("level", ["O3", "2", 2, None])
def test_levels_that_there_are_not(level: object) -> None:
    with raises_error("bad-option") as caught:
        loomir.load(MODEL, level=level)  # pyright: ignore[reportArgumentType]
    assert "O0, O1, O2, Os" in str(caught.value)


@pytest.mark.parametrize("level", LEVELS)
def test_printed_passes_are_given_back(level: Level, capsys: pytest.CaptureFixture[str]) -> None:
    """The output of `loomir --print-pipeline` is valid for `-p` and `pipelines=`."""
    main(["inspect", MODEL, f"-{level}", "--print-pipeline"])
    steps = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert list(steps) == list(LevelPipelines(level))
    given = loomir.load(MODEL, pipelines=steps)
    for stage in STAGES:
        assert given.mlir(stage) == loomir.load(MODEL, level=level).mlir(stage), stage
    LoomirOpt([MODEL, "-p", steps["graph"]]).run()
    assert capsys.readouterr().out.strip() == loomir.load(MODEL, level=level).mlir()


@pytest.mark.parametrize("stage", STAGES)
def test_loomir_opt_runs_a_level(stage: StageName, capsys: pytest.CaptureFixture[str]) -> None:
    """To the stage that is verified, before the passes of `-p`."""
    LoomirOpt([MODEL, "-O1", "--verify-stage", stage]).run()
    assert capsys.readouterr().out.strip() == loomir.load(MODEL, level="O1").mlir(stage)
    LoomirOpt([MODEL, "-O1", "--verify-stage", stage, "-p", "cse", "--print-pipeline"]).run()
    printed = capsys.readouterr().out.strip()
    assert [each.split("{")[0] for each in printed.split(",")] == [
        *(each.name for each in passes_to(LevelPipelines("O1"), stage)),
        "cse",
    ]
