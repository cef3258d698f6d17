"""NonZero: where a tensor's elements are not zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import dtype_of, i64
from loomir.dialects.ov.attributes import check_index_type
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.shape_rules import check_element, is_number_or_boolean
from loomir.dialects.ov.sources import Sources
from loomir.dialects.tensors import TENSOR


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
