"""Tensors that are zeros and ones by position: OneHot, Eye."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, StringAttr
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

from loomir.dialects.ov.attributes import choice, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, Dim, Fact
from loomir.dialects.ov.named_extents import NamedExtents, one_number
from loomir.dialects.ov.parameters import (
    check_integer,
    check_rank,
    check_same_element,
    intervals,
    length,
    normalise_axis,
)
from loomir.dialects.speculation import FailsOnContents
from loomir.errors import Error


def extent_of(fact: Fact, operand: str) -> Dim:
    """The extent that an operand of one number says, 0 for a negative one. `Error("operand-rank")`."""
    bounds = intervals(fact, operand)
    if length(fact) not in (None, 1):
        raise Error("operand-rank", f"{operand} must be one number, not {length(fact)}")
    if not bounds:
        return Dim()
    low, high = bounds[0]
    return Dim(max(low, 0), None if high == UNBOUNDED_HIGH else max(high, 0))


@irdl_op_definition
class OneHotOp(OvOperation):
    """`on_value` where an index is the position on the new dimension, else `off_value`: OpenVINO OneHot-16 (1); ONNX
    OneHot.

    The new dimension of extent `depth` is dimension `axis` of the result. `negative_indices_mode`:
    `"ignore_negative"` (default), or `"normalize"`, which counts indices in [-depth, 0) from the end. Other indices
    beyond the depth give `off_value` everywhere.
    Errors: `axis-range`, `operand-rank`, `element-type`, `element-types-differ`, `attribute-value`.
    """

    name = "ov.one_hot"
    CARRIES: ClassVar[tuple[int, ...] | None] = (2, 3)

    indices = operand_def()
    depth = operand_def()
    on_value = operand_def()
    off_value = operand_def()
    axis = prop_def(IntegerAttr)
    negative_indices_mode = opt_prop_def(StringAttr)
    output = result_def()
    traits = traits_def(FailsOnContents("depth"))

    @property
    def normalises(self) -> bool:
        """Whether negative indices count from the end. `Error("attribute-value")`."""
        modes = ("ignore_negative", "normalize")
        mode = choice(self.negative_indices_mode, "negative_indices_mode", modes, "ignore_negative")
        return mode == "normalize"

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        indices, depth, on, off = facts
        _ = check_integer(indices, "indices"), self.normalises
        check_same_element((("on_value", on), ("off_value", off)))
        for name, fact in (("on_value", on), ("off_value", off)):
            _ = check_rank(fact, name, 0, 1)
            if length(fact) not in (None, 1):
                raise Error("operand-rank", f"{name} must be one number, not {length(fact)}")
        extent = extent_of(depth, "depth")
        if indices.shape is None:
            return [Fact(on.element, None)]
        axis = normalise_axis(to_int(self.axis), len(indices.shape) + 1)
        return [Fact(on.element, (*indices.shape[:axis], extent, *indices.shape[axis:]))]


@irdl_op_definition
class EyeOp(OvOperation):
    """Ones on a diagonal: OpenVINO Eye-9; ONNX EyeLike.

    `num_rows`, `num_columns` and `diagonal_index` (one integer each): element `[i, i + diagonal_index]` is 1. The matrix
    is repeated for the extents of `batch_shape` (1-D, optional). Errors: `operand-rank`, `element-type`.
    """

    name = "ov.eye"
    COMPOSITE: ClassVar[bool] = True

    num_rows = operand_def()
    num_columns = operand_def()
    diagonal_index = operand_def()
    batch_shape = opt_operand_def()
    output_type = prop_def(TypeAttribute)
    output = result_def()
    traits = traits_def(FailsOnContents("num_rows", "num_columns", "batch_shape"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        self.agreed_extents(facts)
        matrix = (extent_of(facts[0], "num_rows"), extent_of(facts[1], "num_columns"))
        _ = extent_of(facts[2], "diagonal_index")
        if len(facts) < 4:
            return [Fact(self.output_type, matrix)]
        batch = intervals(facts[3], "batch_shape", 1)
        n = length(facts[3])
        if n is None:
            return [Fact(self.output_type, None)]
        known = [(0, UNBOUNDED_HIGH)] * n if batch is None else batch
        outer = (Dim(max(lo, 0), None if hi == UNBOUNDED_HIGH else max(hi, 0)) for lo, hi in known)
        return [Fact(self.output_type, (*outer, *matrix))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        return one_number(facts, "operand-rank", {0: "num_rows", 1: "num_columns", 2: "diagonal_index"})
