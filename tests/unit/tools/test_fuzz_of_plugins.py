"""`loomir-fuzz --extension FILE -p PASSES`, as authors of passes run it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loomir.compiler.extensions.loading import unloaded_afterwards
from loomir.tools.loomir_fuzz import main

PLUGINS = Path(__file__).parents[2] / "fixtures" / "plugins"
QUICK = ("--engines", "graph", "--no-ir", "--jobs", "1")
INVARIANT = "if on an invariant in a loop"


@pytest.fixture(autouse=True)
def _unloaded() -> Iterator[None]:
    with unloaded_afterwards():
        yield


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    """Return the command's exit status and all that it prints."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    assert isinstance(ended.value.code, int)
    printed = capsys.readouterr()
    return ended.value.code, printed.out + printed.err


def changed(text: str, name: str) -> int:
    """Return in how many programs the pass changed something."""
    found = re.search(rf"^ {name}: changed the program +(\d+)", text, re.M)
    return int(found[1]) if found else 0


def command(*words: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "loomir.tools.loomir_fuzz", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def test_a_wrong_pass_is_found_reduced_and_repeated(tmp_path: Path) -> None:
    """The else arm twice, only where an If on an invariant is in a loop: far fewer than 200 programs show it."""
    words = ["--extension", PLUGINS / "else_twice.py", "-p", "else-twice", "--with", INVARIANT]
    few = ("--seed", 1, "--count", 20, "--size", 4)
    done = command(*few, *words, *QUICK[:3], "--reduce", 1, "--output", tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert ": graph, values\n" in done.stdout
    assert changed(done.stdout, "else-twice") >= 10
    assert "\nwithout -p it agrees\n" in done.stdout
    reduced = re.search(r"reduced from \d+ statements to (\d+)\n", done.stdout)
    assert reduced
    assert int(reduced[1]) <= 15
    repeat = re.search(r"^repeat: loomir-fuzz (.*)$", done.stdout, re.M)
    assert repeat
    again = shlex.split(repeat[1])
    assert again[again.index("--extension") :] == [str(word) for word in words]
    done = command(*again, *QUICK, "--reduce", 0)
    assert done.returncode == 1, done.stdout + done.stderr
    # The test that is written fails with the pass.
    (test,) = tmp_path.glob("test_*.py")
    code = f"import runpy; runpy.run_path({str(test)!r})[{test.stem!r}]()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert re.search(r"^AssertionError|\[runtime-shape\]", done.stderr, re.M), done.stderr


def test_a_pass_on_a_lower_stage_runs_there(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--extension", PLUGINS / "mistakes.py", "-p", "swap-sums", "--with", "op Add")
    engines = ("--engines", "loops", "--no-ir", "--level", "default")
    code, text = run(capsys, *words, *engines, "--jobs", 1, "--count", 3)
    assert code == 0, text
    assert changed(text, "swap-sums") >= 1


def test_passes_of_loomir_have_their_own_stage(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-p", "ov-loop-unroll{max-trips=3}", "--with", "static-trips", "--level", "imported")
    code, text = run(capsys, *words, *QUICK, "--count", 4, "--size", 4)
    assert code == 0, text
    assert changed(text, "ov-loop-unroll") >= 1
    assert "ov-loop-unroll: done: ov.loop: unrolled its" in text


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("raise", r"load, error pass-failed\n +.*ValueError: not like this \(.*mistakes.py:\d+\)"),
        ("break", r"load, error pass-broke-ir\n"),
        ("hang", r"load, timeout\n"),
    ],
)
def test_mistakes_are_told(kind: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--extension", PLUGINS / "mistakes.py", "-p", f"makes-a-mistake{{kind={kind}}}")
    limits = ("--count", 1, "--size", 1, "--patience", 3, "--reduce", 0)
    code, text = run(capsys, *words, *QUICK, *limits)
    assert code == 1
    assert re.search(said, text), text
    assert f"-p 'makes-a-mistake{{kind={kind}}}'" in text


def test_a_pass_that_changes_nothing_proves_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--extension", PLUGINS / "mistakes.py", "-p", "makes-a-mistake", "--count", 1, "--size", 1)
    code, text = run(capsys, *words, *QUICK)
    assert code == 2
    assert "no program was changed" in text
    assert "--list-features" in text


@pytest.mark.parametrize(
    ("words", "identifier", "said"),
    [
        (("--extension", "nowhere.py", "-p", "mine"), "extension-broken", "nowhere.py"),
        (("-p", "no-such-pass"), "bad-pipeline", "no-such-pass"),
        (("-p", "cse{broken"), "bad-pipeline", "cse{broken"),
        (("-p", "ov-infer,plan-memory"), "bad-pipeline", "GRAPH AND LOOPS"),
        (("-p", "convert-onnx-to-ov"), "bad-pipeline", "FRONT"),
        (("--with", "if-on-an-invarant-in-a-loop"), "bad-option", f"nearest: {INVARIANT}"),
        (("--with", "qqqq"), "bad-option", "--list-features"),
    ],
)
def test_user_errors(
    words: tuple[str, ...], identifier: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = run(capsys, *words, *QUICK, "--count", 1)
    assert code == 1
    assert f"[{identifier}]" in text
    assert said in text, text


def test_features_are_listed_without_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(capsys, "--list-features")
    assert code == 0
    assert "What 300 programs hold" in text
    for name in (INVARIANT, "early exit", "loop in a loop", "zero trips", "op Add"):
        assert f" {name} " in text, name
    assert "no mismatch" not in text
