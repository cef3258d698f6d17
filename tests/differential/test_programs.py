"""Random programs of nested loops and branches, further than `loomir-fuzz` takes them: sanitized C, upstream's verifier, shapes that
change from feed to feed, unrolling that is asked for. Every engine agrees with ONNX Runtime."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

import loomir
from loomir.compiler.model import ENGINES, Engine
from loomir.errors import Error
from loomir.tools.fuzz import Program
from loomir.tools.fuzz.generator import program_of, programs
from loomir.tools.fuzz.onnx_oracle import to_onnx
from tests.conformance.test_upstream import verify_upstream
from tests.differential.oracle import assert_engines_agree, run_onnxruntime
from tests.support import assert_all_agree
from tests.support_c import run_sanitized
from tests.support_tools import MLIR_OPT, needs

pytestmark = pytest.mark.usefixtures("rotated_build")

SEED = 2
PLAIN = range(20)
SANITIZED = range(100, 110)
UPSTREAM = range(200, 215)
FIRST_AND_LAST: tuple[Engine, ...] = ("graph", "loops")
UNROLLINGS = (
    "ov-loop-unroll{max-trips=4},canonicalize",
    "ov-loop-unroll{max-trips=1 factor=2},canonicalize",
)


def lowerable(index: int, size: int) -> Program:
    """A program that engines below GRAPH don't refuse: this one or the next."""
    return next(
        p for p in (program_of(SEED, index + 1000 * k, size=size) for k in range(100)) if not p.refusals
    )


def open_programs(count: int) -> list[Program]:
    """The first programs with inputs of dynamic dimensions whose feeds differ in shape."""
    result: list[Program] = []
    index = 0
    while len(result) < count:
        made = lowerable(index, 5)
        index += 1
        shapes = {tuple(a.shape for a in feed.values()) for feed in made.feeds}
        if made.max_shapes() and len(shapes) > 1:
            result.append(made)
    return result


def agree(made: Program, engines: tuple[Engine, ...], pipeline: str | None = None) -> None:
    """All engines, against ONNX Runtime; a refusal below GRAPH must be one that the program announces."""
    model = to_onnx(made)
    expected = run_onnxruntime(model, made.feeds)
    loaded = loomir.load(model)
    if pipeline is not None:
        loaded = loaded.optimize(pipeline)
    for engine in engines:
        try:
            assert_engines_agree(loaded, made.feeds, expected, engines=[engine], what=f"program {made.name}")
        except Error as error:
            if engine == "graph" or error.identifier not in made.refusals:
                raise


@pytest.mark.parametrize("index", PLAIN)
def test_every_engine_agrees_with_onnxruntime(index: int) -> None:
    agree(program_of(SEED, index, size=6), ENGINES)


@pytest.mark.parametrize("index", range(10))
def test_sequences(index: int) -> None:
    agree(program_of(SEED, index, size=6, sequences=True), ENGINES)


@settings(
    max_examples=30, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(programs(size=6))
def test_programs_that_hypothesis_draws(made: Program) -> None:
    agree(made, FIRST_AND_LAST)


@pytest.mark.parametrize("index", PLAIN)
@pytest.mark.parametrize("pipeline", UNROLLINGS)
def test_unrolling_changes_nothing(index: int, pipeline: str) -> None:
    agree(program_of(SEED, index, size=5), FIRST_AND_LAST, pipeline)


@pytest.mark.parametrize("index", SANITIZED)
def test_emitted_c_has_no_undefined_behaviour(index: int) -> None:
    made = lowerable(index, 4)
    model = to_onnx(made)
    (expected,) = run_onnxruntime(model, made.feeds[:1])
    loaded = loomir.load(model, shapes={n: a.shape for n, a in made.feeds[0].items()})
    assert_all_agree(run_sanitized(loaded.lowered("loops"), made.feeds[0]), expected, f"program {made.name}")


@needs(MLIR_OPT)
@pytest.mark.parametrize("index", UPSTREAM)
def test_lowered_programs_are_upstream_mlir(index: int) -> None:
    made = lowerable(index, 6)
    model = loomir.load(to_onnx(made), max_shapes=made.max_shapes())
    verify_upstream(model, "structured")
    verify_upstream(model, "loops")


@pytest.mark.parametrize("made", open_programs(6), ids=lambda p: p.name)
def test_feeds_of_different_shapes(made: Program) -> None:
    """Each combination of shapes is lowered for itself."""
    agree(made, ENGINES)


@pytest.mark.parametrize("made", open_programs(6), ids=lambda p: p.name)
def test_one_program_for_all_feeds(made: Program) -> None:
    """Dynamic dimensions with a bound: what is lowered once serves every feed."""
    source = to_onnx(made)
    expected = run_onnxruntime(source, made.feeds)
    model = loomir.load(source, max_shapes=made.max_shapes())
    model.lowered("loops")
    assert_engines_agree(
        model, made.feeds, expected, engines=("loops", "native"), what=f"program {made.name}, bounded"
    )


def test_the_programs_here_hold_control_flow() -> None:
    features = {name for index in PLAIN for name in program_of(SEED, index, size=6).features}
    assert {"loop", "if", "scan", "loop over parts", "region depth 4"} <= features
    assert {"rank-changing if", "rank-changing loop", "shape of any length", "loop over elements"} <= features
