"""Random cases of the operations that reshape, slice, gather, join and broadcast, shared by tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import openvino
import openvino.opset15 as opset

from loomir.dialects.element_types import f32, i32, i64
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp, RangeOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp, TileOp, VariadicSplitOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp, StridedSliceOp

DTYPES = (np.float32, np.int32, np.int64, np.uint8, np.bool_, np.float16)


@dataclass
class Case:
    """One operation on arrays: ours, and OpenVINO's built by `theirs` from nodes for the arrays."""

    op_class: type[OvOperation]
    arrays: list[np.ndarray]
    theirs: Callable[..., openvino.Node]
    attributes: dict[str, AttrValue] = field(default_factory=dict)
    results: int = 1
    variadic: bool = False
    data: int = 1
    """How many of the arrays are data (parameters of the model); the others are constants."""

    def build(self) -> OvOperation:
        values = [ConstantOp.of(a).output for a in self.arrays]
        operands = [values] if self.variadic else values
        return self.op_class.make(*operands, attributes=self.attributes, results=self.results)


def random_shape(rng: np.random.Generator, rank: int, *, zero: bool = True) -> list[int]:
    return [
        int(
            rng.choice([0, 1, 2, 3, 4, 5], p=[0.04 if zero else 0, 0.2, 0.2, 0.2, 0.2, 0.16 if zero else 0.2])
        )
        for _ in range(rank)
    ]


def random_array(rng: np.random.Generator, shape: list[int], dtype: type | None = None) -> np.ndarray:
    chosen = np.dtype(dtype or DTYPES[rng.integers(len(DTYPES))])
    return rng.integers(0, 100, shape).astype(chosen)


def ints(values: list[int] | int, rng: np.random.Generator) -> np.ndarray:
    return np.array(values, np.int64 if rng.integers(2) else np.int32)


def reshape(rng: np.random.Generator) -> Case:
    data = random_array(rng, random_shape(rng, int(rng.integers(0, 4)), zero=False))
    factors: list[int] = []
    rest = data.size
    while rest > 1 and len(factors) < 4:
        f = int(rng.choice([d for d in range(1, rest + 1) if rest % d == 0]))
        factors.append(f)
        rest //= f
    factors.append(rest)
    if rng.integers(2) and factors:
        factors[rng.integers(len(factors))] = -1
    special = bool(rng.integers(2))
    if special:
        for i, v in enumerate(factors):
            if i < data.ndim and v == data.shape[i] and rng.integers(2):
                factors[i] = 0
    pattern = ints(factors, rng)
    return Case(
        ReshapeOp, [data, pattern], lambda d, p: opset.reshape(d, p, special), {"special_zero": special}
    )


def squeeze(rng: np.random.Generator) -> Case:
    data = random_array(rng, random_shape(rng, int(rng.integers(0, 5))))
    if rng.integers(3) == 0:
        return Case(SqueezeOp, [data], lambda d: opset.squeeze(d))
    axes = [
        i - data.ndim * int(rng.integers(2))
        for i in range(data.ndim)
        if data.shape[i] == 1 and rng.integers(2)
    ]
    if not axes:
        return Case(SqueezeOp, [data], lambda d: opset.squeeze(d))
    return Case(SqueezeOp, [data, ints(axes, rng)], lambda d, a: opset.squeeze(d, a))


def unsqueeze(rng: np.random.Generator) -> Case:
    data = random_array(rng, random_shape(rng, int(rng.integers(0, 3))))
    n = int(rng.integers(1, 3))
    rank = data.ndim + n
    axes = [int(a) - rank * int(rng.integers(2)) for a in rng.permutation(rank)[:n]]
    return Case(UnsqueezeOp, [data, ints(axes, rng)], lambda d, a: opset.unsqueeze(d, a))


def transpose(rng: np.random.Generator) -> Case:
    data = random_array(rng, random_shape(rng, int(rng.integers(1, 5))))
    order = [int(v) for v in rng.permutation(data.ndim)] if rng.integers(4) else []
    return Case(TransposeOp, [data, ints(order, rng)], lambda d, o: opset.transpose(d, o))


def shape_of(rng: np.random.Generator) -> Case:
    data = random_array(rng, random_shape(rng, int(rng.integers(0, 5))))
    wide = bool(rng.integers(2))
    return Case(
        ShapeOfOp,
        [data],
        lambda d: opset.shape_of(d, "i64" if wide else "i32"),
        {"output_type": i64 if wide else i32},
    )


def positions(rng: np.random.Generator, extents: list[int]) -> tuple[list[int], list[int], list[int]]:
    start = [int(rng.integers(-e - 2, e + 3)) for e in extents]
    stop = [
        int(rng.choice([rng.integers(-e - 2, e + 3), 2**31 - 1, -(2**31)], p=[0.8, 0.1, 0.1]))
        for e in extents
    ]
    step = [int(rng.choice([1, 2, 3, -1, -2])) for _ in extents]
    return start, stop, step


