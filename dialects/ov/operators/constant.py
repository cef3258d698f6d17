"""Constants, and tensors of zeros and ones by position.

`ov.constant` is a tensor whose contents are known; OneHot and Eye are zeros and ones by position.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import ConstantLike, Pure

from loomir.dialects.attributes import ConstantAttr, constant_array, constant_attr
from loomir.dialects.element_types import TENSOR
from loomir.dialects.numerics import along, as_signed
from loomir.dialects.ov.attributes import choice, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, Dim, Fact, HasContents
from loomir.dialects.ov.inference import check_one_number, dimensions, extent_from, intervals
from loomir.dialects.ov.interfaces import NamedExtents, Sources, one_number
from loomir.dialects.ov.shape_rules import check_integer, normalise_axis, same_element
from loomir.dialects.speculation import FailsOnContents


@irdl_op_definition
class ConstantOp(OvOperation, HasContents):
    """A constant tensor: OpenVINO Const-1, ONNX Constant and initialisers.

    `value` is `dense<…>` (of strings `#ov.strings<…>`) up to a kilobyte and `#ov.blob<…>` above; the result has its type.

    ```mlir
    %0 = ov.constant dense<[1, 2]> : tensor<2xi64> : tensor<2xi64>
    ```
    """

    name = "ov.constant"

    value = prop_def(Attribute)
    output = result_def(TensorType)

    assembly_format = "$value attr-dict `:` type($output)"
    traits = traits_def(ConstantLike(), Pure())

    @staticmethod
    def of(array: np.ndarray) -> ConstantOp:
        """Create a constant that holds this array.

        The array must not be written any more.
        """
        value = constant_attr(array)
        return ConstantOp.build(result_types=[value.type], properties={"value": value})

    @property
    def array(self) -> np.ndarray:
        """The contents, read-only and without a copy."""
        return constant_array(self.value)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        return [Fact.of_array(self.array)]

    def verify_(self) -> None:
        from xdsl.utils.exceptions import VerifyException

        if not isinstance(self.value, ConstantAttr):
            raise VerifyException("value must be dense<…>, #ov.blob<…> or #ov.strings<…>")
        if self.value.type != self.output.type:
            raise VerifyException(f"value has type {self.value.type}, the result {self.output.type}")

    def evaluate(self) -> np.ndarray:
        return self.array


@irdl_op_definition
class OneHotOp(OvOperation):
    """One-hot encoding of indices. OpenVINO OneHot-16 (1); ONNX OneHot.

    The result is `on_value` where an index is the position on the new dimension, else `off_value`.

    The new dimension of extent `depth` is dimension `axis` of the result. `negative_indices_mode`: `"ignore_negative"`
    (default), or `"normalize"`, which counts indices in [-depth, 0) from the end. Other indices beyond the depth yield
    `off_value` everywhere.
    Errors: `axis-range`, `operand-rank`, `element-type`, `element-types-differ`, `attribute-value`.
    """

    name = "ov.one_hot"
    CARRIES: ClassVar[tuple[int, ...] | None] = (2, 3)

    indices = operand_def(TENSOR)
    depth = operand_def(TENSOR)
    on_value = operand_def(TENSOR)
    off_value = operand_def(TENSOR)
    axis = prop_def(IntegerAttr)
    negative_indices_mode = opt_prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("depth"))

    @property
    def normalises(self) -> bool:
        """True if negative indices count from the end.

        Raises `Error("attribute-value")`.
        """
        modes = ("ignore_negative", "normalize")
        mode = choice(self.negative_indices_mode, "negative_indices_mode", modes, "ignore_negative")
        return mode == "normalize"

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        indices, depth, on, off = facts
        _ = check_integer(indices, "indices"), self.normalises
        same_element((on, off), ("on_value", "off_value"))
        for name, fact in (("on_value", on), ("off_value", off)):
            check_one_number(fact, name)
        extent = extent_from(depth, "depth")
        if indices.shape is None:
            return [Fact(on.element, None)]
        axis = normalise_axis(to_int(self.axis), len(indices.shape) + 1)
        return [Fact(on.element, (*indices.shape[:axis], extent, *indices.shape[axis:]))]

    def evaluate(self, indices: np.ndarray, depth: np.ndarray, on: np.ndarray, off: np.ndarray) -> np.ndarray:
        extent = max(0, int(depth.reshape(-1)[0]))
        axis = normalise_axis(to_int(self.axis), indices.ndim + 1)
        wanted = as_signed(indices)
        if self.normalises:
            wanted = np.where(wanted < 0, wanted + extent, wanted)
        places = along(extent, axis, indices.ndim + 1)
        return np.where(np.expand_dims(wanted, axis) == places, on.reshape(()), off.reshape(()))


@irdl_op_definition
class EyeOp(OvOperation):
    """Ones on a diagonal: OpenVINO Eye-9; ONNX EyeLike.

    `num_rows`, `num_columns` and `diagonal_index` (one integer each): element `[i, i + diagonal_index]` is 1. The matrix
    is repeated for the extents of `batch_shape` (1-D, optional). Errors: `operand-rank`, `element-type`.
    """

    name = "ov.eye"
    SOURCES: ClassVar = Sources(openvino=("Eye", 9))
    COMPOSITE: ClassVar[bool] = True

    num_rows = operand_def(TENSOR)
    num_columns = operand_def(TENSOR)
    diagonal_index = operand_def(TENSOR)
    batch_shape = opt_operand_def(TENSOR)
    output_type = prop_def(TypeAttribute)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("num_rows", "num_columns", "batch_shape"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        self.agreed_extents(facts)
        matrix = (extent_from(facts[0], "num_rows"), extent_from(facts[1], "num_columns"))
        _ = extent_from(facts[2], "diagonal_index")
        if len(facts) < 4:
            return [Fact(self.output_type, matrix)]
        batch = intervals(facts[3], "batch_shape", 1)
        n = dimensions(facts[3])
        if n is None:
            return [Fact(self.output_type, None)]
        known = [(0, UNBOUNDED_HIGH)] * n if batch is None else batch
        outer = (Dim(max(lo, 0), None if hi == UNBOUNDED_HIGH else max(hi, 0)) for lo, hi in known)
        return [Fact(self.output_type, (*outer, *matrix))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        return one_number(facts, "operand-rank", {0: "num_rows", 1: "num_columns", 2: "diagonal_index"})
