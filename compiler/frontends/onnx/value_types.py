"""Types of values: ONNX's `TypeProto`, the text that schemas use (`seq(tensor(float))`), and ours."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from onnx import TensorProto, TensorShapeProto, TypeProto
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType
from xdsl.ir import Attribute

from loomir.compiler.frontends.onnx.tensors import DATA_TYPES, element_type
from loomir.dialects.seq.types import AnyTensor, GraphType, OptionalType, SequenceType
from loomir.errors import Error

Extents = Mapping[str, int]
"""The extents of symbolic dimensions that are known."""


def type_of(proto: TypeProto, what: str, symbols: Extents = MappingProxyType({})) -> GraphType:
    """Our type for ONNX's; `what` names the value in messages. Errors: `unsupported-type`, `invalid-onnx`.

    A symbolic dimension inside of a sequence says nothing: each element has its own.
    """
    kind = proto.WhichOneof("value")
    if kind == "tensor_type":
        return _tensor_type(proto.tensor_type, what, symbols)
    if kind == "sequence_type":
        element = type_of(proto.sequence_type.elem_type, what)
        if isinstance(element, AnyTensor):
            return SequenceType(element)
    if kind == "optional_type":
        value = type_of(proto.optional_type.elem_type, what)
        if not isinstance(value, OptionalType):
            return OptionalType(value)
    name = (kind or "unknown").removesuffix("_type").replace("_", " ")
    inner = " of something else than tensors" if kind in ("sequence_type", "optional_type") else ""
    raise Error(
        "unsupported-type",
        f"{what} is of type {name}{inner}",
        hint="values are tensors, sequences of tensors, and optionals of these",
    )


def _tensor_type(tensor: TypeProto.Tensor, what: str, symbols: Extents) -> TensorType | UnrankedTensorType:
    element = element_type(tensor.elem_type)
    if not tensor.HasField("shape"):
        return UnrankedTensorType(element)
    return TensorType(element, [_extent(d, what, symbols) for d in tensor.shape.dim])


def _extent(dimension: TensorShapeProto.Dimension, what: str, symbols: Extents) -> int:
    if dimension.HasField("dim_value"):
        if dimension.dim_value < 0:
            raise Error("invalid-onnx", f"{what} has the extent {dimension.dim_value}")
        return dimension.dim_value
    return symbols.get(dimension.dim_param, DYNAMIC_INDEX)


def proto_of(type_: Attribute) -> TypeProto:
    """ONNX's type for ours."""
    proto = TypeProto()
    if isinstance(type_, SequenceType):
        proto.sequence_type.elem_type.CopyFrom(proto_of(type_.element))
    elif isinstance(type_, OptionalType):
        proto.optional_type.elem_type.CopyFrom(proto_of(type_.value))
    elif isinstance(type_, AnyTensor):
        proto.tensor_type.elem_type = DATA_TYPES[type_.element_type]
        if isinstance(type_, TensorType):
            proto.tensor_type.shape.SetInParent()
            for extent in type_.get_shape():
                dimension = proto.tensor_type.shape.dim.add()
                if extent != DYNAMIC_INDEX:
                    dimension.dim_value = extent
    return proto


def type_text(type_: Attribute) -> str | None:
    """What a schema calls a type: `tensor(float)`, `seq(tensor(int64))`; None for one that ONNX has not."""
    if isinstance(type_, SequenceType):
        inner = type_text(type_.element)
        return None if inner is None else f"seq({inner})"
    if isinstance(type_, OptionalType):
        inner = type_text(type_.value)
        return None if inner is None else f"optional({inner})"
    code = DATA_TYPES.get(type_.element_type) if isinstance(type_, AnyTensor) else None
    return None if code is None else f"tensor({TensorProto.DataType.Name(code).lower()})"
