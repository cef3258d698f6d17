"""`loomir-fuzz` from the shell: what it prints, and how it ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from loomir.compiler.engines.libraries import CompilerRejection
from loomir.tools.fuzz import builds, runner, trial
from loomir.tools.loomir_fuzz import main


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_programs_that_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--seed", "3", "--count", "8", "--size", "3", "--jobs", "2") == 0
    text = capsys.readouterr().out
    assert "seed 3: 8 programs in " in text
    assert "with 2 jobs: no mismatch" in text
    assert "What 8 programs hold" in text
    for what in ("region depth 1", "op Add", "for-x86-64-v4", "lower to loops", "ms per program"):
        assert what in text, what


def test_builds_of_native_code_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Machines and compilers of a run.

    What this processor lacks is compiled only.
    """
    monkeypatch.setattr(builds.Build, "runs", property(lambda self: self.machine != "x86-64-v4"))
    arguments = (
        "--seed",
        "3",
        "--count",
        "2",
        "--size",
        "2",
        "--jobs",
        "1",
        "--engines",
        "native",
        "--no-ir",
    )
    machines = ("--machines", "native,x86-64-v4", "--compilers", "gcc,ziglang", "--c-flags", "O2")
    assert run(*arguments, *machines, "--every-build") == 0
    text = capsys.readouterr().out
    for what in ("native gcc O2", "native ziglang O2", "x86-64-v4 gcc O2, compiled only"):
        assert what in text, what
    # One of them in rotation: programs that share a C file have the same.
    assert run(*arguments, *machines) == 0
    text = capsys.readouterr().out
    assert "native gcc O2" in text
    assert "ziglang" not in text


def test_a_failing_build_is_told_and_repeated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The name of the build is in the failure, the reduced program fails in it alone, and the test that is written runs it."""
    real = runner.compile_batch

    def compile_wrongly(modules, **options):
        functions = real(modules, **options)
        if "clang" in os.environ["CC"]:
            return [CompilerRejection("planted") for _ in functions]
        return functions

    monkeypatch.setattr(runner, "compile_batch", compile_wrongly)
    chosen = ("--machines", "native,generic", "--compilers", "gcc,clang", "--c-flags", "O2", "--every-build")
    code = run(
        *("--seed", "3", "--count", "1", "--size", "1", "--jobs", "1", "--engines", "native", "--no-ir"),
        *("--output", str(tmp_path), "--reduce", "1", *chosen),
    )
    text = capsys.readouterr().out
    assert code == 1
    assert "native native clang O2, crash CompilerRejection" in text
    assert f"loomir-fuzz --seed 3 --start 0 --count 1 --size 1 {' '.join(chosen)}" in text
    assert "gcc O2, crash" not in text
    (test,) = tmp_path.glob("test_*.py")
    assert "BUILD = Build(machine='generic', compiler='clang', flags='O2')" in test.read_text()
    assert "engines=['native']" in test.read_text()


def test_a_failure_is_told_reduced_written_and_the_exit_status(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = trial.load

    def load(model, **options):
        if isinstance(model, Path):
            raise RuntimeError("planted: no IR")
        return real(model, **options)

    monkeypatch.setattr(trial, "load", load)
    code = run(
        *("--seed", "3", "--start", "4", "--count", "1", "--size", "2", "--engines", "graph"),
        *("--output", str(tmp_path)),
    )
    text = capsys.readouterr().out
    assert code == 1
    assert "3/4 Os: IR load, crash RuntimeError" in text
    assert "planted: no IR" in text
    assert "loomir-fuzz --seed 3 --start 4 --count 1 --size 2" in text
    assert "reduced from" in text
    assert "1 failures in 1 programs" in text
    assert {p.suffix for p in tmp_path.iterdir()} == {
        ".onnx",
        ".onnxtxt",
        ".npz",
        ".txt",
        ".xml",
        ".bin",
        ".py",
    }


def test_an_interrupt_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from loomir.tools.fuzz import runner

    def interrupted(*arguments: object, **options: object):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(runner, "run_parts", interrupted)
    assert run("--count", "5") == 130
    assert "stopped by an interrupt: 5 programs were not run" in capsys.readouterr().out


def test_a_run_of_nothing_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--count", "5", "--time-limit", "0") == 2
    assert "no program was run: stopped by the time limit of 0 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "identifier"),
    [
        (("--level", "O9"), "unknown-level"),
        (("--engines", "graph,abacus"), "bad-engine"),
        (("--count", "0"), "bad-option"),
        (("--jobs", "-1"), "bad-option"),
        (("--machines", "native,z80"), "bad-option"),
        (("--compilers", "tcc"), "bad-option"),
        (("--c-flags", "O9"), "bad-option"),
    ],
)
def test_user_errors(arguments: tuple[str, ...], identifier: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 1
    assert f"[{identifier}]" in capsys.readouterr().err


def test_without_onnxruntime(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert run("--count", "1") == 1
    text = capsys.readouterr().err
    assert "[no-onnxruntime]" in text
    assert "pip install" in text


def test_help_names_the_levels(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "imported (as imported:" in text
