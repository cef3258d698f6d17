"""Programs at the edges: with integers they give what they give without, and nothing ends in another error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import loomir
from loomir.compiler.feeds import TensorInfo
from loomir.compiler.option_names import Rounding
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.upstream.walking import walk
from tests.unit.passes.graph.ov_to_integer.networks import (
    Network,
    fake_quantize,
    float_operations,
    in_integers,
)

FLOAT, I8, I32, DOUBLE = TensorProto.FLOAT, TensorProto.INT8, TensorProto.INT32, TensorProto.DOUBLE


def between(net: Network, x: str, name: str, low: float, high: float, levels: int = 256) -> str:
    """FakeQuantize from one number to another."""
    bounds = [net.constant(f"{name}l", np.float32(low)), net.constant(f"{name}h", np.float32(high))]
    net.nodes.append(
        helper.make_node(
            "FakeQuantize", [x, *bounds, *bounds], [name], domain="openvino.opset1", levels=levels
        )
    )
    return name


def model_of(
    net: Network, y: str, shape: Sequence[int], result: Sequence[int], given: int = FLOAT, gives: int = FLOAT
) -> onnx.ModelProto:
    infos = [
        helper.make_tensor_value_info(n, e, list(s)) for n, e, s in (("x", given, shape), (y, gives, result))
    ]
    graph = helper.make_graph(net.nodes, "edges", infos[:1], infos[1:], net.constants)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("openvino.opset1", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def same(model: onnx.ModelProto, x: np.ndarray, tolerance: float = 1e-6) -> None:
    """In floats, with integers, and with integers at the edges."""
    (wanted,) = loomir.load(model).run({"x": x}, engine="graph").values()

    for made in (loomir.load(model, integers=True), loomir.load(model, io="int8")):
        (info,), (output,) = made.inputs, made.outputs
        assert isinstance(info, TensorInfo)
        assert isinstance(output, TensorInfo)
        given = (
            info.quantisation.integers(x, info.dtype) if info.dtype != x.dtype and info.quantisation else x
        )
        for engine in ("graph", "native"):
            (found,) = made.run({"x": given}, engine=engine).values()
            if output.quantisation is not None and wanted.dtype.kind == "f":
                found = output.quantisation.reals(found)
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=tolerance, err_msg=engine)


def test_a_sum_that_is_quantised_for_each_channel() -> None:
    net = Network(1)
    a, b = fake_quantize(net, "x", "a", 2.0**-6, 128), fake_quantize(net, "x", "b", 2.0**-5, 128)
    steps = np.reshape([2.0**-5, 2.0**-8], (1, 2, 1, 1))
    y = fake_quantize(net, net.node("Add", [a, b], "s"), "y", steps, 128)
    same(
        model_of(net, y, (1, 2, 2, 2), (1, 2, 2, 2)),
        np.linspace(-1, 1, 8, dtype=np.float32).reshape(1, 2, 2, 2),
    )


def test_limits_that_are_read_twice_are_looked_through_once() -> None:
    net = Network(1)
    value, zero = between(net, "x", "q", -1.28, 1.27), net.constant("zero", np.float32(0))
    for k in range(40):
        once = net.node("Max", [value, zero], f"a{k}")
        value = net.node("Max", [once, once], f"b{k}")
    x = np.linspace(-1, 1, 8, dtype=np.float32)
    same(model_of(net, between(net, value, "y", 0, 0.255), (8,), (8,)), x)


@pytest.mark.parametrize("operator", ["Add", "Mul", "limits"])
def test_tensors_without_elements(operator: str) -> None:
    net = Network(1)
    none = net.constant("none", np.zeros(0, np.float32))
    q = net.quantised("x", "q", 0.1, 3)
    if operator == "limits":
        y = fake_quantize(net, q, "y", np.zeros(0), 3)
    else:
        y = net.quantised(net.node(operator, [q, none], "o"), "y", 0.1, 3)
    same(model_of(net, y, (2, 0), (2, 0)), np.zeros((2, 0), np.float32))


def test_checks_know_parts_and_limits() -> None:
    net = Network(1)
    q = between(net, "x", "q", -1.28, 1.27)
    limits = [net.constant("least", np.float32(-0.6)), net.constant("most", np.float32(0.6))]
    narrow = between(net, net.node("Clip", [q, *limits], "c"), "narrow", -0.5, 0.4375, 16)
    net.nodes.append(helper.make_node("Split", [narrow], ["first", "second"], num_outputs=2))
    y = between(net, net.node("Concat", ["second", "second"], "two", axis=0), "y", -0.5, 0.4375, 16)
    loomir.load(model_of(net, y, (8,), (8,)), integers=True, check_each_pass=True)


def test_a_product_of_integers_is_no_scale() -> None:
    net = Network(1)
    x = net.node("Cast", ["x"], "xi", to=I32)
    w = net.constant("w", np.array([[1, 2], [3, 4], [5, 6], [7, -8]], np.int8))
    w = net.node("Mul", [net.node("Cast", [w], "wi", to=I32), net.constant("three", np.int32(3))], "w3")
    model = model_of(net, net.node("MatMul", [x, w], "y"), (2, 4), (2, 2), I8, I32)
    same(model, np.arange(8, dtype=np.int8).reshape(2, 4))


@pytest.mark.parametrize("number", [-np.inf, np.nan])
def test_pads_that_no_integer_stands_for(number: float) -> None:
    net = Network(1)
    pads, value = net.constant("pads", np.array([1, 1])), net.constant("value", np.float32(number))
    y = net.node("Pad", [net.quantised("x", "q", 0.1, 3), pads, value], "y")
    same(model_of(net, y, (4,), (6,)), np.ones(4, np.float32))


def test_a_softmax_in_double_precision() -> None:
    net = Network(1)
    x = net.node("Mul", [net.node("Cast", ["x"], "d", to=DOUBLE), net.constant("s", np.float64(0.1))], "m")
    model = model_of(net, net.node("Softmax", [x], "y", axis=0), (8,), (8,), I8, DOUBLE)
    same(model, np.arange(8, dtype=np.int8))


def test_ranges_far_from_zero() -> None:
    net = Network(1)
    y = between(net, "x", "y", 1e9, 1e9 + 64)
    same(model_of(net, y, (4,), (4,)), np.float32([1e9, 1e9 + 64, 0, 2e9]), tolerance=64)


def test_sums_far_beyond_the_range() -> None:
    """In steps of the result that 32 bits do not hold."""
    net = Network(1)
    weights = net.random.integers(-127, 128, (64, 4)).astype(np.int8)
    w = net.dequantised("w", weights, np.full(4, 1000, np.float32), 1)
    m = net.node("MatMul", [net.quantised("x", "q", 1.0, 0), w], "m")
    x = net.random.integers(-100, 100, (8, 64)).astype(np.float32)
    same(model_of(net, net.quantised(m, "y", 2.0**-10, 0), (8, 64), (8, 4)), x)


def test_levels_without_a_zero_stay_floats() -> None:
    """Each of the 4,096 numbers of a sum would be away from it by as much."""
    net = Network(1)
    x = between(net, "x", "q", 0, 2.55)
    net.constant("w", net.random.integers(-4, 5, (4096, 2)).astype(np.float32) / 100)
    low = -(127 + 1 / 70) / 100
    m = net.node("MatMul", [x, between(net, "w", "wq", low, low + 2.54, 255)], "m")
    model = model_of(net, between(net, m, "y", -12.8, 12.7), (1, 4096), (1, 2))
    assert "ov.mat_mul" in float_operations(in_integers(model))


def test_scales_that_single_precision_rounds_are_carried() -> None:
    """An If in a Loop: the scale of what it gives is that of what the loop begins with, whoever says it."""
    info = helper.make_tensor_value_info
    arms: list[onnx.GraphProto] = []
    for name in ("then", "else"):
        net = Network(1)
        y = between(
            net, net.node("Sigmoid" if name == "then" else "Tanh", ["v"], f"{name}r"), name, -1.28, 1.27
        )
        arms.append(helper.make_graph(net.nodes, name, [], [info(y, FLOAT, [4])], net.constants))
    branch = helper.make_node("If", ["go"], ["next"], then_branch=arms[0], else_branch=arms[1])
    still = helper.make_node("Identity", ["go"], ["still"])
    control = [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, [])]
    results = [info("still", TensorProto.BOOL, []), info("next", FLOAT, [4])]
    body = helper.make_graph([branch, still], "body", [*control, info("v", FLOAT, [4])], results)
    net = Network(1)
    q = between(net, "x", "q", -1.28, 1.27)
    net.nodes.append(helper.make_node("Loop", ["trips", "", q], ["y"], body=body))
    net.constants.append(numpy_helper.from_array(np.array(3), "trips"))
    model = model_of(net, "y", (4,), (4,))
    same(model, np.linspace(-1, 1, 4, dtype=np.float32))
    (loop,) = (op for op in walk(in_integers(model).module) if isinstance(op, LoopOp))
    assert str(loop.final[0].type) == "tensor<4xui8>"


@pytest.mark.parametrize("rounding", ["exact", "tflite"])
@pytest.mark.parametrize(
    ("scale", "bias", "weights"),
    [(1e-10, 6.0, [[3], [5]]), (500.0, 12.4, [[0], [0]]), (1e-30, 6.0, [[3], [5]])],
)
def test_what_a_bias_alone_saturates(
    rounding: Rounding, scale: float, bias: float, weights: list[list[int]]
) -> None:
    """All values are behind the upper limit, where none is between both; a scale so small that 32 bits hold no steps of the bias."""
    net = Network(1)
    x = net.quantised("x", "x0", 0.05, 3)
    kernel = net.dequantised("w", np.array(weights, np.int8), np.full(1, scale, np.float32), 1)
    total = net.node(
        "Add", [net.node("MatMul", [x, kernel], "m"), net.constant("b", np.array([bias], np.float32))], "t"
    )
    y = net.quantised(net.node("Relu", [total], "r"), "y", 0.02, -128)
    model = net.model((3, 2), y, (3, 1))
    feed = {"x": np.array([[0.1, 0], [0, 0.1], [0.1, 0.2]], np.float32)}
    (wanted,) = loomir.load(model).run(feed, engine="graph").values()
    assert wanted.min() == np.float32(255 * np.float32(0.02))
    for engine in ("graph", "native"):
        (found,) = loomir.load(model, integers=True, rounding=rounding).run(feed, engine=engine).values()
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("rounding", ["exact", "tflite"])
@pytest.mark.parametrize("operator", ["MaxPool", "GlobalAveragePool", "Neg"])
def test_a_bias_that_no_steps_hold_does_not_vanish(rounding: Rounding, operator: str) -> None:
    net = Network(2)
    x = net.quantised("x", "x0", 0.05, 3)
    kernel = net.dequantised("w", np.ones((1, 2, 3, 3), np.int8), np.array([1e-25], np.float32), 0)
    total = net.node("Conv", [x, kernel, net.constant("b", np.array([0.7], np.float32))], "t", pads=[1] * 4)
    settings = {"kernel_shape": [2, 2], "strides": [2, 2]} if operator == "MaxPool" else {}
    y = net.quantised(net.node(operator, [total], "o", **settings), "y", 0.05, 5)
    shape = {"MaxPool": (1, 1, 2, 2), "GlobalAveragePool": (1, 1, 1, 1)}.get(operator, (1, 1, 4, 4))
    model = net.model((1, 2, 4, 4), y, shape)
    feed = {"x": np.zeros((1, 2, 4, 4), np.float32)}
    (found,) = loomir.load(model, integers=True, rounding=rounding).run(feed, engine="graph").values()
    np.testing.assert_allclose(found, -0.7 if operator == "Neg" else 0.7, atol=1e-6)


def test_results_that_only_their_limits_let_32_bits_hold_stay_floats() -> None:
    net = Network(3)
    x = net.quantised("x", "x0", 1.0, 0)
    kernel = net.dequantised("w", np.array([[3], [5]], np.int8), np.ones(1, np.float32), 1)
    total = net.node(
        "Add", [net.node("MatMul", [x, kernel], "m"), net.constant("b", np.array([3e9], np.float32))], "t"
    )
    ends = [net.constant("least", np.float32(0)), net.constant("most", np.float32(2147483520))]
    limited = net.node("Clip", [net.node("Round", [total], "n"), *ends], "l")
    whole = net.node("Cast", [limited], "i", to=onnx.TensorProto.INT32)
    model = net.model((1, 2), net.node("Cast", [whole], "y", to=onnx.TensorProto.FLOAT), (1, 1))
    for engine in ("graph", "native"):
        (found,) = (
            loomir.load(model, integers=True).run({"x": np.ones((1, 2), np.float32)}, engine=engine).values()
        )
        assert found.item() == 2147483520


def test_softmax_behind_an_offset_that_no_steps_hold() -> None:
    net = Network(4)
    x = net.quantised("x", "x0", 2.0**-33, 0)
    total = net.node("Add", [x, net.constant("b", np.array([1, 2, 3, 5], np.float32))], "t")
    model = net.model((1, 4), net.node("Softmax", [total], "y", axis=-1), (1, 4))
    feed = {"x": np.zeros((1, 4), np.float32)}
    (wanted,), (found,) = (
        loomir.load(model, integers=i).run(feed, engine="graph").values() for i in (False, True)
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
