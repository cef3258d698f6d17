"""Biases that are no multiple of the steps of their sums, against exact rational arithmetic: they are not rounded to these."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper

import loomir
from loomir.dialects.diagnostics import Remark, listening
from loomir.passes.graph.ov_to_integer.proving import requantisation
from loomir.passes.graph.ov_to_integer.scaled import fractions, integers
from tests.unit.passes.graph.ov_to_integer.networks import (
    Network,
    convolve,
    fake_quantize,
    float_operations,
    in_integers,
    quantise,
)

LEAST, MOST = -128, 127
INPUT_SCALE, INPUT_ZERO = 0.05, -3
FLOATS = ["ov.divide", "ov.round", "ov.add", "ov.convert", "ov.multiply"]
"""Remaining float operations: the input's quantisation and the output as floats."""


def exact(number: float | np.floating) -> Fraction:
    return Fraction(float(np.float32(number)))


def rounded(
    total: np.ndarray, scales: np.ndarray, bias: np.ndarray, step: float, limits: tuple[float, float]
) -> np.ndarray:
    """round(limited(scale · total + bias) / step) for each channel, the second axis, with rational numbers."""
    low, high = (None if np.isinf(end) else exact(end) for end in limits)
    result = np.empty(total.shape, np.int64)
    for channel, (scale, offset) in enumerate(zip(scales, bias, strict=True)):
        factor = exact(INPUT_SCALE) * exact(scale)
        for place in np.ndindex(total[:, channel].shape):
            index = (place[0], channel, *place[1:])
            number = factor * int(total[index]) + exact(offset)
            number = number if low is None else max(number, low)
            number = number if high is None else min(number, high)
            result[index] = round(number / exact(step))
    return result


def convolution(
    scales: np.ndarray, bias: np.ndarray, between: str, step: float, zero: int
) -> tuple[loomir.Model, np.ndarray, list[Remark]]:
    """A convolution with a bias of floats, limits, a quantisation: with integers, its weights, and what the pass said."""
    net = Network(3)
    x = net.quantised("x", "x0", INPUT_SCALE, INPUT_ZERO)
    weights = net.random.integers(-127, 128, (scales.size, 3, 3, 3)).astype(np.int8)
    kernel = net.dequantised("w", weights, scales, 0)
    real = net.node("Conv", [x, kernel, net.constant("bias", bias)], "c", pads=[1, 1, 1, 1])
    if between == "Relu":
        real = net.node("Relu", [real], "r")
    if between == "Clip":
        ends = [net.constant("least", np.float32(-0.3)), net.constant("most", np.float32(1.7))]
        real = net.node("Clip", [real, *ends], "r")
    model = net.model((1, 3, 6, 6), net.quantised(real, "y", step, zero), (1, scales.size, 6, 6))
    remarks: list[Remark] = []
    with listening(remarks.append):
        found = in_integers(model)
    loomir.load(model, integers=True, check_each_pass=True)
    return found, weights, [remark for remark in remarks if remark.pass_name == "ov-to-integer"]


@pytest.mark.parametrize("between", ["", "Relu", "Clip"])
@pytest.mark.parametrize(
    "scales",
    [
        [0.004, 0.001, 0.0007, 0.01],
        # Steps that are coarser than those of the result: a bias that is rounded to them is up to five steps off.
        [0.5, 0.3, 2.0, 1.1],
        # Tiny ones, as of channels that training has let die: 32 bits do not hold the steps of the bias.
        [1e-12, 0.002, 1e-7, 1e-30],
    ],
)
def test_each_integer_is_that_of_exact_arithmetic(scales: list[float], between: str) -> None:
    channels, bias = np.array(scales, np.float32), np.array([0.123, -0.987, 0.7, -0.0061], np.float32)
    step, zero = (0.05, 5) if between != "Relu" else (0.02, -128)
    model, weights, remarks = convolution(channels, bias, between, step, zero)
    assert float_operations(model) == FLOATS
    assert [(remark.kind, remark.numbers["wrong"]) for remark in remarks] == [("done", 0)]
    limits = {"": (-np.inf, np.inf), "Relu": (0, np.inf), "Clip": (-0.3, 1.7)}[between]
    random = np.random.default_rng(0)
    for spread in (0.02, 0.3, 4):
        x = (random.normal(size=(1, 3, 6, 6)) * spread).astype(np.float32)
        total = convolve(quantise(x, INPUT_SCALE, INPUT_ZERO) - INPUT_ZERO, weights, 1)
        wanted = (rounded(total, channels, bias, step, limits) + zero).clip(LEAST, MOST)
        for engine in ("graph", "native"):
            (found,) = model.run({"x": x}, engine=engine).values()
            assert np.array_equal(found, (wanted - zero).astype(np.float32) * np.float32(step)), engine


