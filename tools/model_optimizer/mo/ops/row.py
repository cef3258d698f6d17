"""Rows of the table of operations, and helpers to write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loomir.tools.model_optimizer.mo.ops.attributes import bool_to_str, joined
from loomir.tools.model_optimizer.mo.utils.data_types import np_data_type_to_destination_type

Backend = Sequence[Any]
"""Attributes in IR: names, or pairs of a name and a function.

In a pair, the name is that in IR, and the function takes the node.
"""


@dataclass(frozen=True)
class OpRow:
    """One class of operations.

    `module` is below `ops`, such as 'reshape'; `op` the name in graphs, None for a base class; `type` and `version` those of the
    operation set, None for what transformations replace before there is IR. `inputs` and `outputs` are numbers of ports, None where
    the caller says. `base` is a class of the same module. `backend` may differ by version, then it is a dictionary, or by other
    attributes, then it is a function of them.
    """

    module: str
    name: str
    op: str | None = None
    type: str | None = None
    version: str | None = None
    inputs: int | None = 1
    outputs: int | None = 1
    attributes: Mapping[str, Any] = field(default_factory=dict)
    backend: Backend | Mapping[str, Backend] | Callable[[Mapping[str, Any]], Backend] = ()
    base: str | None = None
    requires: tuple[str, ...] = ()
    """Attributes that the caller has to give."""
    fixed: bool = False
    """True if attributes from the caller have no meaning."""
    refuses: tuple[str, ...] = ()
    """Attributes that are inputs here, and belong to another class."""
    completed: Callable[[dict[str, Any]], None] | None = None
    """Changes the attributes that follow from others."""
    members: Mapping[str, Any] = field(default_factory=dict)
    """Additional members of the class."""


def same(module: str, name: str, *rest: Any, **own: Any) -> OpRow:
    """A row whose class, operation and type have one name."""
    return OpRow(module, name, name, name, *rest, **own)


def boolean(*names: str) -> Backend:
    """Attributes that IR has as 'true' and 'false'."""
    return [(name, lambda node, name=name: bool_to_str(node, name)) for name in names]


def listed(*names: str) -> Backend:
    """Attributes that IR has with commas between the elements."""
    return [(name, lambda node, name=name: joined(node, name)) for name in names]


def spatial(**names: str) -> Backend:
    """Return attributes that IR has for spatial dimensions only.

    `names` maps IR's name to the node's attribute, which has an element for each dimension.
    """
    return [
        (name, lambda node, own=own: ",".join(map(str, node[own][node.spatial_dims])))
        for name, own in names.items()
    ]


def truth(*names: str) -> Backend:
    """Return attributes that IR has as 'true' and 'false'.

    The node's values may be of any kind; a missing attribute is 'false'.
    """
    return [(name, lambda node, name=name: str(bool(node.soft_get(name, False))).lower()) for name in names]


def integer(*names: str) -> Backend:
    """Attributes that IR has as integers."""
    return [(name, lambda node, name=name: int(node[name])) for name in names]


def element_type(attribute: str, name: str | None = None) -> Backend:
    """Return an attribute for a numpy type, written with IR's type name."""
    return [(name or attribute, lambda node: np_data_type_to_destination_type(node[attribute]))]
