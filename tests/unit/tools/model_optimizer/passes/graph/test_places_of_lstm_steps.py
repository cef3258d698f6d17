"""Where an iteration's step is, and which values are the same matrix: `ov-loop-to-lstm-sequence` takes exactly what is so."""

from __future__ import annotations

import numpy as np
import pytest

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.pipeline import run_passes
from tests.support import assert_all_agree
from tests.unit.passes.graph.counted_loops import loops_of, program
from tests.unit.tools.model_optimizer.passes.graph.written_lstm import Written, loop_text

STATE = "tensor<4x4xf32>"

BACKWARDS = f"""
func.func @main(%x: tensor<4x?x4xf32>, %u: tensor<4x?x4xf32>, %h0: {STATE}, %w: {STATE}, %r: {STATE},
                %b: tensor<4xf32>, %l: tensor<4xi32>) -> {STATE} {{
  %axes = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %order = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %extents = ov.shape_of %x : (tensor<4x?x4xf32>) -> tensor<3xi64>
  %steps = ov.gather %extents, %one, %zero : (tensor<3xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %trip = ov.maximum %steps, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %end = ov.subtract %steps, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %hn = ov.loop trip(%trip) carried(%h0) sliced(%x)
    {{slices = [#ov.slice<axis = 1, start = -1, end = 0, stride = -1>]}} : (tensor<i64>, {STATE}, tensor<4x?x4xf32>) -> {STATE} {{
  ^bb0(%i: tensor<i64>, %h: {STATE}, %part: tensor<4x1x4xf32>):
    %step = ov.squeeze %part, %axes : (tensor<4x1x4xf32>, tensor<1xi64>) -> {STATE}
    %old = ov.transpose %h, %order : ({STATE}, tensor<2xi64>) -> {STATE}
    %new = ov.rnn_cell %step, %old, %w, %r, %b {{hidden_size = 4}} : ({STATE}, {STATE}, {STATE}, {STATE}, tensor<4xf32>) -> {STATE}
    %place = ov.subtract %end, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %short = ov.convert %place {{destination_type = i32}} : (tensor<i64>) -> tensor<i32>
    %less = ov.less %short, %l : (tensor<i32>, tensor<4xi32>) -> tensor<4xi1>
    %valid = ov.unsqueeze %less, %axes : (tensor<4xi1>, tensor<1xi64>) -> tensor<4x1xi1>
    %kept = ov.select %valid, %new, %h : (tensor<4x1xi1>, {STATE}, {STATE}) -> {STATE}
    ov.next carried(%kept : {STATE})
  }}
  func.return %hn : {STATE}
}}"""
"""Backwards over open steps, as many rows as columns; rows end at their lengths."""

OTHERS = {
    "rows-are-columns": ("dense<[0, 1]>", "dense<[1, 0]>"),
    "end-is-two-before": ("%end = ov.subtract %steps, %one", "%two = ov.add %one, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>\n"
                          "  %end = ov.subtract %steps, %two"),
    "end-is-of-something-else": ("%end = ov.subtract %steps, %one", "%end = ov.subtract %zero, %one"),
    "end-less-the-end": ("%place = ov.subtract %end, %i", "%place = ov.subtract %end, %end"),
    "counted-forwards": ("%place = ov.subtract %end, %i", "%place = ov.subtract %i, %zero"),
    "three-trips-at-least": ("%trip = ov.maximum %steps, %zero", "%three = ov.constant dense<3> : tensor<i64> : tensor<i64>\n"
                             "  %trip = ov.maximum %steps, %three"),
    "extent-of-another-tensor": ("%extents = ov.shape_of %x", "%extents = ov.shape_of %u"),
    "extent-of-another-axis": ("ov.gather %extents, %one,", "ov.gather %extents, %zero,"),
    "fewer-bits": ("{destination_type = i32} : (tensor<i64>) -> tensor<i32>\n", "{destination_type = i8} : (tensor<i64>) -> tensor<i8>\n"
                   "    %wide = ov.convert %short {destination_type = i32} : (tensor<i8>) -> tensor<i32>\n"),
    "state-becomes-another": ("%new, %h : (tensor<4x1xi1>", "%new, %step : (tensor<4x1xi1>"),
}  # fmt: skip
"""Replacements after which the loop is no sequence."""


def test_backwards_with_lengths() -> None:
    module = program(BACKWARDS)
    after = module.clone()
    run_passes(after, "ov-loop-to-lstm-sequence", verify_each=True)
    assert loops_of(after) == []
    rng = np.random.default_rng(2)
    shapes = {"x": (4, 3, 4), "u": (4, 3, 4), "h0": (4, 4), "w": (4, 4), "r": (4, 4), "b": (4,)}
    feed = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    feed["l"] = np.array([0, 1, 2, 9], np.int32)
    assert_all_agree(GraphEngine(after)(feed), GraphEngine(module)(feed))


@pytest.mark.parametrize("name", OTHERS)
def test_another_place_stays(name: str) -> None:
    old, new = OTHERS[name]
    text = BACKWARDS.replace(old, new)
    assert text != BACKWARDS
    if name == "fewer-bits":
        text = text.replace("ov.less %short", "ov.less %wide")
    module = program(text)
    run_passes(module, "ov-loop-to-lstm-sequence", verify_each=True)
    assert len(loops_of(module)) == 1


@pytest.mark.parametrize("end", [3, 5])
def test_gathered_from_another_end_stays(end: int) -> None:
    text = loop_text(Written(taken="gather-backwards"))
    module = program(text.replace("%end = ov.constant dense<4>", f"%end = ov.constant dense<{end}>"))
    run_passes(module, "ov-loop-to-lstm-sequence", verify_each=True)
    assert len(loops_of(module)) == 1


def test_other_rows_of_the_same_elements_stay() -> None:
    """A part of two rows of 8 read as four rows of 4."""
    text = BACKWARDS.replace("tensor<4x?x4xf32>", "tensor<2x5x8xf32>").replace(
        "tensor<4x1x4xf32>", "tensor<2x1x8xf32>"
    )
    text = text.replace("%step = ov.squeeze %part, %axes", "%step = ov.reshape %part, %square")
    text = text.replace("tensor<2x1x8xf32>, tensor<1xi64>) ->", "tensor<2x1x8xf32>, tensor<2xi64>) ->")
    square = "%square = ov.constant dense<4> : tensor<2xi64> : tensor<2xi64>\n"
    module = program(text.replace("  %one =", f"  {square}  %one ="))
    run_passes(module, "ov-loop-to-lstm-sequence", verify_each=True)
    assert len(loops_of(module)) == 1
