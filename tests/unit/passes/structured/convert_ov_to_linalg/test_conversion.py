"""Convert below GRAPH gives what its numpy semantics give: every pair of element types, every code of the small ones."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from loomir.compiler.model import Model
from loomir.dialects import element_types as et
from loomir.dialects.numerics import ROUND_MODES
from loomir.dialects.ov.operators.conversion import ConvertOp
from tests.operators import assert_lowering
from tests.support_c import run_sanitized

NUMBERS = (
    et.i1,
    et.i8,
    et.i16,
    et.i32,
    et.i64,
    et.ui8,
    et.ui16,
    et.ui32,
    et.ui64,
    et.f16,
    et.bf16,
    et.f32,
    et.f64,
)
STORAGE = (
    et.i2, et.i4, et.ui2, et.ui4, et.f4e2m1, et.f6e2m3, et.f6e3m2, et.f8e4m3fn, et.f8e4m3fnuz, et.f8e5m2, et.f8e5m2fnuz,
    et.f8e8m0,
)  # fmt: skip
EVERYTHING = (*NUMBERS, *STORAGE)


def samples(element: Attribute) -> np.ndarray:
    """Every code of a small type; of a larger one its limits, special values, halves and numbers of all sizes."""
    dtype = et.dtype_of(element)
    if element == et.i1:
        return np.array([False, True])
    if et.is_storage(element):
        low = {et.i2: range(-2, 2), et.ui2: range(4), et.i4: range(-8, 8), et.ui4: range(16)}.get(element)
        if low is not None:
            return np.array(list(low), np.int8).astype(dtype)
        return np.arange(
            {et.f4e2m1: 16, et.f6e2m3: 64, et.f6e3m2: 64}.get(element, 256), dtype=np.uint8
        ).view(dtype)
    rng = np.random.default_rng(7)
    if et.is_integer(element):
        info = np.iinfo(dtype)
        edges = np.array([info.min, info.max, 0, 1, info.max // 2 + 1, 3, 6, 7, 8, 15, 127], dtype)
        return np.concatenate([edges, rng.integers(info.min, info.max, 60, dtype, endpoint=True)])
    few = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        448.0,
        464.0,
        465.0,
        -480.0,
        57344.0,
        61440.0,
        1e30,
        -1e30,
        127.5,
        255.9,
    ]
    ties = [s * (k + 0.5) * 2.0**e for s in (1, -1) for k in range(8) for e in (-10, -9, -4, -1, 0, 3, 5)]
    powers = [
        m * 2.0**e
        for m in (1.0, 1.25, 1.5, 1.75)
        for e in (-149, -128, -127, -126, -20, -16, 8, 15, 126, 127)
    ]
    spread = rng.standard_normal(80) * 2.0 ** rng.integers(-20, 20, 80)
    with np.errstate(all="ignore"):
        values = np.array([*few, *ties, *powers, *spread]).astype(np.float64)
        return values.astype(dtype)


@pytest.mark.parametrize("source", EVERYTHING, ids=str)
def test_interpreted(source: Attribute) -> None:
    """Each type to one of the others in turn, so that every pair is there once in the native test and some here."""
    for target in EVERYTHING[EVERYTHING.index(source) % 3 :: 3]:
        assert_lowering(ConvertOp, [samples(source)], {"destination_type": target}, tolerance=0)


@pytest.mark.parametrize(
    ("source", "number", "target"),
    [
        (et.i1, True, et.f32),  # the attribute of true is -1
        (et.ui8, 200, et.f32),
        (et.ui64, 2**64 - 1, et.f64),
        (et.i32, 100000, et.f16),
        (et.i32, -100000, et.f16),
        (et.i64, 16777217 * 2**31 + 1, et.f32),  # rounded once, not by way of f64
        (et.i64, -7, et.bf16),
    ],
)
def test_integer_constants(source: Attribute, number: int, target: Attribute) -> None:
    x = np.asarray(number, et.dtype_of(source))
    assert_lowering(ConvertOp, [x], {"destination_type": target}, constants=(0,), tolerance=0)


@pytest.mark.parametrize("target", STORAGE, ids=str)
@pytest.mark.parametrize("source", [et.f32, et.f64], ids=str)
def test_unsaturated_and_round_modes(source: Attribute, target: Attribute) -> None:
    modes = ROUND_MODES if target == et.f8e8m0 else ROUND_MODES[:1]
    for mode, saturate in itertools.product(modes, (True, False)):
        attributes = {"destination_type": target, "saturate": saturate, "round_mode": mode}
        assert_lowering(ConvertOp, [samples(source)], attributes, tolerance=0)


def conversions(source: Attribute, targets: tuple[Attribute, ...], extent: int) -> Model:
    """A model that converts its input to each of the targets."""
    block = Block(arg_types=[TensorType(source, [extent])])
    operations = [ConvertOp.make(block.args[0], attributes={"destination_type": t}) for t in targets]
    block.add_ops([*operations, ReturnOp(*(o.output for o in operations))])
    types = [o.output.type for o in operations]
    return Model(ModuleOp([FuncOp("main", (block.arg_types, types), Region(block))]))


@pytest.mark.parametrize("source", EVERYTHING[::2], ids=str)
def test_native(source: Attribute) -> None:
    """All targets in one program, bit for bit (but for which NaN)."""
    x = samples(source)
    model = conversions(source, tuple(t for t in EVERYTHING if t != source), x.size)
    feed = {model.inputs[0].name: x}
    expected = model.run(feed, engine="graph")
    actual = model.run(feed, engine="native")
    for name, wanted in expected.items():
        got = actual[name]
        assert got.dtype == wanted.dtype
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(
                got.astype(np.float64), wanted.astype(np.float64), err_msg=str(wanted.dtype)
            )
            if wanted.dtype.kind not in "biu":
                signs = [
                    np.signbit(a.astype(np.float64))[~np.isnan(a.astype(np.float64))] for a in (got, wanted)
                ]
                np.testing.assert_array_equal(*signs, err_msg=str(wanted.dtype))


def test_evaluate_is_ml_dtypes_where_that_saturates_nothing() -> None:
    """The numpy semantics of the small floats against a table made from their definition."""
    from loomir.dialects.numerics import SMALL_FLOATS

    for element, small in SMALL_FLOATS.items():
        dtype = et.dtype_of(element)
        info = ml_dtypes.finfo(dtype)
        assert (info.nmant, info.bits) == (small.mantissa, small.bits)
        assert np.array([small.greatest], np.uint8).view(dtype)[0] == info.max
        for code in (small.infinity, small.nan):
            if code is not None:
                value = float(np.array([code], np.uint8).view(dtype)[0])
                assert np.isinf(value) if code == small.infinity else np.isnan(value)


def test_c_is_clean() -> None:
    """Both compilers without a warning, no undefined behaviour, whatever the number."""
    x = samples(et.f64)
    model = conversions(et.f64, STORAGE, x.size)
    feed = {model.inputs[0].name: x}
    expected = model.run(feed, engine="graph")
    for name, actual in run_sanitized(model.lowered("loops"), feed).items():
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(
                actual.astype(np.float64), expected[name].astype(np.float64), err_msg=name
            )
