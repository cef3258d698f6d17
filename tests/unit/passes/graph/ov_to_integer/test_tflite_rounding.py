"""`rounding=tflite`: the integers of TensorFlow Lite's kernels, of sums of 32 bits and of networks, in the graph engine and in C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper
from xdsl.rewriter import InsertPoint

import loomir
from loomir.compiler.levels import Level
from loomir.compiler.model import Model
from loomir.compiler.option_names import ROUNDINGS, Engine
from loomir.dialects.diagnostics import Remark, listening
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.elementwise_unary import AbsOp
from loomir.passes.graph.ov_to_integer.tflite_rounding import Multiplier, times
from loomir.tools.loomir_main import main
from tests.operators import one_operation
from tests.support import raises_error
from tests.unit.passes.graph.ov_to_integer import tflite_kernels as kernels
from tests.unit.passes.graph.ov_to_integer.networks import (
    AFTER,
    Network,
    convolve,
    fake_quantize,
    float_operations,
    in_integers,
)

TFLITE = f"ov-infer,ov-to-integer{{rounding=tflite}},{AFTER}"
RATIOS = [
    *(2.0**-k for k in (0, 1, 2, 7, 20, 31, 32, 33, 40)),
    *(0.75, 0.3, 1 - 2.0**-33, 1 - 2.0**-31, 0.00123, 1.7e-6, 3e-10, 1 / 3),
    *(1.5, 1 + 2.0**-31, 2.0, 3.3, 63.9, 512.0),
]
"""Powers of two, where half of the numbers are halves; what is rounded to the next power of two; next to nothing; more than 1."""


def as_tflite(model: onnx.ModelProto) -> Model:
    return loomir.load(model, optimize=False).optimize(TFLITE)


def each_of(function: Callable[..., int], *arrays: np.ndarray) -> np.ndarray:
    """A function of Python's integers, element by element."""
    return np.vectorize(lambda *numbers: function(*map(int, numbers)), otypes=[np.int64])(*arrays)


def accumulators(ratio: float, count: int = 200) -> np.ndarray:
    """Numbers of 32 bits that are still so after the shift to the left: small ones, the largest, halves and what is next to them."""
    left = max(Multiplier.of(ratio).left, 0)
    most, random = (1 << 31 >> left) - 1, np.random.default_rng(0)
    bits = random.integers(1, 32, count)
    some = random.integers(-(1 << 31), 1 << 31, count) >> bits
    halves = np.array([round((k + 0.5) / ratio) + d for k in range(-12, 12) for d in (-1, 0, 1)])
    found = [np.arange(-300, 301), [most, -most, most - 1, 1 - most], some, halves]
    return np.clip(np.concatenate(found), -most, most).astype(np.int64)


@pytest.mark.parametrize("ratio", RATIOS)
def test_a_multiplier(ratio: float) -> None:
    by = Multiplier.of(ratio)
    integer, shift = kernels.quantize_multiplier(ratio)
    assert (by.q, by.shift) == (integer, shift)
    for a in accumulators(ratio):
        assert by.fits(abs(int(a)))
        assert by.times(int(a)) == kernels.multiply(int(a), integer, shift)


@settings(max_examples=300, deadline=None)
@given(st.floats(2.0**-40, 2.0**20), st.integers(-(1 << 31) + 1, (1 << 31) - 1))
def test_any_multiplier(ratio: float, a: int) -> None:
    by = Multiplier.of(ratio)
    a >>= by.left
    assert by.times(a) == kernels.multiply(a, *kernels.quantize_multiplier(ratio))


def run_times(x: np.ndarray, ratios: Sequence[float], engine: Engine) -> np.ndarray:
    """Return the operations' results for `x: [numbers, ratios]`.

    A single ratio applies to all.
    """
    module, op = one_operation(AbsOp, [x.astype(np.int32)], {})
    build = GraphBuilder(InsertPoint.before(op), op.location)
    found = [Multiplier.of(ratio) for ratio in ratios]
    shape = (1,) if len(found) == 1 else (1, len(found))
    value = times(build, op.operands[0], found, shape, int(np.abs(x).max()))
    op.results[0].replace_all_uses_with(value)
    (result,) = Model(module).run({"x0": x.astype(np.int32)}, engine=engine).values()
    return result


