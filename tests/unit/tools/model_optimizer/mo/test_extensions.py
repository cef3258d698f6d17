"""Extensions of the old kind in whole conversions: their nodes are what the Model Optimizer makes, and the models compute what they mean.

`tests/model_optimizer/make_extension_fixtures.py` made the fixture.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.model import Engine
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from loomir.tools.model_optimizer.mo import remove_legacy_names
from tests.model_optimizer.calls import calls_of
from tests.model_optimizer.extension_cases import CASES, DUMP, FIXTURE, FOLDER, Case, summary
from tests.support import assert_agree, assert_all_agree, raises_error
from tests.unit.tools.model_optimizer.mo import meanings

BY_NAME = {case.name: case for case in CASES}
ENGINES: tuple[Engine, ...] = ("graph", "native")


@pytest.fixture(autouse=True)
def names_go() -> Iterator[None]:
    yield
    remove_legacy_names()


@pytest.fixture
def meaning() -> Iterator[None]:
    """The operators have a meaning meanwhile."""
    undo = meanings.extension.register()
    yield
    undo()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nodes_are_what_the_model_optimizer_makes(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Types, attributes, neighbours, shapes and values, by phase."""
    monkeypatch.setenv("DUMP_TO", str(tmp_path))
    loomir.convert(case.model, mo_extensions=[FOLDER / case.extension, DUMP])
    expected: dict[str, Any] = json.loads(FIXTURE.read_text())["cases"][case.name]
    for phase in case.phases:
        actual = summary(json.loads((tmp_path / f"{phase}.json").read_text()), case)
        for path, node in expected[phase].items():
            assert actual[path] == node, (phase, path)


@pytest.mark.parametrize("case", [case for case in CASES if case.calls], ids=lambda case: case.name)
def test_calls_are_those_of_the_public_extension(case: Case) -> None:
    """docs/model-optimizer-extensions.md has what those call."""
    folder = FOLDER / case.extension
    assert calls_of(folder, lambda: loomir.convert(case.model, mo_extensions=[folder])) == case.calls


def test_unknown_where_its_meaning_is_needed() -> None:
    converted = loomir.convert(BY_NAME["fourier"].model, mo_extensions=[FOLDER / "fourier"])
    with raises_error("unknown-operator", "FourierForth", "forth"):
        converted.run({"x": np.zeros((2, 3, 4, 8, 2), np.float32)})


def test_unknown_where_no_extension_reads_it() -> None:
    with raises_error("unknown-operator", "FourierForth", "forth"):
        loomir.convert(BY_NAME["fourier"].model)


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


SCATTERED = [random(1, 2, 8, 8)]
RESULTS: dict[str, tuple[list[np.ndarray], Callable[..., np.ndarray]]] = {
    "pool-scatter": (SCATTERED, meanings.scattered),
    "pool-scatter-sized": ([*SCATTERED, random(1, 2, 8, 8)], lambda x, z: meanings.scattered(x)),
    "pool-scatter-inputs": (SCATTERED, meanings.scattered),
    "fourier": ([random(2, 3, 4, 8, 2)], meanings.transformed),
    "complex-product": ([random(3, 2, 4, 2), 2 * random(3, 2, 4, 2)], meanings.product),
    "later-phases": ([random(2, 3)], meanings.edited),
    "bodies": (
        [random(2), random(2), np.array(True), np.array(2)],
        lambda x, k, c, n: meanings.looped(x, int(n)),
    ),
}


@pytest.mark.usefixtures("meaning")
@pytest.mark.parametrize("name", RESULTS)
def test_results(name: str) -> None:
    """Once the operators have a meaning, the models run in every engine."""
    case = BY_NAME[name]
    converted = loomir.convert(case.model, mo_extensions=[FOLDER / case.extension])
    given, expected = RESULTS[name]
    feed = {info.name: value for info, value in zip(converted.inputs, given, strict=True)}
    for engine in ENGINES:
        (actual,) = converted.run(feed, engine=engine).values()
        assert_agree(actual, expected(*given), engine)


def test_results_of_a_known_operator_in_its_own_way() -> None:
    """Another extension says in the back phase which operation of the set it is; ONNX Runtime has that too, under its name."""
    case = BY_NAME["grid-values"]
    converted = loomir.convert(case.model, mo_extensions=[FOLDER / "grid_values", FOLDER / "grid_of_the_set"])
    known = case.model
    known.opset_import[0].version = 16
    known.graph.node[1].attribute.append(onnx.helper.make_attribute("align_corners", 1))
    feed = {"x": random(1, 2, 6, 8), "w": random(1, 4, 5, 2)}
    (expected,) = onnxruntime_session(known).run(None, feed)
    for engine in ENGINES:
        (actual,) = converted.run(feed, engine=engine).values()
        assert_agree(actual, np.asarray(expected), engine)


def test_openvino_ir() -> None:
    """Of a file of OpenVINO's, with loops and branches: what means the same computes the same."""
    path = FOLDER.parents[3] / "examples" / "controlflow.xml"
    converted = loomir.convert(path, mo_extensions=[FOLDER / "turning"])
    assert str(converted.mlir("graph")).count("ov.transpose") >= 4
    plain = loomir.load(path)
    feed = {
        info.name: random(*(extent or 1 for extent in info.shape or ())).astype(info.dtype)
        for info in plain.inputs
    }
    for engine in ENGINES:
        assert_all_agree(
            dict(converted.run(feed, engine=engine)), dict(plain.run(feed, engine=engine)), engine
        )
