"""What attributes all nodes get that an operation makes: lists of those that hold dimensions or shapes."""

from __future__ import annotations

from typing import Any

DIM_ATTRIBUTES = ("spatial_dims", "channel_dims", "batch_dims", "axis")
SHAPE_ATTRIBUTES = ("shape", "pad", "window", "stride", "output_shape")


def update_attrs(attrs: Any, attr: str, new: str | list[str]) -> None:
    """The list `attrs[attr]`, made where it is not there, gets the items of `new` that it lacks."""
    old = attrs[attr] if attr in attrs else []
    attrs[attr] = list(dict.fromkeys([*old, *([new] if isinstance(new, str) else new)]))


def add_attrs_props(attrs: dict[str, Any]) -> dict[str, Any]:
    """Adds which attributes hold dimensions and which shapes; returns `attrs`."""
    update_attrs(attrs, "dim_attrs", list(DIM_ATTRIBUTES))
    update_attrs(attrs, "shape_attrs", list(SHAPE_ATTRIBUTES))
    return attrs
