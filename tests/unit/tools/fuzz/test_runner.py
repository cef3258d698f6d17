"""The fuzzer finds, names, repeats and reduces what is wrong; and nothing is lost on the way."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from loomir.compiler.loading import load
from loomir.dialects.ov.operators.elementwise_binary import AddOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import TanhOp
from loomir.errors import Error
from loomir.tools.fuzz import Loop, Op, Open, Program, Region, Value, runner, size_of, walk
from loomir.tools.fuzz.findings import oracle_is_right, reduce_failure, worth_reducing, write_finding
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.levels import LEVELS
from loomir.tools.fuzz.onnx_oracle import to_onnx
from loomir.tools.fuzz.runner import FuzzOptions, Summary, fuzz, try_again
from loomir.tools.fuzz.trial import Report, Trial, TrialFailure, TrialPlan, check_passes
from tests.support import raises_error

GRAPH = TrialPlan(engines=("graph",), ir=False)
SMALL = FuzzOptions(seed=2, count=6, size=3, plan=GRAPH)


def plant(monkeypatch: pytest.MonkeyPatch, wrong: Callable[[np.ndarray], np.ndarray]) -> None:
    """The graph engine computes tanh wrongly."""
    right = TanhOp.evaluate
    monkeypatch.setattr(TanhOp, "evaluate", lambda op, x: wrong(right(op, x)))


def outcomes(summary: Summary) -> dict[int, tuple[str, Counter[str], list[TrialFailure]]]:
    return {i: (r.level, r.features, r.failures) for i, r in sorted(summary.reports.items())}


def test_every_engine_agrees_and_all_levels_take_their_turn() -> None:
    summary = fuzz(FuzzOptions(seed=11, count=2 * len(LEVELS), size=3, jobs=2))
    assert summary.failures == []
    assert set(summary.total("level").values()) == {2}
    assert sorted(summary.reports) == list(range(2 * len(LEVELS)))
    spent = summary.seconds_of()
    assert {"run graph", "run structured", "run loops", "run native", "load IR", "compile C"} <= set(spent)
    assert list(spent.values()) == sorted(spent.values(), reverse=True)


def test_the_same_whatever_else_runs() -> None:
    whole = fuzz(SMALL)
    parallel = fuzz(FuzzOptions(seed=2, count=6, size=3, plan=GRAPH, jobs=2))
    part = fuzz(FuzzOptions(seed=2, start=4, count=2, size=3, plan=GRAPH))
    assert outcomes(whole) == outcomes(parallel)
    assert outcomes(part) == {i: r for i, r in outcomes(whole).items() if i >= 4}


def test_parts_are_the_same_wherever_one_begins() -> None:
    seen: list[list[int]] = []

    def work(numbers, say, done) -> None:
        for number in numbers:
            done(number, Report(number, "default"))

    real = runner.run_parts

    def spy(parts, given, **options):
        del given
        listed = [list(p) for p in parts]
        seen.extend(listed)
        return real(listed, work, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "run_parts", spy)
        fuzz(FuzzOptions(start=45, count=60))
    assert [(p[0], p[-1]) for p in seen] == [(45, 49), (50, 74), (75, 99), (100, 104)]
    assert runner.BATCH == 25


def test_a_wrong_engine_is_found_named_and_reduced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plant(monkeypatch, lambda a: np.where(a > 0.5, a * np.asarray(1.01, a.dtype), a))
    options = FuzzOptions(seed=5, count=60, size=4, plan=GRAPH)
    summary = fuzz(options)
    assert summary.failures
    report, failure = summary.failures[0]
    assert failure.key == ("graph", "values")
    assert "differs by up to" in failure.text
    assert options.repeat(report.index) == f"loomir-fuzz --seed 5 --start {report.index} --count 1 --size 4"
    finding = reduce_failure(options, report, failure, max_checks=60)
    assert finding.statements_before > size_of(finding.program.body)
    assert "Tanh" in {getattr(s, "kind", "") for _, s in walk(finding.program.body)}
    paths = write_finding(options, finding, tmp_path)
    assert {p.suffix for p in paths} == {".onnx", ".onnxtxt", ".npz", ".txt", ".xml", ".py"}
    assert "graph, values" in (tmp_path / f"{finding.name}.txt").read_text()
    # The regression test fails while the engine is wrong, and passes without the fault.
    namespace: dict[str, object] = {}
    exec(paths[-1].read_text(), namespace)
    test = namespace[f"test_{finding.name}"]
    assert callable(test)
    with pytest.raises(AssertionError):
        test()
    monkeypatch.undo()
    test()
    onnx.checker.check_model(str(paths[0]))


def test_a_crash_and_a_hang_cost_one_program_each(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Trial.interpret

    def interpret(trial: Trial) -> None:
        trial._say(trial.index, "graph")
        if trial.index == 1:
            os.abort()
        if trial.index == 3:
            time.sleep(60)
        real(trial)

    monkeypatch.setattr(Trial, "interpret", interpret)
    # (faulthandler of pytest writes the stack of a process that aborts; nobody wants to read that.)
    import faulthandler

    faulthandler.disable()
    try:
        summary = fuzz(FuzzOptions(seed=2, count=6, size=3, plan=GRAPH, patience=2.0))
    finally:
        faulthandler.enable()
    assert sorted(summary.reports) == list(range(6))
    assert [(r.index, f.key) for r, f in summary.failures] == [
        (1, ("graph", "died of SIGABRT")),
        (3, ("graph", "timeout")),
    ]
    assert summary.reports[1].features == program_of(2, 1, size=3).features


def test_a_generator_that_fails_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(seed: int, index: int, **options: Any) -> Program:
        if index == 2:
            raise ValueError("no idea")
        return program_of(seed, index, **options)

    monkeypatch.setattr(runner, "program_of", broken)
    summary = fuzz(SMALL)
    assert [(r.index, f.key) for r, f in summary.failures] == [(2, ("generator", "crash ValueError"))]
    assert len(summary.reports) == 6


def test_errors_that_are_expected_are_counted_and_others_are_failures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from loomir.compiler.model import Model

    real = Model.lowered

    def lowered(model: Model, stage, **options):
        if stage != "graph":
            raise Error("unbounded-shape", "planted")
        return real(model, stage, **options)

    monkeypatch.setattr(Model, "lowered", lowered)
    plan = TrialPlan(engines=("graph", "structured"), ir=False)
    report = try_again(FuzzOptions(plan=plan), 0, program_of(2, 0, size=3))
    assert [f.key for f in report.failures] == [("structured", "error unbounded-shape")]
    allowed = next(p for i in range(300) if "unbounded-shape" in (p := program_of(1, i, size=8)).refusals)
    report = try_again(FuzzOptions(plan=plan), 0, allowed)
    assert report.failures == []
    assert report.refusals == {"unbounded-shape": 1}


def test_time_limit() -> None:
    summary = fuzz(FuzzOptions(seed=2, count=300, size=2, plan=GRAPH, time_limit=0.0))
    assert summary.stopped == "the time limit of 0 s"
    assert len(summary.reports) < 300


def test_an_interrupt_loses_nothing() -> None:
    def heard(report: Report) -> None:
        if report.index >= 49:
            raise KeyboardInterrupt

    summary = fuzz(FuzzOptions(seed=2, count=300, size=2, plan=GRAPH), heard)
    assert summary.stopped == "an interrupt"
    assert set(range(50)) <= set(summary.reports)
    assert len(summary.reports) < 300


def test_unknown_level() -> None:
    with raises_error("unknown-level", "'O9'", "imported"):
        fuzz(FuzzOptions(level="O9"))


def test_without_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with raises_error("no-onnxruntime", "pip install"):
        fuzz(SMALL)


def test_without_a_c_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is no failure of the programs; and who does not ask for native code needs none."""
    monkeypatch.setenv("CC", "no-such-compiler")
    with raises_error("no-c-compiler", "no-such-compiler"):
        fuzz(FuzzOptions(count=1))
    assert fuzz(SMALL).failures == []


