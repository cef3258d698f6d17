"""Operations that make larger tensors out of smaller: Broadcast, Range, Pad."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import StringAttr
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

from loomir.dialects.element_types import TENSOR, dtype_of, is_float, zeros
from loomir.dialects.numerics import arange, claim, full, truncated_to
from loomir.dialects.ov.attributes import choice
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, Dim, Fact, Shape
from loomir.dialects.ov.inference import check_one_number, dimensions, integers, intervals
from loomir.dialects.ov.interfaces import AnyOrder, Layout, Sources
from loomir.dialects.ov.shape_rules import check_element, check_integer, is_number, same_element
from loomir.dialects.speculation import FailsOnContents
from loomir.errors import Error

BROADCAST_MODES = ("numpy", "explicit", "bidirectional")
PAD_MODES = ("constant", "edge", "reflect", "symmetric")


@irdl_op_definition
class BroadcastOp(OvOperation):
    """Broadcast of a tensor to a target shape.

    OpenVINO Broadcast-3 (1); ONNX Expand (`mode = "bidirectional"`).

    `target_shape` is 1-D integers. `mode`:
    - `"numpy"` (default): the dimensions of `data`, aligned at the end, are 1 or equal to the target's;
    - `"explicit"`: dimension `i` of `data` is dimension `axes_mapping[i]` of the result, 1 or equal to it
      there;
    - `"bidirectional"`: both are broadcast to each other, so the result may be larger than the target.

    Errors: `broadcast-shape` (the shapes do not fit), `broadcast-mapping` (axes_mapping missing, not
    increasing or not allowed), `attribute-value`; when run, `runtime-shape`.
    """

    name = "ov.broadcast"
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    target_shape = operand_def(TENSOR)
    axes_mapping = opt_operand_def(TENSOR)
    mode = opt_prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("target_shape", "axes_mapping"))

    @property
    def mode_name(self) -> str:
        """The mode, checked."""
        return choice(self.mode, "mode", BROADCAST_MODES, "numpy")

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        mode = self.mode_name
        if (mode == "explicit") != (len(facts) > 2):
            raise Error(
                "broadcast-mapping",
                f"axes_mapping belongs to mode 'explicit' and to no other, the mode is '{mode}'",
            )
        target = self._target(facts[1])
        if target is None:
            return [Fact(data.element, None)]
        if mode == "explicit":
            mapping = integers(facts[2], "axes_mapping")
            return [Fact(data.element, target if mapping is None else self._explicit(data, target, mapping))]
        if data.shape is None:
            return [Fact(data.element, target if mode == "numpy" else None)]
        if mode == "numpy" and len(data.shape) > len(target):
            raise Error(
                "broadcast-shape", f"data has rank {len(data.shape)}, the target shape only {len(target)}"
            )
        rank = max(len(data.shape), len(target))
        ones = (Dim(1, 1),)
        left = ones * (rank - len(data.shape)) + data.shape
        right = ones * (rank - len(target)) + target
        merge = _to_target if mode == "numpy" else _both_ways
        return [Fact(data.element, tuple(merge(a, b, i) for i, (a, b) in enumerate(zip(left, right))))]

    @staticmethod
    def _target(fact: Fact) -> Shape | None:
        bounds = intervals(fact, "target_shape", 1)
        if bounds is None:
            n = dimensions(fact)
            return None if n is None else (Dim(),) * n
        for index, (_, hi) in enumerate(bounds):
            if hi < 0:
                raise Error("broadcast-shape", f"element {index} of the target shape is {hi}")
        return tuple(Dim(max(lo, 0), None if hi == UNBOUNDED_HIGH else hi) for lo, hi in bounds)

    @staticmethod
    def _explicit(data: Fact, target: Shape, mapping: list[int]) -> Shape:
        if sorted(set(mapping)) != mapping or (
            mapping and not (mapping[0] >= 0 and mapping[-1] < len(target))
        ):
            raise Error(
                "broadcast-mapping", f"axes_mapping {mapping} must increase and lie in 0..{len(target) - 1}"
            )
        if data.shape is None:
            return target
        if len(mapping) != len(data.shape):
            # One element may be broadcast anywhere, whatever the mapping.
            if not (len(data.shape) == 0 or len(mapping) == 0):
                raise Error(
                    "broadcast-mapping", f"{len(mapping)} axes are mapped, data has rank {len(data.shape)}"
                )
            return target
        extents = list(target)
        for source, axis in enumerate(mapping):
            extents[axis] = _to_target(data.shape[source], target[axis], axis)
        return tuple(extents)

    def evaluate(
        self, data: np.ndarray, target_shape: np.ndarray, axes_mapping: np.ndarray | None = None
    ) -> np.ndarray:
        target = [int(v) for v in target_shape]
        mode = self.mode_name
        source = data
        if mode == "explicit" and axes_mapping is not None and data.ndim and axes_mapping.size:
            shape = [1] * len(target)
            for i, axis in enumerate(axes_mapping.reshape(-1)):
                shape[int(axis)] = data.shape[i]
            source = data.reshape(shape)
        elif mode == "bidirectional":
            rank = max(data.ndim, len(target))
            left = (1,) * (rank - data.ndim) + data.shape
            right = [1] * (rank - len(target)) + target
            target = [b if a == 1 else a for a, b in zip(left, right)]
            if any(b not in (1, wanted) for b, wanted in zip(right, target)):
                raise Error(
                    "runtime-shape", f"data of shape {list(data.shape)} cannot be broadcast with {right}"
                )
        try:
            return np.ascontiguousarray(np.broadcast_to(source, target)).reshape(target)
        except ValueError:
            raise Error(
                "runtime-shape", f"data of shape {list(data.shape)} cannot be broadcast to {target}"
            ) from None


def _to_target(extent: Dim, target: Dim, axis: int) -> Dim:
    """Return one dimension of `extent` after broadcasting it to `target`.

    It must be 1 or equal to `target`.
    """
    if extent.meet(Dim(1, 1)) is not None:
        return target
    met = extent.meet(target)
    if met is None:
        raise Error("broadcast-shape", f"extent {extent} of dimension {axis} cannot become {target}")
    return met


def _both_ways(a: Dim, b: Dim, axis: int) -> Dim:
    """Two dimensions broadcast to each other: equal, or one is 1."""
    if a.static == 1:
        return b
    if b.static == 1:
        return a
    one_a, one_b = a.meet(Dim(1, 1)) is not None, b.meet(Dim(1, 1)) is not None
    if not one_a and not one_b:
        met = a.meet(b)
        if met is None:
            raise Error("broadcast-shape", f"extents {a} and {b} of dimension {axis} do not fit")
        return met
    if not one_a:
        return a
    if not one_b:
        return b
    return a.join(b)


@irdl_op_definition
class RangeOp(OvOperation):
    """Numbers from `start` to below `stop` by `step`: OpenVINO Range-4; ONNX Range-11.

    `start`, `stop`, `step`: one number each (rank 0, or 1 with one element) of any numeric type. They are
    converted to `output_type` first; there are `max(0, ceil((stop − start) / step))` elements, counted
    exactly for integers and in f64 for floats (none where that is not finite); element i is `start + i ·
    step` in the output type.
    Errors: `range-step` (0), `operand-size`, `element-type`; when run, `runtime-shape`.
    """

    name = "ov.range"

    start = operand_def(TENSOR)
    stop = operand_def(TENSOR)
    step = operand_def(TENSOR)
    output_type = prop_def(TypeAttribute)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("start", "stop", "step"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        element = self.output_type
        if not is_number(element):
            raise Error("element-type", f"output_type of Range must be a number, not {element}")
        for name, fact in zip(("start", "stop", "step"), facts):
            check_one_number(fact, name, "operand-size")
            check_element(fact, name, is_number, "a number")
        if all(f.value is not None for f in facts):
            n = range_length(
                *(convert_scalar(f.value, dtype_of(element)) for f in facts if f.value is not None)
            )
            return [Fact(element, (Dim(n, n),))]
        if is_float(element) or any(is_float(f.element) for f in facts):
            return [Fact(element, (Dim(),))]
        bounds = [f.bounds for f in facts]
        if any(b is None or b[0].size != 1 for b in bounds):
            return [Fact(element, (Dim(),))]
        (s0, s1), (e0, e1), (d0, d1) = (
            (int(b[0].reshape(-1)[0]), int(b[1].reshape(-1)[0])) for b in bounds if b is not None
        )
        limits = np.iinfo(dtype_of(element))
        if min(s0, e0, d0) < limits.min or max(s1, e1, d1) > limits.max or d0 <= 0 <= d1:
            # Conversion may wrap, or the direction is not known.
            if d0 == d1 == 0:
                raise Error("range-step", "the step of a range is 0")
            return [Fact(element, (Dim(),))]
        lengths = [max(0, -((a - b) // d)) for a in (s0, s1) for b in (e0, e1) for d in (d0, d1)]
        low, high = min(lengths), max(lengths)
        return [Fact(element, (Dim(low, None if high > 1 << 40 else high),))]

    def evaluate(self, start: np.ndarray, stop: np.ndarray, step: np.ndarray) -> np.ndarray:
        dtype = dtype_of(self.output_type)
        first, end, by = (convert_scalar(a, dtype) for a in (start, stop, step))
        n = range_length(first, end, by)
        return np.array(first, dtype) + arange(n).astype(dtype) * np.array(by, dtype)


def convert_scalar(array: np.ndarray, dtype: np.dtype) -> int | float:
    """Return the one number of a parameter as a value of `dtype`.

    It is converted as by `ov.convert`.
    """
    value = array.reshape(-1)[0]
    if dtype.kind in "iu" and array.dtype.kind not in "iub":
        return truncated_to(np.asarray(value), dtype).item()
    with np.errstate(all="ignore"):
        return value.astype(dtype).item()


def range_length(start: float, stop: float, step: float) -> int:
    """How many numbers a range has. `Error("range-step")` for step 0 (or NaN)."""
    if step == 0 or step != step:
        raise Error("range-step", f"the step of a range is {step}")
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return max(0, -((start - stop) // step))
    length_ = (stop - start) / step
    if not math.isfinite(length_):
        return 0
    return max(0, math.ceil(length_))


@irdl_op_definition
class PadOp(OvOperation):
    """Padding or cropping at the borders of a tensor.

    OpenVINO Pad-12 (1); ONNX Pad (its `axes` are expanded on import).

    `pads_begin`, `pads_end`: 1-D integers, one per dimension; negative ones crop. `pad_mode`: `"constant"`
    (`pad_value`, a scalar, default zero), `"edge"` (the nearest element), `"reflect"` (mirrored at the border
    element), `"symmetric"` (mirrored behind it). Mirrors and edges are those of the whole `data`, even where
    the other end is cropped. The result has extent `max(0, begin + extent + end)`.

    Errors: `pad-length` (not one pad per dimension), `pad-size` (reflect: more than extent − 1, symmetric:
    more than extent; edge of nothing), `operand-size`, `attribute-value`, `element-type`; when run, `runtime-shape`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(per_axis=(1, 2))

    name = "ov.pad"
    SOURCES: ClassVar = Sources(openvino=("Pad", 1, 12))
    MOVES: ClassVar[tuple[int, ...]] = (0, 3)

    data = operand_def(TENSOR)
    pads_begin = operand_def(TENSOR)
    pads_end = operand_def(TENSOR)
    pad_value = opt_operand_def(TENSOR)
    pad_mode = opt_prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("pads_begin", "pads_end"))

    @property
    def mode_name(self) -> str:
        """The mode, checked."""
        return choice(self.pad_mode, "pad_mode", PAD_MODES, "constant")

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        mode = self.mode_name
        check_integer(facts[1], "pads_begin")
        check_integer(facts[2], "pads_end")
        if len(facts) > 3:
            same_element((data, facts[3]), ("data", "pad_value"))
            check_one_number(facts[3], "pad_value", "operand-size")
        lengths = {n for f in facts[1:3] if (n := dimensions(f)) is not None}
        ranks = lengths | ({len(data.shape)} if data.shape is not None else set())
        if len(ranks) > 1:
            raise Error(
                "pad-length",
                f"pads_begin, pads_end and the rank of data must agree, they are {sorted(ranks)}",
            )
        if not ranks:
            return [Fact(data.element, None)]
        rank = ranks.pop()
        shape = (Dim(),) * rank if data.shape is None else data.shape
        begins, ends = intervals(facts[1], "pads_begin", 1), intervals(facts[2], "pads_end", 1)
        if begins is None or ends is None:
            return [Fact(data.element, (Dim(),) * rank)]
        extents: list[Dim] = []
        for axis, (extent, begin, end) in enumerate(zip(shape, begins, ends)):
            low, high = begin[0] + end[0], begin[1] + end[1]
            # Pads that are not known are any number of 64 bits.
            hi = None if extent.hi is None or (high > 1 << 40 and low != high) else max(0, extent.hi + high)
            extents.append(Dim(max(0, extent.lo + low), hi))
            check_padding(mode, axis, max(begin[0], end[0]), extent.hi)
        return [Fact(data.element, tuple(extents))]

    def evaluate(
        self,
        data: np.ndarray,
        pads_begin: np.ndarray,
        pads_end: np.ndarray,
        pad_value: np.ndarray | None = None,
    ) -> np.ndarray:
        mode = self.mode_name
        pads = list(zip(pads_begin.tolist(), pads_end.tolist()))
        for axis, (begin, end) in enumerate(pads):
            check_padding(mode, axis, max(begin, end), data.shape[axis])
        made = [max(0, begin + extent + end) for extent, (begin, end) in zip(data.shape, pads)]
        if 0 in made:
            # The other extents may be beyond all memory.
            return zeros(made, data.dtype)
        for axis, (begin, _) in enumerate(pads):
            extent = data.shape[axis]
            claim((*data.shape[:axis], made[axis], *data.shape[axis + 1 :]), data.dtype)
            # Where each element of the result is in data, counted from its first one (or anywhere behind the last).
            first = min(-begin, extent)
            wanted = first + arange(made[axis])
            if mode == "constant":
                inside = (wanted >= 0) & (wanted < extent)
                fill = zeros((), data.dtype) if pad_value is None else pad_value.reshape(())
                if not extent:
                    data = full((*data.shape[:axis], wanted.size, *data.shape[axis + 1 :]), fill, data.dtype)
                    continue
                picked = data.take(np.clip(wanted, 0, extent - 1), axis)
                data = np.where(inside.reshape((-1,) + (1,) * (data.ndim - axis - 1)), picked, fill)
            else:
                data = data.take(padded_positions(mode, wanted, extent), axis)
        return data


def check_padding(mode: str, axis: int, pad: int, extent: int | None) -> None:
    """Raise `Error("pad-size")` if an extent is too small for the mode.

    The mode must be able to fill `pad` elements from it.
    """
    if extent is None or pad <= 0 or mode == "constant":
        return
    limit = {"reflect": extent - 1, "symmetric": extent, "edge": pad if extent else 0}[mode]
    if pad > limit:
        raise Error("pad-size", f"dimension {axis} of extent {extent} is padded by {pad} in mode '{mode}'")


def padded_positions(mode: str, wanted: np.ndarray, extent: int) -> np.ndarray:
    """The positions in data whose elements stand at these (maybe outside) positions."""
    if mode == "edge":
        return np.clip(wanted, 0, extent - 1)
    mirror = 0 if mode == "reflect" else 1
    low = np.where(wanted < 0, -wanted - mirror, wanted)
    return np.where(low >= extent, 2 * (extent - 1) - low + mirror, low)
