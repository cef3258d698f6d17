"""Conversion of ONNX graphs and functions to FRONT, and a FRONT builder.

From protobuf to FRONT, names become values, subgraphs regions. The messages have been validated: names are defined once and
before they are read (`compiler/formats/onnx/structure.py`). Otherwise they come from ONNX itself, which defines some
operators by others.

`FrontBuilder` inserts new nodes into FRONT, for patterns that replace nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

import numpy as np
import onnx.defs
from onnx import FunctionProto, GraphProto, NodeProto, SparseTensorProto, TensorProto, ValueInfoProto
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, LocationAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.attributes import constant_attr
from loomir.dialects.element_types import f32, i64
from loomir.dialects.onnx.nodes import GRAPHS, Contents, attribute_of, schema_of
from loomir.dialects.onnx.operations import ConstantOp, FunctionKey, FunctionOp, NodeOp, NoneOp, YieldOp
from loomir.dialects.onnx.tensors import array_of, declared_type, dense_array_of
from loomir.dialects.onnx.types import NONE, UNKNOWN
from loomir.errors import Error, shown

DEFAULT_DOMAINS = ("", "ai.onnx")

Versions = Mapping[str, int]
"""Domain → version of its operator set."""

_NUMBER = re.compile(r"_\d+")


def domain_of(name: str) -> str:
    """The domain with its alias removed: `ai.onnx` is the default domain."""
    return "" if name in DEFAULT_DOMAINS else name


def opset_versions(imports: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    """Domain → version. Errors: `invalid-onnx` (twice, none), `unsupported-operator` (from the future)."""
    versions: dict[str, int] = {}
    for entry in imports:
        domain = domain_of(entry.domain)
        if versions.get(domain, entry.version) != entry.version:
            raise Error(
                "invalid-onnx", f"the operator set '{domain or 'ai.onnx'}' is imported in two versions"
            )
        if entry.version < 1:
            raise Error("invalid-onnx", f"'{domain or 'ai.onnx'}' is imported in version {entry.version}")
        versions[domain] = entry.version
    newest = onnx.defs.onnx_opset_version()
    if versions.get("", 1) > newest:
        raise Error(
            "unsupported-operator",
            f"the model uses operator set {versions['']}, the newest known is {newest}",
            hint="update the package onnx",
        )
    return versions


def initialised(graph: GraphProto) -> set[str]:
    """The names of a graph's initialisers, sparse ones too.

    An input of such a name has a default: before IR version 4 every initialiser had to be listed among the inputs. Users may override
    one of the model's own; one of a body is a constant of the body, for operators feed only what has no default.
    """
    return {t.name for t in graph.initializer} | {t.values.name for t in graph.sparse_initializer}


def label(node: NodeProto) -> str:
    """Return the title of a node for messages.

    It is the node's name, or its operator and first output (`NodeOp.title`).
    """
    return node.name or f"{node.op_type}:{next((o for o in node.output if o), '')}"


def version_of(operator: str, domain: str, opset: int) -> int:
    """Return the version of an operator in an operator set.

    It is the version of the set if the set does not have the operator.
    """
    schema = schema_of(operator, opset, domain)
    return opset if schema is None else schema.version


def name_value(value: SSAValue, name: str) -> None:
    """Set a value's name hint to its name in the model.

    This is possible only if MLIR accepts the name (it may drop a number at the end).
    """
    if _is_name(name) and not _NUMBER.fullmatch(name):
        value.name_hint = name


def keeps_name(name: str) -> bool:
    """Return True if a value of this name is printed with it."""
    return _is_name(name) and SSAValue.extract_valid_name(name) == name


def _is_name(name: str) -> bool:
    """Return True if MLIR parses the text as a value name.

    (xDSL accepts letters and digits of all scripts in such names.)
    """
    return name.isascii() and bool(SSAValue.is_valid_name(name))


@dataclass
class GraphBuilder:
    """Builder of one graph: its names, and the operations of its block."""

    versions: Versions
    contents: Contents
    parent: GraphBuilder | None = None
    values: dict[str, SSAValue] = field(default_factory=dict)
    initialisers: dict[str, TensorProto | SparseTensorProto] = field(default_factory=dict)
    declared: dict[str, Attribute] = field(default_factory=dict)
    """The types that the graph declares of values."""
    constants: dict[str, ConstantOp] = field(default_factory=dict)
    """The initialisers that are read, by name."""
    nodes: list[Operation] = field(default_factory=list)
    none: NoneOp | None = None
    """Placeholder for inputs that are left out."""

    def add_initialisers(self, graph: GraphProto, inputs: Iterable[str]) -> None:
        """Make a graph's initialisers visible but for those that are inputs."""
        self.initialisers.update({t.name: t for t in graph.initializer})
        self.initialisers.update({t.values.name: t for t in graph.sparse_initializer})
        for name in inputs:
            self.initialisers.pop(name, None)

    def declare(self, values: Iterable[ValueInfoProto]) -> None:
        """Note what is declared of values; what is noted first holds."""
        for value in values:
            if value.name not in self.declared:
                self.declared[value.name] = declared_type(value.type)

    def find(self, name: str) -> SSAValue:
        """Return the value of a name; `none` for the empty name.

        Errors: `undefined-name`, and those of tensors.
        """
        if not name:
            return self._none()
        builder: GraphBuilder | None = self
        while builder is not None:
            if (value := builder.values.get(name)) is not None:
                return value
            if (tensor := builder.initialisers.get(name)) is not None:
                return builder._constant(name, tensor)
            builder = builder.parent
        raise Error("undefined-name", f"the value '{name}' is not defined")

    def _constant(self, name: str, tensor: TensorProto | SparseTensorProto) -> SSAValue:
        if isinstance(tensor, TensorProto):
            array = array_of(tensor, self.contents.external)
        else:
            array = dense_array_of(tensor, self.contents.max_sparse_bytes, self.contents.external)
        op = ConstantOp.of(constant_attr(array), "" if keeps_name(name) else name)
        name_value(op.output, name)
        self.constants[name] = op
        self.values[name] = op.output
        return op.output

    def _none(self) -> SSAValue:
        if self.none is None:
            self.none = NoneOp.of()
            self.none.output.name_hint = "none"
        return self.none.output

    def add_nodes(self, nodes: Iterable[NodeProto]) -> None:
        """Append nodes in order, defining their results. Errors know their node."""
        for node in nodes:
            try:
                self._add_node(node)
            except Error as error:
                raise error.at(layer=label(node), op=node.op_type) from error

    def _add_node(self, proto: NodeProto) -> None:
        domain = domain_of(proto.domain)
        attributes: dict[str, Attribute] = {}
        graphs: list[tuple[str, Region]] = []
        for attribute in proto.attribute:
            if attribute.type in GRAPHS and not attribute.ref_attr_name:
                inner = attribute.graphs if attribute.type == GRAPHS[1] else [attribute.g]
                graphs += [(attribute.name, self.subgraph(graph)) for graph in inner]
            else:
                attributes[attribute.name] = attribute_of(attribute, self.contents)
        names = list(proto.output)
        op = NodeOp.of(
            proto.op_type,
            version_of(proto.op_type, domain, self.versions.get(domain, 1)),
            [self.find(name) for name in proto.input],
            [self.declared.get(name, UNKNOWN) if name else NONE for name in names],
            domain=domain,
            overload=proto.overload,
            label=proto.name,
            names=None if all(map(keeps_name, filter(None, names))) else names,
            attributes=attributes,
            graphs=graphs,
        )
        for name, result in zip(names, op.results):
            if name:
                name_value(result, name)
                self.values[name] = result
        self.nodes.append(op)

    def subgraph(self, graph: GraphProto) -> Region:
        """Return the region of a subgraph.

        The values of this graph are visible in it.
        """
        inner = GraphBuilder(self.versions, self.contents, self)
        constants = initialised(graph)
        formal = [value for value in graph.input if value.name not in constants]
        inputs = [value.name for value in formal]
        block = Block(arg_types=[declared_type(value.type) for value in formal])
        inner.add_initialisers(graph, inputs)
        inner.add_graph(graph, inputs, block)
        values = [inner.find(value.name) for value in graph.output]
        return inner.finish(block, YieldOp.of(values, [declared_type(v.type) for v in graph.output]))

    def add_graph(self, graph: GraphProto, inputs: Iterable[str], block: Block) -> None:
        """Append a graph's nodes; the arguments of `block` are these inputs."""
        self.declare(graph.output)
        self.declare(graph.value_info)
        self.bind(inputs, block)
        self.add_nodes(graph.node)

    def bind(self, inputs: Iterable[str], block: Block) -> None:
        """Let the arguments of a block be the values of these names."""
        for name, argument in zip(inputs, block.args, strict=True):
            name_value(argument, name)
            self.values[name] = argument

    def finish(self, block: Block, end: Operation) -> Region:
        """Return the region of a block with all operations that were built.

        The initialisers are in the order of the file; the block ends with `end`.
        """
        constants = [op for name in self.initialisers if (op := self.constants.get(name)) is not None]
        block.add_ops([*([] if self.none is None else [self.none]), *constants, *self.nodes, end])
        return Region(block)


