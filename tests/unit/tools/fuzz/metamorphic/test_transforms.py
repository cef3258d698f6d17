"""Every transformation gives a valid model that computes the same: here and in ONNX Runtime, with and without trips."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import onnx
import pytest

import loomir
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.passes.analysis.inference import infer
from loomir.tools.fuzz.metamorphic import TRANSFORMS, UNROLL_FIRST
from loomir.tools.fuzz.metamorphic.graphs import all_graphs
from loomir.tools.fuzz.onnx_oracle import run_onnxruntime
from tests.support import assert_all_agree
from tests.unit.tools.fuzz.metamorphic.support_models import MODELS, feeds, parse

APPLICABLE = {
    "rename": 5,
    "wrap-in-loop": 5,
    "wrap-in-if": 5,
    "split-trips": 5,
    "peel-trip": 2,
    "count-by-condition": 4,
    "dead-branch": 5,
    "swap-arms": 1,
    "branch-node": 5,
    "carry-captures": 4,
    "dead-carries": 5,
    "reverse-twice": 5,
    "unroll": 1,
}
"""To how many of the models."""


def applied(name: str, model: onnx.ModelProto, seed: int) -> onnx.ModelProto | None:
    return TRANSFORMS[name](model, random.Random(f"{name} {seed}"))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_it_changes_nothing(name: str) -> None:
    done = 0
    for title, text in MODELS.items():
        model = parse(text)
        wanted = run_onnxruntime(model, list(feeds(title)))
        original = loomir.load(model)
        for seed in range(3):
            changed = applied(name, model, seed)
            if changed is None:
                continue
            done += seed == 0
            onnx.checker.check_model(changed)
            for actual, expected in zip(run_onnxruntime(changed, list(feeds(title))), wanted, strict=True):
                assert_all_agree(actual, expected, f"{name} of {title} in ONNX Runtime")
            loaded = loomir.load(changed)
            for feed, expected in zip(feeds(title), wanted, strict=True):
                assert_all_agree(original.run(feed, engine="graph"), expected, title)
                assert_all_agree(loaded.run(feed, engine="graph"), expected, f"{name} of {title}, {seed}")
    assert done == APPLICABLE[name]


@pytest.mark.parametrize("name", TRANSFORMS)
def test_the_same_randomness_gives_the_same_model(name: str) -> None:
    for text in MODELS.values():
        first, second = (applied(name, parse(text), 4) for _ in range(2))
        assert (first is None) == (second is None)
        if first is not None and second is not None:
            assert first.SerializeToString(deterministic=True) == second.SerializeToString(deterministic=True)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_the_model_given_stays_as_it_is(name: str) -> None:
    for text in MODELS.values():
        model = parse(text)
        before = model.SerializeToString(deterministic=True)
        applied(name, model, 1)
        assert model.SerializeToString(deterministic=True) == before


def loops_and_branches(model: onnx.ModelProto) -> Counter[type]:
    module = loomir.load(model).module
    return Counter(type(op) for op in module.walk() if isinstance(op, LoopOp | IfOp))


@pytest.mark.parametrize("name", ["wrap-in-loop", "wrap-in-if"])
def test_what_is_put_around_is_not_folded_away(name: str) -> None:
    """The condition is true, but no analysis can know it: else nothing would be tested. (A loop of one trip at most is a branch.)"""
    model = parse(MODELS["rotating"])
    changed = applied(name, model, 0)
    assert changed is not None
    assert loops_and_branches(changed).total() > loops_and_branches(model).total()


def test_equal_arms_are_folded_because_they_are_equal() -> None:
    """The condition of the branch around a node is true, but no analysis can know it."""
    model = parse(MODELS["rotating"])
    changed = applied("branch-node", model, 0)
    assert changed is not None
    module = loomir.load(changed, optimize=False).module
    before = loomir.load(model, optimize=False).module
    branches, others = ([op for op in m.walk() if isinstance(op, IfOp)] for m in (module, before))
    assert len(branches) > len(others)
    assert not infer(module).taken
    assert loops_and_branches(changed)[IfOp] == loops_and_branches(model)[IfOp]


def test_trips_are_split_in_two_loops() -> None:
    model = parse(MODELS["counted"])
    changed = applied("split-trips", model, 0)
    assert changed is not None
    assert sum(n.op_type == "Loop" for n in changed.graph.node) == 2
    assert loops_and_branches(changed)[LoopOp] == 2


def test_a_peeled_trip_is_a_branch() -> None:
    changed = applied("peel-trip", parse(MODELS["branching"]), 0)
    assert changed is not None
    assert [n.op_type for n in changed.graph.node if n.op_type in ("If", "Loop")] == ["If", "If", "Loop"]


def test_a_trip_count_that_is_a_condition_is_gone() -> None:
    changed = applied("count-by-condition", parse(MODELS["ending"]), 0)
    assert changed is not None
    (loop,) = (n for n in changed.graph.node if n.op_type == "Loop")
    assert loop.input[0] == ""


def test_unrolled_loops_are_gone() -> None:
    changed = applied("unroll", parse(MODELS["rotating"]), 0)
    assert changed is not None
    assert not any(n.op_type == "Loop" for graph in all_graphs(changed.graph) for n in graph.node)


def test_unrolling_first_changes_nothing() -> None:
    for title, text in MODELS.items():
        model = loomir.load(parse(text))
        unrolled = model.optimize(UNROLL_FIRST)
        for feed in feeds(title):
            assert_all_agree(unrolled.run(feed, engine="graph"), model.run(feed, engine="graph"), title)


def test_a_wrong_transformation_would_be_seen() -> None:
    """The comparison itself: a loop whose second half starts to count at 0 again gives something else."""
    model = parse(MODELS["counted"])
    changed = applied("split-trips", model, 0)
    assert changed is not None
    second = changed.graph.node[-2]
    assert second.op_type == "Loop"
    (offset,) = (
        n for n in second.attribute[0].g.node if n.op_type == "Constant" and n.output[0].startswith("k")
    )
    offset.attribute[0].t.CopyFrom(onnx.numpy_helper.from_array(np.array(0, np.int64)))
    feed = {"n": np.array(5), "x": np.array([1, -0.5], np.float32)}
    with pytest.raises(AssertionError):
        assert_all_agree(
            loomir.load(changed).run(feed, engine="graph"), loomir.load(model).run(feed, engine="graph")
        )
