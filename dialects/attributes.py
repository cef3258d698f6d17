"""Attributes for large constants, for strings, and for bounds of extents.

**Constants of any size.** The attribute of a large array holds the array itself. MLIR keeps the elements of a constant as text
or as bytes in the attribute; a model has a hundred megabytes of them. Here everything up to `DENSE_BYTES` is the builtin
`dense<…>`, so that tests can read it, and everything above is `#ov.blob`, which is never hashed eagerly, printed or turned
into a list. A blob prints as its digest, `#ov.blob<"digest" : tensor<640x128xf32>>`, and such text parses again in the same
process; `with_full_constants` (`interface.py`) creates a module that any tool can read. Strings are
`#ov.strings<["a", "b"] : tensor<2x!ov.string>>`.

**Upper bounds of dynamic extents**, as the encoding of a tensor type: `tensor<?x3xf32, #ov.bounds<8, ?>>` has at most 8 rows.
A bound belongs to a value and stays with it, whatever a pass does to the operation that defines it. `?` stands for a
dimension whose extent is in the type itself, or that is unbounded. (StableHLO has the same attribute.) `count` is the
maximum number of elements, if the extents allow more: 100 elements in a shape that is known only at run time are a
`tensor<?x?xf32, #ov.bounds<100, 100, count = 100>>`.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterable, Sequence
from math import prod
from typing import TypeVar, overload

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, BytesAttr, DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from loomir.dialects.element_types import dtype_of, element_of, stored, string

DENSE_BYTES = 1024
"""Constants up to this many bytes are the builtin dense attribute."""


class Blob:
    """Read-only array with a lazily computed digest.

    Blobs are compared by dtype and shape first, and by content only then. The digest is computed once.
    """

    __slots__ = ("__weakref__", "_digest", "array")

    def __init__(self, array: np.ndarray) -> None:
        if array.flags.writeable:
            array = array.view()
            array.flags.writeable = False
        self.array = array
        self._digest: str | None = None

    @property
    def digest(self) -> str:
        """Sixteen bytes of SHA-256 of dtype, shape and content, in hexadecimal."""
        if self._digest is None:
            # By name: the types of ml_dtypes have one `str`, and no buffers of their own.
            h = hashlib.sha256(f"{self.array.dtype.name}{self.array.shape}".encode())
            if self.array.dtype == np.object_:
                for text in self.array.flat:
                    data = text.encode()
                    h.update(len(data).to_bytes(8) + data)
            else:
                h.update(np.ascontiguousarray(self.array).reshape(-1).view(np.uint8).data)
            self._digest = h.hexdigest()[:32]
            _KNOWN[self._digest] = self
        return self._digest

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Blob):
            return NotImplemented
        a, b = self.array, other.array
        if a is b:
            return True
        return a.dtype == b.dtype and a.shape == b.shape and self.digest == other.digest

    def __hash__(self) -> int:
        # Cheap on purpose: equal blobs have equal dtypes and shapes; their contents are compared by __eq__.
        return hash((self.array.dtype.name, self.array.shape))

    def __repr__(self) -> str:
        return f"Blob({self.array.dtype}{list(self.array.shape)})"


_KNOWN: weakref.WeakValueDictionary[str, Blob] = weakref.WeakValueDictionary()


@irdl_attr_definition
class BlobAttr(Data[Blob]):
    """A constant tensor held as a numpy array (see the module's docstring)."""

    name = "ov.blob"

    @property
    def array(self) -> np.ndarray:
        return self.data.array

    @property
    def type(self) -> TensorType:
        return TensorType(element_of(self.array.dtype), self.array.shape)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.data.digest)
            printer.print_string(" : ")
            printer.print_attribute(self.type)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Blob:
        with parser.in_angle_brackets():
            digest = parser.parse_str_literal()
            parser.parse_punctuation(":")
            parser.parse_type()
        blob = _KNOWN.get(digest)
        if blob is None:
            parser.raise_error(
                f"the constant {digest} was elided when the program was printed [constant-elided]: "
                "print it with loomir-opt --full-constants"
            )
        return blob


