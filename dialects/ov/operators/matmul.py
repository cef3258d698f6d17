"""Matrix multiplication."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def

from loomir.dialects.numerics.numeric import wide
from loomir.dialects.ov.attributes import FALSE, to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.shape_rules import (
    broadcast_shapes,
    check_element,
    is_number,
    may_equal,
    same_element,
    show_shapes,
)
from loomir.dialects.ov.sources import Sources
from loomir.dialects.speculation import FailsOnShapes
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


@irdl_op_definition
class MatMulOp(OvOperation):
    """Matrix product over the last two dimensions. OpenVINO MatMul-1, ONNX MatMul-13.

    The other dimensions are broadcast.

    `a: [..., M, K]` (`[..., K, M]` where `transpose_a`), `b: [..., K, N]` (`[..., N, K]` where
    `transpose_b`), result `[..., M, N]`. A 1-D `a` is a row and a 1-D `b` a column, whose dimension is
    missing in the result; transposing a 1-D operand has no effect. Integers wrap around; for K = 0 the result
    is 0.

    Errors: `element-type`, `element-types-differ`, `matmul-shapes`, `broadcast-shapes`.
    """

    name = "ov.mat_mul"
    SOURCES: ClassVar = Sources(openvino=("MatMul", 0))
    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    transpose_a = prop_def(BoolAttr, default_value=FALSE)
    transpose_b = prop_def(BoolAttr, default_value=FALSE)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        a, b = facts
        element = same_element(facts, ("a", "b"))
        check_element(a, "a", is_number, "a number")
        for name, fact in (("a", a), ("b", b)):
            if fact.rank == 0:
                raise Error("matmul-shapes", f"'{name}' is a scalar, expected at least one dimension")
        if a.shape is None or b.shape is None:
            return [Fact(element, None)]
        left: list[Dim] = list(a.shape)
        right: list[Dim] = list(b.shape)
        if to_bool(self.transpose_a) and len(left) > 1:
            left = [*left[:-2], left[-1], left[-2]]
        if to_bool(self.transpose_b) and len(right) > 1:
            right = [*right[:-2], right[-1], right[-2]]
        inner = right[-2] if len(right) > 1 else right[-1]
        if not may_equal(left[-1], inner):
            raise Error(
                "matmul-shapes",
                f"the inner extents {left[-1]} and {inner} differ (shapes {show_shapes([a.shape, b.shape])}, "
                f"transpose_a={to_bool(self.transpose_a)}, transpose_b={to_bool(self.transpose_b)})",
            )
        batch = broadcast_shapes([tuple(left[:-2]), tuple(right[:-2])])
        assert batch is not None
        rows = left[-2:-1]
        columns = right[-1:] if len(right) > 1 else ()
        return [Fact(element, (*batch, *rows, *columns))]

    def evaluate(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if to_bool(self.transpose_a) and a.ndim > 1:
            a = np.swapaxes(a, -1, -2)
        if to_bool(self.transpose_b) and b.ndim > 1:
            b = np.swapaxes(b, -1, -2)
        return np.asarray(np.matmul(wide(a), wide(b))).astype(a.dtype)
