"""Activation functions, tests of floats and norms: what they are made of against formulas in double precision, in
GRAPH and as C, for every float type."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import loomir
from loomir.compiler.pipeline import run_passes
from loomir.dialects.element_types import element_of
from tests.support import assert_agree, raises_error

DTYPES = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
X = np.array([-30, -9.5, -3.25, -1.5, -0.75, -0.25, -0.0, 0, 0.125, 0.5, 1, 2.75, 6.5, 11, 40, 200])


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def soft_plus(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def elu(x: np.ndarray, alpha: float) -> np.ndarray:
    return np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x)


erf = np.vectorize(math.erf)
FORMULAS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "ov.elu %x {alpha = 0.5 : f64} : (T) -> T": lambda x: elu(x, 0.5),
    "ov.gelu %x : (T) -> T": lambda x: x / 2 * (1 + erf(x / math.sqrt(2))),
    'ov.gelu %x {approximation_mode = "tanh"} : (T) -> T': lambda x: (
        x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    ),
    "ov.h_sigmoid %x : (T) -> T": lambda x: np.clip(x + 3, 0, 6) / 6,
    "ov.h_swish %x : (T) -> T": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "ov.mish %x : (T) -> T": lambda x: x * np.tanh(soft_plus(x)),
    "ov.soft_plus %x : (T) -> T": soft_plus,
    "ov.soft_sign %x : (T) -> T": lambda x: x / (1 + np.abs(x)),
    "ov.hard_sigmoid %x, %a, %b : (T, tensor<E>, tensor<1xE>) -> T": lambda x: np.clip(0.75 * x + 0.25, 0, 1),
    "ov.selu %x, %a, %b : (T, tensor<E>, tensor<1xE>) -> T": lambda x: 0.25 * elu(x, 0.75),
    "ov.swish %x : (T) -> T": lambda x: x * sigmoid(x),
    "ov.swish %x, %b : (T, tensor<1xE>) -> T": lambda x: x * sigmoid(0.25 * x),
    "ov.prelu %x, %b : (T, tensor<1xE>) -> T": lambda x: np.where(x < 0, 0.25 * x, x),
}


def program(formulas: list[str], shape: str, element: str) -> str:
    """A function that computes all of them; a and b are parameters that are read from the model's inputs."""
    kind = f"tensor<{shape}x{element}>"
    lines = [
        f"  %r{k} = {f.replace('T', kind).replace('xE', 'x' + element).replace('<E', '<' + element)}"
        for k, f in enumerate(formulas)
    ]
    arguments = [f'%x: {kind} {{loomir.name = "x"}}', f'%a: tensor<{element}> {{loomir.name = "a"}}']
    arguments.append(f'%b: tensor<1x{element}> {{loomir.name = "b"}}')
    results = ", ".join(f'{kind} {{loomir.name = "r{k}"}}' for k in range(len(formulas)))
    names = ", ".join(f"%r{k}" for k in range(len(formulas)))
    return "\n".join(
        [
            f"func.func @main({', '.join(arguments)}) -> ({results}) {{",
            *lines,
            f"  func.return {names} : {', '.join([kind] * len(formulas))}",
            "}",
        ]
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: np.dtype(d).name)
def test_formulas(dtype: type, tmp_path: Path):
    x = X.astype(dtype).reshape(2, 8)
    path = tmp_path / "activations.mlir"
    path.write_text(program(list(FORMULAS), "2x8", str(element_of(dtype))))
    feed = {"x": x, "a": np.array(0.75, dtype), "b": np.array([0.25], dtype)}
    model = loomir.load(path)
    results = {engine: model.run(feed, engine=engine) for engine in ("graph", "native")}
    # Rounded once: within half a unit of the type, and what f32 loses itself.
    unit = {np.float16: 2**-11, ml_dtypes.bfloat16: 2**-8}.get(dtype, 0) + 2e-6
    for k, (text, formula) in enumerate(FORMULAS.items()):
        expected = formula(x.astype(np.float64))
        for engine, result in results.items():
            np.testing.assert_allclose(
                result[f"r{k}"].astype(np.float64), expected, rtol=unit, atol=1e-6, err_msg=f"{text} {engine}"
            )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_soft_plus_is_right_where_it_is_small(dtype: type, tmp_path: Path):
    """`log(1 + t)` of a small t, which the sum rounds away: 0.9 % were lost at x = -12."""
    x = np.linspace(-80, 20, 4001).astype(dtype)
    x[:4] = np.nan, -np.inf, np.inf, -0.0
    path = tmp_path / "soft_plus.mlir"
    path.write_text(program(["ov.soft_plus %x : (T) -> T"], "4001", str(element_of(dtype))))
    expected = soft_plus(x.astype(np.longdouble))
    for engine in ("graph", "native"):
        feed = {"x": x, "a": np.array(0, dtype), "b": np.array([0], dtype)}
        result = loomir.load(path).run(feed, engine=engine)["r0"]
        np.testing.assert_allclose(result, expected, rtol=8 * np.finfo(dtype).eps, err_msg=engine)


def run(text: str, folder: Path, feed: dict[str, np.ndarray], **options) -> dict[str, dict[str, np.ndarray]]:
    path = folder / "model.mlir"
    path.write_text(text)
    return {
        engine: loomir.load(path, **(options if engine == "native" else {})).run(feed, engine=engine)
        for engine in ("graph", "native")
    }


