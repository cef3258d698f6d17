"""The modules of a package, imported: what is told apart by family (operations, lowerings, translators) is found by being there."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType


def families(package: str) -> Iterator[tuple[str, ModuleType]]:
    """Name and module of every family in a package, given by its full name, in the order of their names."""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        yield module.name, importlib.import_module(f"{package}.{module.name}")
