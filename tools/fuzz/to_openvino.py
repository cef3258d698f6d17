"""OpenVINO IR of program trees.

It consists of Loop-5, TensorIterator-1 and If-8 with port maps and back edges. Differences from ONNX are expressed by
further layers, so that the model has the meaning of the tree:

| in the tree | in OpenVINO IR |
|---|---|
| no trip count | -1 |
| a negative trip count: no iteration | `Maximum` with 0, for a negative one is no bound in OpenVINO |
| no condition: what the body gives does not end the loop | a true constant in the body |
| the condition that came in | a Parameter with a back edge from the condition's Result |
| results stacked along a new axis, elements without their axis | `Unsqueeze` or `Squeeze` in the body |
| captures | further inputs of the layer, which the port map hands on unchanged; through any depth |
| Scan, and a Loop that only its parts bound | TensorIterator |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from lxml import etree

from loomir.tools.fuzz import If, Joining, Loop, Op, Program, Region, Scan, Slicing, Value, regions_of, walk
from loomir.tools.fuzz.openvino_layers import emit_plain
from loomir.tools.fuzz.openvino_network import (
    Network,
    Port,
    Values,
    Weights,
    join_attributes,
    parts_of,
    slice_attributes,
)


@dataclass(frozen=True)
class OpenVINOModel:
    """The two files of a model: `save` writes them beside each other."""

    xml: bytes
    weights: bytes

    def save(self, path: Path) -> Path:
        """Write `path` (an `.xml`) and its `.bin`; the path."""
        path.write_bytes(self.xml)
        path.with_suffix(".bin").write_bytes(self.weights)
        return path


def to_openvino(program: Program) -> OpenVINOModel:
    """Return the OpenVINO model of a program.

    Its inputs and outputs are in the program's order. Raises `NotExpressible`.
    """
    root = etree.Element("net", name="main", version="11")
    weights = Weights()
    constants = {
        s.outputs[0]: value
        for _, s in walk(program.body)
        if isinstance(s, Op)
        and isinstance(value := s.attributes.get("value"), np.ndarray)
        and s.kind == "Constant"
    }
    writer = Writer(Network(root, weights), constants)
    for value in program.inputs:
        port = writer.network.parameter(value.dtype, value.shape, value.name)
        writer.bind(value, port)
    writer.statements(program.body)
    for name, value in program.outputs:
        writer.network.result(writer.port(value), name)
    return OpenVINOModel(etree.tostring(root, xml_declaration=True, encoding="utf-8"), bytes(weights.data))


@dataclass
class Mapped:
    """Port map of a layer that has a body.

    It maps the inputs and outputs of the layer to those of the body.
    """

    inputs: list[Port]
    entries: list[dict[str, object]] = field(default_factory=list)
    outputs: list[dict[str, object]] = field(default_factory=list)
    back_edges: list[tuple[int, int]] = field(default_factory=list)

    def input(self, source: Port, parameter: Port, **slicing: object) -> None:
        """A further input, and the body's Parameter that it is."""
        self.entries.append(_entry(len(self.inputs), parameter.layer, **slicing))
        self.inputs.append(source)

    def elements(self, holder: etree._Element, name: str) -> None:
        """Write the port map.

        Outputs are numbered behind the inputs, which are all known by then.
        """
        port_map = etree.SubElement(holder, name)
        for tag, entries in (("input", self.entries), ("output", self.outputs)):
            for entry in entries:
                etree.SubElement(port_map, tag, {k: str(v) for k, v in entry.items()})


def _entry(external: int, internal: int, **more: object) -> dict[str, object]:
    """An element of a port map."""
    return {"external_port_id": external, "internal_layer_id": internal, **more}


