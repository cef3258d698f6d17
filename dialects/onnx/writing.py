"""Conversion of nodes and graphs from FRONT to ONNX's protobuf messages.

ONNX's own functions require these messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from onnx import GraphProto, NodeProto, ValueInfoProto
from xdsl.dialects.builtin import NoneType
from xdsl.ir import Attribute, OpResult, Region, SSAValue

from loomir.dialects.blob import ConstantAttr
from loomir.dialects.onnx.attributes import attribute_proto, tensor_proto
from loomir.dialects.onnx.operations import ConstantOp, NodeOp, YieldOp
from loomir.dialects.onnx.types import is_declared
from loomir.dialects.onnx.value_types import proto_of


class Names:
    """Unique names of values in a file.

    A value keeps its own name if it has one and no other value uses it.
    """

    def __init__(self) -> None:
        self._names: dict[SSAValue, str] = {}
        self._taken: set[str] = set()

    def of(self, value: SSAValue) -> str:
        """The name of a value; empty for what is left out."""
        if isinstance(value.type, NoneType):
            return ""
        if value not in self._names:
            stem = name = _own_name(value) or "v"
            while name in self._taken:
                name = f"{stem}_{len(self._taken)}"
            self._taken.add(name)
            self._names[value] = name
        return self._names[value]


def _own_name(value: SSAValue) -> str | None:
    if isinstance(value, OpResult) and isinstance(value.op, NodeOp):
        return value.op.name_of(value.index)
    return value.owner.title if isinstance(value.owner, ConstantOp) else value.name_hint


def node_proto(
    op: NodeOp, attributes: Mapping[str, Attribute], graphs: Iterable[tuple[str, Region]], names: Names
) -> NodeProto:
    """Convert a node with these attributes to a message.

    Raises `Error("invalid-onnx")` for an attribute that ONNX does not have.
    """
    domain, operator, overload = op.key
    proto = NodeProto(op_type=operator, domain=domain, overload=overload)
    if op.label is not None:
        proto.name = op.label.data
    proto.input.extend(map(names.of, op.operands))
    proto.output.extend(map(names.of, op.results))
    proto.attribute.extend(attribute_proto(name, attribute) for name, attribute in attributes.items())
    for name, region in graphs:
        attribute = proto.attribute.add(name=name, type="GRAPH")
        attribute.g.CopyFrom(graph_proto(name, region, names))
    return proto


def graph_proto(name: str, region: Region, names: Names) -> GraphProto:
    """A graph whose outer values have the names that they have outside."""
    proto = GraphProto(name=name)
    proto.input.extend(_info(names.of(value), value.type) for value in region.block.args)
    for op in region.block.ops:
        if isinstance(op, ConstantOp) and isinstance(op.value, ConstantAttr):
            proto.initializer.append(tensor_proto(op.value, names.of(op.output)))
        elif isinstance(op, NodeOp):
            proto.node.append(node_proto(op, op.attributes, op.graph_attributes.items(), names))
        elif isinstance(op, YieldOp):
            proto.output.extend(_info(names.of(v), t) for v, t in zip(op.values, op.types))
    return proto


def _info(name: str, type_: Attribute) -> ValueInfoProto:
    info = ValueInfoProto(name=name)
    if is_declared(type_):
        info.type.CopyFrom(proto_of(type_))
    return info
