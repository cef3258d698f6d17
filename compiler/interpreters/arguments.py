"""Conversion of attributes to argument values of a function.

Runners that are given attributes use it: `dense<[1.0, 2.0]> : tensor<2xf32>`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
)
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl_attr, register_impls
from xdsl.ir import Attribute

from loomir.compiler.interpreters.core import is_scalar, to_value
from loomir.dialects.blob import constant_array
from loomir.dialects.element_types import dtype_of
from loomir.errors import Error

_EXAMPLES = "for example 1.0 : f32, dense<[1, 2]> : tensor<2xi32>"


def array_of(attribute: Attribute) -> np.ndarray:
    """Return the array of a dense attribute or a number.

    The array of a number has rank 0. Error: `bad-option`.
    """
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        return constant_array(attribute)
    if isinstance(attribute, IntegerAttr | FloatAttr):
        return np.asarray(to_value(attribute.value.data, attribute.type))
    raise Error("bad-option", f"--args: {str(attribute)[:80]} is no value of an input", hint=_EXAMPLES)


def value_of(attribute: Attribute, type_: Attribute) -> Any:
    """Return the value of an argument from an attribute.

    The argument has type `type_`. Error: `bad-option`.
    """
    array = array_of(attribute)
    if is_scalar(type_):
        kinds = (IntegerType, IndexType) if array.dtype.kind in "iub" else (AnyFloat,)
        if array.shape == () and isinstance(type_, kinds):
            return to_value(array[()], type_)
    elif isinstance(type_, TensorType | MemRefType) and dtype_of(type_.element_type) == array.dtype:
        extents = type_.get_shape()
        if len(extents) == array.ndim and all(e in (DYNAMIC_INDEX, n) for e, n in zip(extents, array.shape)):
            # (The program may write into it.)
            return np.array(array, order="C")
    what = f"--args: {str(attribute)[:80]} is no value of type {type_}"
    raise Error("bad-option", what, hint=_EXAMPLES)


def _of_type(type_: type[Attribute]) -> Any:
    """Return an implementation for attributes of a type.

    (Each type needs a function of its own, because the decorator marks the function with the type.)
    """

    def value(self: InterpreterFunctions, interpreter: Interpreter, attr: Attribute, attr_type: Any) -> Any:
        return value_of(attr, attr_type)

    return impl_attr(type_)(value)


_TYPES = (BFloat16Type, Float16Type, Float32Type, Float64Type, IndexType, IntegerType, MemRefType, TensorType)

ArgumentFunctions = register_impls(
    type(
        "ArgumentFunctions",
        (InterpreterFunctions,),
        {
            "__doc__": "Values of attributes, as loomir's interpreter functions have them.",
            **{f"value_of_{c.__name__}": _of_type(c) for c in _TYPES},
        },
    )
)
