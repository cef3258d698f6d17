"""Decomposition of Interpolate to Resample.

Resample takes tables of positions and weights for each axis. They are computed at compile time if extents and scales
are known, else by operations at run time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import f32, i32, i64, is_float
from loomir.dialects.numerics import arange
from loomir.dialects.ov.attributes import to_bool, to_float, to_str
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp
from loomir.dialects.ov.operators.comparison import GreaterOp, LessOp, LogicalAndOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_unary import RoundOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.interpolate import InterpolateOp, ResampleOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.errors import Error
from loomir.passes.graph.lib.decompositions import decomposes, require_all, require_at_least
from loomir.passes.graph.lib.decompositions.arithmetic import Term, Terms

FRACTION = 1 << 10
"""Denominator of scales in upper bounds of extents.

For such a bound, a scale is rounded up to a multiple of `1 / FRACTION`.
"""
SCALE_LIMIT = 1 << 20


@decomposes(InterpolateOp)
def interpolate(op: InterpolateOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Pad, then Resample. Error: `unknown-axes`.

    The kernels are products of one kernel per axis, so that the axes can be resampled one after the other, those that
    shrink most first: 4 + 4 terms for each element instead of 16. Up to 4 terms, as bilinear interpolation has, are
    summed at once: that is as fast, and needs no memory in between.
    """
    fact, axes = build.fact(op.data), build.fact(op.axes).value
    if fact.shape is None or axes is None:
        raise Error(
            "unknown-axes",
            "the rank of data or the axes of an interpolation are not known",
            hint="fix the shapes of the inputs",
        )
    places = normalise_axes(axes.reshape(-1), len(fact.shape), "axes")
    return [_Interpolation(op, build, places).result()]


@dataclass
class _Axis:
    """Axis with its extents before and after, scale and roi part."""

    place: int
    old: Term
    new: Term
    scale: Term
    length: Term
    """The resized length in formulas."""
    roi: tuple[Term, Term] | None
    outside: Term | None = None
    """Mask of elements outside of the data, for the extrapolation value."""

    @property
    def ratio(self) -> float:
        """How much the axis grows, 1 where that is not known."""
        if self.old.array is None or self.new.array is None:
            return 1.0
        return float(self.new.array) / max(1.0, float(self.old.array))


