"""Builder of the `<layers>` and `<edges>` of a network.

The network is a net or a body; layers are added one after another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from lxml import etree
from xdsl.ir import Block, Operation, SSAValue

from loomir.compiler.backends.openvino.constants import Weights
from loomir.compiler.backends.openvino.names import Names, joined, sayable
from loomir.compiler.backends.openvino.ports import add_port, fact_in_body, fact_of_port, shape_text
from loomir.dialects.element_types import string
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.layers.builder import PlainLayer
from loomir.dialects.ov.layers.text import element_name
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error


@dataclass
class Shared:
    """State that a net and its bodies share."""

    weights: Weights = field(default_factory=Weights)
    captures: dict[Operation, list[SSAValue]] = field(default_factory=dict[Operation, list[SSAValue]])
    """See `dialects/captures.py`."""


class Layers(ABC):
    """Network under construction.

    Layers have the ids 0, 1 … in the order in which they are added, which is topological.
    """

    def __init__(self, root: etree._Element, shared: Shared) -> None:
        self.shared = shared
        self._layers = etree.SubElement(root, "layers")
        self._edges = etree.SubElement(root, "edges")
        self._count = 0
        self._places: dict[SSAValue, tuple[int, int]] = {}
        self._names = Names()

    @abstractmethod
    def nested(self, root: etree._Element) -> Layers:
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
            id=str(identifier), name=self._names.unique(name), type=sayable(plain.type), version=sayable(plain.version),
        )  # fmt: skip
        if plain.data:
            data = etree.SubElement(element, "data")
            for key, text in plain.data.items():
                data.set(key, sayable(text))
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
            raise Error("not-in-openvino", "constants of strings end OpenVINO's process: none is written")
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
