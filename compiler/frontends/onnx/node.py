"""What translators work with: a `Node` reads an ONNX node and appends `ov` operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import onnx.defs
from onnx import AttributeProto, GraphProto, NodeProto, TypeProto
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, Block, SSAValue

from loomir.compiler.frontends.onnx.tensors import array_of, dense_array_of
from loomir.dialects.element_types import dtype_of, scalar_array
from loomir.dialects.ov.base import AttrValue, OvOperation, int64_array
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.reshape import ReshapeOp, ShapeOfOp
from loomir.dialects.seq.base import SeqOperation
from loomir.dialects.seq.types import kind_of
from loomir.errors import Error

if TYPE_CHECKING:
    from loomir.compiler.frontends.onnx.context import Scope

T = TypeVar("T")
OpT = TypeVar("OpT", bound=OvOperation | SeqOperation)


def name_location(name: str) -> NameLoc:
    """The location `loc("name")`."""
    return NameLoc(StringAttr(name), NoneAttr())


class Node:
    """One ONNX node that is being translated: its inputs and attributes, and where its operations go."""

    def __init__(self, proto: NodeProto, scope: Scope, schema: onnx.defs.OpSchema) -> None:
        self.proto = proto
        self.scope = scope
        self.schema = schema
        self.version = schema.since_version
        self.operator = proto.op_type
        self.label = scope.label(proto)
        self._attributes: dict[str, AttributeProto] = {}
        self._graph_owners: dict[str, Scope] = {}
        for given in proto.attribute:
            if (attribute := scope.resolve(given)) is not None:
                self._attributes[given.name] = attribute
                self._graph_owners[given.name] = scope.owner_of(given)

    # -- inputs

    @property
    def location(self) -> LocationAttr:
        """Where the operations of this node say that they come from."""
        return name_location(self.label)

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

    def resolved(self) -> NodeProto:
        """The node with its attributes' values in place of references to those of a function call."""
        proto = NodeProto()
        proto.CopyFrom(self.proto)
        del proto.attribute[:]
        for name, value in self._attributes.items():
            given = proto.attribute.add()
            given.CopyFrom(value)
            given.name = name
        return proto

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

    def sparse_tensor(self, name: str) -> np.ndarray:
        """A sparse tensor attribute as a dense array."""
        attribute = self._attribute(name, AttributeProto.SPARSE_TENSOR)
        if attribute is None:
            raise Error("invalid-onnx", f"the attribute '{name}' is missing")
        session = self.scope.session
        return dense_array_of(attribute.sparse_tensor, session.directory, session.options.max_sparse_bytes)

    def subgraph(self, name: str, arguments: Sequence[Attribute]) -> tuple[Scope, Block]:
        """A scope for a graph attribute and its block, which has arguments of these types."""
        return self.scope.subgraph(self.graph(name), arguments, self._graph_owners[name])

    def graph(self, name: str) -> GraphProto:
        """A graph attribute."""
        attribute = self._attribute(name, AttributeProto.GRAPH)
        if attribute is None:
            raise Error("invalid-onnx", f"the attribute '{name}' is missing")
        return attribute.g

    def type(self, name: str) -> TypeProto:
        """An attribute that is a type."""
        attribute = self._attribute(name, AttributeProto.TYPE_PROTO)
        if attribute is None:
            raise Error("invalid-onnx", f"the attribute '{name}' is missing")
        return attribute.tp

    def _given(self, name: str, default: T | None) -> T:
        if default is None:
            raise Error("invalid-onnx", f"the attribute '{name}' is missing")
        return default

    @property
    def as_onnxruntime(self) -> bool:
        """Whether ONNX Runtime's reading holds where it is another one than the specification's."""
        return self.scope.session.options.semantics == "onnxruntime"

    def warn_of_difference(self, difference: str) -> None:
        """Tell the user that the node is read as the specification says, and what ONNX Runtime would do."""
        self.scope.session.differences[self.label, self.operator, difference] = None

    def reads_as_onnxruntime(self, difference: str) -> bool:
        """`as_onnxruntime`, and where it is not so a warning of the difference."""
        if not self.as_onnxruntime:
            self.warn_of_difference(difference)
        return self.as_onnxruntime

    # -- what is known of values

    def element(self, value: SSAValue) -> Attribute:
        """The element type of a tensor. `Error("invalid-onnx")` for a sequence or an optional."""
        type_ = value.type
        if not isinstance(type_, TensorType | UnrankedTensorType):
            raise Error("invalid-onnx", f"a {kind_of(type_)} where a tensor must be")
        return type_.element_type

    def shape(self, value: SSAValue) -> tuple[int, ...] | None:
        """The extents of a value, -1 for one that is not known; None where the rank is not known."""
        if not isinstance(value.type, TensorType):
            return None
        return tuple(-1 if extent == DYNAMIC_INDEX else extent for extent in value.type.get_shape())

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

    def fact(self, value: SSAValue) -> Fact:
        """All that is known of a value at import, contents of small integer tensors too."""
        return self.scope.session.contents.fact(value)

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
        attributes: Mapping[str, AttrValue] | None = None,
    ) -> OpT:
        """Append an operation whose result types are inferred; `results` counts variadic results."""
        op = op_class.make(*operands, attributes=attributes, results=results)
        self.scope.append(op, self.label)
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
        return self.scope.constant(array, self.label)

    def vector(self, values: Iterable[int]) -> SSAValue:
        """A constant `tensor<Nxi64>`. `Error("attribute-value")` for an integer beyond 64 bits."""
        return self.constant(int64_array(values))

    def number(self, value: float, like: SSAValue) -> SSAValue:
        """A constant scalar with the element type of another value; of strings the empty one."""
        return self.constant(scalar_array(value, dtype_of(self.element(like))))

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
