"""Many programs in one C file: each gives its own results, and one that is wrong hides no other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from loomir.compiler.engines import native
from loomir.compiler.engines.compiled import CompiledFunction
from loomir.compiler.engines.libraries import CompilerRejection
from loomir.compiler.engines.native import compile_batch, unit_text
from loomir.compiler.formats.c.emit import emit_c
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.errors import Error
from tests.support import raises_error

MODEL = """
builtin.module attributes {{loomir.name = "{name}"}} {{
  func.func @main(%x: memref<4xi32> {{loomir.name = "x", loomir.role = "input"}},
      %w: memref<4xi32> {{loomir.blob = dense<{weight}> : tensor<4xi32>}},
      %y: memref<4xi32> {{loomir.name = "y", loomir.role = "output"}}) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %limit = arith.constant 100 : i32
    scf.for %i = %c0 to %c4 step %c1 {{
      %v = memref.load %x[%i] : memref<4xi32>
      %ok = arith.cmpi slt, %v, %limit : i32
      cf.assert %ok, "index: too large"
      %f = memref.load %w[%i] : memref<4xi32>
      %p = arith.{operation} %v, %f : i32
      memref.store %p, %y[%i] : memref<4xi32>
    }}
    func.return
  }}
}}"""

FEED: Mapping[str, object] = {"x": np.array([1, -2, 3, 40], np.int32)}


def module(name: str, weight: int, operation: str = "addi"):
    return parse_module(MODEL.format(name=name, weight=weight, operation=operation))


def functions(results: list[CompiledFunction | Exception]) -> list[CompiledFunction]:
    assert all(isinstance(r, CompiledFunction) for r in results), results
    return [r for r in results if isinstance(r, CompiledFunction)]


def test_each_program_is_its_own() -> None:
    # All use one runtime helper (addition that wraps), each under its own name.
    made = functions(compile_batch([module(f"m{k}", k) for k in range(12)], flags=["-Werror", "-Wall"]))
    for k, function in enumerate(made):
        np.testing.assert_array_equal(function(FEED)["y"], np.array([1, -2, 3, 40]) + k)


def test_an_error_names_its_model() -> None:
    _, second = functions(compile_batch([module("first", 1), module("second", 2)]))
    with raises_error("runtime-index", "second"):
        second({"x": np.array([1, 2, 3, 100], np.int32)})


def test_nothing() -> None:
    assert compile_batch([]) == []


def test_what_cannot_be_emitted_is_told_in_its_place() -> None:
    bad = parse_module("builtin.module {}")
    first, second, third = compile_batch([module("a", 1), bad, module("c", 3)])
    assert isinstance(second, Error)
    assert second.identifier == "c-no-main"
    assert isinstance(first, CompiledFunction)
    assert isinstance(third, CompiledFunction)
    np.testing.assert_array_equal(third(FEED)["y"], [4, 1, 6, 43])


def test_what_does_not_compile_is_told_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    units: list[int] = []

    def broken(codes) -> str:
        units.append(len(codes))
        return unit_text(codes).replace("p5_run(", "p5_run)")

    monkeypatch.setattr(native, "unit_text", broken)
    results = compile_batch([module(f"m{k}", k) for k in range(8)])
    assert [k for k, r in enumerate(results) if isinstance(r, CompilerRejection)] == [5]
    assert "p5_run" in str(results[5])
    assert units == [8, 4, 4, 2, 1, 1, 2]
    for k in (0, 4, 6, 7):
        result = results[k]
        assert isinstance(result, CompiledFunction)
        np.testing.assert_array_equal(result(FEED)["y"], np.array([1, -2, 3, 40]) + k)


def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (function,) = functions(compile_batch([module("m", 1, "muli")]))
    assert list(tmp_path.iterdir()) == []
    np.testing.assert_array_equal(function(FEED)["y"], [1, -2, 3, 40])


def test_prefixes_must_differ() -> None:
    code = emit_c(module("m", 1), "p0", weights="pointer")
    with pytest.raises(AssertionError, match="one prefix"):
        unit_text([code, code])
