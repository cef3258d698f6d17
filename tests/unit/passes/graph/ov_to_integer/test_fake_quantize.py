"""FakeQuantize of weights that are floats, as networks have them that were trained so: their levels are the integers.

All steps are powers of two: floats compute exactly, so that integers have to be equal.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import helper

import loomir
from tests.unit.passes.graph.ov_to_integer.networks import (
    Network,
    fake_quantize,
    float_operations,
    in_floats,
    in_integers,
)


def network(levels: int, shift: float = 0.0) -> onnx.ModelProto:
    """A convolution with a step for each channel, and a product; with `shift` 0 is between two levels of the weights."""
    net = Network(4)
    zero = levels // 2
    net.constant("w1", net.random.normal(0, 1, (6, 3, 3, 3)).astype(np.float32))
    net.constant("w2", net.random.normal(0, 1, (6 * 64, 5)).astype(np.float32))
    steps = 2.0 ** -net.random.integers(4, 7, (6, 1, 1, 1))
    x = fake_quantize(net, "x", "xq", 2.0**-5, 120)
    w1 = fake_quantize(net, "w1", "w1q", steps, zero + shift, levels)
    r = net.node("Relu", [net.node("Conv", [x, w1], "c", pads=[1, 1, 1, 1])], "r")
    flat = net.node("Flatten", [fake_quantize(net, r, "y1", 2.0**-3, 0)], "f")
    w2 = fake_quantize(net, "w2", "w2q", 2.0**-6, zero, levels)
    y = fake_quantize(net, net.node("MatMul", [flat, w2], "m"), "y2", 1.0, 128)
    model = net.model((1, 3, 8, 8), y, (1, 5), check=False)
    model.opset_import.append(helper.make_opsetid("openvino.opset1", 1))
    return model


@pytest.mark.parametrize("levels", [15, 255, 256])
def test_levels_of_weights_are_integers(levels: int) -> None:
    model = network(levels)
    integers, floats = in_integers(model), in_floats(model)
    # The input is quantised; what is returned has the step 1.
    assert float_operations(integers) == [
        f"ov.{name}" for name in ("subtract", "divide", "multiply", "round", "clamp", "convert")
    ]
    random = np.random.default_rng(0)
    for _ in range(3):
        feed = {"x": random.normal(0, 2, (1, 3, 8, 8)).astype(np.float32)}
        wanted = floats.run(feed, engine="graph")["y2"]
        assert len(np.unique(wanted)) > 2
        for engine in ("graph", "native"):
            assert np.array_equal(integers.run(feed, engine=engine)["y2"], wanted)


def test_levels_without_a_zero_stay_floats() -> None:
    integers = in_integers(network(256, shift=0.5))
    assert "ov.convolution" in float_operations(integers)


def test_weights_of_8_bits_at_the_level_for_size() -> None:
    """Without `--integers`: a product in floats keeps integer weights."""
    small, fast = (loomir.load(network(255), level=level) for level in ("Os", "O2"))
    assert "xi8>" in small.mlir()
    assert "xi8>" not in fast.mlir()
    feed = {"x": np.random.default_rng(0).normal(0, 2, (1, 3, 8, 8)).astype(np.float32)}
    assert np.array_equal(small.run(feed)["y2"], fast.run(feed)["y2"])


LIMITED: dict[str, Callable[[Network, str], str]] = {
    "ReLU": lambda net, x: net.node("Relu", [x], "r"),
    "less than the range": lambda net, x: net.node(
        "Max",
        [
            net.node("Min", [x, net.constant("most", np.float32(2))], "less"),
            net.constant("zero", np.float32(0)),
        ],
        "r",
    ),
    "more than the range": lambda net, x: net.node(
        "Clip", [x, net.constant("zero", np.float32(0)), net.constant("most", np.float32(6))], "r"
    ),
}


@pytest.mark.parametrize("name", list(LIMITED))
def test_steps_of_each_channel(name: str) -> None:
    """A step of its own for each channel, which are convolved apart then; the bias has the shape that computed extents say."""
    net = Network(6)
    net.constant("w1", net.random.normal(0, 1, (8, 3, 1, 1)).astype(np.float32))
    net.constant("w2", net.random.normal(0, 1, (8, 1, 3, 3)).astype(np.float32))
    x = fake_quantize(net, "x", "xq", 2.0**-5, 120)
    w1 = fake_quantize(net, "w1", "w1q", 2.0 ** -net.random.integers(5, 7, (8, 1, 1, 1)), 127, 255)
    c = net.node("Conv", [x, w1], "c")
    extents = [
        net.constant("one", np.array([1])),
        net.node("Shape", ["bias"], "of bias"),
        net.constant("ones", np.array([1, 1])),
    ]
    net.constant("bias", (net.random.integers(-64, 64, 8) / 64).astype(np.float32))
    bias = net.node("Reshape", ["bias", net.node("Concat", extents, "shape", axis=0)], "reshaped")
    r = LIMITED[name](net, net.node("Add", [c, bias], "b"))
    y = fake_quantize(net, r, "y1", 2.0 ** -net.random.integers(6, 8, (1, 8, 1, 1)), 0)
    w2 = fake_quantize(net, "w2", "w2q", 2.0 ** -net.random.integers(5, 7, (8, 1, 1, 1)), 127, 255)
    d = net.node("Conv", [y, w2], "d", group=8, pads=[1, 1, 1, 1])
    model = net.model((1, 3, 8, 8), fake_quantize(net, d, "y2", 2.0**-4, 100), (1, 8, 8, 8), check=False)
    model.opset_import.append(helper.make_opsetid("openvino.opset1", 1))
    integers, floats = in_integers(model), in_floats(model)
    assert not {"ov.convolution", "ov.group_convolution", "ov.add", "ov.maximum"} & {
        *float_operations(integers)
    }
    assert str(integers.module).count("xui8>") > 2
    assert ("ov.minimum" in str(integers.module)) == (name == "less than the range")
    for _ in range(3):
        feed = {"x": np.random.default_rng(0).normal(0, 2, (1, 3, 8, 8)).astype(np.float32)}
        wanted = floats.run(feed, engine="graph")["y2"]
        for engine in ("graph", "native"):
            assert np.array_equal(integers.run(feed, engine=engine)["y2"], wanted), engine


@pytest.mark.parametrize("name", ["ReLU", "more than the range", "without"])
def test_levels_of_zero_of_each_channel(name: str) -> None:
    """Channels with next to no range have a level of 0 mid-range.

    Such channels never hold anything.
    """
    net = Network(9)
    net.constant("w1", net.random.normal(0, 1, (8, 3, 1, 1)).astype(np.float32))
    net.constant("w2", net.random.normal(0, 1, (16, 1, 3, 3)).astype(np.float32))
    x = fake_quantize(net, "x", "xq", 2.0**-5, 120)
    w1 = fake_quantize(net, "w1", "w1q", 2.0 ** -net.random.integers(5, 7, (8, 1, 1, 1)), 127, 255)
    c = net.node("Conv", [x, w1, net.constant("b", np.float32(np.arange(-4, 4) * 2.0**-7))], "c")
    r = c if name == "without" else LIMITED[name](net, c)
    steps, zeros = 2.0 ** -net.random.integers(4, 8, (1, 8, 1, 1)), np.zeros((1, 8, 1, 1))
    steps[0, [2, 5]], zeros[0, [2, 5]] = 2.0**-17, 128
    y = fake_quantize(net, r, "y1", steps, zeros)
    w2 = fake_quantize(net, "w2", "w2q", 2.0 ** -net.random.integers(5, 7, (16, 1, 1, 1)), 127, 255)
    # Where nothing is padded what a zero point adds is in the bias.
    for pad in (1, 0):
        d = net.node("Conv", [y, w2], f"d{pad}", group=8, pads=[pad] * 4)
        out = fake_quantize(net, d, f"out{pad}", 2.0**-4, 100)
        model = net.model((1, 3, 8, 8), out, (1, 16, 6 + 2 * pad, 6 + 2 * pad), check=False)
        model.opset_import.append(helper.make_opsetid("openvino.opset1", 1))
        integers, floats = in_integers(model), in_floats(model)
        assert not {"ov.convolution", "ov.group_convolution"} & {*float_operations(integers)}
        feed = {"x": np.random.default_rng(0).normal(0, 2, (1, 3, 8, 8)).astype(np.float32)}
        wanted = floats.run(feed, engine="graph")[out]
        for engine in ("graph", "native"):
            assert np.array_equal(integers.run(feed, engine=engine)[out], wanted), engine
        loomir.load(model, integers=True, check_each_pass=True)
