"""The reducer: steps in every stage, what it holds to, and when it stops."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.checking.running import run_program
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import PIPELINES, run_passes
from loomir.compiler.stages import verify_stage
from loomir.tools.reduce import Limits, ReductionCase, count_operations, reduce
from loomir.tools.reduce.editor import measure
from loomir.tools.reduce.failures import command_says, find_failing_pass
from tests.support import raises_error
from tests.support_planted import CrashPass, SwapArmsPass, SwapSubtractPass, planted_feed, planted_program

TO = {
    "graph": [],
    "structured": [*PIPELINES["core"], *PIPELINES["structured"]],
    "loops": [*PIPELINES["core"], *PIPELINES["structured"], *PIPELINES["loops"]],
}


def at(stage: str) -> ModuleOp:
    module = planted_program()
    run_passes(module, TO[stage])
    return module


def holds(name: str):
    """A predicate: the program has an operation of this name."""
    return lambda case: any(op.name == name for op in case.module.walk())


@pytest.mark.parametrize(
    ("stage", "name", "most"),
    [
        ("graph", "ov.sigmoid", 2),
        ("graph", "ov.if", 3),
        ("graph", "ov.loop", 3),
        ("structured", "math.exp", 6),
        ("structured", "scf.for", 5),
        ("loops", "memref.copy", 4),
        ("loops", "scf.if", 5),
        ("loops", "memref.subview", 5),
    ],
)
@pytest.mark.parametrize("fed", [True, False])
def test_what_it_is_wanted_for_is_all_that_is_left(stage: str, name: str, most: int, fed: bool) -> None:
    module = at(stage)
    before = str(module)
    case = ReductionCase(module, planted_feed() if fed else None)
    reduced = reduce(case, holds(name))
    assert reduced.complete
    assert holds(name)(reduced.case)
    assert reduced.operations <= most, str(reduced.case.module)
    # It is a program of the stage still, and the one that was given is as it was.
    verify_stage(reduced.case.module, stage)
    assert str(module) == before
    assert measure(reduced.case) < measure(case)


@pytest.mark.parametrize("stage", ["graph", "structured", "loops"])
def test_it_can_be_run_with_the_inputs_that_are_left(stage: str) -> None:
    def runs_with_a_branch(case: ReductionCase) -> bool:
        branch = any(op.name in ("ov.if", "scf.if") for op in case.module.walk())
        assert case.feed is not None
        return branch and run_program(case.module, [case.feed], max_iterations=1000)[0].outputs is not None

    reduced = reduce(ReductionCase(at(stage), planted_feed()), runs_with_a_branch)
    assert runs_with_a_branch(reduced.case)
    assert reduced.operations <= 5, str(reduced.case.module)


def test_the_same_program_reduces_the_same_way() -> None:
    texts = {
        str(reduce(ReductionCase(at("graph"), planted_feed()), holds("ov.if")).case.module) for _ in range(2)
    }
    assert len(texts) == 1


def test_extents_and_trips_become_small() -> None:
    module = parse_module(
        """func.func @main(%x: tensor<7x5xf32> {loomir.name = "x"}, %n: tensor<i64> {loomir.name = "n"})
               -> (tensor<7x5xf32> {loomir.name = "y"}) {
             %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<7x5xf32>) -> (tensor<7x5xf32>) {
             ^bb0(%i: tensor<i64>, %c: tensor<7x5xf32>):
               %d = ov.add %c, %c : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
               ov.next carried(%d : tensor<7x5xf32>)
             }
             func.return %y : tensor<7x5xf32>
           }"""
    )
    feed = {"x": np.full((7, 5), 3.25, np.float32), "n": np.array(6, np.int64)}

    def doubles(case: ReductionCase) -> bool:
        """A loop makes an output that is not zero and no input."""
        if not (holds("ov.loop")(case) and case.feed is not None):
            return False
        outputs = run_program(case.module, [case.feed], max_iterations=50)[0].outputs
        return bool(outputs) and all(np.max(y) > 1 for y in outputs.values())

    reduced = reduce(ReductionCase(module, feed), doubles)
    text = str(reduced.case.module)
    assert "tensor<1x1xf32>" in text
    assert "7" not in text
    assert reduced.operations <= 4, text


def test_a_reduction_ends_in_time() -> None:
    tried = 0

    def slow(case: ReductionCase) -> bool:
        nonlocal tried
        tried += 1
        return holds("ov.sigmoid")(case)

    case = ReductionCase(at("graph"), planted_feed())
    reduced = reduce(case, slow, limits=Limits(candidates=3))
    assert (tried, reduced.tried, reduced.complete) == (3, 3, False)
    assert "stopped before the end" in str(reduced)
    assert reduce(case, slow, limits=Limits(seconds=0)).case is case


def test_progress_is_told() -> None:
    steps: list[str] = []
    reduce(ReductionCase(at("graph")), holds("ov.if"), report=lambda name, state: steps.append(name))
    assert {"outputs", "loops by their bodies", "constants"} <= set(steps)


def test_the_failing_pass_is_found_and_the_module_left_alone() -> None:
    module = planted_program()
    before = str(module)
    found = find_failing_pass(
        module, ["canonicalize", SwapArmsPass(), "cse", SwapSubtractPass()], [planted_feed()]
    )
    assert found is not None
    assert (found.position, found.name, found.difference.kind) == (2, "swap-arms", "values")
    assert reduce(found.case, found.interesting).operations <= 3
    assert str(module) == before
    assert find_failing_pass(module, "canonicalize,cse", [planted_feed()]) is None


def test_a_crash_is_told_from_another() -> None:
    """The same class from another function is another bug."""
    found = find_failing_pass(planted_program(), [CrashPass()], [planted_feed()])
    assert found is not None
    assert found.difference.kind == "exception KeyError _give_up"
    assert not found.interesting(ReductionCase(parse_module("func.func @main() { func.return }")))


@pytest.mark.parametrize("status", [0, 1])
def test_a_command(tmp_path: Path, status: int) -> None:
    script = tmp_path / "test.py"
    words = f"sys.exit({status} if 'ov.sigmoid' in open(sys.argv[1]).read() else {1 - status})"
    script.write_text(f"import sys\n{words}\n")
    interesting = command_says(f"{sys.executable} {script}", status, 30)
    assert interesting(ReductionCase(at("graph")))
    assert not interesting(ReductionCase(parse_module("func.func @main() { func.return }")))


def test_a_command_that_hangs_or_is_not_there() -> None:
    case = ReductionCase(at("graph"))
    assert not command_says(f"{sys.executable} -c 'import time; time.sleep(60)'", 0, 1)(case)
    with raises_error("file-unreadable", "no-such-command"):
        command_says("no-such-command", 0, 1)(case)


def test_operations_are_counted_in_regions_too() -> None:
    module = parse_module("func.func @main() { func.return }")
    assert count_operations(ReductionCase(module)) == 0
    assert count_operations(ReductionCase(planted_program())) == 27
