"""Text of STRUCTURED and LOOPS, whole and half-way, is run and compiled from where it is (D21)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.feeds.samples import random_feed
from loomir.compiler.levels import Level
from loomir.compiler.loading import LoweredModel
from loomir.compiler.model import Engine, Model, StageName
from loomir.compiler.pass_options import limited
from loomir.compiler.pipeline import pass_instances, run_passes
from loomir.dialects.interface import with_full_constants
from tests.support import assert_values_agree, raises_error
from tests.support_tools import MLIR_OPT, needs

CONTROL_FLOW = Path(__file__).parents[3] / "examples" / "controlflow.xml"
CAPACITY = 8

TEXTS = {
    "trips": """g (float[2] x, int64 n, bool c) => (float[2] y, float[N,2] s) {
      y, s = Loop (n, c, x) <body = b (int64 i, bool ci, float[2] v) => (bool co, float[2] w, float[2] q) {
        co = Identity (ci) w = Add (v, v) q = Mul (v, w) }> }""",
    "open": """g (float[N,3] x) => (float[N,4] y, int64[2] s, float z) <float[3,4] k = {1,2,3,4,5,6,7,8,9,10,11,12}> {
      m = MatMul (x, k) y = LeakyRelu (m) s = Shape (y) z = ReduceSum <keepdims = 0> (y) }""",
    "sequence": """g (float[4,6] x) => (seq(float[A,B]) y) <int64 q = {3}> {
      p = SplitToSequence <axis = 1> (x, q) y = SequenceInsert (p, x) }""",
    "bytes": """g (uint8[3,4] x, bool c) => (uint8[3,4] y, bool b) {
      y = If (c) < then_branch = t () => (uint8[3,4] p) { p = Identity (x) },
                   else_branch = e () => (uint8[3,4] q) { q = Add (x, x) } > b = Not (c) }""",
}


def model(name: str, level: Level = "O2") -> Model:
    if name == "control-flow":
        return loomir.load(CONTROL_FLOW, level=level)
    proto = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> {TEXTS[name]}')
    return loomir.load(proto, level=level, max_shapes={"x": [4, 3]} if name == "open" else None)


def feeds(name: str, of: Model) -> list[Mapping[str, Any]]:
    """Two feeds: with no trip and some, with no rows and some, either branch."""
    feed = random_feed(of, 3, set())
    if name == "trips":
        return [{**feed, "n": np.int64(0), "c": np.True_}, {**feed, "n": np.int64(3), "c": np.True_}]
    if name == "open":
        return [{"x": np.ones((0, 3), np.float32)}, {"x": np.arange(-6, 6, dtype=np.float32).reshape(4, 3)}]
    if name == "bytes":
        return [{**feed, "c": np.True_}, {**feed, "c": np.False_}]
    return [feed]


NAMES = pytest.mark.parametrize("name", ["control-flow", *TEXTS])


def loaded(text: str, folder: Path, level: Level = "O2") -> Model:
    file = folder / "text.mlir"
    file.write_text(text)
    return loomir.load(file, level=level)


def assert_runs_as(made: Model, of: Model, name: str, *engines: Engine | None) -> None:
    for feed in feeds(name, of):
        expected = of.run(feed)
        for engine in engines:
            actual = made.run(feed) if engine is None else made.run(feed, engine=engine)
            assert set(actual) == set(expected)
            for output, value in expected.items():
                assert_values_agree(actual[output], value, f"{output} in {engine}")


@NAMES
@pytest.mark.parametrize("level", ["O0", "O2", "Os"])
@pytest.mark.parametrize("stage", ["structured", "loops"])
def test_printed_text_in_every_engine(
    name: str, level: Level, stage: StageName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Native for the machine that users get."""
    monkeypatch.delenv("LOOMIR_MACHINE")
    of = model(name, level)
    made = loaded(of.mlir(stage, full_constants=True, capacity=CAPACITY), tmp_path, level)
    assert isinstance(made, LoweredModel)
    assert made.stage == stage
    assert [i.name for i in made.inputs] == [i.name for i in of.inputs]
    assert [o.name for o in made.outputs] == [o.name for o in of.outputs]
    structured: tuple[Engine, ...] = ("structured",) if stage == "structured" else ()
    assert_runs_as(made, of, name, None, "loops", "interpreter", "native", *structured)


