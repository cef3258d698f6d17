"""Conversion of ONNX's tensors and types to and from loomir's.

Tensors become numpy arrays: raw bytes, typed fields and external data are read, and copied only if necessary.

ONNX's types are `TypeProto`, and the text that schemas use (`seq(tensor(float))`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from onnx import SparseTensorProto, TensorProto, TensorShapeProto, TypeProto
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType
from xdsl.ir import Attribute

from loomir.dialects import element_types as e
from loomir.dialects.element_types import AnyTensor
from loomir.dialects.numerics import packed_size, unpacked
from loomir.dialects.onnx.types import UNKNOWN
from loomir.dialects.ov.facts import check_shape
from loomir.dialects.ovseq.types import GraphType, OptionalType, SequenceType
from loomir.errors import Error

ELEMENTS: dict[int, Attribute] = {
    TensorProto.FLOAT: e.f32,
    TensorProto.DOUBLE: e.f64,
    TensorProto.FLOAT16: e.f16,
    TensorProto.BFLOAT16: e.bf16,
    TensorProto.INT8: e.i8,
    TensorProto.INT16: e.i16,
    TensorProto.INT32: e.i32,
    TensorProto.INT64: e.i64,
    TensorProto.UINT8: e.ui8,
    TensorProto.UINT16: e.ui16,
    TensorProto.UINT32: e.ui32,
    TensorProto.UINT64: e.ui64,
    TensorProto.BOOL: e.i1,
    TensorProto.INT2: e.i2,
    TensorProto.INT4: e.i4,
    TensorProto.UINT2: e.ui2,
    TensorProto.UINT4: e.ui4,
    TensorProto.FLOAT4E2M1: e.f4e2m1,
    TensorProto.FLOAT6E2M3: e.f6e2m3,
    TensorProto.FLOAT6E3M2: e.f6e3m2,
    TensorProto.FLOAT8E4M3FN: e.f8e4m3fn,
    TensorProto.FLOAT8E4M3FNUZ: e.f8e4m3fnuz,
    TensorProto.FLOAT8E5M2: e.f8e5m2,
    TensorProto.FLOAT8E5M2FNUZ: e.f8e5m2fnuz,
    TensorProto.FLOAT8E8M0: e.f8e8m0,
    TensorProto.STRING: e.string,
    TensorProto.COMPLEX64: e.complex64,
    TensorProto.COMPLEX128: e.complex128,
}
"""ONNX's element types: all of them."""

DATA_TYPES: dict[Attribute, int] = {element: code for code, element in ELEMENTS.items()}

# Integers in the field `int32_data` that are numbers, not the bits of an element (or of several).
_NUMBERS = {
    TensorProto.INT32, TensorProto.INT16, TensorProto.INT8, TensorProto.UINT16, TensorProto.UINT8, TensorProto.BOOL,
}  # fmt: skip

_PACKED_BITS: dict[int, int] = {
    TensorProto.INT2: 2, TensorProto.UINT2: 2, TensorProto.INT4: 4, TensorProto.UINT4: 4, TensorProto.FLOAT4E2M1: 4,
    TensorProto.FLOAT6E2M3: 6, TensorProto.FLOAT6E3M2: 6,
}  # fmt: skip
"""Bit widths of elements that raw data packs several to a byte."""


def element_type(data_type: int) -> Attribute:
    """Return the element type of an ONNX data type.

    loomir has all of them. Error: `invalid-onnx`.
    """
    element = ELEMENTS.get(data_type)
    if element is None:
        raise Error("invalid-onnx", f"unknown element type number {data_type}")
    return element


External = Callable[[TensorProto, int], np.ndarray]
"""Callback that returns a number of external bytes of a tensor.

These bytes are kept in another file.
"""


def nothing_external(tensor: TensorProto, needed: int) -> np.ndarray:
    """Where nothing is kept in other files. `Error("external-data")`."""
    raise Error(
        "external-data",
        f"tensor '{tensor.name}' is stored in another file, and external data is not available here",
    )


def array_of(tensor: TensorProto, external: External = nothing_external) -> np.ndarray:
    """The read-only array of a tensor.

    Errors: `unsupported-type`, `invalid-onnx` (sizes that do not agree), `external-data`, `shape-too-large`.
    """
    element = element_type(tensor.data_type)
    dtype = e.dtype_of(element)
    shape = tuple(tensor.dims)
    if any(d < 0 for d in shape):
        raise Error("invalid-onnx", f"tensor '{tensor.name}' has the negative extent {min(shape)}")
    count = math.prod(shape)
    if tensor.HasField("segment"):
        raise Error("unsupported-type", f"tensor '{tensor.name}' is stored in segments")
    bits = _PACKED_BITS.get(tensor.data_type, 8 * dtype.itemsize)
    if element == e.string and (tensor.data_location == TensorProto.EXTERNAL or tensor.HasField("raw_data")):
        raise Error("invalid-onnx", f"the strings of tensor '{tensor.name}' must be in its field string_data")
    if tensor.data_location == TensorProto.EXTERNAL:
        flat = _elements(external(tensor, packed_size(count, bits)), dtype, count, bits)
    elif tensor.HasField("raw_data"):
        raw = tensor.raw_data
        _check_size(tensor, len(raw), packed_size(count, bits), "bytes")
        flat = _elements(np.frombuffer(raw, np.uint8), dtype, count, bits)
    else:
        flat = _typed(tensor, dtype, count)
    flat.flags.writeable = False
    check_shape(shape)
    return flat.reshape(shape)


