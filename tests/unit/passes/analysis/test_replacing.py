"""Buffers that a nest over tiles may write over its input.

They are recognised by the size of the remaining arena.
"""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.dialects.interface import main_function
from loomir.passes.loops.plan_memory import PlanMemoryPass, plan

ONE, TWO = 256, 512
"""The arena's bytes where the buffers share, and where they do not."""


def tiled(step: str = "%c8", lower: str = "%c0", upper: str = "%c8", index: str = "%i, %j") -> ModuleOp:
    """%b = 2 · %a, tile by tile; %a is a copy of the input, %b is copied to the output."""
    return parse_module(
        f"""builtin.module {{ func.func @main(%n: index, %x: memref<64xf32> {{loomir.role = "input"}},
          %y: memref<64xf32> {{loomir.role = "output"}}) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c8 = arith.constant 8 : index
        %c64 = arith.constant 64 : index
        %a = memref.alloc() : memref<64xf32>
        %b = memref.alloc() : memref<64xf32>
        "memref.copy"(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
        scf.for %i = %c0 to %c64 step {step} {{
          scf.for %j = {lower} to {upper} step %c1 {{
            %k = arith.addi {index} : index
            %v = memref.load %a[%k] : memref<64xf32>
            %w = arith.addf %v, %v : f32
            memref.store %w, %b[%k] : memref<64xf32>
          }}
        }}
        "memref.copy"(%b, %y) : (memref<64xf32>, memref<64xf32>) -> ()
        func.return }} }}"""
    )


def arena(module: ModuleOp) -> int:
    return plan(main_function(module)).arena_bytes


@pytest.mark.parametrize("index", ["%i, %j", "%j, %i"])
def test_a_tile_writes_over_what_it_reads(index: str) -> None:
    module = tiled(index=index)
    assert arena(module) == ONE
    PlanMemoryPass().apply(make_context(), module)
    x = np.arange(64, dtype=np.float32)
    (y,) = LoopsEngine(module)({"arg0": np.int64(8), "arg1": x}).values()
    np.testing.assert_array_equal(y, 2 * x)


def test_elements_of_a_tile_need_not_begin_at_zero_nor_fill_it() -> None:
    assert arena(tiled(lower="%c4")) == ONE
    assert arena(tiled(upper="%c4")) == ONE


def test_tiles_that_overlap_come_back_to_an_element() -> None:
    assert arena(tiled(step="%c4")) == TWO


def test_tiles_of_an_unknown_size_may_overlap() -> None:
    assert arena(tiled(upper="%n")) == TWO
    assert arena(tiled(step="%n")) == TWO


def test_every_loop_counts() -> None:
    """With %j alone, every tile comes back to the same elements; with %i alone, each element of a tile does."""
    assert arena(tiled(index="%j, %c0")) == TWO
    assert arena(tiled(index="%i, %c0")) == TWO
    assert arena(tiled(index="%i, %i")) == TWO