@pytest.mark.parametrize("engine", ["graph", "structured", "native"])
def test_the_operations_for_each_channel(engine: Engine) -> None:
    """Shifts of all kinds beside each other, none among them."""
    x = np.stack([accumulators(ratio) for ratio in RATIOS], 1)
    multipliers = [kernels.quantize_multiplier(ratio) for ratio in RATIOS]
    wanted = np.stack(
        [each_of(lambda a, by=by: kernels.multiply(a, *by), x[:, k]) for k, by in enumerate(multipliers)], 1
    )
    assert np.array_equal(run_times(x, RATIOS, engine), wanted)


@pytest.mark.parametrize("ratio", [2.0**-3, 0.3, 1 - 2.0**-33, 0.00123, 3e-10, 3.3, 2.0**-31])
def test_the_operations_for_all(ratio: float) -> None:
    """Small numbers are shifted in 32 bits, the largest in 64."""
    for x in (accumulators(ratio), np.arange(-40_000, 40_000, 7) // (1 << Multiplier.of(ratio).left)):
        wanted = each_of(lambda a: kernels.multiply(a, *kernels.quantize_multiplier(ratio)), x)
        for engine in ("graph", "native"):
            assert np.array_equal(run_times(x[:, None], [ratio], engine)[:, 0], wanted)


# -- networks


def grid(net: Network, name: str, scale: float, zero: int) -> list[str]:
    return [net.constant(f"{name}_s", np.float32(scale)), net.constant(f"{name}_z", np.int8(zero))]


def model_of(
    net: Network, y: str, scale: float, zero: int, shapes: dict[str, Sequence[int]], result: Sequence[int]
) -> onnx.ModelProto:
    """Return a model that quantises `y`, computed from integers, to integers."""
    net.node("QuantizeLinear", [y, *grid(net, "out", scale, zero)], "out")
    infos = [helper.make_tensor_value_info(name, TensorProto.INT8, list(s)) for name, s in shapes.items()]
    last = helper.make_tensor_value_info("out", TensorProto.INT8, list(result))
    graph = helper.make_graph(net.nodes, "tflite", infos, [last], net.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def dequantised(net: Network, name: str, scale: float, zero: int) -> str:
    return net.node("DequantizeLinear", [name, *grid(net, name, scale, zero)], f"{name}_r")


def check(model: onnx.ModelProto, feed: dict[str, np.ndarray], wanted: np.ndarray) -> np.ndarray:
    """All engines give what is wanted, without floats; what `exact` gives, which is no further than one away."""
    made, exact = as_tflite(model), in_integers(model)
    assert float_operations(made) == []
    for engine in ("graph", "native"):
        (found,) = made.run(feed, engine=engine).values()
        assert np.array_equal(found, wanted), engine
    (other,) = exact.run(feed, engine="graph").values()
    assert np.abs(other.astype(int) - wanted).max() <= 1
    assert len(np.unique(wanted)) > 2
    return other


@pytest.mark.parametrize("y_scale", [0.7, 1.0, 0.11, 1 / 3])
def test_products_for_each_channel(y_scale: float) -> None:
    """Ratios from 2^-34 to above 1, biases that lead from the least to the greatest result; all 256 integers."""
    net, channels = Network(0), 90
    exponents = np.arange(channels) % 30 - 28
    scales = (2.0**exponents).astype(np.float32)
    x, wanted_scale = np.arange(-128, 128).reshape(256, 1), float(np.float32(y_scale))
    ratios = [float(s) * 2.0**-4 / wanted_scale for s in scales]
    array = net.random.integers(-127, 128, (1, channels)).astype(np.int8)
    # (Of 24 bits, so that floats say them exactly.)
    bias = net.random.integers(-160, 160, channels) / np.array(ratios)
    unit = 2.0 ** np.maximum(np.ceil(np.log2(np.abs(bias) + 1)) - 23, 0)
    bias = (np.rint(bias / unit) * unit).clip(-(2**31 - 2**17), 2**31 - 2**17).astype(np.int32)
    w = net.dequantised("w", array, scales, 1)
    b = net.dequantised("b", bias, (scales * np.float32(2.0**-4)).astype(np.float32), 0)
    y = net.node("Add", [net.node("MatMul", [dequantised(net, "x", 2.0**-4, 7), w], "m"), b], "y")
    model = model_of(net, y, y_scale, -5, {"x": (256, 1)}, (256, channels))
    total = (x - 7) * array.astype(np.int64) + bias
    wanted = np.stack(
        [each_of(lambda a, r=r: kernels.requantised(a, r, -5), total[:, k]) for k, r in enumerate(ratios)], 1
    )
    exact = check(model, {"x": x.astype(np.int8)}, wanted)
    assert (exact != wanted).any()


@pytest.mark.parametrize("limit", ["none", "relu"])
def test_convolutions(limit: str) -> None:
    net = Network(3)
    kernel, array, scales = net.weights("w", (8, 3, 3, 3))
    b, bias = net.bias("b", scales * np.float32(0.05))
    y = net.node("Conv", [dequantised(net, "x", 0.05, -3), kernel, b], "c", pads=[1, 1, 1, 1])
    zero = 3
    if limit == "relu":
        y, zero = net.node("Relu", [y], "r"), -128
    shape = (4, 3, 8, 8)
    model = model_of(net, y, 0.07, zero, {"x": shape}, (4, 8, 8, 8))
    x = net.random.integers(-128, 128, shape).astype(np.int8)
    total = convolve(x.astype(np.int64) + 3, array, 1) + bias.reshape(1, -1, 1, 1)
    ratios = [float(np.float32(0.05)) * float(s) / float(np.float32(0.07)) for s in scales]
    wanted = np.stack(
        [each_of(lambda a, r=r: kernels.requantised(a, r, zero), total[:, k]) for k, r in enumerate(ratios)],
        1,
    )
    check(model, {"x": x}, wanted)


def test_products_for_all_multiply_scales_in_single_precision() -> None:
    """Scales multiply in single precision, as in TensorFlow Lite's FullyConnected.

    Both kinds of products of scales yield other multipliers here.
    """
    net = Network(5)
    array = net.random.integers(-127, 128, (16, 40)).astype(np.int8)
    scales = [np.float32(each) for each in (0.0417, 0.00831, 0.0213)]
    net.constant("w_q", array)
    w = net.node("DequantizeLinear", ["w_q", net.constant("w_s", scales[1])], "w")
    y = net.node("MatMul", [dequantised(net, "x", float(scales[0]), 11), w], "m")
    model = model_of(net, y, float(scales[2]), 2, {"x": (50, 16)}, (50, 40))
    x = net.random.integers(-128, 128, (50, 16)).astype(np.int8)
    ratio = float(scales[0] * scales[1]) / float(scales[2])
    double = float(scales[0]) * float(scales[1]) / float(scales[2])
    assert kernels.quantize_multiplier(ratio) != kernels.quantize_multiplier(double)
    total = (x.astype(np.int64) - 11) @ array.astype(np.int64)
    wanted = each_of(lambda a: kernels.requantised(a, ratio, 2), total)
    check(model, {"x": x}, wanted)
    assert f"dense<{kernels.quantize_multiplier(ratio)[0]}> : tensor<i64>" in as_tflite(model).mlir()


SUMS = [
    (0.05, 0.05, 0.1),
    (0.05, 0.031, 0.06),
    (0.5, 0.25, 0.5),
    (1.0, 1 / 3, 2.0),
    (0.001, 0.9, 0.8),
    (0.3, 0.7, 0.011),
]


@pytest.mark.parametrize("scales", SUMS)
@pytest.mark.parametrize("limit", ["none", "relu"])
def test_sums_of_two(scales: tuple[float, float, float], limit: str) -> None:
    """All 65,536 pairs."""
    net, zero = Network(0), -128 if limit == "relu" else 4
    y = net.node("Add", [dequantised(net, "x", scales[0], -3), dequantised(net, "z", scales[1], 21)], "s")
    y = net.node("Relu", [y], "r") if limit == "relu" else y
    model = model_of(net, y, scales[2], zero, {"x": (256, 1), "z": (1, 256)}, (256, 256))
    x, z = np.arange(-128, 128).reshape(256, 1), np.arange(-128, 128).reshape(1, 256)
    one, other, result = (float(np.float32(scale)) for scale in scales)
    wanted = each_of(
        lambda a, b: kernels.limited(kernels.added(a, b, (one, other, result), zero)),
        *np.broadcast_arrays(x + 3, z - 21),
    )
    check(model, {"x": x.astype(np.int8), "z": z.astype(np.int8)}, wanted)


def halves() -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """A sum whose results are halves."""
    net = Network(0)
    y = net.node("Add", [dequantised(net, "x", 0.5, 0), dequantised(net, "z", 0.5, 0)], "s")
    model = model_of(net, y, 1.0, 0, {"x": (4,), "z": (4,)}, (4,))
    return model, {"x": np.array([1, -1, 3, 5], np.int8), "z": np.zeros(4, np.int8)}


def test_one_sum_where_both_roundings_differ() -> None:
    """(1 + 0) · 0.5 = 0.5: exact arithmetic takes the even number, TensorFlow Lite the one that is further from 0."""
    model, feed = halves()
    found = {
        each: loomir.load(model, integers=True, rounding=each).run(feed)["out"].tolist() for each in ROUNDINGS
    }
    assert found == {"exact": [0, 0, 2, 2], "tflite": [1, -1, 2, 3]}


def test_sums_of_16_bits() -> None:
    """Steps of 2^-15; halves among them."""
    x, z = (np.random.default_rng(k).integers(-(1 << 15), 1 << 15, 5000).astype(np.int16) for k in (0, 1))
    for scales in ((0.25, 0.25, 0.5), (0.0031, 0.0007, 0.0044)):
        net = Network(0)
        given = [
            net.node("DequantizeLinear", [n, net.constant(f"{n}_s", np.float32(s))], f"{n}_r")
            for n, s in zip("xz", scales[:2], strict=True)
        ]
        y = net.node("Add", given, "s")
        types = [net.constant("out_s", np.float32(scales[2])), net.constant("out_z", np.int16(0))]
        net.node("QuantizeLinear", [y, *types], "out")
        infos = [helper.make_tensor_value_info(n, TensorProto.INT16, [5000]) for n in ("x", "z", "out")]
        graph = helper.make_graph(net.nodes, "tflite", infos[:2], infos[2:], net.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        one, other, result = (float(np.float32(scale)) for scale in scales)
        wanted = each_of(
            lambda a, b, s=(one, other, result): kernels.limited(
                kernels.added(a, b, s, 0, 15), -(1 << 15), (1 << 15) - 1
            ),
            x,
            z,
        )
        made = as_tflite(model)
        assert float_operations(made) == []
        for engine in ("graph", "native"):
            assert np.array_equal(made.run({"x": x, "z": z}, engine=engine)["out"], wanted)


def test_other_steps() -> None:
    net = Network(0)
    y = dequantised(net, "x", 0.05, -3)
    model = model_of(net, y, 0.02, 9, {"x": (256,)}, (256,))
    x = np.arange(-128, 128)
    ratio = float(np.float32(0.05)) / float(np.float32(0.02))
    check(model, {"x": x.astype(np.int8)}, each_of(lambda a: kernels.requantised(a, ratio, 9), x + 3))


def test_products_of_two() -> None:
    net = Network(0)
    y = net.node("Mul", [dequantised(net, "x", 0.05, -3), dequantised(net, "z", 0.03, 21)], "p")
    model = model_of(net, y, 0.1, 4, {"x": (256, 1), "z": (1, 256)}, (256, 256))
    x, z = np.arange(-128, 128).reshape(256, 1), np.arange(-128, 128).reshape(1, 256)
    a, b, c = (float(np.float32(scale)) for scale in (0.05, 0.03, 0.1))
    wanted = each_of(lambda total: kernels.requantised(total, a * b / c, 4), (x + 3) * (z - 21))
    check(model, {"x": x.astype(np.int8), "z": z.astype(np.int8)}, wanted)


@pytest.mark.parametrize(
    ("extent", "scales"), [(7, (0.05, 0.05)), (8, (0.05, 0.021)), (12, (0.01, 0.3)), (1, (2.0, 0.5))]
)
def test_averages(extent: int, scales: tuple[float, float]) -> None:
    net, shape = Network(2), (40, 5, extent, extent)
    y = net.node("GlobalAveragePool", [dequantised(net, "x", scales[0], -3)], "g")
    model = model_of(net, y, scales[1], 4, {"x": shape}, (40, 5, 1, 1))
    x = net.random.integers(-128, 128, shape).astype(np.int8) // 4 + net.random.integers(
        -90, 90, (40, 5, 1, 1)
    )
    x = x.clip(-128, 127).astype(np.int8)
    total = (x.astype(np.int64) + 3).sum((2, 3), keepdims=True)
    ratio = float(np.float32(scales[0])) / float(np.float32(scales[1]))
    wanted = each_of(lambda a: kernels.mean(a, extent * extent, ratio, 4), total)
    check(model, {"x": x}, wanted)


def test_steps_of_fake_quantize_are_of_single_precision() -> None:
    """Steps are those of the file that TensorFlow Lite would read.

    Bounds in single precision yield steps that are not.
    """
    net = Network(4)
    x = fake_quantize(net, "x", "xq", 0.0437, 120)
    kernel, array, scales = net.weights("w", (6, 3, 1, 1))
    y = fake_quantize(net, net.node("Conv", [x, kernel], "c"), "y", 0.0771, 131)
    model = net.model((1, 3, 16, 16), y, (1, 6, 16, 16), check=False)
    model.opset_import.append(helper.make_opsetid("openvino.opset1", 1))
    made = as_tflite(model)
    feed = net.random.normal(0, 3, (1, 3, 16, 16)).astype(np.float32)
    bounds = [np.float32(0.0437) * np.float32(end) for end in (-120, 135)]
    level = np.rint((feed - bounds[0]) / (bounds[1] - bounds[0]) * np.float32(255)).clip(0, 255)
    total = convolve(level.astype(np.int64) - 120, array, 0)
    steps = [np.float32((float(np.float32(s) * np.float32(h)) - float(np.float32(s) * np.float32(low))) / 255)
             for s, low, h in ((0.0437, -120, 135), (0.0771, -131, 124))]  # fmt: skip
    ratios = [float(steps[0]) * float(s) / float(steps[1]) for s in scales]
    wanted = np.stack(
        [
            each_of(
                lambda a, r=r: kernels.limited(
                    kernels.multiply(a, *kernels.quantize_multiplier(r)), -131, 124
                ),
                total[:, k],
            )
            for k, r in enumerate(ratios)
        ],
        1,
    )
    for engine in ("graph", "native"):
        found = made.run({"x": feed}, engine=engine)["y"]
        assert np.array_equal(np.rint(found / steps[1]).astype(int), wanted)


def test_what_has_no_such_kernel_is_exact() -> None:
    """Averages over windows: as without the option."""
    net = Network(2)
    y = net.node("AveragePool", [dequantised(net, "x", 0.05, -3)], "p", kernel_shape=[2, 2])
    model = model_of(net, y, 0.05, -3, {"x": (1, 2, 9, 9)}, (1, 2, 8, 8))
    feed = {"x": net.random.integers(-128, 128, (1, 2, 9, 9)).astype(np.int8)}
    remarks: list[Remark] = []
    with listening(remarks.append):
        made = as_tflite(model)
    assert ["values proved" in r.text for r in remarks if r.pass_name == "ov-to-integer"] == [True]
    assert np.array_equal(made.run(feed)["out"], in_integers(model).run(feed)["out"])


def test_tables_begin_with_what_is_rounded() -> None:
    """The square of a tensor in other steps: of the integers that it is rounded to, which are an output as well."""
    net = Network(0)
    y = dequantised(net, "x", 0.5, 0)
    net.node("QuantizeLinear", [y, *grid(net, "q", 1.0, 0)], "q")
    a = net.node("DequantizeLinear", ["q", "q_s", "q_z"], "a")
    model = model_of(net, net.node("Mul", [a, a], "p"), 1.0, 0, {"x": (21,)}, (21,))
    model.graph.output.append(helper.make_tensor_value_info("q", TensorProto.INT8, [21]))
    made = as_tflite(model)
    assert float_operations(made) == []
    for engine in ("graph", "native"):
        found = made.run({"x": np.arange(-10, 11).astype(np.int8)}, engine=engine)
        # (Without a shift halves go up.)
        assert found["q"].tolist() == [(k + 1) // 2 for k in range(-10, 11)]
        assert np.array_equal(found["out"], found["q"] ** 2)


def test_what_is_told_claims_nothing() -> None:
    net = Network(3)
    kernel, _, _ = net.weights("w", (8, 3, 1, 1))
    y = net.node("Conv", [dequantised(net, "x", 0.05, -3), kernel], "c")
    model = model_of(net, y, 0.07, 3, {"x": (1, 3, 4, 4)}, (1, 8, 4, 4))
    remarks: list[Remark] = []
    with listening(remarks.append):
        as_tflite(model)
    (told,) = [r for r in remarks if r.pass_name == "ov-to-integer"]
    assert told.text == "requantised as TensorFlow Lite does: 8 channels, not proved to be rounded exactly"
    assert told.numbers == {"channels": 8}


def test_a_wrong_word() -> None:
    with raises_error("bad-option", "rounding=down must be one of exact, tflite"):
        loomir.load(one_sum()).optimize("ov-to-integer{rounding=down}")
    with raises_error("bad-option", "rounding='down'"):
        loomir.load(one_sum(), rounding="down")  # pyright: ignore[reportArgumentType]


def one_sum() -> onnx.ModelProto:
    net = Network(0)
    y = net.node("Add", [dequantised(net, "x", 0.05, 0), dequantised(net, "z", 0.02, 0)], "s")
    return model_of(net, y, 0.06, 0, {"x": (9,), "z": (9,)}, (9,))


def test_rounding_means_integers() -> None:
    assert float_operations(loomir.load(one_sum(), rounding="tflite")) == []
    assert float_operations(loomir.load(one_sum()))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, feed = halves()
    onnx.save(model, tmp_path / "sum.onnx")
    inputs: list[str] = []
    for name, array in feed.items():
        np.save(tmp_path / f"{name}.npy", array)
        inputs += ["--input", f"{name}={tmp_path / name}.npy"]
    for option, wanted in (("--rounding=tflite", [1, -1, 2, 3]), ("--integers", [0, 0, 2, 2])):
        main(["run", str(tmp_path / "sum.onnx"), option, *inputs, "--output", str(tmp_path / "y.npz")])
        assert np.load(tmp_path / "y.npz")["out"].tolist() == wanted
    with pytest.raises(SystemExit):
        main(["run", str(tmp_path / "sum.onnx"), "--rounding", "down"])
    assert "invalid choice: 'down'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("level", "engine"), [("O0", "graph"), ("O2", "structured"), ("O2", "native"), ("Os", "native")]
)
def test_a_network(level: Level, engine: Engine) -> None:
    """A block of a residual network, from integers to integers: each result is what the kernels give one after the other."""
    net = Network(7)
    scales = {name: float(np.float32(scale)) for name, scale in
              (("x", 0.05), ("a", 0.04), ("b", 0.06), ("c", 0.07), ("d", 0.02), ("y", 0.09))}  # fmt: skip
    x = net.quantised("x", "x0", scales["x"], -3)
    k1, w1, s1 = net.weights("w1", (8, 3, 3, 3))
    b1, i1 = net.bias("b1", s1 * np.float32(scales["x"]))
    net.node("Relu", [net.node("Conv", [x, k1, b1], "c1", pads=[1, 1, 1, 1])], "r1")
    a = net.quantised("r1", "a", scales["a"], -128)
    k2, w2, s2 = net.weights("w2", (8, 1, 3, 3))
    b = net.quantised(net.node("Conv", [a, k2], "c2", group=8, pads=[1, 1, 1, 1]), "b", scales["b"], 5)
    net.node("Relu", [net.node("Add", [a, b], "s")], "r2")
    c = net.quantised("r2", "c", scales["c"], -128)
    d = net.quantised(net.node("GlobalAveragePool", [c], "g"), "d", scales["d"], -128)
    w3 = net.random.integers(-127, 128, (8, 10)).astype(np.int8)
    given = [net.constant("w3_q", w3), net.constant("w3_s", np.float32(0.005))]
    k3 = net.node("DequantizeLinear", given, "w3")
    y = net.quantised(net.node("MatMul", [net.node("Flatten", [d], "f"), k3], "m"), "y", scales["y"], 3)
    model = loomir.load(net.model((1, 3, 8, 8), y, (1, 10)), rounding="tflite", io="int8", level=level)

    def by_channel(total: np.ndarray, ratios: Sequence[float], zero: int) -> np.ndarray:
        each = [
            each_of(lambda t, r=r: kernels.requantised(t, r, zero), total[:, k]) for k, r in enumerate(ratios)
        ]
        return np.stack(each, 1)

    three, mean = (scales["a"], scales["b"], scales["c"]), scales["c"] / scales["d"]
    product = float(np.float32(scales["d"]) * np.float32(0.005)) / scales["y"]
    for _ in range(5):
        feed = net.random.integers(-128, 128, (1, 3, 8, 8)).astype(np.int8)
        total = convolve(feed.astype(np.int64) + 3, w1, 1) + i1.reshape(1, -1, 1, 1)
        at = by_channel(total, [scales["x"] * float(s) / scales["a"] for s in s1], -128)
        total = convolve(at + 128, w2, 1, 8)
        bt = by_channel(total, [scales["a"] * float(s) / scales["b"] for s in s2], 5)
        ct = each_of(lambda p, q: kernels.limited(kernels.added(p, q, three, -128)), at + 128, bt - 5)
        dt = each_of(lambda t: kernels.mean(t, 64, mean, -128), (ct + 128).sum((2, 3)))
        wanted = each_of(lambda t: kernels.requantised(t, product, 3), (dt + 128) @ w3.astype(np.int64))
        assert np.array_equal(model.run({"x": feed}, engine=engine)["y"], wanted)


def test_each_pass_is_checked() -> None:
    """The pass claims one step, of what it computes itself, given equal tensors before."""
    net = Network(3)
    kernel, _, scales = net.weights("w", (8, 8, 3, 3))
    b, _ = net.bias("b", scales * np.float32(0.05))
    x = net.quantised("x", "x0", 0.05, -3)
    y = net.quantised(net.node("Conv", [x, kernel, b], "c", pads=[1, 1, 1, 1]), "y0", 0.07, 3)
    y = net.quantised(net.node("Add", [x, y], "s"), "y1", 0.09, -4)
    y = net.quantised(net.node("GlobalAveragePool", [y], "g"), "y", 0.05, 1)
    model = net.model((1, 8, 6, 6), y, (1, 8, 1, 1))
    loomir.load(model, rounding="tflite", check_each_pass=True)
