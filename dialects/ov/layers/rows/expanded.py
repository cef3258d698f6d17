"""Layer types without an operation of their own: Identity and ConvertPromoteTypes."""

from __future__ import annotations

from xdsl.dialects.builtin import BFloat16Type
from xdsl.ir import Attribute

from loomir.dialects.element_types import (
    bf16,
    dtype_of,
    f16,
    f32,
    i1,
    i8,
    i16,
    i32,
    i64,
    is_float,
    is_integer,
    is_unsigned,
)
from loomir.dialects.ov.layers.attributes import Row, element_type, read_bool
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.errors import Error


def _identity(layer: LayerBuilder) -> Results:
    """The operand itself."""
    return layer.take(1)


def _promote(layer: LayerBuilder) -> Results:
    """Both operands in a common type. Errors: `promotion-unsafe`, `unknown-rank`."""
    common = _common_type(layer)
    converted = [layer.make(ConvertOp, o, destination_type=common)[0] for o in layer.take(2)]
    return converted


def _common_type(layer: LayerBuilder) -> Attribute:
    """The type that the specification of ConvertPromoteTypes-14 gives for the operands' types."""
    a, b = layer.element(0), layer.element(1)
    unsafe = bool(layer.properties.get("promote_unsafe", False))
    target = layer.properties.get("u64_integer_promotion_target", f32)
    assert isinstance(target, Attribute)
    if a == b or b == i1:
        return a
    if a == i1:
        return b
    if is_float(a) != is_float(b):
        real, whole = (a, b) if is_float(a) else (b, a)
        return _checked(real, unsafe or _bits(real) >= 2 * _bits(whole), a, b)
    if layer.properties.get("pytorch_scalar_promotion", False):
        ranks = layer.fact(0).rank, layer.fact(1).rank
        if None in ranks:
            raise Error(
                "unknown-rank", "the rank of an input is not known", hint="set the model's input shapes"
            )
        if (ranks[0] == 0) != (ranks[1] == 0):
            scalar, tensor = (a, b) if ranks[0] == 0 else (b, a)
            signs = is_unsigned(tensor), is_unsigned(scalar)
            fits = (signs[0] == signs[1] and _bits(tensor) >= _bits(scalar)) or (
                signs == (False, True) and 2 * _bits(tensor) >= _bits(scalar)
            )
            return _checked(tensor, unsafe or fits, a, b)
    if is_integer(a) and is_unsigned(a) != is_unsigned(b):
        unsigned, signed = (_bits(a), _bits(b)) if is_unsigned(a) else (_bits(b), _bits(a))
        if unsigned <= 32 and (unsafe or 2 * unsigned <= signed):
            return {8: i8, 16: i16, 32: i32, 64: i64}[max(2 * unsigned, signed)]
        return _checked(target, unsafe, a, b)
    if _bits(a) != _bits(b):
        return a if _bits(a) > _bits(b) else b
    # Types of one width: f16 and bf16, or the two of eight bits.
    return _checked(f32 if {a, b} == {f16, bf16} else f16, unsafe, a, b)


def _bits(element: Attribute) -> int:
    return 16 if isinstance(element, BFloat16Type) else 8 * dtype_of(element).itemsize


def _checked(common: Attribute, safe: bool, a: Attribute, b: Attribute) -> Attribute:
    if not safe:
        raise Error(
            "promotion-unsafe",
            f"{a} and {b} have no common type that holds all values of both",
            hint='promote_unsafe="true" allows it',
        )
    return common


ROWS: dict[str, Row] = {
    "Identity": Row(ConvertOp, upgrade=_identity, written=False),
    "ConvertPromoteTypes": Row(
        ConvertOp,
        {"promote_unsafe": read_bool, "pytorch_scalar_promotion": read_bool, "u64_integer_promotion_target": element_type},
        upgrade=_promote,
        written=False,
    ),
}  # fmt: skip
