# ruff: noqa: E501 -- a row is a line
"""Schedules of `loomir-opt --transform`: what they do to one loop of several, and their errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.compiler.pipeline import run_passes
from loomir.dialects.diagnostics import layer_name
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.errors import Error
from loomir.tools.transform import TransformPass
from tests.support import raises_error

ROOT = Path(__file__).parents[3]
LOOPS = ROOT / "tests/lit/tools/transform_loops.mlir"


def sequence(*lines: str) -> str:
    return "\n".join(
        [
            "transform.named_sequence @__transform_main(%p: !transform.any_op) {",
            *lines,
            "transform.yield",
            "}",
        ]
    )


def on(layer: str, operation: str) -> str:
    return sequence(f'%l = ov_transform.loop "{layer}" in %p', f"ov_transform.{operation}")


def transformed(folder: Path, schedule: str, model: Path | str = LOOPS) -> loomir.Model:
    """The program after a schedule, and nothing else."""
    path = folder / "schedule.mlir"
    path.write_text(schedule)
    loaded = loomir.load(model, level="O0")
    run_passes(loaded.module, [TransformPass(str(path))], verify_each=True)
    return loaded


def loops_of(model: loomir.Model) -> list[str | None]:
    return [layer_name(op) for op in model.module.walk() if isinstance(op, LoopOp)]


@pytest.mark.parametrize(
    ("schedule", "left"),
    [
        (on("first", "unroll %l"), ["second", "open", "rows", "largest", "untouched"]),
        (on("open", "unroll %l by 4"), ["first", "second", "open", "open", "rows", "largest", "untouched"]),
        (on("second", "peel %l last"), ["first", "second", "open", "rows", "largest", "untouched"]),
        (on("open", "peel %l"), ["first", "second", "open", "rows", "largest", "untouched"]),
        (on("untouched", "hoist %l"), ["first", "second", "open", "rows", "largest", "untouched"]),
    ],
)
@pytest.mark.parametrize("trips", [0, 1, 5])
def test_one_loop_changes_and_the_results_stay(
    tmp_path: Path, schedule: str, left: list[str], trips: int
) -> None:
    rng = np.random.default_rng(trips)
    feed = {
        "arg0": np.int64(trips),
        "arg1": rng.standard_normal(4).astype(np.float32),
        "arg2": rng.standard_normal((6, 4)).astype(np.float32),
    }
    after = transformed(tmp_path, schedule)
    assert loops_of(after) == left
    assert str(after.module) != str(loomir.load(LOOPS, level="O0").module)
    expected = loomir.load(LOOPS, level="O0").run(feed, engine="graph")
    for name, value in after.run(feed, engine="graph").items():
        np.testing.assert_array_equal(value, expected[name])


def test_copies_of_a_layer_are_one_handle(tmp_path: Path) -> None:
    """A loop in an unrolled one is there three times, and one operation unrolls all."""
    nested = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
      %a = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
        %b = ov.loop trip(%n) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
        ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
          %w = ov.sin %u : (tensor<4xf32>) -> tensor<4xf32>
          ov.next carried(%w : tensor<4xf32>)
        } loc("inner")
        ov.next carried(%b : tensor<4xf32>)
      } loc("outer")
      func.return %a : tensor<4xf32>
    }"""
    path = tmp_path / "nested.mlir"
    path.write_text(nested)
    one = transformed(tmp_path, on("outer", "unroll %l"), path)
    assert loops_of(one) == ["inner"] * 3
    both = sequence(
        '%l = ov_transform.loop "outer" in %p',
        "ov_transform.unroll %l",
        '%m = ov_transform.loop "inner" in %p',
        "ov_transform.unroll %m",
    )
    assert loops_of(transformed(tmp_path, both, path)) == []


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        (on("frist", "unroll %l"), "no loop of the layer 'frist'; is 'first' meant?"),
        (on("frist", "unroll %l"), "loops: 'first', 'second', 'open', 'rows', 'largest', 'untouched'"),
        (on("open", "unroll %l"), "schedule.mlir:3:1: ov_transform.unroll: the loop 'open' stays as it is: its trip count is not known"),
        (on("first", "unroll %l by 1"), "the factor 1 is not from 2 to"),
        (on("rows", "peel %l"), "the loop 'rows' stays as it is: it has sliced inputs or last values"),
        (on("largest", "hoist %l"), "nothing in it is loop-invariant"),
        (sequence('%l = ov_transform.loop "first" in %p', "ov_transform.unroll %l", "ov_transform.peel %l"), "an earlier operation has replaced the loop"),
        (sequence('%l = ov_transform.loop "second" in %p', '%m = ov_transform.loop "first" in %p', "ov_transform.fuse %l with %m"), "the loop 'first' stays as it is: it does not stand behind the other loop in one block"),
        (sequence("ov_transform.unroll %p"), "it transforms ov.loop, not builtin.module"),
        (sequence('%m = "transform.cast"(%p) : (!transform.any_op) -> !transform.any_op'), "no semantics"),
        (sequence('%m = transform.apply_registered_pass "no-such-pass" to %p : (!transform.any_op) -> !transform.any_op'), "no-such-pass"),
        ("transform.named_sequence @other(%p: !transform.any_op) { transform.yield }", "it has no transform.named_sequence @__transform_main"),
        ("transform.named_sequence @__transform_main() { transform.yield }", "it takes the program alone"),
    ],
)  # fmt: skip
def test_schedule_that_cannot_be_applied(tmp_path: Path, schedule: str, words: str) -> None:
    with raises_error("bad-transform", words):
        transformed(tmp_path, schedule)


def test_vast_trip_counts_are_not_unrolled(tmp_path: Path) -> None:
    """Neither a body of some code nor one without any makes the program vast."""
    for body, carried in (("%w = ov.sin %v : (tensor<4xf32>) -> tensor<4xf32>", "%w"), ("", "%v")):
        path = tmp_path / "vast.mlir"
        path.write_text(
            f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
              %n = ov.constant dense<4000000000> : tensor<i64> : tensor<i64>
              %a = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {{
              ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
                {body}
                ov.next carried({carried} : tensor<4xf32>)
              }} loc("vast")
              func.return %a : tensor<4xf32>
            }}"""
        )
        with raises_error("bad-transform"):
            transformed(tmp_path, on("vast", "unroll %l"), path)
        with raises_error("bad-transform"):
            transformed(tmp_path, on("vast", "unroll %l by 9000000000"), path)


@pytest.mark.parametrize("schedule", ["", "func.func @f", "transform.named_sequence @__transform_main"])
def test_schedule_that_is_no_mlir(tmp_path: Path, schedule: str) -> None:
    with raises_error("mlir-syntax"):
        transformed(tmp_path, schedule)


def test_an_attribute_that_nothing_reads(tmp_path: Path) -> None:
    """`by 4` is meant, and without it the loop would be unrolled completely."""
    with raises_error("mlir-invalid", "ov_transform.unroll: it has no attribute 'factor'"):
        transformed(tmp_path, on("first", "unroll %l {factor = 4 : i64}"))


def test_schedule_that_is_missing() -> None:
    with raises_error("file-unreadable"):
        run_passes(loomir.load(LOOPS).module, [TransformPass("nowhere.mlir")])


def test_program_of_a_later_stage(tmp_path: Path) -> None:
    path = tmp_path / "schedule.mlir"
    path.write_text(on("first", "unroll %l"))
    module = loomir.load(LOOPS).lowered("structured").clone()
    with pytest.raises(Error, match="--transform takes programs of the graph stage"):
        run_passes(module, [TransformPass(str(path))])
