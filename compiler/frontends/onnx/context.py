"""What translators work with: a `Node` reads an ONNX node and appends `ov` operations; a `Scope` resolves names.

A scope is one graph (or function call) that is being translated: a table of names and the block that
receives its operations. Initialisers become `ov.constant` where they are first read. Subgraphs are child
scopes with blocks of their own; outer values are simply used inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
import onnx.defs
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto, TypeProto
from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.compiler.frontends.onnx.contents import Contents
from loomir.compiler.frontends.onnx.options import ImportOptions
from loomir.compiler.frontends.onnx.registry import find_translator
from loomir.compiler.frontends.onnx.structure import FunctionKey, domain_of, label, opset_versions
from loomir.compiler.frontends.onnx.tensors import DATA_TYPES, array_of
from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.constant import ConstantOp
from loomir.dialects.ov.reshape import ReshapeOp, ShapeOfOp
from loomir.errors import Error

T = TypeVar("T")
OpT = TypeVar("OpT", bound=OvOperation)


def name_location(name: str) -> NameLoc:
    """The location `loc("name")`."""
    return NameLoc(StringAttr(name), NoneAttr())


@dataclass
class Session:
    """What one import shares: the model's functions, limits and what is known of contents."""

    functions: Mapping[FunctionKey, FunctionProto]
    directory: Path | None
    options: ImportOptions
    contents: Contents = field(default_factory=Contents)
    nodes: int = 0

    def count_node(self) -> None:
        """`Error("import-limit")` where more nodes were translated than allowed."""
        self.nodes += 1
        if self.nodes > self.options.max_nodes:
            raise Error("import-limit", f"the model has more than {self.options.max_nodes} nodes")


