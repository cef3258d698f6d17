"""Gathering of elements by indices, and reductions of gathered rows.

Gather (along an axis), GatherElements (one index for each element), GatherND (tuples of indices).

Sums and means of bags of table rows: EmbeddingBagOffsets, EmbeddingBagPacked, EmbeddingSegmentsSum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import TENSOR, zeros
from loomir.dialects.numerics import along, arange, as_signed, full, positions
from loomir.dialects.ov.attributes import choice, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, is_tracked
from loomir.dialects.ov.inference import (
    axis_from,
    check_one_number,
    extent_from,
    surely_inside,
    surely_on_axis,
)
from loomir.dialects.ov.interfaces import ANY, AnyOrder, Layout, NamedExtents, NamedOperand, Sources
from loomir.dialects.ov.shape_rules import (
    broadcast_dim,
    check_element,
    check_integer,
    check_rank,
    is_number,
    join_all,
    normalise_axis,
    same_element,
)
from loomir.dialects.speculation import FailsOnContents
from loomir.errors import Error


@irdl_op_definition
class GatherOp(OvOperation):
    """Slices of `data` along `axis`, selected by `indices`.

    OpenVINO Gather-8 (7, 1); ONNX Gather.

    The result of `data[d0 … d(axis-1), da, …]` and `indices[i0 … i(n-1)]` is
    `[d0 … d(axis-1), i(batch_dims) … i(n-1), d(axis+1) …]`: the first `batch_dims` dimensions belong together. `axis` is a
    scalar or has one element, and may be negative; negative indices count from the end. `batch_dims` (default 0) may be
    negative: it counts from the rank of the indices.

    `out_of_range` specifies the result for an index outside of [-extent, extent): `"zero"`, a zero (OpenVINO, the default), or
    `"error"`, the run-time error `runtime-index` (ONNX).
    Errors: `gather-batch-dims` (out of range, beyond axis, or the batches differ), `axis-range`,
    `attribute-value`.
    """

    name = "ov.gather"
    SOURCES: ClassVar = Sources(openvino=("Gather", 1, 7, 8), own=("out_of_range",))
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    axis = operand_def(TENSOR)
    batch_dims = opt_prop_def(IntegerAttr)
    out_of_range = opt_prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axis"))

    def accepts(self, facts: Sequence[Fact]) -> bool:
        if not self.checks_indices:
            return True
        data, indices, axis = facts
        return surely_on_axis(data, axis, indices)

    @property
    def checks_indices(self) -> bool:
        """True if an index out of range is an error."""
        return choice(self.out_of_range, "out_of_range", ("zero", "error"), "zero") == "error"

    def batches(self, indices_rank: int) -> int:
        """The number of batch dimensions. `Error("gather-batch-dims")`."""
        dims = to_int(self.batch_dims, 0)
        if not -indices_rank <= dims <= indices_rank:
            raise Error(
                "gather-batch-dims", f"batch_dims {dims} is out of range for indices of rank {indices_rank}"
            )
        return dims + indices_rank if dims < 0 else dims

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, indices, axis_fact = facts
        check_integer(indices, "indices")
        checked = self.checks_indices
        check_one_number(check_integer(axis_fact, "axis"), "axis")
        if indices.shape is None or data.shape is None:
            return [Fact(data.element, None)]
        batches = self.batches(len(indices.shape))
        if not data.shape:
            raise Error("operand-rank", "data of Gather must have at least one dimension")
        axis = axis_from(axis_fact, len(data.shape))
        if axis is None:
            any_of = join_all((*data.shape, *indices.shape))
            return [Fact(data.element, (any_of,) * (len(data.shape) + len(indices.shape) - 1 - batches))]
        if batches > axis:
            raise Error("gather-batch-dims", f"batch_dims {batches} exceeds axis {axis}")
        common = self.agreed_extents(facts).values()
        shape = (*common, *data.shape[batches:axis], *indices.shape[batches:], *data.shape[axis + 1 :])
        result = Fact(data.element, shape)
        extents = result.static
        bounds = data.bounds
        if indices.value is not None or bounds is None or not bounds[0].size:
            return [result]
        if extents is None or not is_tracked(extents):
            return [result]
        # Whatever the indices are, the elements are some of data's (or 0).
        low, high = int(bounds[0].min()), int(bounds[1].max())
        if not checked:
            low, high = min(low, 0), max(high, 0)
        return [Fact.of_ints(data.element, full(extents, low, np.int64), full(extents, high, np.int64))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        data, indices = facts[0].rank, facts[1].rank
        if data is None or indices is None:
            return None
        names = [f"batch dimension {i}" for i in range(self.batches(indices))]
        operands = ((0, "data", data), (1, "indices", indices))
        return NamedExtents(
            "gather-batch-dims",
            [NamedOperand(i, what, [*names, *([ANY] * (rank - len(names)))]) for i, what, rank in operands],
        )

    def evaluate(self, data: np.ndarray, indices: np.ndarray, axis: np.ndarray) -> np.ndarray:
        at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
        batches = self.batches(indices.ndim)
        extent = data.shape[at]
        wanted = as_signed(indices)
        inside = (wanted >= -extent) & (wanted < extent)
        if self.checks_indices and not inside.all():
            first = int(wanted[~inside].reshape(-1)[0])
            raise Error("runtime-index", f"index {first} is out of range for extent {extent}")
        shape = data.shape[:at] + indices.shape[batches:] + data.shape[at + 1 :]
        if not extent or not prod(shape):
            return zeros(shape, data.dtype)
        places = np.where(inside, wanted + extent * (wanted < 0), 0)
        outer = prod(data.shape[:batches])
        middle = prod(data.shape[batches:at])
        inner = prod(data.shape[at + 1 :])
        source = data.reshape(outer, middle, extent, inner)
        flat = places.reshape(outer, -1)
        picked = source[arange(outer)[:, None], :, flat]  # [outer, positions, middle, inner]
        picked = np.where(inside.reshape(outer, -1)[:, :, None, None], picked, zeros((), data.dtype))
        return picked.transpose(0, 2, 1, 3).reshape(shape)


@irdl_op_definition
class GatherElementsOp(OvOperation):
    """One element of `axis` for each index: OpenVINO GatherElements-6; ONNX GatherElements.

    `data` and `indices` have one rank of at least 1, and the result has the shape of `indices`, which is not larger than
    `data` but for `axis`: in three dimensions with axis 1, `out[i][j][k] = data[i][indices[i][j][k]][k]`. Negative
    indices count from the end. An index outside of [-extent, extent) is the error `runtime-index` when it is run.
    Errors: `operand-rank`, `axis-range`, `gather-elements-shape`, `element-type`; when run, `runtime-shape`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder((0, 1), axis="axis")

    SIZED_AS: ClassVar[tuple[int, ...]] = (1,)
    name = "ov.gather_elements"
    SOURCES: ClassVar = Sources(openvino=("GatherElements", 6))
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    axis = prop_def(IntegerAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents())

    def accepts(self, facts: Sequence[Fact]) -> bool:
        data, indices = facts
        assert data.shape is not None
        return surely_inside(indices, [data.shape[normalise_axis(to_int(self.axis), len(data.shape))]])

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, indices = facts
        check_integer(indices, "indices")
        known = [f.shape for f in facts if f.shape is not None]
        if not known:
            return [Fact(data.element, None)]
        rank = len(known[0])
        if not rank or any(len(shape) != rank for shape in known):
            ranks = " and ".join(str(len(shape)) for shape in known)
            raise Error("operand-rank", f"data and indices must have one rank of at least 1, not {ranks}")
        axis = normalise_axis(to_int(self.axis), rank)
        if indices.shape is None:
            assert data.shape is not None
            limits = (Dim(0, None if i == axis else d.hi) for i, d in enumerate(data.shape))
            return [Fact(data.element, tuple(limits))]
        if data.shape is None:
            return [Fact(data.element, indices.shape)]
        for i, (d, n) in enumerate(zip(data.shape, indices.shape)):
            if i != axis and d.hi is not None and n.lo > d.hi:
                raise Error(
                    "gather-elements-shape", f"dimension {i} has extent {n} in indices, but {d} in data"
                )
        return [Fact(data.element, indices.shape)]

    def evaluate(self, data: np.ndarray, indices: np.ndarray) -> np.ndarray:
        axis = normalise_axis(to_int(self.axis), data.ndim)
        if any(n > d for i, (d, n) in enumerate(zip(data.shape, indices.shape)) if i != axis):
            raise Error(
                "runtime-shape",
                f"indices {indices.shape} are larger than data {data.shape} beside axis {axis}",
            )
        places = positions(indices, data.shape[axis])
        own = [along(n, i, data.ndim) for i, n in enumerate(indices.shape)]
        return data[tuple(places if i == axis else own[i] for i in range(data.ndim))]


