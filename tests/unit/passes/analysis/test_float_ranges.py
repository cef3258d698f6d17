"""Floats from +0 on: what is told of them is true of every run, and what may be NaN, −0 or less is told of nothing."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.ir import SSAValue

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.engines.native import NativeFunction
from loomir.compiler.formats.c.emit import emit_c
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.passes.analysis.value_ranges import IntegerRanges, non_negative_range

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
    "arith.sitofp %is : vector<4xi64> to vector<4xf32>": (0, 99),
    "arith.uitofp %ns : vector<4xi64> to vector<4xf32>": None,
    "arith.uitofp %bs : vector<4xi1> to vector<4xf32>": (0, 1),
    "arith.sitofp %bs : vector<4xi1> to vector<4xf32>": None,
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
        %is = vector.broadcast %i : i64 to vector<4xi64>
        %ns = vector.broadcast %n : i64 to vector<4xi64>
        %bs = vector.broadcast %b : i1 to vector<4xi1>
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
    assert non_negative_range(found[0], ranges) == EXPRESSIONS[expression]


def test_a_chain_that_is_long_is_unknown() -> None:
    lines = [f"%r{k} = arith.addf %{f'r{k - 1}' if k else 'h'}, %h : f32" for k in range(40)]
    module = parse_module(
        f"func.func @main() {{\n%h = arith.constant 0.5 : f32\n{chr(10).join(lines)}\nfunc.return\n}}"
    )
    results = [r for op in module.walk() for r in op.results]
    assert non_negative_range(results[3], IntegerRanges()) == (2.0, 2.0)
    assert non_negative_range(results[-1], IntegerRanges()) is None


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


CASTS = [
    (cast, width, lanes, to)
    for cast in ("sitofp", "uitofp")
    for width in (1, 8, 16, 32, 64)
    for lanes in (1, 2, 4, 8)
    for to in ("f32", "f64")
]


def cast_program(casts: list[tuple[str, int, int, str]]) -> str:
    """Return a program that compares cast integers with numbers.

    It computes the greater and the less of the two, with one output for each cast.
    """
    lines, arguments = ["%c0 = arith.constant 0 : index"], []
    for k, (cast, width, lanes, to) in enumerate(casts):
        i, f = (f"i{width}", to) if lanes == 1 else (f"vector<{lanes}xi{width}>", f"vector<{lanes}x{to}>")
        arguments += [
            f'%n{k}: memref<{lanes}xi{width}> {{loomir.name = "n{k}"}}, %x{k}: memref<{lanes}x{to}> {{loomir.name = "x{k}"}}',
            f'%y{k}: memref<{lanes}x{to}> {{loomir.name = "y{k}", loomir.role = "output"}}',
        ]
        load, store = ("memref.load", "memref.store") if lanes == 1 else ("vector.load", "vector.store")
        ends = [""] * 3 if lanes == 1 else [f", {i}", f", {f}", f", {f}"]
        lines += [
            f"%a{k} = {load} %n{k}[%c0] : memref<{lanes}xi{width}>{ends[0]}",
            f"%b{k} = {load} %x{k}[%c0] : memref<{lanes}x{to}>{ends[1]}",
            f"%f{k} = arith.{cast} %a{k} : {i} to {f}",
            f"%g{k} = arith.maximumf %f{k}, %b{k} : {f}",
            f"%h{k} = arith.minimumf %b{k}, %f{k} : {f}",
            f"%m{k} = arith.mulf %g{k}, %h{k} : {f}",
            f"%s{k} = arith.addf %m{k}, %f{k} : {f}",
            f"%r{k} = arith.maximumf %s{k}, %b{k} : {f}",
            f"{store} %r{k}, %y{k}[%c0] : memref<{lanes}x{to}>{ends[2]}",
        ]
    arguments.sort(key=lambda text: "output" in text)
    body = "\n".join(lines)
    return f"func.func @main({', '.join(arguments)}) {{\n{body}\nfunc.return\n}}"


def test_every_cast_of_numbers_and_vectors() -> None:
    """No cast of integers, of any width and number of lanes, makes the analysis fail, and C gives what the interpreter does."""
    module = parse_module(cast_program(CASTS))
    ranges = IntegerRanges()
    (main,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    ranges.analyse(main.body.block)
    for op in module.walk():
        for result in op.results:
            non_negative_range(result, ranges)
    random, feed = np.random.default_rng(0), {}
    for k, (_, width, lanes, to) in enumerate(CASTS):
        bits = random.integers(0, 1 << 62, lanes)
        feed[f"n{k}"] = bits % 2 == 1 if width == 1 else bits.astype(f"i{width // 8}")
        feed[f"x{k}"] = random.normal(size=lanes).astype("f4" if to == "f32" else "f8")
    wanted, got = LoopsEngine(module, pure=True)(feed), NativeFunction(module)(feed)
    for name, value in wanted.items():
        np.testing.assert_allclose(got[name], value, rtol=1e-6, atol=0, err_msg=name)