@pytest.mark.parametrize("between", ["", "Relu"])
def test_halves_are_even(between: str) -> None:
    """Sums of 1/8 and a bias of 3/16 and the like, in steps of 1/4: every second number is a half, or none."""
    net = Network(5)
    x = net.quantised("x", "x0", 0.25, 0)
    scales = np.array([0.5, 0.5, 0.25, 1], np.float32)
    bias = np.array([0.0625, -0.1875, 0.09375, -0.125], np.float32)
    weights = net.random.integers(-2, 3, (6, 4)).astype(np.int8)
    product = net.node("MatMul", [x, net.dequantised("w", weights, scales, 1)], "m")
    real = net.node("Add", [product, net.constant("b", bias)], "a")
    real = net.node("Relu", [real], "r") if between else real
    model = in_integers(net.model((8, 6), net.quantised(real, "y", 0.125, 3), (8, 4)))
    assert float_operations(model) == ["ov.divide", "ov.round", "ov.convert", "ov.multiply"]
    q = net.random.integers(-6, 7, (8, 6))
    total = q @ weights.astype(np.int64)
    number = total * (scales * 0.25).astype(np.float64) + bias
    # (Doubles hold all of these numbers, and rint rounds halves to even.)
    wanted = np.rint(np.maximum(number, 0 if between else -np.inf) / 0.125)
    assert (np.abs(number / 0.125 % 1 - 0.5) == 0).sum() >= 8
    for engine in ("graph", "native"):
        (found,) = model.run({"x": (q * 0.25).astype(np.float32)}, engine=engine).values()
        assert np.array_equal(found, wanted.clip(LEAST - 3, MOST - 3) * 0.125), engine


def test_limits_and_steps_for_each_channel() -> None:
    """A limit is another integer in each channel."""
    net = Network(6)
    x = net.quantised("x", "x0", INPUT_SCALE, INPUT_ZERO)
    k, weights, scales = net.weights("w", (4, 3, 3, 3))
    bias = np.array([0.2, -0.4, 0.05, 0.3], np.float32)
    real = net.node("Conv", [x, k, net.constant("b", bias)], "c", pads=[1, 1, 1, 1])
    ends = [net.constant("least", np.float32(-1.3)), net.constant("most", np.float32(2.9))]
    steps = np.array([0.5, 0.031, 0.07, 0.011], np.float32)
    y = fake_quantize(net, net.node("Clip", [real, *ends], "r"), "y", steps.reshape(1, -1, 1, 1), 128)
    quantised = net.model((1, 3, 6, 6), y, (1, 4, 6, 6), check=False)
    quantised.opset_import.append(helper.make_opsetid("openvino.opset1", 1))
    model = in_integers(quantised)
    x = (net.random.normal(size=(1, 3, 6, 6)) * 2).astype(np.float32)
    total = convolve(quantise(x, INPUT_SCALE, INPUT_ZERO) - INPUT_ZERO, weights, 1)
    for channel, step in enumerate(steps):
        # (The step is what single precision makes of the limits.)
        low, high = exact(step * np.float32(-128)), exact(step * np.float32(127))
        one = slice(channel, channel + 1)
        level = np.array(
            [
                round(
                    min(
                        max(
                            exact(INPUT_SCALE) * exact(scales[channel]) * int(each) + exact(bias[channel]),
                            exact(-1.3),
                        ),
                        exact(2.9),
                    )
                    * 255
                    / (high - low)
                )
                for each in total[:, one].reshape(-1)
            ]
        ).clip(LEAST, MOST)
        for engine in ("graph", "native"):
            (found,) = model.run({"x": x}, engine=engine).values()
            wanted = level.reshape(1, 1, 6, 6) * (float(high - low) / 255)
            np.testing.assert_allclose(found[:, one], wanted, rtol=1e-6, atol=0, err_msg=engine)


