"""ROIAlign: what maxima are of is nothing to an average."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.roi import ROIAlignOp
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses


@expresses(ROIAlignOp)
def roi_align(op: ROIAlignOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """The same average without a word about maxima."""
    if not (op.averages and op.of_corners):
        return None
    attributes = {name: value for name, value in op.properties.items() if name != "maximum_of"}
    return [build.make(ROIAlignOp, op.data, op.rois, op.batch_indices, attributes=attributes)]
