"""Programs that take and give integers (`io`): the same as with floats, in every engine; what users and the header are told of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.feeds import TensorInfo
from loomir.compiler.model import ENGINES
from loomir.dialects.interface import Quantisation
from loomir.tools.loomir_main import main
from tests.support import raises_error
from tests.unit.passes.graph.ov_to_integer.networks import Network


def network(*, extra: bool = False) -> onnx.ModelProto:
    """A convolution between QuantizeLinear and DequantizeLinear; with `extra` something reads the input as it is, too."""
    net = Network(5)
    x = net.quantised("x", "x0", 0.05, -3)
    kernel, _, scales = net.weights("w", (4, 2, 3, 3))
    bias, _ = net.bias("b", scales * np.float32(0.05))
    net.node("Relu", [net.node("Conv", [x, kernel, bias], "c")], "r")
    y = net.quantised("r", "y", 0.1, -128)
    if extra:
        y = net.node("Mul", [y, net.node("ReduceMax", ["x"], "most", keepdims=0)], "product")
    return net.model((1, 2, 6, 6), y, (1, 4, 4, 4))


def feeds(count: int = 4) -> list[np.ndarray]:
    random = np.random.default_rng(1)
    found = [random.normal(0, 3, (1, 2, 6, 6)).astype(np.float32) for _ in range(count)]
    # What lies beyond the last integer, and in the middle of two.
    found[0][0, 0, 0, :4] = [1e9, -1e9, 0.025, 0.075]
    return found


def tensor(info: object) -> TensorInfo:
    assert isinstance(info, TensorInfo)
    return info


@pytest.mark.parametrize("io", ["int8", "uint8"])
@pytest.mark.parametrize("engine", ENGINES)
def test_as_with_floats(engine: Any, io: Any) -> None:
    floats = loomir.load(network(), integers=True)
    model = loomir.load(network(), io=io)
    x, y = tensor(model.inputs[0]), tensor(model.outputs[0])
    assert x.dtype == y.dtype == np.dtype(io)
    moved = 0 if io == "int8" else 128
    assert x.quantisation == Quantisation(float(np.float32(0.05)), moved - 3)
    assert y.quantisation == Quantisation(float(np.float32(0.1)), moved - 128)
    for array in feeds():
        wanted = floats.run({"x": array}, engine="graph")["y"]
        (found,) = model.run({"x": x.quantisation.integers(array, x.dtype)}, engine=engine).values()
        assert found.dtype == y.dtype
        assert np.array_equal(y.quantisation.reals(found), wanted)


def test_the_header_says_what_they_stand_for(tmp_path: Path) -> None:
    code = loomir.load(network(), io="int8").emit_c(tmp_path, "net")
    for line in (
        "#define NET_X_SCALE 5.000000075e-02f",
        "#define NET_X_ZERO_POINT (-3)",
        "#define NET_Y_SCALE 1.000000015e-01f",
        "#define NET_Y_ZERO_POINT (-128)",
        "const int8_t *x /* [1,2,6,6], each stands for 0.0500000007 * (q + 3) */,",
    ):
        assert line in code.header
    assert not any(word in code.source for word in ("float", "rint"))


def test_what_is_read_as_it_is_stays_floats() -> None:
    model = loomir.load(network(extra=True), io="int8")
    assert [str(info) for info in (*model.inputs, *model.outputs)] == [
        "x: float32[1,2,6,6]",
        "product: float32[1,4,4,4]",
    ]


def test_floats_for_integers_are_refused_with_what_they_stand_for() -> None:
    model = loomir.load(network(), io="int8")
    with raises_error("input-dtype", "the model takes int8[1,2,6,6]", "0.0500000007 * (q + 3)"):
        model.run({"x": feeds(1)[0]})


def test_the_command_says_what_stays_floats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for extra in (False, True):
        file = tmp_path / "net.onnx"
        onnx.save(network(extra=extra), file)
        main(["compile", str(file), "--io", "int8", "-o", str(tmp_path), "--name", "net"])
        told = capsys.readouterr().err
        assert ("input x: float32[1,2,6,6] stays float: " in told) == extra


def test_each_pass_is_checked() -> None:
    loomir.load(network(), io="int8", check_each_pass=True)


def test_errors() -> None:
    with raises_error("bad-option", "io='int4'"):
        loomir.load(network(), io="int4")  # pyright: ignore[reportArgumentType]
    with raises_error("bad-option", "element=int4 must be one of int8, uint8"):
        loomir.load(network()).optimize("ov-quantize-io{element=int4}")


def test_numbers_that_no_integer_stands_for() -> None:
    to = Quantisation(0.5, 1)
    numbers = np.array([0.25, 0.75, -0.25, np.inf, -np.inf, np.nan, 1e30], np.float32)
    assert to.integers(numbers, np.int8).tolist() == [1, 3, 1, 127, -128, 1, 127]
    assert str(to) == "0.5 * (q - 1)"
    assert str(Quantisation(0.5, 0)) == "0.5 * q"
