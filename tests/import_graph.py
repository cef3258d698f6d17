"""The import graph of the product: modules of the four layers, and the modules that each imports."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.code_lines import LAYERS, ROOT


def sources() -> list[Path]:
    """Return the files of the product's modules, layer by layer."""
    return [path for layer in LAYERS for path in sorted((ROOT / layer).rglob("*.py"))]


def module_name(path: Path) -> str:
    """The name that a file is imported by."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    return name if path.is_relative_to(ROOT / "tests") else f"loomir.{name}"


@cache
def import_statements(path: Path) -> frozenset[tuple[str, str]]:
    """Return pairs of a module and an imported name of it; the name is empty for `import module`."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update((each.name, "") for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update((node.module, each.name) for each in node.names)
    return frozenset(found)


def imports_of(path: Path) -> set[str]:
    """The modules that a file imports, with the packages that they are in."""
    return {part for module, name in import_statements(path) for part in (module, f"{module}.{name}")}


@cache
def imported_modules() -> dict[str, set[str]]:
    """For each module those that it imports anywhere: in functions and under TYPE_CHECKING too.

    (What is found by its place, such as the families of a dialect or passes, is imported by a name that is made, and does not count.)
    """
    modules = {module_name(path): path for path in sources()}
    found: dict[str, set[str]] = {}
    for importer, path in modules.items():
        statements = import_statements(path)
        names = {each if (each := f"{module}.{name}") in modules else module for module, name in statements}
        found[importer] = names & modules.keys() - {importer}
    return found
