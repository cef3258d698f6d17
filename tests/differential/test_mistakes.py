"""One mistake has one identifier: in every engine, with and without optimisation, however early it is found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import loomir
from loomir.compiler.model import ENGINES, Engine
from loomir.dialects.diagnostics import KINDS, run_error
from loomir.tools.fuzz.levels import BY_NAME
from tests.differential.mistakes import MISTAKES, Mistake
from tests.support import raises_error

pytestmark = pytest.mark.usefixtures("rotated_build")

RUNS: list[tuple[str, Engine]] = [
    *(("default", engine) for engine in ENGINES),
    ("imported", "graph"),
    ("imported", "structured"),
    ("imported", "native"),
    ("copied", "structured"),
    ("reshapable", "loops"),
]
"""Levels of optimisation and engines."""


def answer(mistake: Mistake, level: str, engine: Engine, values: Mapping[str, Any] | None = None) -> str:
    """When the mistake is found, and its identifier."""
    when = "load"
    try:
        model = loomir.load(
            mistake.model(), pipelines=BY_NAME[level].pipelines, values=values, **dict(mistake.options)
        )
        when = "run"
        model.run(mistake.feed, engine=engine)
    except loomir.Error as error:
        return f"{when} {error.identifier}"
    return "no error"


@pytest.mark.parametrize("name", MISTAKES)
def test_a_run_answers_one_identifier(name: str) -> None:
    mistake = MISTAKES[name]
    answers = {(level, engine): answer(mistake, level, engine) for level, engine in RUNS}
    assert set(answers.values()) == {f"run {mistake.identifier}"}, answers


@pytest.mark.parametrize("name", [n for n, m in MISTAKES.items() if m.known])
def test_what_is_known_at_load_is_found_alike(name: str) -> None:
    mistake = MISTAKES[name]
    values = {k: mistake.feed[k] for k in mistake.known}
    answers = {(level, engine): answer(mistake, level, engine, values) for level, engine in RUNS[:6]}
    assert len(set(answers.values())) == 1, answers
    (one,) = set(answers.values())
    assert one.startswith("load ") or one == f"run {mistake.identifier}", one


IDENTIFIERS = {
    "index": "runtime-index",
    "capacity": "runtime-capacity",
    "limit": "limit-iterations",
    "shape": "runtime-shape",
    "endless": "endless-loop",
    "absent": "runtime-absent",
}


@pytest.mark.parametrize("kind", KINDS)
def test_kind(kind: str) -> None:
    with raises_error(IDENTIFIERS[kind], KINDS[kind], "'m'"):
        raise run_error(kind, layer="m")
