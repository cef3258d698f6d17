"""Lowering of OneHot: each result element compares its position with an index."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i1
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.operators.generators import OneHotOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.indices import counted
from loomir.passes.structured.lowering.places import coordinates, projection, read
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.shaped import Shaped


@lowers(OneHotOp)
def one_hot(op: OneHotOp, low: Lowering) -> Shaped:
    """Emit a generic over the result.

    The indices are read at the coordinates of all dimensions except the new one.
    """
    indices, depth, on, off = low.operands(op)
    rank = indices.rank + 1
    axis = normalise_axis(to_int(op.axis), rank)
    (extent,) = low.ints(depth)
    extent = low.max(extent, 0)
    out = low.destination(op.output, [*indices.dims[:axis], extent, *indices.dims[axis:]])
    if 0 in out.dims:
        return out
    yes, no = (read(low, x, [0] * x.rank) for x in (on, off))

    def element(index: SSAValue) -> SSAValue:
        wanted = counted(low, index, extent, unsigned=indices.unsigned, negative=op.normalises)
        here = low.compare("eq", wanted, coordinates(low, rank)[axis])
        truth = low.constant(here, i1) if isinstance(here, bool) else here
        return low.insert(arith.SelectOp(truth, yes, no)).result

    own = projection(rank, [k for k in range(rank) if k != axis])
    return low.each([indices], out, element, [own])
