"""Attributes of nodes: ONNX's `AttributeProto` and ours. (Graphs are regions: see `graphs`.)

| ONNX | FRONT |
|---|---|
| FLOAT, INT, STRING | `1.0 : f32`, `1 : i64`, `"text"` (as bytes where it is not UTF-8) |
| FLOATS, INTS, STRINGS | `array<f32: …>`, `array<i64: …>`, `["a", "b"]` |
| TENSOR, SPARSE_TENSOR, TENSORS | `dense<…>`, `#ov.blob<…>` or `#ov.strings<…>`, a list of them |
| TYPE_PROTO, TYPE_PROTOS | a type, a list of types |
| a reference to an attribute of the function | `#onnx.reference<"name" "KIND">` |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from onnx import AttributeProto, TensorProto, numpy_helper
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
)
from xdsl.ir import Attribute, TypeAttribute

from loomir.dialects.blob import ConstantAttr, constant_array, constant_attr
from loomir.dialects.element_types import dtype_of, f32, i64, numbers_of
from loomir.dialects.onnx.tensors import External, array_of, dense_array_of, nothing_external
from loomir.dialects.onnx.types import ReferenceAttr
from loomir.dialects.onnx.value_types import declared_type, proto_of, type_text
from loomir.errors import Error

GRAPHS = (AttributeProto.GRAPH, AttributeProto.GRAPHS)


@dataclass(frozen=True)
class Contents:
    """Options for reading the contents of tensors.

    They are the source of contents that the file does not hold, and the maximum size of a sparse tensor.
    """

    external: External = nothing_external
    max_sparse_bytes: int = 1 << 30


def attribute_of(proto: AttributeProto, contents: Contents) -> Attribute:
    """Convert an attribute message to an attribute.

    For a graph, only `onnx.reference` can represent it. Errors: `invalid-onnx`, those of tensors.
    """
    kind = proto.type
    if proto.ref_attr_name:
        return ReferenceAttr(
            StringAttr(proto.ref_attr_name), StringAttr(AttributeProto.AttributeType.Name(kind))
        )
    match kind:
        case AttributeProto.FLOAT:
            return FloatAttr(proto.f, f32)
        case AttributeProto.INT:
            return _integer(proto.i)
        case AttributeProto.STRING:
            return _string(proto.s)
        case AttributeProto.FLOATS:
            return _numbers(f32, proto.floats)
        case AttributeProto.INTS:
            return _numbers(i64, proto.ints)
        case AttributeProto.STRINGS:
            return ArrayAttr(map(_string, proto.strings))
        case AttributeProto.TENSOR:
            return constant_attr(array_of(proto.t, contents.external))
        case AttributeProto.TENSORS:
            return ArrayAttr([constant_attr(array_of(t, contents.external)) for t in proto.tensors])
        case AttributeProto.SPARSE_TENSOR:
            array = dense_array_of(proto.sparse_tensor, contents.max_sparse_bytes, contents.external)
            return constant_attr(array)
        case AttributeProto.TYPE_PROTO:
            return declared_type(proto.tp)
        case AttributeProto.TYPE_PROTOS:
            return ArrayAttr(map(declared_type, proto.type_protos))
        case _:
            raise Error("invalid-onnx", f"the attribute '{proto.name}' is of a kind that is not known")


@lru_cache(1024)
def _integer(number: int) -> IntegerAttr:
    return IntegerAttr(number, i64)


def _numbers(element: AnyFloat | IntegerType, numbers: Iterable[float]) -> DenseArrayBase:
    """A list, packed at once."""
    data = np.fromiter(numbers, dtype_of(element)).tobytes()
    return DenseArrayBase(element, BytesAttr(data))


def _string(data: bytes) -> StringAttr | BytesAttr:
    try:
        return StringAttr(data.decode())
    except UnicodeDecodeError:
        return BytesAttr(data)


def attribute_proto(name: str, attr: Attribute) -> AttributeProto:
    """The message of an attribute. `Error("invalid-onnx")` for one that no message says."""
    proto = AttributeProto(name=name)
    if isinstance(attr, ReferenceAttr):
        proto = AttributeProto(name=name, type=attr.kind.data, ref_attr_name=attr.attribute.data)
    elif isinstance(attr, FloatAttr) and attr.type == f32:
        proto.type, proto.f = AttributeProto.FLOAT, attr.value.data
    elif isinstance(attr, IntegerAttr) and attr.type == i64:
        proto.type, proto.i = AttributeProto.INT, attr.value.data
    elif isinstance(attr, StringAttr | BytesAttr):
        proto.type, proto.s = AttributeProto.STRING, _bytes(attr)
    elif isinstance(attr, DenseArrayBase) and attr.elt_type == i64:
        proto.type = AttributeProto.INTS
        proto.ints.extend(numbers_of(attr).tolist())
    elif isinstance(attr, DenseArrayBase) and attr.elt_type == f32:
        proto.type = AttributeProto.FLOATS
        proto.floats.extend(numbers_of(attr).tolist())
    elif isinstance(attr, ConstantAttr):
        proto.type = AttributeProto.TENSOR
        proto.t.CopyFrom(tensor_proto(attr))
    elif isinstance(attr, TypeAttribute) and type_text(attr) is not None:
        proto.type = AttributeProto.TYPE_PROTO
        proto.tp.CopyFrom(proto_of(attr))
    elif isinstance(attr, ArrayAttr) and all(isinstance(a, StringAttr | BytesAttr) for a in attr):
        proto.type = AttributeProto.STRINGS
        proto.strings.extend(_bytes(a) for a in attr if isinstance(a, StringAttr | BytesAttr))
    else:
        raise Error("invalid-onnx", f"the attribute '{name}' is {attr}, which ONNX has not")
    return proto


def _bytes(attr: StringAttr | BytesAttr) -> bytes:
    return attr.data.encode() if isinstance(attr, StringAttr) else attr.data


def tensor_proto(attr: ConstantAttr, name: str = "") -> TensorProto:
    """The message of a constant."""
    return numpy_helper.from_array(constant_array(attr), name)
