"""One network, the net or a body, becomes the operations of one block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Block, SSAValue
from xdsl.irdl import VarOperandDef

from loomir.compiler.frontends.openvino.alignment import aligned
from loomir.compiler.frontends.openvino.attributes import (
    declared_shape,
    declared_type,
    read_attributes,
)
from loomir.compiler.frontends.openvino.constant_types import read_constant
from loomir.compiler.frontends.openvino.control_flow import CONTROL_FLOW
from loomir.compiler.frontends.openvino.network import Layer, Network, int64
from loomir.compiler.frontends.openvino.rows import row_of
from loomir.compiler.frontends.openvino.scope import Scope
from loomir.compiler.frontends.openvino.state import States
from loomir.compiler.frontends.openvino.upgrade import LayerBuilder
from loomir.compiler.frontends.openvino.weights import Weights
from loomir.dialects.ov.facts import static_shape
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error

MAX_NESTING = 64
"""Bodies inside bodies."""


class GraphImporter(Scope):
    """Imports the layers of one network."""

    def __init__(
        self, network: Network, block: Block, weights: Weights, states: States | None, depth: int = 0
    ) -> None:
        if depth > MAX_NESTING:
            raise Error("model-too-deep", f"bodies are nested more than {MAX_NESTING} deep")
        super().__init__(network, block)
        self._states = states
        self._weights = weights
        self._depth = depth

    def nested(self, body: Network, block: Block) -> GraphImporter:
        return GraphImporter(body, block, self._weights, None, self._depth + 1)

    def run(self) -> None:
        for identifier in self._network.order:
            layer = self._network.layers[identifier]
            if layer.type in ("Parameter", "Result"):
                continue
            try:
                self._import(layer)
            except Error as error:
                raise error.at(layer=layer.name, op=layer.type) from None

    def _import(self, layer: Layer) -> None:
        operands = self._operands(layer)
        importer = CONTROL_FLOW.get(layer.type)
        if importer is not None:
            values: Sequence[SSAValue] = importer(self, layer, operands)
        elif layer.type == "Const":
            op = ConstantOp.of(self._constant(layer))
            self.add(op, layer)
            values = op.results
        elif layer.type in ("ReadValue", "Assign"):
            values = self._variable(layer, operands)
        else:
            values = self._operation(layer, operands)
        if len(values) < len(layer.outputs):
            raise Error(
                "ir-structure", f"the layer has {len(layer.outputs)} output ports, the operator {len(values)}"
            )
        for port, value in zip(layer.outputs, values):
            self._values[layer.id, port] = value

    def _constant(self, layer: Layer) -> np.ndarray:
        name = declared_type(layer)
        extents = static_shape(declared_shape(layer))
        if extents is None:
            raise Error("bad-attribute", f"a Const has the shape '{layer.data.get('shape')}'")
        try:
            offset, size = int64(layer.data["offset"]), int64(layer.data["size"])
        except (KeyError, ValueError) as error:
            raise Error("ir-structure", "a Const has no valid offset and size") from error
        return read_constant(self._weights, name, extents, offset, size)

    def _variable(self, layer: Layer, operands: list[SSAValue]) -> Sequence[SSAValue]:
        if self._states is None:
            raise Error(
                "state-in-body",
                "a variable in the body of a Loop, TensorIterator or If is not supported",
                hint="read it outside, and carry it through the loop as a merged input",
            )
        if layer.type == "Assign":
            return self._states.assign(layer, operands)
        return self._states.read(self, layer, operands)

    def _operation(self, layer: Layer, operands: list[SSAValue]) -> Sequence[SSAValue]:
        row = row_of(layer.type, layer.version)
        operands = aligned(layer, operands, lambda op: self.add(op, layer))
        properties = read_attributes(row, layer.data)
        if row.upgrade is not None:
            return row.upgrade(LayerBuilder(layer, operands, properties, lambda op: self.add(op, layer)))
        declared = [d for _, d in row.operation.get_irdl_definition().operands]
        grouped = [operands] if len(declared) == 1 and isinstance(declared[0], VarOperandDef) else operands
        op = row.operation.make(*grouped, attributes=properties, results=len(layer.outputs))
        self.add(op, layer)
        return op.results
