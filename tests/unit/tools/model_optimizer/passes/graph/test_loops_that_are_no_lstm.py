"""Loops that are nearly sequences of LSTM cells: `ov-loop-to-lstm-sequence` leaves them, and says why."""

from __future__ import annotations

import pytest

from loomir.compiler.pipeline import run_passes
from loomir.dialects.diagnostics import Remark, listening
from loomir.dialects.ov.operators.control_flow import LoopOp
from tests.unit.passes.graph.counted_loops import program
from tests.unit.tools.model_optimizer.passes.graph.written_lstm import Written, loop_text

PLAIN = Written()
GATHERED = Written(product="xh", time="TNI", taken="gather")
NEXT = "    ov.next carried(%next_h, %next_c "
STATE = "tensor<2x4xf32>"
LENGTHS = """    %lengths = ov.constant dense<[3, 4]> : tensor<2xi64> : tensor<2xi64>
    %front = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
    %less = ov.less %i, %lengths : (tensor<i64>, tensor<2xi64>) -> tensor<2xi1>
    %valid = ov.unsqueeze %less, %front : (tensor<2xi1>, tensor<1xi64>) -> tensor<2x1xi1>
"""
TYPES = f"tensor<2x1xi1>, {STATE}, {STATE}) -> {STATE}"
KEPT = f"""    %kept_h = ov.select %valid, %next_h, %h : ({TYPES}
    %kept_c = ov.select %valid, %next_c, %c : ({TYPES}
    ov.next carried(%kept_h, %kept_c """
DOUBLED = "%w0 = ov.add %v2, %v2 : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x16xf32>\n    " + "".join(
    f"%w{k + 1} = ov.add %w{k}, %w{k} : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x16xf32>\n    "
    for k in range(40)
)
WIDEST = "%last = ov.constant dense<1> : tensor<i64> : tensor<i64>\n    "


def widest(name: str, of: str, columns: int) -> str:
    """The largest of each row."""
    shape = f"tensor<2x{columns}xf32>"
    return f"{name} = ov.reduce_max {of}, %last {{keep_dims = true}} : ({shape}, tensor<i64>) -> tensor<2x1xf32>\n    "


Edit = tuple[str, str]

