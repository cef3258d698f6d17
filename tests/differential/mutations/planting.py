"""A module imported with another source text than its file has, for as long as the process lasts."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from tests.differential.mutations.mutation import ROOT, Mutation


class _Loader(SourceFileLoader):
    """Compiles the changed text, past the cache of compiled files."""

    def __init__(self, fullname: str, path: str, mutation: Mutation) -> None:
        super().__init__(fullname, path)
        self._mutation = mutation

    def get_code(self, fullname: str) -> CodeType:
        text = self._mutation.planted(Path(self.path).read_text(encoding="utf-8"))
        return compile(text, self.path, "exec", dont_inherit=True)


class Planted(importlib.abc.MetaPathFinder):
    """Finds the one module that a mutation is about; `found` says whether anybody imported it."""

    def __init__(self, mutation: Mutation) -> None:
        self._mutation = mutation
        self._file = ROOT / mutation.file
        self.found = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        # `loomir` has links to the folders of the sources.
        if spec is None or spec.origin is None or Path(spec.origin).resolve() != self._file:
            return None
        self.found = True
        spec.loader = _Loader(fullname, spec.origin, self._mutation)
        return spec


def plant(mutation: Mutation) -> Planted:
    """Let a mutation's module be imported with the mistake. Nothing of the compiler may have been imported yet."""
    assert not any(name.split(".")[0] == "loomir" for name in sys.modules), "the compiler is there already"
    planted = Planted(mutation)
    sys.meta_path.insert(0, planted)
    return planted
