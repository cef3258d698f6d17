"""Emission of loops and branches as Loop, TensorIterator and If.

This covers their inputs, bodies, port maps and back edges.

A value that a body captures is an input and a Parameter of the body, through all levels. The writer relies on
`convert-ov-to-openvino`: a loop has a trip count, a condition, and a condition of its body, or none of the three (a
TensorIterator); axes count from the front. The conventions are those of the files that OpenVINO writes: the external
ports of outputs continue the numbering of the inputs, and the layers of bodies are referenced by their ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lxml import etree
from xdsl.ir import Block, Operation, SSAValue

from loomir.compiler.backends.openvino.layers import Layers
from loomir.dialects.captures import captured
from loomir.dialects.ov.layers.builder import PlainLayer
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.errors import Error

Tensors = Sequence[Sequence[str]]


def write_loop(network: Layers, op: Operation, name: str, tensors: Tensors) -> None:
    """Write `ov.loop` as Loop-5 or TensorIterator-1.

    It is TensorIterator-1 if only the slices count the iterations. Error: `not-in-openvino`.
    """
    assert isinstance(op, LoopOp)
    control = [v for v in (op.trip, op.cond, op.next.cond) if v is not None]
    if len(control) not in (0, 3):
        raise Error("not-in-openvino", "a loop has a trip count and conditions, or none of them")
    free = captured(op, network.shared.captures)
    inputs = [*control[:2], *op.carried, *op.sliced, *free]
    plain = PlainLayer("Loop", "opset5", {}) if control else PlainLayer("TensorIterator", "opset1", {})
    element = network.layer(plain, name, inputs, op.results, tensors)
    port_map = etree.SubElement(element, "port_map")
    back_edges = etree.SubElement(element, "back_edges")
    body = etree.SubElement(element, "body")
    _LoopBody(op, network.nested(body), port_map, back_edges).write(free, len(control[:2]), len(inputs))


class _LoopBody:
    def __init__(
        self, op: LoopOp, inner: Layers, port_map: etree._Element, back_edges: etree._Element
    ) -> None:
        self._op = op
        self._inner = inner
        self._port_map = port_map
        self._back_edges = back_edges

    def write(self, free: Sequence[SSAValue], first: int, inputs: int) -> None:
        op, inner = self._op, self._inner
        if op.iteration.first_use is not None:
            identifier = inner.parameter(op.iteration, "iteration")
            self._entry("input", -1, identifier, purpose="current_iteration")
        port = first
        carried: list[int] = []
        for index, argument in enumerate(op.carried_arguments):
            carried.append(inner.parameter(argument, f"carried_{index}"))
            self._entry("input", port, carried[-1])
            port += 1
        for index, (argument, slicing) in enumerate(zip(op.part_arguments, op.slicings)):
            identifier = inner.parameter(argument, f"part_{index}")
            self._entry("input", port, identifier, slicing)
            port += 1
        for value in free:
            self._entry("input", port, parameter_of(inner, value))
            port += 1
        inner.operations(op.body.block)
        self._results(carried, inputs)

    def _results(self, carried: Sequence[int], port: int) -> None:
        op, inner, end = self._op, self._inner, self._op.next
        if end.cond is not None:
            self._entry("output", -1, inner.result(end.cond, "condition"), purpose="execution_condition")
        for index, (value, parameter) in enumerate(zip(end.carried, carried)):
            identifier = inner.result(value, f"next_{index}")
            self._entry("output", port, identifier)
            ends = {"from-layer": str(identifier), "to-layer": str(parameter)}
            etree.SubElement(self._back_edges, "edge", ends)
            port += 1
        for index, value in enumerate(end.last):
            self._entry("output", port, inner.result(value, f"last_{index}"))
            port += 1
        for index, (value, slicing) in enumerate(zip(end.concat, op.concatenations)):
            self._entry("output", port, inner.result(value, f"concat_{index}"), slicing)
            port += 1

    def _entry(
        self, tag: str, port: int, layer: int, slicing: Slicing | None = None, *, purpose: str | None = None
    ) -> None:
        entry = etree.SubElement(
            self._port_map, tag, external_port_id=str(port), internal_layer_id=str(layer)
        )
        if slicing is not None:
            for key in ("axis", "start", "end", "stride", "part_size"):
                entry.set(key, str(getattr(slicing, key)))
        if purpose is not None:
            entry.set("purpose", purpose)


def write_if(network: Layers, op: Operation, name: str, tensors: Tensors) -> None:
    """`ov.if` as If-8."""
    assert isinstance(op, IfOp)
    free = captured(op, network.shared.captures)
    inputs = [op.cond, *free]
    element = network.layer(PlainLayer("If", "opset8", {}), name, inputs, op.results, tensors)
    ports = {value: port for port, value in enumerate(free, start=1)}
    for branch, region in (("then", op.then_region), ("else", op.else_region)):
        port_map = etree.SubElement(element, f"{branch}_port_map")
        body = etree.SubElement(element, f"{branch}_body")
        _write_branch(network.nested(body), region.block, port_map, ports, len(inputs))


def _write_branch(
    inner: Layers, block: Block, port_map: etree._Element, ports: Mapping[SSAValue, int], outputs: int
) -> None:
    end = block.last_op
    assert end is not None
    for value in read_by(block, inner):
        if value in ports:
            etree.SubElement(
                port_map, "input",
                external_port_id=str(ports[value]), internal_layer_id=str(parameter_of(inner, value)),
            )  # fmt: skip
    inner.operations(block)
    for port, value in enumerate(end.operands, start=outputs):
        etree.SubElement(
            port_map, "output",
            external_port_id=str(port), internal_layer_id=str(inner.result(value, f"result_{port - outputs}")),
        )  # fmt: skip


def read_by(block: Block, inner: Layers) -> list[SSAValue]:
    """Return the values that the operations of a block read.

    Each value appears once, in the order of its first read.
    """
    known = inner.shared.captures
    found: dict[SSAValue, None] = {}
    for op in block.ops:
        found.update(dict.fromkeys((*op.operands, *(captured(op, known) if op.regions else ()))))
    return list(found)


def parameter_of(inner: Layers, value: SSAValue) -> int:
    """Add a Parameter to a body for a captured value.

    Within the body, the Parameter is that value.
    """
    return inner.parameter(value, "captured")


Writer = Callable[[Layers, Operation, str, Tensors], None]

CONTROL_FLOW: Mapping[type[Operation], Writer] = {LoopOp: write_loop, IfOp: write_if}
"""Writer of each operation that has bodies."""
