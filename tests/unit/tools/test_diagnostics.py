"""Expected diagnostics are compared with those that come: as `mlir-opt --verify-diagnostics`, and stricter."""

from __future__ import annotations

import pytest

from loomir.errors import Error
from loomir.tools.diagnostics import Diagnostic, Expectations, diagnostics_of_error


def problems(text: str, *said: Diagnostic, first_line: int = 1) -> list[str]:
    return [str(p) for p in Expectations.of(text, first_line).problems(said, "f.mlir")]


def at(line: int, text: str = "no good", severity: str = "error") -> Diagnostic:
    return Diagnostic(severity, text, "f.mlir", (line, 3))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("// expected-error@+1 {{no good}}\nop", 2),
        ("op // expected-error {{good}}", 1),
        ("op\n// expected-error@-1 {{no}}", 1),
        ("op\n// expected-error@above {{no}}", 1),
        ("op\n// expected-note@-1 0 {{x}}\n// expected-error@above {{no}}", 1),
        ("// expected-error@below {{no}}\n// expected-note 0 {{x}}\nop", 3),
        ("// expected-error-re@+1 {{n{{o+}} {{g.*d}}}}", 2),
        ("// expected-error-re {{{{^no}} good}}", 1),
        ("// expected-error{{no good}}  ", 1),
    ],
)
def test_expected(text: str, line: int) -> None:
    assert not problems(text, at(line))
    assert problems(text), "missing"
    assert problems(text, at(line + 1)), "on another line"
    assert problems(text, at(line), at(line)), "twice"
    assert problems(text, at(line, "fine")), "another text"
    assert problems(text, at(line, severity="warning")), "another severity"
    assert not problems(text, at(line + 40), first_line=41), "in a later part of the file"


def test_severities_and_counts() -> None:
    text = "// expected-remark@+3 2 {{a}}\n// expected-warning@+2 {{a}}\n// expected-note@unknown {{a}}\nop"
    said = [at(4, "a", "remark"), at(4, "a", "warning"), at(4, "b a", "remark"), Diagnostic("note", "a")]
    assert not problems(text, *said)
    assert problems(text, *said[:2], said[3]) == [
        'f.mlir:1:1: error: expected remark "a" at line 4 came 1 times, not 2'
    ]


def test_texts() -> None:
    assert problems("op", at(1)) == ["f.mlir:1:3: error: unexpected error: no good"]
    assert problems("// expected-error {{a}}") == [
        'f.mlir:1:1: error: expected error "a" at line 1 was not produced'
    ]
    wrong = problems("// expected-error {{good}}", at(1, severity="remark"))
    assert wrong[0] == "f.mlir:1:3: error: 'remark' where the line expects 'error': no good"
    assert "at no line was not produced" in problems("// expected-error@unknown {{good}}", at(1))[1]


@pytest.mark.parametrize(
    "comment", ["expected-error {no}", "expected-eror {{no}}", "expected-error-re {{{{(}}}}"]
)
def test_what_only_looks_like_one_is_an_error(comment: str) -> None:
    assert any("is not an expectation" in p for p in problems(f"// {comment}\nop"))


def test_brackets_mean_themselves() -> None:
    assert not problems("// expected-error {{[0-9]+ (a)}}", at(1, "x [0-9]+ (a)"))
    assert problems("// expected-error {{[0-9]+}}", at(1, "7"))


def test_an_error_with_its_notes() -> None:
    error = Error("some-id", "wrong", layer="l", op="ov.add", hint="do this").at(
        file="f.mlir", position=(7, 2)
    )
    error.notes.append(("defined here", Error("x", "").at(file="f.mlir", position=(3, 1)).where))
    assert str(error) == "f.mlir:7:2: 'l' (ov.add): wrong [some-id]\n  do this", "three lines at most"
    assert list(map(str, diagnostics_of_error(error))) == [
        "f.mlir:7:2: error: 'l' (ov.add): wrong [some-id]\n  do this",
        "f.mlir:3:1: note: defined here",
    ]
    error.hint = None
    assert str(error) == "f.mlir:7:2: 'l' (ov.add): wrong [some-id]\n  f.mlir:3:1: defined here"
