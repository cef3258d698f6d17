"""`ov-remove-casts`: two conversions give the same afterwards, of whatever types, for the least and greatest values."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.element_types import element_of

TYPES = {
    str(element_of(np.dtype(t))): np.dtype(t)
    for t in (
        np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
        np.float16, ml_dtypes.bfloat16, np.float32, np.float64,
    )
}  # fmt: skip


def values_of(dtype: np.dtype) -> np.ndarray:
    """The least and greatest values, those around powers of two, and what is no number."""
    if dtype == np.bool_:
        return np.array([False, True])
    powers = [s * (2**k + d) for k in range(64) for d in (-1, 0, 1) for s in (-1, 1)]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, *(p for p in powers if info.min <= p <= info.max)], dtype)
    info = ml_dtypes.finfo(dtype)
    special = [np.nan, np.inf, -np.inf, -0.0, 0.5, -1.5, 2.5, float(info.max), float(info.smallest_subnormal)]
    with np.errstate(over="ignore"):
        return np.array([*special, *(float(p) for p in powers)], np.float64).astype(dtype)


@pytest.mark.parametrize("first", TYPES)
def test_every_chain(first: str) -> None:
    x = values_of(TYPES[first])
    shape = f"{x.size}x"
    lines, results = [], []
    for k, (middle, last) in enumerate(product(TYPES, TYPES)):
        lines.append(
            f"%a{k} = ov.convert %x {{destination_type = {middle}}} : (tensor<{shape}{first}>) -> tensor<{shape}{middle}>"
        )
        lines.append(
            f"%b{k} = ov.convert %a{k} {{destination_type = {last}}} : (tensor<{shape}{middle}>) -> tensor<{shape}{last}>"
        )
        results.append((f"%b{k}", f"tensor<{shape}{last}>"))
    types = ", ".join(t for _, t in results)
    body = "\n".join(lines)
    before = parse_module(
        f"func.func @main(%x: tensor<{shape}{first}>) -> ({types}) {{\n{body}\n"
        f"func.return {', '.join(v for v, _ in results)} : {types}\n}}"
    )
    after = before.clone()
    run_passes(after, "ov-remove-casts", verify_each=True)
    assert str(after).count("ov.convert") < str(before).count("ov.convert")
    expected, actual = (GraphEngine(m).run({"arg0": x}).outputs for m in (before, after))
    for name, value in expected.items():
        assert actual[name].dtype == value.dtype
        if value.dtype.kind in "biu":
            np.testing.assert_array_equal(actual[name], value)
        else:
            np.testing.assert_array_equal(actual[name].astype(np.float64), value.astype(np.float64))
            np.testing.assert_array_equal(
                np.signbit(actual[name].astype(np.float64)), np.signbit(value.astype(np.float64))
            )
