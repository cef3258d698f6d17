"""Extensions are found: a file, a package by its name, or what installed packages announce; each is registered once in a process."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from threading import RLock
from types import ModuleType

from loomir.compiler.extensions.extension import Extension
from loomir.errors import Error, shown

GROUP = "loomir.extensions"
"""The entry points of installed packages: each names a module, or an `Extension` in one."""

_LOADED: dict[str, Extension] = {}
"""By name."""
_FILES: dict[Path, list[Extension]] = {}
_LOCK = RLock()


def load_extension(source: str | Path) -> list[Extension]:
    """Load the extensions of a Python file (`….py`), or of a package or module by its name; those that are loaded already are only given.

    Errors: `extension-broken` for what cannot be imported, with the cause, or holds no `Extension`; `extension-clash`,
    `extension-operation`.
    """
    if not isinstance(source, str | Path) or not str(source):
        raise Error("bad-option", f"{shown(source)} is no extension", hint="a file or the name of a module")
    with _LOCK:
        if str(source).endswith(".py"):
            path = Path(source).resolve()
            if path not in _FILES:
                _FILES[path] = _registered(_module_of_file(path), str(source))
            return _FILES[path]
        return _registered(_imported(str(source)), str(source))


@cache
def load_installed() -> None:
    """Load what installed packages announce (entry points of the group `loomir.extensions`). Errors: those of `load_extension`."""
    with _LOCK:
        for entry in entry_points(group=GROUP):
            try:
                found = entry.load()
            except Exception as error:
                raise _broken(f"{entry.name} = {entry.value}", error) from error
            if isinstance(found, Extension):
                _register(found, entry.value)
            else:
                _registered(found, entry.value)


def loaded() -> list[Extension]:
    """The extensions that are loaded, in the order in which they were."""
    return list(_LOADED.values())


def _module_of_file(path: Path) -> ModuleType:
    """The file as a module whose name is not taken; what it imports from its own folder has to be a package."""
    name = f"loomir_extension_{path.stem}_{len(_FILES)}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise _broken(str(path), error) from error
    return module


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise _broken(name, error) from error


def _broken(source: str, error: Exception) -> Error:
    cause = f"{type(error).__name__}: {error}"
    return Error(
        "extension-broken",
        f"the extension {source} cannot be loaded: {cause}",
        hint="a file ends in .py; a package has to be installed, or its folder to be in PYTHONPATH",
    )


def _registered(module: ModuleType, source: str) -> list[Extension]:
    found = [each for each in vars(module).values() if isinstance(each, Extension)]
    if not found:
        raise Error(
            "extension-broken",
            f"{source} holds no Extension",
            hint='extension = loomir.Extension("its name")',
        )
    for each in found:
        _register(each, source)
    return found


def _register(extension: Extension, source: str) -> None:
    known = _LOADED.get(extension.name)
    if known is extension:
        return
    if known is not None:
        raise Error(
            "extension-clash",
            f"{source}: there is another extension called '{extension.name}'",
            hint="give one of them another name",
        )
    extension.register()
    _LOADED[extension.name] = extension
