"""Elementwise operations on edge values: `evaluate` runs one in every form that the interpreters have."""

from __future__ import annotations

import math
from collections.abc import Sequence

import ml_dtypes
import numpy as np

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module

DTYPES = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "index": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
INTEGERS = list(WIDTHS)
FLOATS = ["f16", "bf16", "f32", "f64"]
CONTEXT = make_context()


def evaluate(line: str, operands: Sequence[tuple[str, np.ndarray]], result: str) -> np.ndarray:
    """`%r = <line>` for each element, with operands %a, %b …, by all three forms, which must agree bit by
    bit.
    """
    n = len(operands[0][1])
    names = "abc"[: len(operands)]
    arguments = ", ".join(
        f'%{x}_: memref<{n}x{t}> {{loomir.name = "{x}", loomir.role = "input"}}'
        for x, (t, _) in zip(names, operands)
    )
    loads = "\n".join(f"%{x} = memref.load %{x}_[%i] : memref<{n}x{t}>" for x, (t, _) in zip(names, operands))
    head = f"""func.func @main({arguments}, %r_: memref<{n}x{result}> {{loomir.name = "r",
        loomir.role = "output"}}) {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %n = arith.constant {n} : index"""
    body = f"{loads}\n%r = {line}\nmemref.store %r, %r_[%i] : memref<{n}x{result}>"
    lanes = f"{head}\nscf.for %i = %zero to %n step %one {{\n{body}\n}}\nfunc.return\n}}"
    # A carried value keeps the loop from becoming lanes.
    scalar = f"""{head}
      %k = scf.for %i = %zero to %n step %one iter_args(%j = %zero) -> (index) {{
        {body}
        scf.yield %j : index
      }}
      func.return
    }}"""
    feed = {x: v for x, (_, v) in zip(names, operands)}
    outputs = []
    for text, pure in ((lanes, True), (lanes, False), (scalar, False)):
        outputs.append(LoopsEngine(parse_module(text, context=CONTEXT), pure=pure)(feed)["r"])
    for other in outputs[1:]:
        bits = np.dtype(f"u{other.dtype.itemsize}")
        nan = np.isnan(other) if other.dtype.kind in "fV" else np.zeros(n, bool)
        np.testing.assert_array_equal(
            np.where(nan, 0, other.view(bits)), np.where(nan, 0, outputs[0].view(bits)), err_msg=line
        )
    return outputs[0]


def integers(t: str) -> list[int]:
    """Edge values of an integer type, as signed numbers (i1: 0 and -1)."""
    half = 1 << (WIDTHS[t] - 1)
    values = {-half, -half + 1, -3, -2, -1, 0, 1, 2, 3, 5, half // 3, half - 2, half - 1}
    return sorted(v for v in values if -half <= v < half)


def held(values: Sequence[int], t: str) -> np.ndarray:
    """Signed numbers as arrays hold them."""
    return np.array([v & 1 for v in values], bool) if t == "i1" else np.array(values, DTYPES[t])


def wrap(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def pairs(t: str) -> tuple[list[int], list[int]]:
    values = integers(t)
    table = [(a, b) for a in values for b in values]
    return [a for a, _ in table], [b for _, b in table]


def floats(t: str) -> np.ndarray:
    """Edge values of a float type."""
    info = ml_dtypes.finfo(DTYPES[t])
    special = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 0.1, -7.3, 1e3, math.inf, -math.inf, math.nan]
    extreme = [
        float(info.max),
        -float(info.max),
        float(info.tiny),
        float(info.smallest_subnormal),
        float(info.eps),
    ]
    return np.array(special + extreme).astype(DTYPES[t])
