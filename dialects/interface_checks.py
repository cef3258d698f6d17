"""Checks of the attributes of `main`.

All checks are in one place, since a `.mlir` file may contain anything. Code that reads the attributes afterwards may rely
on their kinds, and on sizes that fit the type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, prod

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
    i8,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from loomir.dialects.attributes import ConstantAttr
from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import dtype_of
from loomir.dialects.interface import (
    ALIGN,
    BLOB,
    BOUNDS,
    DIM,
    INITIAL,
    NAME,
    NAMES,
    OF,
    PART,
    ROLE,
    SCALE,
    STATE,
    TYPE,
    VALUE,
    ZERO_POINT,
    arguments_of,
    is_dimension,
    results_of,
)
from loomir.errors import Error

Check = Callable[[Attribute, Attribute], str | None]
"""Check of an attribute, given its argument's or result's type.

Returns a description of the required attribute if it is not valid, else None.
"""

INT64 = range(-(1 << 63), 1 << 63)


def _text(attr: Attribute, type_: Attribute) -> str | None:
    return None if isinstance(attr, StringAttr) else "a string"


def _texts(attr: Attribute, type_: Attribute) -> str | None:
    right = isinstance(attr, ArrayAttr) and all(_text(a, type_) is None for a in attr.data)
    return None if right else "an array of strings"


def _bounds(attr: Attribute, type_: Attribute) -> str | None:
    right = isinstance(attr, ArrayAttr) and all(
        isinstance(a, IntegerAttr) and a.value.data in INT64 for a in attr.data
    )
    return None if right else "an array of 64-bit integers, one for each dimension"


def _constant(attr: Attribute, type_: Attribute) -> str | None:
    if not isinstance(attr, ConstantAttr):
        return "dense<…>, #ov.blob<…> or #ov.strings<…>"
    if isinstance(attr, DenseIntOrFPElementsAttr):
        dtype_of(attr.get_element_type())
    return None


def _weight(attr: Attribute, type_: Attribute) -> str | None:
    wrong = _constant(attr, type_)
    if not (isinstance(attr, ConstantAttr) and isinstance(type_, TensorType | MemRefType)):
        return wrong or "at an argument that is a tensor or a buffer"
    shape = attr.get_shape() if isinstance(attr, DenseIntOrFPElementsAttr) else attr.array.shape
    return None if prod(shape) == prod(type_.get_shape()) else f"of as many elements as {type_}"


def _initial(attr: Attribute, type_: Attribute) -> str | None:
    wrong = _constant(attr, type_)
    if not (isinstance(attr, ConstantAttr) and isinstance(type_, TensorType | MemRefType)):
        return wrong
    shape = attr.get_shape() if isinstance(attr, DenseIntOrFPElementsAttr) else attr.array.shape
    extents = type_.get_shape()
    if 0 in shape:
        # The extents are those of the caller's input.
        return None
    if DYNAMIC_INDEX in extents:
        fits = len(shape) != len(extents) or all(e in (DYNAMIC_INDEX, n) for n, e in zip(shape, extents))
    else:
        fits = prod(shape) == prod(extents)
    return None if fits else f"of a shape that fits {type_}"


def _role(attr: Attribute, type_: Attribute) -> str | None:
    if not isinstance(attr, StringAttr) or attr.data not in ("input", "output", "arena"):
        return '"input", "output" or "arena"'
    if attr.data == "output" and not isinstance(type_, MemRefType):
        return '"input", since it is not a buffer'
    if attr.data == "arena" and not (isinstance(type_, MemRefType) and type_.element_type == i8):
        return '"input" or "output", since it is not a memref<…xi8>'
    return None


def _type(attr: Attribute, type_: Attribute) -> str | None:
    return None if isinstance(attr, TensorType) else "a ranked tensor type"


def _dimension(attr: Attribute, type_: Attribute) -> str | None:
    number = attr.data.rpartition(":")[2] if isinstance(attr, StringAttr) else ""
    return None if is_dimension(number) else '"name:dimension"'


def _align(attr: Attribute, type_: Attribute) -> str | None:
    right = isinstance(attr, IntegerAttr) and 1 <= attr.value.data <= 4096
    return None if right else "an integer from 1 to 4096"


def _scale(attr: Attribute, type_: Attribute) -> str | None:
    right = isinstance(attr, FloatAttr) and 0 < attr.value.data < inf
    return None if right else "a positive number"


def _zero_point(attr: Attribute, type_: Attribute) -> str | None:
    right = isinstance(attr, IntegerAttr) and abs(attr.value.data) < 1 << 31
    return None if right else "a 32-bit integer"


CHECKS: Mapping[str, Check] = {
    NAME: _text,
    NAMES: _texts,
    VALUE: _constant,
    INITIAL: _initial,
    STATE: _text,
    BLOB: _weight,
    ROLE: _role,
    TYPE: _type,
    DIM: _dimension,
    BOUNDS: _bounds,
    ALIGN: _align,
    SCALE: _scale,
    ZERO_POINT: _zero_point,
    OF: _text,
    PART: _text,
}
"""Checks for the attributes of `main`'s arguments and results."""


def check_attributes(function: FuncOp) -> None:
    """Check every `loomir.*` attribute of arguments and results.

    Error: `bad-interface`.
    """
    types = function.function_type
    for what, entries, of in (
        ("argument", arguments_of(function), types.inputs.data),
        ("result", results_of(function), types.outputs.data),
    ):
        if len(entries) != len(of):
            text = f"{len(of)} {what}s, but attributes of {len(entries)}"
            raise located(Error("bad-interface", text), function)
        for index, (entry, type_) in enumerate(zip(entries, of)):
            for name, attr in entry.attributes.items():
                wrong = CHECKS[name](attr, type_) if name in CHECKS else None
                if wrong is not None:
                    text = f"{name} of {what} {index} must be {wrong}"
                    raise located(Error("bad-interface", text), function)