def slice_(rng: np.random.Generator) -> Case:
    data = random_array(rng, random_shape(rng, int(rng.integers(1, 5)), zero=False))
    axes = [int(a) for a in rng.permutation(data.ndim)[: rng.integers(1, data.ndim + 1)]]
    given = bool(rng.integers(2))
    if not given:
        axes = list(range(len(axes)))
    start, stop, step = positions(rng, [data.shape[a] for a in axes])
    arrays = [data, np.array(start), np.array(stop), np.array(step)]
    if given:
        arrays.append(np.array([a - data.ndim * int(rng.integers(2)) for a in axes]))
        return Case(SliceOp, arrays, lambda d, a, b, c, x: opset.slice(d, a, b, c, x))
    return Case(SliceOp, arrays, lambda d, a, b, c: opset.slice(d, a, b, c))


def strided_slice(rng: np.random.Generator) -> Case:
    data = random_array(rng, random_shape(rng, int(rng.integers(1, 5)), zero=False))
    used = int(rng.integers(1, data.ndim + 1))
    start, stop, step = positions(rng, list(data.shape[:used]))
    masks: dict[str, list[int]] = {
        n: [0] * used for n in ("begin", "end", "new_axis", "shrink_axis", "ellipsis")
    }
    for i in range(used):
        masks["begin"][i], masks["end"][i] = int(rng.integers(3) == 0), int(rng.integers(3) == 0)
        if rng.integers(6) == 0:
            masks["shrink_axis"][i] = 1
            masks["begin"][i] = masks["end"][i] = 0
            start[i], step[i] = int(rng.integers(-data.shape[i], data.shape[i])), 1
            stop[i] = start[i] + 1
    place = int(rng.integers(0, used + 1))
    # OpenVINO's CPU plugin reads other memory where an axis is new and another shrunk: see the test of both
    # below.
    if rng.integers(3) == 0 and not any(masks["shrink_axis"]):
        for values, new in ((start, 0), (stop, 1), (step, 1)):
            values.insert(place, new)
        for name, values in masks.items():
            values.insert(place, int(name == "new_axis"))
    elif used == data.ndim or rng.integers(3) == 0:
        # Only at the end, where the axes in front keep their extents.
        for values, new in ((start, 0), (stop, 1), (step, 1)):
            values.append(new)
        for name, values in masks.items():
            values.append(int(name == "ellipsis"))
    attributes: dict[str, AttrValue] = {f"{name}_mask": values for name, values in masks.items()}
    return Case(
        StridedSliceOp,
        [data, np.array(start), np.array(stop), np.array(step)],
        lambda d, a, b, c: opset.strided_slice(
            d,
            a,
            b,
            c,
            masks["begin"],
            masks["end"],
            masks["new_axis"],
            masks["shrink_axis"],
            masks["ellipsis"],
        ),
        attributes,
    )


def split(rng: np.random.Generator) -> Case:
    shape = random_shape(rng, int(rng.integers(1, 5)), zero=False)
    axis, parts = int(rng.integers(len(shape))), int(rng.integers(1, 4))
    shape[axis] = parts * int(rng.integers(1, 4))
    at = ints(axis - len(shape) * int(rng.integers(2)), rng)
    return Case(
        SplitOp,
        [random_array(rng, shape), at],
        lambda d, a: opset.split(d, a, parts),
        {"num_splits": parts},
        results=parts,
    )


def variadic_split(rng: np.random.Generator) -> Case:
    shape = random_shape(rng, int(rng.integers(1, 5)), zero=False)
    axis = int(rng.integers(len(shape)))
    sizes = [int(v) for v in rng.integers(1, 4, int(rng.integers(1, 4)))]
    shape[axis] = sum(sizes)
    n = len(sizes)
    if rng.integers(2):
        sizes[rng.integers(n)] = -1
    at = ints(axis - len(shape) * int(rng.integers(2)), rng)
    return Case(
        VariadicSplitOp,
        [random_array(rng, shape), at, ints(sizes, rng)],
        lambda d, a, s: opset.variadic_split(d, a, s),
        results=n,
    )


def gather(rng: np.random.Generator, *, batched: bool = False) -> Case:
    shape = random_shape(rng, int(rng.integers(1, 5)), zero=False)
    axis = int(rng.integers(len(shape)))
    # OpenVINO's CPU plugin gets some elements wrong where there are batches: `test_gather_in_batches` has
    # those.
    batches = int(rng.integers(0, axis + 1)) if batched else 0
    picked = shape[:batches] + random_shape(rng, int(rng.integers(0, 3)), zero=False)
    indices = rng.integers(-shape[axis], shape[axis], picked).astype(
        np.int32 if rng.integers(2) else np.int64
    )
    at = ints(axis - len(shape) * int(rng.integers(2)), rng)
    data = random_array(rng, shape, np.float32 if rng.integers(2) else np.int32)
    return Case(
        GatherOp,
        [data, indices, at],
        lambda d, i, a: opset.gather(d, i, a, batches),
        {"batch_dims": batches - (len(picked) if batches < len(picked) and rng.integers(2) else 0)},
        data=2,
    )


