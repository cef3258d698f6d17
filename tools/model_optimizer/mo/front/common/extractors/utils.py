"""Attributes that say where channels are."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import int64_array


def layout_attrs() -> dict[str, Any]:
    """Those of images with channels in front."""
    return {
        "spatial_dims": int64_array([2, 3]),
        "channel_dims": int64_array([1]),
        "batch_dims": int64_array([0]),
        "layout": "NCHW",
    }
