"""Dialects, passes and targets that loomir adds to xDSL.

They are found by their location and loaded on demand.

A pass named `foo-bar` is the class with that name in `passes/<stage>/foo_bar.py` (or in a package of that name).
Start-up costs no more than listing the folder.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from xdsl.dialects import get_all_dialects
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.targets import get_all_targets
from xdsl.transforms import get_all_passes
from xdsl.universe import Universe
from xdsl.utils.target import Target

from loomir.compiler.formats.format import dialects_of_formats
from loomir.compiler.levels import LEVELS
from loomir.dialects.families import Undo, add_to
from loomir.errors import Error, shown

T = TypeVar("T")

PASS_FOLDERS = ("front", "graph", "structured", "loops", "general")
"""Pass folders: one for each stage, and one for passes of any.

The last one holds passes that work on programs of any stage: they have xDSL's names and replace its passes.
"""
ACCEPTED_STAGES = {
    "front": ("front",),
    "graph": ("graph",),
    "structured": ("graph", "structured"),
    "loops": ("structured", "loops"),
}
"""Folder of a pass → the stages of the programs it accepts.

Passes in other folders accept any stage.
"""


@cache
def _pass_packages() -> dict[str, Path]:
    """Return the packages whose folders hold passes, with their places.

    They are `loomir.passes`, and `passes` of the clients that are installed; no client is imported.
    """
    root = Path(__file__).parents[1]
    clients = sorted((root / "tools").glob("*/passes"))
    return {
        "loomir.passes": root / "passes",
        **{f"loomir.tools.{each.parent.name}.passes": each for each in clients},
    }


def pass_modules() -> dict[str, str]:
    """Pass name → module that holds it."""
    found: dict[str, str] = {}
    for folder in PASS_FOLDERS:
        modules = [
            (module.name, f"{package}.{folder}.{module.name}")
            for package, place in _pass_packages().items()
            for module in pkgutil.iter_modules([str(place / folder)])
            if module.name != "lib"
        ]
        # (The order of a folder's passes does not depend on who has them.)
        found |= {name.replace("_", "-"): module for name, module in sorted(modules)}
    return found


_OF_EXTENSIONS: dict[str, type[ModulePass]] = {}


def folder_of(name: str) -> str:
    """Return the folder of a pass, one of `PASS_FOLDERS`.

    For a pass of an extension it is the pass's `STAGE`; it is empty if it has none, and for other passes that are not loomir's.
    """
    if name in _OF_EXTENSIONS:
        return getattr(_OF_EXTENSIONS[name], "STAGE", "")
    return pass_modules().get(name, "..").split(".")[-2]


def accepted_stages(name: str) -> tuple[str, ...]:
    """Return the stages that a pass accepts; empty if it accepts any."""
    return ACCEPTED_STAGES.get(folder_of(name), ())


def load_pass(name: str, module_name: str) -> type[ModulePass]:
    """The pass class called `name` in this module."""
    module = importlib.import_module(module_name)
    for item in vars(module).values():
        own = isinstance(item, type) and item.__module__ == module_name
        if own and issubclass(item, ModulePass) and getattr(item, "name", None) == name:
            return item
    raise LookupError(f"{module_name} holds no pass named {name}")


def all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Every pass of loomir, by name."""
    return {name: partial(load_pass, name, module) for name, module in pass_modules().items()}


_PASS_NAME = re.compile("[A-Za-z][A-Za-z0-9_-]*")


def add_pass(pass_class: type[ModulePass]) -> Undo:
    """Register a pass of an extension under its name, like built-in passes.

    Its `STAGE`, if it has one, is the stage of the programs that it takes. Raises `Error("extension-clash")` if there is already
    a pass or level of that name, `Error("bad-stage")` for another `STAGE`, `Error("bad-option")` for what pipelines cannot name.
    """
    if not isinstance(pass_class, type) or not issubclass(pass_class, ModulePass):
        raise Error(
            "bad-option", f"{shown(pass_class)} is not a pass", hint="a pass is a subclass of ModulePass"
        )
    name, stage = getattr(pass_class, "name", None), getattr(pass_class, "STAGE", "graph")
    if not isinstance(name, str) or not _PASS_NAME.fullmatch(name):
        hint = "name = a letter, then letters, digits, - and _"
        raise Error("bad-option", f"{pass_class.__name__}: {shown(name)} is not a name of a pass", hint=hint)
    if stage not in ACCEPTED_STAGES:
        raise Error(
            "bad-stage", f"{name}: unknown STAGE {shown(stage)}", hint=f"known: {', '.join(ACCEPTED_STAGES)}"
        )
    return _add(_OF_EXTENSIONS, name, pass_class, {**registered_passes(), **LEVELS}, f"a pass {name}")


added_dialects: dict[str, Dialect] = {}
"""Dialects of extensions, by name."""
added_targets: dict[str, Callable[[], type[Target]]] = {}
"""Targets of extensions, by name, as xDSL's driver takes them."""


def add_dialect(dialect: Dialect) -> Undo:
    """Register a dialect of an extension, so that its text is parsed.

    Raises `Error("extension-clash")` if there is already a dialect of that name.
    """
    known = {**get_all_dialects(), **LOOMIR_UNIVERSE.all_dialects}
    return _add(added_dialects, dialect.name, dialect, known, f"a dialect {dialect.name}")


def add_target(target: type[Target]) -> Undo:
    """Register a target of an extension, which `loomir-opt -t` names.

    Raises `Error("extension-clash")` if there is already a target of that name.
    """
    known = {**get_all_targets(), **LOOMIR_UNIVERSE.all_targets}
    return _add(added_targets, target.name, partial(_same, target), known, f"a target {target.name}")


def _add(table: dict[str, T], name: str, value: T, known: Mapping[str, object], what: str) -> Undo:
    if name in known:
        raise Error("extension-clash", f"{what} exists already", hint="rename that of the extension")
    return add_to(table, name, value, what)


def registered_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Return every pass that can be named.

    These are loomir's passes, the other passes of xDSL, those of other packages (this reads the metadata of every installed
    package), and those of extensions. Error: `extension-broken`.
    """
    added = {name: partial(_same, each) for name, each in _OF_EXTENSIONS.items()}
    try:
        of_packages = Universe.get_multiverse().all_passes
    except Exception as error:
        raise Error(
            "extension-broken",
            f"the entry points xdsl.universe of installed packages cannot be loaded: {type(error).__name__}: {error}",
            hint="xdsl-opt does not run either: repair or remove the package",
        ) from error
    return {**of_packages, **all_passes(), **added}


def _same(value: T) -> T:
    return value


def _ov() -> Dialect:
    from loomir.dialects.ov import get_dialect

    return get_dialect()


def _seq() -> Dialect:
    from loomir.dialects.ovseq import get_dialect

    return get_dialect()


def _quads() -> Dialect:
    from loomir.dialects.quads import get_dialect

    return get_dialect()


def _c_target() -> type[Target]:
    from loomir.compiler.formats.c.emit import CTarget

    return CTarget


LOOMIR_UNIVERSE = Universe(
    all_dialects={**dialects_of_formats(), "ov": _ov, "ovseq": _seq, "quads": _quads},
    # Two universes may not have the same name: what replaces a pass of xDSL is known to loomir's own tools.
    all_passes={name: load for name, load in all_passes().items() if name not in get_all_passes()},
    all_targets={"c": _c_target},
)
