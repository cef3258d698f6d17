"""Loading of extensions, each registered once per process.

The source is a file, a package by its name, or the announcements of installed packages.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from threading import RLock
from types import ModuleType

from loomir.compiler.extensions import NAMED, VARIABLE, announced
from loomir.compiler.extensions.extension import Extension
from loomir.dialects.families import Undo
from loomir.errors import Error, ExtensionWarning, shown, warn

_LOADED: dict[str, Extension] = {}
"""By name."""
_UNDO: dict[str, Undo] = {}
_FILES: dict[Path, list[Extension]] = {}
_LOCK = RLock()


def load_extension(source: str | Path) -> list[Extension]:
    """Load the extensions of a Python file, package or module.

    The file has a name `….py`; a package or module is given by its name. Extensions that are already loaded are only returned.

    Errors: `extension-broken` for a source that cannot be imported, with the cause, or that holds no `Extension`;
    `extension-clash`, `extension-operation`.
    """
    if not isinstance(source, str | Path) or not str(source):
        raise Error(
            "bad-option", f"{shown(source)} is not an extension", hint="a file or the name of a module"
        )
    with _LOCK:
        if str(source).endswith(".py"):
            path = Path(source).resolve()
            if path not in _FILES:
                _FILES[path] = _registered(_held(_module_of_file(path)), str(source))
            found, source = _FILES[path], path
        else:
            found = _registered(_held(_imported(str(source))), str(source))
        NAMED.update({each.name: str(source) for each in found})
        return found


@cache
def load_installed() -> None:
    """Load what installed packages announce (entry points of the group `loomir.extensions`).

    What cannot be loaded is left out, with an `ExtensionWarning`: a user may not even know of the package. Error: `bad-option`.
    """
    with _LOCK:
        for entry in announced():
            try:
                _load_announced(entry)
            except Error as error:
                package = f" of the package {entry.dist.name} {entry.dist.version}" if entry.dist else ""
                warn(
                    ExtensionWarning(
                        f"the entry point {entry.name} = {entry.value}{package} is skipped: {error.what} [{error.identifier}];"
                        f" {VARIABLE}=none in the environment skips all installed extensions"
                    )
                )


def _load_announced(entry: EntryPoint) -> None:
    try:
        found = entry.load()
    except Exception as error:
        raise _broken(entry.value, error) from error
    _registered([found] if isinstance(found, Extension) else _held(found), entry.value)


def loaded() -> list[Extension]:
    """The extensions that are loaded, in the order in which they were."""
    return list(_LOADED.values())


def _module_of_file(path: Path) -> ModuleType:
    """Import the file as a module with a unique name.

    Imports from its own folder require the folder to be a package.
    """
    name = f"loomir_extension_{path.stem}_{len(_FILES)}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _broken(str(path), error) from error
    return module


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from error


def _broken(source: str, error: BaseException) -> Error:
    cause = f"{type(error).__name__}: {error}"
    return Error(
        "extension-broken",
        f"the extension {source} cannot be loaded: {cause}",
        hint="a file ends in .py; a package must be installed, or its folder must be in PYTHONPATH",
    )


def _held(module: object) -> list[Extension]:
    """The extensions among what a module holds."""
    held = vars(module).values() if isinstance(module, ModuleType) else ()
    return list({id(each): each for each in held if isinstance(each, Extension)}.values())


def _registered(found: list[Extension], source: str) -> list[Extension]:
    """Let all of them hold, or none."""
    if not found:
        raise Error(
            "extension-broken",
            f"{source} holds no Extension",
            hint='extension = loomir.Extension("its name")',
        )
    new: list[Extension] = []
    try:
        for each in found:
            if _register(each, source):
                new.append(each)
    except BaseException:
        for each in reversed(new):
            _unload(each)
        raise
    return found


def _register(extension: Extension, source: str) -> bool:
    """Register an extension; return True if it is new.

    Errors: `extension-clash`, `extension-operation`.
    """
    known = _LOADED.get(extension.name)
    if known is extension:
        return False
    if known is not None:
        raise Error(
            "extension-clash",
            f"{source}: another extension has the name '{extension.name}'",
            hint="give one of them another name",
        )
    try:
        _UNDO[extension.name] = extension.register()
    except Error as error:
        error.what = f"the extension {extension.name} of {source}: {error.what}"
        raise
    _LOADED[extension.name] = extension
    return True


def _unload(extension: Extension) -> None:
    del _LOADED[extension.name]
    NAMED.pop(extension.name, None)
    _UNDO.pop(extension.name)()


@contextmanager
def unloaded_afterwards() -> Iterator[None]:
    """Unload at exit all extensions that were loaded inside the context.

    This is for trying out extensions. Programs that were created with an extension keep its operations.
    """
    before = set(_LOADED)
    try:
        yield
    finally:
        with _LOCK:
            for extension in [_LOADED[name] for name in reversed(_LOADED) if name not in before]:
                _unload(extension)
                for path in [path for path, held in _FILES.items() if extension in held]:
                    del _FILES[path]
