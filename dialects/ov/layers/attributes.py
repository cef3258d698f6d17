"""Conversion of a layer's attributes from text to `ov` properties.

A row (in `rows/`) specifies the operation class and, for each attribute of the specification, the reader of its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, StringAttr, f64, i64
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint

from loomir.dialects import element_types as et
from loomir.dialects.ov.attributes import TRUE
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.errors import Error

ELEMENTS: dict[str, Attribute] = {
    "boolean": et.i1, "i8": et.i8, "i16": et.i16, "i32": et.i32, "i64": et.i64, "u8": et.ui8, "u16": et.ui16,
    "u32": et.ui32, "u64": et.ui64, "f16": et.f16, "bf16": et.bf16, "f32": et.f32, "f64": et.f64,
    "u2": et.ui2, "i4": et.i4, "u4": et.ui4, "f4e2m1": et.f4e2m1, "f8e4m3": et.f8e4m3fn, "f8e5m2": et.f8e5m2,
    "f8e8m0": et.f8e8m0,
}  # fmt: skip


MOVED: dict[str, Attribute] = {"u1": et.u1, "u3": et.u3, "u6": et.u6, "nf4": et.nf4, "string": et.string}
"""Element types of Parameters whose elements GRAPH only moves.

No operation computes them, and no constant has them.
"""

PRECISIONS = {"BIN": "u1", "BOOL": "boolean", "FP16": "f16", "FP32": "f32", "FP64": "f64"}
"""Names of element types in a port's `precision`.

Only those that are not the element type's name in capitals.
"""


def element_type(text: str) -> Attribute:
    """The element type that an IR names. Error: `unsupported-type`."""
    found = ELEMENTS.get(text.lower())
    if text.lower() in ("dynamic", "undefined"):
        raise Error(
            "unsupported-type",
            f"element type '{text}' leaves the type open",
            hint='write the type that it has, such as element_type="f32"; with OpenVINO: parameter.set_element_type(openvino.Type.f32), '
            "model.validate_nodes_and_infer_types(), openvino.save_model",
        )
    if found is None:
        raise Error(
            "unsupported-type",
            f"element type '{text}' is not supported",
            hint=f"known: {', '.join(ELEMENTS)}",
        )
    return found


def value_type(text: str) -> Attribute:
    """Return the element type that an IR names for an external value.

    Such a value comes from outside. Error: `unsupported-type`.
    """
    moved = MOVED.get(text.lower())
    return element_type(text) if moved is None else moved


def int64(text: str) -> int:
    """Parse a 64-bit integer.

    Raises `ValueError` for anything else: `int` accepts "1_0" and the digits of every script.
    """
    if not re.fullmatch(r"\s*[+-]?[0-9]{1,20}\s*", text, re.ASCII) or not -(1 << 63) <= int(text) < 1 << 63:
        raise ValueError(text)
    return int(text)


def read_bool(text: str) -> bool:
    """`true`, `false`, `1` or `0`."""
    lowered = text.strip().lower()
    if lowered in ("true", "1"):
        return True
    if lowered in ("false", "0"):
        return False
    raise ValueError(text)


def read_ints(text: str) -> list[int]:
    """A comma-joined list of integers of 64 bits."""
    return [int64(t) for t in text.split(",")] if text.strip() else []


def read_floats(text: str) -> Attribute:
    """A comma-joined list."""
    return DenseArrayBase.from_list(f64, [float(t) for t in text.split(",")] if text.strip() else [])


def read_words(text: str) -> Attribute:
    """A comma-joined list of words."""
    return ArrayAttr([StringAttr(t.strip()) for t in text.split(",") if t.strip()])


def read_lower(text: str) -> str:
    """A word of an enumeration, whose case does not count."""
    return text.strip().lower()


read_int: Callable[[str], int] = int64
"""An integer of 64 bits."""

Reader = Callable[[str], AttrValue]


@dataclass(frozen=True)
class Row:
    """Layer type: its operation class, and its attributes (IR name → reader)."""

    operation: type[OvOperation]
    attributes: Mapping[str, Reader] = field(default_factory=dict)
    versions: tuple[int, ...] | None = None
    """Versions of the operator that the row reads; others are rejected.

    They must be specified if there are several.
    """
    upgrade: Callable[[LayerBuilder], Results] | None = None
    """Builds a layer that is not simply the operation.

    Examples are an older version, or an operator that is several operations here.
    """
    implies: Callable[[OvOperation], Mapping[str, AttrValue]] | None = None
    """Properties that the row sets without an attribute of the layer.

    They are those of the operation for the newest version; being implied, they need not be written.
    """
    older: Set[str] = frozenset()
    """Attributes that only older versions have: they are read, and not written."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Attributes that are written by another name than the property has."""
    written: bool = True
    """True if the operation is written as this layer.

    False if the operation is written as another layer, or if only the reader needs the row.
    """


DASHED = {"exclude_pad": "exclude-pad"}
"""Attributes that OpenVINO writes with what is no name in Python."""

_READERS: tuple[tuple[Attribute, Reader], ...] = (
    (IntegerAttr(0, i64), read_int),
    (TRUE, read_bool),
    (FloatAttr(0.0, f64), float),
    (StringAttr(""), read_lower),
    (et.f32, element_type),
    (DenseArrayBase.from_list(i64, [0]), read_ints),
    (DenseArrayBase.from_list(f64, [0.0]), read_floats),
    (ArrayAttr([StringAttr("")]), read_words),
)
"""Readers of properties by kind.

A kind is given by an example attribute that the property's constraint accepts.
"""


def as_it_stands(operation: type[OvOperation]) -> Row:
    """Return the row of an operation that corresponds exactly to a layer.

    The operation's properties are the attributes of the layer, or of another domain's node, that its `SOURCES` name.
    """
    versions = operation.SOURCES.openvino[1:]
    properties = operation.get_irdl_definition().properties
    readers = {p: _reader(d.constr) for p, d in properties.items() if p not in operation.SOURCES.own}
    older = frozenset(operation.SOURCES.older)
    return Row(operation, readers, tuple(map(int, versions)) or None, older=older, renamed=DASHED)


def _reader(constraint: AttrConstraint) -> Reader:
    return next(read for example, read in _READERS if constraint.verifies(example))


def read_attributes(row: Row, data: Mapping[str, str]) -> dict[str, AttrValue]:
    """The operation's properties from the text of `<data>`. Error: `bad-attribute`.

    Attributes that the row does not name (layout hints of old writers) do not change the result and are left out.
    """
    properties: dict[str, AttrValue] = {}
    for name, read in row.attributes.items():
        text = data.get(name, data.get(DASHED.get(name, name)))
        if text is None:
            continue
        try:
            properties[name] = read(text)
        except ValueError as error:
            raise Error("bad-attribute", f"{name}='{text}' cannot be read") from error
    return properties
