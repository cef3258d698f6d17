"""Unique: what is in a tensor, each once."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr
from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import TRUE, check_index_type
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.parameters import axis_from
from loomir.dialects.ov.shape_rules import check_element, count, is_number_or_boolean


@irdl_op_definition
class UniqueOp(OvOperation):
    """What is in a tensor, each once: OpenVINO Unique-10, ONNX Unique-28.

    Without `axis` (an integer scalar or one element) the elements of the flattened tensor, with it the slices
    across that axis. Results: the unique elements or slices, `sorted` (the default; slices lexicographically)
    or in the order in which they come first; where each comes first; for every element or slice of the
    operand, which unique one it is (1-D); how often each occurs. NaNs are equal and the greatest (numpy).
    `index_element_type` (of the second and third result) and `count_element_type` are i32 or i64 (default).
    Errors: `element-type`, `operand-rank`, `axis-range`; when lowered, `axes-not-constant`.
    """

    name = "ov.unique"

    data = operand_def()
    axis = opt_operand_def()
    sorted = prop_def(BoolAttr, default_value=TRUE)
    index_element_type = prop_def(TypeAttribute, default_value=i64)
    count_element_type = prop_def(TypeAttribute, default_value=i64)
    output = result_def()
    indices = result_def()
    inverse_indices = result_def()
    counts = result_def()
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        check_element(data, "data", is_number_or_boolean, "a number or a boolean")
        index_type = check_index_type(self.index_element_type, "index_element_type")
        count_type = check_index_type(self.count_element_type, "count_element_type")
        shape = data.shape
        if len(facts) == 1:
            total = Dim() if shape is None else count(shape)
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


def _some_of(total: Dim) -> Dim:
    """How many different things there can be among so many."""
    return Dim(min(total.lo, 1), total.hi)
