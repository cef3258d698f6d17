"""Functions as arithmetic: how far from the true ones (on all values: `make ulp`), and the same in every engine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.model import Engine, Model
from loomir.dialects.numerics import error_function
from loomir.passes.analysis.machines import machine_of, runs_here
from tests.support import assert_agree
from tests.ulp import FUNCTIONS, MACHINES, furthest

OPERATORS = tuple(f.operator for f in FUNCTIONS)
EXACT: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Exp": np.exp,
    "Log": np.log,
    "Tanh": np.tanh,
    "Erf": error_function,
}
HERE = tuple(name for name in MACHINES if runs_here(machine_of(name)))


def model(operator: str, extent: int, element: str = "float", machine: str = "generic") -> Model:
    text = f'<ir_version: 8, opset_import: ["" : 17]> g ({element}[{extent}] x) => ({element}[{extent}] y) {{ y = {operator}(x) }}'
    return loomir.load(onnx.parser.parse_model(text), machine=machine)


def every(step: int) -> np.ndarray:
    """Each `step`-th of all f32 that are numbers."""
    bits = np.arange(0, 1 << 32, step, dtype=np.uint64).astype(np.uint32)
    x = bits.view(np.float32)
    return x[~np.isnan(x)]


def assert_within(bound: float, operator: str, x: np.ndarray, y: np.ndarray) -> None:
    """Units in the last place of the exact result, infinities and NaN where it has them."""
    with np.errstate(all="ignore"):
        exact = np.asarray(EXACT[operator](x.astype(np.float64)))
        rounded = exact.astype(np.float32)
        unit = np.spacing(np.abs(rounded)).astype(np.float64)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(y[~finite], rounded[~finite])
    assert (np.abs(y[finite].astype(np.float64) - exact[finite]) <= bound * unit[finite]).all()


@pytest.mark.parametrize("function", FUNCTIONS, ids=OPERATORS)
def test_sample_of_make_ulp(function) -> None:
    for name, bound in zip(MACHINES, function.bounds, strict=True):
        if name in HERE:
            assert furthest(function, machine_of(name), 997)[0] <= bound


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", FUNCTIONS, ids=OPERATORS)
@pytest.mark.parametrize(("engine", "step"), [("native", 49999), ("loops", 999983)])
def test_values_from_everywhere(function, machine: str, engine: Engine, step: int) -> None:
    if engine == "native" and machine not in HERE:
        pytest.skip(f"this processor is no {machine}")
    x = every(step)
    y = model(function.operator, x.size, machine=machine).run({"x": x}, engine=engine)["y"]
    assert_within(function.bounds[MACHINES.index(machine)], function.operator, x, y)


@pytest.mark.parametrize(("engine", "step"), [("native", 997), ("loops", 999983)])
def test_tangent_of_scalars(engine: Engine, step: int) -> None:
    x = every(step)
    y = model("Tanh", x.size).run({"x": x}, engine=engine)["y"]
    assert_within(6.1, "Tanh", x, y)
    assert (np.abs(y) <= 1).all()


TINY = [1e-45, -1e-45, 1e-38]
SPECIAL = {
    "Exp": (
        [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 88.72283, 88.73, 3.4e38, -103.9, -104.0, -3.4e38],
        [1, 1, np.inf, 0, np.nan, np.nan, 3.4027985e38, np.inf, np.inf, 1e-45, 0, 0],
    ),
    "Log": (
        [1.0, 0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, -1.0, -1e-45, 1e-45, 1.1754944e-38, 3.4028235e38],
        [0, -np.inf, -np.inf, np.inf, *([np.nan] * 5), -103.27893, -87.33655, 88.72284],
    ),
    "Tanh": ([0.0, -0.0, np.inf, -np.inf, np.nan, *TINY, 3.4e38], [0, -0.0, 1, -1, np.nan, *TINY, 1]),
    "Erf": (
        [0.0, -0.0, np.inf, -np.inf, np.nan, *TINY, 3.4e38, 3.95, -4.0],
        [0, -0.0, 1, -1, np.nan, *(np.float32(1.1283792) * np.array(TINY, np.float32)), 1, 1, -1],
    ),
}


@pytest.mark.parametrize("machine", ["generic", *MACHINES])
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("engine", ["native", "loops", "interpreter"])
def test_special_values(engine: Engine, operator: str, machine: str) -> None:
    if engine == "native" and machine not in ("generic", *HERE):
        pytest.skip(f"this processor is no {machine}")
    x, wanted = (np.array(column, np.float32) for column in SPECIAL[operator])
    y = model(operator, x.size, machine=machine).run({"x": x}, engine=engine)["y"]
    np.testing.assert_allclose(y, wanted, rtol=2.0**-22, atol=0)
    np.testing.assert_array_equal(np.signbit(y[:2]), np.signbit(wanted[:2]))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("operator", OPERATORS)
def test_engines_give_the_same_bits(operator: str, machine: str) -> None:
    """Vectors of several lengths and a scalar: 29 are whole vectors, half ones and what is left."""
    x = np.random.default_rng(3).normal(size=29).astype(np.float32) * 3
    x[:6] = [np.inf, -np.inf, np.nan, 1e-40, -100, 0]
    compiled = model(operator, x.size, machine=machine)
    wanted = compiled.run({"x": x}, engine="interpreter")["y"]
    np.testing.assert_array_equal(compiled.run({"x": x}, engine="loops")["y"], wanted)
    if machine in HERE:
        np.testing.assert_array_equal(compiled.run({"x": x}, engine="native")["y"], wanted)


@pytest.mark.parametrize(
    ("machine", "called"),
    [("generic", {"Exp", "Log", "Erf"}), ("cortex-m4", {"Exp", "Log", "Erf"}), ("x86-64", set())],
)
@pytest.mark.parametrize("function", FUNCTIONS, ids=OPERATORS)
def test_which_calls_are_left(function, machine: str, called: set[str], tmp_path) -> None:
    model(function.operator, 5, machine=machine).emit_c(tmp_path, "single")
    source = (tmp_path / "single.c").read_text()
    assert (f"{function.name}f(" in source) == (function.operator in called)


def test_double_precision_stays_exact(tmp_path) -> None:
    double = model("Tanh", 5, "double", "x86-64")
    double.emit_c(tmp_path, "double")
    assert "tanh(" in (tmp_path / "double.c").read_text()
    x = np.array([-20, -1, 1e-9, 0.5, 3.0])
    np.testing.assert_allclose(double.run({"x": x})["y"], np.tanh(x), rtol=1e-15)


@pytest.mark.parametrize("element", ["float16", "bfloat16"])
def test_sixteen_bits(element: str) -> None:
    narrow = model("Tanh", 201, element)
    x = np.linspace(-10, 10, 201).astype(narrow.inputs[0].dtype)
    assert_agree(narrow.run({"x": x}, engine="native")["y"], narrow.run({"x": x}, engine="graph")["y"])
