"""Reader of OpenVINO IR v11 and v10, and writer of v11.

A model is a pair of files, `.xml` and `.bin`. This module converts them to a GRAPH module: the signature of `main` with the
names of its inputs and outputs, and each network, net or body, as one block.

The reader:

- `files`: reads the `.xml` safely (no entities, no network, bounded size and depth), and warns of unknown attributes; maps the
  `.bin`, checks every range and unpacks element types below eight bits;
- `network`: converts `<layers>` and `<edges>` to a checked graph of the layers that are needed; declared types; what v10 means
  beyond v11;
- `scope`: a network under conversion to a block, and the concatenation of the outputs of loops;
- `port_maps`: connections of the bodies of Loop, TensorIterator and If, as typed entries, checked against the specifications;
- `control_flow`: converts Loop, TensorIterator and If to regions;
- `state`: converts variables (ReadValue and Assign) to inputs and outputs of `main`, so that the caller owns the state.

The writer:

- `writer`: `save_openvino`, with its options and passes, writes the pair of files. The net is written from `main`; the
  operations of a block become the `<layers>` and `<edges>` of a net or a body; loops and branches become Loop, TensorIterator
  and If, with bodies, port maps and back edges;
- `layers`: builder of layers and edges, with a unique name for each layer of a network, and element types and shapes as text, of
  ports, Parameters and Consts;
- `files`: the contents of Consts, each once, as they lie in the `.bin`;
- `state`: converts states of `main` to ReadValue and Assign.

The writer is the inverse of the reader. `convert-ov-to-openvino` first restricts a GRAPH program to constructs that an IR can
express; then each operation is one layer.

Both use the rows of `dialects/ov/layers`, one table per family: layer type → operation and attributes, and the readers of their
text; which version of an operator a layer means by its operation set; what rows build with where a layer is more than its
operation, as older versions are (`upgrade`); `auto_broadcast="pdpd"` with an axis.

An operator is added with a `Row` in the table of its family in `rows/`; one with several versions says which it reads:

>>> BROADCASTING_ROWS = {"Range": Row(RangeOp, {"output_type": element_type}, versions=(0, 4), upgrade=_range)}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp, NameLoc, NoneAttr, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.compiler.formats.openvino.control_flow import CONTROL_FLOW, open_types
from loomir.compiler.formats.openvino.files import (
    WeightsReader,
    model_info_text,
    read_constant,
    read_xml,
    warn_of_unread,
)
from loomir.compiler.formats.openvino.network import (
    Layer,
    Network,
    declared_element,
    declared_shape,
    declared_type,
    input_element,
    output_element,
    output_name,
    output_type,
    read_network,
    shape_type,
    split_names,
)
from loomir.compiler.formats.openvino.scope import NetworkScope, check_joins
from loomir.compiler.formats.openvino.state import States
from loomir.dialects.diagnostics import layer_name, location_of_layer
from loomir.dialects.interface import MODEL_INFO, NAME, Entry, named_entries, set_arguments, set_results
from loomir.dialects.ov.facts import Shape, fact_of, static_shape
from loomir.dialects.ov.layers import is_known
from loomir.dialects.ov.layers.attributes import int64
from loomir.dialects.ov.layers.conversion import results_of_layer
from loomir.dialects.ov.layers.format import ATTRIBUTE, ELEMENT
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.custom import CustomOp, declared_types
from loomir.dialects.ov.operators.internal import FailOp
from loomir.errors import Error

MAX_NESTING = 64
"""Bodies inside bodies."""


class GraphImporter(NetworkScope):
    """Imports the layers of one network."""

    def __init__(
        self,
        network: Network,
        block: Block,
        weights: WeightsReader,
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
        return results_of_layer(layer, operands, len(layer.outputs), lambda op: self.add(op, layer))

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


def load_openvino(path: str | Path) -> ModuleOp:
    """Load the GRAPH module of an OpenVINO IR file, v11 or v10.

    Weights are mapped from the `.bin` beside it.

    Errors carry the file and the layer: `ir-version`, `ir-structure`, `ir-cycle`, `port-map`, `unknown-operator`, `bin-range`
    and those of the operators' shape rules. Warnings: `FormatWarning`, for attributes that are not read.
    """
    path = Path(path)
    try:
        return _load(path)
    except Error as error:
        raise error.at(file=str(path)) from None


def _load(path: Path) -> ModuleOp:
    root = read_xml(path)
    if root.tag != "net":
        raise Error("ir-structure", f"the root element is <{root.tag}>, not <net>: this is not OpenVINO IR")
    if (version := root.get("version")) not in ("10", "11"):
        raise Error(
            "ir-version",
            f"IR version {version} is not supported",
            hint="save the model again with OpenVINO ≥ 2022.1 (IR v11)",
        )
    warn_of_unread(root, path)
    weights = WeightsReader(path.with_suffix(".bin"))
    pair = root.find(ELEMENT)
    weights.check_pair(None if pair is None else pair.get(ATTRIBUTE, ""))
    module = _ModelImporter(read_network(root), weights, path.stem, version == "10").run()
    info = root.find("rt_info/model_info")
    if info is not None:
        module.attributes[MODEL_INFO] = StringAttr(model_info_text(info))
    return module


Attributes = dict[str, Attribute]


@dataclass
class _Input:
    """Parameter with its shape and its element types.

    The element types are the one in the file and the one for the caller.
    """

    parameter: Layer
    element: Attribute
    seen: Attribute
    shape: Shape | None

    @staticmethod
    def of(parameter: Layer, legacy: bool) -> _Input:
        """Read the declarations of the file.

        Errors: `unsupported-type`, `bad-attribute`, `ir-structure`.
        """
        try:
            element, shape = declared_element(parameter), declared_shape(parameter)
        except Error as error:
            raise error.at(layer=parameter.name, op=parameter.type) from None
        return _Input(parameter, element, input_element(element) if legacy else element, shape)

    def bounds(self) -> Entry:
        """The bounds, where the shape has an interval with an end."""
        if self.shape is None or all(d.hi is None or d.static is not None for d in self.shape):
            return Entry()
        return Entry.of(bounds=[d.hi for d in self.shape])


class _ModelImporter:
    """Makes `main` of the outermost network."""

    def __init__(self, network: Network, weights: WeightsReader, name: str, legacy: bool) -> None:
        self._network = network
        self._name = name
        self._legacy = legacy
        self._inputs = [_Input.of(p, legacy) for p in network.of_type("Parameter")]
        self._results = network.of_type("Result")
        self._block = Block(arg_types=[shape_type(i.seen, i.shape) for i in self._inputs])
        self._states = States(self._block)
        self._importer = GraphImporter(network, self._block, weights, self._states)

    def run(self) -> ModuleOp:
        for i, argument in zip(self._inputs, self._block.args):
            argument.location = NameLoc(StringAttr(i.parameter.name), NoneAttr())
            self._importer.bind(i.parameter, self._converted(argument, i.seen, i.element, i.parameter))
        self._importer.run()
        values = [self._output(r) for r in self._results]
        names = named_entries([self._input_names(i.parameter) for i in self._inputs])
        arguments = [n | i.bounds() for n, i in zip(names, self._inputs)]
        results = named_entries([self._output_names(r) for r in self._results])
        taken = {entry.name for entry in (*arguments, *results) if entry.name is not None}
        for state in self._states.finish():
            name = state.name(taken)
            arguments.append(state.argument_entry(name))
            results.append(state.result_entry(name))
            values.append(state.result)
        end = ReturnOp(*values)
        end.location = NameLoc(StringAttr(self._name), NoneAttr())
        self._block.add_op(end)
        types = [a.type for a in self._block.args]
        function = FuncOp("main", (types, [v.type for v in values]), Region(self._block))
        function.location = end.location
        set_arguments(function, arguments)
        set_results(function, results)
        module = ModuleOp([function])
        module.attributes[NAME] = StringAttr(self._name)
        module.attributes["loomir.source"] = StringAttr("openvino")
        check_joins(module, self._importer.joined)
        return module

    def _output(self, result: Layer) -> SSAValue:
        value = self._importer.result(result.id)
        element = fact_of(value).element
        return self._converted(value, element, output_element(element), result) if self._legacy else value

    def _converted(self, value: SSAValue, from_: Attribute, to: Attribute, layer: Layer) -> SSAValue:
        if from_ == to:
            return value
        convert = ConvertOp.make(value, attributes={"destination_type": to})
        self._importer.add(convert, layer)
        return convert.results[0]

    def _input_names(self, parameter: Layer) -> list[str]:
        names = _argument_names(parameter, 0)
        if self._legacy:
            return [parameter.name, *(n for n in names if n != parameter.name)]
        return names or [parameter.name]

    def _output_names(self, result: Layer) -> list[str]:
        names = _result_names(self._network, result)
        if self._legacy:
            name = output_name(self._network, result)
            return [name, *(n for n in names if n not in (name, result.name))]
        return names or [result.name]


def _argument_names(layer: Layer, output: int) -> list[str]:
    return layer.output_names[output] if output < len(layer.output_names) else []


def _result_names(network: Network, result: Layer) -> list[str]:
    """Return the names of an output, if it has any.

    They are those of the Result, or of the tensor that it returns.
    """
    if own := split_names(result.element.get("output_names")):
        return own
    source = result.sources[0] if result.sources else None
    if source is not None:
        producer = network.layers[source[0]]
        return _argument_names(producer, producer.outputs.index(source[1]))
    return []


__all__ = ["load_openvino"]
