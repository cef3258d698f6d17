"""Reading the attributes of `ov` operations as Python values, and the defaults that classes declare."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, FloatAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute

from loomir.errors import Error

TRUE = BoolAttr.from_bool(True)
FALSE = BoolAttr.from_bool(False)
NUMPY = StringAttr("numpy")
EXPLICIT = StringAttr("explicit")


def integer(value: int) -> IntegerAttr:
    """An i64 attribute, for a declared default."""
    return IntegerAttr(value, i64)


def to_bool(attribute: Attribute) -> bool:
    assert isinstance(attribute, IntegerAttr), attribute
    return bool(attribute.value.data)


def to_int(attribute: Attribute) -> int:
    assert isinstance(attribute, IntegerAttr), attribute
    return attribute.value.data


def to_float(attribute: Attribute) -> float:
    assert isinstance(attribute, FloatAttr), attribute
    return attribute.value.data


def to_str(attribute: Attribute) -> str:
    assert isinstance(attribute, StringAttr), attribute
    return attribute.data


def to_ints(attribute: Attribute) -> tuple[int, ...]:
    assert isinstance(attribute, DenseArrayBase), attribute
    return tuple(int(v) for v in attribute.get_values())


def choice(name: str, attribute: Attribute, allowed: Sequence[str]) -> str:
    """The text of an attribute that must be one of a few. Error: `attribute-value`."""
    value = to_str(attribute)
    if value not in allowed:
        raise Error("attribute-value", f"{name} is '{value}', expected {' or '.join(allowed)}")
    return value
