"""Builder of the `<layers>` and `<edges>` of a network.

The network is a net or a body; layers are added one after another. Each has a name of its own, and ports with the types of its
values as OpenVINO IR writes them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from lxml import etree
from xdsl.ir import Block, Operation, SSAValue

from loomir.compiler.formats.openvino.files import WeightsWriter
from loomir.dialects.element_types import AnyTensor, string
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layers.attributes import PRECISIONS, PlainLayer, element_name
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error, shown

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot represent.

A name in an ONNX model may contain them.
"""


def representable(text: str) -> str:
    """Return a text that must be read back unchanged.

    This is a name that users or a runtime look up, or an attribute. Error: `not-in-openvino`.
    """
    found = _FORBIDDEN.search(text)
    if found is not None:
        raise Error(
            "not-in-openvino",
            f"{shown(text)} has a character that XML cannot represent, U+{ord(found[0]):04X}",
            hint="give it another name in the model: saving keeps names",
        )
    return text


def label(name: str) -> str:
    """Return a net-internal name with U+FFFD for characters that XML forbids."""
    return _FORBIDDEN.sub("\ufffd", name)


def joined(names: Iterable[str]) -> str:
    r"""Join tensor names with commas for one attribute.

    A comma in a name is escaped as `\,`.
    """
    return ",".join(label(name).replace(",", "\\,") for name in names)


