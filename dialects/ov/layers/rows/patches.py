"""Layer types: patches of images."""

from __future__ import annotations

from loomir.dialects.ov.layers.attributes import Row, read_ints
from loomir.dialects.ov.operators.patches import ReorgYoloOp


def _stride(text: str) -> int:
    """Parse a stride that is the same for both axes.

    OpenVINO writes a list of one number, or of the same number for both axes.
    """
    (stride,) = set(read_ints(text))
    return stride


ROWS: dict[str, Row] = {
    "ReorgYolo": Row(ReorgYoloOp, {"stride": _stride}),
}  # fmt: skip
