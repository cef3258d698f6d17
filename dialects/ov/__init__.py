"""The `ov` dialect: OpenVINO's operation set, with what ONNX has and the set lacks, and region-based control flow.

One file per operator family; the same family has the same file name in
`passes/structured/lowering/` and in `passes/graph/decompositions/`.
"""

from __future__ import annotations

import importlib
from functools import cache

from xdsl.ir import Dialect, Operation

from loomir.dialects.blob import BlobAttr, StringsAttr

FAMILIES = (
    "constant",
    "control_flow",
    "failure",
    "elementwise_unary",
    "trigonometry",
    "activation",
    "floating_tests",
    "bitwise",
    "elementwise_binary",
    "comparison",
    "conversion",
    "quantisation",
    "reduction",
    "matmul",
    "convolution",
    "transposed_convolution",
    "pooling",
    "adaptive_pooling",
    "interpolate",
    "sampling",
    "patches",
    "normalisation",
    "attention",
    "fourier",
    "reshape",
    "slicing",
    "splitting",
    "gathering",
    "scattering",
    "layout",
    "cumulative",
    "generators",
    "einsum",
    "columns",
    "searching",
    "embedding",
    "joining",
    "slots",
    "broadcasting",
    "recurrent",
    "sorting",
    "unique",
    "nonzero",
    "nms",
    "roi",
    "ctc",
)
"""The operator families: every one is a module of this package."""


@cache
def operations() -> tuple[type[Operation], ...]:
    """Every operation class of the dialect, found in the family modules."""
    found: dict[str, type[Operation]] = {}
    for family in FAMILIES:
        module = importlib.import_module(f"loomir.dialects.ov.{family}")
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
