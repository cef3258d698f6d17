"""Element types with their numpy dtypes, and types of tensors and buffers.

This is the only table that maps MLIR's types to numpy's.

In GRAPH, signed integers are signless `iN`, unsigned ones are `uiN`, and boolean is `i1`. Below GRAPH every integer is
signless (`signless`), and the operation determines how the bits are read.

*Storage types* (integers of 2 and 4 bits, floats of 4, 6 and 8 bits) hold quantised tensors. GRAPH moves and converts their
elements and computes nothing in them; below GRAPH each element is an `i8`: the integer itself, or the bits of the float
(`stored`).

*Carried types* (strings, complex numbers, and codes of fewer than eight bits that only OpenVINO has) are moved, and
strings compared for equality; they are in GRAPH only (`require_below_graph`). numpy holds strings as objects, all of them
`str`, and codes as bytes.

For values: the constraint on the types that operations on tensors accept and return (`TENSOR`), and the types of values whose
kind is known (`tensor_type_of`, `memref_type_of`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, TypeGuard

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    DenseArrayBase,
    Float4E2M1FNType,
    Float6E2M3FNType,
    Float6E3M2FNType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    Signedness,
    StringAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import AttrConstraint, irdl_attr_definition
from xdsl.irdl.constraints import VerificationContext
from xdsl.utils.exceptions import VerifyException

from loomir.errors import Error


@irdl_attr_definition
class StringType(ParametrizedAttribute, TypeAttribute):
    """A string of Unicode characters, as an element of tensors: `tensor<2x!ov.string>`."""

    name = "ov.string"


@irdl_attr_definition
class CodeType(ParametrizedAttribute, TypeAttribute):
    """Code of fewer than eight bits, as an element type of tensors.

    Example: `tensor<2x!ov.code<"nf4">>`. The codes are u1, u3, u6 and nf4. No constant has such elements: those of models are
    widened when they are read.
    """

    name = "ov.code"

    of: StringAttr

    def verify(self) -> None:
        if self.of.data not in _CODES:
            raise VerifyException(f"unknown codes {self.of}, expected one of {', '.join(_CODES)}")


_CODES = ("u1", "u3", "u6", "nf4")

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
i2 = IntegerType(2)
i4 = IntegerType(4)
ui2 = IntegerType(2, Signedness.UNSIGNED)
ui4 = IntegerType(4, Signedness.UNSIGNED)
f4e2m1 = Float4E2M1FNType()
f6e2m3 = Float6E2M3FNType()
f6e3m2 = Float6E3M2FNType()
f8e4m3fn = Float8E4M3FNType()
f8e4m3fnuz = Float8E4M3FNUZType()
f8e5m2 = Float8E5M2Type()
f8e5m2fnuz = Float8E5M2FNUZType()
f8e8m0 = Float8E8M0FNUType()
string = StringType()
complex64 = ComplexType(f32)
complex128 = ComplexType(f64)
u1, u3, u6, nf4 = (CodeType(StringAttr(name)) for name in _CODES)

_STORAGE: dict[Attribute, np.dtype] = {
    i2: np.dtype(ml_dtypes.int2),
    i4: np.dtype(ml_dtypes.int4),
    ui2: np.dtype(ml_dtypes.uint2),
    ui4: np.dtype(ml_dtypes.uint4),
    f4e2m1: np.dtype(ml_dtypes.float4_e2m1fn),
    f6e2m3: np.dtype(ml_dtypes.float6_e2m3fn),
    f6e3m2: np.dtype(ml_dtypes.float6_e3m2fn),
    f8e4m3fn: np.dtype(ml_dtypes.float8_e4m3fn),
    f8e4m3fnuz: np.dtype(ml_dtypes.float8_e4m3fnuz),
    f8e5m2: np.dtype(ml_dtypes.float8_e5m2),
    f8e5m2fnuz: np.dtype(ml_dtypes.float8_e5m2fnuz),
    f8e8m0: np.dtype(ml_dtypes.float8_e8m0fnu),
}
"""Types that only keep elements; numpy holds each in a byte."""
_STORAGE_KINDS = frozenset(map(type, _STORAGE))

_CARRIED: dict[Attribute, np.dtype] = {
    string: np.dtype(np.object_),
    complex64: np.dtype(np.complex64),
    complex128: np.dtype(np.complex128),
    **dict.fromkeys((u1, u3, u6, nf4), np.dtype(np.uint8)),
}
"""Carried types: GRAPH only moves their elements; no later stage has them."""
_CARRIED_KINDS = frozenset(map(type, _CARRIED))

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
    **_STORAGE,
    **_CARRIED,
    IndexType(): np.dtype(np.int64),
}
_ELEMENTS: dict[np.dtype, Attribute] = {
    d: t for t, d in _DTYPES.items() if not isinstance(t, IndexType | CodeType)
}
_STORAGE_DTYPES = {d: t for t, d in _STORAGE.items()}


def dtype_of(element: Attribute) -> np.dtype:
    """Return the numpy dtype of an element type (i1 is `bool`).

    Error: `unsupported-type`, for a type that loomir does not have.
    """
    found = _DTYPES.get(element)
    if found is None:
        raise Error("unsupported-type", f"element type {element} is not supported")
    return found


def element_of(dtype: np.dtype | type) -> Attribute:
    """Return the GRAPH element type of a numpy dtype.

    Raises `KeyError` if there is none.
    """
    return _ELEMENTS[np.dtype(dtype)]


def has_element(dtype: np.dtype) -> bool:
    """Return True if arrays of this dtype can be program constants."""
    return dtype in _ELEMENTS


FLOATS = frozenset({Float16Type, BFloat16Type, Float32Type, Float64Type})
"""Classes of the floats used in computations.