@NAMES
@pytest.mark.parametrize("level", ["O0", "O2"])
def test_text_between_all_passes(name: str, level: Level, tmp_path: Path) -> None:
    of = model(name, level)
    module = of.module.clone()
    kinds: dict[str, None] = {}
    for step in ("core", "structured", "loops"):
        for each in pass_instances(of.options.pipelines[step]):
            run_passes(module, limited([each], capacity=CAPACITY))
            made = loaded(str(with_full_constants(module)), tmp_path, level)
            kinds[made.stage] = None
            engine: Engine = "native" if each.name in ("bufferize", "convert-ov-loop-to-scf") else "loops"
            assert_runs_as(made, of, name, None, engine)
    assert list(kinds) == ["graph", "structured", "loops"]


@needs(MLIR_OPT)
@NAMES
@pytest.mark.parametrize("stage", ["structured", "loops"])
@pytest.mark.parametrize(
    "options",
    [(), ("--mlir-print-op-generic",), ("--canonicalize", "--cse", "--loop-invariant-code-motion", "--sccp")],
    ids=["as-it-is", "generic", "optimised"],
)
def test_text_of_mlir_opt(name: str, stage: StageName, options: tuple[str, ...], tmp_path: Path) -> None:
    of = model(name)
    text = of.mlir(stage, full_constants=True, capacity=CAPACITY)
    done = subprocess.run([MLIR_OPT, *options], input=text, capture_output=True, text=True, check=True)
    assert_runs_as(loaded(done.stdout, tmp_path), of, name, None, "native")


def test_states_are_inputs_that_may_be_left_out(tmp_path: Path) -> None:
    text = """func.func @main(%x: tensor<2xf32> {loomir.name = "x"},
        %s: tensor<2xf32> {loomir.name = "s", loomir.state = "v", loomir.initial = dense<[1.0, 2.0]> : tensor<2xf32>})
        -> (tensor<2xf32> {loomir.name = "s", loomir.state = "v"}) {
      %y = ov.add %x, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      func.return %y : tensor<2xf32>
    }"""
    of = loaded(text, tmp_path)
    for stage in ("structured", "loops"):
        made = loaded(of.mlir(stage, full_constants=True), tmp_path)
        assert [(s.name, s.variable, s.initial.tolist()) for s in made.states] == [("s", "v", [1, 2])]
        assert made.run({"x": [1, 1]})["s"].tolist() == [2, 3]


def test_c_is_emitted(tmp_path: Path) -> None:
    of = model("control-flow")
    made = loaded(of.mlir("loops", full_constants=True), tmp_path)
    made.emit_c(tmp_path / "text")
    of.emit_c(tmp_path / "model")
    codes = [(tmp_path / each / "controlflow.c").read_text() for each in ("text", "model")]
    # (Layers' names are locations, which text is printed without.)
    first, second = (re.sub(r"/\*.*?\*/\s*", "", code, flags=re.DOTALL) for code in codes)
    assert first == second


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda m: m.run({}, engine="graph"), ["'graph' runs GRAPH", "loops, interpreter, native"]),
        (lambda m: m.run({}, engine="structured"), ["'structured' runs STRUCTURED"]),
        (lambda m: m.lowered("structured"), ["STRUCTURED is an earlier stage"]),
        (lambda m: m.mlir("graph"), ["GRAPH is an earlier stage"]),
        (lambda m: m.optimize("canonicalize"), ["loomir-opt"]),
        (lambda m: m.with_shapes({"x": [8, 16]}), ["shapes are fixed in GRAPH"]),
        (lambda m: m.optimized(), ["changed in GRAPH"]),
        (lambda m: m.save("x.xml"), ["OpenVINO IR"]),
        (lambda m: m.emit_c("build", max_trips=3), ["iterations"]),
    ],
)
def test_what_comes_before_is_refused(
    ask: Callable[[Model], object], said: list[str], tmp_path: Path
) -> None:
    made = loaded(model("control-flow").mlir("loops", full_constants=True), tmp_path)
    with raises_error("stage-passed", "text.mlir", "LOOPS", *said):
        ask(made)