@irdl_attr_definition
class StringsAttr(Data[Blob]):
    """Constant tensor of strings, printed in full: the counterpart of `dense`.

    `dense` does the same for numbers.
    """

    name = "ov.strings"

    @property
    def array(self) -> np.ndarray:
        return self.data.array

    @property
    def type(self) -> TensorType:
        return TensorType(string, self.array.shape)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            with printer.in_square_brackets():
                printer.print_list(self.array.flat, printer.print_string_literal)
            printer.print_string(" : ")
            printer.print_attribute(self.type)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Blob:
        with parser.in_angle_brackets():
            texts = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_text(parser))
            parser.parse_punctuation(":")
            type_ = parser.parse_type()
        if not isinstance(type_, TensorType) or type_.element_type != string or not type_.has_static_shape():
            parser.raise_error(f"expected the type of a tensor of strings with a static shape, got {type_}")
        shape = type_.get_shape()
        if prod(shape) != len(texts):
            parser.raise_error(f"{len(texts)} strings for {type_}")
        array = np.empty(len(texts), object)
        array[:] = texts
        return Blob(array.reshape(shape))


def _parse_text(parser: AttrParser) -> str:
    """Parse a string in quotes.

    xDSL treats a string with non-ASCII characters as a sequence of bytes.
    """
    text = parser.parse_optional_str_literal()
    return parser.parse_bytes_literal().decode() if text is None else text


ConstantAttr = DenseIntOrFPElementsAttr | BlobAttr | StringsAttr
"""Attributes that may hold the contents of a constant."""


def constant_attr(array: np.ndarray, *, element: Attribute | None = None) -> ConstantAttr:
    """Return the attribute of a constant, dense or a blob.

    It is dense up to `DENSE_BYTES`, else a blob over the very same memory. `element` overrides the element type (for
    signless integers below GRAPH).
    """
    if array.nbytes > DENSE_BYTES:
        return BlobAttr(Blob(array))
    return dense_attr(array, element=element)


def dense_attr(
    array: np.ndarray, *, element: Attribute | None = None
) -> DenseIntOrFPElementsAttr | StringsAttr:
    """Return an attribute that prints its contents, whatever its size.

    For numbers it is the builtin attribute with the array's bytes.
    """
    if array.dtype == np.object_:
        return StringsAttr(Blob(array))
    if element is None:
        element = element_of(array.dtype)
    return DenseIntOrFPElementsAttr(
        TensorType(element, array.shape),  # pyright: ignore[reportArgumentType]
        BytesAttr(stored(array).tobytes()),
    )


def constant_array(attr: Attribute) -> np.ndarray:
    """Return the read-only array of a constant attribute, without a copy.

    The attribute is `dense`, `#ov.blob` or `#ov.strings`.
    """
    if not isinstance(attr, DenseIntOrFPElementsAttr):
        assert isinstance(attr, BlobAttr | StringsAttr), attr
        return attr.array
    shape = attr.get_shape()
    dtype = dtype_of(attr.get_element_type())
    flat = np.frombuffer(attr.data.data, dtype=dtype)
    if dtype == np.bool_:
        # Parsed text holds true as -1, and a bool that is neither 0 nor 1 is undefined behaviour.
        flat = flat.view(np.uint8) != 0
        flat.flags.writeable = False
    if flat.size == 1 and shape:
        return np.broadcast_to(flat.reshape(()), shape)
    return flat.reshape(shape)


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
    def is_bounded(self) -> bool:
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
                parser.raise_error(f"the extent {most} does not fit 64 bits")
            return most

        def bound() -> int | None:
            nonlocal elements
            if elements is not None:
                parser.raise_error("the count must be the last of the bounds")
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
    says = DYNAMIC_INDEX in shape and noted.is_bounded
    return TensorType(type_.element_type, shape, *([BoundsAttr(noted)] if says else []))
