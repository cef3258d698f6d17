"""Every operation of `math`, against Python's own functions, in its three forms (see test_arith)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from xdsl.dialects.math import Math

from loomir.dialects.scalars import SCALARS
from tests.support_elementwise import DTYPES, WIDTHS, evaluate, floats, held, integers, pairs, wrap


def quiet(function: Callable[..., float]) -> Callable[..., float]:
    """NaN where Python raises for the domain, infinity where the result overflows."""

    def call(*xs: float) -> float:
        try:
            return function(*xs)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return call


def log(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: -math.inf if x == 0 else quiet(function)(x)


def whole(function: Callable[[float], int]) -> Callable[[float], float]:
    """Python's rounding functions give integers: not for infinities, and without the sign of zero."""
    return lambda x: math.copysign(float(function(x)), x) if math.isfinite(x) else x


def half_away(x: float) -> int:
    return math.floor(Fraction(x) + Fraction(1, 2)) if x > 0 else math.ceil(Fraction(x) - Fraction(1, 2))


UNARY: dict[str, Callable[[float], float]] = {
    "absf": abs,
    "acos": quiet(math.acos),
    "acosh": quiet(math.acosh),
    "asin": quiet(math.asin),
    "asinh": quiet(math.asinh),
    "atan": math.atan,
    "atanh": lambda x: math.copysign(math.inf, x) if abs(x) == 1 else quiet(math.atanh)(x),
    "cbrt": math.cbrt,
    "ceil": whole(math.ceil),
    "cos": quiet(math.cos),
    "cosh": quiet(math.cosh),
    "erf": math.erf,
    "exp": quiet(math.exp),
    "exp2": quiet(math.exp2),
    "expm1": quiet(math.expm1),
    "floor": whole(math.floor),
    "log": log(math.log),
    "log10": log(math.log10),
    "log1p": lambda x: -math.inf if x == -1 else quiet(math.log1p)(x),
    "log2": log(math.log2),
    "round": whole(half_away),
    "roundeven": whole(round),
    "rsqrt": lambda x: math.copysign(math.inf, x) if x == 0 else quiet(lambda y: 1 / math.sqrt(y))(x),
    "sin": quiet(math.sin),
    "sinh": lambda x: math.copysign(quiet(math.sinh)(abs(x)), x),
    "sqrt": quiet(math.sqrt),
    "tan": quiet(math.tan),
    "tanh": math.tanh,
    "trunc": whole(math.trunc),
}
EXACT = {"absf", "ceil", "floor", "round", "roundeven", "trunc", "sqrt"}
MORE = [0.49999997, 0.5, 1.5, 2.5, -0.5, -1.5, 8388609.0, 0.9, 1.1, 30.0, -30.0, 100.0]


