"""Every pass that rewrites loops tells of each loop what it did, or why it left it."""

from __future__ import annotations

import pytest
from xdsl.dialects import scf

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.levels import LEVELS
from loomir.compiler.pipeline import parse_pipeline, run_passes
from loomir.dialects.diagnostics import Remark, layer_name, listening
from loomir.dialects.ov.operators.control_flow import LoopOp

GRAPH_PASSES = (
    "ov-fold-ranges",
    "ov-loop-carry-joined",
    "ov-loop-carry-layout",
    "ov-loop-carry-reductions",
    "ov-loop-closed-forms",
    "ov-loop-collapse",
    "ov-loop-end-frozen",
    "ov-loop-forward-rows",
    "ov-loop-fuse",
    "ov-loop-gather-to-slice",
    "ov-loop-grow-in-place",
    "ov-loop-hoist-products",
    "ov-loop-hoist-products{machine=cortex-a53}",
    "ov-loop-invariant-code-motion",
    "ov-loop-join-parts",
    "ov-loop-last-trip",
    "ov-loop-merge-values",
    "ov-loop-peel",
    "ov-loop-reassociate",
    "ov-loop-reductions",
    "ov-loop-rotate",
    "ov-loop-shift-slices",
    "ov-loop-split",
    "ov-loop-unroll",
    "ov-loop-unroll-residues",
    "ov-loop-whole-axis",
    "ov-loop-unswitch",
    "ov-uplift-while-to-for",
)
GRAPH = """
func.func @main(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %c20 = ov.constant dense<20> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%c20) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
      %e = ov.exp %u : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%e : tensor<4xf32>)
    } loc("Inner")
    %t = ov.negative %s : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%t : tensor<4xf32>)
  } loc("Outer")
  func.return %r : tensor<4xf32>
}
"""

SCF_PASSES = {
    "licm": ("For", "While"),
    "scf-for-loop-peeling": ("For",),
    "scf-unroll": ("For",),
    "scf-uplift-while-to-for": ("While",),
}
SCF = """
func.func @main(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (f32) {
    %w = arith.addf %v, %v : f32
    scf.yield %w : f32
  } loc("For")
  %q = scf.while (%a = %r) : (f32) -> f32 {
    %c = arith.cmpf olt, %a, %x : f32
    scf.condition(%c) %a : f32
  } do {
  ^bb0(%b: f32):
    %z = arith.addf %b, %x : f32
    scf.yield %z : f32
  } loc("While")
  func.return %q : f32
}
"""


def told(text: str, passes: str) -> dict[str | None, int]:
    """The number of remarks of each loop, by layer."""
    module = parse_module(text)
    found = {layer_name(op): 0 for op in module.walk() if isinstance(op, LoopOp | scf.ForOp | scf.WhileOp)}
    heard: list[Remark] = []
    with listening(heard.append):
        run_passes(module, passes)
    for remark in heard:
        if remark.layer in found:
            found[remark.layer] += 1
    return found


@pytest.mark.parametrize("name", GRAPH_PASSES)
def test_graph_pass(name: str) -> None:
    assert told(GRAPH, name) == {"Outer": 1, "Inner": 1}


@pytest.mark.parametrize("name", SCF_PASSES)
def test_scf_pass(name: str) -> None:
    counts = told(SCF, name)
    assert {layer: counts[layer] for layer in SCF_PASSES[name]} == dict.fromkeys(SCF_PASSES[name], 1)


def test_all_passes_on_loops_are_here() -> None:
    """The passes that a level names for loops are those of this test."""

    used = {each.partition("{")[0] for steps in LEVELS.values() for step in steps.values() for each in step}
    loops = {name for name in used if "loop" in name or "while" in name or name == "licm"}
    known = {parse_pipeline(each).passes[0].name for each in (*GRAPH_PASSES, *SCF_PASSES)}
    # These lower every loop, or the operations between loops.
    assert loops - known == {"convert-ov-loop-to-scf", "lower-linalg-to-loops"}