@irdl_op_definition
class GatherNDOp(OvOperation):
    """Slices of `data` selected by tuples of indices.

    OpenVINO GatherND-8 (5); ONNX GatherND.

    The last dimension of `indices`, of extent k, holds the tuples; the first `batch_dims` dimensions belong together
    (one side may have extent 1 there). The result is
    `indices.shape[:-1] + data.shape[batch_dims + k:]`. Negative indices count from the end; one outside of
    [-extent, extent) is the run-time error `runtime-index`.
    Errors: `operand-rank`, `gather-batch-dims`, `gather-nd-depth` (longer tuples than data has dimensions),
    `element-type`; when run, `runtime-shape`.
    """

    name = "ov.gather_nd"
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    batch_dims = opt_prop_def(IntegerAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents())

    def accepts(self, facts: Sequence[Fact]) -> bool:
        data, indices = facts
        assert data.shape is not None
        assert indices.shape is not None
        batches, depth = to_int(self.batch_dims, 0), indices.shape[-1].lo
        return depth == 0 or surely_inside(indices, data.shape[batches : batches + depth])

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, indices = facts
        check_integer(indices, "indices")
        for name, fact in (("data", data), ("indices", indices)):
            if fact.rank == 0:
                raise Error("operand-rank", f"{name} of GatherND must have at least one dimension")
        batches = to_int(self.batch_dims, 0)
        if batches < 0 or any(f.rank is not None and batches >= f.rank for f in facts):
            raise Error(
                "gather-batch-dims", f"batch_dims {batches} is not below the ranks of data and indices"
            )
        if data.shape is None or indices.shape is None:
            return [Fact(data.element, None)]
        common: list[Dim] = []
        for i in range(batches):
            both = broadcast_dim(data.shape[i], indices.shape[i])
            if both is None:
                raise Error(
                    "gather-batch-dims",
                    f"batch dimension {i} has extent {data.shape[i]} in data, {indices.shape[i]} in indices",
                )
            common.append(both)
        depth = indices.shape[-1]
        if depth.lo > len(data.shape) - batches:
            raise Error(
                "gather-nd-depth",
                f"tuples of {depth} indices are too long for data of rank {len(data.shape)}"
                + (f" with {batches} batch dimensions" if batches else ""),
            )
        if depth.static is None:
            return [Fact(data.element, None)]
        shape = (*common, *indices.shape[batches:-1], *data.shape[batches + depth.static :])
        return [Fact(data.element, shape)]

    def evaluate(self, data: np.ndarray, indices: np.ndarray) -> np.ndarray:
        batches, depth = to_int(self.batch_dims, 0), indices.shape[-1]
        try:
            common = np.broadcast_shapes(data.shape[:batches], indices.shape[:batches])
        except ValueError:
            raise Error(
                "runtime-shape", f"the batches {data.shape[:batches]} and {indices.shape[:batches]} differ"
            ) from None
        data = np.broadcast_to(data, (*common, *data.shape[batches:]))
        indices = np.broadcast_to(indices, (*common, *indices.shape[batches:]))
        rank = indices.ndim - 1
        own = [along(n, i, rank) for i, n in enumerate(common)]
        picked = [positions(indices[..., c], data.shape[batches + c]) for c in range(depth)]
        if not own and not picked:
            return np.broadcast_to(data, (*indices.shape[:-1], *data.shape)).copy()
        result = data[(*own, *picked)]
        return np.broadcast_to(result, (*indices.shape[:-1], *data.shape[batches + depth :])).copy()


