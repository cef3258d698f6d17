"""Buffers of which a view of an unknown size is written or read take another order like any."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.passes.loops.lower_linalg_to_loops import LowerLinalgToLoopsPass
from loomir.passes.loops.memref_order_dimensions import MemrefOrderDimensionsPass

# A product whose results come columns first; the first n columns are doubled into a buffer of the same order, from column %at on.
PROGRAM = """
#xa = affine_map<(a, b, c) -> (a, c)>
#wb = affine_map<(a, b, c) -> (c, b)>
#turned = affine_map<(a, b, c) -> (b, a)>
#back = affine_map<(a, b) -> (b, a)>
#same = affine_map<(a, b) -> (a, b)>
func.func @main(%n: index {loomir.name = "n"}, %at: index {loomir.name = "at"}, %x: memref<32x16xf32> {loomir.name = "x"},
    %w: memref<16x64xf32> {loomir.name = "w"}, %o: memref<32x64xf32> {loomir.name = "o", loomir.role = "output"}) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<64x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<64x32xf32>)
  linalg.generic {indexing_maps = [#xa, #wb, #turned], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<32x16xf32>, memref<16x64xf32>) outs(%t : memref<64x32xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  %u = memref.alloc() : memref<64x32xf32>
  linalg.fill ins(%zero : f32) outs(%u : memref<64x32xf32>)
  %tv = memref.subview %t[0, 0] [%n, 32] [1, 1] : memref<64x32xf32> to memref<?x32xf32, strided<[32, 1]>>
  %uv = memref.subview %u[%at, 0] [%n, 32] [1, 1] : memref<64x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%tv : memref<?x32xf32, strided<[32, 1]>>) outs(%uv : memref<?x32xf32, strided<[32, 1], offset: ?>>) {
  ^bb0(%p: f32, %old: f32):
    %s = arith.addf %p, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel", "parallel"]}
      ins(%u : memref<64x32xf32>) outs(%o : memref<32x64xf32>) {
  ^bb0(%p: f32, %old: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  }
  func.return
}
"""


@pytest.mark.parametrize("machine", ["generic", "x86-64-v3"])
def test_views_follow_their_buffers(machine: str) -> None:
    module = parse_module(PROGRAM)
    MemrefOrderDimensionsPass(machine=machine).apply(make_context(), module)
    module.verify()
    shapes = [op.memref.type.get_shape() for op in module.walk() if isinstance(op, memref.AllocOp)]
    assert shapes == [(32, 64), (32, 64)]
    views = [op.result.type for op in module.walk() if isinstance(op, memref.SubviewOp)]
    assert [view.get_shape() for view in views if isinstance(view, MemRefType)] == [(32, DYNAMIC_INDEX)] * 2
    plain = parse_module(PROGRAM)
    for each in (module, plain):
        LowerLinalgToLoopsPass(machine=machine).apply(make_context(), each)
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((32, 16), (16, 64)))
    for n, at in ((0, 0), (1, 63), (7, 3), (64, 0), (40, 24)):
        wanted = np.zeros((32, 64), np.float32)
        wanted[:, at : at + n] = -2 * (x @ w)[:, :n]
        feed = {"n": np.int64(n), "at": np.int64(at), "x": x, "w": w}
        for each in (module, plain):
            np.testing.assert_array_equal(LoopsEngine(each)(feed)["o"], wanted)
