"""From a file to a GRAPH module."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.compiler.frontends.openvino.attributes import (
    const_dtype,
    element_type,
    parse_dimensions,
    read_attributes,
)
from loomir.compiler.frontends.openvino.control_flow import import_if, import_loop
from loomir.compiler.frontends.openvino.network import Layer, Network, read_network
from loomir.compiler.frontends.openvino.rows import row_of
from loomir.compiler.frontends.openvino.upgrade import LayerBuilder
from loomir.compiler.frontends.openvino.weights import Weights
from loomir.compiler.frontends.openvino.xml import read_xml
from loomir.dialects.element_types import is_integer
from loomir.dialects.ov.constant import ConstantOp
from loomir.dialects.ov.conversion import ConvertOp
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.reshape import ReshapeOp
from loomir.errors import Error

MAX_NESTING = 64
"""Bodies inside bodies."""


class GraphImporter:
    """Imports one network (the net, or a body) into one block.

    `bind` gives Parameters their values, `run` imports all other layers, `result` gives what a Result is fed with.
    """

    def __init__(self, network: Network, block: Block, weights: Weights, depth: int = 0) -> None:
        if depth > MAX_NESTING:
            raise Error("model-too-deep", f"bodies are nested more than {MAX_NESTING} deep")
        self._network = network
        self._block = block
        self._weights = weights
        self._depth = depth
        self._values: dict[tuple[int, int], SSAValue] = {}

    def nested(self, body: Network, block: Block) -> GraphImporter:
        """The importer of a body inside this network."""
        return GraphImporter(body, block, self._weights, self._depth + 1)

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

    def scalar(self, value: SSAValue, element: Attribute, what: str) -> SSAValue:
        """A scalar or one-element 1-D tensor as a rank-0 tensor of this element type. Error: `loop-scalar`."""
        fact = fact_of(value)
        wide_enough = fact.element == element or (is_integer(element) and is_integer(fact.element))
        if fact.rank is not None and (
            fact.rank > 1 or (fact.rank == 1 and fact.shape and fact.shape[0].static not in (1, None))
        ):
            raise Error("loop-scalar", f"the {what} must be a scalar or have one element, but is {fact.type}")
        if not wide_enough:
            raise Error("loop-scalar", f"the {what} must be {element}, but is {fact.element}")
        name = Layer(-1, what, "", "", {}, None)  # pyright: ignore[reportArgumentType]
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
        element = element_type(parameter.data.get("element_type", "i64"))
        extents = parse_dimensions(parameter.data.get("shape", ""))
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
        if layer.type in ("Loop", "TensorIterator"):
            values: Sequence[SSAValue] = import_loop(self, layer, operands)
        elif layer.type == "If":
            values = import_if(self, layer, operands)
        elif layer.type == "Const":
            op = ConstantOp.of(self._constant(layer))
            self.add(op, layer)
            values = op.results
        else:
            values = self._operation(layer, operands)
        if len(values) < len(layer.outputs):
            raise Error(
                "ir-structure", f"the layer has {len(layer.outputs)} output ports, the operator {len(values)}"
            )
        for port, value in zip(layer.outputs, values):
            self._values[layer.id, port] = value

    def _constant(self, layer: Layer) -> np.ndarray:
        dtype = const_dtype(layer.data)
        extents = parse_dimensions(layer.data.get("shape", ""))
        if extents is None or any(e < 0 for e in extents):
            raise Error("bad-attribute", f"a Const has the shape '{layer.data.get('shape')}'")
        try:
            offset, size = int(layer.data["offset"]), int(layer.data["size"])
        except (KeyError, ValueError) as error:
            raise Error("ir-structure", "a Const has no valid offset and size") from error
        return self._weights.array(dtype, tuple(extents), offset, size)

    def _operation(self, layer: Layer, operands: list[SSAValue]) -> Sequence[SSAValue]:
        row = row_of(layer.type)
        properties = read_attributes(row, layer.data)
        if row.upgrade is not None:
            return row.upgrade(LayerBuilder(layer, operands, properties, lambda op: self.add(op, layer)))
        definition = row.operation.get_irdl_definition()
        unknown = set(properties) - set(definition.properties)
        assert not unknown, f"{row.class_name} has no property {unknown}"
        grouped = [operands] if row.variadic else operands
        if not row.variadic and len(operands) > len(definition.operands):
            raise Error(
                "ir-structure", f"{len(operands)} inputs, the operator has at most {len(definition.operands)}"
            )
        try:
            op = row.operation.make(*grouped, attributes=properties, results=len(layer.outputs))
        except TypeError as error:
            raise Error("ir-structure", f"{len(operands)} inputs do not fit the operator") from error
        self.add(op, layer)
        return op.results


def load_openvino(path: str | Path) -> ModuleOp:
    """The GRAPH module of an OpenVINO IR v11 file; weights are mapped from the `.bin` beside it.

    Errors carry the file and the layer: `ir-version`, `ir-structure`, `ir-cycle`, `port-map`, `unknown-operator`, `bin-range`
    and those of the operators' shape rules.
    """
    path = Path(path)
    try:
        return _load(path)
    except Error as error:
        raise error.at(file=str(path)) from None


def _load(path: Path) -> ModuleOp:
    root = read_xml(path)
    if root.tag != "net":
        raise Error("ir-structure", f"the root element is <{root.tag}>, not <net>: this is no OpenVINO IR")
    if (version := root.get("version")) != "11":
        raise Error(
            "ir-version",
            f"IR version {version} is not supported",
            hint="save the model again with OpenVINO ≥ 2022.1 (IR v11)",
        )
    network = read_network(root)
    parameters, results = network.of_type("Parameter"), network.of_type("Result")
    types = [_parameter_type(p) for p in parameters]
    block = Block(arg_types=types)
    importer = GraphImporter(network, block, Weights(path.with_suffix(".bin")))
    for parameter, argument in zip(parameters, block.args):
        argument.location = NameLoc(StringAttr(parameter.name), NoneAttr())
        importer.bind(parameter, argument)
    importer.run()
    values = [importer.result(r.id) for r in results]
    end = ReturnOp(*values)
    end.location = NameLoc(StringAttr(path.stem), NoneAttr())
    block.add_op(end)
    function = FuncOp("main", (types, [v.type for v in values]), Region(block))
    function.location = end.location
    function.arg_attrs = _name_attrs([_tensor_names(p, 0) or [p.name] for p in parameters])
    function.res_attrs = _name_attrs([_result_names(network, r) for r in results])
    module = ModuleOp([function])
    module.attributes["loomir.name"] = StringAttr(path.stem)
    module.attributes["loomir.source"] = StringAttr("openvino")
    return module


def _parameter_type(parameter: Layer) -> Attribute:
    element = element_type(parameter.data.get("element_type", "f32"))
    extents = parse_dimensions(parameter.data.get("shape", ""))
    if extents is None:
        return UnrankedTensorType(element)
    return TensorType(element, [DYNAMIC_INDEX if e < 0 else e for e in extents])


def _tensor_names(layer: Layer, output: int) -> list[str]:
    return layer.output_names[output] if output < len(layer.output_names) else []


def _result_names(network: Network, result: Layer) -> list[str]:
    """A result is called what the tensor it returns is called, else by its own name."""
    source = result.sources[0] if result.sources else None
    if source is not None:
        producer = network.layers[source[0]]
        names = _tensor_names(producer, producer.outputs.index(source[1]))
        if names:
            return names
    return [result.name]


def _name_attrs(names: list[list[str]]) -> ArrayAttr[DictionaryAttr]:
    """`loomir.name` of each tensor, unique; `loomir.names` where there are several."""
    taken: set[str] = set()
    entries: list[DictionaryAttr] = []
    for group in names:
        name = next((n for n in group if n not in taken), None)
        if name is None:
            name = next(f"{group[0]}_{k}" for k in range(1, len(names) + 1) if f"{group[0]}_{k}" not in taken)
        taken.add(name)
        entry: dict[str, Attribute] = {"loomir.name": StringAttr(name)}
        if len(group) > 1:
            entry["loomir.names"] = ArrayAttr([StringAttr(n) for n in group])
        entries.append(DictionaryAttr(entry))
    return ArrayAttr(entries)
