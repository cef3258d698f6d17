"""Sums and products of all elements up to each one: CumSum, CumProd."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def

from loomir.dialects.numerics.numeric import wide
from loomir.dialects.ov.attributes import FALSE, to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.layouts import AnyOrder, Layout
from loomir.dialects.ov.parameters import axis_from
from loomir.dialects.ov.shape_rules import check_element, is_number, normalise_axis
from loomir.dialects.speculation import FailsOnContents
from loomir.dialects.tensors import TENSOR


class CumulativeOp(OvOperation, ABC):
    """Common base of cumulative operations.

    The result has the shape of data; the axis is one number.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=1)

    FUNCTION: ClassVar[np.ufunc]
    """Function that combines two elements."""

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    axis = operand_def(TENSOR)
    exclusive = prop_def(BoolAttr, default_value=FALSE)
    reverse = prop_def(BoolAttr, default_value=FALSE)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axis"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, axis = facts
        check_element(data, "data", is_number, "a number")
        _ = axis_from(axis, data.rank)
        return [Fact(data.element, data.shape)]

    def evaluate(self, data: np.ndarray, axis: np.ndarray) -> np.ndarray:
        at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
        x = np.moveaxis(wide(data), at, 0)
        if to_bool(self.reverse):
            x = x[::-1]
        made = self.FUNCTION.accumulate(x, axis=0, dtype=x.dtype)
        if to_bool(self.exclusive) and len(made):
            first = np.full_like(made[:1], self.FUNCTION.identity)
            made = np.concatenate([first, made[:-1]])
        if to_bool(self.reverse):
            made = made[::-1]
        return np.moveaxis(made, 0, at).astype(data.dtype)


@irdl_op_definition
class CumSumOp(CumulativeOp):
    """Cumulative sum along an axis. OpenVINO CumSum-3; ONNX CumSum.

    Each result is the sum of the elements up to its position. With `exclusive` it does not include the element itself (the
    first is 0), with `reverse` it accumulates from the end to the front. Sums of f16 and bf16 are kept in f32, integers wrap
    around. Errors: `axis-range`, `operand-rank`, `element-type`.
    """

    name = "ov.cum_sum"
    FUNCTION: ClassVar = np.add


@irdl_op_definition
class CumProdOp(CumulativeOp):
    """Cumulative product along an axis. ONNX CumProd.

    Each result is the product of the elements up to its position. With `exclusive` it does not include the element itself (the
    first is 1), with `reverse` it accumulates from the end to the front. Products of f16 and bf16 are kept in f32, integers wrap
    around. Errors: `axis-range`, `operand-rank`, `element-type`.
    """

    name = "ov.cum_prod"
    FUNCTION: ClassVar = np.multiply
