"""`<layers>` and `<edges>` as a checked graph, with declared types.

The graph has ids, ports, edges and an order. Only layers that a Result or an Assign needs are in the order: OpenVINO does not
look at the others either.

An OpenVINO file declares the element types and shapes of Parameters and Consts.

IR v10 differs from v11 in the types of inputs and outputs. When a v10 model is loaded, the types of its inputs and outputs are
rewritten, and layers name them.

| | in the file | for the caller |
|---|---|---|
| input | `f16` | `f32` |
| output | `i64`, `u64`, `u32`, `i32` | `i32` |
| output | every other type (`f16`, `i8`, `boolean` …) | `f32` |

The rule is OpenVINO's own (`update_v10_model` in its model reader). An input has the name of its Parameter, an output
the name of the layer that computes it, with `.<number>` of the output if the layer has several.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush

from lxml import etree
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute

from loomir.dialects.element_types import f16, f32, i32, i64, ui32, ui64
from loomir.dialects.ov.facts import Dim, Fact, Shape, check_shape
from loomir.dialects.ov.layers.attributes import PRECISIONS, int64, value_type
from loomir.errors import Error


@dataclass
class Layer:
    """`<layer>` of a network.

    `sources[k]` is (layer id, port id) of the source of the k-th input port, or None if it has none.
    """

    id: int
    name: str
    type: str
    version: str
    data: dict[str, str]
    element: etree._Element
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    output_names: list[list[str]] = field(default_factory=list)
    sources: list[tuple[int, int] | None] = field(default_factory=list)


@dataclass
class Network:
    """Net or body: layers by id in file order.

    `order` contains only the needed layers and is topological.
    """

    layers: dict[int, Layer]
    order: list[int]

    def of_type(self, type_: str) -> list[Layer]:
        """Return the layers of a type, in file order.

        For Parameter and Result this is the order of inputs and outputs.
        """
        return [layer for layer in self.layers.values() if layer.type == type_]


def read_network(root: etree._Element) -> Network:
    """The graph in `<layers>` and `<edges>` below `root`. Errors: `ir-structure`, `ir-cycle`."""
    layers: dict[int, Layer] = {}
    holder = root.find("layers")
    if holder is None:
        raise Error("ir-structure", f"<{root.tag}> has no <layers>")
    for element in holder.iterchildren("layer"):
        layer = _read_layer(element)
        if layer.id in layers:
            raise Error("ir-structure", f"two layers have the id {layer.id}", layer=layer.name, op=layer.type)
        layers[layer.id] = layer
    edges = root.find("edges")
    for edge in () if edges is None else edges.iterchildren("edge"):
        _connect(layers, edge)
    return Network(layers, _order(layers))


def declared_output(layer: Layer, index: int) -> tuple[str | None, list[str]]:
    """Return the declared `precision` and dimensions of an output port.

    The `precision` is text such as `FP32`, and so are the dimensions.
    """
    holder = layer.element.find("output")
    ports = [] if holder is None else list(holder.iterchildren("port"))
    if index >= len(ports):
        return None, []
    return ports[index].get("precision"), [(d.text or "").strip() for d in ports[index].iterchildren("dim")]


def integer(element: etree._Element, attribute: str, default: int | None = None) -> int:
    """Return an integer attribute of an XML element.

    Error: `ir-structure` if it is missing or not a 64-bit integer.
    """
    text = element.get(attribute)
    if text is None:
        if default is not None:
            return default
        raise Error("ir-structure", f"<{element.tag}> has no attribute {attribute}")
    try:
        return int64(text)
    except ValueError as error:
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise Error(
            "ir-structure", f"{attribute}='{shown}' of <{element.tag}> is not an integer of 64 bits"
        ) from error


def split_names(text: str | None) -> list[str]:
    r"""Tensor names, comma-joined with `\,` for a comma in a name."""
    if not text:
        return []
    names = [""]
    escaped = False
    for character in text:
        if escaped:
            names[-1] += character if character == "," else "\\" + character
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == ",":
            names.append("")
        else:
            names[-1] += character
    if escaped:
        names[-1] += "\\"
    return names


_ATTRIBUTES = etree.XPath("@*")


def _attributes(element: etree._Element) -> dict[str, str]:
    """Return all attributes of an element.

    (lxml's own mapping looks up each of them by its name: 80,000 take 30 s.)
    """
    found = _ATTRIBUTES(element)
    assert isinstance(found, list)
    return {str(getattr(each, "attrname")): str(each) for each in found}  # noqa: B009


def _read_layer(element: etree._Element) -> Layer:
    identifier = integer(element, "id")
    kind = element.get("type")
    name = element.get("name", str(identifier))
    if kind is None:
        raise Error("ir-structure", f"layer {identifier} has no type", layer=name)
    data = element.find("data")
    layer = Layer(
        identifier,
        name,
        kind,
        element.get("version", "opset1"),
        {} if data is None else _attributes(data),
        element,
    )
    for tag, ids in (("input", layer.inputs), ("output", layer.outputs)):
        holder = element.find(tag)
        for port in () if holder is None else holder.iterchildren("port"):
            ids.append(integer(port, "id"))
            if tag == "output":
                layer.output_names.append(split_names(port.get("names")))
    if len(set(layer.inputs)) != len(layer.inputs) or len(set(layer.outputs)) != len(layer.outputs):
        raise Error("ir-structure", "two ports have the same id", layer=name, op=kind)
    layer.sources = [None] * len(layer.inputs)
    return layer


def _connect(layers: dict[int, Layer], edge: etree._Element) -> None:
    source, target = integer(edge, "from-layer"), integer(edge, "to-layer")
    source_port, target_port = integer(edge, "from-port", 0), integer(edge, "to-port", 0)
    for identifier in (source, target):
        if identifier not in layers:
            raise Error("ir-structure", f"an edge names layer {identifier}, which does not exist")
    a, b = layers[source], layers[target]
    if source_port not in a.outputs:
        raise Error(
            "ir-structure",
            f"an edge leaves output port {source_port}, which does not exist",
            layer=a.name,
            op=a.type,
        )
    if target_port not in b.inputs:
        raise Error(
            "ir-structure",
            f"an edge enters input port {target_port}, which does not exist",
            layer=b.name,
            op=b.type,
        )
    position = b.inputs.index(target_port)
    if b.sources[position] is not None:
        raise Error("ir-structure", f"two edges enter input port {target_port}", layer=b.name, op=b.type)
    b.sources[position] = (source, source_port)


SINKS = ("Result", "Assign")
"""Layers that are there for what they do, not for their outputs."""


def _order(layers: dict[int, Layer]) -> list[int]:
    """Return the needed layers in topological order.

    Where the edges leave the order open, it is that of the file.
    """
    needed: dict[int, set[int]] = {}
    waiting = [layer.id for layer in layers.values() if layer.type in SINKS]
    while waiting:
        identifier = waiting.pop()
        if identifier not in needed:
            needed[identifier] = {s[0] for s in layers[identifier].sources if s is not None}
            waiting += needed[identifier]
    place = {identifier: index for index, identifier in enumerate(layers)}
    sorter = TopologicalSorter(needed)
    try:
        sorter.prepare()
    except CycleError as error:
        names = ", ".join(f"'{layers[i].name}'" for i in error.args[1][:5])
        raise Error("ir-cycle", f"the edges form a cycle through {names}") from error
    order: list[int] = []
    ready = [(place[i], i) for i in sorter.get_ready()]
    heapify(ready)
    while ready:
        _, identifier = heappop(ready)
        order.append(identifier)
        sorter.done(identifier)
        for following in sorter.get_ready():
            heappush(ready, (place[following], following))
    return order


def read_shape(text: str) -> Shape | None:
    """Parse a shape.

    Examples: `"16, 3"`, `"?,2..5,..7,3.."`, `""` (a scalar), `"..."` (None: any rank). Errors: `bad-attribute`,
    `shape-too-large`.

    Brackets around it, which `variable_shape` may have, are ignored.
    """
    text = text.strip().removeprefix("[").removesuffix("]").strip()
    if text == "...":
        return None
    extents: list[Dim] = []
    for part in text.split(",") if text else []:
        try:
            extents.append(_read_extent(part.strip()))
        except ValueError as error:
            raise Error("bad-attribute", f"shape='{text}' cannot be read") from error
    check_shape([extent.lo for extent in extents])
    return tuple(extents)


def _read_extent(text: str) -> Dim:
    if text in ("?", "-1"):
        return Dim()
    low, dots, high = text.partition("..")
    lo = int64(low) if low.strip() or not dots else 0
    hi = lo if not dots else int64(high) if high.strip() else None
    if lo < 0 or (hi is not None and hi < lo):
        raise ValueError(text)
    return Dim(lo, hi)


def declared_element(layer: Layer) -> Attribute:
    """The element type of a Parameter. Errors: `ir-structure`, `unsupported-type`."""
    return value_type(declared_type(layer))


def declared_type(layer: Layer) -> str:
    """Return the name of a Parameter's or Const's element type.

    The first writers declared it only at the output port.

    Error: `ir-structure`.
    """
    text = layer.data.get("element_type")
    if text is None:
        precision, _ = declared_output(layer, 0)
        if precision is None:
            raise Error("ir-structure", f"a {layer.type} has no element_type")
        text = PRECISIONS.get(precision.upper(), precision)
    return text


def output_type(layer: Layer, index: int) -> TensorType | UnrankedTensorType | None:
    """Return the declared type of an output port.

    It is None if the file declares no element type. Errors: `unsupported-type`, `bad-attribute`.
    """
    precision, extents = declared_output(layer, index)
    if precision is None:
        return None
    element = value_type(PRECISIONS.get(precision.upper(), precision))
    return shape_type(element, read_shape(",".join(extents)))


def declared_shape(layer: Layer) -> Shape | None:
    """Return the shape of a Parameter or Const.

    The first writers declared it only at the output port. Error: `bad-attribute`.
    """
    if "shape" in layer.data:
        return read_shape(layer.data["shape"])
    return read_shape(",".join(declared_output(layer, 0)[1]))


def shape_type(element: Attribute, shape: Shape | None) -> TensorType | UnrankedTensorType:
    """The type of a tensor of this shape; intervals are dynamic."""
    return Fact(element, shape).type


_TO_I32 = frozenset({i32, i64, ui32, ui64})


def input_element(element: Attribute) -> Attribute:
    """Return the caller's element type for an input declared with this one."""
    return f32 if element == f16 else element


def output_element(element: Attribute) -> Attribute:
    """Return the caller's element type for an output of this one."""
    return i32 if element in _TO_I32 else f32


def output_name(network: Network, result: Layer) -> str:
    """Return the name of an output."""
    source = result.sources[0] if result.sources else None
    if source is None:
        return result.name
    producer = network.layers[source[0]]
    several = len(producer.outputs) > 1
    return f"{producer.name}.{producer.outputs.index(source[1])}" if several else producer.name
