"""The greatest or least elements of an axis: TopK, ArgMax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr
from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def

from loomir.dialects.element_types import dtype_of, i32, i64
from loomir.dialects.numerics.numeric import sort_keys, wide
from loomir.dialects.ov.attributes import FALSE, TRUE, check_index_type, choice, to_bool, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layouts import AnyOrder, Layout
from loomir.dialects.ov.parameters import one_interval
from loomir.dialects.ov.shape_rules import check_element, is_number, normalise_axis
from loomir.dialects.ov.sources import Sources
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
from loomir.dialects.tensors import TENSOR
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
