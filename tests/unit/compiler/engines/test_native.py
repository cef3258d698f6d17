"""Compiled and called: results, statuses, the cache, and what is said without a compiler."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from loomir.compiler.engines.compiled import SHORT, aligned_array
from loomir.compiler.engines.native import NativeFunction, build_program, run_program
from loomir.compiler.formats.c.emit import emit_c
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.passes.analysis.machines import machine_of
from tests.support import raises_error
from tests.support_tools import needs

MODEL = """
builtin.module attributes {loomir.name = "counter"} {
  func.func @main(%x: memref<8xf32> {loomir.name = "x", loomir.role = "input", loomir.type = tensor<?xf32>},
      %n: index {loomir.dim = "x:0"},
      %k: i8 {loomir.name = "k", loomir.role = "input", loomir.type = tensor<ui8>},
      %h: f16 {loomir.name = "h", loomir.role = "input"},
      %b: i1 {loomir.name = "b", loomir.role = "input"},
      %w: memref<8xf32> {loomir.blob = dense<2.0> : tensor<8xf32>},
      %y: memref<8xf32> {loomir.name = "y", loomir.role = "output", loomir.type = tensor<?xf32>},
      %arena: memref<32xi8> {loomir.role = "arena", loomir.align = 16 : i64})
      -> (index {loomir.dim = "y:0"}, i8 {loomir.name = "k2", loomir.type = tensor<ui8>},
          f16 {loomir.name = "h2"}, i1 {loomir.name = "b2"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %true = arith.constant true
    %t = memref.view %arena[%c0][] : memref<32xi8> to memref<8xf32>
    %ok = arith.cmpi sle, %n, %c5 : index
    cf.assert %ok, "CLASS: too many"
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%i] : memref<8xf32>
      %f = memref.load %w[%i] : memref<8xf32>
      %p = arith.mulf %v, %f : f32
      memref.store %p, %t[%i] : memref<8xf32>
    }
    scf.for %i = %c0 to %n step %c1 {
      %p = memref.load %t[%i] : memref<8xf32>
      memref.store %p, %y[%i] : memref<8xf32>
    }
    %k2 = arith.addi %k, %k : i8
    %h2 = arith.addf %h, %h : f16
    %b2 = arith.xori %b, %true : i1
    func.return %n, %k2, %h2, %b2 : index, i8, f16, i1
  }
}"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def feed(n: int) -> dict[str, object]:
    return {
        "x": np.arange(n, dtype=np.float32),
        "k": np.uint8(100),
        "h": np.float16(1.5),
        "b": np.bool_(True),
    }


def test_every_kind_of_port() -> None:
    run = NativeFunction(parse_module(MODEL.replace("CLASS", "index")))
    for n in (0, 3, 5):
        out = run(feed(n))
        np.testing.assert_array_equal(out["y"], 2 * np.arange(n, dtype=np.float32))
        assert (out["k2"], out["h2"], out["b2"]) == (200, 3.0, False)
        assert [out[w].dtype for w in ("k2", "h2", "b2")] == [np.uint8, np.float16, np.bool_]


def test_threads() -> None:
    run = NativeFunction(parse_module(MODEL.replace("CLASS", "index")))
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: run(feed(n % 6)), range(200)))
    for n, out in enumerate(results):
        np.testing.assert_array_equal(out["y"], 2 * np.arange(n % 6, dtype=np.float32))


def test_runtime_errors() -> None:
    def run(kind: str) -> object:
        return NativeFunction(parse_module(MODEL.replace("CLASS", kind)))(feed(6))

    with raises_error("runtime-index", "counter"):
        run("index")
    with raises_error("runtime-capacity", "counter"):
        run("capacity")
    with raises_error("limit-iterations", "counter"):
        run("limit")
    with raises_error("runtime-shape", "counter"):
        run("shape")


