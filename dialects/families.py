"""Import of all modules of a package, one per family.

Code that is divided by family (operations, lowerings, translators) is found by its presence in the package.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from xdsl.ir import Operation


def families(package: str) -> Iterator[tuple[str, ModuleType]]:
    """Yield the name and module of every family in a package.

    The package is given by its full name; the families come in the order of their names.
    """
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        yield module.name, importlib.import_module(f"{package}.{module.name}")


def operations_of(dialect: str, package: str) -> tuple[type[Operation], ...]:
    """Return the operation classes of a dialect.

    The families of the package define them (and may import them from each other).
    """
    found: dict[str, type[Operation]] = {}
    for _, module in families(package):
        for item in vars(module).values():
            if isinstance(item, type) and issubclass(item, Operation) and item.__module__ == module.__name__:
                name = getattr(item, "name", "")
                if isinstance(name, str) and name.startswith(f"{dialect}."):  # not an abstract class
                    assert name not in found, f"{name} is defined twice"
                    found[name] = item
    return tuple(found.values())
