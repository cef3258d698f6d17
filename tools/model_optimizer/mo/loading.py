"""Loading of extensions from a directory in the Model Optimizer's layout.

The layout is `ops/`, `load/`, `front/`, `front/onnx/`, `middle/`, `back/`.

Each call imports the files under a package name of its own, so that two directories may have files of equal names. A
file imports others of its directory relatively or by the directory's name (`from mo_extensions.ops.FFT import FFT`), at
load time and later in its functions.
"""

from __future__ import annotations

import builtins
import importlib
import itertools
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.api_names import install_legacy_names
from loomir.tools.model_optimizer.mo.context import blamed_on, known
from loomir.tools.model_optimizer.mo.extractors import FrontExtractorOp
from loomir.tools.model_optimizer.mo.op import Op
from loomir.tools.model_optimizer.mo.phases import PLACE
from loomir.tools.model_optimizer.mo.transformations import (
    BackReplacementPattern,
    FrontReplacementPattern,
    Loader,
    MiddleReplacementPattern,
    ReplacementPattern,
)

PHASES: Mapping[str, type] = {
    "ops": Op,
    "load": Loader,
    "extractors": FrontExtractorOp,
    "front": FrontReplacementPattern,
    "middle": MiddleReplacementPattern,
    "back": BackReplacementPattern,
}
"""By phase the class that its classes derive from."""

_numbers = itertools.count(1)


def _folders(framework: str) -> list[str]:
    """In the order in which they are imported."""
    front = ["front", f"front/{framework}", f"front/{framework}/extractors"]
    return ["ops", f"load/{framework}", *front, "middle", "back"]


class _Isolated(SourceFileLoader):
    """Runs a file with an `__import__` that knows its directory's name."""

    def __init__(self, fullname: str, path: str, directory: _Directory) -> None:
        super().__init__(fullname, path)
        self._directory = directory

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._directory.import_}
        module.__dict__[PLACE] = module.__name__.partition(".")[2]
        with blamed_on("mo-extension-broken", "the extension cannot be imported", self.path):
            super().exec_module(module)


class _Directory(MetaPathFinder):
    """Finds the modules of one directory, as those of package `package`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.package = f"loomir_mo_extensions_{next(_numbers)}"
        root = ModuleType(self.package)
        root.__path__ = [str(path)]
        sys.modules[self.package] = root
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(f"{self.package}."):
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Isolated(fullname, spec.loader.path, self)
        return spec

    def _own(self, name: str) -> str | None:
        """Return the name in the package for an import by directory name.

        For any other name the result is None.
        """
        head, _, rest = name.partition(".")
        if head != self.path.name:
            return None
        place = self.path.joinpath(*rest.split(".")) if rest else self.path
        # A directory may be called as a part of the Model Optimizer itself: what it does not have comes from there.
        there = place.is_dir() or place.with_name(f"{place.name}.py").is_file()
        return f"{self.package}.{rest}".rstrip(".") if there else None

    def import_(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        own = self._own(name) if level == 0 else None
        if own is None:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        if fromlist:
            return builtins.__import__(own, globals, locals, fromlist, 0)
        importlib.import_module(own)
        return sys.modules[self.package]


def load_extensions(
    directory: Path | str, framework: str = "onnx", only: Collection[str] | None = None
) -> dict[str, list[type]]:
    """Import the extensions of a directory and return their classes by phase.

    The phases are `PHASES`; the classes are in the order in which they are found.

    With `only`, import those files of the directory, such as 'front/onnx/fft_ext.py', and their imports.
    `Op.get_op_class_by_name` finds the directory's operations from then on. The old names of the API
    (`install_legacy_names`) refer to it.
    Errors: `mo-extension-broken` for a file that cannot be imported, or a directory that does not exist or has none;
    `mo-api-not-covered`, with the file.
    """
    install_legacy_names()
    path = Path(directory).absolute()
    found = _Directory(path)
    classes: dict[str, list[type]] = {phase: [] for phase in PHASES}
    modules = 0
    for folder in _folders(framework):
        for file in sorted((path / folder).glob("*.py")):
            wanted = only is None or f"{folder}/{file.name}" in only
            if wanted and file.stem != "__init__" and file.stem.isidentifier():
                name = ".".join([found.package, *folder.split("/"), file.stem])
                _sort_in(importlib.import_module(name), classes)
                modules += 1
    if not modules:
        raise Error(
            "mo-extension-broken",
            "there are no extensions in the directory",
            file=str(directory),
            hint=f"they are Python files in {', '.join(_folders(framework))}",
        )
    for cls in classes["ops"]:
        op = getattr(cls, "op", None)
        if op is not None and cls not in Op.excluded_classes:
            known().operations[op] = cls
    return classes


def _sort_in(module: ModuleType, classes: dict[str, list[type]]) -> None:
    """Adds the classes that the module defines to those of their phases."""
    for cls in vars(module).values():
        if not isinstance(cls, type) or cls.__module__ != module.__name__:
            continue
        if cls in ReplacementPattern.excluded_replacers:
            continue
        for phase, base in PHASES.items():
            if issubclass(cls, base) and cls not in classes[phase]:
                classes[phase].append(cls)