NEAR_MISSES: dict[str, tuple[Written, list[Edit], str]] = {
    "c-is-a-difference": (
        PLAIN,
        [("%v12 = ov.add", "%v12 = ov.subtract")],
        "its carried values are not the h and c of an LSTM",
    ),
    "h-is-a-sum": (
        PLAIN,
        [("%v14 = ov.multiply", "%v14 = ov.add")],
        "its carried values are not the h and c of an LSTM",
    ),
    "f-of-h": (
        PLAIN,
        [("%v10 = ov.multiply %old_c", "%v10 = ov.multiply %old_h")],
        "no part of the next c is f ⊙ c",
    ),
    "sum-of-i-and-g": (PLAIN, [("%v11 = ov.multiply", "%v11 = ov.add")], "i ⊙ g is not a product"),
    "tanh-of-the-old-c": (
        PLAIN,
        [("%v13 = ov.tanh %v12", "%v13 = ov.tanh %old_c")],
        "the next h is not o ⊙ tanh(c)",
    ),
    "i-and-g-of-a-column": (
        PLAIN,
        [
            (
                "%v11 = ov.multiply %v9, %v7  : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>",
                WIDEST
                + widest("%u", "%v9", 4)
                + widest("%v", "%v7", 4)
                + "%v11 = ov.multiply %u, %v : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>",
            ),
            ("%v12 = ov.add %v11, %v10  : (tensor<2x4xf32>", "%v12 = ov.add %v11, %v10 : (tensor<2x1xf32>"),
        ],
        "an operand of a state has another shape than the states",
    ),
    "product-of-a-column": (
        PLAIN,
        [
            (
                "%v2 = ov.add %v0, %v1  : (tensor<2x16xf32>, tensor<2x16xf32>)",
                WIDEST
                + widest("%u", "%v1", 16)
                + "%v2 = ov.add %v0, %u : (tensor<2x16xf32>, tensor<2x1xf32>)",
            )
        ],
        "an addend of a gate has another shape",
    ),
    "weights-of-the-body": (
        PLAIN,
        [
            (
                "%v1 = ov.mat_mul %old_h, %r",
                "%rr = ov.add %r, %r : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>\n"
                "    %v1 = ov.mat_mul %old_h, %rr",
            )
        ],
        "a product is not one of x or h with a matrix from outside",
    ),
    "weights-of-rank-3": (
        PLAIN,
        [
            ("tensor<16x3xf32>", "tensor<1x16x3xf32>"),
            (
                "%v0 = ov.mat_mul %step, %w {transpose_b = true} : (tensor<2x3xf32>, tensor<1x16x3xf32>) -> tensor<2x16xf32>",
                "%m = ov.mat_mul %step, %w {transpose_b = true} : (tensor<2x3xf32>, tensor<1x16x3xf32>) -> tensor<1x2x16xf32>\n"
                "    %v0 = ov.squeeze %m : (tensor<1x2x16xf32>) -> tensor<2x16xf32>",
            ),
        ],
        "a matrix has another rank than 2, or dynamic extents",
    ),
    "many-terms": (
        PLAIN,
        [("%v3 = ov.add %b, %v2", DOUBLED + "%v3 = ov.add %b, %w40")],
        "a gate has more than 32 terms",
    ),
    "three-carried": (
        PLAIN,
        [
            (
                "%hn, %cn, %y = ov.loop carried(%h0, %c0)",
                "%hn, %cn, %an, %y = ov.loop carried(%h0, %c0, %h0)",
            ),
            (
                "(tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>)",
                f"({STATE}, {STATE}, {STATE}, tensor<2x5x3xf32>)",
            ),
            ("%c: tensor<2x4xf32>,", "%c: tensor<2x4xf32>, %a: tensor<2x4xf32>,"),
            (
                "-> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {\n  ^bb0",
                f"-> ({STATE}, {STATE}, {STATE}, tensor<2x5x4xf32>) {{\n  ^bb0",
            ),
            (
                "carried(%next_h, %next_c : tensor<2x4xf32>,",
                f"carried(%next_h, %next_c, %v6 : {STATE}, {STATE},",
            ),
        ],
        "it carries 3 values, an LSTM h and c",
    ),
    "two-inputs-cut": (
        PLAIN,
        [
            ("sliced(%x) {slices = [", "sliced(%x, %x) {slices = [#ov.slice<axis = 1>, "),
            (
                "tensor<2x4xf32>, tensor<2x5x3xf32>) ->",
                "tensor<2x4xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>) ->",
            ),
            ("%part: tensor<2x1x3xf32>)", "%part: tensor<2x1x3xf32>, %other: tensor<2x1x3xf32>)"),
        ],
        "it slices 2 inputs",
    ),
    "unknown-rank": (
        PLAIN,
        [
            ("%x: tensor<2x5x3xf32>", "%x: tensor<*xf32>"),
            ("tensor<2x4xf32>, tensor<2x5x3xf32>) ->", "tensor<2x4xf32>, tensor<*xf32>) ->"),
        ],
        "the rank of its input is not known",
    ),
    "joined-by-rows": (
        PLAIN,
        [
            (
                "concats = [#ov.slice<axis = 1, start = 0>]",
                "concats = [#ov.slice<axis = 0, stride = 2, part_size = 2>]",
            ),
            ("tensor<2x5x4xf32>", "tensor<10x1x4xf32>"),
        ],
        "it does not concatenate h step by step",
    ),
    "the-first-step-each-time": (
        GATHERED,
        [("ov.gather %x, %i,", "ov.gather %x, %axis,")],
        "it iterates over no axis",
    ),
    "every-other-step": (
        GATHERED,
        [
            (
                "%part = ov.gather %x, %i,",
                "%twice = ov.add %i, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>\n    %part = ov.gather %x, %twice,",
            )
        ],
        "it iterates over no axis",
    ),
    "two-inputs-gathered": (
        GATHERED,
        [
            (
                "    %matrix =",
                "    %other = ov.gather %x, %i, %axis : (tensor<5x2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>\n    %matrix =",
            )
        ],
        "it iterates over 2 inputs",
    ),
    "gathered-without-a-count": (
        GATHERED,
        [
            ("trip(%trip) ", ""),
            ("(tensor<i64>, tensor<2x4xf32>, tensor<2x4xf32>) ->", "(tensor<2x4xf32>, tensor<2x4xf32>) ->"),
        ],
        "it has no trip count",
    ),
    "features-before-steps": (
        GATHERED,
        [
            ("tensor<5x2x3xf32>", "tensor<2x3x5xf32>"),
            ("%axis = ov.constant dense<0>", "%axis = ov.constant dense<2>"),
        ],
        "the dimensions of its input or carried values are not steps, batch and features",
    ),
    "only-h-is-kept": (
        PLAIN,
        [
            (
                NEXT,
                LENGTHS
                + f"    %kept = ov.select %valid, %next_h, %h : ({TYPES}\n    ov.next carried(%kept, %next_c ",
            )
        ],
        "its states are kept by different conditions",
    ),
    "kept-from-another-length": (
        PLAIN,
        [
            (
                NEXT,
                (LENGTHS + KEPT)
                .replace("2xi64", "1xi64")
                .replace("[3, 4]", "3")
                .replace("tensor<2xi1>", "tensor<1xi1>")
                .replace("2x1xi1", "1x1xi1"),
            )
        ],
        "its condition for keeping states has another shape than the states",
    ),
}
"""Program text, its replacements, and the reason why it stays a loop."""


