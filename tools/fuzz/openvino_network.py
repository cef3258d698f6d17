"""OpenVINO IR as text, written without OpenVINO.

The module writes layers, ports and edges of a network, and the constants of its `.bin`. `Values` holds the ports of one
program region's values in one network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from lxml import etree

from loomir.tools.fuzz import DTYPES, Joining, Open, Shape, Slicing, Value

ELEMENT_TYPES = {
    "f32": "f32",
    "f64": "f64",
    "i32": "i32",
    "i64": "i64",
    "bool": "boolean",
    "i8": "i8",
    "ui8": "u8",
    "i16": "i16",
    "ui16": "u16",
    "ui32": "u32",
    "ui64": "u64",
}
"""Element types of programs as the attributes of layers name them."""

PRECISIONS = {
    "f32": "FP32",
    "f64": "FP64",
    "i32": "I32",
    "i64": "I64",
    "bool": "BOOL",
    "i8": "I8",
    "ui8": "U8",
    "i16": "I16",
    "ui16": "U16",
    "ui32": "U32",
    "ui64": "U64",
}
"""And as ports do."""


@dataclass(frozen=True)
class Port:
    """An output of a layer: what an edge starts from."""

    layer: int
    port: int
    dtype: str
    shape: Shape | None

    @staticmethod
    def type_of(value: Value) -> tuple[str, Shape | None]:
        """Return the type and shape that an output of this value declares."""
        return value.dtype, value.shape


@dataclass
class Weights:
    """The `.bin`: equal constants are stored once."""

    data: bytearray = field(default_factory=bytearray)
    _places: dict[bytes, int] = field(default_factory=dict)

    def add(self, array: np.ndarray) -> int:
        """Where the bytes of an array are."""
        content = np.ascontiguousarray(array).tobytes()
        if content not in self._places:
            self._places[content] = len(self.data)
            self.data += content
        return self._places[content]


class Network:
    """`<layers>` and `<edges>` of a model or of a body.

    `element` contains both.
    """

    def __init__(self, element: etree._Element, weights: Weights) -> None:
        self.element = element
        self.weights = weights
        self._layers = etree.SubElement(element, "layers")
        self._edges = etree.SubElement(element, "edges")
        self._count = 0

    def layer(
        self,
        kind: str,
        version: str,
        inputs: Sequence[Port] = (),
        outputs: Sequence[tuple[str, Shape | None]] = (),
        attributes: Mapping[str, object] | None = None,
        *,
        names: Sequence[str] = (),
        name: str | None = None,
    ) -> tuple[int, etree._Element, list[Port]]:
        """Append a layer; return its id, its element and its outputs.

        The element is for the contents that follow the ports. `names` are the names of output tensors.
        """
        identifier = self._count
        self._count += 1
        element = etree.SubElement(
            self._layers,
            "layer",
            id=str(identifier),
            name=name or f"{kind}_{identifier}",
            type=kind,
            version=version,
        )
        if attributes:
            etree.SubElement(element, "data", {k: _text(v) for k, v in attributes.items()})
        if inputs:
            holder = etree.SubElement(element, "input")
            for number, source in enumerate(inputs):
                _port(holder, number, source.dtype, source.shape)
                etree.SubElement(
                    self._edges,
                    "edge",
                    {
                        "from-layer": str(source.layer),
                        "from-port": str(source.port),
                        "to-layer": str(identifier),
                        "to-port": str(number),
                    },
                )
        ports: list[Port] = []
        if outputs:
            holder = etree.SubElement(element, "output")
            for number, (dtype, shape) in enumerate(outputs, start=len(inputs)):
                port = _port(holder, number, dtype, shape)
                port.set("precision", PRECISIONS[dtype])
                if names:
                    port.set("names", names[number - len(inputs)])
                ports.append(Port(identifier, number, dtype, shape))
        return identifier, element, ports

    def parameter(self, dtype: str, shape: Shape | None, name: str | None = None) -> Port:
        """An input of the network."""
        text = "..." if shape is None else ",".join(map(_extent, shape))
        attributes = {"shape": text, "element_type": ELEMENT_TYPES[dtype]}
        names = [name] if name else []
        _, _, (port,) = self.layer(
            "Parameter", "opset1", (), [(dtype, shape)], attributes, names=names, name=name
        )
        return port

    def constant(self, array: np.ndarray) -> Port:
        """A constant."""
        array = np.asarray(array)
        dtype = next(n for n, d in DTYPES.items() if d == array.dtype)
        attributes = {
            "element_type": ELEMENT_TYPES[dtype],
            "shape": ", ".join(map(str, array.shape)),
            "offset": self.weights.add(array),
            "size": array.nbytes,
        }
        _, _, (port,) = self.layer("Const", "opset1", (), [(dtype, array.shape)], attributes)
        return port

    def result(self, port: Port, name: str | None = None) -> int:
        """An output of the network: the id of its layer."""
        return self.layer("Result", "opset1", [port], name=name)[0]


def _extent(extent: object) -> str:
    return f"{extent.least}..{extent.most}" if isinstance(extent, Open) else str(extent)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


def _port(holder: etree._Element, number: int, dtype: str, shape: Shape | None) -> etree._Element:
    port = etree.SubElement(holder, "port", id=str(number), precision=PRECISIONS[dtype])
    for extent in shape or ():
        etree.SubElement(port, "dim").text = str(extent) if isinstance(extent, int) else "-1"
    return port


def parts_of(slicing: Slicing) -> int | None:
    """How many parts there are, where the extent is a number."""
    extent = (slicing.value.shape or ())[slicing.axis]
    if not isinstance(extent, int):
        return None
    start, end = (n + extent if n < 0 else n for n in (slicing.start, slicing.end))
    length = end - start + 1 if slicing.stride > 0 else start - end + 1
    whole, rest = divmod(length, abs(slicing.stride))
    return whole if rest == 0 else None


def slice_attributes(slicing: Slicing) -> dict[str, object]:
    """Return the attributes of a port map's entry.

    In a port map, positions lie between elements, so that `end` is exclusive, and -1 is the position behind the last
    element.
    """
    forward = slicing.stride > 0
    start, end = slicing.start, slicing.end
    # A position is the number of the element behind it.
    if forward:
        start = start if start >= 0 else start - 1
        end = end + 1 if end >= 0 else end
    else:
        start = start + 1 if start >= 0 else start
        end = end if end >= 0 else end - 1
    return {
        "axis": slicing.axis,
        "start": start,
        "end": end,
        "stride": slicing.stride,
        "part_size": slicing.part,
    }


def join_attributes(joining: Joining) -> dict[str, object]:
    """The attributes of a port map's entry for what is joined."""
    part = joining.part
    if joining.backward:
        return {"axis": joining.axis, "start": -1, "end": 0, "stride": -part, "part_size": part}
    return {"axis": joining.axis, "start": 0, "end": -1, "stride": part, "part_size": part}