class Writer(Values):
    """Writes the statements of one region into one network."""

    def statements(self, region: Region) -> None:
        """All of a region."""
        for statement in region.statements:
            if isinstance(statement, Op):
                ports = emit_plain(self, statement)
            elif isinstance(statement, If):
                ports = self.branch(statement)
            elif isinstance(statement, Loop):
                ports = self.loop(statement)
            else:
                ports = self.scan(statement)
            for value, port in zip(statement.outputs, ports, strict=True):
                self.bind(value, port)

    def nested(self, element: etree._Element) -> Writer:
        """The writer of a body."""
        return Writer(Network(element, self.network.weights), self.constants, self)

    def layer(
        self,
        kind: str,
        version: str,
        mapped: Mapped,
        outputs: Sequence[Value],
        holders: Sequence[etree._Element],
    ) -> list[Port]:
        """Append the layer of a statement with regions.

        The `holders` follow its ports.
        """
        _, element, ports = self.network.layer(
            kind, version, mapped.inputs, [Port.type_of(v) for v in outputs]
        )
        element.extend(holders)
        return ports

    def branch(self, statement: If) -> list[Port]:
        """If-8. A value that both branches read comes in once."""
        inputs = [self.port(statement.condition)]
        places: dict[Value, int] = {}
        holders: list[etree._Element] = []
        bodies: list[tuple[str, Writer, list[int]]] = []
        for word, region in (("then", statement.then), ("else", statement.otherwise)):
            body = etree.Element(f"{word}_body")
            inner = self.nested(body)
            inner.statements(region)
            results = [inner.network.result(inner.port(v)) for v in region.results]
            for value, _ in inner.captures:
                if value not in places:
                    places[value] = len(inputs)
                    inputs.append(self.port(value))
            bodies.append((word, inner, results))
            holders.append(body)
        for word, inner, results in bodies:
            mapped = Mapped(inputs)
            for value, parameter in inner.captures:
                mapped.entries.append(_entry(places[value], parameter.layer))
            for number, layer in enumerate(results, start=len(inputs)):
                mapped.outputs.append(_entry(number, layer))
            holder = etree.Element("holder")
            mapped.elements(holder, f"{word}_port_map")
            holders += list(holder)
        return self.layer("If", "opset8", Mapped(inputs), statement.outputs, holders)

    def loop(self, loop: Loop) -> list[Port]:
        """Loop-5, or TensorIterator-1 where parts of operands alone bound the trips."""
        parameters, results = loop.body.parameters, loop.body.results
        count = len(loop.carried)
        iteration, incoming = parameters[:2]
        # Without a condition nobody looks at the one that the body gives.
        read = _values_read(loop.body, results if loop.condition else results[1:])
        is_iterator = self._only_parts_bound(loop) and not {iteration, incoming} & read
        element = etree.Element("body")
        inner = self.nested(element)
        if is_iterator:
            mapped = Mapped([])
            condition = None
        else:
            start = self.port(loop.condition) if loop.condition else self.constant(True)
            mapped = Mapped([self._trips(loop), start])
            if iteration in read:
                port = inner.network.parameter("i64", ())
                inner.bind(iteration, port)
                mapped.entries.append(_entry(-1, port.layer, purpose="current_iteration"))
        if not is_iterator and incoming in read:
            if loop.condition:
                port = inner.network.parameter("bool", ())
                mapped.entries.append(_entry(1, port.layer))
            else:
                port = inner.constant(True)
            inner.bind(incoming, port)
        for value, parameter in zip(loop.carried, parameters[2 : 2 + count]):
            port = inner.network.parameter(parameter.dtype, parameter.shape)
            inner.bind(parameter, port)
            mapped.input(self.port(value), port)
        for slicing, parameter in zip(loop.sliced, parameters[2 + count :], strict=True):
            port = inner.network.parameter(parameter.dtype, parameter.shape)
            inner.bind(parameter, port)
            mapped.input(self.port(slicing.value), port, **slice_attributes(slicing))
        inner.statements(loop.body)
        if not is_iterator:
            condition = inner.network.result(
                inner.port(results[0]) if loop.condition else inner.constant(True)
            )
            mapped.outputs.append(_entry(-1, condition, purpose="execution_condition"))
            if loop.condition and incoming in read:
                mapped.back_edges.append((condition, inner.port(incoming).layer))
        finals = [inner.network.result(inner.port(v)) for v in results[1 : 1 + count]]
        for parameter, final in zip(parameters[2 : 2 + count], finals):
            mapped.back_edges.append((final, inner.port(parameter).layer))
        others: list[tuple[int, dict[str, object]]] = []
        for value in results[1 + count : 1 + count + loop.scans]:
            stacked = inner.stacked(inner.port(value), 0)
            others.append((inner.network.result(stacked), join_attributes(Joining(0))))
        for joining, value in zip(loop.joined, results[1 + count + loop.scans :], strict=True):
            others.append((inner.network.result(inner.port(value)), join_attributes(joining)))
        places = [*((layer, {}) for layer in finals), *others]
        return self._finish(
            "TensorIterator" if is_iterator else "Loop", mapped, inner, element, loop.outputs, places
        )

    def scan(self, scan: Scan) -> list[Port]:
        """Write a Scan as TensorIterator-1.

        Elements keep their axis in a TensorIterator, so the axis is removed and added again in the body.
        """
        element = etree.Element("body")
        inner = self.nested(element)
        mapped = Mapped([])
        count = len(scan.states)
        parameters, results = scan.body.parameters, scan.body.results
        states: list[Port] = []
        for value, parameter in zip(scan.states, parameters):
            port = inner.network.parameter(parameter.dtype, parameter.shape)
            states.append(port)
            inner.bind(parameter, port)
            mapped.input(self.port(value), port)
        for value, axis, parameter in zip(
            scan.sequences, scan.sequence_axes, parameters[count:], strict=True
        ):
            position = axis.axis % value.rank
            assert parameter.shape is not None
            shape = (*parameter.shape[:position], 1, *parameter.shape[position:])
            port = inner.network.parameter(parameter.dtype, shape)
            part = inner.add(
                "Squeeze", 1, [port, inner.constant([position])], (parameter.dtype, parameter.shape)
            )
            inner.bind(parameter, part)
            attributes = slice_attributes(_whole(value, position, axis.backward))
            mapped.input(self.port(value), port, **attributes)
        inner.statements(scan.body)
        finals = [inner.network.result(inner.port(v)) for v in results[:count]]
        for port, final in zip(states, finals):
            mapped.back_edges.append((final, port.layer))
        places: list[tuple[int, dict[str, object]]] = [(layer, {}) for layer in finals]
        for value, axis in zip(results[count:], scan.output_axes, strict=True):
            position = axis.axis % (value.rank + 1)
            stacked = inner.stacked(inner.port(value), position)
            attributes = join_attributes(Joining(position, backward=axis.backward))
            places.append((inner.network.result(stacked), attributes))
        return self._finish("TensorIterator", mapped, inner, element, scan.outputs, places)

    def _finish(
        self,
        kind: str,
        mapped: Mapped,
        inner: Writer,
        body: etree._Element,
        outputs: Sequence[Value],
        places: Sequence[tuple[int, dict[str, object]]],
    ) -> list[Port]:
        """Append the layer itself.

        Captures follow the other inputs, then the outputs are numbered.
        """
        for value, parameter in inner.captures:
            mapped.input(self.port(value), parameter)
        first = len(mapped.inputs)
        for number, (layer, attributes) in enumerate(places):
            mapped.outputs.append(_entry(first + number, layer, **attributes))
        holder = etree.Element("holder")
        mapped.elements(holder, "port_map")
        edges = etree.SubElement(holder, "back_edges")
        for source, target in mapped.back_edges:
            etree.SubElement(edges, "edge", {"from-layer": str(source), "to-layer": str(target)})
        version = "opset1" if kind == "TensorIterator" else "opset5"
        return self.layer(kind, version, mapped, outputs, [*holder, body])

    def stacked(self, port: Port, axis: int) -> Port:
        """The value with an axis of extent 1."""
        shape = None if port.shape is None else (*port.shape[:axis], 1, *port.shape[axis:])
        return self.add("Unsqueeze", 1, [port, self.constant([axis])], (port.dtype, shape))

    def _trips(self, loop: Loop) -> Port:
        """The trip count as OpenVINO means it."""
        if loop.trip is None:
            return self.constant(-1)
        known = self.array(loop.trip)
        if known is not None:
            return self.constant(np.maximum(known, 0))
        return self.add("Maximum", 1, [self.port(loop.trip), self.constant(0)], Port.type_of(loop.trip))

    def _only_parts_bound(self, loop: Loop) -> bool:
        """Return True if the loop runs once per part of its operands.

        This holds regardless of the condition that its body yields.
        """
        if loop.condition is not None or loop.trip is None or not loop.sliced:
            return False
        trip = self.array(loop.trip)
        return trip is not None and all(parts_of(s) == int(trip) for s in loop.sliced)


def _whole(value: Value, axis: int, backward: bool) -> Slicing:
    if backward:
        return Slicing(value, axis, start=-1, end=0, stride=-1)
    return Slicing(value, axis)


def _values_read(region: Region, results: Sequence[Value]) -> set[Value]:
    """Return the values that a region and its nested regions read.

    These results of the region are assumed to be needed.
    """
    read = set(results)
    for _, statement in walk(region):
        read.update(v for v in statement.inputs if v is not None)
        read.update(v for inner in regions_of(statement) for v in inner.results)
    return read
