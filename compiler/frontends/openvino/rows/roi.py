"""Layer types: roi."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_int, read_lower

_REGION = {"pooled_h": read_int, "pooled_w": read_int, "spatial_scale": float}

ROWS: dict[str, Row] = {
    "ROIAlign": Row(
        "roi", "ROIAlignOp", {**_REGION, "sampling_ratio": read_int, "mode": read_lower, "aligned_mode": read_lower},
        versions=(3, 9),
    ),
    "ROIPooling": Row("roi", "ROIPoolingOp", {**_REGION, "method": read_lower}),
}  # fmt: skip
