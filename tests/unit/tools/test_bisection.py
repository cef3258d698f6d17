"""`--bisect` names the pattern application that breaks a result."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.checking.checker import check_each_pass
from loomir.compiler.extensions.loading import load_extension, unloaded_afterwards
from loomir.compiler.formats.mlir.parser import load_mlir
from loomir.compiler.options import CheckOptions
from loomir.errors import Error
from loomir.tools.bisection import explain_application, first_wrong
from loomir.tools.loomir_opt import LoomirOpt

PLANTED = Path(__file__).parents[2] / "fixtures" / "planted_extension.py"


@pytest.fixture(autouse=True)
def _planted() -> Iterator[None]:
    with unloaded_afterwards():
        load_extension(PLANTED)
        yield


@pytest.fixture
def program(tmp_path: Path) -> ModuleOp:
    """41 negations named by layer, and four pairs of abs between them.

    A wrong sign before the last pair does not show.
    """
    lines, value = ["func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {"], "%x"
    type_ = "(tensor<4xf32>) -> tensor<4xf32>"
    for k in range(1, 42):
        lines.append(f'  %n{k} = ov.negative {value} : {type_} loc("Negative_{k}")')
        value = f"%n{k}"
        if k % 10 == 5:
            lines.append(f"  %a{k} = ov.abs {value} : {type_}")
            lines.append(f"  %b{k} = ov.abs %a{k} : {type_}")
            value = f"%b{k}"
    lines.append(f"  func.return {value} : tensor<4xf32>\n}}")
    path = tmp_path / "program.mlir"
    path.write_text("\n".join(lines))
    return load_mlir(path)


def failure_of(module: ModuleOp, passes: str, folder: Path) -> Error:
    options = CheckOptions(reduce_seconds=0, folder=folder, explain=explain_application)
    with pytest.raises(Error) as found:
        check_each_pass(module, passes, options=options)
    return found.value


def again(error: Error, limit: int) -> list[str]:
    """The arguments of the command in the message that runs so many applications."""
    (line,) = re.findall(rf"loomir-opt (.*--debug-counter '\S+={limit}')", error.hint or "")
    return shlex.split(line)


def test_37th_application_is_named(program: ModuleOp, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    error = failure_of(program, "cse,planted-pattern", tmp_path)
    assert error.identifier == "pass-changed-result"
    hint = error.hint or ""
    # Four applications of the other pattern precede it.
    assert "bisection: pattern application 41 of 45 breaks it" in hint
    assert "planted-pattern/NegativeToProduct 37 on 'Negative_37': ov.negative" in hint
    assert re.search(r"\+ %\S+ = ov.multiply", hint)

    LoomirOpt(again(error, 40)).run()
    with pytest.raises(SystemExit):
        LoomirOpt(again(error, 41)).run()
    assert "[pass-changed-result]" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [36, 40, 41])
def test_any_application_is_named(program: ModuleOp, tmp_path: Path, wrong: int):
    hint = failure_of(program, f"planted-pattern{{wrong={wrong}}}", tmp_path).hint or ""
    assert f"NegativeToProduct {wrong} on 'Negative_{wrong}'" in hint


def test_application_that_raises_is_named(program: ModuleOp, tmp_path: Path):
    error = failure_of(program, "planted-pattern{wrong=5 raises=true}", tmp_path)
    assert error.identifier == "pass-failed"
    assert "NegativeToProduct 5 on 'Negative_5': ov.negative" in (error.hint or "")
    assert "raised IndexError" in (error.hint or "")


def test_pass_without_patterns_is_named(program: ModuleOp, tmp_path: Path):
    error = failure_of(program, "planted-walk", tmp_path)
    assert "planted-walk breaks it without any pattern application" in (error.hint or "")


@pytest.mark.parametrize("wrong", range(1, 12))
def test_search_finds_the_first_wrong_number(wrong: int):
    asked: list[int] = []
    assert first_wrong(0, 11, lambda n: asked.append(n) or n >= wrong) == wrong
    assert len(asked) <= 4
