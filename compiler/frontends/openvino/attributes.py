"""How the text of a layer's `<data>` becomes properties of an `ov` operation.

A row (in `rows/`) gives the operation class and, for each attribute of the specification, how its text is read.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Attribute

from loomir.compiler.frontends.openvino.upgrade import LayerBuilder, Results
from loomir.dialects import element_types as et
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.errors import Error

ELEMENTS: dict[str, Attribute] = {
    "boolean": et.i1, "i8": et.i8, "i16": et.i16, "i32": et.i32, "i64": et.i64, "u8": et.ui8, "u16": et.ui16,
    "u32": et.ui32, "u64": et.ui64, "f16": et.f16, "bf16": et.bf16, "f32": et.f32, "f64": et.f64,
}  # fmt: skip


def element_type(text: str) -> Attribute:
    """The element type that an IR names. Error: `unsupported-type`."""
    found = ELEMENTS.get(text.lower())
    if found is None:
        raise Error(
            "unsupported-type",
            f"element type '{text}' is not supported",
            hint=f"known: {', '.join(ELEMENTS)}",
        )
    return found


def read_bool(text: str) -> bool:
    """`true`, `false`, `1` or `0`."""
    lowered = text.strip().lower()
    if lowered in ("true", "1"):
        return True
    if lowered in ("false", "0"):
        return False
    raise ValueError(text)


def read_ints(text: str) -> list[int]:
    """A comma-joined list."""
    return [int(t) for t in text.split(",")] if text.strip() else []


def read_floats(text: str) -> Attribute:
    """A comma-joined list."""
    from xdsl.dialects.builtin import DenseArrayBase, f64

    return DenseArrayBase.from_list(f64, [float(t) for t in text.split(",")] if text.strip() else [])


def read_words(text: str) -> Attribute:
    """A comma-joined list of words."""
    from xdsl.dialects.builtin import ArrayAttr, StringAttr

    return ArrayAttr([StringAttr(t.strip()) for t in text.split(",") if t.strip()])


def read_lower(text: str) -> str:
    """A word of an enumeration, whose case does not count."""
    return text.strip().lower()


Reader = Callable[[str], AttrValue]


@dataclass(frozen=True)
class Row:
    """One layer type: family file and class of the operation, and its attributes (IR name → reader)."""

    family: str
    class_name: str
    attributes: Mapping[str, Reader] = field(default_factory=dict)
    variadic: bool = False
    upgrade: Callable[[LayerBuilder], Results] | None = None
    """Builds the layer where it is not just the operation: an older version, an operator that is several here."""

    @property
    def operation(self) -> type[OvOperation]:
        return getattr(importlib.import_module(f"loomir.dialects.ov.{self.family}"), self.class_name)


def read_attributes(row: Row, data: Mapping[str, str]) -> dict[str, AttrValue]:
    """The operation's properties from the text of `<data>`. Error: `bad-attribute`.

    Attributes that the row does not name (layout hints of old writers) do not change the result and are left out.
    """
    properties: dict[str, AttrValue] = {}
    for name, read in row.attributes.items():
        text = data.get(name)
        if text is None:
            continue
        try:
            properties[name.replace("-", "_")] = read(text)
        except ValueError as error:
            raise Error("bad-attribute", f"{name}='{text}' cannot be read") from error
    return properties


def parse_dimensions(text: str) -> list[int] | None:
    """A Const's or Parameter's `shape`: `"16, 3"`, `"?,2..5,3"`, `""`, `"..."` (None); -1 where it is no number.

    Intervals (`2..5`) are kept only as "dynamic". Error: `bad-attribute`.
    """
    if text.strip() == "...":
        return None
    extents: list[int] = []
    for part in text.split(",") if text.strip() else []:
        part = part.strip()
        try:
            extents.append(-1 if part == "?" or ".." in part or part == "-1" else int(part))
        except ValueError as error:
            raise Error("bad-attribute", f"shape='{text}' cannot be read") from error
        if extents[-1] < -1:
            raise Error("bad-attribute", f"shape='{text}' has a negative extent")
    return extents


def const_dtype(data: Mapping[str, str]) -> np.dtype:
    """The numpy dtype of a Const."""
    if "element_type" not in data:
        raise Error("ir-structure", "a Const has no element_type")
    return et.dtype_of(element_type(data["element_type"]))
