"""Order and search: TopK, ArgMax, Unique, NonZero, SearchSorted, GatherTree.

- TopK, ArgMax: the greatest or least elements of an axis;
- Unique: the elements of a tensor, each once;
- NonZero: the positions of a tensor's elements that are not zero;
- SearchSorted finds places by bisection; GatherTree follows beams from parent to parent.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr
from xdsl.ir import TypeAttribute
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

from loomir.dialects.element_types import TENSOR, dtype_of, i32, i64
from loomir.dialects.numerics import arange, full, sort_keys, wide
from loomir.dialects.ov.attributes import FALSE, TRUE, check_index_type, choice, to_bool, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.inference import axis_from, check_one_number, one_interval
from loomir.dialects.ov.interfaces import ANY, AnyOrder, Layout, NamedExtents, NamedOperand, Sources
from loomir.dialects.ov.shape_rules import (
    check_element,
    check_rank,
    is_number,
    is_number_or_boolean,
    normalise_axis,
    same_element,
)
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
from loomir.errors import Error

MAX = StringAttr("max")
VALUE = StringAttr("value")


@irdl_op_definition
class TopKOp(OvOperation):
    """The `k` greatest or least elements along `axis`, and their positions.

    OpenVINO TopK-11 (1, 3), ONNX TopK-24.

    The elements are those of each row along `axis`.

    `k` is an integer scalar or one element, from 0 to the axis's extent. `mode` is `max` or `min`; `sort` is
    the order of the results: `value` (best first), `index` (as in the operand), or `none`, which means
    `value` here. Among equal elements the first is the better one, regardless of `stable`. NaN is less than
    every number (OpenVINO's specification; its CPU plugin and ONNX Runtime have no definite order). The
    second result has `index_element_type` i32 (the default) or i64.
    Errors: `element-type`, `operand-rank`, `axis-range`, `attribute-value`, `top-k-range`; when run,
    `runtime-shape`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axis="axis")

    name = "ov.top_k"
    SOURCES: ClassVar = Sources(openvino=("TopK", 1, 3, 11))

    data = operand_def(TENSOR)
    k = operand_def(TENSOR)
    axis = prop_def(IntegerAttr)
    mode = prop_def(StringAttr, default_value=MAX)
    sort = prop_def(StringAttr, default_value=VALUE)
    stable = prop_def(BoolAttr, default_value=FALSE)
    index_element_type = prop_def(TypeAttribute, default_value=i32)
    output = result_def(TENSOR)
    indices = result_def(TENSOR)
    traits = traits_def(FailsOnContents("k"))

    @property
    def greatest(self) -> bool:
        """True if the greatest elements are selected."""
        return choice(self.mode, "mode", ("max", "min")) == "max"

    @property
    def by_index(self) -> bool:
        """True if the selected elements are ordered by position."""
        return choice(self.sort, "sort", ("value", "index", "none")) == "index"

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, k = facts
        check_element(data, "data", is_number, "a number")
        known = one_interval(k, "k")
        _ = self.greatest, self.by_index
        index_type = check_index_type(self.index_element_type, "index_element_type")
        if data.shape is None:
            return [Fact(data.element, None), Fact(index_type, None)]
        axis = normalise_axis(to_int(self.axis), len(data.shape))
        extent = data.shape[axis]
        chosen = Dim(0, extent.hi)
        if known is not None:
            low, high = known
            if high < 0 or (extent.hi is not None and low > extent.hi):
                raise Error("top-k-range", f"k is {low}, the axis has {extent} elements")
            chosen = Dim(max(low, 0), high if extent.hi is None else min(high, extent.hi))
        shape = (*data.shape[:axis], chosen, *data.shape[axis + 1 :])
        return [Fact(data.element, shape), Fact(index_type, shape)]

    def evaluate(self, data: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        axis = normalise_axis(to_int(self.axis), data.ndim)
        extent, wanted = data.shape[axis], int(k.reshape(-1)[0])
        if not 0 <= wanted <= extent:
            raise Error("runtime-shape", f"k is {wanted}, the axis has {extent} elements")
        rows = np.moveaxis(data, axis, -1)
        # Ascending, NaN first. From the back that is descending; then rows are turned round, so that the first
        # of equal elements comes first in either case.
        turned = rows[..., ::-1] if self.greatest else rows
        numbers, nan = sort_keys(turned)
        order = np.lexsort((numbers, ~nan), axis=-1)
        if self.greatest:
            order = extent - 1 - order[..., ::-1]
        order = order[..., :wanted]
        if self.by_index:
            order = np.sort(order, axis=-1)
        values = np.take_along_axis(rows, order, -1)
        places = order.astype(dtype_of(self.index_element_type))
        return np.moveaxis(values, -1, axis), np.moveaxis(places, -1, axis)


@irdl_op_definition
class ArgMaxOp(OvOperation):
    """Position of the greatest or least element along `axis`.

    ONNX ArgMax-13 and ArgMin-13; not in OpenVINO's set.

    The greatest element is selected with `mode = "max"`, the least with `"min"`, in each row along `axis`.

    Of equal elements it is the first, or the last with `select_last_index`. NaN counts as the selected element (numpy, ONNX's
    reference; ONNX Runtime has no definite rule). With `keep_dims` the axis stays with extent 1, else it is dropped; it must
    not be empty.
    Errors: `element-type`, `axis-range`, `attribute-value`, `empty-axis`; when run, `runtime-shape`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axis="axis")

    name = "ov.arg_max"

    data = operand_def(TENSOR)
    axis = prop_def(IntegerAttr)
    mode = prop_def(StringAttr, default_value=MAX)
    keep_dims = prop_def(BoolAttr, default_value=TRUE)
    select_last_index = prop_def(BoolAttr, default_value=FALSE)
    index_element_type = prop_def(TypeAttribute, default_value=i64)
    indices = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    @property
    def greatest(self) -> bool:
        """True if the greatest element is selected."""
        return choice(self.mode, "mode", ("max", "min")) == "max"

    @property
    def last(self) -> bool:
        """True if the last of equal elements is selected."""
        return to_bool(self.select_last_index)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        (data,) = facts
        check_element(data, "data", is_number, "a number")
        _ = self.greatest
        index_type = check_index_type(self.index_element_type, "index_element_type")
        if data.shape is None:
            return [Fact(index_type, None)]
        axis = normalise_axis(to_int(self.axis), len(data.shape))
        if data.shape[axis].hi == 0:
            raise Error("empty-axis", "an empty axis has no greatest or least element")
        kept = (Dim(1, 1),) if to_bool(self.keep_dims) else ()
        return [Fact(index_type, (*data.shape[:axis], *kept, *data.shape[axis + 1 :]))]

    def evaluate(self, data: np.ndarray) -> np.ndarray:
        axis = normalise_axis(to_int(self.axis), data.ndim)
        extent = data.shape[axis]
        if not extent:
            raise Error("runtime-shape", "an empty axis has no greatest or least element")
        rows = wide(np.flip(data, axis) if self.last else data)
        places = (rows.argmax if self.greatest else rows.argmin)(axis=axis, keepdims=to_bool(self.keep_dims))
        if self.last:
            places = extent - 1 - places
        return np.asarray(places).astype(dtype_of(self.index_element_type))


@irdl_op_definition
class UniqueOp(OvOperation):
    """Unique elements or slices of a tensor. OpenVINO Unique-10, ONNX Unique-28.

    Without `axis` (an integer scalar or one element) they are the elements of the flattened tensor, with it the slices across
    that axis. Results: the unique elements or slices, `sorted` (the default; slices lexicographically) or in the order of their
    first occurrence; the position of each first occurrence; for every element or slice of the operand, the index of its unique
    one (1-D); the number of occurrences of each. NaNs are equal and the greatest (numpy). `index_element_type` (of the second
    and third result) and `count_element_type` are i32 or i64 (default).
    Errors: `element-type`, `operand-rank`, `axis-range`; when lowered, `unknown-axes`.
    """

    name = "ov.unique"
    SOURCES: ClassVar = Sources(openvino=("Unique", 10))

    data = operand_def(TENSOR)
    axis = opt_operand_def(TENSOR)
    sorted = prop_def(BoolAttr, default_value=TRUE)
    index_element_type = prop_def(TypeAttribute, default_value=i64)
    count_element_type = prop_def(TypeAttribute, default_value=i64)
    output = result_def(TENSOR)
    indices = result_def(TENSOR)
    inverse_indices = result_def(TENSOR)
    counts = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        check_element(data, "data", is_number_or_boolean, "a number or a boolean")
        index_type = check_index_type(self.index_element_type, "index_element_type")
        count_type = check_index_type(self.count_element_type, "count_element_type")
        shape = data.shape
        if len(facts) == 1:
            total = data.elements
            found = _some_of(total)
            output = Fact(data.element, (found,))
        else:
            axis = axis_from(facts[1], data.rank)
            if shape is None or axis is None:
                total = found = Dim()
                output = Fact(data.element, None if shape is None else (Dim(),) * len(shape))
            else:
                total = shape[axis]
                found = _some_of(total)
                output = Fact(data.element, (*shape[:axis], found, *shape[axis + 1 :]))
        return [output, Fact(index_type, (found,)), Fact(index_type, (total,)), Fact(count_type, (found,))]

    def evaluate(self, data: np.ndarray, *axes: np.ndarray) -> tuple[np.ndarray, ...]:
        if axes:
            axis = normalise_axis(int(axes[0].reshape(-1)[0]), data.ndim)
            slices = np.moveaxis(data, axis, 0)
            items = slices.reshape(slices.shape[0], prod(slices.shape[1:]))
        else:
            slices = data.reshape(-1)
            axis, items = 0, slices.reshape(-1, 1)
        numbers, nan = sort_keys(items)
        # No items may have more columns than there is room for.
        columns = range(items.shape[1]) if items.size else ()
        keys = [key for column in reversed(columns) for key in (numbers[:, column], nan[:, column])]
        count = len(items)
        order = np.lexsort(keys) if keys else arange(count)
        same = (numbers[order[1:]] == numbers[order[:-1]]) & (nan[order[1:]] == nan[order[:-1]])
        group_of_sorted = np.cumsum(np.concatenate([full((min(count, 1),), 0, np.bool_), ~same.all(axis=1)]))
        group = full((count,), 0, np.int64)
        group[order] = group_of_sorted
        # Sorting is stable: the first of a group is where it comes first.
        first = order[np.flatnonzero(np.diff(group_of_sorted, prepend=-1))]
        counts = np.bincount(group, minlength=len(first))
        if not to_bool(self.sorted):
            appearance = np.argsort(first)
            rank = np.empty_like(appearance)
            rank[appearance] = arange(len(first))
            first, counts, group = first[appearance], counts[appearance], rank[group]
        index_type, count_type = dtype_of(self.index_element_type), dtype_of(self.count_element_type)
        found = np.moveaxis(slices[first], 0, axis)
        return found, first.astype(index_type), group.astype(index_type), counts.astype(count_type)


def _some_of(total: Dim) -> Dim:
    """How many different things there can be among so many."""
    return Dim(min(total.lo, 1), total.hi)


@irdl_op_definition
class NonZeroOp(OvOperation):
    """Coordinates of all nonzero elements. OpenVINO NonZero-3, ONNX NonZero-13.

    They are in row-major order; NaN and true count as nonzero.

    The result `[rank, number of elements]` has a row for each dimension of the operand, of `output_type` i64
    (the default) or i32. A scalar counts as `[1]` (as in OpenVINO and ONNX Runtime; the importer produces the
    `[0, number]` of ONNX's specification from it). Errors: `element-type`.
    """

    name = "ov.non_zero"
    SOURCES: ClassVar = Sources(openvino=("NonZero", 3))

    data = operand_def(TENSOR)
    output_type = prop_def(TypeAttribute, default_value=i64)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        type_ = check_index_type(self.output_type, "output_type")
        check_element(facts[0], "data", is_number_or_boolean, "a number or a boolean")
        shape = facts[0].shape
        if shape is None:
            return [Fact(type_, (Dim(1), Dim()))]
        rank = max(len(shape), 1)
        return [Fact(type_, (Dim(rank, rank), Dim(0, facts[0].elements.hi)))]

    def evaluate(self, data: np.ndarray) -> np.ndarray:
        return np.stack(np.nonzero(np.atleast_1d(data) != 0)).astype(dtype_of(self.output_type))


@irdl_op_definition
class SearchSortedOp(OvOperation):
    """Where values belong in sorted sequences: OpenVINO SearchSorted-15.

    `sorted[…, n]` increases along its last dimension; `values[…, m]` has the same outer dimensions, or `sorted` is 1-D.
    The result, of the shape of `values` and of `output_type` i64 (the default) or i32, is the number of elements that
    are less than the value, or with `right_mode` not greater (all of them for NaN). Of what is not sorted the result is
    that of bisection. Errors: `element-type`, `element-types-differ`, `operand-rank`, `search-shapes`; when run,
    `runtime-shape`.
    """

    name = "ov.search_sorted"
    SOURCES: ClassVar = Sources(openvino=("SearchSorted", 15))

    sorted = operand_def(TENSOR)
    values = operand_def(TENSOR)
    right_mode = opt_prop_def(BoolAttr)
    output_type = prop_def(TypeAttribute, default_value=i64)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    @property
    def right(self) -> bool:
        """True if equal elements count."""
        return to_bool(self.right_mode, False)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        ordered, values = facts
        _ = same_element(facts, ("sorted", "values"))
        check_element(ordered, "sorted", is_number, "a number")
        check_index_type(self.output_type, "output_type")
        if ordered.rank == 0:
            raise Error("operand-rank", "sorted must have at least one dimension")
        self.agreed_extents(facts)
        return [Fact(self.output_type, values.shape)]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        rank = facts[0].rank
        if rank is None or rank < 2:
            return None
        names = [*(f"dimension {k}" for k in range(rank - 1)), ANY]
        return NamedExtents(
            "search-shapes", [NamedOperand(0, "sorted", names), NamedOperand(1, "values", names)]
        )

    def evaluate(self, ordered: np.ndarray, values: np.ndarray) -> np.ndarray:
        n = ordered.shape[-1]
        count = prod(ordered.shape[:-1])
        rows = ordered.reshape(count, n)
        wanted = values.reshape(count, values.size // max(count, 1))
        low, high = full(wanted.shape, 0, np.int64), full(wanted.shape, n, np.int64)
        for _ in range(n.bit_length()):
            middle = (low + high) // 2
            there = np.take_along_axis(rows, np.minimum(middle, n - 1), 1)
            behind = ~(wanted < there) if self.right else there < wanted
            active = low < high
            low, high = np.where(active & behind, middle + 1, low), np.where(active & ~behind, middle, high)
        return low.reshape(values.shape).astype(dtype_of(self.output_type))


@irdl_op_definition
class GatherTreeOp(OvOperation):
    """Whole beams from step ids and parent beams. OpenVINO GatherTree-1.

    `step_ids[T, B, W]`, `parent_ids[T, B, W]`, `max_seq_len[B]`, `end_token` (one number), all of one type. From step
    `min(T, max_seq_len[b]) - 1` back to 0 a beam takes the id at its parent; behind the first end token, and behind its
    length, it has end tokens. A parent outside of [-W, W) that is followed is the error `runtime-index`.
    Errors: `element-type`, `element-types-differ`, `operand-rank`, `gather-tree-shapes`; when run, `runtime-shape`.
    """

    name = "ov.gather_tree"
    SOURCES: ClassVar = Sources(openvino=("GatherTree", 1))
    COMPOSITE: ClassVar[bool] = True

    step_ids = operand_def(TENSOR)
    parent_ids = operand_def(TENSOR)
    max_seq_len = operand_def(TENSOR)
    end_token = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        steps, parents, lengths, end = facts
        element = same_element(facts, ("step_ids", "parent_ids", "max_seq_len", "end_token"))
        check_element(steps, "step_ids", is_number, "a number")
        for fact, name, *ranks in (
            (steps, "step_ids", 3),
            (parents, "parent_ids", 3),
            (lengths, "max_seq_len", 1),
        ):
            _ = check_rank(fact, name, *ranks)
        check_one_number(end, "end_token")
        agreed = self.agreed_extents(facts)
        return [Fact(element, tuple(agreed.get(name, Dim()) for name in "TBW"))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        operands = [
            NamedOperand(0, "step_ids", "TBW"),
            NamedOperand(1, "parent_ids", "TBW"),
            NamedOperand(2, "max_seq_len", "B"),
        ]
        return NamedExtents(
            "gather-tree-shapes", [*operands, NamedOperand(3, "end_token", "1" * (facts[3].rank or 0))]
        )
