"""Text of pipelines: any text is read as passes, or refused with a mark at a position of it."""

from __future__ import annotations

import random

import pytest

import loomir
from loomir.compiler.pipeline import parse_pipeline, pipeline_text
from loomir.compiler.pipeline_syntax import elements_of

PARTS = (
    *'(){}[],"\\= \n\t1',
    "cse",
    "ov-infer",
    "keep-shapeof",
    "func.func",
    "builtin.module",
    "O2",
    "before",
    "é",
)


def passes_or_error(text: str) -> list[str] | str:
    """The names of the passes, or the identifier of the error."""
    try:
        return [each.name for each in parse_pipeline(text).passes]
    except loomir.Error as error:
        return error.identifier


def test_any_text_is_read_or_refused() -> None:
    choose = random.Random(45)
    read = 0
    for _ in range(3000):
        text = "".join(choose.choices(PARTS, k=choose.randint(1, 8)))
        found = passes_or_error(text)
        if isinstance(found, str):
            assert found == "bad-pipeline", text
            continue
        read += 1
        assert text.count("(") == text.count(")")
        if "O2" not in text:
            # No part of the text was left out.
            assert len(found) == text.count("cse") + text.count("ov-infer"), text
    assert read > 100


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("cse,", 4),
        ("cse,,cse", 4),
        ("cse cse", 3),
        ('cse,ov-fold-constants{keep-shapeof="a', 35),
        ('cse{"', 4),
        ("func.func(cse", 13),
        ("func.func(cse))", 14),
        ("  csee", 2),
        ("cse,\nfunc.func(csee)", 10),
    ],
)
def test_mark_is_at_the_position(text: str, column: int) -> None:
    with pytest.raises(loomir.Error) as info:
        parse_pipeline(text)
    assert info.value.hint is not None
    line, mark = info.value.hint.split("\n")
    assert line.strip() in text
    assert mark == " " * (2 + column) + "^"


def test_elements_have_anchors_and_positions() -> None:
    text = "builtin.module(cse, func.func( dce,canonicalize)),O1{to=structured}"
    found = [(each.spec.name, each.on_functions) for each in elements_of(text)]
    assert found == [("cse", False), ("dce", True), ("canonicalize", True), ("O1", False)]
    assert all(text[each.position :].startswith(each.spec.name) for each in elements_of(text))


def test_commas_and_parentheses_of_options_are_no_punctuation() -> None:
    text = 'mlir-opt{arguments="--a=(b,c)","--d"},cse'
    assert (
        pipeline_text(text) == 'mlir-opt{executable="mlir-opt" generic=true arguments="--a=(b,c)","--d"},cse'
    )
    assert [each.name for each in parse_pipeline("mlir-opt[cse,canonicalize(x)],cse").passes] == [
        "mlir-opt",
        "cse",
    ]


def test_levels_end_where_they_are_told_to() -> None:
    whole = pipeline_text("O2{to=loops}")
    assert f"{pipeline_text('O2{before=licm}')},{pipeline_text('O2{from=licm to=loops}')}" == whole
    assert pipeline_text("O2{from=licm before=licm}") == ""
    assert [each.name for each in parse_pipeline("O1", "structured").passes][-1] == "linalg-update-in-place"
    assert [each.name for each in parse_pipeline("func.func(O0)").passes] == [
        "ov-remove-unneeded",
        "ov-infer",
    ]
