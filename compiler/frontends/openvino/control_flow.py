"""Loop, TensorIterator and If: port maps and back edges become regions.

Rules that are not in the specifications are in the notes on OpenVINO IR: an input's `external_port_id` is the *position* of the
port; outputs' ids only say an order (Loop, TensorIterator) or are global or local (If). A body Parameter that neither is sliced nor
has a back edge is simply the outer value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Block, Region, SSAValue

from loomir.compiler.frontends.openvino.network import Layer, Network, integer, read_network
from loomir.dialects.element_types import i1, i64
from loomir.dialects.ov.control_flow import CONDITION_TYPE, TRIP_TYPE, IfOp, LoopOp, NextOp, YieldOp
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.loop_slices import Slicing
from loomir.errors import Error

if TYPE_CHECKING:
    from loomir.compiler.frontends.openvino.graph import GraphImporter


@dataclass
class MapEntry:
    """One `<input>` or `<output>` of a port map."""

    external: int
    internal: int
    slicing: Slicing | None
    purpose: str | None


def _entries(holder: etree._Element, tag: str) -> list[MapEntry]:
    found: list[MapEntry] = []
    for element in holder.iterchildren(tag):
        slicing = None
        if element.get("axis") is not None:
            slicing = Slicing(
                integer(element, "axis"),
                integer(element, "start", 0),
                integer(element, "end", -1),
                integer(element, "stride", 1),
                integer(element, "part_size", 1),
            )
        found.append(
            MapEntry(
                integer(element, "external_port_id"),
                integer(element, "internal_layer_id"),
                slicing,
                element.get("purpose"),
            )
        )
    return found


def _child(layer: Layer, tag: str) -> etree._Element:
    found = layer.element.find(tag)
    if found is None:
        raise Error("ir-structure", f"<{tag}> is missing")
    return found


def _body_layer(body: Network, identifier: int, kind: str) -> Layer:
    found = body.layers.get(identifier)
    if found is None or found.type != kind:
        raise Error("port-map", f"the port map names body layer {identifier}, which is no {kind}")
    return found


def import_loop(importer: GraphImporter, layer: Layer, operands: list[SSAValue]) -> list[SSAValue]:
    """`Loop` (opset5) and `TensorIterator` (opset1) as `ov.loop`. Errors: `port-map`, `ir-structure`."""
    is_loop = layer.type == "Loop"
    body = read_network(_child(layer, "body"))
    port_map = _child(layer, "port_map")
    inputs, outputs = _entries(port_map, "input"), _entries(port_map, "output")
    back: dict[int, int] = {}
    for edge in _edges(layer):
        source, target = integer(edge, "from-layer"), integer(edge, "to-layer")
        _body_layer(body, source, "Result")
        _body_layer(body, target, "Parameter")
        if target in back:
            raise Error("port-map", f"two back edges enter body layer {target}")
        back[target] = source

    trip = cond = None
    if is_loop:
        if len(operands) < 2:
            raise Error(
                "ir-structure",
                f"a Loop has {len(operands)} inputs, at least trip count and condition are needed",
            )
        trip = importer.scalar(operands[0], i64, "trip count")
        cond = importer.scalar(operands[1], i1, "execution condition")

    iteration: Layer | None = None
    carried: list[tuple[Layer, SSAValue]] = []
    sliced: list[tuple[Layer, SSAValue, Slicing]] = []
    invariant: dict[int, SSAValue] = {}
    for entry in inputs:
        parameter = _body_layer(body, entry.internal, "Parameter")
        if entry.purpose == "current_iteration" or (is_loop and entry.external == -1):
            iteration = parameter
            continue
        if not 0 <= entry.external < len(operands):
            raise Error(
                "port-map", f"external_port_id {entry.external} is no input (there are {len(operands)})"
            )
        value = operands[entry.external]
        if entry.slicing is not None:
            sliced.append((parameter, value, entry.slicing))
        elif entry.internal in back:
            carried.append((parameter, value))
        else:
            invariant[entry.internal] = value
    mapped = {p.id for p, *_ in carried} | {p.id for p, *_ in sliced} | set(invariant)
    if iteration is not None:
        mapped.add(iteration.id)
    for parameter in body.of_type("Parameter"):
        if parameter.id not in mapped:
            raise Error("port-map", f"body Parameter '{parameter.name}' is not in the port map")
    for target in back:
        if target not in {p.id for p, _ in carried}:
            raise Error("port-map", f"a back edge enters body layer {target}, which has no initial value")

    block = Block(
        arg_types=[
            TRIP_TYPE,
            # The outer values say the types; what a body's Parameter declares may even be "dynamic".
            *(UnrankedTensorType(fact_of(v).element) for _, v in carried),
            *(UnrankedTensorType(fact_of(v).element) for _, v, _ in sliced),
        ]
    )
    inner = importer.nested(body, block)
    for identifier, value in invariant.items():
        inner.bind(body.layers[identifier], value)
    for argument, parameter in zip(block.args[1:], [p for p, *_ in carried] + [p for p, *_ in sliced]):
        inner.bind(parameter, argument)
    if iteration is not None:
        inner.bind(iteration, inner.iteration_number(block.args[0], iteration))
    inner.run()

    condition = next((o for o in outputs if o.purpose == "execution_condition"), None)
    if is_loop and condition is None:
        raise Error("port-map", "no output of the port map has purpose='execution_condition'")
    next_cond = None
    if condition is not None:
        next_cond = inner.scalar(inner.result(condition.internal), i1, "body condition")
    nexts = [inner.result(back[p.id]) for p, _ in carried]
    real = sorted((o for o in outputs if o.purpose != "execution_condition"), key=lambda o: o.external)
    if len(real) != len(layer.outputs):
        raise Error(
            "port-map", f"{len(real)} outputs are mapped, the layer has {len(layer.outputs)} output ports"
        )
    by_result = {back[p.id]: k for k, (p, _) in reversed(list(enumerate(carried)))}
    lasts: list[SSAValue] = []
    concats: list[tuple[SSAValue, Slicing]] = []
    places: list[tuple[str, int]] = []
    for entry in real:
        _body_layer(body, entry.internal, "Result")
        if entry.slicing is not None:
            places.append(("concat", len(concats)))
            concats.append((inner.result(entry.internal), entry.slicing))
        elif entry.internal in by_result:
            places.append(("final", by_result[entry.internal]))
        else:
            places.append(("last", len(lasts)))
            lasts.append(inner.result(entry.internal))
    end = NextOp.build(operands=[[next_cond] if next_cond else [], nexts, lasts, [v for v, _ in concats]])
    inner.add(end, layer)

    def open_type(value: SSAValue) -> UnrankedTensorType:
        assert isinstance(value.type, TensorType | UnrankedTensorType)
        return UnrankedTensorType(value.type.element_type)

    loop = LoopOp.of(
        trip=trip,
        cond=cond,
        carried=[v for _, v in carried],
        sliced=[v for _, v, _ in sliced],
        slices=[s for *_, s in sliced],
        concats=[s for _, s in concats],
        final_types=[open_type(v) for v in nexts],
        last_types=[open_type(v) for v in lasts],
        concat_types=[open_type(v) for v, _ in concats],
        body=Region(block),
    )
    importer.add(loop, layer)
    groups = {"final": loop.final, "last": loop.last, "concat": loop.concat}
    return [groups[group][index] for group, index in places]


def _edges(layer: Layer) -> list[etree._Element]:
    holder = layer.element.find("back_edges")
    return [] if holder is None else list(holder.iterchildren("edge"))


def import_if(importer: GraphImporter, layer: Layer, operands: list[SSAValue]) -> list[SSAValue]:
    """`If` (opset8) as `ov.if`. Errors: `port-map`, `ir-structure`, `if-outputs`, `if-element-type`."""
    if not operands:
        raise Error("ir-structure", "an If has no condition input")
    if not layer.outputs:
        raise Error("if-outputs", "an If has no outputs", hint="the specification asks for at least one")
    cond = importer.scalar(operands[0], i1, "condition")
    regions: list[Region] = []
    yielded: list[list[SSAValue]] = []
    for name in ("then", "else"):
        body = read_network(_child(layer, f"{name}_body"))
        port_map = _child(layer, f"{name}_port_map")
        block = Block()
        inner = importer.nested(body, block)
        for entry in _entries(port_map, "input"):
            parameter = _body_layer(body, entry.internal, "Parameter")
            if not 0 <= entry.external < len(operands):
                raise Error(
                    "port-map", f"external_port_id {entry.external} is no input (there are {len(operands)})"
                )
            inner.bind(parameter, operands[entry.external])
        for parameter in body.of_type("Parameter"):
            if not inner.is_bound(parameter):
                raise Error("port-map", f"Parameter '{parameter.name}' of {name}_body is not in the port map")
        inner.run()
        values = _branch_values(layer, body, inner, _entries(port_map, "output"), name)
        inner.add(YieldOp.build(operands=[values]), layer)
        regions.append(Region(block))
        yielded.append(values)
    types: list[UnrankedTensorType] = []
    for index, (a, b) in enumerate(zip(*yielded)):
        assert isinstance(a.type, TensorType | UnrankedTensorType)
        assert isinstance(b.type, TensorType | UnrankedTensorType)
        if a.type.element_type != b.type.element_type:
            raise Error(
                "if-element-type",
                f"output {index} is {a.type.element_type} in then_body and {b.type.element_type} in else_body",
            )
        types.append(UnrankedTensorType(a.type.element_type))
    assert cond.type == CONDITION_TYPE
    op = IfOp.of(cond, types, regions[0], regions[1])
    importer.add(op, layer)
    return list(op.output)


def _branch_values(
    layer: Layer, body: Network, inner: GraphImporter, entries: list[MapEntry], name: str
) -> list[SSAValue]:
    ids = {e.external for e in entries}
    is_global = ids <= set(layer.outputs)
    values: list[SSAValue | None] = [None] * len(layer.outputs)
    for entry in entries:
        _body_layer(body, entry.internal, "Result")
        position = layer.outputs.index(entry.external) if is_global else entry.external
        if not 0 <= position < len(values):
            raise Error("port-map", f"external_port_id {entry.external} of {name}_port_map is no output")
        values[position] = inner.result(entry.internal)
    if any(v is None for v in values):
        raise Error(
            "if-outputs",
            f"{name}_body gives {len(entries)} outputs, the If has {len(layer.outputs)}",
            hint="each branch must give every output",
        )
    return [v for v in values if v is not None]
