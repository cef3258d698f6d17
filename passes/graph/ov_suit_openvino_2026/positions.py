"""Constants that say places.

OpenVINO 2026 counts in 32 bits, where the distance of two ends of 64 bits wraps round, or crashes it; and it moves an Unsqueeze behind a
reduction whose axes are counted from the back, which then are others.
"""

from __future__ import annotations

import numpy as np
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.reduction import ReductionOp
from loomir.dialects.ov.operators.slicing import SliceOp

_LEAST, _MOST = -(1 << 30), (1 << 31) - 1
"""Positions before and behind every possible element of an axis.

The distance from the first of them to an extent still fits in 32 bits.
"""


def limit_positions(op: SliceOp) -> None:
    """Put starts, stops and steps between these."""
    for index in (1, 2, 3):
        array = constant_of(op.operands[index])
        if array is None or array.dtype != np.int64:
            continue
        limited = np.clip(array, _LEAST, _MOST)
        if not np.array_equal(limited, array):
            build = GraphBuilder(InsertPoint.before(op), op.location)
            op.operands[index] = build.constant(limited)


def count_axes(op: ReductionOp) -> None:
    """Make reduction axes non-negative if the axes and rank are known."""
    build = GraphBuilder(InsertPoint.before(op), op.location)
    axes, rank = constant_of(op.axes), build.fact(op.data).rank
    if axes is not None and rank is not None and (axes < 0).any():
        op.operands[1] = build.constant(np.where(axes < 0, axes + rank, axes).astype(axes.dtype))
