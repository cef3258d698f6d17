"""The largest extents of a dynamic tensor, as the encoding of its type: `tensor<?x3xf32, #ov.bounds<8, ?>>` has at most 8 rows.

A bound belongs to a value and goes where it goes, whatever a pass does to the operation that makes it. `?` stands for a dimension whose
extent the type says itself, or that nothing bounds. (StableHLO has the same attribute.)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

Bounds = tuple[int | None, ...]
"""The largest extent of each dimension, None where nothing bounds it."""


@irdl_attr_definition
class BoundsAttr(Data[Bounds]):
    """`#ov.bounds<8, ?>`: see above."""

    name = "ov.bounds"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(", ".join("?" if b is None else str(b) for b in self.data))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Bounds:
        def bound() -> int | None:
            if parser.parse_optional_punctuation("?") is not None:
                return None
            most = parser.parse_integer(allow_boolean=False, allow_negative=False)
            if most >= 1 << 63:
                parser.raise_error(f"{most} is no extent: it has more than 64 bits")
            return most

        return tuple(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, bound))


def bounds_of_type(type_: Attribute) -> Bounds:
    """The largest extents that a ranked type tells; those that it has are their own bounds."""
    assert isinstance(type_, TensorType), type_
    shape = type_.get_shape()
    noted = type_.encoding.data if isinstance(type_.encoding, BoundsAttr) else ()
    if len(noted) != len(shape):
        return tuple(None if d == DYNAMIC_INDEX else d for d in shape)
    return tuple(b if d == DYNAMIC_INDEX else d for d, b in zip(shape, noted))


def is_bounded(type_: Attribute) -> bool:
    """Whether the type has bounds noted."""
    return isinstance(type_, TensorType) and isinstance(type_.encoding, BoundsAttr)


def bounds_fit(type_: Attribute) -> bool:
    """Whether there is a bound for each dimension, or none is noted."""
    assert isinstance(type_, TensorType), type_
    return not isinstance(type_.encoding, BoundsAttr) or len(type_.encoding.data) == len(type_.get_shape())


def with_bounds(type_: TensorType, bounds: Sequence[int | None]) -> TensorType:
    """The type with bounds of those dimensions that are dynamic; without any it is the type alone."""
    shape = type_.get_shape()
    noted = tuple(b if d == DYNAMIC_INDEX else None for d, b in zip(shape, bounds, strict=True))
    if all(b is None for b in noted):
        return TensorType(type_.element_type, shape)
    return TensorType(type_.element_type, shape, BoundsAttr(noted))
