"""Slicing of a loop's inputs, and concatenation of its outputs."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from loomir.dialects.ov.facts import Dim
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error


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
