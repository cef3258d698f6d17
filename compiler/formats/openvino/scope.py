"""Network under conversion to one block, and concatenated outputs of loops.

The network is a net or a body. `NetworkScope` holds its values and adds operations to the block.

A loop's output may be the concatenation of parts from its iterations. Checks compare the file's declarations with the actual
parts. TensorIterator-1: the parts are concatenated along the `axis`, in the order of the iterations, or backwards if the
`stride` is negative. So `start` and `end` have no effect (`files` warns of other values than the usual ones), and
`part_size` and the absolute value of `stride` only repeat the length of a part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from lxml import etree
from xdsl.dialects.builtin import ModuleOp, NameLoc, NoneAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.compiler.formats.openvino.files import element_text, integer_of, line_of
from loomir.compiler.formats.openvino.network import Layer, Network, declared_element, declared_shape
from loomir.dialects.element_types import i32, i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.errors import Error
from loomir.passes.analysis.inference import infer


@dataclass(frozen=True)
class Join:
    """Contents of the `<output>` of a port map.

    The element is `text` in a `line` of the file; `part_size` is None if it is not specified.
    """

    text: str
    line: int
    axis: int
    backwards: bool
    part_size: int | None

    @property
    def slicing(self) -> Slicing:
        """The same in GRAPH."""
        size = self.part_size or 1
        if self.backwards:
            return Slicing(self.axis, -1, 0, -size, size)
        return Slicing(self.axis, 0, -1, size, size)


def read_join(element: etree._Element) -> Join | None:
    """Return how an output is joined, or None without an `axis`.

    Errors: `ir-structure`, `loop-stride`, `loop-part-size`.
    """
    if element.get("axis") is None:
        return None
    text, line = element_text(element), line_of(element)
    stride = integer_of(element, "stride", 1)
    if stride == 0:
        raise Error("loop-stride", f"{text}: the stride of a concatenated output is 0", hint=_STRIDES).at(
            line=line
        )
    size = None if element.get("part_size") is None else integer_of(element, "part_size")
    if size is not None and element.get("stride") is not None and size != abs(stride):
        raise Error(
            "loop-part-size", f"{text}: part_size {size} differs from the stride {stride}", hint=_STRIDES
        ).at(line=line)
    if size is not None and size < 1:
        raise Error(
            "loop-part-size",
            f"{text}: part_size {size} must be at least 1",
            hint="omit it, or write the length of a part",
        ).at(line=line)
    for attribute in ("start", "end"):
        integer_of(element, attribute, 0)
    return Join(text, line, integer_of(element, "axis"), stride < 0, size)


_STRIDES = "set stride and part_size to the length of a part on the axis, with a negative stride to concatenate backwards"


@dataclass(frozen=True)
class ConcatenatedOutput:
    """Concatenated output of a loop, and its description in the file."""

    layer: Layer
    loop: LoopOp
    index: int
    join: Join


def check_joins(module: ModuleOp, joined: Iterable[ConcatenatedOutput]) -> None:
    """Reject a `part_size` that differs from the inferred length of the parts.

    Parts of unknown length are not checked. Error: `loop-part-size`.
    """
    said = [j for j in joined if j.join.part_size is not None]
    if not said:
        return
    try:
        inference = infer(module)
    except Error:
        # The shapes that the file declares forbid something. `ov-infer` says so, if the user gives no other ones.
        return
    for each in said:
        fact = inference.facts.get(each.loop.next.concat[each.index])
        if fact is None or fact.shape is None:
            continue
        axis = each.join.axis
        size = fact.shape[axis].static if -len(fact.shape) <= axis < len(fact.shape) else None
        if size not in (None, each.join.part_size):
            raise Error(
                "loop-part-size",
                f"{each.join.text}: part_size {each.join.part_size}, but a part is {size} long on axis {axis}",
                layer=each.layer.name,
                op=each.layer.type,
                hint=_STRIDES,
            ).at(line=each.join.line)


class NetworkScope(ABC):
    """One network on its way into one block.

    `bind` gives Parameters their values, `run` imports all other layers, `result` gives what a Result is fed with.
    """

    def __init__(self, network: Network, block: Block) -> None:
        self._network = network
        self._block = block
        self._values: dict[tuple[int, int], SSAValue] = {}
        self.forbidden: Error | None = None
        """Error that the block raises at run time, or None.

        It is set if the known shapes are invalid for one of its layers.
        """
        self.joined: list[ConcatenatedOutput] = []
        """The concatenated outputs of all loops, whatever body they are in."""

    @abstractmethod
    def nested(self, body: Network, block: Block) -> NetworkScope:
        """A body inside this network."""

    @abstractmethod
    def run(self) -> None:
        """Import every layer in topological order."""

    def bind(self, parameter: Layer, value: SSAValue) -> None:
        """Say what a Parameter is."""
        if len(parameter.outputs) != 1:
            raise Error(
                "ir-structure", "a Parameter must have one output", layer=parameter.name, op=parameter.type
            )
        self._values[parameter.id, parameter.outputs[0]] = value

    def is_bound(self, parameter: Layer) -> bool:
        """Return True if `bind` was called for a Parameter."""
        return bool(parameter.outputs) and (parameter.id, parameter.outputs[0]) in self._values

    def result(self, identifier: int) -> SSAValue:
        """The value that a Result layer is fed with."""
        layer = self._network.layers[identifier]
        if len(layer.sources) != 1:
            raise Error("ir-structure", "a Result must have one input port", layer=layer.name, op=layer.type)
        return self._operands(layer)[0]

    def add(self, op: Operation, layer: Layer) -> None:
        """Append an operation, with the layer's name as its location."""
        op.location = NameLoc(StringAttr(layer.name), NoneAttr())
        self._block.add_op(op)

    def scalar(self, value: SSAValue, element: Attribute, what: str, layer: Layer) -> SSAValue:
        """Convert a one-element tensor to rank 0 and this element type.

        The tensor is a scalar or 1-D; the element type is i64, for which i32 is accepted too, or i1.

        Error: `loop-scalar`.
        """
        fact = fact_of(value)
        if fact.rank is not None and (
            fact.rank > 1 or (fact.rank == 1 and fact.shape and fact.shape[0].static not in (1, None))
        ):
            raise Error(
                "loop-scalar",
                f"the {what} must be a scalar or have one element, but is {fact.type}",
                hint="write a Reshape before it",
            )
        accepted = (i64, i32) if element == i64 else (element,)
        if fact.element not in accepted:
            raise Error(
                "loop-scalar",
                f"the {what} must be {' or '.join(map(str, accepted))}, but is {fact.element}",
                hint="write a Convert before it",
            )
        name = replace(layer, name=f"{layer.name}: {what}")
        if fact.rank != 0:
            target = ConstantOp.of(np.zeros(0, np.int64))
            self.add(target, name)
            reshape = ReshapeOp.make(value, target.output, attributes={"special_zero": False})
            self.add(reshape, name)
            value = reshape.results[0]
        if fact.element != element:
            convert = ConvertOp.make(value, attributes={"destination_type": element})
            self.add(convert, name)
            value = convert.results[0]
        return value

    def iteration_number(self, counter: SSAValue, parameter: Layer) -> SSAValue:
        """The loop's `tensor<i64>` counter in the type that the body's Parameter declares."""
        element = declared_element(parameter)
        extents = declared_shape(parameter)
        if element != tensor_type_of(counter).element_type:
            convert = ConvertOp.make(counter, attributes={"destination_type": element})
            self.add(convert, parameter)
            counter = convert.results[0]
        if extents:
            target = ConstantOp.of(np.ones(len(extents), np.int64))
            self.add(target, parameter)
            reshape = ReshapeOp.make(counter, target.output, attributes={"special_zero": False})
            self.add(reshape, parameter)
            counter = reshape.results[0]
        return counter

    def _operands(self, layer: Layer) -> list[SSAValue]:
        operands: list[SSAValue] = []
        for position, source in enumerate(layer.sources):
            if source is None:
                raise Error(
                    "ir-structure",
                    f"nothing enters input port {layer.inputs[position]}",
                    layer=layer.name,
                    op=layer.type,
                )
            value = self._values.get(source)
            if value is None:
                fed_by = self._network.layers[source[0]]
                raise Error(
                    "ir-structure", f"input {position} comes from '{fed_by.name}', which has no value there",
                    layer=layer.name, op=layer.type,
                )  # fmt: skip
            operands.append(value)
        return operands
