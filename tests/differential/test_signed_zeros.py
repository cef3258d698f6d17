"""Maxima and minima of zeros of both signs: -0 < 0 in every engine, element type, order and length (docs/semantics.md)."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.model import ENGINES, Engine

TYPES = {"float": "float32", "double": "float64", "float16": "float16", "bfloat16": "bfloat16"}
N = 17


def _model(body: str, inputs: str, output: str) -> loomir.Model:
    opsets = '<ir_version: 9, opset_import: ["" : 20]>'
    return loomir.load(onnx.parser.parse_model(f"{opsets} g ({inputs}) => ({output} y) {{ {body} }}"))


def _dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def _zeros(dtype: np.dtype, signs: list[bool]) -> np.ndarray:
    return np.array([-0.0 if s else 0.0 for s in signs]).astype(dtype)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("type_", TYPES)
def test_two_operands(type_: str, engine: Engine) -> None:
    dtype = _dtype(TYPES[type_])
    model = _model(
        "p = Max (a, b) q = Min (a, b) y = Concat <axis = 0> (p, q)",
        f"{type_}[n] a, {type_}[n] b",
        f"{type_}[m]",
    )
    for a, b in product((False, True), repeat=2):
        for n in (1, 4, N):
            feed = {"a": _zeros(dtype, [a] * n), "b": _zeros(dtype, [b] * n)}
            signs = np.signbit(model.run(feed, engine=engine)["y"]).tolist()
            assert signs == [a and b] * n + [a or b] * n, (a, b, n)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("type_", ["float", "double", "float16"])
def test_many_elements(type_: str, engine: Engine) -> None:
    dtype = _dtype(TYPES[type_])
    model = _model(
        "axes = Constant <value_ints = [1]> () p = ReduceMax <keepdims = 1> (x, axes) q = ReduceMin <keepdims = 1> (x, axes) "
        f"shape = Constant <value_ints = [4, 1, {N}]> () z = Reshape (x, shape) w = MaxPool <kernel_shape = [{N}]> (z) "
        "flat = Constant <value_ints = [4, 1]> () r = Reshape (w, flat) y = Concat <axis = 1> (p, q, r)",
        f"{type_}[4, {N}] x",
        f"{type_}[4, 3]",
    )
    rows = [[False] * N, [True] * N, [True] * 9 + [False] * 8, [False] * 9 + [True] * 8]
    feed = {"x": np.stack([_zeros(dtype, row) for row in rows])}
    signs = np.signbit(model.run(feed, engine=engine)["y"]).tolist()
    assert signs == [[False] * 3, [True] * 3, [False, True, False], [False, True, False]]


@pytest.mark.parametrize("engine", ENGINES)
def test_limits_and_scatters(engine: Engine) -> None:
    """Relu and Clip replace only what is beyond a limit; a scatter joins as Max and Min do."""
    model = _model(
        "zero = Constant <value = float {0.0}> () p = Relu (x) q = Clip (x, zero) i = Constant <value_ints = [0, 1]> () "
        'r = ScatterElements <reduction = "max"> (x, i, u) s = ScatterElements <reduction = "min"> (x, i, u) '
        "t = Max (x, zero) v = Min (x, zero) y = Concat <axis = 0> (p, q, r, s, t, v)",
        "float[2] x, float[2] u",
        "float[12]",
    )
    dtype = np.dtype(np.float32)
    feed = {"x": _zeros(dtype, [True, False]), "u": _zeros(dtype, [False, True])}
    signs = np.signbit(model.run(feed, engine=engine)["y"]).reshape(-1, 2).tolist()
    assert signs == [
        [True, False],
        [True, False],
        [False, False],
        [True, True],
        [False, False],
        [True, False],
    ]
