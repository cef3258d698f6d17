"""Import of one network, a net or a body, as one block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.compiler.frontends.openvino.constant_types import read_constant
from loomir.compiler.frontends.openvino.control_flow import CONTROL_FLOW, open_types
from loomir.compiler.frontends.openvino.declarations import declared_shape, declared_type, output_type
from loomir.compiler.frontends.openvino.network import Layer, Network
from loomir.compiler.frontends.openvino.scope import Scope
from loomir.compiler.frontends.openvino.state import States
from loomir.compiler.frontends.openvino.weights import Weights
from loomir.dialects.locations import layer_name, location_of_layer
from loomir.dialects.ov.facts import static_shape
from loomir.dialects.ov.layers.attributes import int64
from loomir.dialects.ov.layers.making import results_of
from loomir.dialects.ov.layers.rows import is_known
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.custom import CustomOp, declared_types
from loomir.dialects.ov.operators.failure import FailOp
from loomir.errors import Error

MAX_NESTING = 64
"""Bodies inside bodies."""


class GraphImporter(Scope):
    """Imports the layers of one network."""

    def __init__(
        self,
        network: Network,
        block: Block,
        weights: Weights,
        states: States | None,
        depth: int = 0,
        *,
        must_hold: bool = True,
    ) -> None:
        """Create the importer of a network into a block.

        `must_hold`: invalid shapes are an error of the model, not of a body that may never run.
        """
        if depth > MAX_NESTING:
            raise Error("model-too-deep", f"bodies are nested more than {MAX_NESTING} deep")
        super().__init__(network, block)
        self._states = states
        self._weights = weights
        self._depth = depth
        self._must_hold = must_hold
        self._bodies: list[GraphImporter] = []
        """Those of the layer that is being imported."""

    def nested(self, body: Network, block: Block) -> GraphImporter:
        # The net runs, its bodies perhaps do not.
        must_hold = self._must_hold and self._depth > 0
        inner = GraphImporter(body, block, self._weights, None, self._depth + 1, must_hold=must_hold)
        inner.joined = self.joined
        self._bodies.append(inner)
        return inner

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
        values = self._made(layer, operands) if self._must_hold else self._made_or_fail(layer, operands)
        if len(values) < len(layer.outputs):
            raise Error(
                "ir-structure", f"the layer has {len(layer.outputs)} output ports, the operator {len(values)}"
            )
        for port, value in zip(layer.outputs, values):
            self._values[layer.id, port] = value
        self._name_tensors(layer, values)

    def _name_tensors(self, layer: Layer, values: Sequence[SSAValue]) -> None:
        """Record the model's names of a layer's output tensors in the locations.

        Cuts and messages may use these names.
        """
        names = dict(zip(values, layer.output_names))
        for op in dict.fromkeys(value.owner for value, given in names.items() if given):
            # (A layer may also give what it was given.)
            if isinstance(op, Operation) and layer_name(op) == layer.name:
                op.location = location_of_layer(layer.name, [names.get(result, []) for result in op.results])

    def _made(self, layer: Layer, operands: list[SSAValue]) -> Sequence[SSAValue]:
        importer = CONTROL_FLOW.get(layer.type)
        if importer is not None:
            return importer(self, layer, operands)
        if layer.type == "Const":
            op = ConstantOp.of(self._constant(layer))
            self.add(op, layer)
            return op.results
        if layer.type in ("ReadValue", "Assign"):
            return self._variable(layer, operands)
        return self._operation(layer, operands)

    def _made_or_fail(self, layer: Layer, operands: list[SSAValue]) -> Sequence[SSAValue]:
        """Import a layer of a body and return its results.

        If the known shapes are invalid for the layer, the results are those of `ov.fail`, because the body may never run.
        """
        last = self._block.last_op
        self._bodies = []
        try:
            return self._made(layer, operands)
        except Error as error:
            error.at(layer=layer.name, op=layer.type)
            types = self._types_whatever_the_shapes(layer, operands)
            if types is None:
                raise
            self._give_up(last)
            failure = FailOp.of(f"{error.where.layer_and_op}: {error.what}", types)
            self.add(failure, layer)
            self.forbidden = self.forbidden or error
            return failure.results

    def _types_whatever_the_shapes(self, layer: Layer, operands: list[SSAValue]) -> list[Attribute] | None:
        """Return the result types for operands of unknown shape.

        The result is None if that is an error too.
        """
        block = Block(arg_types=open_types(operands))
        scope = GraphImporter(self._network, block, self._weights, None, self._depth, must_hold=True)
        try:
            return [value.type for value in scope._made(layer, list(block.args))]
        except Error:
            return None

    def _give_up(self, last: Operation | None) -> None:
        """Remove the operations that were added to the block after `last`.

        Bodies that were never added are dropped too, because they use outer values.
        """
        while (op := self._block.last_op) is not last and op is not None:
            op.detach()
            op.drop_all_references()
        for body in self._bodies:
            body._give_up(None)

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
        if not is_known(layer.type):
            return self._custom(layer, operands)
        return results_of(layer, operands, len(layer.outputs), lambda op: self.add(op, layer))

    def _custom(self, layer: Layer, operands: list[SSAValue]) -> Sequence[SSAValue]:
        """Import an unknown layer as it stands in the file.

        The file's declarations of its output ports determine the result types.
        """
        types = [
            declared or open_
            for declared, open_ in zip(
                map(partial(output_type, layer), range(len(layer.outputs))),
                declared_types(len(layer.outputs), operands),
            )
        ]
        attributes = {name: StringAttr(text) for name, text in layer.data.items()}
        op = CustomOp.of((layer.type, layer.version), operands, types, attributes)
        self.add(op, layer)
        return op.results
