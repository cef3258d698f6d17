"""The texts of the options that change what comes into a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomir.errors import Error
from loomir.tools.model_optimizer.convert.preprocessing_options import (
    Layout,
    parse_layouts,
    parse_scale,
    parse_values,
)
from tests.support import raises_error


def test_values_by_name_and_in_order() -> None:
    assert parse_values("mean-values", "data[1,2.5,-3],info(4)") == {"data": (1.0, 2.5, -3.0), "info": (4.0,)}
    assert parse_values("scale-values", "[1 2 3],(4)") == ((1.0, 2.0, 3.0), (4.0,))


@pytest.mark.parametrize(
    "text",
    ["", "1,2", "[1,2", "a[1],[2]", "a[1],a[2]", "[]", "[a]", "[1,inf]", "[True]", "a[1]b", "[[1]]", "[nan]"],
)
def test_what_is_wrong_with_values(text: str) -> None:
    with raises_error("bad-option", "--mean-values", "for example"):
        parse_values("mean-values", text)


def test_nothing_is_divided_by_zero() -> None:
    parse_values("mean-values", "[0]")
    with raises_error("bad-option", "divided by 0"):
        parse_values("scale-values", "[1,0,2]")
    with raises_error("bad-option", "--scale"):
        parse_scale("0")


def test_scale() -> None:
    assert parse_scale("127.5") == 127.5
    for text in ("", "a", "1,2", "inf", "[1]"):
        with raises_error("bad-option", "--scale"):
            parse_scale(text)


def test_layouts() -> None:
    assert parse_layouts("nchw") == (Layout("NCHW"),)
    assert parse_layouts("a(nhwc->nchw),b[n,c,...],c([n,?,c])") == {
        "a": Layout("NHWC", target=Layout("NCHW")),
        "b": Layout("NC", ""),
        "c": Layout("N?C"),
    }
    assert parse_layouts("[n,c],n...c") == (Layout("NC"), Layout("N", "C"))
    for text in (
        "",
        "a(nchw",
        "nn",
        "n1",
        "a(nc),nc",
        "a(nc),a(nc)",
        "a()",
        ">",
        "......",
        "nhwc->nch",
        "nc->cn->nc",
    ):
        with raises_error("bad-option", "--layout"):
            parse_layouts(text)


def test_the_axis_of_a_layout() -> None:
    assert Layout("NCHW").axis("C", 4) == 1
    assert Layout("NCHW").axis("C", 3) is None
    assert Layout("NCHW").axis("D", 4) is None
    assert Layout("N", "C").axis("C", 5) == 4
    assert Layout("NC", "").axis("C", 5) == 1
    assert Layout("NC", "").axis("C", 1) is None


def test_the_order_of_a_target() -> None:
    (changed,) = parse_layouts("nhwc->nchw")
    assert (changed.order(4), changed.order(3)) == ((0, 3, 1, 2), None)
    (open_,) = parse_layouts("n...c->nc...")
    assert (open_.order(5), open_.order(1)) == ((0, 4, 1, 2, 3), None)
    (numbered,) = parse_layouts("[?,?,c]->[c,?,?]")
    assert numbered.order(3) == (2, 0, 1)
    assert Layout("NHWC").order(4) is None


@given(st.one_of(st.text(), st.text("abnchw019,.?->[]() -e+", max_size=60)))
def test_any_text_gives_a_result_or_an_error(text: str) -> None:
    parsers = (
        lambda: parse_values("mean-values", text),
        lambda: parse_values("scale-values", text),
        lambda: parse_scale(text),
        lambda: parse_layouts(text),
    )
    for parse in parsers:
        try:
            parse()
        except Error as error:
            if error.identifier != "bad-option":
                raise
