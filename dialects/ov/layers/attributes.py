"""Conversion between a layer's attributes as text and `ov` properties.

A row (in `rows/`) specifies the operation class and, for each attribute of the specification, the reader of its text, which
makes it a property of `ov`. `text_of` is the inverse: it converts an attribute of the IR to the text of a layer's `<data>`.

`LayerBuilder` is for a row's `upgrade` function. Such a function imports a layer that its row alone does not describe: older
versions of an operator.

>>> def range_without_type(layer: LayerBuilder) -> Results:
...     return layer.make(RangeOp, *layer.operands, **layer.properties, output_type=layer.element(0))

`auto_broadcast="pdpd"` may have an axis: the second operand starts at this dimension of the first. The operations support `pdpd`
with its default axis only, where operands end together. Another axis is equivalent to the default one after dimensions of 1 are
appended to the operand (or surplus ones removed: they must be 1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, StringAttr, f64, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.irdl import AttrConstraint

from loomir.dialects import element_types as et
from loomir.dialects.attributes import ConstantAttr, constant_array
from loomir.dialects.element_types import numbers_of
from loomir.dialects.ov.attributes import TRUE
from loomir.dialects.ov.base import AttrValue, OvOperation, int64_array
from loomir.dialects.ov.facts import Fact, fact_of
from loomir.dialects.ov.layers.format import operator_name, operator_version
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.reshape import SqueezeOp, UnsqueezeOp
from loomir.errors import Error

Results = Sequence[SSAValue]
"""A value for each output port."""


class Layer(Protocol):
    """Interface of a layer for rows, from a file or `ov.custom`."""

    @property
    def type(self) -> str: ...

    @property
    def version(self) -> str:
        """The operation set, `opset4`."""
        ...

    @property
    def data(self) -> Mapping[str, str]:
        """The attributes, as text."""
        ...


@dataclass(frozen=True)
class PlainLayer:
    """A layer that is in no file."""

    type: str
    version: str
    data: Mapping[str, str]


@dataclass
class LayerBuilder:
    """A layer that is being imported."""

    layer: Layer
    operands: list[SSAValue]
    properties: dict[str, AttrValue]
    """Properties that the row's attribute readers found in `<data>`."""
    _add: Callable[[Operation], object]

    @property
    def version(self) -> int:
        """Version of the operator that the layer refers to.

        For example, it is 4 for `Range` of any set from `opset4` on.
        """
        name = operator_name(self.layer.type)
        assert name is not None, f"{self.layer.type} is in no operation set"
        return operator_version(name, self.layer.version)

    def take(self, count: int) -> list[SSAValue]:
        """The operands of a layer that has exactly so many. `Error("operand-count")`."""
        self._expect(count, count)
        return list(self.operands)

    def take_up_to(self, least: int, most: int) -> list[SSAValue | None]:
        """`most` operands, the last of which may be left out: None. `Error("operand-count")`."""
        self._expect(least, most)
        return [*self.operands, *([None] * (most - len(self.operands)))]

    def _expect(self, least: int, most: int) -> None:
        if not least <= len(self.operands) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise Error(
                "operand-count",
                f"there are {len(self.operands)} operands, but {self.layer.type} of version {self.version} has {wanted}",
            )

    def attribute(self, name: str) -> AttrValue:
        """An attribute that must be there. `Error("attribute-missing")`."""
        if name not in self.properties:
            raise Error("attribute-missing", f"the attribute {name} is missing")
        return self.properties[name]

    def operand(self, index: int) -> SSAValue:
        """An operand that must be there. `Error("operand-count")`."""
        if index >= len(self.operands):
            raise Error("operand-count", f"operand {index} is missing, there are {len(self.operands)}")
        return self.operands[index]

    def fact(self, index: int) -> Fact:
        """Return the importer's fact about an operand.

        It holds the element type and perhaps the shape. Raises `Error("operand-count")`.
        """
        return fact_of(self.operand(index))

    def element(self, index: int) -> Attribute:
        """The element type of an operand."""
        return self.fact(index).element

    def make(self, operation: type[OvOperation], *operands: Any, **attributes: AttrValue) -> Results:
        """Insert an operation; its results."""
        op = operation.make(*operands, attributes=attributes)
        self._add(op)
        return op.results

    def constant(self, value: np.ndarray) -> SSAValue:
        """Insert a constant."""
        op = ConstantOp.of(value)
        self._add(op)
        return op.results[0]


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


_NAMES = {element: name for name, element in (ELEMENTS | MOVED).items()}


def element_name(element: Attribute) -> str:
    """Return OpenVINO's name of an element type.

    Raises `Error("unsupported-type")` for a type that OpenVINO does not have.
    """
    name = _NAMES.get(element)
    if name is None:
        raise Error("unsupported-type", f"OpenVINO has no element type {element}")
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
    raise Error("attribute-value", f"the attribute {name} has no textual form: it is {value}")


AXIS = "auto_broadcast.auto_broadcast_axis"
"""How OpenVINO writes the axis."""


def aligned(layer: Layer, operands: list[SSAValue], add: Callable[[Operation], object]) -> list[SSAValue]:
    """Align a layer's operands to end where the first one does.

    Errors: `unknown-rank`, `bad-attribute`.
    """
    text = layer.data.get(AXIS, "-1")
    if layer.data.get("auto_broadcast", "").strip().lower() != "pdpd" or text.strip() == "-1":
        return operands
    try:
        axis = int64(text)
    except ValueError as error:
        raise Error("bad-attribute", f"{AXIS}='{text}' cannot be read") from error
    # Select's condition and second value are broadcast to its first value.
    position = 1 if layer.type.lower() == "select" else 0
    if position >= len(operands):
        return operands  # The operation says how many it has.
    whole = operands[position]
    rank = fact_of(whole).rank
    return [o if o is whole else _moved(o, rank, axis, add) for o in operands]


def _moved(operand: SSAValue, whole: int | None, axis: int, add: Callable[[Operation], object]) -> SSAValue:
    rank = fact_of(operand).rank
    if rank is None or whole is None:
        raise Error("unknown-rank", "the rank of an input is not known", hint="set the model's input shapes")
    if not 0 <= axis <= whole:
        raise Error("bad-attribute", f"{AXIS}='{axis}' is no dimension of a tensor of {whole}")
    missing = whole - axis - rank
    if -missing > rank:
        raise Error("bad-attribute", f"{AXIS}='{axis}' leaves no room for a tensor of {rank} dimensions")
    if missing == 0:
        return operand
    axes = ConstantOp.of(
        int64_array(range(rank, rank + missing) if missing > 0 else range(rank + missing, rank))
    )
    add(axes)
    reshape = UnsqueezeOp if missing > 0 else SqueezeOp
    op = reshape.make(operand, axes.output)
    add(op)
    return op.results[0]
