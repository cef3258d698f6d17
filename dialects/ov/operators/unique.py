"""Unique: what is in a tensor, each once."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr
from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import dtype_of, i64
from loomir.dialects.numerics.numeric import sort_keys
from loomir.dialects.numerics.workspace import arange, full
from loomir.dialects.ov.attributes import TRUE, check_index_type, to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.parameters import axis_from
from loomir.dialects.ov.shape_rules import check_element, is_number_or_boolean, normalise_axis
from loomir.dialects.ov.sources import Sources
from loomir.dialects.tensors import TENSOR


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
