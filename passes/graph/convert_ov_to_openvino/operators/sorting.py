"""ArgMax is what TopK says of one element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_bool, to_int
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import SubtractOp
from loomir.dialects.ov.operators.layout import ReverseOp
from loomir.dialects.ov.operators.reshape import SqueezeOp
from loomir.dialects.ov.operators.sorting import ArgMaxOp, TopKOp
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses
from loomir.passes.graph.decompositions.extents import Sizes, rank_of


@expresses(ArgMaxOp)
def arg_max(op: ArgMaxOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Express ArgMax by a TopK of one element.

    For the last of equal elements, TopK takes the first on the reversed axis. (NaN never wins there.)
    """
    axis = to_int(op.axis) % rank_of(build, op.data)
    data = op.data
    if op.last:
        data = build.make(ReverseOp, data, build.integers([axis]), attributes={"mode": "index"})
    one = build.constant(np.array(1, np.int64))
    _, places = build.make_all(
        TopKOp, data, one,
        attributes={
            "axis": axis, "mode": op.mode, "sort": "value", "stable": True, "index_element_type": op.index_element_type,
        },
    )  # fmt: skip
    if op.last:
        sizes = Sizes(build)
        extent = sizes.value(sizes.of(data)[axis])
        last = build.make(SubtractOp, extent, build.integers([1]))
        last = build.make(ConvertOp, last, attributes={"destination_type": op.index_element_type})
        places = build.make(SubtractOp, last, places)
    if to_bool(op.keep_dims):
        return [places]
    return [build.make(SqueezeOp, places, build.integers([axis]))]
