"""ONNX tensors as numpy arrays: raw bytes, typed fields and external files, copied only where they must be."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from onnx import StringStringEntryProto, TensorProto
from xdsl.ir import Attribute

from loomir.dialects import element_types as e
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
}
"""ONNX's element types that loomir has."""

DATA_TYPES: dict[Attribute, int] = {element: code for code, element in ELEMENTS.items()}

# Where typed data of an element type is, and the integers that hold 16-bit floats bit by bit.
_INT32_FIELD = {
    TensorProto.INT32, TensorProto.INT16, TensorProto.INT8, TensorProto.UINT16, TensorProto.UINT8,
    TensorProto.BOOL, TensorProto.FLOAT16, TensorProto.BFLOAT16,
}  # fmt: skip
_BITS = {TensorProto.FLOAT16, TensorProto.BFLOAT16}


def element_type(data_type: int) -> Attribute:
    """The element type of an ONNX data type. Errors: `unsupported-type`, `invalid-onnx`."""
    element = ELEMENTS.get(data_type)
    if element is not None:
        return element
    if data_type not in TensorProto.DataType.values() or data_type == TensorProto.UNDEFINED:
        raise Error("invalid-onnx", f"there is no element type with number {data_type}")
    name = TensorProto.DataType.Name(data_type).lower()
    raise Error("unsupported-type", f"tensors of element type {name} are not supported")


def array_of(tensor: TensorProto, directory: Path | None) -> np.ndarray:
    """The read-only array of a tensor; external data is mapped from its file below `directory`.

    Errors: `unsupported-type`, `invalid-onnx` (sizes that do not agree), `external-data`.
    """
    element = element_type(tensor.data_type)
    dtype = e.dtype_of(element)
    shape = tuple(tensor.dims)
    if any(d < 0 for d in shape):
        raise Error("invalid-onnx", f"tensor '{tensor.name}' has the negative extent {min(shape)}")
    count = math.prod(shape)
    if tensor.HasField("segment"):
        raise Error("unsupported-type", f"tensor '{tensor.name}' is stored in segments")
    if tensor.data_location == TensorProto.EXTERNAL:
        flat = _external(tensor, directory, dtype, count)
    elif tensor.HasField("raw_data"):
        raw = tensor.raw_data
        _check_size(tensor, len(raw), count * dtype.itemsize, "bytes")
        # Any byte but 0 is true, as in C; only 0 and 1 may reach a numpy bool.
        flat = np.frombuffer(raw, np.uint8) != 0 if dtype == np.bool_ else np.frombuffer(raw, dtype)
    else:
        flat = _typed(tensor, dtype, count)
    flat.flags.writeable = False
    return flat.reshape(shape)


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
    else:
        assert kind in _INT32_FIELD
        field = np.array(tensor.int32_data, np.int32)
    _check_size(tensor, field.size, count, "elements")
    if kind in _BITS:
        return field.astype(np.uint16).view(dtype)
    return field.astype(dtype, copy=False)


def _check_size(tensor: TensorProto, actual: int, expected: int, unit: str) -> None:
    if actual != expected:
        shape = list(tensor.dims)
        raise Error(
            "invalid-onnx",
            f"tensor '{tensor.name}' of shape {shape} needs {expected} {unit}, but has {actual}",
        )


def _external(tensor: TensorProto, directory: Path | None, dtype: np.dtype, count: int) -> np.ndarray:
    path = external_path(tensor, directory)
    fields = _fields(tensor)
    try:
        offset = int(fields.get("offset", "0"))
        length = int(fields.get("length", str(count * dtype.itemsize)))
    except ValueError as error:
        raise Error(
            "external-data", f"tensor '{tensor.name}' has an offset or length that is no number"
        ) from error
    size = path.stat().st_size
    if offset < 0 or length != count * dtype.itemsize or offset + length > size:
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' needs {count * dtype.itemsize} bytes at {offset} of {path.name}, "
            f"which has {size} (declared length {length})",
        )
    if length == 0:
        return np.empty(0, dtype)
    if dtype == np.bool_:
        return np.array(np.memmap(path, np.uint8, "r", offset, (count,))) != 0
    return np.memmap(path, np.uint8, "r", offset, (length,)).view(dtype)


def external_path(tensor: TensorProto, directory: Path | None) -> Path:
    """The file of an external tensor. `Error("external-data")` if missing or outside the model's folder."""
    location = _fields(tensor).get("location", "")
    if directory is None:
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' is in the file '{location}', and a model in memory has no folder",
            hint="load the model by its path, or load its external data first",
        )
    root = directory.resolve()
    # Resolved first: neither `..` nor a symbolic link may lead out of the folder.
    path = (root / location).resolve()
    if not location or not path.is_relative_to(root) or not path.is_file():
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' is in '{location}', which is no file in the model's folder",
        )
    return path


def _fields(tensor: TensorProto) -> dict[str, str]:
    entries: list[StringStringEntryProto] = list(tensor.external_data)
    return {entry.key: entry.value for entry in entries}
