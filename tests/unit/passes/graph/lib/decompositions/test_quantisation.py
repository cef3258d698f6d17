"""FakeQuantize against the specification's formula, written out here step by step, in graph, STRUCTURED and native.

OpenVINO's reference (`Model.evaluate`) gives these very bits; its CPU plugin multiplies by reciprocals, gives NaN for an
empty input range and the lowest level for one that is turned round.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from xdsl.ir import Attribute

from loomir.compiler.model import Model
from loomir.dialects.element_types import f8e4m3fn, f8e5m2
from loomir.dialects.ov.operators.conversion import FakeConvertOp, FakeQuantizeOp
from tests.operators import one_operation


def formula(
    x: np.ndarray, il: np.ndarray, ih: np.ndarray, ol: np.ndarray, oh: np.ndarray, levels: int
) -> np.ndarray:
    """Each operation rounded to the type of x; f16 and bf16 computed in f32."""
    dtype, wide = x.dtype, np.float64 if x.dtype == np.float64 else np.float32

    def rounded(value: np.ndarray) -> np.ndarray:
        return np.asarray(value).astype(dtype).astype(wide)

    x, il, ih, ol, oh = (a.astype(wide) for a in np.broadcast_arrays(x, il, ih, ol, oh))
    steps = rounded(np.asarray(levels - 1))
    with np.errstate(all="ignore"):
        place = rounded(rounded(rounded(x - il) / rounded(ih - il)) * steps)
        level = rounded(np.rint(place) / steps)
        inside = rounded(rounded(level * rounded(oh - ol)) + ol)
    result = np.where(x <= np.minimum(il, ih), ol, np.where(x > np.maximum(il, ih), oh, inside))
    return result.astype(dtype)


def values() -> np.ndarray:
    """Numbers inside and outside of [-1, 1], its ends, halves between 256 levels, infinities, NaN."""
    rng = np.random.default_rng(3)
    ends = [
        -1,
        1,
        0,
        -0.0,
        0.5,
        1e9,
        -1e9,
        np.inf,
        -np.inf,
        np.nan,
        np.nextafter(np.float32(1), np.float32(2)),
    ]
    halves = [(k + 0.5) / 255 * 2 - 1 for k in range(0, 255, 9)]
    return np.array([*ends, *halves, *rng.standard_normal(33) * 2])[:72].reshape(3, 4, 6).astype(np.float32)


RANGES: dict[str, tuple[object, object, object, object, int]] = {
    "plain": (-1, 1, -1, 1, 256),
    "two levels": (-1, 1, 0, 10, 2),
    "input turned round": (1, -1, -1, 1, 255),
    "output turned round": (-1, 1, 5, -5, 16),
    "per channel": ([[-1], [-2], [-0.5], [0]], [[[1], [2], [0.5], [3]]], [[-1], [-2], [-0.5], [0]], 1, 128),
    "empty input range": (0, 0, -1, 1, 256),
    "many levels": (-1, 1, -1, 1, 1000),
}


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16], ids=lambda d: np.dtype(d).name
)
@pytest.mark.parametrize("name", RANGES)
def test_formula(name: str, dtype: type) -> None:
    *limits, levels = RANGES[name]
    with np.errstate(over="ignore"):
        arrays = [values().astype(dtype), *(np.array(limit).astype(dtype) for limit in limits)]
    expected = formula(*arrays, levels)  # pyright: ignore[reportArgumentType, reportCallIssue]
    module, _ = one_operation(FakeQuantizeOp, arrays, {"levels": levels}, constants=[1, 2, 3, 4])
    model = Model(module)
    for engine in ("graph", "native") if dtype in (np.float32, np.float16) else ("graph",):
        (actual,) = model.run({"x0": arrays[0]}, engine=engine).values()
        np.testing.assert_array_equal(actual.astype(np.float64), expected.astype(np.float64), err_msg=engine)


def test_limits_that_are_inputs_and_extents_that_are_not_known() -> None:
    limits = [np.array(v, np.float32) for v in (-1, 1, [0, 1, 2, 3, 4, 5], 7)]
    arrays = [values(), *limits]
    module, _ = one_operation(FakeQuantizeOp, arrays, {"levels": 16}, dynamic=True)
    model = Model(module)
    feed = {f"x{k}": a for k, a in enumerate(arrays)}
    expected = formula(*arrays, 16)  # pyright: ignore[reportArgumentType, reportCallIssue]
    for engine in ("graph", "native"):
        (actual,) = model.run(feed, engine=engine).values()
        np.testing.assert_array_equal(actual, expected, err_msg=engine)


def test_one_loop_and_nothing_computed_of_constants() -> None:
    """Known values are folded; one loop nest that reads x once remains."""
    from xdsl.dialects.linalg.ops import GenericOp

    arrays = [values(), *(np.array(v, np.float32) for v in (-1, 1, -1, 1))]
    module, _ = one_operation(FakeQuantizeOp, arrays, {"levels": 256}, constants=[1, 2, 3, 4])
    (generic,) = [op for op in Model(module).lowered("structured").walk() if isinstance(op, GenericOp)]
    names = [op.name for op in generic.body.block.ops]
    assert names.count("arith.divf") == 2
    assert names.count("arith.subf") == 1
    assert len(generic.inputs) == 1


@pytest.mark.parametrize("shifted", [True, False])
@pytest.mark.parametrize(
    ("element", "dtype"), [(f8e4m3fn, ml_dtypes.float8_e4m3fn), (f8e5m2, ml_dtypes.float8_e5m2)], ids=str
)
def test_fake_convert(element: Attribute, dtype: type, shifted: bool) -> None:
    """Limited to the range of the small type. OpenVINO's plugin agrees but for NaN, and where it rounds twice (through
    f16); its reference flushes small numbers to zero."""
    x = np.concatenate(
        [values().reshape(-1) * 200, np.array([448, 464, 480, 57344, 61440, 1e6, 3e-3, 2.0**-10])]
    ).astype(np.float32)
    scale, shift = np.array(0.5, np.float32), np.array(3, np.float32)
    arrays = [x, scale, *([shift] if shifted else [])]
    offset = shift if shifted else np.float32(0)
    info = ml_dtypes.finfo(dtype)
    with np.errstate(all="ignore"):
        small = np.clip(x * scale - offset, np.float32(info.min), np.float32(info.max)).astype(dtype)
    expected = (small.astype(np.float32) + offset) / scale
    module, _ = one_operation(
        FakeConvertOp, arrays, {"destination_type": element}, constants=range(1, len(arrays))
    )
    model = Model(module)
    for engine in ("graph", "native"):
        (actual,) = model.run({"x0": x}, engine=engine).values()
        np.testing.assert_array_equal(actual, expected, err_msg=engine)
