"""Pooling of regions of interest to a fixed size: ROIAlign, ROIPooling."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import f64, is_float
from loomir.dialects.ov.attributes import choice, integer, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.named_extents import Named, NamedExtents
from loomir.dialects.ov.shape_rules import check_element, check_integer, same_element, show_shape
from loomir.errors import Error

AVERAGE = StringAttr("avg")
MAX = StringAttr("max")
ASYMMETRIC = StringAttr("asymmetric")
SAMPLES = StringAttr("samples")
ONE = FloatAttr(1.0, f64)
MOST_SAMPLES = 1 << 16
"""The most samples that a bin may have along an axis where their number follows from the data."""


class RegionOp(OvOperation, ABC):
    """Regions of `data: [N, C, H, W]`, pooled to `[regions, C, pooled_h, pooled_w]`. H and W must not be 0. f16 and bf16
    are computed in f32. Errors: `element-type`, `element-types-differ`, `roi-shapes`, `attribute-value`; when
    run, `runtime-index` (a batch that is not there), `runtime-shape`, `limit-iterations`.
    """

    NUMBERS: ClassVar[int]
    """How many numbers describe a region."""

    # Operands are declared by the subclasses: those of a base class would come last.
    pooled_h = prop_def(IntegerAttr)
    pooled_w = prop_def(IntegerAttr)
    spatial_scale = prop_def(FloatAttr, default_value=ONE)
    output = result_def()
    traits = traits_def(NoMemoryEffect())

    @property
    def pooled(self) -> tuple[int, int]:
        """Rows and columns of the result. Error: `attribute-value`."""
        rows, columns = to_int(self.pooled_h), to_int(self.pooled_w)
        if rows < 1 or columns < 1:
            raise Error(
                "attribute-value", f"pooled_h and pooled_w are {rows} and {columns}, expected at least 1"
            )
        return rows, columns

    def pooled_fact(self, facts: Sequence[Fact]) -> Fact:
        """The result."""
        data, rois = facts[:2]
        check_element(data, "data", is_float, "a float")
        same_element((data, rois), ("data", "rois"))
        image = (Dim(),) * 4 if data.shape is None else data.shape
        if len(image) != 4 or any(d.hi == 0 for d in image[2:]):
            raise Error(
                "roi-shapes", f"data has shape {show_shape(image)}, expected [N, C, H, W] with pixels"
            )
        regions = self.agreed_extents(facts).get("regions", Dim())
        return Fact(data.element, (regions, image[1], *(Dim(p, p) for p in self.pooled)))

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        """A region is described by so many numbers, and has perhaps a batch index."""
        operands = [Named(1, "rois", ["regions", str(self.NUMBERS)]), Named(2, "batch_indices", ["regions"])]
        return NamedExtents("roi-shapes", operands[: len(facts) - 1])


@irdl_op_definition
class ROIAlignOp(RegionOp):
    """Samples on a grid in each bin of each region, interpolated bilinearly and pooled: OpenVINO ROIAlign-9 (3),
    ONNX RoiAlign-22.

    `rois` [regions, 4] are `x1, y1, x2, y2`, `batch_indices` [regions] integers. `aligned_mode`: with
    `asymmetric` (the default) coordinates are multiplied by `spatial_scale` and regions are at least 1 wide and
    high; with `half_pixel_for_nn` 0.5 is taken off afterwards, with `half_pixel` 0.5 is also added before. Each
    bin has `sampling_ratio` rows and columns of samples, or with 0 its own height and width rounded up; no
    samples give 0. A sample more than 1 outside of the image is 0. `mode` is `avg` (default) or `max`.
    `maximum_of` says what that is the maximum of: `samples`, or `corners`, the four weighted pixels of each sample (ONNX's
    reference and ONNX Runtime).
    """

    name = "ov.roi_align"
    NUMBERS: ClassVar[int] = 4

    data = operand_def()
    rois = operand_def()
    batch_indices = operand_def()
    sampling_ratio = prop_def(IntegerAttr, default_value=integer(0))
    mode = prop_def(StringAttr, default_value=AVERAGE)
    aligned_mode = prop_def(StringAttr, default_value=ASYMMETRIC)
    maximum_of = prop_def(StringAttr, default_value=SAMPLES)

    @property
    def averages(self) -> bool:
        """Whether samples are averaged."""
        return choice(self.mode, "mode", ("avg", "max")) == "avg"

    @property
    def of_corners(self) -> bool:
        """Whether maxima are taken of weighted pixels."""
        return choice(self.maximum_of, "maximum_of", ("samples", "corners")) == "corners"

    @property
    def offsets(self) -> tuple[float, float]:
        """What is added to coordinates before and after they are scaled."""
        modes = {"asymmetric": (0.0, 0.0), "half_pixel_for_nn": (0.0, -0.5), "half_pixel": (0.5, -0.5)}
        return modes[choice(self.aligned_mode, "aligned_mode", tuple(modes))]

    @property
    def ratio(self) -> int:
        """Samples per bin and axis, 0 for as many as the bin is long. Error: `attribute-value`."""
        ratio = to_int(self.sampling_ratio)
        if ratio < 0:
            raise Error("attribute-value", f"sampling_ratio is {ratio}, expected at least 0")
        return ratio

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        check_integer(facts[2], "batch_indices")
        _ = self.averages, self.of_corners, self.offsets, self.ratio
        return [self.pooled_fact(facts)]


@irdl_op_definition
class ROIPoolingOp(RegionOp):
    """The maximum of the pixels in each bin of each region, or one interpolated value: OpenVINO ROIPooling-2, ONNX
    MaxRoiPool-22.

    `rois` [regions, 5] are `batch, x1, y1, x2, y2`. `method = "max"` (the default): corners are multiplied by
    `spatial_scale` and rounded (halves away from zero), a region holds both and is at least one pixel wide and high; bins
    overlap where they share pixels, and one without pixels in the image is 0. `"bilinear"`: coordinates are from 0
    to 1 and the pooled points are spread evenly from one edge to the other (in the middle where there is one); one outside
    of the image is 0.
    """

    name = "ov.roi_pooling"
    NUMBERS: ClassVar[int] = 5

    data = operand_def()
    rois = operand_def()
    method = prop_def(StringAttr, default_value=MAX)

    @property
    def interpolates(self) -> bool:
        """Whether the method is bilinear interpolation."""
        return choice(self.method, "method", ("max", "bilinear")) == "bilinear"

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        _ = self.interpolates
        return [self.pooled_fact(facts)]
