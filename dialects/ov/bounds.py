"""Upper bounds of dynamic extents, as the encoding of a tensor type.

`tensor<?x3xf32, #ov.bounds<8, ?>>` has at most 8 rows.

A bound belongs to a value and stays with it, whatever a pass does to the operation that defines it. `?` stands for a
dimension whose extent is in the type itself, or that is unbounded. (StableHLO has the same attribute.) `count` is the
maximum number of elements, if the extents allow more: 100 elements in a shape that is known only at run time are a
`tensor<?x?xf32, #ov.bounds<100, 100, count = 100>>`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import TypeVar, overload

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

Most = TypeVar("Most", bound="int | None", covariant=True)


class Bounds(tuple[Most, ...]):
    """Largest extent of each dimension, None if unbounded, and `elements`.

    `elements` is the maximum number of elements, None if the extents imply it. Code that takes bounds apart has a tuple that
    allows as much or more.
    """

    elements: int | None

    def __new__(cls, extents: Iterable[Most], elements: int | None = None) -> Bounds[Most]:
        self = super().__new__(cls, extents)
        self.elements = elements
        if elements is not None and (product := _product(self)) is not None and elements >= product:
            self.elements = None
        return self

    @property
    def tells(self) -> bool:
        """True if anything is bounded."""
        return self.elements is not None or any(b is not None for b in self)

    def beyond(self, known: Bounds[int | None]) -> Bounds[int | None]:
        """Return the bounds that are tighter than those already known."""
        pairs = [*zip(self, known, strict=True), (self.elements, count_of(known))]
        *extents, elements = [m if m is not None and (k is None or m < k) else None for m, k in pairs]
        return Bounds(extents, elements)

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and self.elements == getattr(other, "elements", None)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((*self, self.elements))


def _product(extents: Sequence[int | None]) -> int | None:
    known = [e for e in extents if e is not None]
    return prod(known) if len(known) == len(extents) else None


@overload
def count_of(bounds: Sequence[int]) -> int: ...
@overload
def count_of(bounds: Sequence[int | None]) -> int | None: ...
def count_of(bounds: Sequence[int | None]) -> int | None:
    """The number of elements that these allow; None where nothing bounds it."""
    noted = bounds.elements if isinstance(bounds, Bounds) else None
    return _product(bounds) if noted is None else noted


def least(a: Bounds[int | None], b: Bounds[int | None]) -> Bounds[int | None]:
    """Return the meet of two bounds: what both allow."""
    columns = [
        [m for m in pair if m is not None] for pair in (*zip(a, b, strict=True), (a.elements, b.elements))
    ]
    *extents, elements = [min(column, default=None) for column in columns]
    return Bounds(extents, elements)


def joined(*bounds: Sequence[int]) -> Bounds[int]:
    """Return the join of bounds: what any of them allows."""
    return Bounds(map(max, zip(*bounds, strict=True)), max(count_of(b) for b in bounds))


def complete(bounds: Bounds[int | None]) -> Bounds[int] | None:
    """The bounds where they have one for each dimension, else None."""
    known = [b for b in bounds if b is not None]
    return Bounds(known, bounds.elements) if len(known) == len(bounds) else None


def with_known(bounds: Sequence[Most], extents: Iterable[object]) -> Bounds[int | Most]:
    """Replace the bounds of static extents by the extents themselves.

    MLIR's dynamic extent counts as unknown: its bound stays.
    """
    known = (
        e if isinstance(e, int) and e != DYNAMIC_INDEX else b for b, e in zip(bounds, extents, strict=True)
    )
    return Bounds(known, bounds.elements if isinstance(bounds, Bounds) else None)


@irdl_attr_definition
class BoundsAttr(Data[Bounds[int | None]]):
    """`#ov.bounds<8, ?>`, `#ov.bounds<8, 8, count = 10>`: see above."""

    name = "ov.bounds"

    def print_parameter(self, printer: Printer) -> None:
        words = ["?" if b is None else str(b) for b in self.data]
        if self.data.elements is not None:
            words.append(f"count = {self.data.elements}")
        with printer.in_angle_brackets():
            printer.print_string(", ".join(words))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Bounds[int | None]:
        elements: int | None = None

        def number() -> int:
            most = parser.parse_integer(allow_boolean=False, allow_negative=False)
            if most >= 1 << 63:
                parser.raise_error(f"{most} is no extent: it has more than 64 bits")
            return most

        def bound() -> int | None:
            nonlocal elements
            if elements is not None:
                parser.raise_error("the count is the last of the bounds")
            if parser.parse_optional_punctuation("?") is not None:
                return None
            if parser.parse_optional_keyword("count") is None:
                return number()
            parser.parse_punctuation("=")
            elements = number()
            return elements

        extents = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, bound)
        return Bounds(extents if elements is None else extents[:-1], elements)


def bounds_of_type(type_: Attribute) -> Bounds[int | None]:
    """Return the bounds of a ranked tensor type.

    Static extents are their own bounds.
    """
    assert isinstance(type_, TensorType), type_
    shape = type_.get_shape()
    noted = type_.encoding.data if isinstance(type_.encoding, BoundsAttr) else ()
    return with_known(noted if len(noted) == len(shape) else (None,) * len(shape), shape)


def is_bounded(type_: Attribute) -> bool:
    """Return True if the type has a bounds encoding."""
    return isinstance(type_, TensorType) and type(type_.encoding) is BoundsAttr


def bounds_fit(type_: Attribute) -> bool:
    """Return True if the bounds, if any, match the type's rank."""
    assert isinstance(type_, TensorType), type_
    return not isinstance(type_.encoding, BoundsAttr) or len(type_.encoding.data) == len(type_.get_shape())


def with_bounds(type_: TensorType, bounds: Sequence[int | None]) -> TensorType:
    """Return the type with bounds of its dynamic dimensions.

    If nothing is bounded, the type has no encoding.
    """
    shape = type_.get_shape()
    told = with_known(bounds, shape)
    noted = Bounds((b if d == DYNAMIC_INDEX else None for d, b in zip(shape, told)), told.elements)
    says = DYNAMIC_INDEX in shape and noted.tells
    return TensorType(type_.element_type, shape, *([BoundsAttr(noted)] if says else []))
