"""Errors that leave loomir's boundary.

Foreseen errors stay as they are; every other one asks for a report.
"""

from __future__ import annotations

import pickle
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import loomir
from loomir.dialects.element_types import f32
from loomir.errors import MAX_TEXT, Error, boundary, brief, crash_of
from loomir.tools.loomir_main import main
from tests.support import raises_error


@boundary
def broken(error: BaseException) -> None:
    raise error


def test_a_foreseen_error_is_left_alone() -> None:
    error = Error("some-error", "it says")
    with pytest.raises(Error) as info:
        broken(error)
    assert info.value is error
    assert crash_of(error) is None


@pytest.mark.internal_error
def test_anything_else_asks_for_a_report() -> None:
    cause = IndexError("list index out of range\nand more")
    with raises_error("internal-error", "IndexError: list index out of range and more", "report") as info:
        broken(cause)
    assert info.value.__cause__ is cause
    assert crash_of(info.value) is cause
    assert len(str(info.value).splitlines()) == 2


@pytest.mark.internal_error
def test_it_names_the_innermost_line_of_loomir() -> None:
    @boundary
    def inner() -> None:
        f32.nothing  # type: ignore[attr-defined]  # noqa: B018
        brief(None)  # type: ignore[arg-type]

    with raises_error("internal-error", "AttributeError"):
        inner()

    @boundary
    def inside() -> None:
        from loomir.dialects.element_types import element_of

        element_of("datetime64[s]")  # type: ignore[arg-type]

    with raises_error("internal-error", "dialects/element_types.py:"):
        inside()


def test_memory_and_depth_are_limits() -> None:
    with raises_error("limit-memory", "memory"):
        broken(MemoryError())
    with raises_error("model-too-deep", "nested"):
        broken(RecursionError())


@pytest.mark.parametrize("ends", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_process_goes_on(ends: type[BaseException]) -> None:
    with pytest.raises(ends):
        broken(ends())


@pytest.mark.internal_error
def test_the_tools_say_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("loomir.compiler.loading.load_module", fails)
    with raises_error("internal-error", "by nothing"):
        loomir.load("m.onnx")
    with pytest.raises(SystemExit) as info:
        main(["inspect", "m.onnx"])
    assert info.value.code == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "[internal-error]" in lines[0]


def test_texts_are_short() -> None:
    long = "a" * 1_000_000
    error = Error("some-error", f"'{long}' is no name", file="f.xml", layer=long + "\n\n", op=long, hint=long)
    assert len(str(error)) < 5 * MAX_TEXT
    assert len(str(error).splitlines()) == 2
    assert str(error).startswith("f.xml: 'aaa")
    assert "is no name [some-error]" in str(error)


def test_names_of_several_lines_are_one() -> None:
    error = Error("undefined-name", "the output 'a\n\nb' is defined nowhere", hint="define it")
    error.notes.append(("the name\nof a note", error.where))
    assert str(error) == "the output 'a  b' is defined nowhere [undefined-name]\n  define it"
    error.hint = None
    assert str(error).splitlines()[1:] == ["  : the name of a note"]


def test_errors_can_be_sent_to_other_processes() -> None:
    assert str(pickle.loads(pickle.dumps(Error("some-error", "it says")))) == "it says [some-error]"


def test_a_full_device_is_no_defect_of_loomir(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Output that has no room, such as that of `loomir … > FILE` on a full disk."""
    model = tmp_path / "m.onnxtxt"
    model.write_text(
        '<ir_version: 10, opset_import: ["" : 21]> g (float[3] x) => (float[3] y) { y = Abs(x) }'
    )
    with Path("/dev/full").open("w", buffering=1) as full, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit):
            main(["inspect", str(model), "--mlir"])
        with suppress(OSError):
            full.close()
    assert "No space left on device [file-unwritable]" in capsys.readouterr().err


def test_an_interrupted_command_ends_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(loomir, "load", interrupt)
    with pytest.raises(SystemExit) as ended:
        main(["inspect", "m.onnx"])
    assert ended.value.code == 130
    assert capsys.readouterr().err == "loomir: interrupted\n"
