"""`python -m tests.mo_coverage DIR [--write]`: how much of what an installed Model Optimizer's front files use `loomir.mo` has.

DIR is its package `openvino/tools/mo`; `--write` keeps the answer as a page of the documentation. Counted are, in all files of `front/`
and `front/onnx/`, calls of methods by name that Graph, Node, Port, Connection or Op have there, and imports from the package, of
modules and of names in them.
"""

from __future__ import annotations

import ast
import datetime
import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from loomir.tools.model_optimizer.mo.graph.connection import Connection
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.graph.port import Port, PortData
from loomir.tools.model_optimizer.mo.op import Op

PACKAGE = "openvino.tools.mo"
PAGE = Path(__file__).parents[1] / "docs" / "model-optimizer-coverage.md"

CLASSES = {
    "graph/graph.py": {"Graph": Graph, "Node": Node},
    "graph/port.py": {"Port": Port, "DataAccessor": PortData},
    "graph/connection.py": {"Connection": Connection},
    "ops/op.py": {"Op": Op},
}
"""By file there the classes, and what they are here."""


@dataclass
class Count:
    """Uses by name, and which of the names loomir has."""

    uses: Counter[str] = field(default_factory=Counter)
    covered: set[str] = field(default_factory=set)

    def add(self, name: str, covered: bool) -> None:
        self.uses[name] += 1
        if covered:
            self.covered.add(name)

    @property
    def share(self) -> float:
        """Of the uses, those that are covered; 1 if there are none."""
        total = self.uses.total()
        return sum(n for name, n in self.uses.items() if name in self.covered) / total if total else 1.0

    def table(self) -> Iterator[str]:
        """A row for each name, the most used first, and of those the first in the alphabet."""
        for name, uses in sorted(self.uses.items(), key=lambda item: (-item[1], item[0])):
            yield f"| `{name}` | {uses} | {'yes' if name in self.covered else 'no'} |"

    def missing(self) -> Iterator[str]:
        """Names that are not covered."""
        return iter(sorted(self.uses.keys() - self.covered))


def methods(directory: Path) -> dict[str, bool]:
    """Names of public methods that those classes have there, and whether one of them has it here."""
    found: dict[str, bool] = {}
    for file, classes in CLASSES.items():
        for node in ast.walk(ast.parse((directory / file).read_text())):
            if isinstance(node, ast.ClassDef) and node.name in classes:
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                        here = hasattr(classes[node.name], method.name)
                        found[method.name] = here or found.get(method.name, False)
    # What `port.data` and `connection.data` have is set in constructors there.
    for name in ("get_shape", "set_shape", "get_value", "set_value", "get_attr", "has_valid"):
        found[name] = hasattr(PortData, name)
    return found


def has(module: str, name: str | None) -> bool:
    """Return True if `loomir.mo` has a module, or a name in it.

    `module` is the module's name below the package.
    """
    full = f"loomir.mo.{module}".rstrip(".")
    try:
        found = importlib.import_module(full)
        if name in (None, "*"):
            return True
        return name in vars(found) or importlib.import_module(f"{full}.{name}") is not None
    except ModuleNotFoundError:
        return False


def count(directory: Path) -> tuple[Count, Count, int]:
    """Calls, imports, and the number of files."""
    calls, imports = Count(), Count()
    known = methods(directory)
    files = sorted(p for folder in ("front", "front/onnx") for p in (directory / folder).glob("*.py"))
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in known
            ):
                calls.add(node.func.attr, known[node.func.attr])
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                module = str(node.module).removeprefix(PACKAGE).removeprefix(".")
                for name in node.names:
                    imports.add(f"{module}:{name.name}", has(module, name.name))
    return calls, imports, len(files)


def page(directory: Path) -> str:
    """The answer in Markdown, without the date."""
    calls, imports, files = count(directory)
    lines = [
        "# What of the Model Optimizer's API there is",
        "",
        f"In the {files} files of `front/` and `front/onnx/` of `openvino-dev` 2024.6, counted by",
        "`python -m tests.mo_coverage DIR --write`.",
        "",
        f"Imports: {imports.uses.total()} of {len(imports.uses)} names, {100 * imports.share:.1f} % of them there. Where an",
        "extension gets `mo-api-not-covered` it asks for what reads the command line's options, which are loomir's own, or models,",
        "or for what belongs to other frameworks:",
        ", ".join(f"`{name}`" for name in imports.missing()) + ".",
        "",
        f"Calls of methods: {calls.uses.total()}, {100 * calls.share:.1f} % of them there.",
        "",
        "| method | calls | there |",
        "|---|---|---|",
        *calls.table(),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    if len(arguments) != 1:
        print(__doc__)
        return 2
    text = page(Path(arguments[0]))
    print(text)
    if "--write" in sys.argv:
        PAGE.write_text(f"{text}\nCounted on {datetime.date.today()}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
