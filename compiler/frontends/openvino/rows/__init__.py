"""Which operation a layer's type is, and how its `<data>` is read: one row per type, one file per operator family.

A family file holds `ROWS`: type → `Row`. Files are found by themselves; a type that stands twice is a mistake.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from loomir.compiler.frontends.openvino.attributes import Row
from loomir.errors import Error


@cache
def rows() -> Mapping[str, Row]:
    """Every layer type that is known, with its row."""
    table: dict[str, Row] = {}
    for module in pkgutil.iter_modules(__path__):
        family = importlib.import_module(f"{__name__}.{module.name}").ROWS
        assert not table.keys() & family.keys(), f"{module.name}: a layer type has two rows"
        table.update(family)
    return table


@cache
def row_of(type_: str) -> Row:
    """The row of a layer type. Error: `unknown-operator`."""
    row = rows().get(type_)
    if row is None:
        raise Error(
            "unknown-operator", f"no operator '{type_}' is known", hint="docs/operators.md lists what is"
        )
    return row
