"""Random legal uses of single ONNX operators, of which ONNX Runtime is a sound oracle (docs/semantics.md says where it is not)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
ALL = ("f4", "f8", "f2", *INTEGERS)
SOME = ("f4", "f8", "i4", "i8")


@dataclass
class Use:
    """A node: its operator and operator set, inputs (None: left out), and attributes."""

    operator: str
    opset: int
    inputs: Sequence[np.ndarray | None]
    attributes: dict[str, Any] = field(default_factory=dict)
    parameters: frozenset[int] = frozenset()
    """The inputs that code must know: initialisers."""
    outputs: int = 1

    def __str__(self) -> str:
        shapes = ", ".join("-" if a is None else f"{a.dtype}{list(a.shape)}" for a in self.inputs)
        known = {k: a.tolist() for k, a in enumerate(self.inputs) if a is not None and k in self.parameters}
        return f"{self.operator}-{self.opset}({shapes}; {known}) {self.attributes}"


class Random:
    """Draws of numbers, shapes and arrays."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def int(self, low: int, high: int) -> int:
        """From low to high, both included."""
        return int(self.rng.integers(low, high + 1))

    def chance(self, probability: float = 0.5) -> bool:
        return bool(self.rng.random() < probability)

    def one(self, values: Sequence[T]) -> T:
        return values[self.int(0, len(values) - 1)]

    def ints(self, count: int, low: int, high: int) -> list[int]:
        return [self.int(low, high) for _ in range(count)]

    def shape(self, low: int = 0, high: int = 5, least: int = 0) -> list[int]:
        """A rank, and extents of which few are 0."""
        return [least if self.chance(0.07) else self.int(1, 4) for _ in range(self.int(low, high))]

    def axis(self, rank: int) -> int:
        return self.int(-rank, rank - 1)

    def array(self, dtype: str, shape: Sequence[int] = (), low: int = -8, high: int = 8) -> np.ndarray:
        kind = np.dtype(dtype)
        if kind.kind == "b":
            return np.asarray(self.rng.random(shape) < 0.5)
        if kind.kind in "iu":
            least = max(low, 0) if kind.kind == "u" else low
            return np.asarray(self.rng.integers(least, high + 1, shape)).astype(kind)
        return np.asarray(self.rng.uniform(low, high, shape)).astype(kind)

    def with_ties(self, dtype: str, shape: Sequence[int]) -> np.ndarray:
        return (
            self.array(dtype, shape, -3, 3) if dtype[0] != "f" else np.round(self.array(dtype, shape, -3, 3))
        )

    def indices(self, shape: Sequence[int], extent: int, dtype: str = "i8") -> np.ndarray:
        return np.asarray(self.rng.integers(-extent, max(extent, 1 - extent), shape)).astype(dtype)

    def tuples(self, extents: Sequence[int], shape: Sequence[int]) -> np.ndarray:
        return np.stack([self.indices(shape, extent) for extent in extents], -1)

    def some(self, **attributes: Any) -> dict[str, Any]:
        """Each of these attributes or not."""
        return {name: value for name, value in attributes.items() if self.chance()}


GENERATORS: dict[str, Callable[[Random], Use]] = {}


def generates(function: Callable[[Random], Use]) -> Callable[[Random], Use]:
    GENERATORS[function.__name__] = function
    return function


