"""Conversion of IR attributes to the text of a layer's `<data>`.

This is the inverse of `attributes.py`.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, StringAttr, i1
from xdsl.ir import Attribute, TypeAttribute

from loomir.dialects.blob import ConstantAttr, constant_array
from loomir.dialects.element_types import numbers_of
from loomir.dialects.ov.layers.attributes import ELEMENTS, MOVED
from loomir.errors import Error

_NAMES = {element: name for name, element in (ELEMENTS | MOVED).items()}


def element_name(element: Attribute) -> str:
    """Return OpenVINO's name of an element type.

    Raises `Error("unsupported-type")` for a type that OpenVINO does not have.
    """
    name = _NAMES.get(element)
    if name is None:
        raise Error("unsupported-type", f"OpenVINO has no elements of type {element}")
    return name


def text_of(name: str, value: Attribute) -> str:
    """Return the text of one attribute.

    `true`, `3`, `0.5`, `1,2`, a word, an element type. Errors: `unsupported-type`; `attribute-value` for any other attribute.
    """
    match value:
        case StringAttr():
            return value.data
        case IntegerAttr() if value.type == i1:
            return "true" if value.value.data else "false"
        case IntegerAttr():
            return str(value.value.data)
        case FloatAttr():
            return repr(value.value.data)
        case DenseArrayBase():
            return ",".join(repr(number) for number in numbers_of(value).tolist())
        case ArrayAttr():
            return ",".join(text_of(name, item) for item in value)
        case _ if isinstance(value, ConstantAttr) and len(value.type.get_shape()) <= 1:
            return ",".join(map(repr, constant_array(value).reshape(-1).tolist()))
        case TypeAttribute():
            return element_name(value)
        case _:
            pass
    raise Error("attribute-value", f"the attribute {name} has no text: it is {value}")
