"""Access to attributes of `ov` operations as Python values.

Also the defaults that classes declare.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, TypeAttribute

from loomir.dialects.element_types import i32, i64
from loomir.errors import Error

TRUE = BoolAttr.from_bool(True)
FALSE = BoolAttr.from_bool(False)
NUMPY = StringAttr("numpy")
EXPLICIT = StringAttr("explicit")


def integer(value: int) -> IntegerAttr:
    """An i64 attribute, for a declared default."""
    return IntegerAttr(value, i64)


def to_bool(attribute: Attribute | None, default: bool | None = None) -> bool:
    """Return the value of a boolean attribute, `default` if it is absent.

    A `default` makes the attribute optional.
    """
    return bool(to_int(attribute, default))


def to_int(attribute: Attribute | None, default: int | None = None) -> int:
    """Return the value of an integer attribute, `default` if it is absent.

    A `default` makes the attribute optional.
    """
    if attribute is None and default is not None:
        return default
    assert isinstance(attribute, IntegerAttr), attribute
    return attribute.value.data


def to_float(attribute: Attribute | None, default: float | None = None) -> float:
    """Return the value of a float attribute, `default` if it is absent.

    A `default` makes the attribute optional.
    """
    if attribute is None and default is not None:
        return default
    assert isinstance(attribute, FloatAttr), attribute
    return attribute.value.data


def to_str(attribute: Attribute | None, default: str | None = None) -> str:
    """Return the text of a string attribute, `default` if it is absent.

    A `default` makes the attribute optional.
    """
    if attribute is None and default is not None:
        return default
    assert isinstance(attribute, StringAttr), attribute
    return attribute.data


def to_ints(attribute: Attribute | None, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Return the values of an integer list, `default` if it is absent.

    A `default` makes the attribute optional.
    """
    if attribute is None and default is not None:
        return default
    assert isinstance(attribute, DenseArrayBase), attribute
    return tuple(int(v) for v in attribute.get_values())


def choice(attribute: Attribute | None, name: str, allowed: Sequence[str], default: str | None = None) -> str:
    """Return the text of an enumerated attribute, `default` if it is absent.

    It must be one of `allowed`. A `default` makes the attribute optional.

    Error: `attribute-value`.
    """
    value = to_str(attribute, default)
    if value not in allowed:
        raise Error("attribute-value", f"{name} is '{value}', expected {' or '.join(allowed)}")
    return value


def check_index_type(attribute: TypeAttribute, name: str) -> TypeAttribute:
    """Return the type if it is i32 or i64.

    These are the types of positions and counts. Error: `element-type` for any other type.
    """
    if attribute not in (i32, i64):
        raise Error("element-type", f"{name} is {attribute}, expected i32 or i64")
    return attribute
