"""Vectors read and write memory as scalars do: what a nest of them may write over, and when it ends what a buffer held."""

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


def doubled(step: str, load: str, store: str) -> ModuleOp:
    """%b = 2 · %a, by vectors or not; %a is a copy of the input, %b is copied to the output."""
    return parse_module(
        f"""func.func @main(%x: memref<64xf32> {{loomir.name = "x", loomir.role = "input"}},
          %y: memref<64xf32> {{loomir.name = "y", loomir.role = "output"}}) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c8 = arith.constant 8 : index
        %c57 = arith.constant 57 : index
        %a = memref.alloc() : memref<64xf32>
        %b = memref.alloc() : memref<64xf32>
        "memref.copy"(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
        "memref.copy"(%x, %b) : (memref<64xf32>, memref<64xf32>) -> ()
        scf.for %i = %c0 to %c57 step {step} {{
          {load}
          {store}
        }}
        "memref.copy"(%b, %y) : (memref<64xf32>, memref<64xf32>) -> ()
        func.return }}"""
    )


LOAD = """%v = vector.load %a[%i] : memref<64xf32>, vector<8xf32>
          %w = arith.addf %v, %v : vector<8xf32>"""
BROADCAST = """%s = memref.load %a[%i] : memref<64xf32>
          %v = vector.broadcast %s : f32 to vector<8xf32>
          %w = arith.addf %v, %v : vector<8xf32>"""
WIDER = """%u = vector.load %a[%i] : memref<64xf32>, vector<8xf32>
          %t = arith.constant dense<2.0> : vector<4xf32>
          %v = vector.load %a[%i] : memref<64xf32>, vector<4xf32>
          %w = arith.mulf %v, %t : vector<4xf32>"""
STORE = "vector.store %w, %b[%i] : memref<64xf32>, vector<8xf32>"


def without_second_copy(module: ModuleOp) -> ModuleOp:
    """The program in which nobody has written %b before the nest."""
    copies = [op for op in main_function(module).body.block.ops if op.name == "memref.copy"]
    copies[1].detach()
    copies[1].erase()
    return module


def check(module: ModuleOp, arena: int) -> None:
    feed = {"x": np.arange(64, dtype=np.float32)}
    before = LoopsEngine(module)(feed)["y"]
    assert plan(main_function(module)).arena_bytes == arena
    PlanMemoryPass().apply(make_context(), module)
    after = LoopsEngine(module)(feed)["y"]
    written = ~np.isnan(before)
    assert after[written].tobytes() == before[written].tobytes()


def test_vectors_are_written_over_what_they_are_made_of() -> None:
    check(without_second_copy(doubled("%c8", LOAD, STORE)), ONE)


@pytest.mark.parametrize(
    ("step", "load", "store"),
    [
        ("%c4", LOAD, STORE),
        ("%c1", LOAD, STORE),
        ("%c8", BROADCAST, STORE),
        ("%c8", WIDER, STORE.replace("8xf32", "4xf32")),
    ],
    ids=["overlapping", "by one", "another width", "two widths"],
)
def test_where_iterations_meet_they_are_not(step: str, load: str, store: str) -> None:
    check(without_second_copy(doubled(step, load, store)), TWO)


def test_a_nest_of_vectors_ends_what_a_buffer_held() -> None:
    """%b is a copy of the input until the nest has written all of it: nobody needs that copy, or room for it."""
    text = """func.func @main(%x: memref<64xf32> {loomir.name = "x", loomir.role = "input"},
          %y: memref<64xf32> {loomir.name = "y", loomir.role = "output"}) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %cSTEP = arith.constant STEP : index
        %c64 = arith.constant 64 : index
        %t = arith.constant dense<2.0> : vector<8xf32>
        %a = memref.alloc() : memref<64xf32>
        %b = memref.alloc() : memref<64xf32>
        scf.for %k = %c0 to %c64 step %c1 {
          "memref.copy"(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
          "memref.copy"(%a, %y) : (memref<64xf32>, memref<64xf32>) -> ()
          scf.for %i = %c0 to %c64 step %cSTEP {
            vector.store %t, %b[%i] : memref<64xf32>, vector<8xf32>
          }
          "memref.copy"(%b, %y) : (memref<64xf32>, memref<64xf32>) -> ()
        }
        func.return }"""
    check(parse_module(text.replace("STEP", "8")), ONE)
    check(parse_module(text.replace("STEP", "16")), TWO)
