"""A pass that changes what a program computes is named, with a small program that shows it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.passes import ModulePass

import loomir
from loomir.compiler.checking.cases import read_feed, write_case
from loomir.compiler.checking.checker import check_each_pass
from loomir.compiler.checking.feeds import choose_feeds, sample_feeds
from loomir.compiler.formats.mlir.parser import load_mlir, parse_module
from loomir.compiler.options import CheckOptions
from loomir.compiler.pipeline import PIPELINES, available_passes, run_passes
from loomir.compiler.universe import all_passes
from loomir.errors import Error
from loomir.tools.reduce.failures import find_failing_pass
from tests.support import raises_error
from tests.support_planted import (
    CrashPass,
    DropCapturePass,
    FailPass,
    InitialForFinalPass,
    OneTripLessPass,
    ScalePass,
    SwapArmsPass,
    SwapSubtractPass,
    UseBeforeDefinitionPass,
    planted_feed,
    planted_program,
)

TO = {
    "graph": [],
    "structured": [*PIPELINES["core"], *PIPELINES["structured"]],
    "loops": [*PIPELINES["core"], *PIPELINES["structured"], *PIPELINES["loops"]],
}
"""The passes that take the planted program to a stage."""


def size(error: Error) -> int:
    """How many operations the reduced program in a message has."""
    found = re.search(r"\((\d+) operations? after", str(error))
    assert found is not None, str(error)
    return int(found[1])


@pytest.mark.parametrize(
    ("instance", "stage", "most"),
    [
        (SwapSubtractPass(), "graph", 1),
        (DropCapturePass(), "graph", 4),
        (InitialForFinalPass(), "graph", 3),
        (SwapArmsPass(), "graph", 3),
        (SwapSubtractPass(), "structured", 8),
        (SwapArmsPass(), "structured", 8),
        (OneTripLessPass(), "structured", 8),
        (OneTripLessPass(), "loops", 8),
        (InitialForFinalPass(), "loops", 16),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_miscompiling_pass_is_named_and_reduced(
    instance: ModulePass, stage: str, most: int, tmp_path: Path
) -> None:
    before = TO[stage]
    options = CheckOptions(folder=tmp_path)
    with raises_error("pass-changed-result", f"pass {len(before) + 1}, {instance.name}:", "again:") as info:
        check_each_pass(planted_program(), [*before, instance], feeds=[planted_feed()], options=options)
    assert size(info.value) <= most, str(info.value)
    # What was written shows it again.
    inputs = tmp_path / "reduced.npz"
    feed = read_feed(inputs) if inputs.exists() else {}
    with raises_error("pass-changed-result"):
        check_each_pass(
            load_mlir(tmp_path / "reduced.mlir"),
            [instance],
            feeds=[feed],
            options=CheckOptions(reduce_seconds=0, folder=tmp_path),
        )


def test_a_program_that_fails_afterwards(tmp_path: Path) -> None:
    with raises_error("pass-changed-result", "runtime-index", "where it succeeded") as info:
        check_each_pass(
            planted_program(),
            [*TO["loops"], FailPass()],
            feeds=[planted_feed()],
            options=CheckOptions(folder=tmp_path),
        )
    assert size(info.value) <= 6


def test_a_crash(tmp_path: Path) -> None:
    with raises_error("pass-failed", "pass 1, crash-on-nesting", "KeyError", "_give_up") as info:
        check_each_pass(planted_program(), [CrashPass()], options=CheckOptions(folder=tmp_path))
    assert size(info.value) <= 6


def test_ir_that_is_not_valid(tmp_path: Path) -> None:
    with raises_error("pass-changed-result", "no longer a valid program", "not defined before") as info:
        check_each_pass(planted_program(), [UseBeforeDefinitionPass()], options=CheckOptions(folder=tmp_path))
    assert size(info.value) <= 2


def test_a_pass_that_is_not_exact_may_differ_a_little() -> None:
    options = CheckOptions(reduce_seconds=0)
    counts = check_each_pass(planted_program(), [ScalePass(1e-6)], feeds=[planted_feed()], options=options)
    assert (counts.passes, counts.compared) == (1, 1)
    with raises_error("pass-changed-result", "allowed: 0.0"):
        check_each_pass(planted_program(), [ScalePass(1e-3)], feeds=[planted_feed()])


class ExactScalePass(ScalePass):
    """The same, and claims to be exact."""

    EXACT = True


def test_a_pass_that_claims_to_be_exact_may_not() -> None:
    with raises_error("pass-changed-result", "allowed: 0)"):
        check_each_pass(planted_program(), [ExactScalePass(1e-6)], feeds=[planted_feed()])


def test_all_inputs_are_tried() -> None:
    """Where everything is zero the order of a subtraction does not matter."""
    zeros = {**planted_feed(trips=1), "x": np.zeros((2, 3), np.float32), "w": np.ones(3, np.float32)}
    options = CheckOptions(reduce_seconds=0)
    check_each_pass(planted_program(), [SwapSubtractPass()], feeds=[zeros], options=options)
    with raises_error("pass-changed-result"):
        check_each_pass(
            planted_program(), [SwapSubtractPass()], feeds=[zeros, planted_feed()], options=options
        )


FAILING = """
func.func @main(%x: tensor<2xf32> {loomir.name = "x"}, %k: tensor<i64> {loomir.name = "k"}) -> (tensor<f32> {loomir.name = "y"}) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %y = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<2xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
  func.return USED
}
"""
OUT_OF_RANGE = {"x": np.zeros(2, np.float32), "k": np.array(5, np.int64)}


def test_a_program_that_fails_must_go_on_failing() -> None:
    module = parse_module(FAILING.replace("USED", "%y : tensor<f32>"))
    counts = check_each_pass(module, TO["loops"], feeds=[OUT_OF_RANGE])
    assert counts.failed == counts.passes == len(TO["loops"])


def test_a_failure_that_nothing_needs_may_go() -> None:
    text = FAILING.replace("USED", "%z : tensor<f32>").replace(
        "%axis =", "%z = ov.constant dense<1.0> : tensor<f32> : tensor<f32>\n%axis ="
    )
    counts = check_each_pass(parse_module(text), "canonicalize", feeds=[OUT_OF_RANGE])
    assert counts.passes == 1


def test_a_run_at_the_limit_is_not_compared() -> None:
    options = CheckOptions(max_iterations=1)
    counts = check_each_pass(planted_program(), "canonicalize", feeds=[planted_feed()], options=options)
    assert (counts.compared, counts.limited) == (0, 1)
    assert "1 ended at a limit" in str(counts)


ENDLESS = """
func.func @main(%x: tensor<f32> {loomir.name = "x"}, %n: tensor<i64> {loomir.name = "n"}) -> (tensor<f32> {loomir.name = "y"}) {
  %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> (tensor<f32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<f32>):
    %d = ov.tanh %c : (tensor<f32>) -> tensor<f32>
    ov.next carried(%d : tensor<f32>)
  }
  func.return %y : tensor<f32>
}
"""


def test_samples_that_keep_a_loop_going_are_left_out() -> None:
    """A negative trip count is no limit, one of 2^63 - 1 hardly one."""
    assert any(not 0 <= int(feed["n"]) <= 100 for feed in sample_feeds(parse_module(ENDLESS), 8))
    feeds, _ = choose_feeds(parse_module(ENDLESS), 3)
    assert all(0 <= int(feed["n"]) <= 100 for feed in feeds)
    counts = check_each_pass(parse_module(ENDLESS), TO["structured"])
    assert counts.compared > 2 * len(TO["structured"])
    found = find_failing_pass(parse_module(ENDLESS), "canonicalize", feeds)
    assert found is None


def test_a_first_program_that_cannot_run() -> None:
    module = parse_module(
        'func.func @main(%x: i32) -> i32 { %y = "test.op"(%x) : (i32) -> i32 func.return %y : i32 }'
    )
    with raises_error("check-impossible", "no semantics"):
        check_each_pass(module, "canonicalize")


def test_a_refused_program_stays_a_users_error() -> None:
    module = parse_module(
        "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { func.return %x : tensor<?xf32> }"
    )
    with raises_error("dynamic-input"):
        check_each_pass(module, "ov-bound-shapes,convert-ov-loop-to-scf")


def test_verify_each_names_the_pass() -> None:
    with raises_error("pass-broke-ir", "use-before-definition"):
        run_passes(planted_program(), [UseBeforeDefinitionPass()], verify_each=True)


def test_a_model_checks_while_it_is_loaded_and_lowered(tmp_path: Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_text(str(planted_program()))
    options = CheckOptions(feeds=2)
    model = loomir.load(path, check_each_pass=options, verify_each=True)
    loaded = options.counts.passes
    assert loaded == len(PIPELINES["graph"])
    model.lowered("loops")
    assert options.counts.passes == loaded + len(TO["loops"])
    # Two samples, and a run that reaches what they do not.
    assert options.counts.compared == 3 * options.counts.passes
    model.optimize("canonicalize")
    assert options.counts.passes == loaded + len(TO["loops"]) + 1


def test_feeds_survive_files(tmp_path: Path) -> None:
    import ml_dtypes

    feed = {
        "a/b:0": np.arange(3, dtype=np.int64),
        "s": [np.zeros((2, 0), np.float32), np.ones(1, ml_dtypes.bfloat16)],
        "e": [],
        "h": np.array(1.5, ml_dtypes.bfloat16),
    }
    back = read_feed(write_case(planted_program(), feed, tmp_path)[1])
    assert back.keys() == feed.keys()
    for name, value in feed.items():
        values, again = (v if isinstance(v, list) else [v] for v in (value, back[name]))
        assert len(values) == len(again)
        for a, b in zip(values, again):
            assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())


@pytest.mark.parametrize("name", sorted(all_passes()))
def test_every_pass_says_whether_it_is_exact(name: str) -> None:
    claim = getattr(available_passes()[name](), "EXACT", None)
    assert isinstance(claim, bool), "set EXACT (docs/writing-a-pass.md)"
