"""Element types by their names.

The names are those of the command line and old IR ('FP32', 'float'), of IR ('f32'), and of numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.errors import Error


class packed_U1(np.generic):
    """Bits in bytes."""


class packed_U4(np.generic):
    """Two unsigned integers of four bits in a byte."""


class packed_I4(np.generic):
    """Two integers of four bits in a byte."""


SUPPORTED_DATA_TYPES: dict[str, tuple[Any, str, str]] = {
    "float": (np.float32, "FP32", "f32"),
    "half": (np.float16, "FP16", "f16"),
    "FP32": (np.float32, "FP32", "f32"),
    "FP64": (np.float64, "FP64", "f64"),
    "FP16": (np.float16, "FP16", "f16"),
    "I32": (np.int32, "I32", "i32"),
    "I64": (np.int64, "I64", "i64"),
    "int8": (np.int8, "I8", "i8"),
    "int32": (np.int32, "I32", "i32"),
    "int64": (np.int64, "I64", "i64"),
    "bool": (bool, "BOOL", "boolean"),
    "uint8": (np.uint8, "U8", "u8"),
    "uint32": (np.uint32, "U32", "u32"),
    "uint64": (np.uint64, "U64", "u64"),
    "U1": (packed_U1, "U1", "u1"),
    "int4": (packed_I4, "I4", "i4"),
    "uint4": (packed_U4, "U4", "u4"),
    "I4": (packed_I4, "I4", "i4"),
    "U4": (packed_U4, "U4", "u4"),
}
"""numpy's type, old IR's name and IR's name, by data type name."""


def _column(name: str, column: int) -> Any:
    row = SUPPORTED_DATA_TYPES.get(name)
    return None if row is None else row[column]


def data_type_str_to_np(data_type_str: str) -> Any:
    """numpy's type, or None for a name that is not known."""
    return _column(data_type_str, 0)


def data_type_str_to_precision(data_type_str: str) -> str | None:
    return _column(data_type_str, 1)


def data_type_str_to_destination_type(data_type_str: str) -> str | None:
    return _column(data_type_str, 2)


def _found(value: Any, by: int, column: int) -> Any:
    for row in SUPPORTED_DATA_TYPES.values():
        if row[by] == value:
            return row[column]
    raise Error("mo-data-type", f"the Model Optimizer's API has no element type '{value}'")


def np_data_type_to_precision(np_data_type: Any) -> str:
    """Errors: `mo-data-type`."""
    return _found(np_data_type, 0, 1)


def np_data_type_to_destination_type(np_data_type: Any) -> str:
    """Errors: `mo-data-type`."""
    return _found(np_data_type, 0, 2)


def destination_type_to_np_data_type(dst_type: str) -> Any:
    """Errors: `mo-data-type`."""
    return _found(dst_type, 2, 0)


def precision_to_destination_type(data_type_str: str) -> str:
    """Errors: `mo-data-type`."""
    return _found(data_type_str, 1, 2)
