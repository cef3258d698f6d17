"""Where an operation came from, for messages."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc, FusedLoc, NameLoc
from xdsl.ir import Attribute, Operation


def location_name(op: Operation) -> str | None:
    """The layer that an operation came from, or its place in a file; `None` where unknown."""
    return _name_of(op.location)


def place(op: Operation) -> str:
    """`'layer': op.name`, or the operation's name alone where its place is unknown."""
    name = location_name(op)
    return op.name if name is None else f"'{name}': {op.name}"


def _name_of(location: Attribute) -> str | None:
    if isinstance(location, NameLoc):
        return location.desc.data
    if isinstance(location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}:{location.column.data}"
    if isinstance(location, FusedLoc):
        names = (_name_of(part) for part in location.locations)  # pyright: ignore[reportGeneralTypeIssues]
        return next((name for name in names if name is not None), None)
    return None
