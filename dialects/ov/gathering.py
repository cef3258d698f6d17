"""Gather: elements of an axis picked by indices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import CONTENT_LIMIT, Dim, Fact
from loomir.dialects.ov.parameters import (
    check_integer,
    choice,
    integers,
    join_all,
    normalise_axis,
    number,
)
from loomir.errors import Error


@irdl_op_definition
class GatherOp(OvOperation):
    """Slices of `data` along `axis`, picked by `indices`: OpenVINO Gather-8 (7, 1); ONNX Gather.

    `data[d0 … d(axis-1), da, …]` and `indices[i0 … i(n-1)]` give
    `[d0 … d(axis-1), i(batch_dims) … i(n-1), d(axis+1) …]`: the first `batch_dims` dimensions belong
    together. `axis` is a scalar or has one element, and may be negative; negative indices count from the end.
    `batch_dims` (default 0) may be negative: it counts from the rank of the indices.

    `out_of_range` says what an index outside of [-extent, extent) gives: `"zero"`, a zero (OpenVINO, the
    default), or `"error"`, the error `runtime-index` when it is run (ONNX).
    Errors: `gather-batch-dims` (out of range, beyond axis, or the batches differ), `axis-range`,
    `attribute-value`.
    """

    name = "ov.gather"
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def()
    indices = operand_def()
    axis = operand_def()
    batch_dims = opt_prop_def(IntegerAttr)
    out_of_range = opt_prop_def(StringAttr)
    output = result_def()
    traits = traits_def(Pure())

    @property
    def checks_indices(self) -> bool:
        """Whether an index out of range is an error."""
        return choice(self.out_of_range, "zero", ("zero", "error"), "out_of_range") == "error"

    def batches(self, indices_rank: int) -> int:
        """The number of batch dimensions. `Error("gather-batch-dims")`."""
        dims = number(self.batch_dims)
        if not -indices_rank <= dims <= indices_rank:
            raise Error(
                "gather-batch-dims", f"batch_dims {dims} is out of range for indices of rank {indices_rank}"
            )
        return dims + indices_rank if dims < 0 else dims

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, indices, axis_fact = facts
        check_integer(indices, "indices")
        checked = self.checks_indices
        known = integers(axis_fact, "axis")
        if known is not None and len(known) != 1:
            raise Error("operand-rank", f"axis must be one number, not {len(known)}")
        if indices.shape is None or data.shape is None:
            return [Fact(data.element, None)]
        batches = self.batches(len(indices.shape))
        if not data.shape:
            raise Error("operand-rank", "data of Gather must have at least one dimension")
        if known is None:
            any_of = join_all((*data.shape, *indices.shape))
            return [Fact(data.element, (any_of,) * (len(data.shape) + len(indices.shape) - 1 - batches))]
        axis = normalise_axis(known[0], len(data.shape))
        if batches > axis:
            raise Error("gather-batch-dims", f"batch_dims {batches} exceeds axis {axis}")
        common: list[Dim] = []
        for i in range(batches):
            both = data.shape[i].meet(indices.shape[i])
            if both is None:
                raise Error(
                    "gather-batch-dims",
                    f"batch dimension {i} has extent {data.shape[i]} in data, {indices.shape[i]} in indices",
                )
            common.append(both)
        shape = (*common, *data.shape[batches:axis], *indices.shape[batches:], *data.shape[axis + 1 :])
        result = Fact(data.element, shape)
        extents = result.static
        bounds = data.bounds
        if indices.value is not None or bounds is None or not bounds[0].size:
            return [result]
        if extents is None or prod(extents) > CONTENT_LIMIT:
            return [result]
        # Whatever the indices are, the elements are some of data's (or 0).
        low, high = int(bounds[0].min()), int(bounds[1].max())
        if not checked:
            low, high = min(low, 0), max(high, 0)
        return [Fact.of_ints(data.element, np.full(extents, low, np.int64), np.full(extents, high, np.int64))]
