"""States that loops work on: a buffer in another order where vectors gain by it, none where they do not, and none without vectors."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import CopyOp, GenericOp

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.compiler.pipeline import run_passes
from loomir.passes.loops.memref_order_dimensions import MemrefOrderDimensionsPass

COLUMNS, NUMBERS = 16, 12


def program(trips: int, sums: str = "d0", shape: tuple[int, int] = (COLUMNS, NUMBERS)) -> ModuleOp:
    """A state that each trip adds a row to, and writes the sums of: along its last dimension for `d0`, along its first for `d1`."""
    a, b = shape
    count = a if sums == "d0" else b
    kinds = '"parallel", "reduction"' if sums == "d0" else '"reduction", "parallel"'
    return parse_module(f"""
#same = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0)>
#sums = affine_map<(d0, d1) -> ({sums})>
func.func @main(%h: memref<{a}x{b}xf32> {{loomir.name = "h"}}, %x: memref<{trips}x{a}xf32> {{loomir.name = "x"}},
    %out: memref<{a}x{b}xf32> {{loomir.name = "out", loomir.role = "output"}},
    %ys: memref<{trips}x{count}xf32> {{loomir.name = "ys", loomir.role = "output"}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = arith.constant {trips} : index
  %zero = arith.constant 0.0 : f32
  linalg.copy ins(%h : memref<{a}x{b}xf32>) outs(%out : memref<{a}x{b}xf32>)
  scf.for %t = %c0 to %trips step %c1 {{
    %xt = memref.subview %x[%t, 0] [1, {a}] [1, 1] : memref<{trips}x{a}xf32> to memref<1x{a}xf32, strided<[{a}, 1], offset: ?>>
    %row = memref.collapse_shape %xt [[0, 1]] : memref<1x{a}xf32, strided<[{a}, 1], offset: ?>>
        into memref<{a}xf32, strided<[1], offset: ?>>
    linalg.generic {{indexing_maps = [#column, #same, #same], iterator_types = ["parallel", "parallel"]}}
        ins(%row, %out : memref<{a}xf32, strided<[1], offset: ?>>, memref<{a}x{b}xf32>) outs(%out : memref<{a}x{b}xf32>) {{
    ^bb0(%p: f32, %q: f32, %old: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }}
    %yt = memref.subview %ys[%t, 0] [1, {count}] [1, 1] : memref<{trips}x{count}xf32>
        to memref<1x{count}xf32, strided<[{count}, 1], offset: ?>>
    %y = memref.collapse_shape %yt [[0, 1]] : memref<1x{count}xf32, strided<[{count}, 1], offset: ?>>
        into memref<{count}xf32, strided<[1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%y : memref<{count}xf32, strided<[1], offset: ?>>)
    linalg.generic {{indexing_maps = [#same, #sums], iterator_types = [{kinds}]}}
        ins(%out : memref<{a}x{b}xf32>) outs(%y : memref<{count}xf32, strided<[1], offset: ?>>) {{
    ^bb0(%p: f32, %acc: f32):
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    }}
  }}
  func.return
}}
""")


def ordered(module: ModuleOp, machine: str = "x86-64-v3") -> ModuleOp:
    MemrefOrderDimensionsPass(machine=machine).apply(make_context(), module)
    module.verify()
    return module


def buffers(module: ModuleOp) -> list[tuple[int, ...]]:
    return [op.memref.type.get_shape() for op in module.walk() if isinstance(op, memref.AllocOp)]


def test_sums_of_rows_want_their_rows_beside_each_other() -> None:
    """The state is in a buffer of the other order in the loop, brought there and back once."""
    module = ordered(program(100))
    assert buffers(module) == [(NUMBERS, COLUMNS)]
    assert not [op for op in module.walk() if isinstance(op, CopyOp)]
    outside = [op for op in module.walk() if isinstance(op, GenericOp) and isinstance(op.parent_op(), FuncOp)]
    assert len(outside) == 2


@pytest.mark.parametrize(
    ("module", "machine"),
    [
        pytest.param(program(100, sums="d1"), "x86-64-v3", id="it lies as it should"),
        pytest.param(program(1), "x86-64-v3", id="the copies cost more"),
        pytest.param(program(100), "generic", id="no vectors"),
        pytest.param(program(100, shape=(192, 1)), "x86-64-v3", id="one dimension of elements"),
    ],
)
def test_nothing_changes_where_nothing_is_gained(module: ModuleOp, machine: str) -> None:
    before = str(module)
    assert str(ordered(module, machine)) == before


@pytest.mark.parametrize("machine", ["generic", "x86-64-v3", "x86-64-v4"])
def test_results_are_the_same(machine: str) -> None:
    rng = np.random.default_rng(0)
    h, x = (rng.integers(-8, 9, shape).astype(np.float32) for shape in ((COLUMNS, NUMBERS), (100, COLUMNS)))
    module = program(100)
    options = f'{{machine="{machine}"}}'
    passes = ("memref-order-dimensions", "linalg-pack-weights", "lower-linalg-to-loops")
    run_passes(module, ",".join(f"{name}{options}" for name in passes))
    result = LoopsEngine(module)({"h": h, "x": x})
    states = h + np.cumsum(x, axis=0)[:, :, None]
    np.testing.assert_array_equal(result["out"], states[-1])
    np.testing.assert_array_equal(result["ys"], states.sum(axis=2))
