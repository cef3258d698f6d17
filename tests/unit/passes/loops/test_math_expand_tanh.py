"""The hyperbolic tangent as arithmetic: how far from the true one."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.model import Engine, Model
from tests.support import assert_agree


def tanh(extent: int, element: str = "float") -> Model:
    text = f'<ir_version: 8, opset_import: ["" : 17]> g ({element}[{extent}] x) => ({element}[{extent}] y) {{ y = Tanh(x) }}'
    return loomir.load(onnx.parser.parse_model(text))


def every(step: int) -> np.ndarray:
    """Each `step`-th of all f32 that are numbers."""
    bits = np.arange(0, 1 << 32, step, dtype=np.uint64).astype(np.uint32)
    x = bits.view(np.float32)
    return x[~np.isnan(x)]


@pytest.mark.parametrize(("engine", "step"), [("native", 997), ("loops", 999983)])
def test_within_six_units_in_the_last_place(engine: Engine, step: int) -> None:
    x = every(step)
    y = tanh(x.size).run({"x": x}, engine=engine)["y"].astype(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        exact = np.tanh(x.astype(np.float64))
    unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    assert (np.abs(y - exact) <= 6 * unit).all()
    assert (np.abs(y) <= 1).all()


@pytest.mark.parametrize("engine", ["native", "loops"])
def test_special_values(engine: Engine) -> None:
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-38, 3.4e38], np.float32)
    y = tanh(x.size).run({"x": x}, engine=engine)["y"]
    np.testing.assert_array_equal(y, np.array([0, 0, 1, -1, np.nan, 1e-45, -1e-45, 1e-38, 1], np.float32))
    np.testing.assert_array_equal(np.signbit(y[:2]), [False, True])


def test_no_call_is_left_for_f32(tmp_path) -> None:
    tanh(4).emit_c(tmp_path, "single")
    assert "tanh(" not in (tmp_path / "single.c").read_text()
    assert "tanhf(" not in (tmp_path / "single.c").read_text()


def test_double_precision_stays_exact(tmp_path) -> None:
    model = tanh(5, "double")
    model.emit_c(tmp_path, "double")
    assert "tanh(" in (tmp_path / "double.c").read_text()
    x = np.array([-20, -1, 1e-9, 0.5, 3.0])
    np.testing.assert_allclose(model.run({"x": x})["y"], np.tanh(x), rtol=1e-15)


@pytest.mark.parametrize("element", ["float16", "bfloat16"])
def test_sixteen_bits(element: str) -> None:
    model = tanh(201, element)
    x = np.linspace(-10, 10, 201).astype(model.inputs[0].dtype)
    assert_agree(model.run({"x": x}, engine="native")["y"], model.run({"x": x}, engine="graph")["y"])