def concat(rng: np.random.Generator) -> Case:
    shape = random_shape(rng, int(rng.integers(1, 5)))
    axis = int(rng.integers(len(shape)))
    n = int(rng.integers(1, 5))
    dtype = DTYPES[rng.integers(len(DTYPES))]
    arrays = [
        random_array(rng, [*shape[:axis], int(rng.integers(0, 4)), *shape[axis + 1 :]], dtype)
        for _ in range(n)
    ]
    at = axis - len(shape) * int(rng.integers(2))
    return Case(ConcatOp, arrays, lambda *d: opset.concat(list(d), at), {"axis": at}, variadic=True, data=n)


def tile(rng: np.random.Generator) -> Case:
    data = random_array(rng, random_shape(rng, int(rng.integers(0, 4)), zero=False))
    repeats = [int(v) for v in rng.integers(1, 4, int(rng.integers(1, 5)))]
    return Case(TileOp, [data, ints(repeats, rng)], lambda d, r: opset.tile(d, r))


def broadcast(rng: np.random.Generator) -> Case:
    target = random_shape(rng, int(rng.integers(1, 5)), zero=False)
    mode = str(rng.choice(["numpy", "explicit", "bidirectional"]))
    if mode == "explicit":
        axes = sorted(int(a) for a in rng.permutation(len(target))[: rng.integers(1, len(target) + 1)])
        data = random_array(rng, [target[a] if rng.integers(3) else 1 for a in axes])
        return Case(
            BroadcastOp,
            [data, ints(target, rng), ints(axes, rng)],
            lambda d, t, a: opset.broadcast(d, t, a, "EXPLICIT"),
            {"mode": mode},
        )
    shape = [e if rng.integers(2) else 1 for e in target][int(rng.integers(0, len(target))) :]
    if mode == "bidirectional":
        target = [e if rng.integers(2) else 1 for e in target][int(rng.integers(0, len(target))) :]
    return Case(
        BroadcastOp,
        [random_array(rng, shape), ints(target, rng)],
        lambda d, t: opset.broadcast(d, t, None, mode.upper()),
        {"mode": mode},
    )


def range_(rng: np.random.Generator) -> Case:
    # OpenVINO counts |stop - start| elements where the step leads away from stop: `test_range_away` has
    # those.
    if rng.integers(2):
        step = int(rng.choice([1, 2, 3, -1, -4]))
        start = int(rng.integers(-20, 20))
        numbers = [start, start + int(rng.integers(0, 20)) * int(np.sign(step)), step]
        arrays = [np.array(v, np.int64 if rng.integers(2) else np.int32) for v in numbers]
        return Case(
            RangeOp, arrays, lambda a, b, c: opset.range(a, b, c, "i64"), {"output_type": i64}, data=3
        )
    # Away from whole quotients: how many elements there are must not hang on the last bit.
    step = float(rng.choice([0.5, 0.25, -0.5, 2.0]))
    start = float(rng.integers(-5, 5))
    numbers = [start, start + (float(rng.integers(0, 5)) + 0.1) * float(np.sign(step)), step]
    arrays = [np.array(v, np.float32) for v in numbers]
    return Case(RangeOp, arrays, lambda a, b, c: opset.range(a, b, c, "f32"), {"output_type": f32}, data=3)


def pad(rng: np.random.Generator) -> Case:
    shape = [int(v) for v in rng.integers(2, 6, int(rng.integers(1, 5)))]
    mode = str(rng.choice(["constant", "edge", "reflect", "symmetric"]))
    data = random_array(rng, shape, np.float32 if rng.integers(2) else np.int32)
    begin, end = ([int(rng.integers(-1, e)) for e in shape] for _ in range(2))
    arrays = [data, ints(begin, rng), ints(end, rng)]
    if mode == "constant" and rng.integers(2):
        arrays.append(np.array(7, data.dtype))
        return Case(PadOp, arrays, lambda d, b, e, v: opset.pad(d, b, e, mode, v), {"pad_mode": mode})
    return Case(PadOp, arrays, lambda d, b, e: opset.pad(d, b, e, mode), {"pad_mode": mode})


GENERATORS = {
    f.__name__.rstrip("_"): f
    for f in (
        reshape, squeeze, unsqueeze, transpose, shape_of, slice_, strided_slice, split, variadic_split,
        gather, concat, tile, broadcast, range_, pad,
    )
}  # fmt: skip
