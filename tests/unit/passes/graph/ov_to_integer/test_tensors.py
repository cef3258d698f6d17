"""Operations on quantised tensors, several of them or parts of them: in integers throughout, and what exact arithmetic gives.

All scales are powers of two, so that doubles compute exactly, and every second number that is rounded may be a half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from loomir.compiler.model import Model
from tests.unit.passes.graph.ov_to_integer.networks import Network, float_operations, in_floats, in_integers

Made = Callable[[Network, str, str], str]
Exact = Callable[[np.ndarray, np.ndarray], np.ndarray]
A_SCALE, A_ZERO, B_SCALE, B_ZERO, Y_SCALE, Y_ZERO = 0.25, -3, 0.5, 11, 0.5, -7


def real(integers: np.ndarray, scale: float, zero: int) -> np.ndarray:
    return (integers.astype(np.float64) - zero) * scale


def grids(net: Network) -> tuple[str, str]:
    """Both inputs, of integers, as floats."""
    found: list[str] = []
    for name, scale, zero in (("x", A_SCALE, A_ZERO), ("z", B_SCALE, B_ZERO)):
        given = [net.constant(f"{name}s", np.float32(scale)), net.constant(f"{name}0", np.int8(zero))]
        found.append(net.node("DequantizeLinear", [name, *given], f"{name}r"))
    return found[0], found[1]


def model_of(net: Network, y: str, shapes: Sequence[Sequence[int]], opset: int = 20) -> onnx.ModelProto:
    """The result as integers."""
    grid = [net.constant("ys", np.float32(Y_SCALE)), net.constant("y0", np.int8(Y_ZERO))]
    net.node("QuantizeLinear", [y, *grid], "y")
    int8 = TensorProto.INT8
    infos = [helper.make_tensor_value_info(name, int8, list(s)) for name, s in zip(("x", "z", "y"), shapes)]
    graph = helper.make_graph(net.nodes, "tensors", infos[:2], infos[2:], net.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    return model


def same_everywhere(
    model: onnx.ModelProto, exact: Exact, shapes: Sequence[Sequence[int]], *, floats: int = 0
) -> Model:
    """Without floats, and each integer the exact one."""
    integers, random = in_integers(model), np.random.default_rng(3)
    assert len(float_operations(integers)) == floats, float_operations(integers)
    for _ in range(3):
        x, z = (random.integers(-128, 128, shape).astype(np.int8) for shape in shapes[:2])
        result = exact(real(x, A_SCALE, A_ZERO), real(z, B_SCALE, B_ZERO))
        wanted = np.clip(np.rint(result / Y_SCALE) + Y_ZERO, -128, 127).astype(np.int8)
        assert len(np.unique(wanted)) > 5
        for made in (integers, in_floats(model)):
            for engine in ("graph", "loops", "native"):
                found = made.run({"x": x, "z": z}, engine=engine)["y"]
                assert np.array_equal(found, wanted), engine
    return integers


SQUARE = (2, 4, 6, 6)


def constant(net: Network, array: object) -> str:
    return net.constant(f"k{len(net.constants)}", array)


def smaller(net: Network, a: str) -> str:
    return net.node("Mul", [a, constant(net, np.float32(1 / 64))], "smaller")


def split(net: Network, a: str, b: str) -> str:
    """Two parts, both of which are used."""
    net.nodes.append(helper.make_node("Split", [a], ["first", "second"], axis=1, num_outputs=2))
    return net.node("Mul", ["first", "second"], "m")


def sliced(net: Network, a: str, b: str) -> str:
    ends = [constant(net, np.array(numbers, np.int64)) for numbers in ([1, 5], [4, -7], [1, 3], [2, -2])]
    return net.node("Slice", [a, *ends], "s")


def pooled(net: Network, a: str, b: str, **attributes: object) -> str:
    return net.node("AveragePool", [a], "p", kernel_shape=[2, 2], **attributes)


def windows(x: np.ndarray, stride: int) -> np.ndarray:
    view = np.lib.stride_tricks.sliding_window_view(x, (2, 2), (2, 3))
    return view[:, :, ::stride, ::stride].mean((4, 5))


CASES: dict[str, tuple[Made, Exact, tuple[Sequence[int], ...]]] = {
    "product": (
        lambda net, a, b: smaller(net, net.node("Mul", [a, b], "m")),
        lambda a, b: a * b / 64,
        (SQUARE, (2, 4, 1, 1), SQUARE),
    ),
    "matrices": (
        lambda net, a, b: smaller(
            net, net.node("MatMul", [a, net.node("Transpose", [b], "t", perm=[0, 2, 1])], "m")
        ),
        lambda a, b: a @ b.transpose(0, 2, 1) / 64,
        ((2, 3, 8), (2, 5, 8), (2, 3, 5)),
    ),
    "difference": (
        lambda net, a, b: net.node("Sub", [a, b], "d"),
        lambda a, b: a - b,
        (SQUARE, (2, 4, 1, 1), SQUARE),
    ),
    "a number less a tensor, and their product": (
        lambda net, a, b: smaller(
            net,
            net.node(
                "Mul",
                [net.node("Sub", [constant(net, np.float32(5.375)), a], "l"), net.node("Neg", [b], "n")],
                "m",
            ),
        ),
        lambda a, b: (a - 5.375) * b / 64,
        (SQUARE, SQUARE, SQUARE),
    ),
    "a number for each channel less a tensor, and their sum": (
        lambda net, a, b: net.node(
            "Add",
            [
                net.node(
                    "Sub", [constant(net, np.arange(-2, 2, dtype=np.float32).reshape(4, 1, 1) / 16), a], "l"
                ),
                b,
            ],
            "s",
        ),
        lambda a, b: np.arange(-2, 2).reshape(4, 1, 1) / 16 - a + b,
        (SQUARE, SQUARE, SQUARE),
    ),
    "split": (split, lambda a, b: a[:, :2] * a[:, 2:], (SQUARE, (1,), (2, 2, 6, 6))),
    "slice": (sliced, lambda a, b: a[:, 1:4:2, :, 5::-2], (SQUARE, (1,), (2, 2, 6, 3))),
    "gather": (
        lambda net, a, b: net.node("Gather", [a, constant(net, np.array([2, 0, -1]))], "g", axis=1),
        lambda a, b: a[:, [2, 0, 3]],
        (SQUARE, (1,), (2, 3, 6, 6)),
    ),
    "tile": (
        lambda net, a, b: net.node("Tile", [a, constant(net, np.array([1, 2]))], "t"),
        lambda a, b: np.tile(a, (1, 2)),
        ((3, 16), (1,), (3, 32)),
    ),
    "expand": (
        lambda net, a, b: net.node("Expand", [a, constant(net, np.array([4, 8]))], "t"),
        lambda a, b: np.broadcast_to(a, (4, 8)),
        ((1, 8), (1,), (4, 8)),
    ),
    "depth to space": (
        lambda net, a, b: net.node("DepthToSpace", [a], "d", blocksize=2),
        lambda a, b: a.reshape(2, 2, 2, 1, 6, 6).transpose(0, 3, 4, 1, 5, 2).reshape(2, 1, 12, 12),
        (SQUARE, (1,), (2, 1, 12, 12)),
    ),
    "greatest": (
        lambda net, a, b: net.node("ReduceMax", [a, constant(net, np.array([1]))], "m"),
        lambda a, b: a.max(1, keepdims=True),
        (SQUARE, (1,), (2, 1, 6, 6)),
    ),
    "sum": (
        lambda net, a, b: net.node("ReduceSum", [a, constant(net, np.array([1]))], "m"),
        lambda a, b: a.sum(1, keepdims=True),
        (SQUARE, (1,), (2, 1, 6, 6)),
    ),
    "averages": (
        lambda net, a, b: pooled(net, a, b, strides=[2, 2]),
        lambda a, b: windows(a, 2),
        (SQUARE, (1,), (2, 4, 3, 3)),
    ),
    "padded averages": (
        lambda net, a, b: pooled(net, a, b, pads=[1, 1, 1, 1], count_include_pad=1),
        lambda a, b: windows(np.pad(a, ((0, 0), (0, 0), (1, 1), (1, 1))), 1),
        (SQUARE, (1,), (2, 4, 7, 7)),
    ),
    "mean": (
        lambda net, a, b: net.node("ReduceMean", [a, constant(net, np.array([1, 2]))], "m", keepdims=0),
        lambda a, b: a.mean((1, 2)),
        ((2, 4, 4, 6), (1,), (2, 6)),
    ),
}


@pytest.mark.parametrize("name", list(CASES))
def test_each_integer_is_that_of_exact_arithmetic(name: str) -> None:
    made, exact, shapes = CASES[name]
    net = Network(1)
    same_everywhere(model_of(net, made(net, *grids(net)), shapes), exact, shapes)


def test_windows_of_different_counts_stay_floats() -> None:
    net = Network(1)
    a, b = grids(net)
    shapes = (SQUARE, (1,), (2, 4, 7, 7))
    model = model_of(net, pooled(net, a, b, pads=[1, 1, 1, 1]), shapes)
    assert "ov.avg_pool" in float_operations(in_integers(model))


def test_zeros_of_an_index_out_of_range_stay_zeros() -> None:
    """A Gather with indices out of range reads floats.

    It yields 0 there, which the integer 0 does not stand for.
    """
    text = """
    func.func @main(%x: tensor<8xi8> {loomir.name = "x"}, %i: tensor<4xi64> {loomir.name = "i"}) -> (tensor<4xf32> {loomir.name = "y"}) {
      %f = ov.convert %x {destination_type = f32} : (tensor<8xi8>) -> tensor<8xf32>
      %three = ov.constant dense<3.0> : tensor<f32> : tensor<f32>
      %d = ov.subtract %f, %three : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
      %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
      %y = ov.gather %d, %i, %axis : (tensor<8xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
      func.return %y : tensor<4xf32>
    }"""
    from loomir.compiler.formats.mlir.parser import parse_module

    model = Model(parse_module(text)).optimize("ov-to-integer")
    found = model.run({"x": np.arange(8, dtype=np.int8), "i": np.array([0, 7, 8, -9])}, engine="graph")
    assert found["y"].tolist() == [-3.0, 4.0, 0.0, 0.0]
