"""From a tensor to a sequence of its parts and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from xdsl.dialects.builtin import BoolAttr, IntegerAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import TENSOR
from loomir.dialects.ov.attributes import to_bool, to_int
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, Dim, Fact, Shape
from loomir.dialects.ov.inference import intervals, length
from loomir.dialects.ov.shape_rules import check_integer, check_rank, normalise_axis
from loomir.dialects.ovseq import SeqOperation
from loomir.dialects.ovseq.types import (
    ITEM_LIMIT,
    AnyFact,
    SequenceFact,
    SequenceType,
    sequence_fact,
    tensor_fact,
)
from loomir.errors import Error


@irdl_op_definition
class SplitOp(SeqOperation):
    """Split of a tensor along `axis` into a sequence.

    ONNX SplitToSequence-24 (11). `axis` defaults to 0 and may be negative.

    `split` is a scalar, the extent of every part but the last, which may be smaller; or 1-D, the extent of each part; or
    absent: the extent is 1, and then `keepdims = false` removes the axis (otherwise the axis stays). An axis of extent 0 has no
    parts unless `split` is 1-D. Errors: `axis-range`, `operand-rank`, `element-type`, `split-size` (a scalar below 1, a negative
    extent, extents that do not add up to the axis); at run time, `runtime-shape`.
    """

    name = "ovseq.split"

    data = operand_def(TENSOR)
    split = opt_operand_def(TENSOR)
    axis = opt_prop_def(IntegerAttr)
    keepdims = opt_prop_def(BoolAttr)
    output = result_def(SequenceType)
    traits = traits_def(NoMemoryEffect())

    @property
    def removes_axis(self) -> bool:
        """True if the parts lack the axis."""
        return self.split is None and not to_bool(self.keepdims, True)

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        data = tensor_fact(facts[0])
        split = tensor_fact(facts[1]) if len(facts) > 1 else None
        if split is not None:
            check_rank(check_integer(split, "split"), "split", 0, 1)
        if data.shape is None:
            count = Dim()
            if split is not None and split.rank == 1 and (n := length(split)) is not None:
                count = Dim(n, n)
            return [SequenceFact.of(Fact(data.element, None), count)]
        axis = normalise_axis(to_int(self.axis, 0), len(data.shape))
        extent = data.shape[axis]
        sizes, count = _parts(extent, split)
        if isinstance(sizes, list):
            return [SequenceFact.of_items(data.element, (self._part(data, axis, s) for s in sizes))]
        return [SequenceFact.of(self._part(data, axis, sizes), count)]

    def _part(self, data: Fact, axis: int, size: Dim) -> Fact:
        assert data.shape is not None
        middle = () if self.removes_axis else (size,)
        return Fact(data.element, (*data.shape[:axis], *middle, *data.shape[axis + 1 :]))

    def evaluate(self, data: np.ndarray, split: np.ndarray | None = None) -> list[np.ndarray]:
        axis = normalise_axis(to_int(self.axis, 0), data.ndim)
        extent = data.shape[axis]
        if split is None or split.ndim == 0:
            size = 1 if split is None else int(split)
            if size < 1:
                raise Error("runtime-shape", f"an axis cannot be split into parts of extent {size}")
            ends = [min(at + size, extent) for at in range(0, extent, size)]
        else:
            if (split < 0).any() or sum(split.tolist()) != extent:
                raise Error(
                    "runtime-shape", f"parts of {split.tolist()} do not make up an axis of extent {extent}"
                )
            ends = [int(e) for e in np.cumsum(split, dtype=np.int64)]
        parts: list[np.ndarray] = []
        for begin, end in zip([0, *ends], ends):
            index: list[slice | int] = [slice(None)] * data.ndim
            index[axis] = begin if self.removes_axis else slice(begin, end)
            parts.append(np.asarray(data[tuple(index)]))
        return parts


def _parts(extent: Dim, split: Fact | None) -> tuple[list[Dim] | Dim, Dim]:
    """Return the extents of the parts and the number of parts.

    The extents are one per part, or a single one for all parts if the parts are not known individually.
    """
    if split is None or split.rank == 0:
        return _equal_parts(extent, split)
    if split.rank is None:
        return Dim(0, extent.hi), Dim()
    n = length(split)
    known = intervals(split, "split")
    if known is None or n is None:
        return Dim(0, extent.hi), split.shape[0] if split.shape else Dim()
    for index, (_, high) in enumerate(known):
        if high < 0:
            raise Error("split-size", f"the extent of part {index} is {high}")
    sizes = [Dim(max(lo, 0), None if hi == UNBOUNDED_HIGH else hi) for lo, hi in known]
    total = reduce(Dim.__add__, sizes, Dim(0, 0))
    if total.meet(extent) is None:
        raise Error("split-size", f"parts of {total} elements do not make up an axis of extent {extent}")
    if n > ITEM_LIMIT:
        return reduce(Dim.join, sizes), Dim(n, n)
    return sizes, Dim(n, n)


def _equal_parts(extent: Dim, split: Fact | None) -> tuple[list[Dim] | Dim, Dim]:
    low = high = 1
    if split is not None:
        known = intervals(split, "split")
        low, high = known[0] if known else (1, UNBOUNDED_HIGH)
        if high < 1:
            raise Error("split-size", f"the extent of each part is {high}")
        low = max(low, 1)
    count = Dim(-(-extent.lo // high), None if extent.hi is None else -(-extent.hi // low))
    whole = extent.static
    if whole is not None and low == high and count.lo <= ITEM_LIMIT:
        return [Dim(n, n) for n in (min(low, whole - at) for at in range(0, whole, low))], count
    largest = min((n for n in (high, extent.hi) if n not in (None, UNBOUNDED_HIGH)), default=None)
    # Every part has an element; those of a scalar that surely divides the extent are all alike.
    smallest = low if low == high and whole is not None and whole % low == 0 else 1
    if largest is not None and largest < smallest:
        return Dim(0, 0), count
    return Dim(smallest, largest), count


@irdl_op_definition
class ConcatOp(SeqOperation):
    """Concatenation or stacking of a sequence's elements. ONNX ConcatFromSequence-11.

    The elements are concatenated along `axis`, or stacked along a new axis with `new_axis`.

    All elements must have one rank r and equal extents in all dimensions but `axis`, with `new_axis` in all. `axis` is in
    [-r, r - 1], with `new_axis` in [-r - 1, r]. Errors: `axis-range`, `concat-shape` (ranks or extents that certainly differ); at
    run time, `runtime-shape`, also for an empty sequence.
    """

    name = "ovseq.concat"

    sequence = operand_def(SequenceType)
    axis = opt_prop_def(IntegerAttr)
    new_axis = opt_prop_def(BoolAttr)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    @property
    def stacks(self) -> bool:
        """True if the elements are stacked along a new axis."""
        return to_bool(self.new_axis, False)

    def normalised_axis(self, rank: int) -> int:
        """The axis in the result, for elements of this rank. `Error("axis-range")`."""
        return normalise_axis(to_int(self.axis, 0), rank + 1 if self.stacks else rank)

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        sequence = sequence_fact(facts[0])
        items = sequence.items
        shapes = [f.shape for f in items or () if f.shape is not None]
        if len({len(s) for s in shapes}) > 1:
            raise Error(
                "concat-shape", f"the elements have different ranks {sorted({len(s) for s in shapes})}"
            )
        if not shapes and sequence.element.shape is not None:
            shapes = [sequence.element.shape]
        if not shapes:
            return [Fact(sequence.element_type, None)]
        rank = len(shapes[0])
        axis = self.normalised_axis(rank)
        common: list[Dim] = list(shapes[0])
        for shape in shapes[1:]:
            for d in range(rank):
                if d == axis and not self.stacks:
                    continue
                met = common[d].meet(shape[d])
                if met is None:
                    raise Error(
                        "concat-shape",
                        f"the elements have extents {common[d]} and {shape[d]} in dimension {d}",
                    )
                common[d] = met
        if self.stacks:
            return [Fact(sequence.element_type, (*common[:axis], sequence.length, *common[axis:]))]
        if items is not None and len(shapes) == len(items):
            total = reduce(Dim.__add__, (s[axis] for s in shapes))
        elif items is None:
            total = common[axis] * sequence.length
        else:
            total = Dim()
        common[axis] = total
        shape: Shape = tuple(common)
        return [Fact(sequence.element_type, shape)]

    def evaluate(self, sequence: list[np.ndarray]) -> np.ndarray:
        if not sequence:
            raise Error("runtime-shape", "an empty sequence cannot be put together")
        ranks = sorted({a.ndim for a in sequence})
        if len(ranks) > 1:
            raise Error("runtime-shape", f"the elements of the sequence have different ranks {ranks}")
        axis = self.normalised_axis(ranks[0])
        try:
            return np.stack(sequence, axis) if self.stacks else np.concatenate(sequence, axis)
        except ValueError:
            shapes = ", ".join(str(list(a.shape)) for a in sequence[:4])
            raise Error(
                "runtime-shape", f"elements of shapes {shapes} … cannot be put together on axis {axis}"
            ) from None
