"""Elementwise functions of quantised tensors are looked up: all values are what floats give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from onnx import TensorProto, helper

from loomir.dialects.diagnostics import Remark, listening
from tests.unit.passes.graph.ov_to_integer.networks import Network, float_operations, in_floats, in_integers

ALL = np.arange(-128, 128).astype(np.int8).reshape(2, 128)


def squared_tanh(net: Network, x: str) -> str:
    return net.node("Mul", [net.node("Tanh", [x], "t"), net.node("Tanh", [x], "u")], "f")


def leaky_and_more(net: Network, x: str) -> str:
    y = net.node("LeakyRelu", [x], "l", alpha=0.2)
    y = net.node("Add", [y, net.constant("c", np.float32(0.37))], "s")
    return net.node("Mul", [y, net.node("Sigmoid", [x], "g")], "f")


def hard_swish_of_a_reshaped_one(net: Network, x: str) -> str:
    shape = net.constant("shape", np.array([4, 64], np.int64))
    return net.node("HardSwish", [net.node("Reshape", [x, shape], "r")], "f")


FUNCTIONS: dict[str, Callable[[Network, str], str]] = {
    "Sigmoid": lambda net, x: net.node("Sigmoid", [x], "f"),
    "Tanh": lambda net, x: net.node("Tanh", [x], "f"),
    "Exp": lambda net, x: net.node("Exp", [x], "f"),
    "Erf": lambda net, x: net.node("Erf", [x], "f"),
    "Gelu": lambda net, x: net.node("Gelu", [x], "f"),
    "Elu": lambda net, x: net.node("Elu", [x], "f", alpha=0.7),
    "Reciprocal": lambda net, x: net.node("Reciprocal", [x], "f"),
    "HardSwish": lambda net, x: net.node("HardSwish", [x], "f"),
    "squared": squared_tanh,
    "several": leaky_and_more,
    "moved": hard_swish_of_a_reshaped_one,
}


@pytest.mark.parametrize("name", list(FUNCTIONS))
@pytest.mark.parametrize("zero", [-128, 5])
def test_every_value_is_that_of_floats(name: str, zero: int) -> None:
    net = Network(1)
    grid = [net.constant("scale", np.float32(0.04)), net.constant("zero", np.int8(-9))]
    real = FUNCTIONS[name](net, net.node("DequantizeLinear", ["x", *grid], "d"))
    out = [net.constant("ys", np.float32(0.031)), net.constant("yz", np.int8(zero))]
    net.node("QuantizeLinear", [real, *out], "y")
    shape = (4, 64) if name == "moved" else (2, 128)
    model = net.model((2, 128), "y", shape, TensorProto.INT8, opset=20)
    integers = in_integers(model)
    assert not float_operations(integers)
    wanted = in_floats(model).run({"x": ALL}, engine="graph")["y"]
    for engine in ("graph", "loops", "native"):
        assert np.array_equal(integers.run({"x": ALL}, engine=engine)["y"], wanted), engine


def test_what_fake_quantize_rounds() -> None:
    net = Network(1)
    grid = [net.constant("scale", np.float32(0.04)), net.constant("zero", np.int8(-9))]
    real = net.node("Mul", [*[net.node("DequantizeLinear", ["x", *grid], "d")] * 2], "s")
    bounds = [net.constant("low", np.float32(-1)), net.constant("high", np.float32(4.1))]
    net.nodes.append(
        helper.make_node(
            "FakeQuantize", [real, *bounds, *bounds], ["y"], domain="openvino.opset1", levels=256
        )
    )
    model = net.model((2, 128), "y", (2, 128), TensorProto.INT8, check=False)
    model.opset_import.append(helper.make_opsetid("openvino.opset1", 1))
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    integers = in_integers(model)
    assert "ov.gather" in str(integers.module)
    wanted = in_floats(model).run({"x": ALL}, engine="graph")["y"]
    for engine in ("graph", "native"):
        np.testing.assert_allclose(integers.run({"x": ALL}, engine=engine)["y"], wanted, atol=1e-6)


def test_a_function_that_nobody_quantises_is_named() -> None:
    net = Network(1)
    y = net.node("Sqrt", [net.node("Sigmoid", [net.quantised("x", "a", 0.05, 0)], "s")], "r")
    remarks: list[Remark] = []
    model = net.model((2, 5), y, (2, 5))
    with listening(remarks.append):
        integers = in_integers(model)
    assert [(r.kind, r.layer) for r in remarks if r.pass_name == "ov-to-integer"] == [("left", "s")]
    x = np.random.default_rng(0).normal(size=(2, 5)).astype(np.float32)
    found, wanted = (made.run({"x": x}, engine="graph")[y] for made in (integers, in_floats(model)))
    assert np.array_equal(found, wanted)


def test_functions_of_two_tensors_are_none() -> None:
    net = Network(1)
    a, b = net.quantised("x", "a", 0.05, 0), net.quantised("x", "b", 0.07, 3)
    product = net.node("Mul", [net.node("Tanh", [a], "t"), net.node("Tanh", [b], "u")], "p")
    model = net.model((2, 5), net.quantised(product, "y", 0.01, 0), (2, 5))
    assert float_operations(in_integers(model)).count("ov.tanh") == 2
