"""Transformed programs compute what they did: random ones, ONNX's tests of control flow, and a model that people use.

Each takes one or a few of the transformations in turn; together they go through all of them many times. What each transformation
does to trips and conditions is in tests/unit/tools/fuzz/metamorphic.
"""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.model import Engine
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.metamorphic import TRANSFORMS, UNROLL_FIRST
from loomir.tools.fuzz.onnx_oracle import to_onnx
from tests.conformance.control_flow import listed
from tests.conformance.onnx_suite import all_tests, contents, run
from tests.conformance.test_real_onnx_models import STATE, samples, silero
from tests.support import assert_all_agree

pytestmark = pytest.mark.usefixtures("rotated_build")

SEED = 41
PROGRAMS = range(66)
NAMES = list(TRANSFORMS)
MAX_ITERATIONS = 100_000


def outputs(model: loomir.Model, feed: dict[str, np.ndarray], engine: Engine) -> dict[str, np.ndarray]:
    return {name: np.asarray(value) for name, value in model.run(feed, engine=engine).items()}


def transform(model: onnx.ModelProto, first: int) -> tuple[str, onnx.ModelProto]:
    """The model under the first transformation that is applicable, from one on."""
    for step in range(len(NAMES)):
        name = NAMES[(first + step) % len(NAMES)]
        changed = TRANSFORMS[name](model, random.Random(first))
        if changed is not None:
            return name, changed
    raise AssertionError("renaming is always applicable")


@pytest.mark.parametrize("index", PROGRAMS)
def test_a_random_program(index: int) -> None:
    """Two transformations one after the other, in the graph engine, every sixth program natively, too."""
    program = program_of(SEED, index, size=6)
    original = to_onnx(program)
    first, once = transform(original, index)
    second, twice = transform(once, index + 1 + index // len(NAMES))
    engines: list[Engine] = ["graph", "native"] if index % 6 == 0 and not program.refusals else ["graph"]
    before = loomir.load(original, max_iterations=MAX_ITERATIONS)
    after = loomir.load(twice, max_iterations=MAX_ITERATIONS)
    for feed in program.feeds:
        expected = outputs(before, feed, "graph")
        for engine in engines:
            assert_all_agree(outputs(after, feed, engine), expected, f"{first}, {second}: {engine}")


@pytest.mark.parametrize("index", range(100, 120))
def test_unrolling_first(index: int) -> None:
    program = program_of(SEED, index, size=6)
    model = loomir.load(to_onnx(program), max_iterations=MAX_ITERATIONS)
    unrolled = model.optimize(UNROLL_FIRST)
    for feed in program.feeds:
        assert_all_agree(outputs(unrolled, feed, "graph"), outputs(model, feed, "graph"))


def test_onnx_s_control_flow() -> None:
    """Every test of control flow, recurrence and sequences under one transformation beside renaming."""
    wrong: list[str] = []
    for index, name in enumerate(name for names in listed().values() for name in names):
        original, _ = contents(all_tests()[name])
        how, changed = transform(original, 1 + index % (len(NAMES) - 1))
        onnx.checker.check_model(changed)
        outcome = run(name, "graph", partial(_instead, changed))
        if outcome.state not in ("passed", "passed-fixed"):
            wrong.append(f"{name} under {how}: {outcome}")
    assert not wrong, "\n".join(wrong)


def _instead(changed: onnx.ModelProto, _: onnx.ModelProto) -> onnx.ModelProto:
    return changed


def test_a_voice_activity_model() -> None:
    """Silero VAD: branches in branches on the sampling rate, which is an input here, and on shapes."""
    original = onnx.load(silero("silero_vad.onnx"))
    rate = np.array(16000, np.int64)
    feed = {"input": samples(1, 576), "state": STATE, "sr": rate}
    shapes = {"input": [1, 576], "state": [2, 1, 128]}
    expected = outputs(loomir.load(original, shapes=shapes), feed, "graph")
    done: set[str] = set()
    for index, name in enumerate(NAMES):
        changed = TRANSFORMS[name](original, random.Random(index))
        if changed is None:
            continue
        done.add(name)
        model = loomir.load(changed, shapes=shapes)
        assert_all_agree(outputs(model, feed, "graph"), expected, name)
        if name in ("rename", "wrap-in-loop"):
            assert_all_agree(outputs(model, feed, "native"), expected, f"{name}, native")
    # It has no loop.
    assert done == {*NAMES} - {
        "split-trips",
        "peel-trip",
        "count-by-condition",
        "carry-captures",
        "dead-carries",
        "unroll",
    }
