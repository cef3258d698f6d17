"""What the Model Optimizer calls the operations of the sets: a graph has `Mul` where IR has the type `Multiply`."""

from __future__ import annotations

from functools import cache

from loomir.compiler.mo.ops.table import rows_by_module


@cache
def _names() -> dict[str, str]:
    found: dict[str, str] = {}
    for rows in rows_by_module().values():
        for row in rows:
            if row.type is not None and row.op is not None:
                found.setdefault(row.type, row.op)
    return found


def operation_name(type_: str) -> str:
    """The name of the operation for a layer's type: the type itself where the table has none."""
    return _names().get(type_, type_)