def function_of(
    proto: FunctionProto, versions: Versions, contents: Contents, key: FunctionKey | None = None
) -> FunctionOp:
    """Convert a function message to an operation.

    `versions` are the operator sets that the function imports. Errors carry their node.
    """
    builder = GraphBuilder(versions, contents)
    block = Block(arg_types=[UNKNOWN] * len(proto.input))
    builder.bind(proto.input, block)
    builder.declare(proto.value_info)
    builder.add_nodes(proto.node)
    # What ONNX defines may leave out results that a call need not want.
    values = [builder.find(name if name in builder.values else "") for name in proto.output]
    region = builder.finish(block, YieldOp.of(values, [v.type for v in values]))
    defaults = {a.name: attribute_of(a, contents) for a in proto.attribute_proto}
    key = key or (domain_of(proto.domain), proto.name, proto.overload)
    return FunctionOp.of(key, versions.get(""), list(proto.attribute), defaults, region)


NodeAttribute = (
    Attribute | bool | int | float | str | np.ndarray | Sequence[int] | Sequence[float] | Sequence[str]
)
"""Python types accepted as an attribute of a node."""

OpT = TypeVar("OpT", bound=Operation)


def node_attribute(value: NodeAttribute) -> Attribute:
    """Convert a Python value to a node's attribute, as in a file.

    int → i64, float → f32, str → string, arrays → tensors, lists of these.

    Raises `Error("attribute-value")` for anything else, and for an integer beyond 64 bits.
    """
    if isinstance(value, Attribute):
        return value
    if isinstance(value, bool | int | np.integer):
        return IntegerAttr(_integer(value), i64)
    if isinstance(value, float | np.floating):
        return FloatAttr(float(value), f32)
    if isinstance(value, str):
        return StringAttr(value)
    if isinstance(value, np.ndarray):
        return constant_attr(value)
    if isinstance(value, Sequence):
        strings = [each for each in value if isinstance(each, str)]
        integers = [each for each in value if isinstance(each, int | np.integer)]
        numbers = [float(each) for each in value if isinstance(each, int | float | np.integer | np.floating)]
        if strings and len(strings) == len(value):
            return ArrayAttr([StringAttr(each) for each in strings])
        if len(integers) == len(value):
            return DenseArrayBase.from_list(i64, [_integer(each) for each in integers])
        if len(numbers) == len(value):
            return DenseArrayBase.from_list(f32, numbers)
    raise Error("attribute-value", f"{shown(value)} cannot be the value of a node's attribute")


