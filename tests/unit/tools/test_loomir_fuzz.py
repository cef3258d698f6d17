"""`loomir-fuzz` from the shell: what it prints, and how it ends."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from loomir.tools.fuzz import trial
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