class Scope:
    """The names of one graph and the block that its operations go to."""

    def __init__(
        self,
        session: Session,
        block: Block,
        versions: Mapping[str, int],
        *,
        parent: Scope | None = None,
        attributes: Mapping[str, AttributeProto] | None = None,
        depth: int = 0,
        conditional: bool = False,
        calls: tuple[FunctionKey, ...] = (),
    ) -> None:
        self.session = session
        self.block = block
        self.versions = versions
        self.parent = parent
        self.attributes = attributes
        """The attributes of a function call, which its nodes may refer to; None outside functions."""
        self.depth = depth
        """How many subgraphs and calls are around."""
        self.conditional = conditional
        """Whether what is translated may never run: it is in a branch or in a loop's body."""
        self.calls = calls
        self.values: dict[str, SSAValue] = {}
        self.absent: set[str] = set()
        """The inputs of a function that its call leaves out."""
        self.initialisers: dict[str, TensorProto] = {}
        if depth > session.options.max_nesting:
            raise Error(
                "import-limit", f"subgraphs and calls are nested deeper than {session.options.max_nesting}"
            )

    def find(self, name: str) -> SSAValue | None:
        """The value of a name that is visible here; None for the empty name and a function's absent input.

        Error: `undefined-name`.
        """
        scope: Scope | None = self if name else None
        while scope is not None:
            if (value := scope.values.get(name)) is not None:
                return value
            if (tensor := scope.initialisers.get(name)) is not None:
                value = scope.constant(array_of(tensor, self.session.directory), name)
                scope.values[name] = value
                return value
            if name in scope.absent:
                return None
            scope = scope.parent
        if not name:
            return None
        raise Error("undefined-name", f"the value '{name}' is not defined")

    def constant(self, array: np.ndarray, name: str) -> SSAValue:
        """A constant at the end of the block; `name` becomes its location."""
        return self.append(ConstantOp.of(array), name).results[0]

    def append(self, op: Operation, name: str) -> Operation:
        """Put an operation at the end of the block, located by a name."""
        op.location = name_location(name)
        self.block.add_op(op)
        return op

    def add_initialisers(self, graph: GraphProto, *, hidden: Iterable[str] = ()) -> None:
        """Make the graph's initialisers visible but for those that `hidden` names."""
        if graph.sparse_initializer:
            name = graph.sparse_initializer[0].values.name
            raise Error("unsupported-type", f"the sparse initialiser '{name}' is not supported")
        self.initialisers.update({t.name: t for t in graph.initializer})
        for name in hidden:
            self.initialisers.pop(name, None)

    def translate(self, nodes: Iterable[NodeProto]) -> None:
        """Translate nodes in order, defining their outputs. Errors know their node."""
        for proto in nodes:
            try:
                self.session.count_node()
                self._translate_node(proto)
            except Error as error:
                raise error.at(layer=label(proto), op=proto.op_type) from error

    def _translate_node(self, proto: NodeProto) -> None:
        key = (domain_of(proto.domain), proto.op_type, proto.overload)
        function = self.session.functions.get(key)
        if function is not None:
            results = self._inline(proto, key, function)
        else:
            node = Node(proto, self, onnx.defs.get_schema(proto.op_type, self.versions.get("", 1), ""))
            results = self._translate_operator(node, key)
        for index, name in enumerate(proto.output):
            if not name:
                continue
            value = results[index] if index < len(results) else None
            if value is None:
                raise Error(
                    "unsupported-output", f"output {index} of {proto.op_type} ('{name}') is not supported"
                )
            self.values[name] = value

    def _translate_operator(self, node: Node, key: FunctionKey) -> list[SSAValue | None]:
        """By its translator; else by the definition that ONNX itself gives in simpler operators."""
        translator = find_translator(node.operator, node.version)
        if translator is not None:
            results = translator(node)
            return [results] if isinstance(results, SSAValue) else list(results)
        function = definition_of(node)
        if function is None:
            raise Error("unsupported-operator", f"there is no translation of {node.operator}-{node.version}")
        return self._inline(node.proto, key, function)

    def _inline(self, proto: NodeProto, key: FunctionKey, function: FunctionProto) -> list[SSAValue | None]:
        """Translate a function's body in place of a call: its names are its own."""
        if key in self.calls:
            raise Error("graph-cycle", f"the function {proto.op_type} calls itself")
        if len(proto.input) > len(function.input):
            raise Error("invalid-onnx", f"{len(proto.input)} inputs for a function of {len(function.input)}")
        attributes = {a.name: a for a in function.attribute_proto}
        for given in proto.attribute:
            if (attribute := self.resolve(given)) is not None:
                attributes[given.name] = attribute
        inner = Scope(
            self.session,
            self.block,
            opset_versions(function.opset_import),
            attributes=attributes,
            depth=self.depth + 1,
            conditional=self.conditional,
            calls=(*self.calls, key),
        )
        for index, formal in enumerate(function.input):
            actual = self.find(proto.input[index]) if index < len(proto.input) else None
            if actual is None:
                inner.absent.add(formal)
            else:
                inner.values[formal] = actual
        inner.translate(function.node)
        return [inner.find(name) for name in function.output]

    def resolve(self, attribute: AttributeProto) -> AttributeProto | None:
        """The attribute itself, or the attribute of the function call that it refers to (None: not given)."""
        if not attribute.ref_attr_name:
            return attribute
        found = (self.attributes or {}).get(attribute.ref_attr_name)
        if found is not None and found.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS):
            # Its outer names belong to the caller.
            raise Error("unsupported-attribute", f"the function's attribute '{found.name}' is a graph")
        return found

    def subgraph(self, graph: GraphProto, arguments: Sequence[Attribute]) -> tuple[Scope, Block]:
        """A scope for a graph below this one and its block, which has arguments of these types."""
        block = Block(arg_types=arguments)
        Region(block)
        scope = Scope(
            self.session,
            block,
            self.versions,
            parent=self,
            attributes=self.attributes,
            depth=self.depth + 1,
            conditional=True,
            calls=self.calls,
        )
        scope.add_initialisers(graph, hidden=[i.name for i in graph.input])
        return scope, block


