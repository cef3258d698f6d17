"""Einsum: OpenVINO takes no spaces in an equation."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_str
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.einsum import EinsumOp
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses


@expresses(EinsumOp)
def einsum(op: EinsumOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """The same equation without spaces."""
    equation = to_str(op.equation)
    dense = equation.replace(" ", "")
    if dense == equation:
        return None
    return [build.make(EinsumOp, list(op.inputs), attributes={"equation": dense})]
