"""Locations of operations: their layer, and their place in a file."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation

from loomir.errors import Error


def _parts(location: Attribute) -> list[Attribute]:
    """A location and what it is made of, outermost first."""
    found, pending = [], [location]
    while pending:
        part = pending.pop()
        found.append(part)
        if isinstance(part, FusedLoc) and isinstance(part.locations, ArrayAttr):
            pending.extend(reversed(part.locations.data))
        elif isinstance(part, NameLoc):
            pending.append(part.location)
        elif isinstance(part, CallSiteLoc):
            pending += [part.caller, part.callee]
    return found


def layer_name(op: Operation) -> str | None:
    """Return the name of the operation's layer or node, or None.

    None means that the operation's location names no layer.
    """
    location = op.location
    if type(location) is NameLoc:
        return location.desc.data
    if type(location) is UnknownLoc:
        return None
    return next((part.desc.data for part in _parts(location) if isinstance(part, NameLoc)), None)


def location_of_layer(layer: str, tensors: Sequence[Sequence[str]]) -> NameLoc:
    """Return the location of an operation that computes tensors of a layer.

    `tensors` has one inner list of names for each result: `loc("split"(fused[fused["a"], fused["b", "c"]]))`.
    """
    if not any(tensors):
        return NameLoc(StringAttr(layer), NoneAttr())
    named = [_fused([NameLoc(StringAttr(name), NoneAttr()) for name in group]) for group in tensors]
    return NameLoc(StringAttr(layer), _fused(named))


def _fused(locations: Sequence[Attribute]) -> FusedLoc:
    return FusedLoc(ArrayAttr(locations), NoneAttr())


def tensor_names(op: Operation) -> list[list[str]]:
    """Return the model's names of each result of an operation.

    `location_of_layer` records them in the location; the list is empty for any other location.
    """
    location = op.location
    results = location.location if isinstance(location, NameLoc) else None
    if not isinstance(results, FusedLoc) or not isinstance(results.locations, ArrayAttr):
        return []
    groups = [
        g.locations.data if isinstance(g, FusedLoc) and isinstance(g.locations, ArrayAttr) else ()
        for g in results.locations
    ]
    return [[part.desc.data for part in group if isinstance(part, NameLoc)] for group in groups]


def position(op: Operation) -> tuple[str, int, int] | None:
    """Return file, line and column of the operation, or None.

    None means that the operation was not read from a text.
    """
    for part in _parts(op.location):
        if isinstance(part, FileLineColLoc):
            return part.filename.data, part.line.data, part.column.data
    return None


def place(op: Operation) -> str:
    """For a message: `'layer': op.name`, `file:line:column: op.name`, or the operation's name alone."""
    if (name := layer_name(op)) is not None:
        return f"'{name}': {op.name}"
    at = position(op)
    return op.name if at is None else f"{':'.join(map(str, at))}: {op.name}"


def located(error: Error, op: Operation | None, *, named: bool = True) -> Error:
    """Return the error, completed with the location of the operation.

    Only missing information is added: the operation's layer, its name (if `named`), and its position in the text.
    """
    if op is None:
        return error
    error.at(layer=layer_name(op), op=op.name if named else None)
    if error.where.position is None and (at := position(op)) is not None:
        file, line, column = at
        error.at(file=file, position=(line, column))
    return error
