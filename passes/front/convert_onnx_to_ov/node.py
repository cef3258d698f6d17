"""Interface of translators.

A `Node` reads a node of FRONT and appends operations of GRAPH.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from onnx import NodeProto
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, Block, SSAValue, TypeAttribute

from loomir.dialects.attributes import ConstantAttr, constant_array, constant_attr
from loomir.dialects.element_types import dtype_of, f32, i64, numbers_of, scalar_array
from loomir.dialects.onnx.nodes import Names, Schema, node_proto
from loomir.dialects.onnx.operations import NodeOp
from loomir.dialects.onnx.types import is_declared
from loomir.dialects.ov.base import AttrValue, OvOperation, int64_array
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.dialects.ovseq import SeqOperation
from loomir.dialects.ovseq.types import kind_of
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.scope import Scope, Subgraph, name_location

SET_SHAPES = "set the shapes of the model's inputs (shapes=, --shape)"
"""Hint for errors where a translator needs an extent or rank."""

SET_VALUES = "fix the inputs that it depends on (values=, --value)"
"""Hint for errors where a translator needs contents.

Only some contents can be translated, and they are unknown.
"""

T = TypeVar("T")
OpT = TypeVar("OpT", bound=OvOperation | SeqOperation)


class Node:
    """Node under translation.

    It provides the inputs and attributes, and the place where its operations are inserted.
    """

    def __init__(self, source: NodeOp, scope: Scope, schema: Schema | None) -> None:
        """`schema`: None where ONNX does not define the operator."""
        self.source = source
        self.scope = scope
        self._schema = schema
        self.version = source.version.value.data if schema is None else schema.version
        self.operator = source.operator.data
        self.title = scope.title(source)
        self.location = name_location(self.title, source.location)
        """Where the operations of this node say that they come from."""
        self.attributes = scope.attributes_of(source)

    def inside(self, scope: Scope) -> Node:
        """Return the same node in another scope.

        Its operations are inserted into that scope's body.
        """
        return Node(self.source, scope, self._schema)

    def as_node(
        self, operator: str, version: int, inputs: Sequence[SSAValue | None], *attributes: str
    ) -> Node:
        """Return this node as a node of another operator.

        The translator of that operator receives the given inputs, and the named ones of this node's attributes.
        """
        return _Rewritten(self, operator, version, inputs, attributes)

    @property
    def schema(self) -> Schema:
        """ONNX's schema of the operator."""
        assert self._schema is not None, f"{self.operator} is none of ONNX's"
        return self._schema

    # -- inputs and outputs

    def __len__(self) -> int:
        return len(self.source.operands)

    def optional(self, index: int) -> SSAValue | None:
        """An input, or None where it is left out."""
        return self.scope.find(self.source.operands[index]) if index < len(self) else None

    def input(self, index: int) -> SSAValue:
        """An input that must be there. `Error("invalid-onnx")` where it is left out."""
        value = self.optional(index)
        if value is None:
            raise Error("invalid-onnx", f"input {index} is missing")
        return value

    def inputs(self) -> list[SSAValue]:
        """All inputs, none of which may be left out."""
        return [self.input(index) for index in range(len(self))]

    @property
    def outputs(self) -> int:
        """How many outputs there are, those that are not wanted counted."""
        return len(self.source.results)

    def is_requested(self, index: int) -> bool:
        """Return True if an output is used."""
        return self.source.is_requested(index)

    # -- attributes

    def has(self, name: str) -> bool:
        """Return True if an attribute is present."""
        return name in self.attributes

    def _attribute(self, name: str, kind: type[T], element: Attribute | None = None) -> T | None:
        """An attribute, where it is given. `Error("invalid-onnx")` for one of another kind."""
        attribute = self.attributes.get(name)
        if attribute is None:
            return None
        if isinstance(attribute, kind) and (element is None or _element(attribute) == element):
            return attribute
        raise _wrong_type(name)

    def int(self, name: str, default: int | None = None) -> int:
        """An integer attribute; without a default it must be given (`invalid-onnx`)."""
        attribute = self._attribute(name, IntegerAttr, i64)
        return self._given(name, default) if attribute is None else attribute.value.data

    def float(self, name: str, default: float | None = None) -> float:
        """A float attribute: a number of 32 bits."""
        attribute = self._attribute(name, FloatAttr, f32)
        return self._given(name, default) if attribute is None else attribute.value.data

    def string(self, name: str, default: str | None = None) -> str:
        """A string attribute. `Error("invalid-onnx")` for bytes that are not UTF-8."""
        attribute = self.attributes.get(name)
        return self._given(name, default) if attribute is None else _text(name, attribute)

    def ints(self, name: str, default: Sequence[int] | None = None) -> list[int]:
        """A list of integers."""
        attribute = self._attribute(name, DenseArrayBase, i64)
        return list(self._given(name, default) if attribute is None else numbers_of(attribute).tolist())

    def floats(self, name: str, default: Sequence[float] | None = None) -> list[float]:
        """A list of floats."""
        attribute = self._attribute(name, DenseArrayBase, f32)
        return list(self._given(name, default) if attribute is None else numbers_of(attribute).tolist())

    def strings(self, name: str, default: Sequence[str] | None = None) -> list[str]:
        """A list of strings."""
        attribute = self._attribute(name, ArrayAttr)
        if attribute is None:
            return list(self._given(name, default))
        return [_text(name, item) for item in attribute]

    def tensor(self, name: str) -> np.ndarray:
        """An attribute that is a tensor, sparse ones too."""
        attribute = self._required(name, Attribute)
        if not isinstance(attribute, ConstantAttr):
            raise _wrong_type(name)
        return constant_array(attribute)

    def type(self, name: str) -> Attribute:
        """Return an attribute that is a type.

        `Error("unsupported-type")` for a type that no value of GRAPH has.
        """
        type_ = self._required(name, TypeAttribute)
        assert isinstance(type_, Attribute)
        if not is_declared(type_):
            raise Error(
                "unsupported-type",
                f"the attribute '{name}' is no type of a value",
                hint="values are tensors, sequences of tensors, and optionals of these",
            )
        return type_

    def graph(self, name: str) -> Subgraph:
        """An attribute that is a graph."""
        return self._required(name, Subgraph)

    def _required(self, name: str, kind: type[T]) -> T:
        attribute = self._attribute(name, kind)
        if attribute is None:
            raise Error("invalid-onnx", f"the attribute '{name}' is missing")
        return attribute

    def _given(self, name: str, default: T | None) -> T:
        if default is None:
            raise Error("invalid-onnx", f"the attribute '{name}' is missing")
        return default

    def subgraph(self, graph: Subgraph, arguments: Sequence[Attribute]) -> tuple[Scope, Block]:
        """Return a scope for a graph, and its block.

        The block has arguments of these types.
        """
        return self.scope.child(arguments, graph)

    def proto(self) -> NodeProto:
        """Return the node as a protobuf message for ONNX's own functions.

        The attributes of the function call replace references to them.
        """
        attributes = {n: a for n, a in self.attributes.items() if isinstance(a, Attribute)}
        graphs = [(n, a.region) for n, a in self.attributes.items() if isinstance(a, Subgraph)]
        proto = node_proto(self.source, attributes, graphs, Names())
        for index in range(len(self)):
            if self.optional(index) is None:
                # Left out by the call of the function that the node is in.
                proto.input[index] = ""
        return proto

    @property
    def stays_a_layer(self) -> bool:
        """True to keep an operator that is one layer of OpenVINO's sets."""
        return self.scope.session.options.layers

    @property
    def as_onnxruntime(self) -> bool:
        """True if ONNX Runtime's semantics override those of the specification.

        The two differ for some operators.
        """
        return self.scope.session.options.semantics == "onnxruntime"

    def warn_of_difference(self, difference: str) -> None:
        """Record a warning that ONNX Runtime would treat the node differently.

        The node follows the specification; the warning states what ONNX Runtime would do.
        """
        self.scope.session.differences[self.title, self.operator, difference] = None

    def reads_as_onnxruntime(self, difference: str) -> bool:
        """`as_onnxruntime`, and where it is not so a warning of the difference."""
        if not self.as_onnxruntime:
            self.warn_of_difference(difference)
        return self.as_onnxruntime

    # -- what is known of values

    def element(self, value: SSAValue) -> Attribute:
        """Return the element type of a tensor.

        `Error("invalid-onnx")` for a sequence or an optional.
        """
        type_ = value.type
        if not isinstance(type_, TensorType | UnrankedTensorType):
            raise Error("invalid-onnx", f"a {kind_of(type_)} where a tensor must be")
        return type_.element_type

    def shape(self, value: SSAValue) -> tuple[int, ...] | None:
        """Return the extents of a value, with -1 for unknown ones.

        The result is None if the rank is unknown.
        """
        if not isinstance(value.type, TensorType):
            return None
        return tuple(-1 if extent == DYNAMIC_INDEX else extent for extent in value.type.get_shape())

    def static_shape(self, value: SSAValue) -> tuple[int, ...] | None:
        """The extents of a value where all are known."""
        shape = self.shape(value)
        return None if shape is None or any(extent < 0 for extent in shape) else shape

    def rank(self, value: SSAValue, what: str = "the input") -> int:
        """Return the rank of a value.

        `Error("unknown-rank")` if it depends on data or on an input without a shape.
        """
        shape = self.shape(value)
        if shape is None:
            raise Error(
                "unknown-rank",
                f"the rank of {what} is not known",
                hint=SET_SHAPES,
            )
        return len(shape)

    def fact(self, value: SSAValue) -> Fact:
        """Return the fact known of a value at import.

        It includes contents of small integer tensors.
        """
        return self.scope.session.contents.fact(value)

    def known(self, value: SSAValue) -> np.ndarray | None:
        """The contents of a value where they are known at import."""
        return self.scope.session.contents.known(value)

    # -- operations

    def emit(
        self,
        op_class: type[OpT],
        *operands: SSAValue | Sequence[SSAValue] | None,
        results: int = 1,
        attributes: Mapping[str, AttrValue] | None = None,
    ) -> OpT:
        """Append an operation whose result types are inferred; `results` counts variadic results."""
        op = op_class.make(*operands, attributes=attributes, results=results)
        self.scope.append(op, self.location)
        return op

    def op(
        self,
        op_class: type[OvOperation | SeqOperation],
        *operands: SSAValue | Sequence[SSAValue] | None,
        **attributes: AttrValue,
    ) -> SSAValue:
        """Append an operation and give its only result."""
        return self.emit(op_class, *operands, attributes=attributes).results[0]

    def constant(self, array: np.ndarray) -> SSAValue:
        """A constant."""
        return self.scope.append_constant(constant_attr(array), self.location)

    def vector(self, values: Iterable[int]) -> SSAValue:
        """A constant `tensor<Nxi64>`. `Error("attribute-value")` for an integer beyond 64 bits."""
        return self.constant(int64_array(values))

    def number(self, value: float, like: SSAValue) -> SSAValue:
        """Create a constant scalar with the element type of another value.

        For strings it is the empty string.
        """
        return self.constant(scalar_array(value, dtype_of(self.element(like))))

    def scalar(self, value: SSAValue, what: str, element: Attribute | None = None) -> SSAValue:
        """Convert a one-element tensor to a scalar.

        Errors: `element-type`, and those of Reshape for more elements.
        """
        if element is not None and self.element(value) != element:
            raise Error("element-type", f"{what} must be of type {element}, not {self.element(value)}")
        if self.shape(value) == ():
            return value
        return self.op(ReshapeOp, value, self.vector([]))

    def shape_of(self, value: SSAValue) -> SSAValue:
        """The shape as `tensor<Nxi64>`: a constant where it is known."""
        shape = self.static_shape(value)
        return self.op(ShapeOfOp, value) if shape is None else self.vector(shape)


