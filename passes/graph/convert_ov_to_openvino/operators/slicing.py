"""StridedSlice: its masks are of one length, and of zeros and ones."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_ints
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.slicing import StridedSliceOp
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses


@expresses(StridedSliceOp)
def strided_slice(op: StridedSliceOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Fit the masks to the number of positions.

    If this number is unknown, the length is that of the longest mask. Missing entries are 0; entries beyond the positions
    have no effect.
    """
    masks = {name: to_ints(mask) for name, mask in op.properties.items() if isinstance(mask, DenseArrayBase)}
    extents = checks.fact(op.begin).shape
    places = extents[0].static if extents else None
    length = max(map(len, masks.values()), default=0) if places is None else places
    fitted = {name: [int(m != 0) for m in [*mask, *([0] * length)][:length]] for name, mask in masks.items()}
    if all(list(masks[name]) == fitted[name] for name in masks):
        return None
    operands = (op.data, op.begin, op.end, op.strides)
    return [build.make(StridedSliceOp, *operands, attributes={**op.properties, **fitted})]
