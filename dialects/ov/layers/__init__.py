"""Layers of OpenVINO's operation sets and the operations they map to.

A layer is a type, an operation set, and attributes as text. The users of this package are the reader of OpenVINO IR, and
`ov-resolve-custom`, which finds the meaning of an `ov.custom`.

There is one row per layer type, which has its operation and the readers of its `<data>`.

Most rows follow from the operations' `SOURCES`. `network_rows.py` and `tensor_rows.py` hold tables of the others, type → `Row`, one per
operator family, in variables that end in `_ROWS`: older versions, attributes that are read in another way, layers that are several
operations. Modules of this package are searched for such tables; a type that occurs twice is a mistake.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from loomir.dialects.families import extensible, families
from loomir.dialects.ov import operations
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.layers.attributes import AXIS, DASHED, Row, as_it_stands
from loomir.dialects.ov.layers.format import operator_name, operator_version
from loomir.errors import Error


@extensible
@cache
def rows() -> Mapping[str, Row]:
    """Every layer type that is known, with its row."""
    derived = [
        (str(op.SOURCES.openvino[0]), as_it_stands(op))
        for op in operations()
        if issubclass(op, OvOperation) and op.SOURCES.openvino
    ]
    table = dict(derived)
    assert len(table) == len(derived), "a layer type is two operations"
    for name, family in families(__name__):
        for part in (value for key, value in vars(family).items() if key.endswith("_ROWS")):
            assert not table.keys() & part.keys(), f"{name}: a layer type has two rows"
            table.update(part)
    return table


@extensible
@cache
def _rows_by_operator() -> Mapping[str, Row]:
    """The rows by operator, in lower case."""
    return {(operator_name(type_) or type_).lower(): row for type_, row in rows().items()}


@extensible
@cache
def row_of(type_: str, opset: str) -> Row:
    """Return the row of a layer type, checking its version.

    The case of the type is ignored. The row must support the version.

    Errors: `unknown-operator`, `unknown-opset`, `operator-version`.
    """
    name = operator_name(type_)
    row = _rows_by_operator().get((name or type_).lower())
    if row is None:
        what = f"unknown operator '{type_}'" if name is None else f"operator '{name}' is not supported"
        raise Error("unknown-operator", what, hint="docs/operators.md lists the supported ones")
    if name is not None and row.versions is not None:
        version = operator_version(name, opset)
        if version not in row.versions:
            known = ", ".join(f"{name}-{v}" for v in row.versions)
            raise Error(
                "operator-version", f"{name}-{version} ({opset}) is not supported", hint=f"known: {known}"
            )
    return row


OWN = "extension"
"""Value in place of an operation set, for a custom layer.

A custom layer is not the operator of the same name in an operation set.
"""


def is_known(type_: str, opset: str | None = None) -> bool:
    """Return True if a layer type has a row, for any version.

    With `opset`, return True if the row applies to a layer that has this operation set.
    """
    name = operator_name(type_)
    return (name or type_).lower() in _rows_by_operator() and not (name is not None and opset == OWN)


_OF_THE_FORMAT: Mapping[str, frozenset[str]] = {
    "const": frozenset({"element_type", "shape", "offset", "size"}),
    "parameter": frozenset({"element_type", "shape"}),
    **dict.fromkeys(("readvalue", "assign"), frozenset({"variable_id", "variable_type", "variable_shape"})),
    **dict.fromkeys(("result", "loop", "tensoriterator", "if"), frozenset[str]()),
}
"""Attributes of layer types without a row.

The format has operators for these layers.
"""


@extensible
@cache
def attributes_of(type_: str) -> frozenset[str] | None:
    """Return the attributes of all versions of a layer type.

    None if they are unknown.
    """
    lowered = type_.lower()
    if lowered in _OF_THE_FORMAT:
        return _OF_THE_FORMAT[lowered]
    row = _rows_by_operator().get((operator_name(type_) or type_).lower())
    if row is None:
        return None
    aligned = [AXIS] if "auto_broadcast" in row.attributes else []
    dashed = [DASHED[name] for name in row.attributes if name in DASHED]
    return frozenset((*row.attributes, *dashed, *row.operation.SOURCES.unused, *aligned))


def supported(name: str, version: int) -> bool:
    """Return True if a row reads this version of an operator."""
    row = _rows_by_operator().get(name.lower())
    return row is not None and (row.versions is None or version in row.versions)
