"""Conversion of a file to a GRAPH module.

The module creates the signature of `main`, and the names of its inputs and outputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, NameLoc, NoneAttr, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.compiler.frontends.openvino.declarations import declared_element, declared_shape, shape_type
from loomir.compiler.frontends.openvino.format import warn_of_unread
from loomir.compiler.frontends.openvino.graph import GraphImporter
from loomir.compiler.frontends.openvino.joins import check_joins
from loomir.compiler.frontends.openvino.legacy import input_element, output_element, output_name
from loomir.compiler.frontends.openvino.network import Layer, Network, read_network, split_names
from loomir.compiler.frontends.openvino.state import States
from loomir.compiler.frontends.openvino.weights import Weights
from loomir.compiler.frontends.openvino.xml import model_info_text, read_xml
from loomir.dialects.interface import MODEL_INFO, NAME, Entry, named_entries, set_arguments, set_results
from loomir.dialects.ov.facts import Shape, fact_of
from loomir.dialects.ov.layers.pairs import ATTRIBUTE, ELEMENT
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.errors import Error


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
        raise Error("ir-structure", f"the root element is <{root.tag}>, not <net>: this is no OpenVINO IR")
    if (version := root.get("version")) not in ("10", "11"):
        raise Error(
            "ir-version",
            f"IR version {version} is not supported",
            hint="save the model again with OpenVINO ≥ 2022.1 (IR v11)",
        )
    warn_of_unread(root, path)
    weights = Weights(path.with_suffix(".bin"))
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

    def __init__(self, network: Network, weights: Weights, name: str, legacy: bool) -> None:
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
