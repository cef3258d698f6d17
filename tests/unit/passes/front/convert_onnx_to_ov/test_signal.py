"""Fourier transforms of ONNX against numpy and ONNX Runtime."""

from __future__ import annotations

import numpy as np

import loomir
from loomir.compiler.formats.onnx.importer import load_onnx
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import assert_agree, raises_error
from tests.unit.passes.front.convert_onnx_to_ov.test_operators import build

RNG = np.random.default_rng(12)
REAL = RNG.standard_normal((2, 10, 1)).astype(np.float32)
PAIRS = RNG.standard_normal((2, 10, 2)).astype(np.float32)


def pairs(x: np.ndarray) -> np.ndarray:
    return np.stack([np.real(x), np.imag(x)], -1).astype(np.float32)


def complexes(x: np.ndarray) -> np.ndarray:
    return x[..., 0] + 1j * x[..., 1]


def static(operator: str, opset: int, inputs, outputs=1, expected=None, constants=(), **attributes) -> None:
    """Agrees with ONNX Runtime or with `expected`; lengths have to be known, so that shapes are static."""
    model = build(operator, opset, inputs, outputs, constants, **attributes)
    feed = {f"x{i}": v for i, v in enumerate(inputs) if v is not None and i not in constants}
    if expected is None:
        (wanted,) = onnxruntime_session(model).run(None, feed)
    else:
        wanted = expected(*[v for v in inputs if v is not None])
    assert_agree(
        loomir.load(model).run(feed, engine="graph")["y0"], np.asarray(wanted), f"{operator} {attributes}"
    )


def test_transforms():
    for opset in (17, 20):
        axis = {"axis": 1} if opset == 17 else {}
        static("DFT", opset, [REAL], 1, lambda x: pairs(np.fft.fft(x[..., 0])), **axis)
        static("DFT", opset, [PAIRS], 1, lambda x: pairs(np.fft.fft(complexes(x))), **axis)
        static("DFT", opset, [PAIRS], 1, lambda x: pairs(np.fft.ifft(complexes(x))), inverse=1, **axis)
        static("DFT", opset, [REAL], 1, lambda x: pairs(np.fft.rfft(x[..., 0])), onesided=1, **axis)
        wanted = lambda x: np.fft.irfft(complexes(x))[..., None].astype(np.float32)  # noqa: E731
        static("DFT", opset, [PAIRS], 1, wanted, onesided=1, inverse=1, **axis)
    for length in (7, 16):
        static(
            "DFT",
            20,
            [REAL, np.array(length)],
            1,
            lambda x, n: pairs(np.fft.fft(x[..., 0], n)),
            constants=[1],
        )
    axis = np.array(-3)
    static("DFT", 20, [REAL, None, axis], 1, lambda x, _: pairs(np.fft.fft(x[..., 0], axis=0)), constants=[2])


def test_frames():
    signal, window = RNG.standard_normal((2, 40, 1)).astype(np.float32), np.hanning(16).astype(np.float32)
    step, length = np.array(8), np.array(16)
    static("STFT", 17, [signal, step, window, length], constants=[1, 3])
    static("STFT", 17, [signal, step, None, length], constants=[1, 3])
    static("STFT", 17, [signal, step, window], constants=[1], onesided=0)

    def wanted(x, step, length):
        frames = [complexes(x)[:, k * step : k * step + length] for k in range(4)]
        return pairs(np.fft.fft(np.stack(frames, 1)))

    both = RNG.standard_normal((2, 40, 2)).astype(np.float32)
    static("STFT", 17, [both, step, None, length], 1, wanted, constants=[1, 3])


def test_what_is_refused():
    with raises_error("axis-range", "complex"):
        load_onnx(build("DFT", 17, [REAL], axis=2))
    with raises_error("fourier-parts"):
        load_onnx(build("DFT", 17, [REAL], dynamic=True))
    with raises_error("invalid-onnx", "onesided"):
        load_onnx(build("DFT", 17, [PAIRS], onesided=1))
    for step, length, what in ((0, 4, "frame_step"), (1, 0, "frame_length")):
        with raises_error("fourier-parts", what):
            load_onnx(build("STFT", 17, [REAL, np.array(step), None, np.array(length)], constants=[1, 3]))
