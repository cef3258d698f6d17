"""Averages as sums.

The scale of such a sum is the scale of its parts divided by their number.
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import GroupConvolutionOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp, counted
from loomir.dialects.ov.operators.reduction import ReduceMeanOp, ReduceSumOp
from loomir.passes.analysis.known_arrays import known_array
from loomir.passes.graph.ov_to_integer.forms import Form, Forms, fits
from loomir.passes.graph.ov_to_integer.scaled import Scaled, integers, single


def mean(forms: Forms, op: ReduceMeanOp | ReduceSumOp, build: GraphBuilder) -> Form | None:
    """Over whole axes."""
    x, known = forms.scaled(op.operands[0]), known_array(op.operands[1])
    if x is None or known is None:
        return None
    axes = [int(axis) for axis in known.reshape(-1)]
    extents = _extents_of(op.operands[0])
    count = prod(extents[axis] for axis in axes) if extents else 0
    return _summed(x, axes, count, to_bool(op.keep_dims), build, divided=isinstance(op, ReduceMeanOp))


def average(forms: Forms, op: AvgPoolOp, build: GraphBuilder) -> Form | None:
    """Average over windows that all hold the same number of elements.

    Emit a convolution by ones, or a sum if there is only one window.
    """
    x, extents = forms.scaled(op.operands[0]), _extents_of(op.operands[0])
    windows = op.windows()
    if x is None or len(extents) != len(windows) + 2 or not all(extents[1:]):
        return None
    pads = [window.padding(extent) for window, extent in zip(windows, extents[2:])]
    if extents[2:] == [window.kernel for window in windows] and not any(map(any, pads)):
        axes = list(range(2, len(extents)))
        found = _summed(x, axes, prod(extents[2:]), True, build)
        return found and found.changed(parts=None)
    counts = [
        counted(window, extent, padding=not to_bool(op.exclude_pad))
        for window, extent in zip(windows, extents[2:])
    ]
    if any(along.size == 0 or along.min() != along.max() or along.min() < 1 for along in counts):
        return None
    count, kernel = prod(int(along[0]) for along in counts), [window.kernel for window in windows]
    if not x.is_uniform or not fits(*(bound * prod(kernel) for bound in x.span)):
        return None
    ones = build.constant(np.ones((extents[1], 1, 1, *kernel), np.int8))
    attributes = {
        "strides": [window.stride for window in windows],
        "dilations": [window.dilation for window in windows],
        "pads_begin": [begin for begin, _ in pads],
        "pads_end": [end for _, end in pads],
        "auto_pad": "explicit",
    }
    filters = build.make(ConvertOp, ones, attributes={"destination_type": i32})
    total = build.make(GroupConvolutionOp, x.centred(build), filters, attributes=attributes)
    if fact_of(total).shape != fact_of(op.results[0]).shape:
        # The last window hangs over the end.
        return None
    # (What is padded counts as 0.)
    low, high = min(int(x.span[0].min()), 0), max(int(x.span[1].max()), 0)
    return _of_sum(total, x, prod(kernel), low, high, count)


def _summed(
    x: Scaled, axes: list[int], count: int, keep: bool, build: GraphBuilder, *, divided: bool = True
) -> Scaled | None:
    low, high = x.span
    if not x.is_uniform or count < 1 or not fits(low * count, high * count):
        return None
    total = build.make(ReduceSumOp, x.centred(build), build.integers(axes), attributes={"keep_dims": keep})
    by = count if divided else 1
    found = _of_sum(total, x, count, int(low.min()), int(high.max()), by)
    return found.changed(parts=by if x.is_of_8_bits else None)


def _of_sum(total: SSAValue, x: Scaled, terms: int, low: int, high: int, count: int) -> Scaled:
    """Return the form of a sum that is divided by `count`.

    The sum has at most `terms` numbers, each between `low` and `high`.
    """
    scale = single(x.scale.reshape(-1)[0] / count)
    return Scaled(
        total, scale, integers(0), integers(low * terms), integers(high * terms), error=x.error * terms
    )


def _extents_of(value: SSAValue) -> list[int]:
    """The extents of a value, 0 for those that are not known."""
    shape = fact_of(value).shape
    return [] if shape is None else [d.static or 0 for d in shape]
