"""A layer of an operation set becomes operations: by its row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import VarOperandDef

from loomir.dialects.ov.layers.alignment import aligned
from loomir.dialects.ov.layers.attributes import read_attributes
from loomir.dialects.ov.layers.builder import Layer, LayerBuilder, Results
from loomir.dialects.ov.layers.rows import row_of


def results_of(
    layer: Layer, operands: Sequence[SSAValue], outputs: int, add: Callable[[Operation], object]
) -> Results:
    """Convert a layer to operations and return its results.

    `add` inserts the operations, in order. `outputs` is the layer's number of outputs, for operations that leave it open.
    Errors: `unknown-operator`, `unknown-opset`, `operator-version`, `bad-attribute`, and those of the operation.
    """
    row = row_of(layer.type, layer.version)
    given = aligned(layer, list(operands), add)
    properties = read_attributes(row, layer.data)
    if row.upgrade is not None:
        return row.upgrade(LayerBuilder(layer, given, properties, add))
    declared = [d for _, d in row.operation.get_irdl_definition().operands]
    grouped = [given] if len(declared) == 1 and isinstance(declared[0], VarOperandDef) else given
    op = row.operation.make(*grouped, attributes=properties, results=outputs)
    add(op)
    return op.results