def _elements(raw: np.ndarray, dtype: np.dtype, count: int, bits: int) -> np.ndarray:
    """Convert raw bytes to elements.

    There is no copy unless elements share a byte.
    """
    if bits < 8:
        return unpacked(raw, count, bits).view(dtype)
    # Any byte but 0 is true, as in C; only 0 and 1 may reach a numpy bool.
    return raw != 0 if dtype == np.bool_ else raw.view(dtype)


def _typed(tensor: TensorProto, dtype: np.dtype, count: int) -> np.ndarray:
    """The elements in the typed field that belongs to the element type."""
    kind = tensor.data_type
    if kind == TensorProto.FLOAT:
        field = np.array(tensor.float_data, np.float32)
    elif kind == TensorProto.DOUBLE:
        field = np.array(tensor.double_data, np.float64)
    elif kind == TensorProto.INT64:
        field = np.array(tensor.int64_data, np.int64)
    elif kind in (TensorProto.UINT32, TensorProto.UINT64):
        field = np.array(tensor.uint64_data, np.uint64)
    elif kind in _NUMBERS:
        field = np.array(tensor.int32_data, np.int32)
    elif kind in (TensorProto.COMPLEX64, TensorProto.COMPLEX128):
        # Real and imaginary parts in turn.
        parts = tensor.float_data if kind == TensorProto.COMPLEX64 else tensor.double_data
        _check_size(tensor, len(parts), 2 * count, "numbers")
        return np.array(parts, f"f{dtype.itemsize // 2}").view(dtype)
    elif kind == TensorProto.STRING:
        field = np.empty(len(tensor.string_data), object)
        field[:] = [_text(tensor, data) for data in tensor.string_data]
    else:
        return _coded(tensor, dtype, count)
    _check_size(tensor, field.size, count, "elements")
    return field.astype(dtype, copy=False)


def _text(tensor: TensorProto, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Error("invalid-onnx", f"a string of tensor '{tensor.name}' is not UTF-8") from error


def _coded(tensor: TensorProto, dtype: np.dtype, count: int) -> np.ndarray:
    """Return the elements whose bits are in `int32_data`.

    Each number holds one element; elements of 2 and 4 bits are packed as in bytes.
    """
    codes = np.array(tensor.int32_data, np.int32).astype(f"u{dtype.itemsize}")
    bits = _PACKED_BITS.get(tensor.data_type, 8)
    if bits < 6:
        _check_size(tensor, codes.size, packed_size(count, bits), "bytes")
        return unpacked(codes, count, bits).view(dtype)
    _check_size(tensor, codes.size, count, "elements")
    return (codes & 0x3F if bits == 6 else codes).view(dtype)


def _check_size(tensor: TensorProto, actual: int, expected: int, unit: str) -> None:
    if actual != expected:
        shape = list(tensor.dims)
        raise Error(
            "invalid-onnx",
            f"tensor '{tensor.name}' of shape {shape} needs {expected} {unit}, but has {actual}",
        )


def dense_array_of(
    tensor: SparseTensorProto, limit: int, external: External = nothing_external
) -> np.ndarray:
    """Convert a sparse tensor to a dense array.

    The array has at most `limit` bytes. Elements without a value are zeros.

    Errors: those of `array_of`; `invalid-onnx` (places outside, or not as many places as values), `import-limit`.
    """
    values, indices = array_of(tensor.values, external), array_of(tensor.indices, external)
    shape, name = tuple(tensor.dims), tensor.values.name
    if any(d < 0 for d in shape):
        raise Error("invalid-onnx", f"tensor '{name}' has the negative extent {min(shape)}")
    check_shape(shape)
    size = math.prod(shape) * values.dtype.itemsize
    if size > limit:
        raise Error(
            "import-limit", f"the sparse tensor '{name}' has {size} bytes, more than the limit of {limit}"
        )
    fits = (
        values.ndim == 1
        and indices.dtype == np.int64
        and len(shape) > 0
        and indices.shape in ((values.size,), (values.size, len(shape)))
    )
    if not fits:
        raise Error(
            "invalid-onnx",
            f"the sparse tensor '{name}' has values of shape {list(values.shape)} at {list(indices.shape)}",
        )
    extents = shape if indices.ndim == 2 else (math.prod(shape),)
    places = indices.reshape(values.size, len(extents))
    if np.any(places < 0) or np.any(places >= np.array(extents, np.int64)):
        raise Error(
            "invalid-onnx", f"the sparse tensor '{name}' has a value outside of its shape {list(shape)}"
        )
    dense = e.zeros(extents, values.dtype)
    dense[tuple(places.T)] = values
    dense.flags.writeable = False
    return dense.reshape(shape)


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
    inner = " of other values than tensors" if kind in ("sequence_type", "optional_type") else ""
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
        hint="only outputs of a graph may be declared without one: declare the types of its inputs",
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
