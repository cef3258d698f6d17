"""The `ov` dialect: OpenVINO's operation set, with what ONNX has and the set lacks, and region-based control flow.

The operations are in `operators/`, one file per family; the same family has the same file name in the `operators/` of
`passes/front/convert_onnx_to_ov`, `passes/graph/decompositions` and `passes/structured/lowering`. Beside them is what they are
written with: facts and bounds of values, attributes, rules of shapes.
"""

from __future__ import annotations

from functools import cache

from xdsl.ir import Dialect, Operation

from loomir.dialects.blob import BlobAttr, StringsAttr
from loomir.dialects.families import families


@cache
def operations() -> tuple[type[Operation], ...]:
    """Every operation class of the dialect, found in the family modules."""
    found: dict[str, type[Operation]] = {}
    for _, module in families(f"{__name__}.operators"):
        for item in vars(module).values():
            if isinstance(item, type) and issubclass(item, Operation) and item.__module__ == module.__name__:
                name = getattr(item, "name", "")
                if isinstance(name, str) and name.startswith("ov."):
                    assert name not in found, f"{name} is defined twice"
                    found[name] = item
    return tuple(found.values())


@cache
def get_dialect() -> Dialect:
    """The dialect object, for a Context."""
    from loomir.dialects.element_types import StringType
    from loomir.dialects.ov.bounds import BoundsAttr
    from loomir.dialects.ov.loop_slices import SliceAttr

    return Dialect("ov", list(operations()), [BlobAttr, BoundsAttr, StringsAttr, StringType, SliceAttr])
