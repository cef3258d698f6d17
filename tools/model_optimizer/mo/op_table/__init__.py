"""Table of operations, from which modules `ops.<name>` are made.

Operations are a base class and a few individual classes (`op.py`, `constants.py`), and the rows of this table, one file
per group of families in this package, from which the other classes are created. A module is created when it is imported
first.

A file of the package has `ROWS`, a list of `OpRow`, and, if extensions import more than classes, `NAMES`, a dictionary
by module.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import attribute_not_covered
from loomir.tools.model_optimizer.mo.constants import np_data_type_to_destination_type
from loomir.tools.model_optimizer.mo.context import infer
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.op import Op
from loomir.tools.model_optimizer.mo.op_attributes import bool_to_str, joined

Backend = Sequence[Any]
"""Attributes in IR: names, or pairs of a name and a function.

In a pair, the name is that in IR, and the function takes the node.
"""


@dataclass(frozen=True)
class OpRow:
    """One class of operations.

    `module` is below `ops`, such as 'reshape'; `op` the name in graphs, None for a base class; `type` and `version` those of the
    operation set, None for what transformations replace before there is IR. `inputs` and `outputs` are numbers of ports, None where
    the caller says. `base` is a class of the same module. `backend` may differ by version, then it is a dictionary, or by other
    attributes, then it is a function of them.
    """

    module: str
    name: str
    op: str | None = None
    type: str | None = None
    version: str | None = None
    inputs: int | None = 1
    outputs: int | None = 1
    attributes: Mapping[str, Any] = field(default_factory=dict)
    backend: Backend | Mapping[str, Backend] | Callable[[Mapping[str, Any]], Backend] = ()
    base: str | None = None
    requires: tuple[str, ...] = ()
    """Attributes that the caller has to give."""
    fixed: bool = False
    """True if attributes from the caller have no meaning."""
    refuses: tuple[str, ...] = ()
    """Attributes that are inputs here, and belong to another class."""
    completed: Callable[[dict[str, Any]], None] | None = None
    """Changes the attributes that follow from others."""
    members: Mapping[str, Any] = field(default_factory=dict)
    """Additional members of the class."""


def same(module: str, name: str, *rest: Any, **own: Any) -> OpRow:
    """A row whose class, operation and type have one name."""
    return OpRow(module, name, name, name, *rest, **own)


def boolean(*names: str) -> Backend:
    """Attributes that IR has as 'true' and 'false'."""
    return [(name, lambda node, name=name: bool_to_str(node, name)) for name in names]


def listed(*names: str) -> Backend:
    """Attributes that IR has with commas between the elements."""
    return [(name, lambda node, name=name: joined(node, name)) for name in names]


def spatial(**names: str) -> Backend:
    """Return attributes that IR has for spatial dimensions only.

    `names` maps IR's name to the node's attribute, which has an element for each dimension.
    """
    return [
        (name, lambda node, own=own: ",".join(map(str, node[own][node.spatial_dims])))
        for name, own in names.items()
    ]


def truth(*names: str) -> Backend:
    """Return attributes that IR has as 'true' and 'false'.

    The node's values may be of any kind; a missing attribute is 'false'.
    """
    return [(name, lambda node, name=name: str(bool(node.soft_get(name, False))).lower()) for name in names]


def integer(*names: str) -> Backend:
    """Attributes that IR has as integers."""
    return [(name, lambda node, name=name: int(node[name])) for name in names]


def element_type(attribute: str, name: str | None = None) -> Backend:
    """Return an attribute for a numpy type, written with IR's type name."""
    return [(name or attribute, lambda node: np_data_type_to_destination_type(node[attribute]))]


ROWS = "loomir.tools.model_optimizer.mo.op_table"


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
