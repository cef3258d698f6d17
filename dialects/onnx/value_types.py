"""Conversion between types of ONNX and of loomir.

ONNX's types are `TypeProto`, and the text that schemas use (`seq(tensor(float))`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from onnx import TensorProto, TensorShapeProto, TypeProto
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType
from xdsl.ir import Attribute

from loomir.dialects.onnx.tensors import DATA_TYPES, ELEMENTS, element_type
from loomir.dialects.onnx.types import UNKNOWN
from loomir.dialects.ovseq.types import GraphType, OptionalType, SequenceType
from loomir.dialects.tensors import AnyTensor
from loomir.errors import Error

Extents = Mapping[str, int]
"""The extents of symbolic dimensions that are known."""


def type_of(proto: TypeProto, what: str, symbols: Extents = MappingProxyType({})) -> GraphType:
    """Convert ONNX's type to loomir's.

    `what` names the value in messages. Errors: `unsupported-type`, `invalid-onnx`.

    A symbolic dimension inside of a sequence has no meaning: each element has its own extent.
    """
    kind = proto.WhichOneof("value")
    if kind is None:
        raise _untyped(what, "no type")
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
    name = kind.removesuffix("_type").replace("_", " ")
    inner = " of something else than tensors" if kind in ("sequence_type", "optional_type") else ""
    raise Error(
        "unsupported-type",
        f"{what} is of type {name}{inner}",
        hint="values are tensors, sequences of tensors, and optionals of these",
    )


def declared_type(proto: TypeProto) -> Attribute:
    """Convert a declaration to a type, `!onnx.unknown` for its unsupported parts.

    onnxscript declares results without any type.
    """
    return _declared_type(proto.SerializeToString())


@lru_cache(1024)
def _declared_type(data: bytes) -> Attribute:
    proto = TypeProto.FromString(data)
    if proto.WhichOneof("value") == "tensor_type":
        return _shaped(proto.tensor_type, ELEMENTS.get(proto.tensor_type.elem_type, UNKNOWN))
    try:
        return type_of(proto, "a value")
    except Error:
        return UNKNOWN


def _tensor_type(tensor: TypeProto.Tensor, what: str, symbols: Extents) -> AnyTensor:
    if tensor.elem_type == TensorProto.UNDEFINED:
        raise _untyped(what, "no element type (it is UNDEFINED)")
    return _shaped(tensor, element_type(tensor.elem_type), symbols)


def _shaped(
    tensor: TypeProto.Tensor, element: Attribute, symbols: Extents = MappingProxyType({})
) -> AnyTensor:
    if not tensor.HasField("shape"):
        return UnrankedTensorType(element)
    return TensorType(element, [_extent(d, symbols) for d in tensor.shape.dim])


def _extent(dimension: TensorShapeProto.Dimension, symbols: Extents) -> int:
    declared = declared_extent(dimension)
    return symbols.get(dimension.dim_param, DYNAMIC_INDEX) if declared is None else declared


def declared_extent(dimension: TensorShapeProto.Dimension) -> int | None:
    """Return the declared extent of a dimension, or None.

    Some exporters (Paddle's) write -1 for a dynamic dimension.
    """
    known = dimension.HasField("dim_value") and dimension.dim_value >= 0
    return dimension.dim_value if known else None


def _untyped(what: str, lack: str) -> Error:
    return Error(
        "invalid-onnx",
        f"{what} has {lack}",
        hint="only what a graph gives may be declared without one: declare the type of what it takes",
    )


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
    """Return a schema's notation for a type: `tensor(float)`, `seq(tensor(int64))`.

    None for a type that ONNX does not have.
    """
    if isinstance(type_, SequenceType):
        inner = type_text(type_.element)
        return None if inner is None else f"seq({inner})"
    if isinstance(type_, OptionalType):
        inner = type_text(type_.value)
        return None if inner is None else f"optional({inner})"
    return _TEXTS.get(type_.element_type) if isinstance(type_, AnyTensor) else None


_TEXTS = {
    element: f"tensor({TensorProto.DataType.Name(code).lower()})" for element, code in DATA_TYPES.items()
}