(Test for membership of the class: `isinstance` of an abstract class takes ten times as long.)
"""


def is_float(element: Attribute) -> TypeGuard[Float16Type | BFloat16Type | Float32Type | Float64Type]:
    """A float that is computed in, of 16, 32 or 64 bits."""
    return type(element) in FLOATS


def is_integer(element: Attribute) -> TypeGuard[IntegerType]:
    """Return True if the type is an integer used in computations.

    Such an integer is signed or unsigned, of 8 to 64 bits; booleans are not included.
    """
    return isinstance(element, IntegerType) and element.width.data >= 8


def is_storage(element: Attribute) -> bool:
    """A type that only keeps elements (see the module's docstring)."""
    return type(element) in _STORAGE_KINDS and element in _STORAGE


def is_storage_integer(element: Attribute) -> bool:
    """An integer of 2 or 4 bits."""
    return isinstance(element, IntegerType) and element in _STORAGE


def is_carried(element: Attribute) -> bool:
    """A string, a complex number or a code (see the module's docstring)."""
    # Of most types the class says it: equality is that of all parameters.
    return type(element) in _CARRIED_KINDS and element in _CARRIED


def zeros(shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Return an array of placeholders for elements that were not computed.

    They are 0, false, or the empty string.
    """
    return np.full(shape, "", object) if dtype == _CARRIED[string] else np.zeros(shape, dtype)


def zeros_of_element(shape: Sequence[int], element: Attribute) -> np.ndarray:
    """Return an array of zeros of an element type, as `zeros` does.

    The zero of nf4 is the code 7.
    """
    return np.full(shape, 7, np.uint8) if element == nf4 else zeros(shape, dtype_of(element))


def dtype_name(dtype: np.dtype) -> str:
    """Return the user-visible name of a dtype.

    numpy has no name for strings of any length.
    """
    return "string" if dtype == _CARRIED[string] else dtype.name


def storable(array: np.ndarray) -> np.ndarray:
    """Return the array in a form that numpy's files can hold.

    Strings are stored in cells of the longest string's length; their trailing NULs are lost.
    """
    return array.astype(np.str_) if array.dtype == _CARRIED[string] else array


def scalar_array(value: float, dtype: np.dtype) -> np.ndarray:
    """Return a number as an array of rank 0.

    There are no numbers of a string dtype: its result is the empty string, the counterpart of 0.
    """
    return np.array("" if dtype == _CARRIED[string] else value, dtype)


def same_contents(a: np.ndarray, b: np.ndarray) -> bool:
    """Return True if two arrays have equal dtype, shape and contents.

    Contents are compared bit by bit, so that equal NaNs match; strings are compared as strings.
    """
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if a.dtype == np.object_ else a.tobytes() == b.tobytes()


def is_unsigned(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and element.signedness.data == Signedness.UNSIGNED


def signless(element: Attribute) -> Attribute:
    """The type that holds an element below GRAPH."""
    if is_storage(element):
        return i8
    if isinstance(element, IntegerType) and element.signedness.data != Signedness.SIGNLESS:
        return IntegerType(element.width.data)
    return element


def stored(array: np.ndarray) -> np.ndarray:
    """Return an array as it is held below GRAPH.

    The bits are the same, except that integers of 2 and 4 bits are widened.
    """
    if array.dtype in _STORAGE_DTYPES:
        if isinstance(_STORAGE_DTYPES[array.dtype], IntegerType):
            return array.astype(np.int8)
        return array.view(np.int8)
    return array.view(f"i{array.dtype.itemsize}") if array.dtype.kind == "u" else array


def numbers_of(attr: DenseArrayBase) -> np.ndarray:
    """The numbers of an `array<…>`."""
    return np.frombuffer(attr.data.data, dtype_of(attr.elt_type))


AnyTensor = TensorType | UnrankedTensorType


@dataclass(frozen=True)
class _Tensor(AttrConstraint[AnyTensor]):
    """Constraint for a tensor of any rank.

    (For a union of types xDSL only reports an unexpected attribute.)
    """

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, AnyTensor):
            raise VerifyException(f"{attr} is not a tensor")

    def get_bases(self) -> set[type[Attribute]]:
        return {TensorType, UnrankedTensorType}

    def mapping_type_vars(self, type_var_mapping: Any) -> AttrConstraint[AnyTensor]:
        return self


TENSOR = _Tensor()


@lru_cache(maxsize=4096)
def ranked(element: Attribute, shape: tuple[int, ...]) -> TensorType:
    """Return `tensor<…>` of these extents, with `DYNAMIC_INDEX` for `?`.

    The result is cached, since a program has few types and requests them often.
    """
    return TensorType(element, shape)


# What a constraint, a stage or a pass before has made sure of, where it is used.


def any_tensor_of(value: SSAValue) -> AnyTensor:
    """The type of a tensor that may be of unknown rank."""
    assert isinstance(value.type, AnyTensor), value
    return value.type


def tensor_type_of(value: SSAValue) -> TensorType:
    """The type of a tensor of known rank."""
    assert isinstance(value.type, TensorType), value
    return value.type


def memref_type_of(value: SSAValue) -> MemRefType:
    """The type of a buffer."""
    assert isinstance(value.type, MemRefType), value
    return value.type


def shaped_type_of(value: SSAValue) -> TensorType | MemRefType:
    """The type of a tensor or a buffer."""
    assert isinstance(value.type, TensorType | MemRefType), value
    return value.type


def bytes_of(type_: TensorType | MemRefType) -> int:
    """Return the bytes of all elements of a static type."""
    return prod(type_.get_shape()) * dtype_of(type_.element_type).itemsize


def set_type(value: SSAValue, type_: Attribute) -> None:
    """Change the type of a value in place.

    Its users must accept the new type.
    """
    value._type = type_
