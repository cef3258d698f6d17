"""One network, the net or a body, becomes the operations of one block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import VarOperandDef

from loomir.compiler.frontends.openvino.alignment import aligned
from loomir.compiler.frontends.openvino.attributes import (
    declared_element,
    declared_shape,
    declared_type,
    read_attributes,
)
from loomir.compiler.frontends.openvino.constant_types import read_constant
from loomir.compiler.frontends.openvino.control_flow import CONTROL_FLOW
from loomir.compiler.frontends.openvino.network import Layer, Network, int64
from loomir.compiler.frontends.openvino.rows import row_of
from loomir.compiler.frontends.openvino.state import States
from loomir.compiler.frontends.openvino.upgrade import LayerBuilder
from loomir.compiler.frontends.openvino.weights import Weights
from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.constant import ConstantOp
from loomir.dialects.ov.conversion import ConvertOp
from loomir.dialects.ov.facts import fact_of, static_shape
from loomir.dialects.ov.reshape import ReshapeOp
from loomir.errors import Error

MAX_NESTING = 64
"""Bodies inside bodies."""


class GraphImporter:
    """Imports one network (the net, or a body) into one block.

    `bind` gives Parameters their values, `run` imports all other layers, `result` gives what a Result is fed with.
    """

    def __init__(
        self, network: Network, block: Block, weights: Weights, states: States | None, depth: int = 0
    ) -> None:
        if depth > MAX_NESTING:
            raise Error("model-too-deep", f"bodies are nested more than {MAX_NESTING} deep")
        self._states = states
        self._network = network
        self._block = block
        self._weights = weights
        self._depth = depth
        self._values: dict[tuple[int, int], SSAValue] = {}

    def nested(self, body: Network, block: Block) -> GraphImporter:
        """The importer of a body inside this network."""
        return GraphImporter(body, block, self._weights, None, self._depth + 1)

    def bind(self, parameter: Layer, value: SSAValue) -> None:
        """Say what a Parameter is."""
        if len(parameter.outputs) != 1:
            raise Error(
                "ir-structure", "a Parameter must have one output", layer=parameter.name, op=parameter.type
            )
        self._values[parameter.id, parameter.outputs[0]] = value

    def is_bound(self, parameter: Layer) -> bool:
        """Whether `bind` was called for it."""
        return bool(parameter.outputs) and (parameter.id, parameter.outputs[0]) in self._values

    def result(self, identifier: int) -> SSAValue:
        """The value that a Result layer is fed with."""
        layer = self._network.layers[identifier]
        if len(layer.sources) != 1:
            raise Error("ir-structure", "a Result must have one input port", layer=layer.name, op=layer.type)
        return self._operands(layer)[0]

    def add(self, op: Operation, layer: Layer) -> None:
        """Append an operation, with the layer's name as its location."""
        op.location = NameLoc(StringAttr(layer.name), NoneAttr())
        self._block.add_op(op)

    def run(self) -> None:
        """Import every layer in topological order."""
        for identifier in self._network.order:
            layer = self._network.layers[identifier]
            if layer.type in ("Parameter", "Result"):
                continue
            try:
                self._import(layer)
            except Error as error:
                raise error.at(layer=layer.name, op=layer.type) from None

    def scalar(self, value: SSAValue, element: Attribute, what: str, layer: Layer) -> SSAValue:
        """A scalar or one-element 1-D tensor as a rank-0 tensor of this element type: i64, which may be i32 too, or i1.

        Error: `loop-scalar`.
        """
        fact = fact_of(value)
        if fact.rank is not None and (
            fact.rank > 1 or (fact.rank == 1 and fact.shape and fact.shape[0].static not in (1, None))
        ):
            raise Error(
                "loop-scalar",
                f"the {what} must be a scalar or have one element, but is {fact.type}",
                hint="write a Reshape before it",
            )
        accepted = (i64, i32) if element == i64 else (element,)
        if fact.element not in accepted:
            raise Error(
                "loop-scalar",
                f"the {what} must be {' or '.join(map(str, accepted))}, but is {fact.element}",
                hint="write a Convert before it",
            )
        name = replace(layer, name=f"{layer.name}: {what}")
        if fact.rank != 0:
            target = ConstantOp.of(np.zeros(0, np.int64))
            self.add(target, name)
            reshape = ReshapeOp.make(value, target.output, attributes={"special_zero": False})
            self.add(reshape, name)
            value = reshape.results[0]
        if fact.element != element:
            convert = ConvertOp.make(value, attributes={"destination_type": element})
            self.add(convert, name)
            value = convert.results[0]
        return value

    def iteration_number(self, counter: SSAValue, parameter: Layer) -> SSAValue:
        """The loop's `tensor<i64>` counter in the type that the body's Parameter declares."""
        element = declared_element(parameter)
        extents = declared_shape(parameter)
        if element != counter.type.element_type:  # pyright: ignore[reportAttributeAccessIssue]
            convert = ConvertOp.make(counter, attributes={"destination_type": element})
            self.add(convert, parameter)
            counter = convert.results[0]
        if extents:
            target = ConstantOp.of(np.ones(len(extents), np.int64))
            self.add(target, parameter)
            reshape = ReshapeOp.make(counter, target.output, attributes={"special_zero": False})
            self.add(reshape, parameter)
            counter = reshape.results[0]
        return counter

    def _operands(self, layer: Layer) -> list[SSAValue]:
        operands: list[SSAValue] = []
        for position, source in enumerate(layer.sources):
            if source is None:
                raise Error(
                    "ir-structure",
                    f"nothing enters input port {layer.inputs[position]}",
                    layer=layer.name,
                    op=layer.type,
                )
            value = self._values.get(source)
            if value is None:
                fed_by = self._network.layers[source[0]]
                raise Error(
                    "ir-structure", f"input {position} comes from '{fed_by.name}', which has no value there",
                    layer=layer.name, op=layer.type,
                )  # fmt: skip
            operands.append(value)
        return operands

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
