"""Conversion between IR attributes and the Python values that extensions expect."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    i1,
)
from xdsl.ir import Attribute

from loomir.dialects.blob import ConstantAttr, constant_array, constant_attr
from loomir.dialects.element_types import numbers_of
from loomir.dialects.ov.base import attr
from loomir.dialects.ov.layers.attributes import ELEMENTS
from loomir.errors import Error

_NAMES = {element: name for name, element in ELEMENTS.items()}


def value_of(attribute: Attribute) -> Any:
    """Convert an attribute to a Python value.

    The value is a number, a text, a list of them, an array or the name of an element type. Any other attribute is returned
    unchanged.
    """
    match attribute:
        case StringAttr():
            return attribute.data
        case BytesAttr():
            return attribute.data
        case IntegerAttr():
            return bool(attribute.value.data) if attribute.type == i1 else attribute.value.data
        case FloatAttr():
            return attribute.value.data
        case DenseArrayBase():
            return numbers_of(attribute).copy()
        case ArrayAttr():
            return [value_of(item) for item in attribute]
        case _ if isinstance(attribute, ConstantAttr):
            return constant_array(attribute)
        case _:
            return _NAMES.get(attribute, attribute)


def attribute_of(name: str, value: Any) -> Attribute:
    """Convert an extension's attribute value to IR.

    Raises `Error("mo-attribute-value")` for a value that has no IR form.
    """
    match value:
        case Attribute():
            return value
        case np.generic():
            return attribute_of(name, value.item())
        case bool() | int() | float() | str():
            made = attr(value)
        case bytes():
            return BytesAttr(value)
        case np.ma.MaskedArray() if value.dtype.kind in "iu":
            # A shape: what is not known of it is -1, as IR has it.
            made = attr(value.filled(-1).reshape(-1).tolist())
        case type() | np.dtype() if np.dtype(value).kind in "iufb":
            made = attr(np.dtype(value).name)
        case np.ndarray() if value.ndim == 1 and value.dtype.kind in "iub":
            made = attr(value.astype(np.int64).tolist())
        case np.ndarray() if value.dtype.kind in "iufb":
            return constant_attr(np.array(value, order="C"))
        case list() | tuple():
            made = _list_of(name, list(value))
        case _:
            raise Error(
                "mo-attribute-value",
                f"the attribute {name} is a {type(value).__name__}, which no layer has",
                hint="numbers, texts, lists of them, numpy arrays and types",
            )
    assert made is not None
    return made


def _list_of(name: str, items: list[Any]) -> Attribute | None:
    if all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in items):
        return attr([int(item) for item in items])
    if all(isinstance(item, float | np.floating | int) for item in items):
        return constant_attr(np.array(items, np.float64))
    return ArrayAttr([attribute_of(name, item) for item in items])


def same(a: Any, b: Any) -> bool:
    """Return True if two attribute values have equal kinds and contents."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        both = np.asarray(a), np.asarray(b)
        return both[0].dtype == both[1].dtype and np.array_equal(*both)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b
