"""Every operation of `arith` on edge values, in its three forms: pure, compiled scalar code, lanes."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import numpy as np
import pytest

from loomir.dialects.scalars import SCALARS
from tests.support_elementwise import (
    DTYPES,
    FLOATS,
    INTEGERS,
    WIDTHS,
    evaluate,
    floats,
    held,
    integers,
    pairs,
    wrap,
)


def truncated(a: int, b: int) -> int:
    if b == 0:
        return 0
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def ceiling(a: int, b: int) -> int:
    return -(-a // b) if b else 0


SIGNED: dict[str, Callable[[int, int, int], int]] = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "divsi": lambda a, b, w: truncated(a, b),
    "floordivsi": lambda a, b, w: a // b if b else 0,
    "ceildivsi": lambda a, b, w: ceiling(a, b),
    "remsi": lambda a, b, w: a - b * truncated(a, b) if b else 0,
    "minsi": lambda a, b, w: min(a, b),
    "maxsi": lambda a, b, w: max(a, b),
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
    "shrsi": lambda a, b, w: a >> min(b & ((1 << w) - 1), w - 1),
}
UNSIGNED: dict[str, Callable[[int, int, int], int]] = {
    "divui": lambda a, b, w: a // b if b else 0,
    "ceildivui": lambda a, b, w: ceiling(a, b),
    "remui": lambda a, b, w: a % b if b else 0,
    "minui": lambda a, b, w: min(a, b),
    "maxui": lambda a, b, w: max(a, b),
    "shli": lambda a, b, w: a << b if b < w else 0,
    "shrui": lambda a, b, w: a >> b if b < w else 0,
}


@pytest.mark.parametrize("t", INTEGERS)
@pytest.mark.parametrize("name", [*SIGNED, *UNSIGNED])
def test_integer_operations(name: str, t: str):
    width = WIDTHS[t]
    a, b = pairs(t)
    mask = (1 << width) - 1
    if name in SIGNED:
        expected = [SIGNED[name](x, y, width) for x, y in zip(a, b)]
    else:
        expected = [UNSIGNED[name](x & mask, y & mask, width) for x, y in zip(a, b)]
    actual = evaluate(f"arith.{name} %a, %b : {t}", [(t, held(a, t)), (t, held(b, t))], t)
    np.testing.assert_array_equal(actual, held([wrap(v, width) for v in expected], t), strict=True)


@pytest.mark.parametrize("t", INTEGERS)
@pytest.mark.parametrize("predicate", ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"])
def test_cmpi(predicate: str, t: str):
    a, b = pairs(t)
    mask = (1 << WIDTHS[t]) - 1
    compare = getattr(operator, predicate.removeprefix("s").removeprefix("u"))
    unsigned = predicate.startswith("u")
    expected = [compare(x & mask, y & mask) if unsigned else compare(x, y) for x, y in zip(a, b)]
    actual = evaluate(f"arith.cmpi {predicate}, %a, %b : {t}", [(t, held(a, t)), (t, held(b, t))], "i1")
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize(("source", "target"), [(s, t) for s in INTEGERS for t in INTEGERS if s != t])
def test_integer_casts(source: str, target: str):
    values = integers(source)
    given = [(source, held(values, source))]
    n, m = WIDTHS[source], WIDTHS[target]
    line = "{} %a : " + f"{source} to {target}"
    if "index" in (source, target):
        cases = {"arith.index_cast": lambda v: wrap(v, m)}
    elif m > n:
        cases = {"arith.extsi": lambda v: v, "arith.extui": lambda v: v & ((1 << n) - 1)}
    else:
        cases = {"arith.trunci": lambda v: wrap(v, m)}
    for name, function in cases.items():
        actual = evaluate(line.format(name), given, target)
        np.testing.assert_array_equal(actual, held([function(v) for v in values], target), err_msg=name)


def float_pairs(t: str) -> tuple[np.ndarray, np.ndarray]:
    values = floats(t)
    return np.repeat(values, len(values)), np.tile(values, len(values))


def same_floats(actual: np.ndarray, expected: np.ndarray) -> None:
    """Equal with NaN and the sign of zero."""
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(actual), nan)
    bits = np.dtype(f"u{expected.dtype.itemsize}")
    np.testing.assert_array_equal(actual.view(bits)[~nan], expected.view(bits)[~nan])


def maximum(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return math.nan
    if a == b == 0:
        return 0.0 if math.copysign(1, a) > 0 or math.copysign(1, b) > 0 else -0.0
    return max(a, b)


def ieee_divide(a: float, b: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


FLOAT_BINARY: dict[str, Callable[[float, float], float]] = {
    "addf": operator.add,
    "subf": operator.sub,
    "mulf": operator.mul,
    "divf": ieee_divide,
    "maximumf": maximum,
    "minimumf": lambda a, b: -maximum(-a, -b),
    "maxnumf": lambda a, b: b if math.isnan(a) else a if math.isnan(b) else maximum(a, b),
    "minnumf": lambda a, b: b if math.isnan(a) else a if math.isnan(b) else -maximum(-a, -b),
}


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("name", FLOAT_BINARY)
def test_float_operations(name: str, t: str):
    a, b = float_pairs(t)
    exact = [FLOAT_BINARY[name](float(x), float(y)) for x, y in zip(a, b)]
    # Double is wide enough for f32 and narrower types that rounding it again does no harm.
    with np.errstate(all="ignore"):
        expected = np.array(exact).astype(np.float32 if t == "bf16" else np.float64).astype(DTYPES[t])
    actual = evaluate(f"arith.{name} %a, %b : {t}", [(t, a), (t, b)], t)
    same_floats(actual, expected)


@pytest.mark.parametrize("t", FLOATS)
def test_negf_and_select(t: str):
    a, b = float_pairs(t)
    bits = np.dtype(f"u{a.dtype.itemsize}")
    negated = evaluate(f"arith.negf %a : {t}", [(t, a)], t)
    np.testing.assert_array_equal(np.signbit(negated), ~np.signbit(a))
    c = np.arange(len(a)) % 3 == 0
    chosen = evaluate(f"arith.select %a, %b, %c : {t}", [("i1", c), (t, a), (t, b)], t)
    np.testing.assert_array_equal(chosen.view(bits), np.where(c, a, b).view(bits))


PREDICATES = {
    "false": lambda a, b, u: False,
    "oeq": lambda a, b, u: a == b,
    "ogt": lambda a, b, u: a > b,
    "oge": lambda a, b, u: a >= b,
    "olt": lambda a, b, u: a < b,
    "ole": lambda a, b, u: a <= b,
    "one": lambda a, b, u: not u and a != b,
    "ord": lambda a, b, u: not u,
    "ueq": lambda a, b, u: u or a == b,
    "ugt": lambda a, b, u: u or a > b,
    "uge": lambda a, b, u: u or a >= b,
    "ult": lambda a, b, u: u or a < b,
    "ule": lambda a, b, u: u or a <= b,
    "une": lambda a, b, u: u or a != b,
    "uno": lambda a, b, u: u,
    "true": lambda a, b, u: True,
}


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("predicate", PREDICATES)
def test_cmpf(predicate: str, t: str):
    a, b = float_pairs(t)
    function = PREDICATES[predicate]
    expected = [
        function(x, y, math.isnan(x) or math.isnan(y)) for x, y in zip(a.astype(float), b.astype(float))
    ]
    actual = evaluate(f"arith.cmpf {predicate}, %a, %b : {t}", [(t, a), (t, b)], "i1")
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("integer", ["i1", "i8", "i32", "i64"])
@pytest.mark.parametrize("t", FLOATS)
def test_casts_between_integers_and_floats(t: str, integer: str):
    width = WIDTHS[integer]
    values = integers(integer) + ([16777217, 33554435] if width >= 32 else [])
    for name, read in (("sitofp", lambda v: v), ("uitofp", lambda v: v & ((1 << width) - 1))):
        actual = evaluate(f"arith.{name} %a : {integer} to {t}", [(integer, held(values, integer))], t)
        exact = np.array([read(v) for v in values], dtype=object)
        with np.errstate(all="ignore"):
            if t in ("f64", "f32"):
                # numpy converts integers to both with one rounding.
                expected = np.array([DTYPES[t].type(int(v)) for v in exact])
                if t == "f32":
                    kind = np.int64 if name == "sitofp" else np.uint64
                    expected = exact.astype(kind).astype(np.float32)
            else:
                expected = exact.astype(np.float64).astype(DTYPES[t])
        same_floats(actual, expected)
    given = floats(t)
    for name, low, high in (
        ("fptosi", -(1 << (width - 1)), (1 << (width - 1)) - 1),
        ("fptoui", 0, (1 << width) - 1),
    ):
        expected = []
        for v in given.astype(np.float64):
            whole = 0 if math.isnan(v) else (high if v > 0 else low) if math.isinf(v) else int(v)
            expected.append(wrap(min(max(whole, low), high), width))
        actual = evaluate(f"arith.{name} %a : {t} to {integer}", [(t, given)], integer)
        np.testing.assert_array_equal(actual, held(expected, integer), err_msg=name)


@pytest.mark.parametrize(
    ("narrow", "wide"), [("f16", "f32"), ("bf16", "f32"), ("f16", "f64"), ("f32", "f64")]
)
def test_float_casts(narrow: str, wide: str):
    small, large = floats(narrow), floats(wide)
    same_floats(
        evaluate(f"arith.extf %a : {narrow} to {wide}", [(narrow, small)], wide), small.astype(DTYPES[wide])
    )
    with np.errstate(all="ignore"):
        expected = large.astype(DTYPES[narrow])
    same_floats(evaluate(f"arith.truncf %a : {wide} to {narrow}", [(wide, large)], narrow), expected)


@pytest.mark.parametrize(("t", "bits"), [("f16", "i16"), ("bf16", "i16"), ("f32", "i32"), ("f64", "i64")])
def test_bitcast(t: str, bits: str):
    values = floats(t)
    as_bits = evaluate(f"arith.bitcast %a : {t} to {bits}", [(t, values)], bits)
    np.testing.assert_array_equal(as_bits, values.view(DTYPES[bits]))
    back = evaluate(f"arith.bitcast %a : {bits} to {t}", [(bits, as_bits)], t)
    same_floats(back, values)


@pytest.mark.parametrize("t", ["i8", "i32", "i64"])
@pytest.mark.parametrize("name", ["addui_extended", "mului_extended", "mulsi_extended"])
def test_extended_operations(name: str, t: str):
    width = WIDTHS[t]
    mask = (1 << width) - 1
    a, b = pairs(t)
    second = "i1" if name == "addui_extended" else t
    types = f"{t}, i1" if second == "i1" else t
    for part, result in ((0, t), (1, second)):
        # The operation has two results: a branch names both and yields one.
        sides = [
            f"%x, %y = arith.{name} {operands} : {types}\nscf.yield %{'xy'[part]} : {result}"
            for operands in ("%a, %b", "%b, %a")
        ]
        actual = evaluate(
            f"scf.if %c -> ({result}) {{\n{sides[0]}\n}} else {{\n{sides[1]}\n}}",
            [(t, held(a, t)), (t, held(b, t)), ("i1", np.arange(len(a)) % 2 == 0)],
            result,
        )
        exact = []
        for x, y in zip(a, b):
            if name == "addui_extended":
                total = (x & mask) + (y & mask)
            elif name == "mului_extended":
                total = (x & mask) * (y & mask)
            else:
                total = x * y
            exact.append(wrap(total, width) if part == 0 else wrap(total >> width, WIDTHS[result]))
        np.testing.assert_array_equal(actual, held(exact, result))


def test_no_operation_of_arith_is_without_semantics():
    from xdsl.dialects.arith import Arith, ConstantOp

    assert {op for op in Arith.operations if op is not ConstantOp} <= set(SCALARS)
