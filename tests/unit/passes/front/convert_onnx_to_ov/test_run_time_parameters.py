"""Inputs that say axes, lengths and steps, fed when the model runs: no translator has to know what they hold.

Below GRAPH a program is made for what is fed; C names the inputs to fix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.option_names import Engine
from tests.support import assert_agree, raises_error

ENGINES: tuple[Engine, ...] = ("graph", "structured", "loops", "native")
RNG = np.random.default_rng(24)
X = RNG.standard_normal((2, 3, 4)).astype(np.float32)
REAL = RNG.standard_normal((2, 6, 5, 1)).astype(np.float32)
PAIRS = RNG.standard_normal((2, 6, 5, 2)).astype(np.float32)
SIGNAL = RNG.standard_normal((2, 40, 1)).astype(np.float32)
WINDOW = np.hanning(16).astype(np.float32)

each_engine = pytest.mark.parametrize("engine", ENGINES)


def program(text: str) -> loomir.Model:
    return loomir.load(onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {text}'))


# -- axes to reduce

REDUCTIONS: dict[str, Callable[[np.ndarray, tuple[int, ...] | None, bool], np.ndarray]] = {
    "ReduceMean": lambda x, axes, keep: np.mean(x, axes, keepdims=keep),
    "ReduceL1": lambda x, axes, keep: np.sum(np.abs(x), axes, keepdims=keep),
    "ReduceLogSumExp": lambda x, axes, keep: np.log(np.sum(np.exp(x), axes, keepdims=keep)),
    "ReduceSumSquare": lambda x, axes, keep: np.sum(x * x, axes, keepdims=keep),
}


@each_engine
@pytest.mark.parametrize("operator", REDUCTIONS)
def test_how_many_axes_are_reduced(operator: str, engine: Engine) -> None:
    """None are all of them, or with `noop_with_empty_axes` none at all."""
    for keep, noop in ((1, 0), (0, 0), (0, 1)):
        attributes = f"<keepdims = {keep}, noop_with_empty_axes = {noop}>"
        model = program(
            f"g (float[2,3,4] x, int64[N] axes) => (float[] y) {{ y = {operator} {attributes} (x, axes) }}"
        )
        for axes in ([], [1], [-1, 0]):
            y = model.run({"x": X, "axes": np.array(axes, np.int64)}, engine=engine)["y"]
            wanted = REDUCTIONS[operator](X, tuple(axes) if axes or noop else None, bool(keep))
            assert_agree(y, np.asarray(wanted, np.float32), f"{operator} {attributes} {axes}")


@each_engine
def test_a_norm_along_no_axis_of_a_scalar(engine: Engine) -> None:
    model = program("g (float x, int64[N] axes) => (float y) { y = ReduceL1 (x, axes) }")
    feed = {"x": np.array(-2, np.float32), "axes": np.zeros(0, np.int64)}
    assert_agree(model.run(feed, engine=engine)["y"], np.array(2, np.float32))


# -- Fourier transforms


def pairs(x: np.ndarray) -> np.ndarray:
    return np.stack([np.real(x), np.imag(x)], -1).astype(np.float32)


def complexes(x: np.ndarray) -> np.ndarray:
    return x[..., 0] + 1j * x[..., 1]


TRANSFORMS: dict[str, tuple[np.ndarray, Callable[[np.ndarray, int | None, int], np.ndarray]]] = {
    "inverse = 0": (REAL, lambda x, n, axis: pairs(np.fft.fft(x[..., 0], n, axis))),
    "onesided = 0": (PAIRS, lambda x, n, axis: pairs(np.fft.fft(complexes(x), n, axis))),
    "inverse = 1": (PAIRS, lambda x, n, axis: pairs(np.fft.ifft(complexes(x), n, axis))),
    "onesided = 1": (REAL, lambda x, n, axis: pairs(np.fft.rfft(x[..., 0], n, axis))),
    "onesided = 1, inverse = 1": (
        PAIRS,
        lambda x, n, axis: np.fft.irfft(complexes(x), n, axis)[..., None].astype(np.float32),
    ),
}


def transform(attributes: str, x: np.ndarray, *, length: bool = False) -> loomir.Model:
    declared, given = ("int64 n,", "n") if length else ("", '""')
    inputs = f"float{list(x.shape)} x, {declared} int64 axis"
    return program(f"g ({inputs}) => (float[] y) {{ y = DFT <{attributes}> (x, {given}, axis) }}")


@each_engine
@pytest.mark.parametrize("attributes", TRANSFORMS)
def test_axis_and_length_of_a_transform(attributes: str, engine: Engine) -> None:
    x, wanted = TRANSFORMS[attributes]
    # An axis counts the dimension of the complex numbers too, numpy's does not.
    for n, axes in ((None, {-2: -1, 0: 0}), (4, {1: 1, -3: -2}), (7, {-2: -1})):
        model = transform(attributes, x, length=n is not None)
        for axis, place in axes.items():
            feed = {"x": x, "axis": np.array(axis)} | ({} if n is None else {"n": np.array(n)})
            assert_agree(model.run(feed, engine=engine)["y"], wanted(x, n, place), f"{attributes} {axis} {n}")


@each_engine
def test_an_axis_that_cannot_be_transformed(engine: Engine) -> None:
    """That of the complex numbers, and those that there are not."""
    model = transform("inverse = 0", PAIRS)
    for axis in (3, -1, 4, -5):
        with raises_error("runtime-shape", "axis"):
            model.run({"x": PAIRS, "axis": np.array(axis)}, engine=engine)


def frames(x: np.ndarray, step: int, length: int) -> np.ndarray:
    starts: Sequence[int] = range(0, x.shape[1] - length + 1, step)
    return np.stack([x[:, k : k + length, 0] for k in starts], 1)


@each_engine
def test_frames(engine: Engine) -> None:
    model = program('g (float[2,40,1] x, int64 step, int64 n) => (float[] y) { y = STFT (x, step, "", n) }')
    for step, n in ((8, 16), (5, 7)):
        y = model.run({"x": SIGNAL, "step": np.array(step), "n": np.array(n)}, engine=engine)["y"]
        assert_agree(y, pairs(np.fft.rfft(frames(SIGNAL, step, n))))
    for step, n in ((0, 4), (4, 0), (-1, -2)):
        with raises_error("runtime-shape", "" if engine == "native" else "is not positive"):
            model.run({"x": SIGNAL, "step": np.array(step), "n": np.array(n)}, engine=engine)


@each_engine
def test_frames_as_long_as_their_window(engine: Engine) -> None:
    model = program("g (float[2,40,1] x, int64 s, float[N] w) => (float[] y) { y = STFT (x, s, w) }")
    for window in (WINDOW, WINDOW[:10]):
        y = model.run({"x": SIGNAL, "s": np.array(8), "w": window}, engine=engine)["y"]
        assert_agree(y, pairs(np.fft.rfft(frames(SIGNAL, 8, len(window)) * window)))


def test_c_names_what_has_to_be_fixed(tmp_path: Path) -> None:
    with raises_error("unknown-length", "fix 'axis' with values="):
        transform("inverse = 0", REAL).emit_c(tmp_path)