def test_prelu_slopes(tmp_path: Path):
    """Of rank 1 per channel where it fits, else broadcast from behind."""
    x = np.random.default_rng(1).standard_normal((2, 3, 4)).astype(np.float32)
    for shape, slope in (
        ((3,), (3, 1)),
        ((4,), (4,)),
        ((1,), (1,)),
        ((3, 1), (3, 1)),
        ((2, 1, 1), (2, 1, 1)),
    ):
        s = np.arange(1, 1 + math.prod(shape), dtype=np.float32).reshape(shape) / 7
        kind = f"tensor<{'x'.join(map(str, shape))}xf32>"
        text = f"""
func.func @main(%x: tensor<2x3x4xf32> {{loomir.name = "x"}}, %s: {kind} {{loomir.name = "s"}})
    -> (tensor<2x3x4xf32> {{loomir.name = "y"}}) {{
  %y = ov.prelu %x, %s : (tensor<2x3x4xf32>, {kind}) -> tensor<2x3x4xf32>
  func.return %y : tensor<2x3x4xf32>
}}"""
        for result in run(text, tmp_path, {"x": x, "s": s}).values():
            np.testing.assert_array_equal(result["y"], np.where(x < 0, x * s.reshape(slope), x))


def refused(folder: Path, operation: str, type_: str) -> None:
    path = folder / "model.mlir"
    path.write_text(
        f'func.func @main(%x: {type_} {{loomir.name = "x"}}, %c: tensor<3xf32> {{loomir.name = "c"}}, '
        f'%i: tensor<1xi64> {{loomir.name = "i"}}) -> ({type_} {{loomir.name = "y"}}) {{\n'
        f"  %y = {operation}\n  func.return %y : {type_}\n}}\n"
    )
    run_passes(loomir.load(path).module.clone(), "ov-decompose")


UNRANKED = "tensor<*xf32>"


def test_what_needs_a_rank(tmp_path: Path):
    with raises_error("unknown-rank"):
        refused(tmp_path, f"ov.prelu %x, %c : ({UNRANKED}, tensor<3xf32>) -> {UNRANKED}", UNRANKED)
    with raises_error("unknown-rank"):
        refused(
            tmp_path,
            "ov.group_normalization %x, %c, %c {num_groups = 3 : i64, epsilon = 0.1 : f64}"
            f" : ({UNRANKED}, tensor<3xf32>, tensor<3xf32>) -> {UNRANKED}",
            UNRANKED,
        )
    with raises_error("unknown-axes"):
        refused(
            tmp_path,
            "ov.lrn %x, %i {alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64, size = 3 : i64}"
            " : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>",
            "tensor<2x3xf32>",
        )


def test_local_response_of_even_size_over_any_axes(tmp_path: Path):
    """The window of 4 has one element before and two behind; OpenVINO's plugin knows odd sizes only."""
    x = np.random.default_rng(2).standard_normal((3, 5, 4)).astype(np.float32)
    text = """
func.func @main(%x: tensor<3x5x4xf32> {loomir.name = "x"}) -> (tensor<3x5x4xf32> {loomir.name = "y"}) {
  %a = ov.constant dense<[0, -2]> : tensor<2xi64> : tensor<2xi64>
  %y = ov.lrn %x, %a {alpha = 0.5 : f64, beta = 0.75 : f64, bias = 1.5 : f64, size = 4 : i64}
    : (tensor<3x5x4xf32>, tensor<2xi64>) -> tensor<3x5x4xf32>
  func.return %y : tensor<3x5x4xf32>
}"""
    expected = np.empty_like(x)
    for i, j, k in np.ndindex(x.shape):
        near = x[max(0, i - 1) : i + 3, max(0, j - 1) : j + 3, k]
        expected[i, j, k] = x[i, j, k] / (1.5 + 0.5 / 16 * (near**2).sum()) ** 0.75
    for result in run(text, tmp_path, {"x": x}).values():
        assert_agree(result["y"], expected)


def test_norms_of_narrow_floats_do_not_overflow(tmp_path: Path):
    """The squares of these are no f16, but their statistics are computed in f32."""
    x = (np.random.default_rng(3).standard_normal((4, 6)) * 1000).astype(np.float16)
    text = """
func.func @main(%x: tensor<4x6xf16> {loomir.name = "x"})
    -> (tensor<4x6xf16> {loomir.name = "m"}, tensor<4x6xf16> {loomir.name = "l"}, tensor<4x6xf16> {loomir.name = "r"}) {
  %a = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %m = ov.mvn %x, %a {eps = 0.001 : f64} : (tensor<4x6xf16>, tensor<1xi64>) -> tensor<4x6xf16>
  %l = ov.normalize_l2 %x, %a {eps = 0.001 : f64, eps_mode = "add"} : (tensor<4x6xf16>, tensor<1xi64>) -> tensor<4x6xf16>
  %r = ov.rms %x, %a {epsilon = 0.001 : f64} : (tensor<4x6xf16>, tensor<1xi64>) -> tensor<4x6xf16>
  func.return %m, %l, %r : tensor<4x6xf16>, tensor<4x6xf16>, tensor<4x6xf16>
}"""
    wide = x.astype(np.float64)
    expected = {
        "m": (wide - wide.mean(1, keepdims=True)) / wide.std(1, keepdims=True),
        "l": wide / np.sqrt((wide**2).sum(1, keepdims=True)),
        "r": wide / np.sqrt((wide**2).mean(1, keepdims=True)),
    }
    for engine, result in run(text, tmp_path, {"x": x}).items():
        for name, value in expected.items():
            np.testing.assert_allclose(
                result[name].astype(np.float64), value, rtol=6e-4, err_msg=f"{name} {engine}"
            )