def remarks_of(text: str, options: str = "") -> tuple[list[Remark], int]:
    """Return the pass's remarks on a program, and its number of loops.

    The number of loops is that after the pass.
    """
    module = program(text)
    heard: list[Remark] = []
    with listening(heard.append):
        run_passes(module, f"ov-loop-to-lstm-sequence{options}", verify_each=True)
    return heard, sum(isinstance(op, LoopOp) for op in module.walk())


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_it_stays(name: str) -> None:
    how, edits, why = NEAR_MISSES[name]
    text = loop_text(how)
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    remarks, loops = remarks_of(text)
    assert [remark.text for remark in remarks] == [why]
    assert loops == 1


def test_rows_that_are_put_together() -> None:
    """With open batches twice as many rows have the same extents as these."""
    text = loop_text(PLAIN).replace("tensor<2x", "tensor<?x").replace("dense<[2, ", "dense<[-1, ")
    text = text.replace("tensor<?xi64>", "tensor<2xi64>")
    assert remarks_of(text, "{open-batch=true}")[1] == 0
    rows = "%both = ov.concat %step, %step {axis = 0} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>"
    text = text.replace("%v0 = ov.mat_mul %step", f"{rows}\n    %v0 = ov.mat_mul %both")
    remarks, loops = remarks_of(text, "{open-batch=true}")
    assert [remark.text for remark in remarks] == ["a factor is concatenated on another axis"]
    assert loops == 1


def test_columns_that_are_kept() -> None:
    """A condition of the columns, where there are as many of them as rows."""
    state = "tensor<4x4xf32>"
    text = f"""
func.func @main(%x: tensor<4x5x4xf32>, %h0: {state}, %w: tensor<4x4xf32>, %b: tensor<4xf32>) -> {state} {{
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %lengths = ov.constant dense<[1, 2, 3, 4]> : tensor<4xi64> : tensor<4xi64>
  %hn = ov.loop carried(%h0) sliced(%x) {{slices = [#ov.slice<axis = 1>]}} : ({state}, tensor<4x5x4xf32>) -> {state} {{
  ^bb0(%i: tensor<i64>, %h: {state}, %part: tensor<4x1x4xf32>):
    %step = ov.squeeze %part, %one : (tensor<4x1x4xf32>, tensor<1xi64>) -> {state}
    %new = ov.rnn_cell %step, %h, %w, %w, %b {{hidden_size = 4}} : ({state}, {state}, {state}, {state}, tensor<4xf32>) -> {state}
    %less = ov.less %i, %lengths : (tensor<i64>, tensor<4xi64>) -> tensor<4xi1>
    %kept = ov.select %less, %new, %h : (tensor<4xi1>, {state}, {state}) -> {state}
    ov.next carried(%kept : {state})
  }}
  func.return %hn : {state}
}}"""
    remarks, loops = remarks_of(text)
    assert [remark.text for remark in remarks] == ["its condition for keeping states is not one of rows"]
    assert loops == 1


def test_a_body_that_fails() -> None:
    """The body of a loop that never runs may be illegal."""
    remarks, loops = remarks_of("""
func.func @main(%h0: tensor<2x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %none = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %hn = ov.loop trip(%none) carried(%h0) : (tensor<i64>, tensor<2x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%i: tensor<i64>, %h: tensor<*xf32>):
    %p = ov.mat_mul %h, %w : (tensor<*xf32>, tensor<3x4xf32>) -> tensor<*xf32>
    ov.next carried(%p : tensor<*xf32>)
  }
  func.return %hn : tensor<2x4xf32>
}""")
    assert [remark.text for remark in remarks] == ["its body fails"]
    assert loops == 1