class _Interpolation:
    def __init__(self, op: InterpolateOp, build: GraphBuilder, places: Sequence[int]) -> None:
        self.op, self.build, self.terms = op, build, Terms(build)
        self.mode = to_str(op.mode)
        self.element: Attribute = build.fact(op.data).element
        self._require_target()
        self.data = self._padded()
        self.axes = self._axes(places)

    def _padded(self) -> SSAValue:
        build, rank = self.build, self.build.fact(self.op.data).rank
        assert rank is not None
        begins, ends = zip(*self.op.pads(rank)) if rank else ((), ())
        if not any((*begins, *ends)):
            return self.op.data
        return build.make(PadOp, self.op.data, build.integers(begins), build.integers(ends))

    # -- extents and scales

    def _require_target(self) -> None:
        """Check an unknown target at run time.

        The checks are those that inference applies to a known target.
        """
        op, build = self.op, self.build
        target = op.target
        if build.fact(target).value is not None:
            return
        if op.uses_scales:
            positive = build.make(GreaterOp, target, build.like(0.0, target))
            finite = build.make(LessOp, target, build.like(math.inf, target))
            good = build.make(LogicalAndOp, positive, finite)
            reason = f"a scale of {op.name} is no positive number"
            op.operands[1] = require_all(build, target, good, reason)
        else:
            reason = f"a target extent of {op.name} is negative"
            op.operands[1] = require_at_least(build, target, target, 0, reason)

    def _axes(self, places: Sequence[int]) -> list[_Axis]:
        op, terms = self.op, self.terms
        old = [terms.extents(self.data)[p] for p in places]
        target = terms.of(op.target)
        roi = None if op.roi is None else terms.of(op.roi).to(f32)
        parts = [None if roi is None else (roi.at(k), roi.at(len(places) + k)) for k in range(len(places))]
        shape = self.build.fact(op.output).shape
        found: list[_Axis] = []
        common = self._common_scale(target, old)
        for k, (place, extent, part) in enumerate(zip(places, old, parts)):
            float_extent = extent.to(f32)
            if op.uses_scales:
                scale = target.at(k).to(f32)
                exact = float_extent * scale
                new = exact.floor().to(i64)
                if extent.array is None and scale.array is not None and 0 < scale.array < SCALE_LIMIT:
                    # Changes nothing, but an analysis finds how long the axis can become: floats have no bounds.
                    parts_of_one = math.ceil(float(scale.array) * FRACTION)
                    new = new.max(0).min((extent * parts_of_one + (FRACTION - 1)) // FRACTION)
            elif common is not None:
                scale, exact = common, float_extent * common
                new = (exact + 0.5).floor().to(i64)
                if extent.array is None and to_str(op.keep_aspect_ratio_policy) == "not_larger":
                    # Again for the analysis: it is not larger.
                    new = new.max(0).min(target.at(k).to(i64))
            else:
                new = target.at(k).to(i64)
                scale, exact = new.to(f32) / float_extent, new.to(f32)
            static = None if shape is None else shape[place].static
            if static is not None:
                new = terms.number(static, i64)
            if self.mode.endswith("pillow"):
                scale = new.to(f32) / float_extent
            fraction = to_bool(op.exact_scale) and part is None
            found.append(_Axis(place, extent, new, scale, exact if fraction else new.to(f32), part))
        return found

    def _common_scale(self, target: Term, old: Sequence[Term]) -> Term | None:
        """The one scale that keeps the aspect ratio."""
        policy = to_str(self.op.keep_aspect_ratio_policy)
        if policy == "stretch" or not old:
            return None
        scales = [target.at(k).to(f32) / extent.to(f32) for k, extent in enumerate(old)]
        result = scales[0]
        for scale in scales[1:]:
            result = result.min(scale) if policy == "not_larger" else result.max(scale)
        return result

    # -- coordinates

    def _coordinates(self, axis: _Axis) -> Term:
        """Where the elements of the resized axis lie on the old one."""
        mode = to_str(self.op.coordinate_transformation_mode)
        y = self.terms.arange(axis.new)
        if self.mode.endswith("pillow"):
            return (y + 0.5) / axis.scale - 0.5
        x = self._transformed(mode, y, axis)
        if to_bool(self.op.exact_scale):
            return x
        # A scale of 1, or an extent that stays: OpenVINO leaves the axis alone.
        growth = axis.new.to(f32) - axis.old.to(f32)
        moved = growth.abs().greater(0.5).choose(x, y)
        return (axis.scale - 1.0).abs().greater(0.0).choose(moved, y)

    def _transformed(self, mode: str, y: Term, axis: _Axis) -> Term:
        scale, old, length = axis.scale, axis.old.to(f32), axis.length
        one = length.greater(1.0)
        if mode == "half_pixel":
            return (y + 0.5) / scale - 0.5
        if mode == "pytorch_half_pixel":
            return axis.new.to(f32).greater(1.0).choose((y + 0.5) / scale - 0.5, y * 0.0)
        if mode == "asymmetric":
            return y / scale
        if mode == "tf_half_pixel_for_nn":
            return (y + 0.5) / scale
        if mode == "half_pixel_symmetric":
            grown = old * scale
            shift = (old * 0.5) * (self.terms.number(1.0) - axis.new.to(f32) / grown)
            return (y + 0.5) / scale - 0.5 + shift
        # The length is 1 where there is nothing to divide by.
        steps = one.choose(length - 1.0, 1.0)
        if mode == "align_corners":
            return one.choose(y * (old - 1.0) / steps, y * 0.0)
        assert mode == "tf_crop_and_resize"
        assert axis.roi is not None
        start, end = axis.roi
        spread = start * (old - 1.0) + y * (end - start) * (old - 1.0) / steps
        centre = y * 0.0 + (start + end) * (old - 1.0) * 0.5
        x = one.choose(spread, centre)
        axis.outside = x.less(0.0).either(x.greater(old - 1.0))
        return x

    # -- the result

    def result(self) -> SSAValue:
        if self.mode == "nearest":
            value = self._nearest()
        else:
            value = self._weighted()
        return self._extrapolated(value)

    def _extrapolated(self, value: SSAValue) -> SSAValue:
        """The extrapolation value where any axis is outside."""
        rank = self.build.fact(self.data).rank
        assert rank is not None
        for axis in self.axes:
            mask = axis.outside
            if mask is None or (mask.array is not None and not mask.array.any()):
                continue
            wide = mask.insert_axes(*range(1, rank - axis.place))
            filling = to_float(self.op.extrapolation_value)
            if not is_float(self.element):
                filling = int(filling)
            constant = self.build.scalar(filling, self.element)
            value = self.build.make(SelectOp, wide.value, constant, value)
        return value

    def _nearest(self) -> SSAValue:
        nearest = to_str(self.op.nearest_mode)
        tables: list[tuple[_Axis, Term]] = []
        for axis in self.axes:
            x = self._coordinates(axis)
            below = x.floor()
            part = x - below
            if nearest == "round_prefer_floor":
                place = part.greater(0.5).choose(below + 1.0, below)
            elif nearest == "round_prefer_ceil":
                place = part.at_least(0.5).choose(below + 1.0, below)
            elif nearest == "floor":
                place = below
            elif nearest == "ceil":
                place = x.ceil()
            else:
                place = axis.scale.less(1.0).choose(x.ceil(), below)
            last = axis.old.to(f32) - 1.0
            tables.append((axis, place.max(0.0).min(last).to(i32)))
        return self._picked(tables)

    def _picked(self, tables: Sequence[tuple[_Axis, Term]]) -> SSAValue:
        """Return the elements at these positions in the cheapest way.

        This is a view, a broadcast, or else a table.
        """
        build, value = self.build, self.data
        shape = build.fact(value).static
        rest: list[tuple[_Axis, Term]] = []
        repeats: dict[int, int] = {}
        for axis, table in tables:
            known, extent = table.array, axis.old.array
            if known is None or extent is None:
                rest.append((axis, table))
            elif np.array_equal(known, arange(int(extent))):
                continue
            elif shape is not None and (times := _repeats(known, int(extent))) is not None:
                repeats[axis.place] = times
            elif _is_regular(known):
                value = build.make(GatherOp, value, build.constant(known), build.scalar(axis.place, i64))
            else:
                rest.append((axis, table))
        if rest:
            value = build.make(
                ResampleOp,
                value,
                [table.value for _, table in rest],
                attributes={"axes": [axis.place for axis, _ in rest]},
            )
        return _repeated(build, value, repeats) if repeats else value

    def _weighted(self) -> SSAValue:
        build = self.build
        integer = not is_float(self.element)
        onnx = to_bool(self.op.exact_scale)
        # Integers are rounded after each axis, the last one first, where that is specified or all that users know.
        pillow = self.mode.endswith("pillow") or (integer and onnx and to_bool(self.op.antialias))
        value = self.data
        if integer:
            value = build.make(ConvertOp, value, attributes={"destination_type": f32})
        axes = list(reversed(self.axes)) if pillow else sorted(self.axes, key=lambda a: a.ratio)
        tables: list[tuple[int, Term, Term]] = []
        for axis in axes:
            positions, weights = self._weights(axis)
            if _is_identity(positions.array, weights.array, axis.old.array):
                continue
            tables.append((axis.place, positions, weights))
        at_once = _few_terms(tables) and not (integer and pillow)
        for together in [tables] if at_once else [[table] for table in tables]:
            value = build.make(
                ResampleOp,
                value,
                [term.value for _, *pair in together for term in pair],
                attributes={"axes": [place for place, *_ in together], "weighted": True},
            )
            if integer and pillow:
                value = self._as_integer(value, rounded=True)
                value = build.make(ConvertOp, value, attributes={"destination_type": f32})
        if integer:
            value = self._as_integer(value, rounded=self.mode == "linear" or (onnx and self.mode == "cubic"))
        return value

    def _as_integer(self, value: SSAValue, *, rounded: bool) -> SSAValue:
        if rounded:
            value = self.build.make(RoundOp, value, attributes={"mode": "half_away_from_zero"})
        return self.build.make(ConvertOp, value, attributes={"destination_type": self.element})

    def _weights(self, axis: _Axis) -> tuple[Term, Term]:
        """Return positions and weights `[extent, taps]` of an axis.

        They are those of the kernel around each place, as wide as it is stretched. With a kernel of support s stretched by 1 /
        f, only the 2 * ceil(s / f) elements around a place have a weight.
        """
        terms = self.terms
        x = self._coordinates(axis)
        cubic = "cubic" in self.mode
        factor = self._narrowing(axis)
        half = (terms.number(2.0 if cubic else 1.0) / factor).ceil()
        offsets = terms.arange((half + half).to(i64)) - (half - 1.0)
        places = x.floor().insert_axes(1) + offsets.insert_axes(0)
        distance = (places - x.insert_axes(1)).abs() * factor
        weights = self._cubic(distance) if cubic else (terms.number(1.0) - distance).max(0.0)
        last = axis.old.to(f32) - 1.0
        exclusive = to_bool(self.op.exclude_outside) or self.mode == "linear" or self.mode.endswith("pillow")
        if exclusive:
            outside = places.less(0.0).either(places.greater(last))
            weights = outside.choose(0.0, weights)
        if exclusive or to_bool(self.op.antialias):
            total = weights.sum(1)
            nothing = total.abs().greater(0.0)
            weights = nothing.choose(weights / nothing.choose(total, 1.0), weights)
        positions = places.max(0.0).min(last).to(i32)
        return _trimmed(terms, positions, weights)

    def _narrowing(self, axis: _Axis) -> Term:
        """By what distances are multiplied before the kernel sees them."""
        scale = axis.scale
        if self.mode.endswith("pillow") or (to_bool(self.op.antialias) and self.mode != "linear"):
            return scale.min(1.0)
        if not to_bool(self.op.antialias):
            return self.terms.number(1.0)
        shrinks = self.axes[0].scale
        for other in self.axes[1:]:
            shrinks = shrinks.min(other.scale)
        return shrinks.less(1.0).choose(scale, 1.0)

    def _cubic(self, d: Term) -> Term:
        """Keys' kernel of the distance, with the coefficient a."""
        a = to_float(self.op.cube_coeff)
        near = (d * (a + 2.0) - (a + 3.0)) * d * d + 1.0
        far = ((d * a - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a
        return d.greater(1.0).choose(d.less(2.0).choose(far, 0.0), near)


def _few_terms(tables: Sequence[tuple[int, Term, Term]]) -> bool:
    """Return True if resampling all axes at once is better."""
    taps = [positions.array.shape[1] for _, positions, _ in tables if positions.array is not None]
    return len(taps) == len(tables) > 1 and math.prod(taps) <= 4


def _repeats(table: np.ndarray, extent: int) -> int | None:
    """Return the number of consecutive repetitions of each element.

    None if it is not the same for all elements.
    """
    if not extent or not table.size or table.size % extent:
        return None
    times = table.size // extent
    return times if np.array_equal(table, np.repeat(arange(extent), times)) else None


def _is_regular(table: np.ndarray) -> bool:
    """Return True if the positions are first, first + step …

    The step is positive. Such positions form a view.
    """
    steps = set(np.diff(table).tolist())
    return bool(table.size) and len(steps) <= 1 and all(step > 0 for step in steps)


def _repeated(build: GraphBuilder, value: SSAValue, repeats: dict[int, int]) -> SSAValue:
    """Repeat each element of some axes several times.

    A dimension behind the axis is broadcast and then merged with it.
    """
    shape = build.fact(value).static
    assert shape is not None
    split: list[int] = []
    wide: list[int] = []
    for axis, extent in enumerate(shape):
        split.append(extent)
        wide.append(extent)
        if axis in repeats:
            split.append(1)
            wide.append(repeats[axis])
    result = build.make(ReshapeOp, value, build.integers(split))
    result = build.make(BroadcastOp, result, build.integers(wide))
    joined = [extent * repeats.get(axis, 1) for axis, extent in enumerate(shape)]
    return build.make(ReshapeOp, result, build.integers(joined))


def _is_identity(positions: np.ndarray | None, weights: np.ndarray | None, extent: np.ndarray | None) -> bool:
    """Return True if all tables are known and leave every element unchanged."""
    return (
        positions is not None
        and weights is not None
        and extent is not None
        and positions.shape == (int(extent), 1)
        and bool((weights == 1.0).all())
        and np.array_equal(positions[:, 0], arange(int(extent)))
    )


def _trimmed(terms: Terms, positions: Term, weights: Term) -> tuple[Term, Term]:
    """Remove positions without weight from known tables.

    The taps with a weight are moved to the front, and the rest is cut off.
    """
    if positions.array is None or weights.array is None:
        return positions, weights
    order = np.argsort(weights.array == 0.0, axis=1, kind="stable")
    sorted_weights = np.take_along_axis(weights.array, order, 1)
    sorted_positions = np.take_along_axis(positions.array, order, 1)
    width = max(1, int((sorted_weights != 0.0).sum(axis=1).max(initial=1)))
    return (
        terms.known(np.ascontiguousarray(sorted_positions[:, :width])),
        terms.known(np.ascontiguousarray(sorted_weights[:, :width])),
    )
