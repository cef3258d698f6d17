"""The C on a 32-bit target, where an index has 32 bits: clang checks it for Cortex-M without a C library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from loomir.compiler.engines.native import STRICT
from loomir.compiler.formats.c.emit import emit_c, write_c
from loomir.compiler.formats.mlir.parser import parse_module
from tests.support_tools import needs

pytestmark = needs("clang")

# What emitted C uses of the two headers that no compiler brings with it.
STRING = "void *memcpy(void *restrict, const void *restrict, size_t);"
MATH = """
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define isnan(x) __builtin_isnan(x)
#define signbit(x) __builtin_signbit(x)
#define isunordered(x, y) __builtin_isunordered(x, y)
float sqrtf(float); float expf(float); float fmaxf(float, float);
"""


def check(tmp_path: Path, text: str) -> str:
    """Compile for Cortex-M4 with every warning as an error, and return the source."""
    code = emit_c(parse_module(text), "m")
    write_c(code, tmp_path)
    (tmp_path / "string.h").write_text(f"#include <stddef.h>\n{STRING}\n")
    (tmp_path / "math.h").write_text(MATH)
    target = ["--target=thumbv7em-none-eabihf", "-mcpu=cortex-m4", "-ffreestanding", "-nostdlibinc", "-O2"]
    command = ["clang", *target, *STRICT, "-isystem", ".", "-c", "m.c", "-o", "m.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stderr}\n{code.source}"
    return code.source


@pytest.mark.parametrize("t", ["i8", "i16", "i32", "i64", "index"])
def test_integers(tmp_path: Path, t: str) -> None:
    stored = "i64" if t == "index" else t
    operations = (
        "addi subi muli divsi remsi divui remui floordivsi ceildivsi ceildivui minsi maxsi minui maxui"
    )
    operations += " andi ori xori shli shrui shrsi"
    body: list[str] = []
    for name in operations.split():
        body.append(f"%{name} = arith.{name} %x, %y : {t}")
        result = f"%{name}"
        if t == "index":
            body.append(f"%{name}_out = arith.index_cast %{name} : index to i64")
            result += "_out"
        body.append(f"memref.store {result}, %out[%i] : memref<8x{stored}>")
    load = "\n".join(
        f"%{w}_in = memref.load %{w}s[%i] : memref<8x{stored}>\n"
        + (
            f"%{w} = arith.index_cast %{w}_in : i64 to index"
            if t == "index"
            else f"%{w} = arith.ori %{w}_in, %{w}_in : {t}"
        )
        for w in "xy"
    )
    check(tmp_path, f"""
        func.func @main(
            %xs: memref<8x{stored}> {{loomir.role = "input"}}, %ys: memref<8x{stored}> {{loomir.role = "input"}},
            %out: memref<8x{stored}> {{loomir.role = "output"}}) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c8 = arith.constant 8 : index
          scf.for %i = %c0 to %c8 step %c1 {{
            {load}
            {chr(10).join(body)}
          }}
          func.return
        }}""")  # fmt: skip


def test_casts_and_loops(tmp_path: Path) -> None:
    source = check(tmp_path, """
        func.func @main(%n: i64 {loomir.role = "input"}, %k: i32 {loomir.role = "input"},
            %x: memref<24xf32> {loomir.name = "x", loomir.role = "input", loomir.type = tensor<?x?xf32>},
            %a: index {loomir.dim = "x:0"}, %b: index {loomir.dim = "x:1"},
            %y: memref<24xf32> {loomir.name = "y", loomir.role = "output", loomir.type = tensor<?x3xf32>},
            %arena: memref<64xi8> {loomir.role = "arena", loomir.align = 16 : i64})
            -> (index {loomir.dim = "y:0"}, i64 {loomir.name = "m"}) {
          %c0 = arith.constant 0 : index
          %c2 = arith.constant 2 : index
          %max = arith.constant 9223372036854775807 : index
          %buf = memref.view %arena[%c0][] : memref<64xi8> to memref<8xi64>
          %m = arith.index_cast %n : i64 to index
          %kk = arith.index_cast %k : i32 to index
          %sum = arith.addi %m, %kk : index
          %i64 = arith.index_cast %sum : index to i64
          %i32 = arith.index_cast %sum : index to i32
          scf.for %i = %c0 to %m step %c2 {
            memref.store %i64, %buf[%i] : memref<8xi64>
          }
          %r = scf.for %i = %c0 to %max step %c2 iter_args(%s = %i32) -> (i32) {
            %q = arith.fptosi %f : f32 to i32
            %t = arith.addi %s, %q : i32
            %bad = arith.cmpi sgt, %t, %k : i32
            cf.assert %bad, "limit: too many"
            scf.yield %t : i32
          }
          %v = memref.load %buf[%c0] : memref<8xi64>
          %e = arith.extsi %r : i32 to i64
          %w = arith.addi %v, %e : i64
          %ab = arith.muli %a, %b : index
          %xs = memref.subview %x[0] [%ab] [1] : memref<24xf32> to memref<?xf32, strided<[1]>>
          %xm = memref.expand_shape %xs [[0, 1]] output_shape [%a, %b]
            : memref<?xf32, strided<[1]>> into memref<?x?xf32, strided<[?, 1]>>
          %first = memref.load %xm[%c0, %c0] : memref<?x?xf32, strided<[?, 1]>>
          memref.store %first, %y[%c0] : memref<24xf32>
          func.return %a, %w : index, i64
        }""".replace("%q = arith.fptosi %f", "%f = arith.sitofp %s : i32 to f32\n%q = arith.fptosi %f"))  # fmt: skip
    assert "i < PTRDIFF_MAX" in source
    assert "x_dim1 > 24 / x_dim0" in source
