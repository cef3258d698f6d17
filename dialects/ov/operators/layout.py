"""Operations that reorder the elements of a tensor.

They rearrange blocks or channels, roll, or reverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def

from loomir.dialects.element_types import TENSOR
from loomir.dialects.numerics import arange, as_signed, claim
from loomir.dialects.ov.attributes import choice, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.inference import integers, length, surely_inside
from loomir.dialects.ov.interfaces import (
    ANY,
    AnyOrder,
    ChannelsFirst,
    Layout,
    NamedExtents,
    NamedOperand,
    Sources,
    as_long,
)
from loomir.dialects.ov.shape_rules import (
    check_element,
    check_integer,
    check_rank,
    is_boolean,
    normalise_axes,
    normalise_axis,
)
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
from loomir.errors import Error


def divided(d: Dim, parts: int, what: str) -> Dim:
    """An extent cut into parts. `Error("layout-block")` where they cannot be equal."""
    if d.static is not None and d.static % parts:
        raise Error("layout-block", f"{what} of extent {d} cannot be cut into {parts} equal parts")
    return Dim(-(-d.lo // parts), None if d.hi is None else d.hi // parts)


def positive(value: int, what: str) -> int:
    """`Error("attribute-value")` unless the number is at least 1."""
    if value < 1:
        raise Error("attribute-value", f"{what} must be at least 1, not {value}")
    return value


class BlockOperation(OvOperation):
    """Common base of SpaceToDepth and DepthToSpace.

    They have `[N, C, D1 … Dk]`, `mode` and `block_size`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst()

    mode = opt_prop_def(StringAttr)
    block_size = opt_prop_def(IntegerAttr)

    @property
    def block(self) -> int:
        """The extent of a block. `Error("attribute-value")`."""
        return positive(to_int(self.block_size, 1), "block_size")

    @property
    def blocks_first(self) -> bool:
        """True if the place in the block is the channel's outer part.

        Raises `Error("attribute-value")`.
        """
        modes = ("blocks_first", "depth_first")
        return choice(self.mode, "mode", modes, "blocks_first") == "blocks_first"

    def spatial(self, data: Fact) -> Shape | None:
        """The shape, of rank 3 at least. `Error("operand-rank")`."""
        if data.rank is not None and data.rank < 3:
            raise Error("operand-rank", f"data must have rank 3 or more, not {data.rank}")
        _ = self.blocks_first
        return data.shape


@irdl_op_definition
class SpaceToDepthOp(BlockOperation):
    """Blocks of the spatial dimensions moved to the channels: OpenVINO SpaceToDepth-1.

    `[N, C, D1 … Dk]` to `[N, C · b^k, D1 / b … Dk / b]`; the place in the block is the outer part of the new channel
    (`mode = "blocks_first"`) or the inner one (`"depth_first"`).
    Errors: `operand-rank`, `layout-block` (an extent is no multiple), `attribute-value`.
    """

    name = "ov.space_to_depth"
    SOURCES: ClassVar = Sources(openvino=("SpaceToDepth", 0))
    CARRIES: ClassVar[tuple[int, ...] | None] = (0,)
    COMPOSITE: ClassVar[bool] = True

    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        (data,) = facts
        shape, b = self.spatial(data), self.block
        if shape is None:
            return [Fact(data.element, None)]
        space = [divided(d, b, "a spatial dimension") for d in shape[2:]]
        return [Fact(data.element, (shape[0], shape[1] * b ** len(space), *space))]


@irdl_op_definition
class DepthToSpaceOp(BlockOperation):
    """Channels moved to blocks of the spatial dimensions: OpenVINO DepthToSpace-1.

    `[N, C, D1 … Dk]` to `[N, C / b^k, D1 · b … Dk · b]`; the opposite of SpaceToDepth of the same `mode`.
    Errors: `operand-rank`, `layout-block` (an extent is no multiple), `attribute-value`.
    """

    name = "ov.depth_to_space"
    SOURCES: ClassVar = Sources(openvino=("DepthToSpace", 0))
    CARRIES: ClassVar[tuple[int, ...] | None] = (0,)
    COMPOSITE: ClassVar[bool] = True

    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        (data,) = facts
        shape, b = self.spatial(data), self.block
        if shape is None:
            return [Fact(data.element, None)]
        space = [d * b for d in shape[2:]]
        return [Fact(data.element, (shape[0], divided(shape[1], b ** len(space), "the channels"), *space))]


