"""Tiles that are rows of memory, in C: no warning, the same bits however large a tile is, and arrays that are as far inside as may be."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.engines.native import STRICT, build_program, run_program
from loomir.compiler.formats.c.emit import CCode, emit_c
from loomir.compiler.formats.c.loops import definitions_of_tiles, tile_size, unrolled
from tests.support_c import compile_strict, run_sanitized
from tests.unit.passes.loops.lower_linalg_to_loops.nests import generic, lowered, parse, zeroed

COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
OPTIMISATIONS = ("-O0", "-Os", "-O2", "-O3")
RNG = np.random.default_rng(0)


def products(*columns: int, rows: int = 3, depth: int = 7) -> ModuleOp:
    """A product for each number of columns, one after another: `o0 = x · w0` …"""
    body = ""
    x = f"x: {rows}x{depth}"
    inputs, outputs = [x], []
    for n, count in enumerate(columns):
        w, o = f"w{n}: {depth}x{count}", f"o{n}: {rows}x{count}"
        inputs.append(w)
        outputs.append(o)
        body += zeroed(o) + generic("a, c; c, b; a, b", "ppr", [x, w], [o])
    return lowered(parse(inputs, outputs, body), "generic")


def feed_of(*columns: int, rows: int = 3, depth: int = 7) -> dict[str, np.ndarray]:
    """Numbers whose sums depend on the order in which they are added up."""
    shapes = {"x": (rows, depth)} | {f"w{n}": (depth, count) for n, count in enumerate(columns)}
    return {name: RNG.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


COLUMNS = (4, 8, 12, 16, 24, 32, 96)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_bits_are_the_same_with_any_tile(compiler: str, tmp_path: Path) -> None:
    """Tiles of four, of eight, and whole ones: each sum is added up in its own order, without a warning."""
    module, feed = products(*COLUMNS), feed_of(*COLUMNS)
    wanted = LoopsEngine(module, pure=True)(feed)
    code = emit_c(module, "model")
    given = [(), *(f"-DLOOMIR_TILE(n)={size}" for size in ("4", "((n)<16?4:8)"))]
    for flags in ((o, *([define] if define else [])) for o, define in product(OPTIMISATIONS, given)):
        # (Who defines one macro defines both; that of a loop says nothing here.)
        flags = (*flags, "-DLOOMIR_UNROLL(n)=") if len(flags) > 1 else flags
        build_program(code, tmp_path, compiler=(compiler,), flags=flags)
        got = run_program(code, tmp_path, feed)
        for name, expected in wanted.items():
            assert got[name].tobytes() == expected.tobytes(), f"{name}: {flags}"


def test_nothing_is_undefined() -> None:
    run_sanitized(products(*COLUMNS), feed_of(*COLUMNS))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_two_models_in_one_file(compiler: str, tmp_path: Path) -> None:
    codes = [emit_c(products(32), name) for name in ("first", "second")]
    for code in codes:
        compile_strict(code, tmp_path, compiler)
    (tmp_path / "both.c").write_text('#include "first.c"\n#include "second.c"\n')
    for flags in ("-O2", "-Os"):
        subprocess.run(
            [compiler, *STRICT, flags, "-c", "both.c", "-o", "both.o"], cwd=tmp_path, check=True, timeout=60
        )


def arrays(code: CCode) -> list[tuple[int, str]]:
    """How far in each array is, and its size."""
    found = re.finditer(r"^( *)float \w+\[(.*)\];$", code.source, re.MULTILINE)
    return [(len(match[1]) // 4, match[2]) for match in found]


def test_arrays_are_inside_of_the_loops_over_tiles() -> None:
    """So those of nests that follow each other share their place on the stack; none is declared where all are alive at once."""
    code = emit_c(products(32, 96), "model")
    assert arrays(code) == [(3, "LOOMIR_TILE(32)"), (3, "LOOMIR_TILE(32)")]
    assert code.arena_bytes == 0


def test_who_has_no_tiles_has_no_macros() -> None:
    assert "LOOMIR_TILE" not in emit_c(products(10), "model").source
    assert definitions_of_tiles(["LOOMIR_LANES"]) == []
    assert definitions_of_tiles([tile_size(8).split("(")[0]]) != []


def test_texts() -> None:
    assert tile_size(32) == "LOOMIR_TILE(32)"
    assert unrolled("16") == "LOOMIR_UNROLL(16)"