class Values:
    """Ports of a region's values in a network.

    Values of the enclosing regions enter as Parameters.
    """

    def __init__(
        self, network: Network, constants: dict[Value, np.ndarray], outer: Values | None = None
    ) -> None:
        self.network = network
        self.constants = constants
        self.outer = outer
        self.captures: list[tuple[Value, Port]] = []
        self._ports: dict[Value, Port] = {}

    def bind(self, value: Value, port: Port) -> None:
        """The value is this output of a layer."""
        self._ports[value] = port

    def port(self, value: Value) -> Port:
        """Return the port of a value in this network.

        A value of an enclosing region becomes a Parameter, once.
        """
        if value not in self._ports:
            assert self.outer is not None, value.name
            parameter = self.network.parameter(value.dtype, value.shape)
            self.captures.append((value, parameter))
            self._ports[value] = parameter
        return self._ports[value]

    def array(self, value: Value) -> np.ndarray | None:
        """The contents of a value that is a constant."""
        return self.constants.get(value)

    def constant(self, array: np.ndarray | Sequence[int] | int | bool) -> Port:
        """A constant of this network; Python numbers are i64."""
        if isinstance(array, bool):
            return self.network.constant(np.array(array))
        return self.network.constant(array if isinstance(array, np.ndarray) else np.array(array, np.int64))

    def add(
        self,
        kind: str,
        version: int,
        inputs: Sequence[Port],
        output: tuple[str, Shape | None],
        **attributes: object,
    ) -> Port:
        """A layer with one output."""
        return self.network.layer(kind, f"opset{version}", inputs, [output], attributes)[2][0]