@pytest.mark.parametrize(
    "options",
    [{"shapes": {"x": [8, 16]}}, {"values": {"x": [[1]]}}, {"integers": True}, {"max_shapes": {"x": [9]}}],
)
def test_options_of_graph_are_refused(options: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "text.mlir"
    file.write_text(model("control-flow").mlir("loops", full_constants=True))
    with raises_error("stage-passed", next(iter(options)), "LOOPS"):
        loomir.load(file, **options)


def test_iterations_are_counted_in_python_only(tmp_path: Path) -> None:
    text = model("control-flow").mlir("loops", full_constants=True)
    (tmp_path / "text.mlir").write_text(text)
    made = loomir.load(tmp_path / "text.mlir", max_iterations=2)
    with raises_error("stage-passed", "does not count iterations"):
        made.run({"x": np.zeros((8, 16), np.float32)}, engine="native")
    with raises_error("limit-iterations"):
        made.run({"x": np.zeros((8, 16), np.float32)})


@pytest.mark.parametrize(("type_", "value"), [("i32", 7), ("f32", 0.5), ("index", 7), ("i1", True)])
def test_scalars_alone(type_: str, value: float, tmp_path: Path) -> None:
    made = loaded(f"func.func @main(%x: {type_}) -> {type_} {{ func.return %x : {type_} }}", tmp_path)
    assert made.stage == "structured"
    for engine in ("structured", "loops", "native"):
        assert made.run({"arg0": value}, engine=engine)["result0"] == value


OUTSIDE = """func.func @main(%x: memref<4xf32>, %n: index) -> f32 {
  %y = memref.load %x[%n] : memref<4xf32>
  func.return %y : f32
}"""


def test_an_access_outside_is_an_error(tmp_path: Path) -> None:
    """By default no engine runs the text that would read what is there."""
    made = loaded(OUTSIDE, tmp_path)
    assert made.run({"arg0": np.arange(4, dtype=np.float32), "arg1": 3})["result0"] == 3
    for index in (-1, 4, 2**40):
        with raises_error("runtime-program", "memref.load"):
            made.run({"arg0": np.zeros(4, np.float32), "arg1": index})


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        (
            "func.func @main(%x: memref<4xf32>) -> memref<4xf32> { func.return %x : memref<4xf32> }",
            "not-of-stage",
        ),
        ("func.func @main(%x: tuple<f32>) -> tuple<f32> { func.return %x : tuple<f32> }", "unsupported-type"),
        (
            "func.func @main(%x: memref<4xf32>) { %c = arith.constant 0 : index\n"
            " %y = tensor.empty() : tensor<4xf32>\n func.return }",
            "not-of-stage",
        ),
        ('func.func @main(%x: memref<4xf32>) { "test.op"() : () -> ()\n func.return }', "not-of-stage"),
        (
            "func.func @main() { %b = memref.alloc() : memref<1099511627776xf32>\n func.return }",
            "limit-bytes",
        ),
        (
            'func.func @main(%x: memref<4xf32> {loomir.name = "x", loomir.type = tensor<?xf32>}) { func.return }',
            "bad-interface",
        ),
    ],
)
def test_what_is_no_program(text: str, identifier: str, tmp_path: Path) -> None:
    with raises_error(identifier):
        made = loaded(text, tmp_path)
        made.run({name.name: np.zeros(4, np.float32) for name in made.inputs})
