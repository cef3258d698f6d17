"""Layout of elements: blocks, channels, image patches and strided slices.

- Operations on blocks and channels become Reshape and Transpose; Roll and Reverse become Slice, Concat and Gather.
- Patches of images become Pad, Resample and changes of layout.
- StridedSlice becomes Slice, Squeeze and Unsqueeze.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.numerics import arange, claim
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, UNBOUNDED_LOW
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.inference import length
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.comparison import EqualOp, GreaterOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, FloorModOp, SubtractOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.interpolate import ResampleOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.layout import (
    BatchOperation,
    BatchToSpaceOp,
    DepthToSpaceOp,
    ReverseOp,
    RollOp,
    ShuffleChannelsOp,
    SpaceToBatchOp,
    SpaceToDepthOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp, SlicingStep, StridedSliceOp
from loomir.dialects.ov.operators.windows import ExtractImagePatchesOp, ReorgYoloOp
from loomir.dialects.ov.shape_rules import normalise_axes, normalise_axis
from loomir.errors import Error
from loomir.passes.graph.lib.decompositions import (
    Size,
    Sizes,
    decomposes,
    rank_of,
    require_at_least,
    require_equal,
)


def _rearranged(
    build: GraphBuilder, value: SSAValue, split: Sequence[Size], order: Sequence[int], joined: Sequence[Size]
) -> SSAValue:
    sizes = Sizes(build)
    parts = build.make(TransposeOp, sizes.reshape(value, split), build.integers(order))
    return sizes.reshape(parts, joined)


@decomposes(SpaceToDepthOp)
def space_to_depth(op: SpaceToDepthOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`[N, C, D1 / b, b …]`, with the b's before or behind C, joined with it."""
    k, b, sizes = rank_of(build, op.data) - 2, op.block, Sizes(build)
    n, c, *space = sizes.of(op.data)
    small = [sizes.floordiv(d, b) for d in space]
    split = [n, c, *(s for d in small for s in (d, b))]
    inner, outer = [3 + 2 * i for i in range(k)], [2 + 2 * i for i in range(k)]
    order = [0, *inner, 1, *outer] if op.blocks_first else [0, 1, *inner, *outer]
    return [_rearranged(build, op.data, split, order, [n, sizes.mul(c, b**k), *small])]


