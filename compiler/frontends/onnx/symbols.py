"""Names of extents (`dim_param`): what the shapes that are given for some inputs say of the others.

A shape that is given holds, by `shapes=`, `values=` or in a feed alike. A name only says what is not given: the same extent as where it
is given elsewhere, as long as all that is given agrees. Exporters write names for what they do not know, and the same one for several
extents that have nothing to do with each other; ONNX Runtime asks nothing of them either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onnx import ValueInfoProto

PLACEHOLDERS = {"any", "dynamic", "none", "null", "undefined", "unk", "unknown"}
"""Words that stand for any extent: `None` is CNTK's, onnxmltools' and many a script's."""


def is_symbol(name: str) -> bool:
    """Whether a name stands for one extent wherever it is.

    Nothing without a letter does (`?`, `*`, `-1`), nor does a placeholder. Numbered ones are symbols: `unk__12` (tf2onnx, ONNX's own
    inference) and `DynamicDimension.0` (Paddle2ONNX) are made anew for each extent and occur again where the same one is meant.
    """
    return any(map(str.isalpha, name)) and name.strip("<>()[]{}_ ").lower() not in PLACEHOLDERS


def known_extents(given: Iterable[tuple[ValueInfoProto, Sequence[int]]]) -> dict[str, int]:
    """The extents of names by the inputs whose shapes are given; none of a name that is given several."""
    found: dict[str, set[int]] = {}
    for value, shape in given:
        declared = value.type.tensor_type.shape.dim
        # (A number may be given for a vector of one element.)
        for dimension, extent in zip(declared, shape) if len(declared) == len(shape) else ():
            if is_symbol(dimension.dim_param):
                found.setdefault(dimension.dim_param, set()).add(int(extent))
    return {name: extent for name, (extent, *others) in found.items() if not others}
