"""Affine forms, compared with the integers that they stand for."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loomir.dialects.affine_forms import AffineForm, Product

SYMBOLS = "abc"
NUMBERS = st.integers(-9, 9)
VALUES = st.fixed_dictionaries(dict.fromkeys(SYMBOLS, NUMBERS))


def value_of(form: AffineForm[Any], values: dict[str, int]) -> int:
    """The integer of a form, by its definition."""
    total = form.constant
    for symbol, coefficient in form.terms:
        for factor in symbol.symbols if isinstance(symbol, Product) else (symbol,):
            coefficient *= values[factor]
        total += coefficient
    return total


@st.composite
def computed(draw: st.DrawFn, depth: int = 3) -> tuple[AffineForm[Any], Callable[[dict[str, int]], int]]:
    """A form that was computed by sums and products, and the same as a function."""
    kind = draw(st.sampled_from(["symbol", "number", "add", "sub", "mul"])) if depth else "symbol"
    if kind == "symbol":
        symbol = draw(st.sampled_from(SYMBOLS))
        return AffineForm.of(symbol), lambda values: values[symbol]
    if kind == "number":
        number = draw(NUMBERS)
        return AffineForm(number), lambda values: number
    (a, f), (b, g) = draw(computed(depth - 1)), draw(computed(depth - 1))
    apply = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}[kind]
    return apply(a, b), lambda values: apply(f(values), g(values))


@given(computed(), VALUES)
def test_arithmetic(
    made: tuple[AffineForm[Any], Callable[[dict[str, int]], int]], values: dict[str, int]
) -> None:
    form, function = made
    assert value_of(form, values) == function(values)
    assert len({symbol for symbol, _ in form.terms}) == len(form.terms)
    assert all(coefficient for _, coefficient in form.terms)


@given(computed(), computed(), VALUES)
def test_parts_and_substitution(
    made: tuple[AffineForm[Any], object], by: tuple[AffineForm[Any], object], values: dict[str, int]
) -> None:
    form, other = made[0], by[0]
    slope, rest = form.split("a")
    assert value_of(slope, values) * values["a"] + value_of(rest, values) == value_of(form, values)
    assert "a" not in rest.symbols()
    replaced = form.substitute("a", other)
    assert value_of(replaced, values) == value_of(form, values | {"a": value_of(other, values)})


@given(
    computed(),
    st.fixed_dictionaries({s: st.tuples(NUMBERS, NUMBERS).map(sorted) for s in SYMBOLS}),
    st.data(),
)
def test_intervals_hold(
    made: tuple[AffineForm[Any], object], ends: dict[str, list[int]], data: st.DataObject
) -> None:
    form = made[0]
    found = form.interval(lambda symbol: (ends[symbol][0], ends[symbol][1]))
    values = {s: data.draw(st.integers(*ends[s])) for s in SYMBOLS}
    assert found is not None
    assert found[0] <= value_of(form, values) <= found[1]
    assert form.fits(found, lambda symbol: (ends[symbol][0], ends[symbol][1]))


@given(computed(), computed())
def test_equal_forms_are_equal_in_any_order(
    made: tuple[AffineForm[Any], object], more: tuple[AffineForm[Any], object]
) -> None:
    a, b = made[0], more[0]
    assert a + b == b + a
    assert hash(a + b) == hash(b + a)
    assert a * b == b * a
    assert hash(a * b) == hash(b * a)
    assert a * (b + 1) - a == a * b
    assert (a - a).number == 0


def test_texts() -> None:
    i, n = AffineForm.of("i"), AffineForm.of("n")
    assert str(i * n * 2 + i - 3) == "2 * i * n + i + -3"
    assert (i * 3 + n).coefficient("i") == 3
    assert (i * 3 + i * n + n).without("n") == i * 3 + i * n


def test_large_forms() -> None:
    i, n = AffineForm.of("i"), AffineForm.of("n")
    assert (i * n * 5 + i * i + 7).is_small
    assert not AffineForm.sum_of(0, ((k, 1) for k in range(100))).is_small
    assert not (i * 10**1000).is_small
    assert not AffineForm(10**1000).is_small
    power = i
    while power.is_small:
        power *= power
    assert len(power.terms) == 1
