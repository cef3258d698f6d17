"""Gates that are cut, and h that is shown, in ways that only look like an LSTM's: `ov-loop-to-lstm-sequence` leaves them."""

from __future__ import annotations

import pytest

from loomir.compiler.pipeline import run_passes
from tests.unit.passes.graph.counted_loops import loops_of, program
from tests.unit.tools.model_optimizer.passes.graph.written_lstm import Written, loop_text

STATE = "tensor<2x4xf32>"
SPLIT = "%g0, %g1, %g2, %g3 = ov.split %v3, %v4 {num_splits = 4} : (tensor<2x16xf32>, tensor<i64>)"
MASK = """    %lengths = ov.constant dense<[3, 4]> : tensor<2xi64> : tensor<2xi64>
    %front = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
    %less = ov.less %i, %lengths : (tensor<i64>, tensor<2xi64>) -> tensor<2xi1>
    %valid = ov.unsqueeze %less, %front : (tensor<2xi1>, tensor<1xi64>) -> tensor<2x1xi1>
    %again = ov.unsqueeze %less, %front : (tensor<2xi1>, tensor<1xi64>) -> tensor<2x1xi1>
    %nothing = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
    %kept_h = ov.select %valid, %v14, %h : (tensor<2x1xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %kept_c = ov.select %valid, %v12, %c : (tensor<2x1xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %seen = ov.select %valid, %v14, %nothing : (tensor<2x1xi1>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
"""


def masked() -> str:
    """States that are kept, and zeros that are shown, from lengths on."""
    text = (
        loop_text(Written())
        .replace("    %next_h =", MASK + "    %next_h =")
        .replace("%v14, %parts", "%seen, %parts")
    )
    return text.replace("carried(%next_h, %next_c", "carried(%kept_h, %kept_c")


def square() -> str:
    """Return a loop with as many rows as inputs."""
    return loop_text(Written()).replace("tensor<2x", "tensor<3x").replace("tensor<3xi64>", "tensor<2xi64>").replace(
        "dense<[2, ", "dense<[3, "
    ).replace("%parts = ov.constant dense<[3, 1, 4]> : tensor<2xi64> : tensor<2xi64>",
              "%parts = ov.constant dense<[3, 1, 4]> : tensor<3xi64> : tensor<3xi64>").replace(
        "%parts : (tensor<3x4xf32>, tensor<2xi64>)", "%parts : (tensor<3x4xf32>, tensor<3xi64>)"
    )  # fmt: skip


def assert_loops(text: str, count: int) -> None:
    module = program(text)
    run_passes(module, "ov-loop-to-lstm-sequence", verify_each=True)
    assert len(loops_of(module)) == count


def edited(text: str, *edits: tuple[str, str]) -> str:
    """A text with the first place of each changed."""
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def test_what_the_others_are_near_to() -> None:
    for text in (masked(), square(), loop_text(Written(cut="slice")), loop_text(Written(cut="strided"))):
        assert_loops(text, 0)


@pytest.mark.parametrize(
    "edit",
    [
        ("%seen = ov.select %valid", "%seen = ov.select %again"),
        ("%nothing = ov.constant dense<0.0>", "%nothing = ov.constant dense<1.0>"),
        ("%seen = ov.select %valid, %v14", "%seen = ov.select %valid, %old_h"),
        ("%kept_c = ov.select %valid", "%kept_c = ov.select %again"),
        ("%kept_c = ov.select %valid, %v12, %c", "%kept_c = ov.select %valid, %v12, %h"),
        (
            "%less = ov.less %i, %lengths",
            "%more = ov.add %lengths, %i : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>\n    %less = ov.less %i, %more",
        ),
    ],
)
def test_another_mask(edit: tuple[str, str]) -> None:
    assert_loops(edited(masked(), edit), 1)


def test_a_transposed_part() -> None:
    assert_loops(edited(square(), ("%step, %w {", "%step, %w {transpose_a = true, ")), 1)


def test_every_other_column() -> None:
    text = loop_text(Written(cut="slice"))
    begin = text.index("dense<[-16]>")
    assert_loops(
        text[:begin] + edited(text[begin:], ("dense<[4]>", "dense<[8]>"), ("dense<[1]>", "dense<[2]>")), 1
    )


def test_other_rows() -> None:
    """The first gate is the one of the second half of twice as many rows."""
    text = loop_text(Written(cut="strided"))
    twice = "%twice = ov.concat %v3, %v2 {axis = 0} : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<4x16xf32>\n    "
    edits = [
        ("%v4 =", f"{twice}%v4 ="),
        ("dense<[7, 0]>", "dense<[2, 0]>"),
        ("ov.strided_slice %v3", "ov.strided_slice %twice"),
        ("begin_mask = array<i64: 1, 0>", "begin_mask = array<i64: 0, 0>"),
        ("(tensor<2x16xf32>, tensor<2xi64>", "(tensor<4x16xf32>, tensor<2xi64>"),
    ]
    assert_loops(edited(text, *edits), 1)


def test_gates_that_are_rows() -> None:
    eight = "%eight = ov.constant dense<[8, 4]> : tensor<2xi64> : tensor<2xi64>\n    "
    rows = "%all = ov.reshape %v3, %eight : (tensor<2x16xf32>, tensor<2xi64>) -> tensor<8x4xf32>\n    "
    split = SPLIT.replace("%v3", "%all").replace("2x16", "8x4")
    text = edited(
        loop_text(Written()),
        (SPLIT, eight + rows + split),
        ("%v4 = ov.constant dense<-1>", "%v4 = ov.constant dense<0>"),
    )
    assert_loops(text, 1)


def test_a_bias_from_the_first_dimension_on() -> None:
    """PaddlePaddle's broadcasting puts the extents of b at those from `axis` on, which is as numpy's here: it is left all the same."""
    text = edited(
        loop_text(Written()), ("%v3 = ov.add %b, %v2  :", '%v3 = ov.add %v2, %b {auto_broadcast = "pdpd"} :')
    )
    text = edited(text, ("(tensor<16xf32>, tensor<2x16xf32>)", "(tensor<2x16xf32>, tensor<16xf32>)"))
    assert_loops(text, 1)