def _element(attribute: object) -> Attribute | None:
    """The type of a number, or of the numbers of a list."""
    if isinstance(attribute, DenseArrayBase):
        return attribute.elt_type
    return attribute.type if isinstance(attribute, IntegerAttr | FloatAttr) else None


def _text(name: str, attribute: object) -> str:
    if isinstance(attribute, StringAttr):
        return attribute.data
    if isinstance(attribute, BytesAttr):
        raise Error("invalid-onnx", f"the attribute '{name}' is a string that is not UTF-8")
    raise _wrong_type(name)


def _wrong_type(name: str) -> Error:
    return Error("invalid-onnx", f"the attribute '{name}' has a wrong type")


class _Rewritten(Node):
    """A node as one of another operator, with inputs that were computed."""

    def __init__(
        self,
        node: Node,
        operator: str,
        version: int,
        inputs: Sequence[SSAValue | None],
        attributes: Sequence[str],
    ) -> None:
        super().__init__(node.source, node.scope, None)
        self.operator, self.version, self._inputs = operator, version, list(inputs)
        self.attributes = {name: a for name, a in self.attributes.items() if name in attributes}

    def inside(self, scope: Scope) -> Node:
        inner = _Rewritten(self, self.operator, self.version, self._inputs, tuple(self.attributes))
        inner.scope = scope
        return inner

    def __len__(self) -> int:
        return len(self._inputs)

    def optional(self, index: int) -> SSAValue | None:
        return self._inputs[index] if index < len(self) else None