class EmbeddingOperation(OvOperation):
    """Common base of embedding operations.

    The operands are a table, indices into it and perhaps weights.
    """

    INDEX_RANK: ClassVar[int] = 1

    def means(self, weighted: bool) -> bool:
        """Return True if the rows of a bag are averaged.

        Errors: `attribute-value`, `embedding-weights`.
        """
        mean = choice(getattr(self, "reduction", None), "reduction", ("sum", "mean"), "sum") == "mean"
        if mean and weighted:
            raise Error("embedding-weights", "there are weights, which a mean does not have")
        return mean

    def result(self, table: Fact, bags: Dim) -> list[Fact]:
        """A row for each bag. Errors: `operand-rank`, `element-type`."""
        check_element(table, "emb_table", is_number, "a number")
        if table.rank == 0:
            raise Error("operand-rank", "emb_table must have at least one dimension")
        return [Fact(table.element, None if table.shape is None else (bags, *table.shape[1:]))]

    def check_extents(self, facts: Sequence[Fact]) -> None:
        """Errors: `element-types-differ`, `embedding-shapes` (not one weight, or segment, for each index)."""
        weights = self.weights(facts)
        if weights is not None:
            same_element((facts[0], facts[weights]), ("emb_table", "per_sample_weights"))
        self.agreed_extents(facts)

    def weights(self, facts: Sequence[Fact]) -> int | None:
        """Return the index of the weights operand, or None.

        The weights are the last operand, if present.
        """
        return None if len(facts) < len(self.get_irdl_definition().operands) else len(facts) - 1

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        names = ["batch", "n"][-self.INDEX_RANK :]
        operands = [NamedOperand(1, "indices", names)]
        weights = self.weights(facts)
        if weights is not None:
            operands.append(NamedOperand(weights, "per_sample_weights", names))
        return NamedExtents("embedding-shapes", operands)


