"""Patches of images from Pad, Resample and changes of layout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.numerics.workspace import arange, claim
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.interpolate import ResampleOp
from loomir.dialects.ov.operators.patches import ExtractImagePatchesOp, ReorgYoloOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, TransposeOp
from loomir.errors import Error
from loomir.passes.graph.decompositions import decomposes


def _extents(op: ExtractImagePatchesOp | ReorgYoloOp, build: GraphBuilder) -> tuple[int, ...]:
    """Error: `unknown-shape`."""
    extents = build.fact(op.data).static
    if extents is None:
        raise Error(
            "unknown-shape",
            f"the shape of what {op.name} reads is not known",
            hint="fix the shapes of the inputs",
        )
    return extents


@decomposes(ExtractImagePatchesOp)
def extract_image_patches(op: ExtractImagePatchesOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Gather rows and columns window by window.

    Then the elements of the windows are moved to the front.
    """
    n, c, *extents = _extents(op, build)
    windows = op.windows()
    counts = [w.count(d) for w, d in zip(windows, extents)]
    begins, ends, tables = [0, 0], [0, 0], []
    for window, extent, count in zip(windows, extents, counts):
        begin, end = window.padding(extent) if count else (0, 0)
        begins.append(begin)
        ends.append(end)
        claim((window.kernel, count), np.dtype(np.int64))
        places = arange(window.kernel)[:, None] * window.dilation + arange(count) * window.stride
        tables.append(build.constant(places.reshape(-1).astype(np.int32)))
    data = op.data
    if any((*begins, *ends)):
        data = build.make(PadOp, data, build.integers(begins), build.integers(ends))
    picked = build.make(ResampleOp, data, tables, attributes={"axes": [2, 3]})
    kernel = [w.kernel for w in windows]
    split = build.make(ReshapeOp, picked, build.integers([n, c, kernel[0], counts[0], kernel[1], counts[1]]))
    turned = build.make(TransposeOp, split, build.integers([0, 2, 4, 1, 3, 5]))
    return [build.make(ReshapeOp, turned, build.integers([n, kernel[0] * kernel[1] * c, *counts]))]


@decomposes(ReorgYoloOp)
def reorg_yolo(op: ReorgYoloOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Two reshapes and a transposition."""
    n, c, h, w = _extents(op, build)
    s = to_int(op.stride)
    split = build.make(ReshapeOp, op.data, build.integers([n, c // (s * s), h, s, w, s]))
    turned = build.make(TransposeOp, split, build.integers([0, 3, 5, 1, 2, 4]))
    return [build.make(ReshapeOp, turned, build.integers([n, c * s * s, h // s, w // s]))]
