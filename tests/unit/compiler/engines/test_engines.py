"""Engine behaviour around a run: arguments, the arena, poison, repeated calls."""

from __future__ import annotations

import numpy as np
import pytest

from loomir.compiler.engines import InterpreterError, OutOfBoundsError
from loomir.compiler.engines.lowered import LoopsEngine, StructuredEngine
from loomir.compiler.formats.mlir.parser import parse_module
from tests.support import raises_error

PURE = pytest.mark.parametrize("pure", [False, True])

ARENA = """
func.func @main(%x: memref<?KIND> {loomir.name = "x", loomir.role = "input"},
                %w: memref<4xf32> {loomir.blob = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>},
                %y: memref<4xf32> {loomir.name = "y", loomir.role = "output"},
                %a: memref<OPENxi8> {loomir.role = "arena", loomir.align = 16 : i64})
                    -> (i64 {loomir.name = "n"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 4 : i64
  %p = "memref.view"(%a, %c0) : (memref<OPENxi8>, index) -> memref<4xf32>
  %q = "memref.view"(%a, %c16) : (memref<OPENxi8>, index) -> memref<2x2xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %s = memref.load %x[%i] : memref<?KIND>
    %t = memref.load %w[%i] : memref<4xf32>
    %u = arith.mulf %s, %t : f32
    memref.store %u, %p[%i] : memref<4xf32>
  }
  %f = memref.collapse_shape %q [[0, 1]] : memref<2x2xf32> into memref<4xf32>
  "memref.copy"(%p, %f) : (memref<4xf32>, memref<4xf32>) -> ()
  %e = memref.expand_shape %p [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %two = arith.constant 2 : index
    %r = arith.divui %i, %two : index
    %c = arith.remui %i, %two : index
    %s = memref.load %q[%r, %c] : memref<2x2xf32>
    %t = memref.load %e[%c, %r] : memref<2x2xf32>
    %u = arith.addf %s, %t : f32
    memref.store %u, %y[%i] : memref<4xf32>
  }
  func.return %n : i64
}
""".replace("?KIND", "4xf32")


@PURE
def test_a_planned_program_runs_in_its_arena(pure: bool):
    engine = LoopsEngine(parse_module(ARENA.replace("OPEN", "32")), pure=pure)
    x = np.array([1, -2, 3, 5], np.float32)
    w = np.array([1, 2, 3, 4], np.float32)
    for scale in (1, 2):  # every call has a new arena and new outputs
        out = engine({"x": scale * x})
        product = (scale * x * w).reshape(2, 2)
        np.testing.assert_array_equal(out["y"], (product + product.T).reshape(-1))
        assert out["n"] == 4


@PURE
def test_a_view_outside_of_the_arena_is_a_compiler_bug(pure: bool):
    engine = LoopsEngine(parse_module(ARENA.replace("OPEN", "31")), pure=pure)
    with pytest.raises(OutOfBoundsError, match=r"memref\.view: bytes 16 to 32"):
        engine({"x": np.zeros(4, np.float32)})


@PURE
def test_memory_that_was_never_written_shows(pure: bool):
    text = """
func.func @main(%y: memref<2xf32> {loomir.name = "y", loomir.role = "output"},
                %z: memref<2xi16> {loomir.name = "z", loomir.role = "output"}) {
  %a = memref.alloc() : memref<2xf32>
  "memref.copy"(%a, %y) : (memref<2xf32>, memref<2xf32>) -> ()
  func.return
}"""
    out = LoopsEngine(parse_module(text), pure=pure)({})
    assert np.isnan(out["y"]).all()
    assert (out["z"] == -0x5A5B).all()


@PURE
def test_outputs_are_the_callers_own(pure: bool):
    text = """
func.func @main(%x: tensor<2xf32> {loomir.name = "x"}) -> (tensor<2xf32> {loomir.name = "y"}) {
  func.return %x : tensor<2xf32>
}"""
    x = np.ones(2, np.float32)
    out = StructuredEngine(parse_module(text), pure=pure)({"x": x})
    out["y"][:] = 7
    assert (x == 1).all()


@PURE
def test_unsigned_and_scalar_ports(pure: bool):
    text = """
func.func @main(%x: tensor<2xi8> {loomir.name = "x", loomir.type = tensor<2xui8>},
    %k: i16 {loomir.name = "k"}, %b: i1 {loomir.name = "b"})
    -> (tensor<2xi8> {loomir.name = "y", loomir.type = tensor<2xui8>}, i16 {loomir.name = "l"},
        i1 {loomir.name = "c"}) {
  %true = arith.constant true
  %l = arith.addi %k, %k : i16
  %c = arith.xori %b, %true : i1
  func.return %x, %l, %c : tensor<2xi8>, i16, i1
}""".replace(", %k: i16", ",\n  %k: i16").replace(", i16 {", ",\n  i16 {")
    engine = StructuredEngine(parse_module(text), pure=pure)
    out = engine({"x": np.array([200, 3], np.uint8), "k": np.int16(30000), "b": np.bool_(True)})
    np.testing.assert_array_equal(out["y"], np.array([200, 3], np.uint8), strict=True)
    np.testing.assert_array_equal(out["l"], np.array(-5536, np.int16), strict=True)
    np.testing.assert_array_equal(out["c"], np.array(False), strict=True)
    with raises_error("input-dtype", "'k'"):
        engine({"x": np.zeros(2, np.uint8), "k": np.int32(1), "b": np.bool_(True)})


def test_an_internal_error_has_its_place_once():
    text = """
func.func @main(%k: i64 {loomir.name = "k"}) -> f32 {
  %c0 = arith.constant 0 : index
  %t = arith.constant true
  %e = tensor.empty() : tensor<3xf32>
  %i = arith.index_cast %k : i64 to index
  %r = scf.if %t -> (f32) {
    %v = tensor.extract %e[%i] : tensor<3xf32> loc("layer 7")
    scf.yield %v : f32
  } else {
    %z = arith.constant 0.0 : f32
    scf.yield %z : f32
  }
  func.return %r : f32
}"""
    with pytest.raises(InterpreterError) as info:
        StructuredEngine(parse_module(text), pure=True)({"k": np.int64(3)})
    assert str(info.value) == "'layer 7': tensor.extract: index [3] is outside of shape [3]"


def test_an_operation_without_semantics_is_named():
    text = """
func.func @main() {
  "test.op"() : () -> ()
  func.return
}"""
    with pytest.raises(InterpreterError, match=r"test\.op: this engine has no semantics"):
        LoopsEngine(parse_module(text))({})


def test_a_program_needs_main():
    with raises_error("no-main"):
        LoopsEngine(parse_module("func.func @f() {\nfunc.return\n}"))
