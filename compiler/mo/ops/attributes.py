"""What attributes all nodes get that an operation makes: lists of those that hold dimensions or shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.errors import Error

DIM_ATTRIBUTES = ("spatial_dims", "channel_dims", "batch_dims", "axis")
SHAPE_ATTRIBUTES = ("shape", "pad", "window", "stride", "output_shape")


def update_attrs(attrs: Any, attr: str, new: str | list[str]) -> None:
    """The list `attrs[attr]`, made where it is not there, gets the items of `new` that it lacks."""
    old = attrs[attr] if attr in attrs else ()  # noqa: SIM401 (a node has no get)
    attrs[attr] = list(dict.fromkeys([*old, *([new] if isinstance(new, str) else new)]))


def add_attrs_props(attrs: dict[str, Any]) -> dict[str, Any]:
    """Adds which attributes hold dimensions and which shapes; returns `attrs`."""
    update_attrs(attrs, "dim_attrs", list(DIM_ATTRIBUTES))
    update_attrs(attrs, "shape_attrs", list(SHAPE_ATTRIBUTES))
    return attrs


def bool_to_str(node: Any, attr: str) -> str | None:
    """A truth value, also 0, 1 or their digits, as IR has it; None where there is none. Errors: `mo-op-attribute`."""
    value = node.soft_get(attr, None)
    if value is None:
        return None
    if str(value) in ("0", "1", "True", "False"):
        return str(str(value) in ("1", "True")).lower()
    what = f"attribute '{attr}' is {value}, which is no truth value"
    raise Error("mo-op-attribute", what, layer=str(node.soft_get("name")), op=str(node.soft_get("op")))


def joined(node: Any, attr: str) -> str | None:
    """The elements of a list with commas between them, another attribute as it is written; None where there is none."""
    if not node.has_valid(attr):
        return None
    value = node[attr]
    return ",".join(map(str, value)) if isinstance(value, list | tuple) or np.ndim(value) else str(value)


attr_getter = joined