@irdl_op_definition
class EmbeddingBagOffsetsOp(EmbeddingOperation):
    """Bags of indices that begin at offsets: OpenVINO EmbeddingBagOffsets-15, EmbeddingBagOffsetsSum-3.

    `emb_table[num_emb, …]`, `indices[n]`, `offsets[batch]` (not decreasing, the first one 0). Row b of the result is the
    sum (`reduction = "sum"`, the default) or the mean of the table's rows at `indices[offsets[b]:offsets[b + 1]]`, each
    times its weight. An empty bag gives row `default_index`, or zeros where that is -1. Sums of f16 and bf16
    are kept in f32. An index outside of the table is the error `runtime-index` when it is run.
    Errors: `element-type`, `element-types-differ`, `operand-rank`, `attribute-value`, `embedding-weights`,
    `embedding-shapes`; when run, `runtime-shape`.
    """

    name = "ov.embedding_bag_offsets"
    COMPOSITE: ClassVar[bool] = True

    emb_table = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    offsets = operand_def(TENSOR)
    default_index = operand_def(TENSOR)
    per_sample_weights = opt_operand_def(TENSOR)
    reduction = opt_prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        table, indices, offsets, default, *rest = facts
        for name, fact in (("indices", indices), ("offsets", offsets)):
            _ = check_rank(check_integer(fact, name), name, 1)
        _ = extent_from(default, "default_index")
        _ = self.means(bool(rest))
        self.check_extents(facts)
        return self.result(table, Dim() if offsets.shape is None else offsets.shape[0])


@irdl_op_definition
class EmbeddingBagPackedOp(EmbeddingOperation):
    """Bags of equally many indices: OpenVINO EmbeddingBagPacked-15, EmbeddingBagPackedSum-3.

    `emb_table[num_emb, …]`, `indices[batch, n]`; otherwise as EmbeddingBagOffsets.
    Errors: `element-type`, `element-types-differ`, `operand-rank`, `attribute-value`, `embedding-weights`,
    `embedding-shapes`; when run, `runtime-shape`.
    """

    name = "ov.embedding_bag_packed"
    SOURCES: ClassVar = Sources(openvino=("EmbeddingBagPacked", 15))
    COMPOSITE: ClassVar[bool] = True
    INDEX_RANK: ClassVar[int] = 2

    emb_table = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    per_sample_weights = opt_operand_def(TENSOR)
    reduction = opt_prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        table, indices, *rest = facts
        _ = check_rank(check_integer(indices, "indices"), "indices", 2)
        _ = self.means(bool(rest))
        self.check_extents(facts)
        return self.result(table, Dim() if indices.shape is None else indices.shape[0])


@irdl_op_definition
class EmbeddingSegmentsSumOp(EmbeddingOperation):
    """Sums of table rows by segment: OpenVINO EmbeddingSegmentsSum-3.

    `emb_table[num_emb, …]`, `indices[n]`, `segment_ids[n]`; row s of the `num_segments` rows of the result is the sum of
    the rows at the indices whose segment is s, each times its weight; empty segments as in EmbeddingBagOffsets. A
    segment beyond their number is the error `runtime-index` when it is run.
    Errors: `element-type`, `element-types-differ`, `operand-rank`, `embedding-shapes`; when run, `runtime-shape`.
    """

    name = "ov.embedding_segments_sum"
    COMPOSITE: ClassVar[bool] = True

    emb_table = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    segment_ids = operand_def(TENSOR)
    num_segments = operand_def(TENSOR)
    default_index = operand_def(TENSOR)
    per_sample_weights = opt_operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        table, indices, segments, number, default = facts[:5]
        for name, fact in (("indices", indices), ("segment_ids", segments)):
            _ = check_rank(check_integer(fact, name), name, 1)
        bags = extent_from(number, "num_segments")
        _ = extent_from(default, "default_index")
        self.check_extents(facts)
        return self.result(table, bags)

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        named = super().named_extents(facts)
        return replace(named, operands=[*named.operands, NamedOperand(2, "segment_ids", "n")])
