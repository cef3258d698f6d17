"""Attributes read as Python values: what is given, what is absent, what is none of a few words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, StringAttr, f32, f64, i32, i64
from xdsl.ir import Attribute

from loomir.dialects.ov.attributes import (
    FALSE,
    TRUE,
    check_index_type,
    choice,
    integer,
    to_bool,
    to_float,
    to_int,
    to_ints,
    to_str,
)
from loomir.errors import Error

CASES: list[tuple[Callable[..., Any], Attribute, Any, Any]] = [
    (to_bool, TRUE, True, False),
    (to_bool, FALSE, False, True),
    (to_int, integer(-3), -3, 0),
    (to_float, FloatAttr(0.5, f64), 0.5, 0.0),
    (to_str, StringAttr(""), "", "numpy"),
    (to_ints, DenseArrayBase.from_list(i64, [2, -1]), (2, -1), ()),
    (to_ints, DenseArrayBase.from_list(i64, []), (), (1,)),
]


@pytest.mark.parametrize(("read", "attribute", "value", "default"), CASES)
def test_an_attribute_that_is_given_is_read_and_an_absent_one_is_its_default(
    read: Callable[..., Any], attribute: Attribute, value: Any, default: Any
) -> None:
    assert read(attribute) == value
    assert read(attribute, default) == value
    assert read(None, default) == default
    with pytest.raises(AssertionError):
        read(None)


def test_a_word_is_one_of_those_that_there_are() -> None:
    words = ("max", "min")
    assert choice(StringAttr("min"), "mode", words) == "min"
    assert choice(StringAttr("min"), "mode", words, "max") == "min"
    assert choice(None, "mode", words, "max") == "max"
    with pytest.raises(Error, match="mode is 'most', expected max or min") as refused:
        choice(StringAttr("most"), "mode", words, "max")
    assert refused.value.identifier == "attribute-value"


def test_positions_and_counts_have_32_or_64_bits() -> None:
    assert [check_index_type(t, "output_type") for t in (i32, i64)] == [i32, i64]
    with pytest.raises(Error, match="output_type is f32, expected i32 or i64"):
        check_index_type(f32, "output_type")
