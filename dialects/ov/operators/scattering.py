"""Copies of a tensor with some elements updated at indices.

ScatterElementsUpdate, ScatterNDUpdate, ScatterUpdate, SliceScatter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr, StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, result_def, traits_def

from loomir.dialects.element_types import TENSOR, i1, is_storage
from loomir.dialects.numerics import (
    along,
    arange,
    claim,
    full,
    is_integer_dtype,
    joined_at,
    limits,
    positions,
    wide,
)
from loomir.dialects.ov.attributes import choice, to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.inference import (
    ANYTHING,
    axis_from,
    check_one_number,
    integers,
    surely_inside,
    surely_on_axis,
)
from loomir.dialects.ov.interfaces import AnyOrder, Layout, NamedExtents, NamedOperand, Sources, as_long
from loomir.dialects.ov.operators.slicing import slice_extent
from loomir.dialects.ov.shape_rules import (
    check_integer,
    normalise_axes,
    normalise_axis,
    same_element,
    show_shape,
)
from loomir.dialects.speculation import FailsOnContents
from loomir.errors import Error

REDUCTIONS = ("none", "sum", "prod", "min", "max", "mean")
ND_REDUCTIONS = ("none", "sum", "sub", "prod", "min", "max")


class ScatterOperation(OvOperation):
    """Common base of scatter operations.

    The result has the shape and element type of `data`.
    """

    ALLOWED: ClassVar[Sequence[str]] = ("none",)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)

    @property
    def joins(self) -> str:
        """How an update and the element that is there are joined. `Error("attribute-value")`."""
        return choice(getattr(self, "reduction", None), "reduction", self.ALLOWED, "none")

    @property
    def moves(self) -> tuple[int, ...]:
        """Data and updates, where they are not joined."""
        return (0, 2) if self.joins == "none" else ()

    def check(self, facts: Sequence[Fact]) -> tuple[Fact, Fact, Fact]:
        """Data, indices and updates. Errors: `element-type`, `element-types-differ`, `attribute-value`."""
        data, indices, updates = facts[:3]
        check_integer(indices, "indices")
        same_element((data, updates), ("data", "updates"))
        if self.joins != "none" and is_storage(data.element):
            raise Error("element-type", f"nothing is computed in {data.element}")
        if self.joins == "mean" and data.element == i1:
            raise Error("element-type", "there is no mean of booleans")
        return data, indices, updates


def check_updates(updates: Fact, expected: Shape) -> None:
    """Raise `Error("scatter-updates")` if the updates cannot have the shape.

    For a scalar, one element of any rank is sufficient.
    """
    shape = updates.shape
    if shape is None or (not expected and all(d.lo <= 1 and d.hi != 0 for d in shape)):
        return
    if len(shape) != len(expected) or any(a.meet(b) is None for a, b in zip(shape, expected)):
        raise Error(
            "scatter-updates", f"the updates have shape {show_shape(shape)} instead of {show_shape(expected)}"
        )


@irdl_op_definition
class ScatterElementsUpdateOp(ScatterOperation):
    """Single elements of an axis updated: OpenVINO ScatterElementsUpdate-12 (3); ONNX ScatterElements, Scatter.

    `data`, `indices` and `updates` have one rank of at least 1, `updates` the shape of `indices`, which is not larger
    than `data` but for `axis` (a scalar or one element). In two dimensions with axis 0, in the order of the updates,
    `out[indices[i][j]][j] = reduction(out[indices[i][j]][j], updates[i][j])`.

    `reduction`: none (the default; of several updates the last one counts), sum, prod, min, max, mean; of booleans or,
    and, and, or. Sums and products are rounded to the element type step by step; a mean is of the element and all its
    updates, summed in 64 bits and rounded down for integers. With `use_init_val = false` the element does not take part
    (but keeps its value where there is no update).
    Negative indices count from the end; one outside of [-extent, extent) is the error `runtime-index` when it is run.
    Errors: `operand-rank`, `axis-range`, `scatter-updates`, `element-type`, `element-types-differ`, `attribute-value`;
    when run, `runtime-shape`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder((0, 1, 2), axes=3)

    name = "ov.scatter_elements_update"
    SOURCES: ClassVar = Sources(openvino=("ScatterElementsUpdate", 3, 12))
    ALLOWED: ClassVar[Sequence[str]] = REDUCTIONS

    data = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    updates = operand_def(TENSOR)
    axis = operand_def(TENSOR)
    reduction = opt_prop_def(StringAttr)
    use_init_val = opt_prop_def(BoolAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axis"))

    def accepts(self, facts: Sequence[Fact]) -> bool:
        data, indices, _, axis = facts
        return surely_on_axis(data, axis, indices)

    @property
    def uses_data(self) -> bool:
        """True if the elements of data take part in the reduction."""
        return to_bool(self.use_init_val, True)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, indices, updates = self.check(facts)
        known = [f.shape for f in (data, indices, updates) if f.shape is not None]
        check_one_number(check_integer(facts[3], "axis"), "axis")
        if not known:
            return [Fact(data.element, None)]
        rank = len(known[0])
        if not rank or any(len(shape) != rank for shape in known):
            ranks = ", ".join(str(len(shape)) for shape in known)
            raise Error("operand-rank", f"data, indices and updates must have one rank above 0, not {ranks}")
        place = axis_from(facts[3], rank)
        self.agreed_extents(facts)
        if indices.shape is not None and data.shape is not None and place is not None:
            for i, (d, n) in enumerate(zip(data.shape, indices.shape)):
                if i != place and d.hi is not None and n.lo > d.hi:
                    raise Error(
                        "scatter-updates", f"dimension {i} has extent {n} in indices, but {d} in data"
                    )
        return [Fact(data.element, (Dim(),) * rank if data.shape is None else data.shape)]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        if facts[1].rank is None:
            return None
        names = [f"dimension {i}" for i in range(facts[1].rank)]
        return NamedExtents(
            "scatter-updates", [NamedOperand(1, "indices", names), NamedOperand(2, "updates", names)]
        )

    def evaluate(
        self, data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: np.ndarray
    ) -> np.ndarray:
        at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
        if any(n > d for i, (d, n) in enumerate(zip(data.shape, indices.shape)) if i != at):
            raise Error(
                "runtime-shape", f"indices {indices.shape} are larger than data {data.shape} beside axis {at}"
            )
        if not indices.size:
            return data
        places = positions(indices, data.shape[at])
        coordinates = [along(n, i, data.ndim) for i, n in enumerate(indices.shape)]
        coordinates[at] = places
        flat = np.ravel_multi_index(np.broadcast_arrays(*coordinates), data.shape)
        return scattered(data, np.asarray(flat), updates, self.joins, self.uses_data)


@irdl_op_definition
class ScatterNDUpdateOp(ScatterOperation):
    """Slices updated at tuples of indices: OpenVINO ScatterNDUpdate-15 (3); ONNX ScatterND.

    The last dimension of `indices`, of extent k, holds the tuples; `updates` has the shape
    `indices.shape[:-1] + data.shape[k:]` (one element of any rank where that is a scalar).

    `reduction`: none (the default; of several updates the last one counts), sum, sub, prod, min, max; of booleans or, xor,
    and, and, or. Sums and products are rounded to the element type step by step.
    Negative indices count from the end; one outside of [-extent, extent) is the error `runtime-index` when it is run.
    Errors: `operand-rank`, `scatter-nd-depth` (longer tuples than data has dimensions), `scatter-updates`,
    `element-type`, `element-types-differ`, `attribute-value`; when run, `runtime-shape`.
    """

    name = "ov.scatter_nd_update"
    SOURCES: ClassVar = Sources(openvino=("ScatterNDUpdate", 3, 15))
    ALLOWED: ClassVar[Sequence[str]] = ND_REDUCTIONS

    data = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    updates = operand_def(TENSOR)
    reduction = opt_prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents())

    def accepts(self, facts: Sequence[Fact]) -> bool:
        data, indices = facts[:2]
        assert data.shape is not None
        assert indices.shape is not None
        depth = indices.shape[-1].lo
        return depth == 0 or surely_inside(indices, data.shape[:depth])

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, indices, updates = self.check(facts)
        if indices.rank == 0:
            raise Error("operand-rank", "indices of ScatterNDUpdate must have at least one dimension")
        if data.shape is not None and indices.shape is not None:
            depth = indices.shape[-1]
            if depth.lo > len(data.shape):
                raise Error(
                    "scatter-nd-depth", f"tuples of {depth} indices are too long for rank {len(data.shape)}"
                )
            if depth.static is not None:
                check_updates(updates, (*indices.shape[:-1], *data.shape[depth.static :]))
        return [Fact(data.element, data.shape)]

    def evaluate(self, data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
        depth = indices.shape[-1]
        _require(updates, (*indices.shape[:-1], *data.shape[depth:]))
        first = full(indices.shape[:-1], 0, np.int64)
        for c in range(depth):
            first = first * data.shape[c] + positions(indices[..., c], data.shape[c])
        inner = prod(data.shape[depth:])
        claim((first.size, inner), np.dtype(np.int64))
        return scattered(data, first.reshape(-1, 1) * inner + arange(inner), updates, self.joins)


@irdl_op_definition
class ScatterUpdateOp(ScatterOperation):
    """Slices of one axis replaced: OpenVINO ScatterUpdate-3.

    `updates` has the shape of `data` with the extents of `indices` in place of that of `axis` (a scalar or one element).
    Of several updates of one slice the last one counts. An index outside of [0, extent), a negative one too, is the
    error `runtime-index` when it is run.
    Errors: `operand-rank`, `axis-range`, `scatter-updates`, `element-type`, `element-types-differ`; when run,
    `runtime-shape`.
    """

    name = "ov.scatter_update"
    SOURCES: ClassVar = Sources(openvino=("ScatterUpdate", 3))

    data = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    updates = operand_def(TENSOR)
    axis = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axis"))

    def accepts(self, facts: Sequence[Fact]) -> bool:
        data, indices, _, axis = facts
        return surely_on_axis(data, axis, indices, negative=False)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, indices, updates = self.check(facts)
        check_one_number(check_integer(facts[3], "axis"), "axis")
        if data.rank == 0:
            raise Error("operand-rank", "data of ScatterUpdate must have at least one dimension")
        place = axis_from(facts[3], data.rank)
        if data.shape is not None and indices.shape is not None and place is not None:
            check_updates(updates, (*data.shape[:place], *indices.shape, *data.shape[place + 1 :]))
        return [Fact(data.element, data.shape)]

    def evaluate(
        self, data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: np.ndarray
    ) -> np.ndarray:
        at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
        _require(updates, (*data.shape[:at], *indices.shape, *data.shape[at + 1 :]))
        places = positions(indices, data.shape[at], negative=False).reshape(-1)
        inner = prod(data.shape[at + 1 :])
        claim((prod(data.shape[:at]), len(places), inner), np.dtype(np.int64))
        outer = arange(prod(data.shape[:at])).reshape(-1, 1, 1) * data.shape[at]
        return scattered(data, (outer + places[:, None]) * inner + arange(inner), updates, "none")


@irdl_op_definition
class SliceScatterOp(OvOperation):
    """`data[start:stop:step] = updates` on some axes: OpenVINO SliceScatter-15.

    Positions as those of `ov.slice`; `updates` has the shape of that slice.
    Errors: `slice-step`, `slice-parameters` (lengths differ, or exceed the rank), `axis-range`, `axis-twice`,
    `scatter-updates`, `element-types-differ`.
    """

    name = "ov.slice_scatter"
    SOURCES: ClassVar = Sources(openvino=("SliceScatter", 15))
    COMPOSITE: ClassVar[bool] = True

    data = operand_def(TENSOR)
    updates = operand_def(TENSOR)
    start = operand_def(TENSOR)
    stop = operand_def(TENSOR)
    step = operand_def(TENSOR)
    axes = opt_operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("start", "stop", "step", "axes"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, updates = facts[:2]
        same_element((data, updates), ("data", "updates"))
        n = self.agreed_extents(facts).get("length", Dim()).static
        known = [integers(f, n, 1) for f, n in zip(facts[2:], ("start", "stop", "step", "axes"))]
        if data.shape is None or n is None:
            return [Fact(data.element, data.shape)]
        if n > len(data.shape):
            raise Error("slice-parameters", f"{n} axes are sliced, but data has rank {len(data.shape)}")
        given = known[3] if len(known) > 3 else list(range(n))
        if given is not None:
            extents = list(data.shape)
            for i, axis in enumerate(normalise_axes(given, len(data.shape))):
                bounds = [ANYTHING if k is None else (k[i], k[i]) for k in known[:3]]
                extents[axis] = slice_extent(bounds[0], bounds[1], bounds[2], extents[axis])
            check_updates(updates, tuple(extents))
        return [Fact(data.element, data.shape)]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        return as_long(facts, "slice-parameters", {2: "start", 3: "stop", 4: "step", 5: "axes"})


_JOIN: dict[str, np.ufunc] = {
    "sum": np.add,
    "sub": np.subtract,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


_JOIN_BOOLEAN: dict[str, np.ufunc] = {
    "sum": np.logical_or,
    "sub": np.logical_xor,
    "prod": np.logical_and,
    "min": np.logical_and,
    "max": np.logical_or,
}


def neutral(reduction: str, dtype: np.dtype) -> float | int | bool:
    """Return the neutral element of a reduction.

    The reduction begins with it if the elements of data take no part.
    """
    if dtype == np.bool_:
        return reduction in ("prod", "min")
    least, greatest = limits(dtype)
    return {"sum": 0, "prod": 1, "min": greatest, "max": least}[reduction]


def scattered(
    data: np.ndarray, places: np.ndarray, updates: np.ndarray, reduction: str, uses_data: bool = True
) -> np.ndarray:
    """Return a copy of data with the updates applied.

    `places` are places of the flat array; the updates are combined in their order.
    """
    out, at, values = data.reshape(-1).copy(), places.reshape(-1), updates.reshape(-1)
    if reduction == "none":
        out[at] = values
    elif reduction == "mean":
        out = _mean(out, at, values, uses_data)
    else:
        if not uses_data:
            out[at] = neutral(reduction, data.dtype)
        join = (_JOIN_BOOLEAN if data.dtype == np.bool_ else _JOIN)[reduction]
        if join in (np.maximum, np.minimum):
            joined_at(join, out, at, values)
        else:
            join.at(out, at, values)
    return out.reshape(data.shape)


def _mean(flat: np.ndarray, at: np.ndarray, values: np.ndarray, uses_data: bool) -> np.ndarray:
    exact = wide(flat).dtype
    if is_integer_dtype(flat.dtype):
        exact = np.dtype(np.uint64 if flat.dtype.kind == "u" else np.int64)
    total = flat.astype(exact) if uses_data else full(flat.shape, 0, exact)
    count = full(flat.shape, int(uses_data), exact)
    np.add.at(total, at, values.astype(exact))
    np.add.at(count, at, np.ones((), exact))
    touched = count > 0
    divide: Callable = np.floor_divide if is_integer_dtype(exact) else np.divide
    mean = divide(total, np.where(touched, count, np.ones((), exact)))
    return np.where(touched, mean.astype(flat.dtype), flat)


def _require(updates: np.ndarray, shape: tuple[int, ...]) -> None:
    if updates.shape != shape and not (shape == () and updates.size == 1):
        raise Error("runtime-shape", f"the updates have shape {updates.shape} instead of {shape}")