def _integer(value: object) -> int:
    assert isinstance(value, int | np.integer)
    if not -(1 << 63) <= int(value) < 1 << 63:
        raise Error("attribute-value", f"{value} is not a 64-bit integer")
    return int(value)


@dataclass
class FrontBuilder:
    """Builder that inserts nodes at one place.

    Each node gets the location of the node that it replaces.

    >>> scaled = build.node("Mul", x, build.constant(np.float32(2)))
    """

    point: InsertPoint
    location: LocationAttr
    opset: int
    """Version of ONNX's operator set in force at the insertion point.

    It determines the version of each operator.
    """
    made: dict[Operation, None] = field(default_factory=dict)
    """Inserted operations, in order."""

    def node(
        self,
        operator: str,
        *inputs: SSAValue | None,
        attributes: Mapping[str, NodeAttribute] = MappingProxyType({}),
        domain: str = "",
        version: int | None = None,
        label: str = "",
        type: Attribute = UNKNOWN,
    ) -> SSAValue:
        """Insert a node with one result, and return the result.

        An input that is left out is None. `type` is the declared type of the result.
        """
        return self.nodes(
            operator,
            *inputs,
            types=[type],
            attributes=attributes,
            domain=domain,
            version=version,
            label=label,
        )[0]

    def nodes(
        self,
        operator: str,
        *inputs: SSAValue | None,
        types: Sequence[Attribute],
        attributes: Mapping[str, NodeAttribute] = MappingProxyType({}),
        domain: str = "",
        version: int | None = None,
        label: str = "",
    ) -> Sequence[SSAValue]:
        """A node with a result for each type; all its results.

        A domain `openvino.opset4` has the layers of that operation set. Without a version ONNX's own operators are of the version
        that is in force, others of version 1.
        """
        if version is None:
            version = version_of(operator, "", self.opset) if not domain else 1
        op = NodeOp.of(
            operator,
            version,
            [self._add(NoneOp.of()).output if value is None else value for value in inputs],
            types,
            domain=domain,
            label=label,
            attributes={name: node_attribute(value) for name, value in attributes.items()},
        )
        return self._add(op).results

    def constant(self, value: np.ndarray | np.generic | float, label: str = "") -> SSAValue:
        """An initialiser with the array's dtype."""
        return self._add(ConstantOp.of(constant_attr(np.asarray(value)), label)).output

    def integers(self, values: Sequence[int], label: str = "") -> SSAValue:
        """An initialiser `tensor<Nxi64>`."""
        return self.constant(np.array([_integer(value) for value in values], np.int64), label)

    def _add(self, op: OpT) -> OpT:
        op.location = self.location
        if self.point.insert_before is None:
            self.point.block.add_op(op)
        else:
            self.point.block.insert_op_before(op, self.point.insert_before)
        self.made[op] = None
        return op
