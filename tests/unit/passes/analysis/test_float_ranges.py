"""Floats from +0 on: what is told of them is true of every run, and what may be NaN, −0 or less is told of nothing."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.ir import SSAValue

from loomir.compiler.backends.c.emit import emit_c
from loomir.compiler.backends.native import NativeFunction
from loomir.compiler.interpreters.engines import LoopsEngine
from loomir.compiler.mlir.context import parse_module
from loomir.passes.analysis.float_ranges import from_zero_on
from loomir.passes.analysis.integer_ranges import IntegerRanges

INF = float("inf")
# Of a number i of 0 … 99, an i64 n, an f32 x and a flag b.
EXPRESSIONS = {
    "arith.constant 0.5 : f32": (0.5, 0.5),
    "arith.constant 0.0 : f32": (0.0, 0.0),
    "arith.constant -0.0 : f32": None,
    "arith.constant -1.0 : f32": None,
    "arith.constant 0x7F800000 : f32": None,
    "arith.constant 0x7FC00000 : f32": None,
    "arith.sitofp %i : i64 to f32": (0, 99),
    "arith.uitofp %i : i64 to f32": (0, 99),
    "arith.sitofp %n : i64 to f32": None,
    "arith.uitofp %b : i1 to f32": (0, 1),
    "arith.sitofp %b : i1 to f32": None,
    "arith.mulf %f, %h : f32": (0, 49.5),
    "arith.mulf %f, %x : f32": None,
    "arith.mulf %f, %m : f32": None,
    "arith.mulf %f, %huge : f32": (0, INF),
    "arith.mulf %big, %f : f32": None,
    "arith.addf %f, %h : f32": (0.5, 99.5),
    "arith.addf %big, %f : f32": (0, INF),
    "arith.subf %f, %h : f32": None,
    "arith.maximumf %f, %h : f32": (0.5, 99),
    "arith.minimumf %f, %h : f32": (0, 0.5),
    "arith.maximumf %f, %x : f32": None,
    "vector.broadcast %f : f32 to vector<4xf32>": (0, 99),
}


def program(expression: str, end: str = "") -> str:
    return f"""func.func @main(%x: f32 {{loomir.name = "x"}}, %n: i64 {{loomir.name = "n"}}, %b: i1 {{loomir.name = "b"}},
      %out: memref<100xf32> {{loomir.name = "out", loomir.role = "output"}}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c100 = arith.constant 100 : index
      %h = arith.constant 0.5 : f32
      %m = arith.constant -0.5 : f32
      %huge = arith.constant 3.0e38 : f32
      scf.for %at = %c0 to %c100 step %c1 {{
        %i = arith.index_cast %at : index to i64
        %f = arith.sitofp %i : i64 to f32
        %big = arith.mulf %f, %huge : f32
        %r = {expression}
        {end}
      }}
      func.return
    }}"""


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_told(expression: str) -> None:
    module = parse_module(program(expression))
    ranges = IntegerRanges()
    (main,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    ranges.analyse(main.body.block)
    found: list[SSAValue] = [r for op in module.walk() for r in op.results if r.name_hint == "r"]
    assert from_zero_on(found[0], ranges) == EXPRESSIONS[expression]


def test_a_chain_that_is_long_is_unknown() -> None:
    lines = [f"%r{k} = arith.addf %{f'r{k - 1}' if k else 'h'}, %h : f32" for k in range(40)]
    module = parse_module(
        f"func.func @main() {{\n%h = arith.constant 0.5 : f32\n{chr(10).join(lines)}\nfunc.return\n}}"
    )
    results = [r for op in module.walk() for r in op.results]
    assert from_zero_on(results[3], IntegerRanges()) == (2.0, 2.0)
    assert from_zero_on(results[-1], IntegerRanges()) is None


SPECIAL = np.array([np.nan, -np.inf, np.inf, -0.0, 0.0, 1e-45, -1e-45, 1.0, -1.0, 49.0, 3.5], np.float32)


@pytest.mark.parametrize("operation", ["maximumf", "minimumf"])
@pytest.mark.parametrize("operands", ["%x, %f", "%f, %x"])
@pytest.mark.parametrize("lanes", [1, 4])
def test_one_comparison_is_enough(operation: str, operands: str, lanes: int) -> None:
    """Every engine gives what numpy does, to the sign of a zero; no function is called, and no bits of two choices are joined."""
    if lanes == 1:
        text = program(f"arith.{operation} {operands} : f32", "memref.store %r, %out[%at] : memref<100xf32>")
    else:
        vectors = operands.replace("x", "xs").replace("%f", "%fs")
        text = program(
            "vector.broadcast %x : f32 to vector<4xf32>",
            f"%xs = arith.addf %r, %r : vector<4xf32>\n%fs = vector.broadcast %f : f32 to vector<4xf32>\n"
            f"%s = arith.{operation} {vectors} : vector<4xf32>\n"
            "%k = arith.constant 96 : index\n%p = arith.minsi %at, %k : index\n"
            "vector.store %s, %out[%p] : memref<100xf32>, vector<4xf32>",
        )
    module = parse_module(text)
    source = emit_c(module, "model").source
    assert "fmax" not in source
    assert "isnan" not in source
    assert "signbit" not in source
    assert " | " not in source
    engines = LoopsEngine(module, pure=True), LoopsEngine(module), NativeFunction(module)
    for x in SPECIAL:
        results = [engine({"x": x, "n": np.int64(0), "b": np.bool_(False)})["out"] for engine in engines]
        wanted = results[0]
        for got in results[1:]:
            numbers = ~np.isnan(wanted)
            assert (np.isnan(got) == np.isnan(wanted)).all()
            assert got[numbers].tobytes() == wanted[numbers].tobytes(), x
