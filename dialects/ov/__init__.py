"""The `ov` dialect: OpenVINO's operation set, with what ONNX has and the set lacks, and region-based control flow.

The operations are in `operators/`, one file per family; the same family has the same file name in the `operators/` of
`passes/front/convert_onnx_to_ov`, `passes/graph/decompositions` and `passes/structured/lowering`. Beside them is what they are
written with: facts and bounds of values, attributes, rules of shapes.
"""

from __future__ import annotations

from functools import cache

from xdsl.ir import Dialect, Operation

from loomir.dialects.blob import BlobAttr, StringsAttr
from loomir.dialects.families import operations_of


@cache
def operations() -> tuple[type[Operation], ...]:
    """Every operation class of the dialect."""
    return operations_of("ov", f"{__name__}.operators")


@cache
def get_dialect() -> Dialect:
    """The dialect object, for a Context."""
    from loomir.dialects.element_types import StringType
    from loomir.dialects.ov.bounds import BoundsAttr
    from loomir.dialects.ov.loop_slices import SliceAttr

    return Dialect("ov", list(operations()), [BlobAttr, BoundsAttr, StringsAttr, StringType, SliceAttr])