def test_a_reduced_program_is_one_that_the_oracle_gets_right() -> None:
    """ONNX Runtime ends a loop without condition where the body says so; reducing must not come to that."""
    cond, other = Value("c", "bool", ()), Value("other", "bool", ())
    trip, start = Value("n", "i64", ()), Value("v", "f32", ())
    parameters = (Value("i", "i64", ()), Value("ci", "bool", ()), Value("w", "f32", ()))

    def program(given: Value | None, following: Value, constant: bool) -> Program:
        body = Region(
            parameters,
            (Op("Constant", (), (other,), {"value": np.array(constant)}),),
            (following, parameters[2]),
        )
        loop = Loop(trip, given, (start,), body, (Value("r", "f32", ()),))
        return Program("made", Region((cond, trip, start), (loop,), loop.outputs), ())

    assert oracle_is_right(program(None, other, True))
    assert oracle_is_right(program(None, parameters[1], False))
    assert oracle_is_right(program(cond, other, False))
    assert not oracle_is_right(program(None, other, False))
    assert not oracle_is_right(program(None, cond, True))


def test_which_failures_are_reduced_first() -> None:
    a, b = TrialFailure("graph", "values", "x"), TrialFailure("native", "values", "y")
    failures = [(Report(i, "default"), f) for i, f in ((1, a), (1, b), (2, a), (3, b), (4, a))]
    assert [(r.index, f.engine) for r, f in worth_reducing(failures, 3)] == [
        (1, "graph"),
        (3, "native"),
        (2, "graph"),
    ]


