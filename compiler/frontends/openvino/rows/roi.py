"""Layer types: roi."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_lower

_REGION = {"pooled_h": int, "pooled_w": int, "spatial_scale": float}

ROWS: dict[str, Row] = {
    "ROIAlign": Row(
        "roi", "ROIAlignOp", {**_REGION, "sampling_ratio": int, "mode": read_lower, "aligned_mode": read_lower},
        versions=(3, 9),
    ),
    "ROIPooling": Row("roi", "ROIPoolingOp", {**_REGION, "method": read_lower}),
}  # fmt: skip
