"""Adaptive pooling from Resample: windows of different widths as tables of positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import f32, i32, i64
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.adaptive_pooling import (
    AdaptiveAvgPoolOp,
    AdaptiveMaxPoolOp,
    AdaptivePoolingOp,
)
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, ModOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.interpolate import ResampleOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp, MaxPoolOp
from loomir.errors import Error
from loomir.passes.graph.decompositions import decomposes
from loomir.passes.graph.decompositions.extents import Sizes
from loomir.passes.graph.decompositions.requirements import require_at_least
from loomir.passes.graph.decompositions.terms import Term, Terms


@decomposes(AdaptiveAvgPoolOp)
def adaptive_avg_pool(op: AdaptiveAvgPoolOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Compute weighted sums along one axis after the other.

    If all windows have the same width, emit an AvgPool instead.
    """
    axes = _axes(op, build)
    kernel = _regular(axes)
    if kernel is not None:
        return [build.make(AvgPoolOp, op.data, attributes={"kernel": kernel, "strides": kernel})]
    value = op.data
    for place, axis in enumerate(axes, 2):
        inside = axis.steps.less(axis.width)
        weights = inside.choose(axis.width * 0.0 + 1.0, 0.0) / axis.width
        positions = (axis.begin + axis.steps).min(axis.last)
        value = build.make(
            ResampleOp,
            value,
            [positions.to(i32).value, weights.value],
            attributes={"axes": [place], "weighted": True},
        )
    return [value]


@decomposes(AdaptiveMaxPoolOp)
def adaptive_max_pool(op: AdaptiveMaxPoolOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Emit a MaxPool of data laid out window by window.

    Narrow windows are padded with their last element. Error: `unknown-length` if the windows are not known.
    """
    axes = _axes(op, build)
    kernel = _regular(axes)
    data, tables = op.data, []
    if kernel is None:
        kernel = []
        for axis in axes:
            width, steps, begin = axis.width.array, axis.steps.array, axis.begin.array
            if width is None or steps is None or begin is None:
                raise Error(
                    "unknown-length",
                    "the windows of an adaptive maximum are not known before the program runs",
                    hint="fix the shapes of the inputs",
                )
            kernel.append(steps.shape[1])
            tables.append((begin + np.minimum(steps, width - 1)).astype(np.int32).reshape(-1))
        data = build.make(
            ResampleOp,
            data,
            [build.constant(t) for t in tables],
            attributes={"axes": list(range(2, 2 + len(axes)))},
        )
    values, positions = build.make_all(
        MaxPoolOp,
        data,
        attributes={
            "kernel": kernel,
            "strides": kernel,
            "axis": 2,
            "index_element_type": op.index_element_type,
        },
        results=2,
    )
    return [values, _original(op, build, positions, axes, tables) if tables else positions]


def _original(
    op: AdaptiveMaxPoolOp,
    build: GraphBuilder,
    positions: SSAValue,
    axes: Sequence[_Axis],
    tables: Sequence[np.ndarray],
) -> SSAValue:
    """Flat positions in the data for those in the windows' layout."""
    element = op.index_element_type
    result: SSAValue | None = None
    step = 1
    for axis, table in reversed(list(zip(axes, tables))):
        length = build.scalar(len(table), element)
        place = build.make(ModOp, positions, length)
        positions = build.make(DivideOp, positions, length)
        extent = axis.extent.array
        assert extent is not None
        steps = build.constant((table.astype(np.int64) * step).astype(np.int64))
        term = build.make(GatherOp, steps, place, build.scalar(0, i64))
        result = term if result is None else build.make(AddOp, result, term)
        step *= int(extent)
    assert result is not None
    if element != i64:
        result = build.make(ConvertOp, result, attributes={"destination_type": element})
    return result


class _Axis:
    """Windows of one axis, all as f32.

    `begin` and `width` are `[windows, 1]`; `steps` `[1, widest]` counts up.
    """

    def __init__(self, terms: Terms, extent: Term, count: Term) -> None:
        self.extent = extent
        # Of no windows nothing is computed, but the tables' extents must not follow from a division by 0.
        d, n = extent.to(f32), count.max(1).to(f32)
        i = terms.arange(count)
        begin = (i * d / n).floor()
        width = ((i + 1.0) * d / n).ceil() - begin
        self.begin, self.width = begin.insert_axes(1), width.insert_axes(1)
        self.last = d - 1.0
        widest = (d / n).floor() + 2.0
        if width.array is not None:
            widest = terms.number(float(width.array.max(initial=1)))
        self.steps = terms.arange(widest.to(i64)).insert_axes(0)


def _axes(op: AdaptivePoolingOp, build: GraphBuilder) -> list[_Axis]:
    """Error: `unknown-rank` where the rank is not known."""
    terms, sizes = Terms(build), Sizes(build)
    if build.fact(op.data).shape is None:
        raise Error("unknown-rank", "the rank of the data is not known", hint="fix the shapes of the inputs")
    if build.fact(op.output_shape).value is None:
        op.operands[1] = require_at_least(
            build, op.output_shape, op.output_shape, 0, f"output_shape of {op.name} has a negative extent"
        )
    for size in sizes.of(op.data)[2:]:
        if not isinstance(size, int):
            op.operands[0] = require_at_least(build, op.data, size, 1, f"{op.name} has nothing to pool")
    target = terms.of(op.output_shape)
    extents = terms.extents(op.data)[2:]
    return [_Axis(terms, extent, target.at(k).to(i64)) for k, extent in enumerate(extents)]


def _regular(axes: Sequence[_Axis]) -> list[int] | None:
    """Return the kernel if all windows are equally wide and adjacent.

    This must hold for every axis.
    """
    kernel: list[int] = []
    for axis in axes:
        extent, width = axis.extent.array, axis.width.array
        if extent is None or width is None or not width.size or int(extent) % len(width):
            return None
        kernel.append(int(extent) // len(width))
    return kernel