def test_each_pass_is_checked() -> None:
    plan = TrialPlan(engines=("graph",), ir=False, check_each_pass=True)
    report = try_again(FuzzOptions(plan=plan), 1, program_of(2, 1, size=3))
    assert report.failures == []
    assert "check each pass" in report.seconds


def test_a_pass_that_changes_results_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from loomir.passes.graph.ov_loop_unroll import OvLoopUnrollPass

    real = OvLoopUnrollPass.apply

    def apply(self, ctx, op) -> None:
        real(self, ctx, op)
        for found in [o for o in op.walk() if isinstance(o, AddOp)]:
            made = SubtractOp.make(*found.operands, attributes=dict(found.attributes))
            found.parent_block().insert_op_before(made, found)
            found.results[0].replace_all_uses_with(made.results[0])

    monkeypatch.setattr(OvLoopUnrollPass, "apply", apply)
    plan = TrialPlan(engines=("graph",), ir=False, check_each_pass=True)
    x, y = Value("x", "f32", (2,)), Value("y", "f32", (2,))
    feed = {"x": np.array([1, -2], np.float32)}
    program = Program("made", Region((x,), (Op("Add", (x, x), (y,)),), (y,)), (feed, feed))
    report = try_again(FuzzOptions(level="unrolled", plan=plan), 2, program)
    assert ("check-each-pass", "error pass-changed-result") in {f.key for f in report.failures}


def test_passes_are_checked_as_far_as_a_program_goes_without_a_capacity() -> None:
    """That there is no lower form is no failure of a pass, and a test that is written of a finding has to pass."""
    trip, x = Value("n", "i64", ()), Value("x", "f32", (2,))
    parameters = (Value("i", "i64", ()), Value("ci", "bool", ()), Value("a", "f32", (2,)))
    again, total = Value("again", "bool", ()), Value("total", "f32", (2,))
    statements = (
        Op("Constant", (), (again,), {"value": np.array(True)}),
        Op("Add", (parameters[2], x), (total,)),
    )
    body = Region(parameters, statements, (again, total, total))
    outputs = (Value("last", "f32", (2,)), Value("every", "f32", (Open("d", 0, 9), 2)))
    feed = {"n": np.array(3), "x": np.array([1, -2], np.float32)}
    loop = Loop(trip, None, (x,), body, outputs, 1)
    program = Program("made", Region((trip, x), (loop,), outputs), (feed, feed))
    options = FuzzOptions(level="default", plan=TrialPlan(engines=(), ir=False, check_each_pass=True))
    report = try_again(options, 0, program)
    assert report.failures == []
    assert report.refusals == {"check-each-pass: unbounded-shape": 1}
    model = to_onnx(program)
    assert check_passes(model, options.level_of(0), program.feeds, load(model)) == "unbounded-shape"
