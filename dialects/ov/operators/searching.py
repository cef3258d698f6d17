"""Search and traversal operations.

SearchSorted finds places by bisection; GatherTree follows beams from parent to parent.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr
from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import dtype_of, i64
from loomir.dialects.numerics.workspace import full
from loomir.dialects.ov.attributes import check_index_type, to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.named_extents import ANY, Named, NamedExtents
from loomir.dialects.ov.parameters import check_one_number
from loomir.dialects.ov.shape_rules import check_element, check_rank, is_number, same_element
from loomir.dialects.ov.sources import Sources
from loomir.dialects.speculation import FailsOnShapes
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


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
        return NamedExtents("search-shapes", [Named(0, "sorted", names), Named(1, "values", names)])

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
        operands = [Named(0, "step_ids", "TBW"), Named(1, "parent_ids", "TBW"), Named(2, "max_seq_len", "B")]
        return NamedExtents(
            "gather-tree-shapes", [*operands, Named(3, "end_token", "1" * (facts[3].rank or 0))]
        )