class Node:
    """One ONNX node that is being translated: its inputs and attributes, and where its operations go."""

    def __init__(self, proto: NodeProto, scope: Scope, schema: onnx.defs.OpSchema) -> None:
        self.proto = proto
        self.scope = scope
        self.schema = schema
        self.version = schema.since_version
        self.operator = proto.op_type
        self.label = label(proto)
        self._attributes: dict[str, AttributeProto] = {}
        for given in proto.attribute:
            if (attribute := scope.resolve(given)) is not None:
                self._attributes[given.name] = attribute

    # -- inputs

    def __len__(self) -> int:
        return len(self.proto.input)

    def optional(self, index: int) -> SSAValue | None:
        """An input, or None where it is left out."""
        return self.scope.find(self.proto.input[index]) if index < len(self.proto.input) else None

    def input(self, index: int) -> SSAValue:
        """An input that must be there. `Error("invalid-onnx")` where it is left out."""
        value = self.optional(index)
        if value is None:
            raise Error("invalid-onnx", f"input {index} is missing")
        return value

    def inputs(self) -> list[SSAValue]:
        """All inputs, none of which may be left out."""
        return [self.input(index) for index in range(len(self))]

    def wants(self, index: int) -> bool:
        """Whether an output is used."""
        return index < len(self.proto.output) and bool(self.proto.output[index])

    # -- attributes

    def _attribute(self, name: str, kind: AttributeProto.AttributeType.ValueType) -> AttributeProto | None:
        attribute = self._attributes.get(name)
        if attribute is not None and attribute.type != kind:
            raise Error("invalid-onnx", f"the attribute '{name}' has a wrong type")
        return attribute

    def has(self, name: str) -> bool:
        """Whether an attribute is given."""
        return name in self._attributes

    def int(self, name: str, default: int | None = None) -> int:
        """An integer attribute; without a default it must be given (`invalid-onnx`)."""
        attribute = self._attribute(name, AttributeProto.INT)
        return self._given(name, default) if attribute is None else attribute.i

    def float(self, name: str, default: float | None = None) -> float:
        """A float attribute: a number of 32 bits."""
        attribute = self._attribute(name, AttributeProto.FLOAT)
        return self._given(name, default) if attribute is None else attribute.f

    def string(self, name: str, default: str | None = None) -> str:
        """A string attribute."""
        attribute = self._attribute(name, AttributeProto.STRING)
        return self._given(name, default) if attribute is None else _decode(attribute.s)

    def ints(self, name: str, default: Sequence[int] | None = None) -> list[int]:
        """A list of integers."""
        attribute = self._attribute(name, AttributeProto.INTS)
        return list(self._given(name, default)) if attribute is None else list(attribute.ints)

    def floats(self, name: str, default: Sequence[float] | None = None) -> list[float]:
        """A list of floats."""
        attribute = self._attribute(name, AttributeProto.FLOATS)
        return list(self._given(name, default)) if attribute is None else list(attribute.floats)

    def strings(self, name: str, default: Sequence[str] | None = None) -> list[str]:
        """A list of strings."""
        attribute = self._attribute(name, AttributeProto.STRINGS)
        if attribute is None:
            return list(self._given(name, default))
        return [_decode(s) for s in attribute.strings]

    def tensor(self, name: str) -> np.ndarray:
        """A tensor attribute as an array."""
        attribute = self._attribute(name, AttributeProto.TENSOR)
        if attribute is None:
            raise Error("invalid-onnx", f"the attribute '{name}' is missing")
        return array_of(attribute.t, self.scope.session.directory)

    def graph(self, name: str) -> GraphProto:
        """A graph attribute."""
        attribute = self._attribute(name, AttributeProto.GRAPH)
        if attribute is None:
            raise Error("invalid-onnx", f"the attribute '{name}' is missing")
        return attribute.g

    def _given(self, name: str, default: T | None) -> T:
        if default is None:
            raise Error("invalid-onnx", f"the attribute '{name}' is missing")
        return default

    # -- what is known of values

    def element(self, value: SSAValue) -> Attribute:
        """The element type of a value."""
        type_ = value.type
        assert isinstance(type_, TensorType | UnrankedTensorType)
        return type_.element_type

    def shape(self, value: SSAValue) -> tuple[int, ...] | None:
        """The extents of a value, -1 for one that is not known; None where the rank is not known."""
        return value.type.get_shape() if isinstance(value.type, TensorType) else None

    def static_shape(self, value: SSAValue) -> tuple[int, ...] | None:
        """The extents of a value where all are known."""
        shape = self.shape(value)
        return None if shape is None or any(extent < 0 for extent in shape) else shape

    def rank(self, value: SSAValue, what: str = "the input") -> int:
        """The rank of a value. `Error("unknown-rank")` where it depends on data or on an input without a shape."""
        shape = self.shape(value)
        if shape is None:
            raise Error(
                "unknown-rank",
                f"the rank of {what} is not known",
                hint="set the shapes of the model's inputs",
            )
        return len(shape)

    def axis(self, axis: int, rank: int) -> int:
        """An axis counted from the front. `Error("axis-range")`."""
        if not -rank <= axis < rank:
            raise Error("axis-range", f"axis {axis} is out of range for rank {rank}")
        return axis % rank

    def known(self, value: SSAValue) -> np.ndarray | None:
        """The contents of a value where they are known at import."""
        return self.scope.session.contents.known(value)

    def known_ints(self, value: SSAValue, what: str) -> list[int]:
        """The contents of an integer vector. `Error("unknown-contents")` where they depend on data."""
        array = self.known(value)
        if array is None:
            raise Error("unknown-contents", f"{what} must be known when the model is imported")
        return [int(v) for v in array.reshape(-1)]

    # -- operations

    def emit(
        self,
        op_class: type[OpT],
        *operands: SSAValue | Sequence[SSAValue] | None,
        results: int = 1,
        **attributes: AttrValue,
    ) -> OpT:
        """Append an operation whose result types are inferred; `results` counts variadic results."""
        try:
            op = op_class.make(*operands, attributes=attributes, results=results)
        except Error:
            if not self.scope.conditional:
                raise
            # `if (dim == 1) squeeze` is legal although the branch could not run for the shape that is known
            # here. Let its operations see no extents; inference decides whether the branch is taken.
            op = op_class.make(*self._forget(operands), attributes=attributes, results=results)
        self.scope.append(op, self.label)
        return op

    def op(
        self,
        op_class: type[OvOperation],
        *operands: SSAValue | Sequence[SSAValue] | None,
        **attributes: AttrValue,
    ) -> SSAValue:
        """Append an operation and give its only result."""
        return self.emit(op_class, *operands, **attributes).results[0]

    def _forget(
        self, operands: Sequence[SSAValue | Sequence[SSAValue] | None]
    ) -> list[SSAValue | Sequence[SSAValue] | None]:
        """The operands as values of the same contents of whose extents the types say nothing."""

        def forget(value: SSAValue) -> SSAValue:
            if isinstance(value.owner, ConstantOp) or not self.shape(value):
                return value
            shape = self.scope.append(ShapeOfOp.make(value), self.label).results[0]
            return self.scope.append(ReshapeOp.make(value, shape), self.label).results[0]

        return [
            None if o is None else forget(o) if isinstance(o, SSAValue) else [forget(v) for v in o]
            for o in operands
        ]

    def constant(self, array: np.ndarray) -> SSAValue:
        """A constant."""
        return self.scope.constant(array, self.label)

    def vector(self, values: Iterable[int]) -> SSAValue:
        """A constant `tensor<Nxi64>`."""
        return self.constant(np.array(list(values), np.int64))

    def number(self, value: float, like: SSAValue) -> SSAValue:
        """A constant scalar with the element type of another value."""
        return self.constant(np.array(value, dtype_of(self.element(like))))

    def scalar(self, value: SSAValue, what: str, element: Attribute | None = None) -> SSAValue:
        """A one-element tensor as a scalar. Errors: `element-type`, and Reshape's for more elements."""
        if element is not None and self.element(value) != element:
            raise Error("element-type", f"{what} must be of type {element}, not {self.element(value)}")
        if self.shape(value) == ():
            return value
        return self.op(ReshapeOp, value, self.vector([]))

    def shape_of(self, value: SSAValue) -> SSAValue:
        """The shape as `tensor<Nxi64>`: a constant where it is known."""
        shape = self.static_shape(value)
        return self.op(ShapeOfOp, value) if shape is None else self.vector(shape)


def _decode(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise Error("invalid-onnx", "a string attribute is not UTF-8") from error


def definition_of(node: Node) -> FunctionProto | None:
    """The operator's meaning in simpler operators where ONNX's schema gives one, else None."""
    schema = node.schema
    if schema.has_function:
        return schema.function_body
    if not schema.has_context_dependent_function:
        return None
    types: list[bytes] = []
    for index in range(len(node)):
        value = node.optional(index)
        proto = TypeProto()
        if value is not None:
            proto.tensor_type.elem_type = DATA_TYPES[node.element(value)]
            for extent in node.shape(value) or ():
                dimension = proto.tensor_type.shape.dim.add()
                if extent >= 0:
                    dimension.dim_value = extent
        types.append(proto.SerializeToString())
    text = schema.get_context_dependent_function(node.proto.SerializeToString(), types)
    if not text:
        return None
    function = FunctionProto()
    function.ParseFromString(text)
    return function
