"""The Model Optimizer's Python API for extensions, and its names.

It provides graphs, operations and transformations under the names that extensions import: import aliases, late lookup, and errors
for missing names.

One set of modules is available under several names: `loomir.mo`, and for old extensions `openvino.tools.mo`, `mo` and
`extensions`.

A module imported by another name is the same object in `sys.modules`, so that no class exists twice. Public modules that
are not files are found here too: those whose names are in modules by subject (`public_modules.py`), operations that are
rows of a table (`op_table/`), and names of the Model Optimizer's own transformations (`known_names.py`).

`member` looks up a name of the API at the time of use. The Model Optimizer's modules refer to each other in cycles: a
graph creates constants, constants are operations, operations belong to graphs; a base class of transformations names
anchors that derive from it. Here imports go one way, and upward references use the place from which extensions would
import, which also finds the operations that are rows of a table and not files.

Extensions that use parts missing from this API get the errors of this module.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from loomir.errors import Error

NOT_COVERED = "mo-api-not-covered"
"""Error identifier for every missing module, class, function, method and attribute."""


class AttributeNotCovered(Error, AttributeError):
    """Name missing from a module or a class of the API.

    The error is also an `AttributeError`, for `hasattr`.
    """


class ImportNotCovered(Error, ModuleNotFoundError):
    """Module missing from the API.

    The error is also a `ModuleNotFoundError`, for `try: import`.
    """


class NodeAttributeMissing(Error, AttributeError, KeyError):
    """Attribute missing from a node.

    The error is also a `KeyError`, which extensions may catch, and an `AttributeError`.
    """

    # `KeyError` prints the representation of its argument, which would hide the place and the hint.
    __str__ = Error.__str__


def attribute_not_covered(owner: str, name: str) -> AttributeNotCovered:
    """Return the error for a name that `owner` does not have.

    `owner` is a module or class, as an extension writes it.
    """
    return AttributeNotCovered(
        NOT_COVERED,
        f"{owner} has no '{name}' in loomir's Model Optimizer API",
        hint="the extension must do without it, or loomir.tools.model_optimizer.mo must add it",
    )


def import_not_covered(name: str) -> ImportNotCovered:
    """Return the error for a missing module, by its imported name."""
    return ImportNotCovered(
        NOT_COVERED,
        f"there is no '{name}' in loomir's Model Optimizer API",
        hint="the extension must do without it, or loomir.tools.model_optimizer.mo must add it",
    )


ROOT = "loomir.tools.model_optimizer.mo"


def member(module: str, name: str) -> Any:
    """`name` of the API's module `module`, such as `member("ops.const", "Const")`.

    Errors: `mo-api-not-covered`.
    """
    return getattr(importlib.import_module(f"{ROOT}.{module}"), name)


LEGACY = ("openvino.tools.mo", "mo", "extensions")
"""Package names in the imports of extensions.

The first is that of 2022 and later, the others are the two parts before.
"""


class _Existing(Loader):
    """Gives a module that is there under another name."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self._target)
        self._spec = module.__spec__
        _told_what_it_lacks(module, self._target)
        return module

    def exec_module(self, module: ModuleType) -> None:
        # Importing gave it the alias's; it stays what it was.
        module.__spec__ = self._spec


class _Made(Loader):
    """Gives a module that a function fills."""

    def __init__(self, fill: Callable[[ModuleType], None]) -> None:
        self._fill = fill

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        self._fill(module)


def _told_what_it_lacks(module: ModuleType, name: str) -> None:
    """`from module import name` raises `mo-api-not-covered` where there is none; a package finds its modules."""
    if "__getattr__" in vars(module):
        return

    def missing(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(f"module '{name}' has no attribute '{attribute}'")
        if hasattr(module, "__path__"):
            return importlib.import_module(f"{name}.{attribute}")
        raise import_not_covered(f"{name.removeprefix(f'{ROOT}.')}.{attribute}")

    vars(module)["__getattr__"] = missing


class Finder(MetaPathFinder):
    """Import finder for aliases of the API and for table-defined operations.

    It finds modules of the API by their other names, and modules of operations by the table's rows.
    """

    def __init__(self) -> None:
        self._aliases = {"loomir.mo": ROOT}

    def install(self) -> None:
        """From now on it is asked, before others."""
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def add(self, alias: str) -> None:
        """Add a name for the API.

        A different module imported by that name before is removed from `sys.modules`.
        """
        if alias not in self._aliases:
            self._forget(alias)
        self._aliases[alias] = ROOT

    def remove(self, alias: str) -> None:
        """Remove a name of the API, and the modules imported by it."""
        self._aliases.pop(alias, None)
        self._forget(alias)

    @staticmethod
    def _forget(alias: str) -> None:
        for name in [n for n in list(sys.modules) if n == alias or n.startswith(f"{alias}.")]:
            del sys.modules[name]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module of the API by any of its names.

        Errors: `mo-api-not-covered`, which is a `ModuleNotFoundError`, for a module that the API does not have.
        """
        for alias, root in self._aliases.items():
            if fullname == alias or fullname.startswith(f"{alias}."):
                return self._known(fullname, root + fullname.removeprefix(alias))
        if fullname.startswith(f"{ROOT}."):
            return PathFinder.find_spec(fullname, path) or self._of_table(fullname)
        if any(alias.startswith(f"{fullname}.") for alias in self._aliases):
            return self._package_above(fullname, path)
        return None

    def _known(self, fullname: str, target: str) -> ModuleSpec:
        try:
            package = hasattr(importlib.import_module(target), "__path__")
        except ModuleNotFoundError as error:
            if error.name not in (None, target):
                raise
            raise import_not_covered(fullname) from None
        return ModuleSpec(fullname, _Existing(target), is_package=package)

    @staticmethod
    def _of_table(fullname: str) -> ModuleSpec:
        place = fullname.removeprefix(f"{ROOT}.")
        public = importlib.import_module(f"{ROOT}.public_modules")
        fill = public.filler(place)
        if fill is None and place.startswith("ops."):
            fill = importlib.import_module(f"{ROOT}.op_table").filler(place.removeprefix("ops."))
        elif fill is None:
            fill = importlib.import_module(f"{ROOT}.phases").known_module_filler(place)
        if fill is None:
            raise import_not_covered(place)
        return ModuleSpec(fullname, _Made(fill), is_package=public.is_package(place))

    @staticmethod
    def _package_above(fullname: str, path: Sequence[str] | None) -> ModuleSpec | None:
        """Return an empty package for `openvino` and `openvino.tools` if not installed.

        Installed packages are used as they are. The package contains nothing but the aliased modules.
        """
        if fullname == "loomir" or PathFinder.find_spec(fullname, path) is not None:
            return None
        return ModuleSpec(fullname, _Made(lambda module: None), is_package=True)


FINDER = Finder()
"""The one that `loomir.tools.model_optimizer.mo` installs when it is imported."""


def install_legacy_names() -> None:
    """Make the API importable as `openvino.tools.mo`, `mo` and `extensions`.

    Extensions written for the Model Optimizer find the API by these names. In an installed package `openvino`, only
    `openvino.tools.mo` is replaced.
    """
    for alias in LEGACY:
        FINDER.add(alias)


def remove_legacy_names() -> None:
    """The names of `install_legacy_names` mean again what they would mean without loomir."""
    for alias in LEGACY:
        FINDER.remove(alias)


FINDER.install()