def agree(actual: np.ndarray, exact: list[float], t: str, *, tight: bool) -> None:
    """Equal, or within a few units in the last place where a library computes."""
    with np.errstate(all="ignore"):
        expected = (
            np.array(exact, np.float64).astype(np.float32 if t == "bf16" else np.float64).astype(DTYPES[t])
        )
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    if tight:
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(np.signbit(a[~np.isnan(b)]), np.signbit(b[~np.isnan(b)]))
        return
    tolerance = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 1e-6, "f64": 1e-14}[t]
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("t", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("name", UNARY)
def test_unary_operations(name: str, t: str):
    with np.errstate(over="ignore"):
        x = np.concatenate([floats(t), np.array(MORE).astype(DTYPES[t])])
    if name in ("sin", "cos", "tan"):
        x = x[
            (np.abs(x) < 1e4) | ~np.isfinite(x)
        ]  # argument reduction of huge numbers is the library's affair
    actual = evaluate(f"math.{name} %a : {t}", [(t, x)], t)
    exact = [UNARY[name](float(v)) for v in x]
    if t in ("f16", "bf16", "f32"):
        highest = float(np.finfo(np.float32).max)
        exact = [math.copysign(math.inf, v) if abs(v) > highest else v for v in exact]
    agree(actual, exact, t, tight=name in EXACT)


@pytest.mark.parametrize("t", ["f32", "f64", "f16"])
def test_binary_operations(t: str):
    values = np.array([0.0, -0.0, 1.0, -1.0, 2.5, -3.0, 0.3, math.inf, -math.inf, math.nan]).astype(DTYPES[t])
    a, b = np.repeat(values, len(values)), np.tile(values, len(values))
    table = list(zip(a.astype(float), b.astype(float)))
    agree(
        evaluate(f"math.atan2 %a, %b : {t}", [(t, a), (t, b)], t),
        [math.atan2(x, y) for x, y in table],
        t,
        tight=False,
    )
    copied = evaluate(f"math.copysign %a, %b : {t}", [(t, a), (t, b)], t)
    agree(copied, [math.copysign(x, y) for x, y in table], t, tight=True)

    def power(x: float, y: float) -> float:
        if x == 0 and y < 0:
            odd = y == int(y) and int(y) % 2 if math.isfinite(y) else False
            return math.copysign(math.inf, x) if odd else math.inf
        return quiet(math.pow)(x, y)

    agree(
        evaluate(f"math.powf %a, %b : {t}", [(t, a), (t, b)], t),
        [power(x, y) for x, y in table],
        t,
        tight=False,
    )


def test_fpowi():
    x = np.array([2.0, -1.0, -1.0, 0.5, 1.5, -2.0, 3.0, 0.0], np.float32)
    n = np.array([10, 2147483647, -2147483648, -3, 0, 3, -1, 0], np.int32)
    actual = evaluate("math.fpowi %a, %b : f32, i32", [("f32", x), ("i32", n)], "f32")
    agree(actual, [float(v) ** int(k) for v, k in zip(x, n)], "f32", tight=False)


@pytest.mark.parametrize("t", ["f32", "f64"])
def test_fma_rounds_once(t: str):
    rng = np.random.default_rng(1)
    n = 2000
    a, b = (rng.standard_normal(n).astype(DTYPES[t]) for _ in range(2))
    # Near cancellation is where rounding twice shows.
    c = (-(a.astype(np.float64) * b) * (1 + rng.integers(-3, 4, n) * 2.0**-24)).astype(DTYPES[t])
    c[::7] = rng.standard_normal(len(c[::7])).astype(DTYPES[t])
    special = np.array([math.inf, math.nan, 0.0, -0.0, 1.0], DTYPES[t])
    a, b, c = (np.concatenate([v, s]) for v, s in zip((a, b, c), (special, special[::-1], special)))
    actual = evaluate(f"math.fma %a, %b, %c : {t}", [(t, a), (t, b), (t, c)], t)
    for x, y, z, r in zip(*(v.astype(float).tolist() for v in (a, b, c, actual))):
        if not all(map(math.isfinite, (x, y, z))):
            assert r == x * y + z or math.isnan(r), (x, y, z)
            continue
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        error = abs(Fraction(r) - exact)
        for other in (np.nextafter(DTYPES[t].type(r), s * DTYPES[t].type(math.inf)) for s in (1, -1)):
            assert error <= abs(Fraction(float(other)) - exact), (x, y, z)


@pytest.mark.parametrize("t", ["i8", "i32", "i64", "index"])
def test_integer_operations(t: str):
    width = WIDTHS[t]
    values = integers(t)
    given = [(t, held(values, t))]
    mask = (1 << width) - 1
    cases: dict[str, Callable[[int], int]] = {
        "absi": abs,
        "ctpop": lambda v: (v & mask).bit_count(),
        "ctlz": lambda v: width - (v & mask).bit_length(),
        "cttz": lambda v: ((v & mask) & -(v & mask)).bit_length() - 1 if v else width,
    }
    for name, function in cases.items():
        actual = evaluate(f"math.{name} %a : {t}", given, t)
        np.testing.assert_array_equal(
            actual, held([wrap(function(v), width) for v in values], t), err_msg=name
        )
    a, b = pairs(t)

    def power(x: int, n: int) -> int:
        if n >= 0:
            return pow(x, n, 1 << width)
        return {1: 1, -1: -1 if n % 2 else 1}.get(x, 0)

    actual = evaluate(f"math.ipowi %a, %b : {t}", [(t, held(a, t)), (t, held(b, t))], t)
    np.testing.assert_array_equal(actual, held([wrap(power(x, n), width) for x, n in zip(a, b)], t))


def test_no_operation_of_math_is_without_semantics():
    assert set(Math.operations) <= set(SCALARS)
    tested = {*UNARY, "atan2", "copysign", "powf", "fpowi", "fma", "absi", "ctpop", "ctlz", "cttz", "ipowi"}
    assert {op.name.removeprefix("math.") for op in Math.operations} == tested
