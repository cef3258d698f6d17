"""Attributes of all nodes that an operation creates.

They list the attributes that hold dimensions or shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.errors import Error

DIM_ATTRIBUTES = ("spatial_dims", "channel_dims", "batch_dims", "axis")
SHAPE_ATTRIBUTES = ("shape", "pad", "window", "stride", "output_shape")


def update_attrs(attrs: Any, attr: str, new: str | list[str]) -> None:
    """Add the missing items of `new` to the list `attrs[attr]`.

    The list is created if it does not exist.
    """
    old = attrs[attr] if attr in attrs else ()  # noqa: SIM401 (a node has no get)
    attrs[attr] = list(dict.fromkeys([*old, *([new] if isinstance(new, str) else new)]))


def add_attrs_props(attrs: dict[str, Any]) -> dict[str, Any]:
    """Adds which attributes hold dimensions and which shapes; returns `attrs`."""
    update_attrs(attrs, "dim_attrs", list(DIM_ATTRIBUTES))
    update_attrs(attrs, "shape_attrs", list(SHAPE_ATTRIBUTES))
    return attrs


def bool_to_str(node: Any, attr: str) -> str | None:
    """Convert a truth value to IR's text; None if there is none.

    0, 1 and their digits are also truth values. Errors: `mo-op-attribute`.
    """
    value = node.soft_get(attr, None)
    if value is None:
        return None
    if str(value) in ("0", "1", "True", "False"):
        return str(str(value) in ("1", "True")).lower()
    what = f"attribute '{attr}' is {value}, which is no truth value"
    raise Error("mo-op-attribute", what, layer=str(node.soft_get("name")), op=str(node.soft_get("op")))


def joined(node: Any, attr: str) -> str | None:
    """Convert an attribute to text; None if there is none.

    The elements of a list are separated by commas.
    """
    if not node.has_valid(attr):
        return None
    value = node[attr]
    return ",".join(map(str, value)) if isinstance(value, list | tuple) or np.ndim(value) else str(value)


attr_getter = joined
