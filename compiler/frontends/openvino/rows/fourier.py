"""Layer types: fourier."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row

ROWS: dict[str, Row] = {name: Row("fourier", f"{name}Op") for name in ("DFT", "IDFT", "RDFT", "IRDFT")}