@pytest.mark.parametrize(
    "bias",
    [
        np.array([3, -500, 70, 0], np.float32),
        # Single precision has rounded it.
        np.array([3, -500, 70, 0], np.float32) * np.float32(1 + 2.0**-23),
        # Two fifths of a step, which change no result: a step of it is 63, and no sum is in the middle of two.
        np.array([3.4, -500.4, 70.4, 0.4], np.float32),
    ],
)
def test_a_bias_in_steps_is_what_the_sum_begins_with(bias: np.ndarray) -> None:
    """One addend is all that its requantisation has, as without a bias."""
    net = Network(7)
    x = net.quantised("x", "x0", 2.0**-4, 0)
    weights = net.random.integers(-8, 8, (6, 4)).astype(np.int8)
    kernel = net.dequantised("w", weights, np.full(4, 2.0**-6, np.float32), 1)
    offset = net.constant("b", bias * np.float32(2.0**-10))
    real = net.node("Add", [net.node("MatMul", [x, kernel], "m"), offset], "a")
    text = in_integers(net.model((8, 6), net.quantised(real, "y", 63 * 2.0**-10, 0), (8, 4))).mlir()
    assert "dense<[3, -500, 70, 0]> : tensor<4xi32>" in text
    assert not [line for line in text.splitlines() if "ov.add" in line and "tensor<4xi64>" in line]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(2**-9, 4.0, width=32), st.fractions(-1, 1, max_denominator=40)),
        min_size=1,
        max_size=3,
    ),
    st.integers(-2000, 0),
    st.integers(1, 2000),
)
def test_rests_of_biases(channels: list[tuple[float, Fraction]], low: int, high: int) -> None:
    """Value by value, with Python's integers."""
    ratio, rest = fractions(np.array([r for r, _ in channels])), np.array([r for _, r in channels], object)
    found = requantisation(ratio, integers(low), integers(high), LEAST, MOST, rest)
    differing = 0
    for channel in range(len(channels)):
        m, c, shift = (
            int(part[channel % part.size]) for part in (found.multipliers, found.addends, found.shifts)
        )
        assert 0 <= m < 1 << 31
        for value in range(low, high + 1):
            total = value * m + c
            assert -(1 << 63) <= total < 1 << 63
            result = total >> shift
            if found.window is not None and total & ((1 << shift) - 1) <= found.window:
                result -= result & 1
            wanted = round(ratio[channel] * (value + rest[channel]))
            differing += min(max(result, LEAST), MOST) != min(max(wanted, LEAST), MOST)
    assert differing == found.wrong == 0


@pytest.mark.parametrize(
    ("ratio", "rest", "halves"),
    [
        (Fraction(1, 2), Fraction(0), True),
        (Fraction(1, 2), Fraction(1, 3), False),
        (Fraction(1, 3), Fraction(1, 2), True),  # a third of one half and one is a half
        (Fraction(3, 5), Fraction(5, 6), True),
        (Fraction(1), Fraction(1, 2), True),
        (Fraction(1), Fraction(1, 4), False),
        (Fraction(7, 36), Fraction(-2, 7), True),
        (Fraction(7, 36), Fraction(-2, 5), False),
    ],
)
def test_halves_with_a_rest(ratio: Fraction, rest: Fraction, halves: bool) -> None:
    found = requantisation(
        np.array([ratio], object), integers(-900), integers(900), LEAST, MOST, np.array([rest], object)
    )
    assert (found.window is not None, found.wrong) == (halves, 0)
    some = any((2 * ratio * (a + rest)) % 2 == 1 for a in range(-900, 901))
    assert some == halves
