"""What the attributes of `main` may be: read and checked in one place, since a `.mlir` file may say anything.

Whoever reads `loomir.*` attributes afterwards may rely on their kinds, on sizes that fit the type, and on names that are unique.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from loomir.compiler.specialise import main_function, tensor_names
from loomir.compiler.stages import verify_stage
from loomir.dialects.blob import ConstantAttr
from loomir.dialects.element_types import dtype_of
from loomir.dialects.locations import located
from loomir.errors import Error

Check = Callable[[Attribute, Attribute], str | None]
"""Of an attribute and the type of its argument or result: what it must be, where it is not."""

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


def _role(attr: Attribute, type_: Attribute) -> str | None:
    return (
        None
        if isinstance(attr, StringAttr) and attr.data in ("input", "output", "arena")
        else '"input", "output" or "arena"'
    )


def _type(attr: Attribute, type_: Attribute) -> str | None:
    return None if isinstance(attr, TensorType) else "a ranked tensor type"


def _dimension(attr: Attribute, type_: Attribute) -> str | None:
    number = attr.data.rpartition(":")[2] if isinstance(attr, StringAttr) else ""
    return None if number.isascii() and number.isdigit() and len(number) < 4 else '"name:dimension"'


def _align(attr: Attribute, type_: Attribute) -> str | None:
    right = isinstance(attr, IntegerAttr) and 1 <= attr.value.data <= 4096
    return None if right else "an integer from 1 to 4096"


CHECKS: Mapping[str, Check] = {
    "loomir.name": _text,
    "loomir.names": _texts,
    "loomir.value": _constant,
    "loomir.initial": _constant,
    "loomir.state": _text,
    "loomir.blob": _weight,
    "loomir.role": _role,
    "loomir.type": _type,
    "loomir.dim": _dimension,
    "loomir.bounds": _bounds,
    "loomir.align": _align,
    "loomir.of": _text,
    "loomir.part": _text,
}
"""The attributes of `main`'s arguments and results, and what each has to be."""


def check_attributes(function: FuncOp) -> None:
    """Every `loomir.*` attribute of an argument or a result is what it has to be. Error: `bad-interface`."""
    types = function.function_type
    for what, entries, of in (
        ("argument", function.arg_attrs, types.inputs.data),
        ("result", function.res_attrs, types.outputs.data),
    ):
        if entries is None:
            continue
        if len(entries.data) != len(of):
            text = f"{len(of)} {what}s, but attributes of {len(entries.data)}"
            raise located(Error("bad-interface", text), function)
        for index, (entry, type_) in enumerate(zip(entries.data, of)):
            attributes = entry.data if isinstance(entry, DictionaryAttr) else {}
            for name, attr in attributes.items():
                wrong = CHECKS[name](attr, type_) if name in CHECKS else None
                if wrong is not None:
                    text = f"{name} of {what} {index} must be {wrong}"
                    raise located(Error("bad-interface", text), function)


def check_program(module: ModuleOp, path: Path) -> None:
    """A module that was read from a text is a GRAPH program with a `main` that can be called.

    Errors: `no-main`, `not-of-stage`, `bad-interface`, `unsupported-type`.
    """
    try:
        function = main_function(module)
        verify_stage(module, "graph")
        check_attributes(function)
        types = function.function_type
        for type_ in (*types.inputs.data, *types.outputs.data):
            if isinstance(type_, TensorType | UnrankedTensorType):
                dtype_of(type_.element_type)
        for results in (False, True):
            names = tensor_names(function, results=results)
            twice = next((n for n, count in Counter(names).items() if count > 1), None)
            if twice is not None:
                text = f"two {'results' if results else 'arguments'} are called '{twice}'"
                raise located(Error("bad-interface", text), function)
    except Error as error:
        raise error.at(file=str(path)) from None
