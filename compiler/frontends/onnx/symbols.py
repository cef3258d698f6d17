"""Names of extents (`dim_param`) and their resolution from given shapes.

Shapes given for some inputs determine the extents of others.

A given shape always holds, whether by `shapes=`, `values=` or in a feed. A name only determines extents that are not
given: they are equal to the extents given elsewhere for this name, as long as all of these agree. Exporters write names
for extents that they do not know, and the same name for several unrelated extents; ONNX Runtime does not check them
either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onnx import ValueInfoProto

PLACEHOLDERS = {"any", "dynamic", "none", "null", "undefined", "unk", "unknown"}
"""Words that stand for any extent.

`None` is that of CNTK, onnxmltools and many scripts.
"""


def is_symbol(name: str) -> bool:
    """Return True if all occurrences of a name are the same extent.

    A name without a letter is no symbol (`?`, `*`, `-1`), nor is a placeholder. Numbered ones are symbols: `unk__12`
    (tf2onnx, ONNX's own inference) and `DynamicDimension.0` (Paddle2ONNX) are created anew for each extent and recur where
    the same one is meant.
    """
    return any(map(str.isalpha, name)) and name.strip("<>()[]{}_ ").lower() not in PLACEHOLDERS


def known_extents(given: Iterable[tuple[ValueInfoProto, Sequence[int]]]) -> dict[str, int]:
    """Return the extents of names, from the inputs with given shapes.

    A name with several different extents is left out.
    """
    found: dict[str, set[int]] = {}
    for value, shape in given:
        declared = value.type.tensor_type.shape.dim
        # (A number may be given for a vector of one element.)
        for dimension, extent in zip(declared, shape) if len(declared) == len(shape) else ():
            if is_symbol(dimension.dim_param):
                found.setdefault(dimension.dim_param, set()).add(int(extent))
    return {name: extent for name, (extent, *others) in found.items() if not others}
