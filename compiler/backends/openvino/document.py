"""Whole OpenVINO IR net, from the function `main` of a GRAPH module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml import etree
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from loomir.compiler.backends.openvino.constants import Weights
from loomir.compiler.backends.openvino.layers import Shared
from loomir.compiler.backends.openvino.names import label, sayable
from loomir.compiler.backends.openvino.network import NetworkWriter
from loomir.compiler.backends.openvino.ports import fact_of_port
from loomir.compiler.backends.openvino.variables import Variables
from loomir.compiler.frontends.openvino.xml import model_info
from loomir.dialects.interface import MODEL_INFO, Entry, arguments_of, main_function, results_of
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layers.pairs import ATTRIBUTE, ELEMENT, tail

IR_VERSION = "11"


@dataclass(frozen=True)
class Document:
    """Contents of the two files."""

    xml: bytes
    weights: Weights

    def pieces(self) -> Iterator[bytes | memoryview]:
        """The bytes of the `.bin`, in order."""
        yield from self.weights.pieces()
        yield tail(self.weights.digest())


def document_of(module: ModuleOp, name: str) -> Document:
    """The net of a module that `convert-ov-to-openvino` has prepared. Errors: `not-in-openvino`, `xml-syntax`."""
    function = main_function(module)
    root = etree.Element("net", name=label(name), version=IR_VERSION)
    shared, variables = Shared(), Variables(function)
    _write(function, NetworkWriter(root, shared, variables), variables)
    etree.SubElement(root, ELEMENT, {ATTRIBUTE: shared.weights.digest().hex()})
    info = etree.SubElement(root, "rt_info")
    etree.SubElement(info, "writer", value="loomir")
    said = module.attributes.get(MODEL_INFO)
    if isinstance(said, StringAttr):
        info.append(model_info(said.data))
    text = etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return Document(text, shared.weights)


def _write(function: FuncOp, network: NetworkWriter, variables: Variables) -> None:
    arguments, results = arguments_of(function), results_of(function)
    end = function.body.block.last_op
    assert end is not None
    names = _names(function, end, variables)
    for index, (argument, entry) in enumerate(zip(function.args, arguments)):
        if not variables.are_read(argument):
            own = [*map(sayable, entry.names or [f"arg{index}"])]
            network.parameter(argument, own[0], names[argument], _bounded(fact_of_port(argument), entry))
    variables.write_reads(network)
    network.operations(function.body.block)
    variables.write_assigns(network)
    for index, (value, entry) in enumerate(zip(end.operands, results)):
        if not variables.are_assigned(index):
            own = [*map(sayable, entry.names or [f"result{index}"])]
            network.result(value, f"{own[0]}/result", [*own, *(n for n in names[value] if n not in own)])


def _names(function: FuncOp, end: Operation, variables: Variables) -> Mapping[SSAValue, list[str]]:
    """Return the names of each argument and result of `main`.

    They are grouped by tensor, because a reader has one set of names per tensor.
    """
    found: dict[SSAValue, dict[str, None]] = {}
    for index, (argument, entry) in enumerate(zip(function.args, arguments_of(function))):
        if not variables.are_read(argument):
            found.setdefault(argument, {}).update(dict.fromkeys(map(sayable, entry.names or [f"arg{index}"])))
    for index, (value, entry) in enumerate(zip(end.operands, results_of(function))):
        if not variables.are_assigned(index):
            found.setdefault(value, {}).update(dict.fromkeys(map(sayable, entry.names or [f"result{index}"])))
    return {value: list(names) for value, names in found.items()}


def _bounded(fact: Fact, entry: Entry) -> Fact:
    """Return an input's known shape: its type narrowed by its declared bounds."""
    if entry.bounds is None or fact.shape is None:
        return fact
    extents = [d if most is None else d.meet(Dim(0, most)) or d for d, most in zip(fact.shape, entry.bounds)]
    return Fact(fact.element, tuple(extents))
