"""Layouts: the dimensions of a tensor for time, batch and features.

The module also has operations that arrange a tensor of one layout as another. A layout names each dimension in order:
`T` time, `N` batch, `K` features (always the last one), `1` of extent 1. A batch of 1 has no dimension: `1TK` has none.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.dialects.ov.facts import Dim, Shape
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.reshape import SqueezeOp, TransposeOp, UnsqueezeOp


def layout_of(shape: Shape | None, time: int | None = None) -> str | None:
    """Return the layout of a shape.

    Dimension `time` is the time axis. None if the shape has two dimensions for the batch, or none for features.
    """
    if not shape or time == len(shape) - 1:
        return None
    names = [
        "K" if k == len(shape) - 1 else "T" if k == time else "1" if d.static == 1 else "N"
        for k, d in enumerate(shape)
    ]
    return None if names.count("N") > 1 else "".join(names)


def batch_of(shape: Shape, layout: str) -> Dim:
    """The extent of the batch."""
    return shape[layout.index("N")] if "N" in layout else Dim(1, 1)


def arranged(build: GraphBuilder, value: SSAValue, layout: str, wanted: str) -> SSAValue:
    """Rearrange a tensor from one layout to another.

    A dimension that only one of the layouts names has extent 1.
    """
    kept = [name for name in layout if name != "1" and name in wanted]
    if dropped := [k for k, name in enumerate(layout) if name not in kept]:
        value = build.make(SqueezeOp, value, build.integers(dropped))
    order = [name for name in wanted if name in kept]
    if order != kept:
        value = build.make(TransposeOp, value, build.integers([kept.index(name) for name in order]))
    if added := [k for k, name in enumerate(wanted) if name not in kept]:
        value = build.make(UnsqueezeOp, value, build.integers(added))
    return value