@decomposes(DepthToSpaceOp)
def depth_to_space(op: DepthToSpaceOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`[N, b …, C, D1 …]` or `[N, C, b …, D1 …]`, with each b behind its dimension, joined with it."""
    k, b, sizes = rank_of(build, op.data) - 2, op.block, Sizes(build)
    n, c, *space = sizes.of(op.data)
    depth = sizes.floordiv(c, b**k)
    first = op.blocks_first
    split = [n, *[b] * k, depth, *space] if first else [n, depth, *[b] * k, *space]
    channel, block = (k + 1, 1) if first else (1, 2)
    order = [0, channel, *(p for i in range(k) for p in (k + 2 + i, block + i))]
    return [_rearranged(build, op.data, split, order, [n, depth, *(sizes.mul(d, b) for d in space)])]


@decomposes(ShuffleChannelsOp)
def shuffle_channels(op: ShuffleChannelsOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`[…, group, extent / group, …]` with the two exchanged."""
    rank, sizes = rank_of(build, op.data), Sizes(build)
    axis = normalise_axis(to_int(op.axis, 1), rank)
    dims = sizes.of(op.data)
    split = [*dims[:axis], op.groups, sizes.floordiv(dims[axis], op.groups), *dims[axis + 1 :]]
    order = list(range(rank + 1))
    order[axis], order[axis + 1] = axis + 1, axis
    return [_rearranged(build, op.data, split, order, dims)]


def _require_parameters(op: BatchOperation, build: GraphBuilder) -> None:
    """Check unknown parameters at run time.

    The checks are those that inference applies to known parameters.
    """
    for index, (name, neutral) in enumerate(zip(op.PARAMETERS, (1, 0, 0)), 1):
        value = op.operands[index]
        if build.fact(value).value is not None:
            continue
        value = require_at_least(build, value, value, neutral, f"{name} of {op.name} is below {neutral}")
        first = Sizes(build).element(value, 0)
        reason = f"{name} of {op.name} is not {neutral} for the batch"
        op.operands[index] = require_equal(build, value, first, neutral, reason)


@decomposes(SpaceToBatchOp)
def space_to_batch(op: SpaceToBatchOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Padded, `[N, D1 / B1, B1 …]`, with the blocks before N, joined with it."""
    _require_parameters(op, build)
    rank, sizes = rank_of(build, op.data), Sizes(build)
    zero = build.like(0, op.data)
    data = build.make(PadOp, op.data, op.pads_begin, op.pads_end, zero, attributes={"pad_mode": "constant"})
    batch, *space = sizes.of(data)
    blocks = [sizes.element(op.block_shape, i) for i in range(1, rank)]
    small = [sizes.floordiv(d, b) for d, b in zip(space, blocks)]
    split = [batch, *(s for pair in zip(small, blocks) for s in pair)]
    order = [*(2 * i for i in range(1, rank)), 0, *(2 * i - 1 for i in range(1, rank))]
    return [_rearranged(build, data, split, order, [sizes.product([batch, *blocks]), *small])]


@decomposes(BatchToSpaceOp)
def batch_to_space(op: BatchToSpaceOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`[B1 …, N, D1 …]` with each block behind its dimension, joined with it and cropped."""
    _require_parameters(op, build)
    rank, sizes = rank_of(build, op.data), Sizes(build)
    total, *space = sizes.of(op.data)
    blocks = [sizes.element(op.block_shape, i) for i in range(1, rank)]
    batch = sizes.floordiv(total, sizes.product(blocks))
    order = [rank - 1, *(p for i in range(rank - 1) for p in (rank + i, i))]
    wide = [sizes.mul(d, b) for d, b in zip(space, blocks)]
    whole = _rearranged(build, op.data, [*blocks, batch, *space], order, [batch, *wide])
    first = [sizes.element(op.crops_begin, i) for i in range(1, rank)]
    last = [sizes.sub(d, sizes.element(op.crops_end, i)) for i, d in enumerate(wide, 1)]
    for begin, end in zip(first, last):
        left = sizes.sub(end, begin)
        if not isinstance(left, int):
            whole = require_at_least(build, whole, left, 0, f"{op.name} crops more than there is")
    ones, axes = build.integers([1] * (rank - 1)), build.integers(range(1, rank))
    return [build.make(SliceOp, whole, sizes.vector(first), sizes.vector(last), ones, axes)]


@decomposes(RollOp)
def roll(op: RollOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Move the end of an axis to the front.

    A known shift becomes a concatenation of the two parts, any other a Gather of positions. Error: `unknown-axes`.
    """
    rank = rank_of(build, op.data)
    axes, shift = build.fact(op.axes).value, build.fact(op.shift)
    if axes is None:
        raise Error(
            "unknown-axes", "the axes of Roll are not known", hint="fix the inputs that they depend on"
        )
    value, sizes = op.data, Sizes(build)
    single = shift.static == ()
    by_axis: dict[int, Size] = {}
    for k, axis in enumerate(axes.reshape(-1)):
        place = normalise_axis(int(axis), rank)
        flat = build.make(ConvertOp, op.shift, attributes={"destination_type": i64})
        if shift.value is not None:
            amount: Size = int(shift.value.reshape(-1)[0 if single else k])
        elif single:
            amount = sizes.reshape(flat, [1])
        else:
            amount = sizes.element(flat, k)
        extent = sizes.of(op.data)[place]
        by_axis[place] = sizes.add(by_axis.get(place, 0), sizes.modulo(amount, extent))
    for axis, amount in by_axis.items():
        value = _rolled(build, value, axis, amount)
    return [value]


def _rolled(build: GraphBuilder, value: SSAValue, axis: int, amount: Size) -> SSAValue:
    sizes = Sizes(build)
    extent = sizes.of(value)[axis]
    if isinstance(amount, int) and isinstance(extent, int):
        cut = -amount % extent if extent else 0
        if not cut:
            return value
        parts = [
            build.make(SliceOp, value, *(build.integers([v]) for v in (begin, end, 1, axis)))
            for begin, end in ((cut, extent), (0, cut))
        ]
        return build.make(ConcatOp, parts, attributes={"axis": axis})
    shifted = build.make(SubtractOp, sizes.positions(extent), sizes.value(amount))
    wrapped = build.make(FloorModOp, shifted, sizes.value(extent))
    return build.make(GatherOp, value, wrapped, build.scalar(axis, i64))


@decomposes(ReverseOp)
def reverse(op: ReverseOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Replace a Reverse by a Slice with steps of -1.

    Error: `unknown-axes` if the axes are not known.
    """
    axes = build.fact(op.axes).value
    if axes is None:
        raise Error(
            "unknown-axes", "the axes of Reverse are not known", hint="fix the inputs that they depend on"
        )
    named = axes.reshape(-1).nonzero()[0] if op.by_mask else axes.reshape(-1)
    found = normalise_axes(named, rank_of(build, op.data))
    if not found:
        return [op.data]
    bounds = (UNBOUNDED_HIGH, UNBOUNDED_LOW, -1)
    lists = [build.integers([v] * len(found)) for v in bounds]
    return [build.make(SliceOp, op.data, *lists, build.integers(found))]


def _extents(op: ExtractImagePatchesOp | ReorgYoloOp, build: GraphBuilder) -> tuple[int, ...]:
    """Error: `unknown-shape`."""
    extents = build.fact(op.data).static
    if extents is None:
        raise Error(
            "unknown-shape",
            f"the shape of what {op.name} reads is not known",
            hint="fix the shapes of the inputs",
        )
    return extents


@decomposes(ExtractImagePatchesOp)
def extract_image_patches(op: ExtractImagePatchesOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Gather rows and columns window by window.

    Then the elements of the windows are moved to the front.
    """
    n, c, *extents = _extents(op, build)
    windows = op.windows()
    counts = [w.count(d) for w, d in zip(windows, extents)]
    begins, ends, tables = [0, 0], [0, 0], []
    for window, extent, count in zip(windows, extents, counts):
        begin, end = window.padding(extent) if count else (0, 0)
        begins.append(begin)
        ends.append(end)
        claim((window.kernel, count), np.dtype(np.int64))
        places = arange(window.kernel)[:, None] * window.dilation + arange(count) * window.stride
        tables.append(build.constant(places.reshape(-1).astype(np.int32)))
    data = op.data
    if any((*begins, *ends)):
        data = build.make(PadOp, data, build.integers(begins), build.integers(ends))
    picked = build.make(ResampleOp, data, tables, attributes={"axes": [2, 3]})
    kernel = [w.kernel for w in windows]
    split = build.make(ReshapeOp, picked, build.integers([n, c, kernel[0], counts[0], kernel[1], counts[1]]))
    turned = build.make(TransposeOp, split, build.integers([0, 2, 4, 1, 3, 5]))
    return [build.make(ReshapeOp, turned, build.integers([n, kernel[0] * kernel[1] * c, *counts]))]


@decomposes(ReorgYoloOp)
def reorg_yolo(op: ReorgYoloOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Two reshapes and a transposition."""
    n, c, h, w = _extents(op, build)
    s = to_int(op.stride)
    split = build.make(ReshapeOp, op.data, build.integers([n, c // (s * s), h, s, w, s]))
    turned = build.make(TransposeOp, split, build.integers([0, 3, 5, 1, 2, 4]))
    return [build.make(ReshapeOp, turned, build.integers([n, c * s * s, h // s, w // s]))]


@decomposes(StridedSliceOp)
def strided_slice(op: StridedSliceOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose to a Slice, a Squeeze and an Unsqueeze.

    The Slice cuts axes, the Squeeze removes the shrunk ones, and the Unsqueeze inserts the new ones.

    Error: `unknown-rank` if the rank of data or the number of parameters is not known.
    """
    parameters = [v for v in (op.begin, op.end, op.strides) if v is not None]
    places = next((n for v in parameters if (n := length(build.fact(v))) is not None), None)
    rank = build.fact(op.data).rank
    if places is None or rank is None:
        raise Error(
            "unknown-rank",
            "the rank of data, or the number of axes that are sliced, is not known",
            hint="fix the shapes of the inputs",
        )
    plan = op.plan(rank, places)
    value = _sliced(op, build, [s for s in plan if s.kind in ("slice", "shrink")])
    shrunk = [s.axis for s in plan if s.kind == "shrink"]
    if shrunk:
        value = build.make(SqueezeOp, value, build.integers(shrunk), attributes={"strict": True})
    new = [i for i, s in enumerate(s for s in plan if s.kind != "shrink") if s.kind == "new"]
    return [build.make(UnsqueezeOp, value, build.integers(new)) if new else value]


def _sliced(op: StridedSliceOp, build: GraphBuilder, steps: list[SlicingStep]) -> SSAValue:
    if not steps:
        return op.data
    known = _known_positions(op, build, steps)
    if known is not None:
        return build.make(
            SliceOp, op.data, *(build.integers(v) for v in known), build.integers([s.axis for s in steps])
        )
    wanted = build.integers([s.index for s in steps])

    def parameter(value: SSAValue | None) -> SSAValue:
        if value is None:
            return build.integers([1] * len(steps))
        picked = build.make(GatherOp, value, wanted, build.scalar(0, i64))
        return build.make(ConvertOp, picked, attributes={"destination_type": i64})

    begin, end, strides = parameter(op.begin), parameter(op.end), parameter(op.strides)
    shrunk = np.array([s.kind == "shrink" for s in steps])
    if shrunk.any():
        # The element at begin alone: up to begin + 1, which for the last one, -1, is no position but the end.
        ones = build.integers([1] * len(steps))
        behind = build.make(AddOp, begin, ones)
        last = build.make(EqualOp, begin, build.integers([-1]))
        behind = build.make(SelectOp, last, build.integers([UNBOUNDED_HIGH]), behind)
        mask = build.constant(shrunk)
        end, strides = build.make(SelectOp, mask, behind, end), build.make(SelectOp, mask, ones, strides)
    begin = _bordered(op, build, steps, begin, strides, first=True)
    end = _bordered(op, build, steps, end, strides, first=False)
    return build.make(SliceOp, op.data, begin, end, strides, build.integers([s.axis for s in steps]))


def _known_positions(
    op: StridedSliceOp, build: GraphBuilder, steps: list[SlicingStep]
) -> tuple[list[int], list[int], list[int]] | None:
    """Begin, end and stride of each step where the parameters are constants."""
    values = [None if v is None else build.fact(v).value for v in (op.begin, op.end, op.strides)]
    if values[0] is None or values[1] is None or (values[2] is None and op.strides is not None):
        return None
    begins: list[int] = []
    ends: list[int] = []
    strides: list[int] = []
    for step in steps:
        begin, end = int(values[0][step.index]), int(values[1][step.index])
        stride = 1 if values[2] is None else int(values[2][step.index])
        if step.kind == "shrink":
            # The element at begin alone; behind the last one, -1, there is no position but the end.
            end, stride = begin + 1 if begin != -1 else UNBOUNDED_HIGH, 1
        else:
            first = op.border(step.index, (stride, stride), first=True)
            last = op.border(step.index, (stride, stride), first=False)
            begin, end = begin if first is None else first[0], end if last is None else last[0]
        begins.append(begin)
        ends.append(end)
        strides.append(stride)
    return begins, ends, strides


def _bordered(
    op: StridedSliceOp,
    build: GraphBuilder,
    steps: list[SlicingStep],
    positions: SSAValue,
    strides: SSAValue,
    *,
    first: bool,
) -> SSAValue:
    """Replace positions that a mask sets by the border.

    The border is the one from which (or to which) the stride walks.
    """
    attribute = op.begin_mask if first else op.end_mask
    mask = np.array([s.kind == "slice" and op.masked(attribute, s.index) for s in steps])
    if not mask.any():
        return positions
    forward = build.make(GreaterOp, strides, build.integers([0]))
    low, high = build.integers([UNBOUNDED_LOW]), build.integers([UNBOUNDED_HIGH])
    border = build.make(SelectOp, forward, low if first else high, high if first else low)
    return build.make(SelectOp, build.constant(mask), border, positions)