def vector(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


# -- windows


def _window(r: Random, rank: int, pool: bool = False) -> tuple[dict[str, Any], list[int], list[int]]:
    """Attributes, kernel and spatial extents of a window that fits.

    SAME with a kernel shorter than the stride is left out: ONNX Runtime's pads become negative.
    """
    kernel, dilations = r.ints(rank, 1, 3), [r.one((1, 1, 2, 3)) for _ in range(rank)]
    strides, pads = r.ints(rank, 1, 3), [0] * (2 * rank)
    mode = r.one(("pads", "pads", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"))
    attributes: dict[str, Any] = {}
    if mode == "pads":
        dilations = (
            [1] * rank if pool else dilations
        )  # a window without an element is -inf or the least number
        most = [k - 1 if pool else (k - 1) * d + 1 for k, d in zip(kernel, dilations)]
        attributes["pads"] = pads = [r.int(0, m) for m in most + most]
    else:
        attributes["auto_pad"] = mode
    if mode.startswith("SAME"):
        dilations, strides = [1] * rank, [min(s, k) for s, k in zip(strides, kernel)]
    need = [(kernel[j] - 1) * dilations[j] + 1 - pads[j] - pads[j + rank] for j in range(rank)]
    extents = [max(1, n) + r.int(0, 4) for n in need]
    return {**attributes, "strides": strides, "dilations": dilations}, kernel, extents


def _convolution(r: Random) -> tuple[dict[str, Any], list[int], list[int]]:
    rank, groups, inner = r.one((1, 2, 2, 3)), r.one((1, 1, 2, 3)), r.int(1, 2)
    attributes, kernel, extents = _window(r, rank)
    filters = [groups * r.int(1, 2), inner, *kernel]
    return {**attributes, "group": groups}, [r.int(1, 2), inner * groups, *extents], filters


@generates
def conv(r: Random) -> Use:
    attributes, data, filters = _convolution(r)
    bias = r.array("f4", filters[:1]) if r.chance() else None
    return Use("Conv", r.one((11, 22)), [r.array("f4", data), r.array("f4", filters), bias], attributes)


@generates
def q_linear_conv(r: Random) -> Use:
    attributes, data, filters = _convolution(r)
    inputs = [r.array("u1", data, 0, 40), np.float32(0.1), r.array("u1"), r.array("i1", filters, -20, 20)]
    scales = r.rng.uniform(0.01, 0.3, filters[:1] if r.chance() else []).astype(np.float32)
    inputs += [scales, np.zeros(scales.shape, np.int8), np.float32(0.3), r.array("u1")]
    arrays = [np.asarray(a) for a in inputs]
    return Use("QLinearConv", 10, arrays, attributes, frozenset(range(1, 8)))


@generates
def conv_transpose(r: Random) -> Use:
    rank, groups = r.one((1, 2, 2, 3)), r.one((1, 1, 2))
    kernel, strides, dilations = (
        r.ints(rank, 1, 3),
        r.ints(rank, 1, 3),
        [r.one((1, 1, 2)) for _ in range(rank)],
    )
    extents, channels = r.ints(rank, 1, 4), groups * r.int(1, 2)
    attributes: dict[str, Any] = {"group": groups, "dilations": dilations}
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    mode = r.one(("pads", "output", "SAME_UPPER", "SAME_LOWER", "VALID"))
    if mode.startswith("SAME"):
        strides = [min(pair) for pair in zip(strides, reach)]
    more = [0 if mode.startswith("SAME") else r.int(0, s - 1) for s in strides]
    whole = [s * (e - 1) + o + n for s, e, o, n in zip(strides, extents, more, reach)]
    if mode == "pads":
        attributes["pads"] = [r.int(0, max(0, min(2, (whole[j % rank] - 1) // 2))) for j in range(2 * rank)]
    elif mode == "output":
        attributes["output_shape"] = [max(1, w - r.int(0, 2)) for w in whole]
    else:
        attributes["auto_pad"] = mode
    attributes |= {"strides": strides, "output_padding": more}
    inputs = [r.array("f4", [1, channels, *extents]), r.array("f4", [channels, 2, *kernel])]
    bias = r.array("f4", [2 * groups]) if r.chance() else None
    return Use("ConvTranspose", r.one((11, 22)), [*inputs, bias], attributes)


@generates
def pool(r: Random) -> Use:
    operator, opset = r.one(("AveragePool", "MaxPool", "LpPool")), r.one((19, 22))
    attributes, kernel, extents = _window(r, r.one((1, 2, 2, 3)), pool=True)
    attributes["kernel_shape"] = kernel
    if "pads" in attributes:
        attributes["ceil_mode"] = r.int(0, 1)
    if operator == "AveragePool":
        attributes["count_include_pad"] = r.int(0, 1)
    if operator == "LpPool":
        attributes["p"] = r.int(1, 3)
    dtype = r.one(("f4", "f8", "i1", "u1")) if operator == "MaxPool" else "f4"
    return Use(operator, opset, [r.array(dtype, [r.int(1, 2), 2, *extents])], attributes)


# -- sampling


@generates
def resize(r: Random) -> Use:
    """Not with tf_crop_and_resize and align_corners, which ONNX Runtime has its own idea of where scales are no ratios."""
    mode = r.one(("nearest", "linear", "cubic"))
    coordinates = r.one(("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric"))
    attributes: dict[str, Any] = {"mode": mode, "coordinate_transformation_mode": coordinates}
    if mode == "nearest":
        attributes["nearest_mode"] = r.one(("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"))
    else:
        attributes["antialias"] = r.int(0, 1)
    if mode == "cubic":
        attributes |= r.some(cubic_coeff_a=-0.5, exclude_outside=1)
    # Of integers ONNX Runtime has no cubic kernel, and its antialiased ones compute in fixed point: ties fall either way.
    antialiased = attributes.get("antialias") == 1
    dtype = "f4" if antialiased or mode == "cubic" else r.one(("f4", "f4", "u1", "i4"))
    data = r.array(dtype, [r.int(1, 2), r.int(1, 2), r.int(1, 6), r.int(1, 6)])
    # By scales ONNX Runtime does not smooth an axis whose extent stays.
    if not antialiased and r.chance():
        factors = [max(r.one((0.4, 0.5, 0.75, 1.0, 1.3, 2.0, 2.5)), 1.01 / e) for e in data.shape[2:]]
        target = [None, np.array([1, 1, *factors], np.float32)]
    else:
        target = [None, None, vector(*data.shape[:2], *r.ints(2, 1, 9))]
    return Use("Resize", 19, [data, *target], attributes, frozenset({2, 3}))


@generates
def grid_sample(r: Random) -> Use:
    rank = r.one((2, 2, 3))
    mode = r.one(("linear", "nearest", "cubic") if rank == 2 else ("linear", "nearest"))
    padding, limit = r.one(("zeros", "border", "reflection")), r.one((1, 4))
    data = r.array("f4", [2, 2, *r.ints(rank, 1, 4)])
    places = r.array("f4", [2, *r.ints(rank, 1, 3), rank], -limit, limit)
    attributes = {"mode": mode, "padding_mode": padding, "align_corners": r.int(0, 1)}
    return Use("GridSample", 20, [data, places], attributes)


@generates
def roi_align(r: Random) -> Use:
    count, batch = r.int(0, 3), r.int(1, 2)
    low = r.rng.uniform(-1, 3, [count, 2])
    boxes = np.concatenate([low, low + r.rng.uniform(0, 5, [count, 2])], 1).astype(np.float32)
    attributes = {
        "output_height": r.int(1, 3),
        "output_width": r.int(1, 3),
        "sampling_ratio": r.int(0, 2),
        "spatial_scale": r.one((1.0, 0.5)),
        "mode": r.one(("avg", "max")),
        "coordinate_transformation_mode": r.one(("half_pixel", "output_half_pixel")),
    }
    numbers = np.asarray(r.rng.integers(0, batch, [count])).astype(np.int64)
    return Use("RoiAlign", 16, [r.array("f4", [batch, 2, *r.ints(2, 2, 6)]), boxes, numbers], attributes)


# -- selection


@generates
def non_max_suppression(r: Random) -> Use:
    batch, boxes = r.int(1, 2), r.int(0, 8)
    corners = r.rng.uniform(0, 1, [batch, boxes, 4]).astype(np.float32)
    scores = np.round(r.rng.uniform(0, 1, [batch, r.int(1, 3), boxes]), r.one((1, 6))).astype(np.float32)
    limits = [np.array([r.rng.uniform(0, 0.8)], np.float32) for _ in range(r.int(0, 2))]
    inputs = [corners, scores, vector(r.one((0, 2, 5))), *limits]
    attributes = {"center_point_box": r.int(0, 1)}
    return Use("NonMaxSuppression", 11, inputs, attributes, frozenset({2, 3, 4}))


@generates
def top_k(r: Random) -> Use:
    shape = r.shape(1, 4, 1)
    axis = r.axis(len(shape))
    inputs = [r.with_ties(r.one(SOME), shape), vector(r.int(0, shape[axis]))]
    return Use("TopK", 11, inputs, {"axis": axis, "largest": r.int(0, 1)}, frozenset({1}), 2)


@generates
def arg_max(r: Random) -> Use:
    shape = r.shape(1, 4, 1)
    attributes = r.some(axis=r.axis(len(shape)), keepdims=0, select_last_index=1)
    return Use(r.one(("ArgMax", "ArgMin")), 13, [r.with_ties(r.one((*SOME, "i1")), shape)], attributes)


@generates
def unique(r: Random) -> Use:
    """Without extents of 0, of which ONNX Runtime dies."""
    shape = r.shape(1, 3, 1)
    attributes = r.some(axis=r.axis(len(shape)), sorted=r.int(0, 1))
    return Use("Unique", 11, [r.with_ties(r.one(("f4", "f8", "i8", "i1")), shape)], attributes, outputs=4)


@generates
def non_zero(r: Random) -> Use:
    return Use("NonZero", 13, [r.with_ties(r.one(("f4", "i4", "i8", "u1", "?")), r.shape(1, 5))])


@generates
def compress(r: Random) -> Use:
    shape = r.shape(1, 4)
    attributes = r.some(axis=r.axis(len(shape)))
    extent = shape[attributes["axis"]] if attributes else int(np.prod(shape))
    return Use("Compress", 11, [r.array(r.one(ALL), shape), r.array("?", [r.int(0, extent)])], attributes)


# -- indices


@generates
def gather(r: Random) -> Use:
    shape = r.shape(1, 4)
    axis = r.axis(len(shape))
    wanted = r.shape(0, 3) if shape[axis] else [0]
    inputs = [r.array(r.one((*ALL, "?")), shape), r.indices(wanted, shape[axis], r.one(("i4", "i8")))]
    return Use("Gather", 13, inputs, {"axis": axis})


@generates
def gather_nd(r: Random) -> Use:
    shape = r.shape(1, 4, 1)
    batch = r.int(0, len(shape) - 1)
    extents = shape[batch : r.int(batch + 1, len(shape))]
    places = r.tuples(extents, [*shape[:batch], *r.ints(r.int(0, 2), 0, 3)])
    return Use("GatherND", 13, [r.array(r.one(ALL), shape), places], {"batch_dims": batch})


def _elements(r: Random) -> tuple[list[int], int, np.ndarray]:
    """A shape, an axis, and indices into it."""
    shape = r.shape(1, 4)
    axis, wanted = r.axis(len(shape)), [r.int(0, e) if r.chance(0.3) else e for e in shape]
    wanted[axis] = r.int(0, 4) if shape[axis] else 0
    return shape, axis, r.indices(wanted, shape[axis])


@generates
def gather_elements(r: Random) -> Use:
    shape, axis, places = _elements(r)
    return Use("GatherElements", 13, [r.array(r.one((*ALL, "?")), shape), places], {"axis": axis})


@generates
def scatter_elements(r: Random) -> Use:
    """With a reduction: what several updates of one element are without is open."""
    shape, axis, places = _elements(r)
    dtype, reduction = r.one(SOME), r.one(("add", "mul", "min", "max"))
    inputs = [r.array(dtype, shape), places, r.array(dtype, places.shape)]
    return Use("ScatterElements", 18, inputs, {"axis": axis, "reduction": reduction})


@generates
def scatter_nd(r: Random) -> Use:
    shape = r.shape(1, 4, 1)
    count = r.int(1, len(shape))
    places = r.tuples(shape[:count], r.ints(r.int(0, 2), 1, 3))
    dtype, reduction = r.one(SOME), r.one(("add", "mul", "min", "max"))
    updates = r.array(dtype, [*places.shape[:-1], *shape[count:]])
    return Use("ScatterND", 18, [r.array(dtype, shape), places, updates], {"reduction": reduction})


@generates
def one_hot(r: Random) -> Use:
    shape, depth = r.shape(1, 3), r.int(1, 4)
    places = np.asarray(r.rng.integers(-depth - 1, depth + 2, shape)).astype(np.int64)
    attributes = r.some(axis=r.int(-len(shape) - 1, len(shape)))
    return Use("OneHot", 11, [places, vector(depth), r.array("f4", [2])], attributes, frozenset({1}))


@generates
def reverse_sequence(r: Random) -> Use:
    time = r.int(0, 1)
    shape = [*r.ints(2, 1, 4), *r.ints(r.int(0, 2), 1, 3)]
    lengths = np.asarray(r.rng.integers(1, shape[time] + 1, [shape[1 - time]])).astype(np.int64)
    attributes = {"time_axis": time, "batch_axis": 1 - time}
    return Use("ReverseSequence", 10, [r.array(r.one(ALL), shape), lengths], attributes)