def test_compiled_once(tmp_path: Path) -> None:
    module = parse_module(MODEL.replace("CLASS", "index"))
    NativeFunction(module)
    (library,) = (tmp_path / "cache" / "loomir" / "native").iterdir()
    made = library.stat().st_mtime_ns
    NativeFunction(module)
    assert [library.stat().st_mtime_ns] == [p.stat().st_mtime_ns for p in library.parent.iterdir()] == [made]
    NativeFunction(module, flags=["-O0"])
    assert len(list(library.parent.iterdir())) == 2


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/no/such/cc -O2")
    with raises_error("no-c-compiler", "/no/such/cc"):
        NativeFunction(parse_module(MODEL.replace("CLASS", "index")))


def test_a_compiler_that_fails_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="does not compile"):
        NativeFunction(parse_module(MODEL.replace("CLASS", "index")), flags=["-fno-such-option"])


@pytest.mark.parametrize("alignment", [1, 16, 64, 256])
def test_arrays_that_begin_where_they_should(alignment: int) -> None:
    bytes_ = np.arange(400, dtype=np.uint8)
    for first in range(0, 64, 4):
        array = bytes_[first : first + 96].view(np.float32).reshape(4, 6)
        moved = aligned_array(array, alignment)
        assert moved.ctypes.data % alignment == 0
        np.testing.assert_array_equal(moved.view(np.uint8), array.view(np.uint8), strict=True)
        assert moved.flags.c_contiguous
        assert moved is array or array.ctypes.data % alignment
    assert aligned_array(np.array(3.5), alignment) == 3.5
    assert aligned_array(np.zeros((0, 4)), alignment).shape == (0, 4)


@pytest.mark.parametrize("machine", ["generic", "native"])
def test_outputs_begin_where_vectors_do(machine: str) -> None:
    """A store of a vector across two lines of the cache takes several times as long, as do the loads behind it."""
    run = NativeFunction(parse_module(MODEL.replace("CLASS", "index")), machine=machine)
    feed = {"x": np.ones(3, np.float32), "k": np.uint8(1), "h": np.float16(1), "b": np.True_}
    # (Kept, so that each has a place of its own.)
    outputs = [run(feed)["y"] for _ in range(8)]
    assert all(y.ctypes.data % machine_of(machine).alignment == 0 for y in outputs)


def test_only_short_calls_keep_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call releases it; a call that turned out long is followed by one that releases it."""
    function = NativeFunction(parse_module(MODEL.replace("CLASS", "index")))
    kept: list[bool] = []
    monkeypatch.setattr(
        function, "_keeping", lambda *values, run=function._keeping: kept.append(True) or run(*values)
    )
    monkeypatch.setattr(
        function, "_releasing", lambda *values, run=function._releasing: kept.append(False) or run(*values)
    )
    seconds = [10 * SHORT, SHORT / 2, SHORT / 4, 3 * SHORT, 20 * SHORT, SHORT / 2, 0.0]
    now = iter([time for each in seconds for time in (0.0, each)])
    monkeypatch.setattr("loomir.compiler.engines.compiled.perf_counter", lambda: next(now))
    for _ in seconds:
        np.testing.assert_array_equal(function(feed(3))["y"], [0, 2, 4])
    assert kept == [False, False, True, True, False, False, True]


SCALARS = """
builtin.module {
  func.func @main(%n: i64 {loomir.name = "n", loomir.role = "input"}) -> (i64 {loomir.name = "f"}) {
    %f = arith.addi %n, %n : i64
    func.return %f : i64
  }
}
"""


@needs("gcc")
@pytest.mark.parametrize("level", ["-O0", "-O2", "-Os"])
def test_a_program_of_scalars_is_built(level: str, tmp_path: Path) -> None:
    """Its one buffer is the output's; gcc 12 warns of a local pointer given to posix_memalign, once all is inlined."""
    code = emit_c(parse_module(SCALARS), "model")
    build_program(code, tmp_path, compiler=("gcc",), flags=(level,))
    assert run_program(code, tmp_path, {"n": np.array(21)}) == {"f": 42}
