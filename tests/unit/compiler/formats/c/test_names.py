"""Identifiers and comments made of whatever a model says."""

from __future__ import annotations

import re

import hypothesis
import hypothesis.strategies as st
import pytest

from loomir.compiler.formats.c.values import RESERVED, Names, comment, identifier, prefix


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("conv/Conv:0", "conv_Conv_0"),
        ("2x", "v2x"),
        ("for", "for_"),
        ("class", "class_"),
        ("__init__", "init"),
        ("_X", "X"),
        ("a__b", "a_b"),
        ("é", "e"),
        ("入力", "v"),
        ("", "v"),
        ("expf", "expf_"),
        ("int32_t", "int32_t_"),
        ("NULL", "NULL_"),
        ("memcpy", "memcpy_"),
        ("y0", "y0_"),
    ],
)
def test_identifiers(text: str, expected: str) -> None:
    assert identifier(text, "v") == expected


@hypothesis.given(st.text(max_size=80))
def test_identifiers_are_identifiers(text: str) -> None:
    word = identifier(text, "v")
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", word)
    assert "__" not in word
    assert word not in RESERVED


@hypothesis.given(st.text(alphabet="*/\\?\n\r a=\u202e'\"é", max_size=130))
def test_comments_cannot_end(text: str) -> None:
    safe = comment(text)
    whole = f"/* {safe} */"
    assert whole.index("*/") == len(whole) - 2
    assert whole.count("/*") == 1
    assert "??" not in safe
    assert "\\" not in safe
    assert safe.isascii()
    assert safe.isprintable()
    assert len(safe) <= 102


@pytest.mark.parametrize(
    ("model", "expected"), [("kws", "kws"), ("math", "math_model"), ("8bit", "model8bit")]
)
def test_prefixes(model: str, expected: str) -> None:
    """A header called math.h would hide the standard one from its own source."""
    assert prefix(model) == expected


def test_scopes() -> None:
    names = Names("kws")
    assert [names.fresh("x", "v") for _ in range(3)] == ["x", "x2", "x3"]
    names.push()
    assert [names.fresh_counter(None) for _ in range(2)] == ["i", "j"]
    assert names.fresh("x", "v") == "x4"
    names.pop()
    assert names.fresh_counter(None) == "i"
    assert names.fresh("x", "v") == "x4"
    assert names.fresh("x1", "v") == "x1"
    assert names.fresh("x1", "v") == "x1_2"


def test_our_own_names_are_kept_free() -> None:
    names = Names("kws")
    assert names.fresh("kws_run", "v") == "var_kws_run"
    assert names.fresh("KWS_OK", "v") == "var_KWS_OK"
    assert Names("var").fresh("var_run", "v") == "val_var_run"


def test_many_equal_names_take_linear_time() -> None:
    names = Names("m")
    words = {names.fresh("x", "v") for _ in range(20000)}
    assert len(words) == 20000
