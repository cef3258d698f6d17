"""Fourier transforms, and complex numbers."""

from __future__ import annotations

from loomir.tools.model_optimizer.mo.ops.row import OpRow, same

ROWS = [
    OpRow("dft", "FFTBase", None, None, "opset7", 3),
    *(same("dft", name, "opset7", 3, base="FFTBase") for name in ("DFT", "IDFT")),
    same("dft", "RDFT", "opset9", 3),
    same("dft", "IRDFT", "opset9", 3, base="FFTBase"),
    OpRow("TFFFT", "TFFFT", "TFFFT", requires=("fft_kind", "num_of_dimensions")),
    OpRow("mxfft", "MXFFT", "MXFFT", requires=("is_inverse",)),
    OpRow("Complex", "Complex", "Complex", inputs=2),
]