@irdl_op_definition
class ShuffleChannelsOp(OvOperation):
    """An axis seen as `[group, extent / group]` and transposed: OpenVINO ShuffleChannels-0.

    Errors: `axis-range`, `layout-block`, `attribute-value`.
    """

    name = "ov.shuffle_channels"
    SOURCES: ClassVar = Sources(openvino=("ShuffleChannels", 0))
    COMPOSITE: ClassVar[bool] = True

    data = operand_def(TENSOR)
    axis = opt_prop_def(IntegerAttr)
    group = opt_prop_def(IntegerAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    @property
    def groups(self) -> int:
        """The number of groups. `Error("attribute-value")`."""
        return positive(to_int(self.group, 1), "group")

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        (data,) = facts
        groups = self.groups
        if data.shape is not None:
            axis = normalise_axis(to_int(self.axis, 1), len(data.shape))
            _ = divided(data.shape[axis], groups, "the shuffled axis")
        return [Fact(data.element, data.shape)]


class BatchOperation(OvOperation):
    """Common base of SpaceToBatch and BatchToSpace.

    They have a block shape, and an amount for both ends of each axis.
    """

    PARAMETERS: ClassVar[tuple[str, str, str]]

    def parameters(self, facts: Sequence[Fact]) -> list[list[int]] | None:
        """Return block shape, begin and end amounts, if all are known.

        Errors: `operand-rank`, `layout-block` (a wrong length or number, or a batch that is not left alone).
        """
        data = facts[0]
        if data.rank == 0:
            raise Error("operand-rank", "data must have at least one dimension, the batch")
        self.agreed_extents(facts)
        known: list[list[int]] = []
        for name, neutral, fact in zip(self.PARAMETERS, (1, 0, 0), facts[1:]):
            values = integers(fact, name, 1)
            if values is None:
                continue
            if any(v < neutral for v in values) or (values and values[0] != neutral):
                raise Error(
                    "layout-block", f"{name} {values} is below {neutral}, or not {neutral} for the batch"
                )
            known.append(values)
        return known if len(known) == 3 else None

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        return as_long(facts, "layout-block", dict(enumerate(self.PARAMETERS, 1)), facts[0].rank)


@irdl_op_definition
class SpaceToBatchOp(BatchOperation):
    """Blocks of padded spatial dimensions moved to the batch: OpenVINO SpaceToBatch-1.

    `[N, D1 … Dk]` is padded with zeros, and the place in a block of `block_shape` becomes the outer part of the batch:
    `[N · B1 … Bk, (D1 + pads) / B1 …]`. All parameters have one element per axis, the first of them neutral.
    Errors: `operand-rank`, `layout-block`; when run, `runtime-shape`.
    """

    name = "ov.space_to_batch"
    SOURCES: ClassVar = Sources(openvino=("SpaceToBatch", 1))
    COMPOSITE: ClassVar[bool] = True
    PARAMETERS: ClassVar[tuple[str, str, str]] = ("block_shape", "pads_begin", "pads_end")

    data = operand_def(TENSOR)
    block_shape = operand_def(TENSOR)
    pads_begin = operand_def(TENSOR)
    pads_end = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("block_shape", "pads_begin", "pads_end"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, known = facts[0], self.parameters(facts)
        if data.shape is None or known is None:
            return [Fact(data.element, None if data.shape is None else (Dim(),) * len(data.shape))]
        batch = data.shape[0]
        space: list[Dim] = []
        for d, block, begin, end in zip(data.shape[1:], *(k[1:] for k in known)):
            batch = batch * block
            space.append(divided(d + (begin + end), block, "a padded dimension"))
        return [Fact(data.element, (batch, *space))]


@irdl_op_definition
class BatchToSpaceOp(BatchOperation):
    """Move of batch parts to cropped spatial blocks. OpenVINO BatchToSpace-1.

    The inverse of SpaceToBatch: `[N, D1 … Dk]` to `[N / (B1 … Bk), D1 · B1 - crops …]`.
    Errors: `operand-rank`, `layout-block`; when run, `runtime-shape`.
    """

    name = "ov.batch_to_space"
    SOURCES: ClassVar = Sources(openvino=("BatchToSpace", 1))
    COMPOSITE: ClassVar[bool] = True
    PARAMETERS: ClassVar[tuple[str, str, str]] = ("block_shape", "crops_begin", "crops_end")

    data = operand_def(TENSOR)
    block_shape = operand_def(TENSOR)
    crops_begin = operand_def(TENSOR)
    crops_end = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("block_shape", "crops_begin", "crops_end"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, known = facts[0], self.parameters(facts)
        if data.shape is None or known is None:
            return [Fact(data.element, None if data.shape is None else (Dim(),) * len(data.shape))]
        batch = data.shape[0]
        space: list[Dim] = []
        for d, block, begin, end in zip(data.shape[1:], *(k[1:] for k in known)):
            batch = divided(batch, block, "the batch")
            wide = d * block
            if wide.hi is not None and wide.hi < begin + end:
                raise Error("layout-block", f"{begin} and {end} are cropped of an extent of {wide}")
            space.append(wide + -(begin + end))
        return [Fact(data.element, (batch, *space))]


@irdl_op_definition
class RollOp(OvOperation):
    """Cyclic shift of elements along axes. OpenVINO Roll-7.

    Elements shifted beyond the end move to the front.

    `shift` (a scalar for all axes, or one number for each of `axes`) is positive towards larger positions; shifts of
    an axis that is named several times add up.
    Errors: `operand-rank`, `axis-range`, `roll-shifts` (not as many shifts as axes).
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=2)

    name = "ov.roll"
    SOURCES: ClassVar = Sources(openvino=("Roll", 7))
    CARRIES: ClassVar[tuple[int, ...] | None] = (0,)
    COMPOSITE: ClassVar[bool] = True

    data = operand_def(TENSOR)
    shift = operand_def(TENSOR)
    axes = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axes"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, shift, axes = facts
        for name, fact in (("shift", shift), ("axes", axes)):
            _ = check_rank(check_integer(fact, name), name, 0, 1)
        self.agreed_extents(facts)
        named = integers(axes, "axes")
        if data.rank is not None and named is not None:
            for axis in named:
                _ = normalise_axis(axis, data.rank)
        return [Fact(data.element, data.shape)]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        """One shift is for all axes."""
        count = length(facts[2])
        return as_long(facts, "roll-shifts", {1: "shift"}, count) if facts[1].rank == 1 else None


@irdl_op_definition
class ReverseOp(OvOperation):
    """Elements in the opposite order along axes: OpenVINO Reverse-1.

    `axes` names the axes (`mode = "index"`), or says of each whether it is reversed (`"mask"`, booleans).
    Errors: `element-type`, `axis-range`, `axis-twice`, `attribute-value`, `reverse-mask` (a wrong length).
    """

    name = "ov.reverse"
    SOURCES: ClassVar = Sources(openvino=("Reverse", 1))
    CARRIES: ClassVar[tuple[int, ...] | None] = (0,)
    COMPOSITE: ClassVar[bool] = True

    data = operand_def(TENSOR)
    axes = operand_def(TENSOR)
    mode = opt_prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axes"))

    @property
    def by_mask(self) -> bool:
        """True if the axes are given as a mask.

        Raises `Error("attribute-value")`.
        """
        return choice(self.mode, "mode", ("index", "mask"), "index") == "mask"

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, axes = facts
        if not self.by_mask:
            named = integers(axes, "axes")
            if named is not None and data.rank is not None:
                _ = normalise_axes(named, data.rank)
            return [Fact(data.element, data.shape)]
        check_rank(check_element(axes, "axes", is_boolean, "a boolean"), "axes", 1)
        n = length(axes)
        if n is not None and data.rank is not None and n != data.rank:
            raise Error("reverse-mask", f"the mask has {n} elements for data of rank {data.rank}")
        return [Fact(data.element, data.shape)]


@irdl_op_definition
class ReverseSequenceOp(OvOperation):
    """Reversal of the first elements of each sequence.

    OpenVINO ReverseSequence-0; ONNX ReverseSequence.

    In each slice n of `batch_axis` (default 0) the first `seq_lengths[n]` elements along `seq_axis` (default 1) are
    reversed, the others stay. A length outside of [0, extent] is the run-time error `runtime-index`.
    Errors: `operand-rank`, `axis-range`, `axis-twice`, `element-type`, `reverse-lengths` (not one for each slice); when
    run, `runtime-shape`.
    """

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.reverse_sequence"
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    seq_lengths = operand_def(TENSOR)
    batch_axis = opt_prop_def(IntegerAttr)
    seq_axis = opt_prop_def(IntegerAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents())

    def accepts(self, facts: Sequence[Fact]) -> bool:
        data, lengths = facts
        assert data.shape is not None
        _, sequence = self.axes(len(data.shape))
        return surely_inside(lengths, [data.shape[sequence]], negative=False, end=1)

    def axes(self, rank: int) -> tuple[int, int]:
        """Batch axis and sequence axis. Errors: `axis-range`, `axis-twice`."""
        batch, sequence = normalise_axes([to_int(self.batch_axis, 0), to_int(self.seq_axis, 1)], rank)
        return batch, sequence

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, lengths = facts
        _ = check_rank(check_integer(lengths, "seq_lengths"), "seq_lengths", 1)
        if data.shape is None:
            return [Fact(data.element, None)]
        batch, _ = self.axes(len(data.shape))
        shape = list(data.shape)
        shape[batch] = self.agreed_extents(facts)["batch"]
        return [Fact(data.element, tuple(shape))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        rank = facts[0].rank
        if rank is None:
            return None
        batch, _ = self.axes(rank)
        names = ["batch" if axis == batch else ANY for axis in range(rank)]
        return NamedExtents(
            "reverse-lengths", [NamedOperand(0, "data", names), NamedOperand(1, "seq_lengths", ["batch"])]
        )

    def evaluate(self, data: np.ndarray, seq_lengths: np.ndarray) -> np.ndarray:
        batch, sequence = self.axes(data.ndim)
        extent = data.shape[sequence]
        lengths = as_signed(seq_lengths)
        wrong = lengths[(lengths < 0) | (lengths > extent)]
        if wrong.size:
            raise Error("runtime-index", f"a sequence of {wrong[0]} elements in an extent of {extent}")
        claim((len(lengths), extent), np.dtype(np.int64))
        at = arange(extent)
        places = np.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)  # [batch, sequence]
        if batch > sequence:
            places = places.T
        shape = [data.shape[k] if k in (batch, sequence) else 1 for k in range(data.ndim)]
        return np.take_along_axis(data, places.reshape(shape), sequence)
