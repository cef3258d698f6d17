"""Modules `ops.<name>` with classes created from a table.

The table is the rows in `ops/rows/`. A module is created when it is imported first.

A file in `ops/rows/` has `ROWS`, a list of `OpRow`, and, if extensions import more than classes, `NAMES`, a dictionary
by module.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from types import ModuleType
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.errors import attribute_not_covered
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.ops.inference import infer
from loomir.tools.model_optimizer.mo.ops.op import Op
from loomir.tools.model_optimizer.mo.ops.row import OpRow

ROWS = "loomir.tools.model_optimizer.mo.ops.rows"


class TableOp(Op):
    """Operation of a row.

    Classes of extensions may derive from it, with `op`, `op_type`, `version` and `infer` of their own.
    """

    row: OpRow
    op: str | None = None
    op_type: str | None = None
    version: str | None = None
    enabled = False

    def __init__(
        self, graph: Graph, attrs: dict[str, Any] | None = None, more: dict[str, Any] | None = None
    ) -> None:
        row = self.row
        given = {} if row.fixed else {**(attrs or {}), **(more or {})}
        self._check(given)
        own: dict[str, Any] = {"op": self.op, "type": self.op_type, "infer": self.infer}
        if self.version is not None:
            own["version"] = self.version
        if row.inputs is not None:
            own["in_ports_count"] = row.inputs
        if row.outputs is not None:
            own["out_ports_count"] = row.outputs
        super().__init__(graph, {**own, **deepcopy(dict(row.attributes))}, given)
        if row.completed is not None:
            row.completed(self.attrs)

    def _check(self, given: Mapping[str, Any]) -> None:
        """Errors: `mo-op-attribute` for one that is missing, or belongs to another class."""
        for name in self.row.requires:
            if name not in given:
                raise Error("mo-op-attribute", f"attribute '{name}' is missing", op=self.row.name)
        for name in self.row.refuses:
            if name in given:
                hint = f"if there is a class Attributed{self.row.name}, it has such an attribute"
                raise Error(
                    "mo-op-attribute", f"'{name}' is an input and no attribute", op=self.row.name, hint=hint
                )

    @staticmethod
    def infer(node: Node) -> None:
        """Errors: `mo-infer-missing`."""
        infer(node)

    def supported_attrs(self) -> list[Any]:
        backend = self.row.backend
        if callable(backend):
            return list(backend(self.attrs))
        return list(backend.get(self.get_opset(), ()) if isinstance(backend, Mapping) else backend)


@cache
def rows_by_module() -> dict[str, list[OpRow]]:
    """By module, in the order of the files."""
    found: dict[str, list[OpRow]] = {}
    for file in _files():
        for row in file.ROWS:
            found.setdefault(row.module, []).append(row)
    return found


def _files() -> list[Any]:
    package = importlib.import_module(ROWS)
    return [importlib.import_module(f"{ROWS}.{m.name}") for m in pkgutil.iter_modules(package.__path__)]


@cache
def _names(module: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in _files():
        found |= getattr(file, "NAMES", {}).get(module, {})
    return found


def filler(module: str) -> Callable[[ModuleType], None] | None:
    """Return a function that fills module `ops.<module>` with its classes.

    Returns None if no row belongs to the module.
    """
    rows = rows_by_module().get(module)
    names = _names(module)
    if rows is None and not names:
        return None

    def fill(target: ModuleType) -> None:
        target.__doc__ = f"Operations of ops/{module}.py, from the table."
        vars(target).update(names)
        for row in rows or ():
            setattr(target, row.name, _class(row, target))

    return fill


def _class(row: OpRow, module: ModuleType) -> Any:
    base = TableOp if row.base is None else getattr(module, row.base)
    members = {
        "__doc__": f"{row.type or row.op or row.name}, from the table.",
        "__module__": module.__name__,
        "row": row,
        "op": row.op,
        "op_type": row.type,
        "version": row.version,
        **row.members,
    }
    return type(row.name, (base,), members)


def class_of_op(op: str) -> type[Op]:
    """The class whose `op` is that. Errors: `mo-api-not-covered`."""
    for rows in rows_by_module().values():
        for row in rows:
            if row.op == op:
                return getattr(
                    importlib.import_module(f"loomir.tools.model_optimizer.mo.ops.{row.module}"), row.name
                )
    for name in ("Const", "Parameter", "Result"):
        if name == op:
            return getattr(
                importlib.import_module(f"loomir.tools.model_optimizer.mo.ops.{name.lower()}"), name
            )
    raise attribute_not_covered("The table of operations", op)
