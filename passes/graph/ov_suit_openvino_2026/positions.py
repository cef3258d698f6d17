"""Constants in Slices that 32 bits do not hold: OpenVINO 2026 counts in 32, where the distance of two of them wraps round; some crash it."""

from __future__ import annotations

import numpy as np
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.slicing import SliceOp

_LEAST, _MOST = -(1 << 30), (1 << 31) - 1
"""In front of and behind all that a tensor may have along an axis: from the one to an extent is still a number of 32 bits."""


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
