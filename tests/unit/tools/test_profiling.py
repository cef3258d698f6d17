"""`loomir run --profile`, `--break`, `--trace`: what is observed at each stage."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.model import Engine
from loomir.tools.compare.counting import WorkCounter
from loomir.tools.loomir_main import main
from loomir.tools.profiling import Profiler, summary
from tests.support import raises_error

MODEL = str(Path(__file__).parents[3] / "examples/controlflow.xml")
X = {"x": np.random.default_rng(0).standard_normal((8, 16)).astype(np.float32)}


@pytest.mark.parametrize("engine", ["graph", "structured", "loops", "interpreter"])
def test_every_stage_is_observed(engine: Engine) -> None:
    """The branch in the loop is taken as often in each, and the results are those of a run."""
    model = loomir.load(MODEL)
    profiler = Profiler(engine, "O2")
    outputs = model.observe(X, [profiler], engine=engine)
    for name, value in model.run(X, engine="loops").items():
        np.testing.assert_allclose(outputs[name], value, rtol=1e-4, atol=1e-5)
    profile = profiler.profile
    branch = profile.branches["If_31"]
    assert (branch.then, branch.otherwise) == (2, 1)
    assert {3: 1} in [loop.trips for loop in profile.loops.values()]
    assert all(loop.trips.total() for loop in profile.loops.values())
    assert all(layer.seconds >= 0 for layer in profile.layers.values())


def test_counts_are_those_of_the_graph_engine() -> None:
    model = loomir.load(MODEL, level="O0")
    profiler = Profiler("graph", "O0")
    model.observe(X, [profiler])
    counter = WorkCounter()
    assert GraphEngine(model.module, listeners=[counter]).run(X).iterations == counter.trips
    by_layer = {count.layer: count.trips for count in counter.loops.values()}
    assert {
        key: sum(t * n for t, n in loop.trips.items()) for key, loop in profiler.profile.loops.items()
    } == by_layer


def test_compiled_code_is_not_observed() -> None:
    with raises_error("bad-option", "the engine native runs compiled code"):
        loomir.load(MODEL).observe(X, [], engine="native")


def test_a_text_of_a_later_stage_is_observed(tmp_path: Path) -> None:
    path = tmp_path / "loops.mlir"
    path.write_text(loomir.load(MODEL).mlir("loops", full_constants=True))
    profiler = Profiler("loops", "O2")
    loomir.load(path).observe(X, [profiler])
    assert any(loop.operation == "scf.while" for loop in profiler.profile.loops.values())


def test_a_command_prints_and_stores_a_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.json"
    main(["run", MODEL, "-O0", "--profile", str(file)])
    text = capsys.readouterr().out
    for words in ("graph: loops", "TensorIterator_9", "8: 1", "graph: branches", "If_31", "graph: layers"):
        assert words in text
    assert json.loads(file.read_text())["loops"]["Loop_45"]["trips"] == {"10": 1}
    main(["inspect", MODEL, "--profile-use", str(file), "--mlir"])
    assert "loomir.trips = array<i64: 10, 1>" in capsys.readouterr().out


def test_trace_prints_each_value_with_its_iteration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.npz"
    main(["run", MODEL, "-O0", "--trace", "Abs_32", "--trace-output", str(file)])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Abs_32")]
    assert len(lines) == 10
    assert lines[3].startswith("Abs_32 Loop_45[3]: float32[1, 16] min ")
    with np.load(file) as arrays:
        assert len(arrays.files) == 10
        assert all(arrays[name].shape == (1, 16) for name in arrays.files)


@pytest.mark.parametrize("engine", ["graph", "structured"])
def test_an_output_is_traced(engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its name is in the interface, not at the operation that computes it."""
    text = tmp_path / "g.onnxtxt"
    text.write_text(
        '<ir_version: 10, opset_import: ["" : 21]> g (float[3] x) => (float[3] out) { ["last"] out = Abs(x) }'
    )
    main(["run", str(text), "-O0", "--trace", "out", "--engine", engine])
    assert "out: float32[3] min" in capsys.readouterr().out


def test_nothing_to_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", MODEL, "--trace-output", str(tmp_path / "t.npz")])
    assert "[bad-option]" in capsys.readouterr().err


def test_break_shows_inputs_and_outputs(capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", MODEL, "-O0", "--break", "Abs_32"])
    text = capsys.readouterr().out
    assert text.count("break at 'Abs_32': ov.abs Loop_45[") == 10
    assert "  input 0: float32[1, 16] min" in text
    assert "  output 0: float32[1, 16] min" in text


@pytest.mark.parametrize(
    ("option", "words"), [("--break", "no layer 'Abs_23'"), ("--trace", "no value 'Abs_23'")]
)
def test_an_unknown_name(option: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", MODEL, "-O0", option, "Abs_23"])
    error = capsys.readouterr().err
    assert words in error
    assert "near: " in error
    assert "Abs_32" in error


def test_a_profile_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", MODEL, "-O0", "--profile", "nowhere/p.json"])
    assert "[file-unwritable]" in capsys.readouterr().err


def test_an_error_in_a_run_leaves_the_next_run_right(tmp_path: Path) -> None:
    path = tmp_path / "gather.mlir"
    path.write_text(
        """func.func @main(%k: tensor<1xi64>, %x: tensor<4xf32>) -> tensor<1xf32> {
          %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
          %r = ov.gather %x, %k, %zero {out_of_range = "error"} : (tensor<4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
          func.return %r : tensor<1xf32>
        }"""
    )
    model = loomir.load(path)
    profiler = Profiler("graph", "O2")
    x = np.ones(4, np.float32)
    with raises_error("runtime-index"):
        model.observe({"arg0": np.array([9]), "arg1": x}, [profiler])
    model.observe({"arg0": np.array([1]), "arg1": x}, [profiler])
    assert profiler.frames == []
    assert sum(layer.operations for layer in profiler.profile.layers.values()) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"),
        (True, "bool[] True"),
        (np.float32(2.5), "float32[] 2.5"),
        (np.zeros((0, 3), np.float32), "float32[0, 3]"),
        (np.array([1, np.nan, 3], np.float32), "float32[3] min 1 mean 2 max 3, 1 not finite"),
        ([np.zeros(2, np.int32)], "sequence of 1, first int32[2] min 0 mean 0 max 0"),
        ([], "sequence of 0"),
    ],
)
def test_summary(value: object, text: str) -> None:
    assert summary(value) == text
