"""Conversion of an operation to a layer of an operation set.

This is the inverse of `making.py`, with the same rows.

`ov.clamp` with `min = 0.0` and `max = 6.0` is `PlainLayer("Clamp", "opset1", {"min": "0.0", "max": "6.0"})`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import OptPropertyDef, VarOperandDef

from loomir.dialects.extensible import extensible
from loomir.dialects.ov.base import OvOperation, attr
from loomir.dialects.ov.layers.attributes import Row
from loomir.dialects.ov.layers.builder import PlainLayer
from loomir.dialects.ov.layers.opsets import (
    VERSIONS,
    first_opset,
    layer_type,
    needs,
    operator_name,
    version_for,
)
from loomir.dialects.ov.layers.rows import OWN, rows
from loomir.dialects.ov.layers.text import text_of
from loomir.dialects.ov.layers.usual import usual_properties
from loomir.errors import Error


@extensible
@cache
def _written_rows() -> Mapping[type[OvOperation], tuple[str, Row]]:
    """The layer type that each operation is written as, and its row."""
    written = [(type_, row) for type_, row in rows().items() if row.written]
    table = {row.operation: (type_, row) for type_, row in written}
    assert len(table) == len(written), "an operation is written as two layers"
    return table


def row_for(operation: type[OvOperation]) -> tuple[str, Row] | None:
    """Return the layer type and row that write an operation.

    None if no operation set has the operation.
    """
    return _written_rows().get(operation)


def written(op: OvOperation) -> PlainLayer:
    """Convert an operation to a layer.

    The layer has its type, the first operation set that has its newest version, and all its attributes. Its ports are operands
    and results.

    Errors: `not-in-openvino` for an operation, an attribute or an operand that no operation set has; `attribute-value`.
    """
    found = row_for(type(op))
    if found is None:
        raise Error("not-in-openvino", f"no operation set of OpenVINO has {op.name}")
    type_, row = found
    _check_operands(op)
    name = operator_name(type_)
    if name is None:
        return PlainLayer(type_, OWN, _attributes(op, row))
    data = _attributes(op, row)
    usual = {row.renamed.get(n, n): text_of(n, value) for n, value in usual_properties(op).items()}
    version = version_for(name, row.versions or VERSIONS[name], data, usual)
    said = {n: text for n, text in data.items() if needs(name, n) <= version}
    return PlainLayer(layer_type(name), f"opset{first_opset(name, version)}", said)


def spell_out(op: OvOperation) -> None:
    """Set exactly those optional properties that the operation's layer specifies.

    The operation then equals the result of reading the layer again. Errors: those of `written`.
    """
    found = row_for(type(op))
    said = written(op).data
    properties = properties_of(op)
    for name, definition in op.get_irdl_definition().properties.items():
        if not isinstance(definition, OptPropertyDef):
            continue
        if found is not None and found[1].renamed.get(name, name) in said:
            op.properties[name] = properties[name]
        else:
            op.properties.pop(name, None)


def properties_of(op: OvOperation) -> dict[str, Attribute]:
    """Return the operation's properties, including omitted ones, in declaration order."""
    found = {**usual_properties(op), **op.properties}
    return {name: found[name] for name in op.get_irdl_definition().properties if name in found}


def _attributes(op: OvOperation, row: Row) -> dict[str, str]:
    implied: dict[str, Attribute | None] = {**usual_properties(op)}
    if row.implies is not None:
        implied.update({n: attr(v) for n, v in row.implies(op).items()})
    data: dict[str, str] = {}
    for name, value in properties_of(op).items():
        if name in row.attributes and name not in row.older:
            data[row.renamed.get(name, name)] = text_of(name, value)
        elif value != implied.get(name):
            shown = repr(value.data) if isinstance(value, StringAttr) else str(value)
            raise Error(
                "not-in-openvino", f"the layer {_layer(op)} has no attribute that says {name} = {shown}"
            )
    return data


def _layer(op: OvOperation) -> str:
    found = row_for(type(op))
    assert found is not None
    return found[0]


def _check_operands(op: OvOperation) -> None:
    """Check that no operand is missing before another one.

    Operands are ports by their number.
    """
    missing = None
    for name, definition in op.get_irdl_definition().operands:
        given = getattr(op, name)
        if isinstance(definition, VarOperandDef) and not given:
            missing = missing or name
        elif missing is not None:
            raise Error("not-in-openvino", f"the layer {_layer(op)} cannot have {name} without {missing}")