class LayerNames:
    """The layers' names of one network: no two are equal."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next = Counter[str]()

    def unique(self, wanted: str) -> str:
        """Return a unique layer name.

        If another layer has the name, the first number that makes it unique is appended.
        """
        stem = name = label(wanted)
        while name in self._taken:
            self._next[stem] += 1
            name = f"{stem}_{self._next[stem]}"
        self._taken.add(name)
        return name

    def keep(self, name: str) -> bool:
        """Reserve a name for a later layer if it is free.

        Returns True if it was free.
        """
        if label(name) in self._taken:
            return False
        self._taken.add(label(name))
        return True

    def give_back(self, name: str) -> None:
        """The layer for which the name was kept comes now."""
        self._taken.discard(label(name))


_PRECISION = {name: precision for precision, name in PRECISIONS.items()}


def fact_of_port(value: SSAValue) -> Fact:
    """Return the element type and shape of a value.

    Raises `Error("unsupported-type")` for a sequence or an optional.
    """
    if not isinstance(value.type, AnyTensor):
        raise Error("unsupported-type", f"OpenVINO has no values of type {value.type}")
    return Fact.of_type(value.type)


def fact_in_body(value: SSAValue) -> Fact:
    """Return the element type and shape of a value, without bounds.

    A dynamic extent has no bounds: the Parameter of a body accepts any value from outside, where a reader finds the bounds.
    """
    fact = fact_of_port(value)
    if fact.shape is None:
        return fact
    return Fact(fact.element, tuple(extent if extent.static is not None else Dim() for extent in fact.shape))


def shape_text(fact: Fact) -> str:
    """Return a shape as the text that Parameters and Consts use.

    Examples: `1,3`, `?,2..5,..7`, `...` for an unknown rank, and the empty string for a scalar.
    """
    return "..." if fact.shape is None else ",".join(map(_extent, fact.shape))


def _extent(extent: Dim) -> str:
    if extent.static is not None:
        return str(extent.static)
    if extent.hi is None:
        return f"{extent.lo}.." if extent.lo else "?"
    return f"{extent.lo or ''}..{extent.hi}"


def add_port(holder: etree._Element, number: int, value: SSAValue, names: Sequence[str] = ()) -> None:
    """Add a `<port>` with the known properties of a value.

    `names` are the names of an output. Error: `unsupported-type`.
    """
    fact = fact_of_port(value)
    name = element_name(fact.element)
    port = etree.SubElement(holder, "port", id=str(number), precision=_PRECISION.get(name, name.upper()))
    if names:
        port.set("names", joined(names))
    for extent in fact.shape or ():
        etree.SubElement(port, "dim").text = str(-1 if extent.static is None else extent.static)


@dataclass
class Shared:
    """State that a net and its bodies share."""

    weights: WeightsWriter = field(default_factory=WeightsWriter)
    captures: dict[Operation, list[SSAValue]] = field(default_factory=dict[Operation, list[SSAValue]])
    """See `dialects/region_flow.py`."""


class NetworkBuilder(ABC):
    """Network under construction.

    Layers have the ids 0, 1 … in the order in which they are added, which is topological.
    """

    def __init__(self, root: etree._Element, shared: Shared) -> None:
        self.shared = shared
        self._layers = etree.SubElement(root, "layers")
        self._edges = etree.SubElement(root, "edges")
        self._count = 0
        self._places: dict[SSAValue, tuple[int, int]] = {}
        self._names = LayerNames()

    @abstractmethod
    def nested(self, root: etree._Element) -> NetworkBuilder:
        """Return the network of a body, below `root`.

        Raises `Error("model-too-deep")` if the reader would reject it.
        """

    @abstractmethod
    def operations(self, block: Block) -> None:
        """Add a layer for each operation of a block except its terminator.

        Errors, with the operation's place: `not-in-openvino`, `unsupported-type`, `attribute-value`.
        """

    def layer(
        self,
        plain: PlainLayer,
        name: str,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        tensors: Sequence[Sequence[str]] = (),
    ) -> etree._Element:
        """Add a layer, and edges to its input ports.

        Its outputs become values for later layers. `tensors` are the names of each output.

        The element is returned so that a layer with bodies can be extended.
        """
        identifier = self._count
        self._count += 1
        element = etree.SubElement(
            self._layers, "layer",
            id=str(identifier), name=self._names.unique(name), type=representable(plain.type), version=representable(plain.version),
        )  # fmt: skip
        if plain.data:
            data = etree.SubElement(element, "data")
            for key, text in plain.data.items():
                data.set(key, representable(text))
        if inputs:
            holder = etree.SubElement(element, "input")
            for number, value in enumerate(inputs):
                add_port(holder, number, value)
                self._edge(value, identifier, number)
        if outputs:
            holder = etree.SubElement(element, "output")
            for number, (value, names) in enumerate(
                zip_longest(outputs, tensors[: len(outputs)], fillvalue=()), start=len(inputs)
            ):
                assert isinstance(value, SSAValue)
                add_port(holder, number, value, [str(n) for n in names])
                self._places[value] = identifier, number
        return element

    def parameter(
        self, value: SSAValue, name: str, tensors: Sequence[str] = (), fact: Fact | None = None
    ) -> int:
        """Add a Parameter and return its id.

        `fact` describes its possible shapes; by default these are unbounded, because the Parameter of a body accepts its value
        as it is.
        """
        fact = fact or fact_in_body(value)
        data = {"shape": shape_text(fact), "element_type": element_name(fact.element)}
        element = self.layer(PlainLayer("Parameter", "opset1", data), name, [], [value], [tensors])
        return _id(element)

    def result(self, value: SSAValue, name: str, tensors: Sequence[str] = ()) -> int:
        """Add a Result; its id. `tensors` are what the output is called."""
        element = self.layer(PlainLayer("Result", "opset1", {}), name, [value], [])
        if tensors:
            element.set("output_names", joined(tensors))
        return _id(element)

    def constant(self, op: ConstantOp, name: str, tensors: Sequence[Sequence[str]] = ()) -> None:
        """Add a Const, its contents to the weights. Errors: `unsupported-type`, `not-in-openvino`."""
        fact = fact_of_port(op.output)
        if fact.element == string:
            raise Error("not-in-openvino", "constants of strings crash OpenVINO: they are not written")
        element = element_name(fact.element)
        offset, size = self.shared.weights.place(op.array, element)
        data = {"element_type": element, "shape": shape_text(fact), "offset": str(offset), "size": str(size)}
        self.layer(PlainLayer("Const", "opset1", data), name, [], [op.output], tensors)

    def _edge(self, value: SSAValue, to_layer: int, to_port: int) -> None:
        layer, port = self._places[value]
        ends = {"from-layer": layer, "from-port": port, "to-layer": to_layer, "to-port": to_port}
        etree.SubElement(self._edges, "edge", {key: str(number) for key, number in ends.items()})


def _id(element: etree._Element) -> int:
    return int(element.get("id", ""))
