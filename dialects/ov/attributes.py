"""Attributes of `ov` operations as Python values, and slices of loops.

Attributes are read and checked here, with the defaults that classes declare.

`#ov.slice` describes how a loop's inputs are sliced, and its outputs concatenated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Data, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.facts import Dim
from loomir.dialects.ov.shape_rules import normalise_axis
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


@dataclass(frozen=True, slots=True)
class Slicing:
    """Division of a tensor's axis into parts that iterations read or write.

    `start` and `end` count from the end where negative, -1 being *behind* the last element (TensorIterator-1's rule). A
    negative `stride` walks backwards. Each iteration takes `part_size` elements. The defaults cut the whole axis into single
    elements; backwards is `start=-1, end=0, stride=-1`. A concatenation always joins all parts: only the axis and the stride's
    sign matter.
    """

    axis: int = 0
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1

    def normalised_axis(self, rank: int) -> int:
        """Return the axis counted from the front.

        Raises `Error("loop-axis")` if it is out of range.
        """
        return normalise_axis(self.axis, rank, error="loop-axis")

    def trips(self, extent: int) -> int:
        """Return the number of parts of an axis with this extent.

        Errors: `loop-stride`, `loop-range`, `loop-part-size`.
        """
        self.check_stride()
        step = abs(self.stride)
        _, length = self._range(extent)
        if self.part_size != step:
            # Parts that overlap or leave gaps are not defined by the specification; OpenVINO refuses them too.
            raise Error("loop-part-size", f"part_size {self.part_size} differs from the stride {self.stride}")
        if length % step:
            raise Error(
                "loop-part-size",
                f"part_size {self.part_size} does not divide the {length} elements to iterate over",
            )
        return length // step

    def check_stride(self) -> None:
        """Refuse a stride that says no direction. Error: `loop-stride`."""
        if self.stride == 0:
            raise Error("loop-stride", "the stride of a sliced input or concatenated output is 0")

    def offset(self, extent: int, iteration: int) -> int:
        """Return the offset of an iteration's part on an axis.

        `extent` is the extent of the axis.
        """
        begin, _ = self._range(extent)
        if self.stride > 0:
            return begin + iteration * self.stride
        return begin - self.part_size + iteration * self.stride

    def whole_axis(self, size: int = 1) -> Slicing:
        """Return the slicing of a whole axis in the same direction.

        Each slice has `size` parts.
        """
        wide = self.part_size * size
        if self.stride > 0:
            return Slicing(self.axis, 0, -1, wide, wide)
        return Slicing(self.axis, -1, 0, -wide, wide)

    def iterations_from(self, shape: Sequence[int], first: int, count: int, size: int = 1) -> Slicing:
        """Return the slicing for `count` iterations from number `first` on.

        Each slice of the tensor, which has this shape, has `size` parts. The extent on the axis is static.
        """
        extent, wide = shape[self.normalised_axis(len(shape))], self.part_size * size
        begin, last = self.offset(extent, first), self.offset(extent, first + count - 1)
        if self.stride > 0:
            return Slicing(self.axis, begin, last + self.part_size, wide, wide)
        return Slicing(self.axis, begin + self.part_size, last, -wide, wide)

    def part_shape(self, shape: Sequence[int], count: int = 1) -> list[int]:
        """Return the shape of `count` parts, one behind the other."""
        axis = self.normalised_axis(len(shape))
        return [self.part_size * count if k == axis else extent for k, extent in enumerate(shape)]

    def _range(self, extent: int) -> tuple[int, int]:
        begin = self.start + extent + 1 if self.start < 0 else self.start
        end = self.end + extent + 1 if self.end < 0 else self.end
        length = end - begin if self.stride > 0 else begin - end
        if not (0 <= begin <= extent and 0 <= end <= extent and length >= 0):
            raise Error(
                "loop-range",
                f"start {self.start} and end {self.end} do not fit an axis of extent {extent} with stride {self.stride}",
            )
        return begin, length

    def trip_bounds(self, extent: Dim) -> Dim:
        """Return the number of parts of an axis with an interval extent."""
        if extent.static is not None:
            n = self.trips(extent.static)
            return Dim(n, n)
        # The count grows with the extent unless the range ends at a fixed place.
        highest = None if extent.hi is None else max(0, extent.hi // max(1, abs(self.stride)))
        return Dim(0, highest)


@irdl_attr_definition
class SliceAttr(Data[Slicing]):
    """`#ov.slice<axis = 0, start = 0, end = -1, stride = 1, part_size = 1>`: see `Slicing`; defaults may be left out."""

    name = "ov.slice"

    def print_parameter(self, printer: Printer) -> None:
        default = Slicing()
        fields = ["axis", "start", "end", "stride", "part_size"]
        shown = [f for f in fields if f == "axis" or getattr(self.data, f) != getattr(default, f)]
        with printer.in_angle_brackets():
            printer.print_string(", ".join(f"{f} = {getattr(self.data, f)}" for f in shown))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Slicing:
        def field() -> tuple[str, int]:
            key = parser.parse_identifier()
            parser.parse_punctuation("=")
            return key, parser.parse_integer(allow_boolean=False)

        fields = dict(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field))
        try:
            return Slicing(**fields)
        except TypeError:
            parser.raise_error(f"expected axis, start, end, stride or part_size, got {', '.join(fields)}")
