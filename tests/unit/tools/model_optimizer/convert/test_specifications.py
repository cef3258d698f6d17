"""The texts of the options that choose inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomir.dialects.element_types import f32, i32
from loomir.dialects.ov.facts import Dim
from loomir.errors import Error
from loomir.tools.model_optimizer.convert.specifications import (
    InputOptions,
    InputSpecification,
    input_options,
    parse_batch,
    parse_frozen,
    parse_inputs,
    parse_outputs,
    parse_shapes,
)
from tests.support import raises_error


def extents(*numbers: int) -> tuple[Dim, ...]:
    return tuple(Dim(n, n) for n in numbers)


def test_what_the_option_of_inputs_takes() -> None:
    text = "data[1,3,?,1..10]{f32}, 0:add(2 -1 3.. ..4), node:1[2]{i32}->[20,15], training->False, scale[]->2.5, a:b"
    assert parse_inputs(text) == (
        InputSpecification("data", (Dim(1, 1), Dim(3, 3), Dim(), Dim(1, 10)), f32),
        InputSpecification("0:add", (Dim(2, 2), Dim(), Dim(3), Dim(0, 4))),
        InputSpecification("node:1", extents(2), i32, (20, 15)),
        InputSpecification("training", value=False),
        InputSpecification("scale", (), value=2.5),
        InputSpecification("a:b"),
    )


def test_type_and_shape_in_either_order() -> None:
    assert parse_inputs("a{i32}[2]") == parse_inputs("a[2]{i32}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("a,,b", "empty"),
        ("a[1", "not closed"),
        ("a]1[", "no opening bracket"),
        ("a,b,a", "'a' occurs twice"),
        ("[1,2]", "is not a name"),
        ("a[1][2]", "is not a name"),
        ("a[1,x]", "'x' is not a dimension"),
        ("a[-2]", "'-2' is not a dimension"),
        ("a[3..2]", "is empty"),
        ("a[99999999999999999999]", "beyond 64 bits"),
        ("a[9223372036854775808]", "beyond 64 bits"),
        (f"a[{'1,' * 33}1]", "at most 32"),
        ("a{float}", "unknown element type 'float'"),
        ("a->b->c", "more than one '->'"),
        ("a->", "is not a value"),
        ("a->abc", "'abc' is not a value"),
        ("a->[1,b]", "'b' is not a value"),
        ("a[?]->[1]", "must be numbers"),
        ("a[2,2]->[1,2,3]", "4 elements and 3 values"),
        ("a->[1]x", "does not end in ']'"),
    ],
)
def test_what_is_wrong_with_inputs(text: str, says: str) -> None:
    with raises_error("bad-option", "--input", says, "for example"):
        parse_inputs(text)


def test_outputs() -> None:
    assert parse_outputs("a, split:1,2:b") == ("a", "split:1", "2:b")
    for text in ("", "a,", "a,b,a"):
        with raises_error("bad-option", "--output"):
            parse_outputs(text)


def test_shapes() -> None:
    assert parse_shapes("[1,3],(2 ?),[]") == (extents(1, 3), (Dim(2, 2), Dim()), ())
    for text in ("", "1,3", "[1,3", "[1,3)", "[1],", "[a]"):
        with raises_error("bad-option", "--input-shape"):
            parse_shapes(text)


def test_frozen() -> None:
    assert parse_frozen("a->1,b->[1 2.5], c->true,d->[[1,2],[3,4]]") == {
        "a": 1,
        "b": (1, 2.5),
        "c": True,
        "d": (1, 2, 3, 4),
    }
    assert parse_frozen("a->nan,a->nan")
    for text in ("", "a", "a->", "->1", "a->1,a->2", "a->1->2", "a->one"):
        with raises_error("bad-option", "--freeze"):
            parse_frozen(text)


def test_batch() -> None:
    assert parse_batch(" 12 ") == 12
    for text in ("0", "-1", "a", "", "1.5", "9" * 30, "²"):
        with raises_error("bad-option", "--batch"):
            parse_batch(text)


def test_the_options_together() -> None:
    assert input_options() == InputOptions()
    assert input_options(input_shape="[1,2]") == InputOptions(only_shape=extents(1, 2))
    assert input_options(input="a,b", input_shape="[1],[2]") == InputOptions(
        (InputSpecification("a", extents(1)), InputSpecification("b", extents(2)))
    )
    assert input_options(input="a,b->1", freeze="b->1,c->2", batch="3") == InputOptions(
        (InputSpecification("a"), InputSpecification("b", value=1)), None, {"c": 2}, 3
    )


@pytest.mark.parametrize(
    "options",
    [
        {"input": "a[1]", "input_shape": "[1]"},
        {"input": "a[1]", "batch": "1"},
        {"input_shape": "[1]", "batch": "1"},
        {"input_shape": "[1],[2]"},
        {"input": "a,b", "input_shape": "[1]"},
        {"input": "a->1", "freeze": "a->2"},
        {"input": "a->1", "input_shape": "[2]"},
        {"input": "a[2]", "freeze": "a->1"},
    ],
)
def test_options_that_exclude_each_other(options: dict[str, str]) -> None:
    with raises_error("bad-option"):
        input_options(**options)


PARSERS: list[Callable[[str], object]] = [
    parse_inputs,
    parse_outputs,
    parse_shapes,
    parse_frozen,
    parse_batch,
]


@given(st.one_of(st.text(), st.text("ab019,.:?->[](){}f32iTrue -e+", max_size=60)))
def test_any_text_gives_a_result_or_an_error(text: str) -> None:
    for parse in PARSERS:
        try:
            parse(text)
        except Error as error:
            if error.identifier != "bad-option":
                raise
