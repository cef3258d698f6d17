"""Helpers shared by lowerings of operators on regions of interest."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i32
from loomir.dialects.ov.attributes import to_float
from loomir.dialects.ov.operators.roi import RoiOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.places import read
from loomir.passes.structured.lowering.scalars import ScalarMath, wide
from loomir.passes.structured.lowering.shaped import Shaped
from loomir.passes.structured.lowering.sorts import both, either_of, packed


class Rois:
    """Operands, arithmetic in the computation's type, and the destination of results."""

    def __init__(self, op: RoiOp, low: Lowering) -> None:
        self.low, self.s = low, ScalarMath(low)
        self.image, self.rois = low.operands(op)[:2]
        self.element = self.image.element
        self.acc = wide(self.element)
        self.batches, self.channels, self.height, self.width = self.image.dims
        self.regions = self.rois.dims[0]
        for extent in (self.height, self.width):
            low.assert_(low.compare("sge", extent, 1), "shape: regions of an image without pixels")
        self.rows, self.columns = op.pooled
        self.scale = self.number(to_float(op.spatial_scale))
        self.result = op.output
        _ = self.image.value, self.rois.value  # constants are made here, not inside of the loops

    # -- scalars

    def number(self, value: float) -> SSAValue:
        return self.low.constant(value, self.acc)

    def coordinate(self, r: Extent, k: int) -> SSAValue:
        """A number of a region's description."""
        return self.s.convert(read(self.low, self.rois, [r, k]), self.element, self.acc)

    def pixel(self, b: Extent, c: Extent, y: Extent, x: Extent) -> SSAValue:
        return self.s.convert(read(self.low, self.image, [b, c, y, x]), self.element, self.acc)

    def real(self, extent: Extent) -> SSAValue:
        """An extent as a float."""
        if isinstance(extent, int):
            return self.number(extent)
        return self.s.convert(self.low.from_index(extent, i32), i32, self.acc)

    def whole(self, value: SSAValue) -> SSAValue:
        """Convert a float to an index.

        It is rounded towards zero and limited to 32 bits; NaN becomes 0.
        """
        return self.low.to_index(self.s.convert(value, self.acc, i32))

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.add(a, b, self.acc)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.sub(a, b, self.acc)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.mul(a, b, self.acc)

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.low.insert(arith.DivfOp(a, b)).result

    def outside(self, value: SSAValue, least: SSAValue, greatest: SSAValue) -> SSAValue:
        """Return the condition that a number is outside a range.

        It holds below and above the range; a NaN is neither.
        """
        below = self.s.compare("lt", value, least, self.acc)
        return either_of(self.low, below, self.s.compare("gt", value, greatest, self.acc))

    # -- loops

    def check_batch(self, batch: Extent) -> None:
        low = self.low
        inside = both(low, low.compare("sge", batch, 0), low.compare("slt", batch, self.batches))
        low.assert_(inside, "index: a region of a batch that is not there")

    def place(self, r: Extent, c: Extent, p: Extent, q: Extent) -> SSAValue:
        """Where an element is in the flat result."""
        low = self.low
        row = low.add(low.mul(low.add(low.mul(r, self.channels), c), self.rows), p)
        return low.index(low.add(low.mul(row, self.columns), q))

    def store(self, flat: SSAValue, value: SSAValue, at: SSAValue) -> SSAValue:
        value = self.s.convert(value, self.acc, self.element)
        return self.low.insert(tensor.InsertOp(value, flat, [at])).result

    def finished(self, flat: SSAValue, bounds: Sequence[int]) -> Shaped:
        dims = [self.regions, self.channels, self.rows, self.columns]
        return packed(self.low, flat, self.element, dims, bounds)
