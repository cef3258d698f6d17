"""Element types and their numpy dtypes: the one table that joins MLIR's types to numpy's.

GRAPH knows signed integers as signless `iN`, unsigned as `uiN`, boolean as `i1`; below GRAPH every integer is
signless (`signless`), and the operation chosen says how the bits are read.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute

i1 = IntegerType(1)
i8 = IntegerType(8)
i16 = IntegerType(16)
i32 = IntegerType(32)
i64 = IntegerType(64)
ui8 = IntegerType(8, Signedness.UNSIGNED)
ui16 = IntegerType(16, Signedness.UNSIGNED)
ui32 = IntegerType(32, Signedness.UNSIGNED)
ui64 = IntegerType(64, Signedness.UNSIGNED)
f16 = Float16Type()
bf16 = BFloat16Type()
f32 = Float32Type()
f64 = Float64Type()

_DTYPES: dict[Attribute, np.dtype] = {
    i1: np.dtype(np.bool_),
    i8: np.dtype(np.int8),
    i16: np.dtype(np.int16),
    i32: np.dtype(np.int32),
    i64: np.dtype(np.int64),
    ui8: np.dtype(np.uint8),
    ui16: np.dtype(np.uint16),
    ui32: np.dtype(np.uint32),
    ui64: np.dtype(np.uint64),
    f16: np.dtype(np.float16),
    bf16: np.dtype(ml_dtypes.bfloat16),
    f32: np.dtype(np.float32),
    f64: np.dtype(np.float64),
    IndexType(): np.dtype(np.int64),
}
_ELEMENTS: dict[np.dtype, Attribute] = {d: t for t, d in _DTYPES.items() if not isinstance(t, IndexType)}


def dtype_of(element: Attribute) -> np.dtype:
    """The numpy dtype of an element type (i1 is `bool`); `KeyError` for a type that loomir does not have."""
    return _DTYPES[element]


def element_of(dtype: np.dtype | type) -> Attribute:
    """The GRAPH element type of a numpy dtype; `KeyError` where there is none."""
    return _ELEMENTS[np.dtype(dtype)]


def has_element(dtype: np.dtype) -> bool:
    """Whether arrays of this dtype can be constants of a program."""
    return dtype in _ELEMENTS


def is_float(element: Attribute) -> bool:
    return isinstance(element, Float16Type | BFloat16Type | Float32Type | Float64Type)


def is_integer(element: Attribute) -> bool:
    """Signed or unsigned integer, but not boolean."""
    return isinstance(element, IntegerType) and element.width.data > 1


def is_unsigned(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and element.signedness.data == Signedness.UNSIGNED


def signless(element: Attribute) -> Attribute:
    """The type of the same bits below GRAPH."""
    if isinstance(element, IntegerType) and element.signedness.data != Signedness.SIGNLESS:
        return IntegerType(element.width.data)
    return element
