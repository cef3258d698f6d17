"""Sliding windows below GRAPH.

The module pads tensors, computes extents of results, and maps loops to elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from loomir.dialects.ov.windows import Window
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent, tensor_type
from loomir.passes.structured.lowering.shaped import Shaped


def window_count(low: Lowering, window: Window, extent: Extent) -> Extent:
    """Return the number of windows on an axis.

    If it is not known statically that one window fits, this is asserted.
    """
    if isinstance(extent, int):
        return window.extent(extent)
    if window.is_same:
        return low.ceildiv(extent, window.stride)
    begin, end = (0, 0) if window.auto_pad == "valid" else (window.pad_begin, window.pad_end)
    room = low.add(extent, begin + end - window.span)
    low.assert_(low.compare("sge", room, 0), "shape: a window does not fit its axis")
    if window.rounding == "floor" or window.auto_pad == "valid":
        return low.add(low.floordiv(room, window.stride), 1)
    last = low.ceildiv(room, window.stride)
    if window.rounding == "ceil_torch":
        # A last window that begins behind the input and the padding before it is left out.
        outside = low.compare("sge", low.mul(last, window.stride), low.add(extent, begin))
        last = low.sub(last, low.select(outside, 1, 0))
    return low.add(last, 1)


def padding(low: Lowering, window: Window, extent: Extent, count: Extent) -> tuple[Extent, Extent]:
    """Return the padding before and behind an axis.

    The axis has this extent and `count` windows.
    """
    if isinstance(extent, int) or not window.is_same:
        return window.padding(extent if isinstance(extent, int) else 0)
    needed = low.add(low.mul(low.sub(count, 1), window.stride), window.span)
    total = low.max(low.sub(needed, extent), 0)
    small = low.floordiv(total, 2)
    large = low.sub(total, small)
    return (small, large) if window.auto_pad == "same_upper" else (large, small)


def padded(
    low: Lowering,
    x: Shaped,
    windows: Sequence[Window],
    counts: Sequence[Extent],
    first: int,
    fill: float | int,
) -> tuple[Shaped, list[Extent]]:
    """Return the padded tensor, and the padding before each axis.

    The axes from `first` on are padded with as much of `fill` as the windows read. If the padding is negative, as many
    elements are cut off. The padding behind an axis is what the last window needs, which is less than the attribute
    specifies if the windows do not divide the axis evenly.
    """
    begins: list[Extent] = []
    lows: list[Extent] = [0] * first
    highs: list[Extent] = [0] * first
    for window, extent, count in zip(windows, x.dims[first:], counts):
        begin, _ = padding(low, window, extent, count)
        reach = low.add(low.mul(low.sub(count, 1), window.stride), window.span)
        behind = low.max(low.sub(reach, low.add(extent, begin)), 0)
        begins.append(begin)
        lows.append(max(begin, 0) if isinstance(begin, int) else begin)
        highs.append(behind)
    # Only explicit padding is negative, and that is a number.
    x = _cropped(low, x, [0] * first + [max(-b, 0) if isinstance(b, int) else 0 for b in begins])
    if all(p == 0 for p in (*lows, *highs)):
        return x, begins
    dims = [low.add(low.add(d, a), b) for d, a, b in zip(x.dims, lows, highs)]
    bounds = [d if isinstance(d, int) else DYNAMIC_INDEX for d in dims]
    block = Block(arg_types=[low.index(0).type] * x.rank)
    value = low.constant(fill, x.element)
    with low.at(block):
        low.insert(tensor.YieldOp(value))
    op = tensor.PadOp(
        x.value,
        [p for p in lows if not isinstance(p, int)],
        [p for p in highs if not isinstance(p, int)],
        Region(block),
        [p if isinstance(p, int) else DYNAMIC_INDEX for p in lows],
        [p if isinstance(p, int) else DYNAMIC_INDEX for p in highs],
        tensor_type(x.element, dims),
    )
    # Nobody asks for the bounds: the padded tensor never gets a buffer of its own.
    return Shaped(low, low.insert(op).result, x.element, dims, bounds), begins


def _cropped(low: Lowering, x: Shaped, offsets: Sequence[int]) -> Shaped:
    """Return a view without the first elements of each axis.

    An axis shorter than its offset loses all of its elements.
    """
    if not any(offsets):
        return x
    begins = [low.min(o, d) for d, o in zip(x.dims, offsets)]
    return low.slice(x, begins, [low.sub(d, b) for d, b in zip(x.dims, begins)])


def window_exprs(windows: Sequence[Window], outer: Sequence[int], inner: Sequence[int]) -> list[AffineExpr]:
    """Return the expression of the padded element's index, per axis.

    It is the element that window `outer` reads at kernel position `inner` (loop numbers).
    """
    return [
        AffineExpr.dimension(o) * w.stride + AffineExpr.dimension(k) * w.dilation
        for w, o, k in zip(windows, outer, inner)
    ]


def window_shape(low: Lowering, windows: Sequence[Window]) -> SSAValue:
    """Return an operand that only conveys the extents of the kernel's loops.

    Nothing else in a pooling's generic conveys them.
    """
    return low.empty(low.index(0).type, [w.kernel for w in windows])
