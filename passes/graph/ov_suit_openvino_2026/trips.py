"""Trip counts below -1.

Every negative trip count means that there is no limit, but OpenVINO 2026 treats each one except -1 as a number of parts.
"""

from __future__ import annotations

import numpy as np
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp
from loomir.passes.graph.convert_ov_to_openvino.loops import set_operands

_UNLIMITED = np.array(-1, np.int64)


def limit_trips(op: LoopOp, trips: Fact) -> None:
    """Raise a trip count that may be below -1 to -1.

    `trips` is the known fact about the trip count.
    """
    if op.trip is None or (trips.bounds is not None and int(trips.bounds[0].reshape(())) >= -1):
        return
    build = GraphBuilder(InsertPoint.before(op), op.location)
    unlimited = build.constant(_UNLIMITED)
    count = unlimited if constant_of(op.trip) is not None else build.make(MaximumOp, op.trip, unlimited)
    set_operands(op, count, op.cond, op.carried, op.sliced)
