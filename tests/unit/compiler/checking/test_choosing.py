"""Samples are independent of each other, and feeds are found that show what happens to operations that may fail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.checking.checker import check_each_pass
from loomir.compiler.checking.feeds import choose_feeds, hoist_before_guards, sample_feeds
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.options import CheckOptions
from loomir.dialects.ov.operators.gathering import GatherOp
from tests.support import raises_error

LOOP = """
func.func @main(%x: tensor<4xf32> {loomir.name = "x"}, %n: tensor<i64> {loomir.name = "n"}, %k: tensor<i64> {loomir.name = "k"})
    -> (tensor<f32> {loomir.name = "y"}) {
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %y = ov.loop trip(%n) carried(%zero) : (tensor<i64>, tensor<f32>) -> (tensor<f32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<f32>):
    %g = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %d = ov.add %c, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%d : tensor<f32>)
  }
  func.return %y : tensor<f32>
}
"""

BRANCH = """
func.func @main(%x: tensor<4xf32> {loomir.name = "x"}, %c: tensor<i1> {loomir.name = "c"}, %k: tensor<i64> {loomir.name = "k"})
    -> (tensor<f32> {loomir.name = "y"}) {
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %y = ov.if %c -> (tensor<f32>) {
    %m = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %m, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    ov.yield %g : tensor<f32>
  } else {
    ov.yield %zero : tensor<f32>
  }
  func.return %y : tensor<f32>
}
"""


@dataclass(frozen=True)
class HoistPass(ModulePass):
    """A gather goes in front of the loop or branch that it stands in, with what it needs."""

    name = "test-hoist"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for gather in [o for o in op.walk() if isinstance(o, GatherOp)]:
            assert gather.parent is not None
            guard = gather.parent_op()
            needed = [
                *[o for o in gather.parent.ops if o.results and o.results[0] in gather.operands],
                gather,
            ]
            for inner in needed:
                inner.detach()
                assert guard is not None
                assert guard.parent is not None
                guard.parent.insert_op_before(inner, guard)


@dataclass(frozen=True)
class DropPass(ModulePass):
    """A gather that may fail becomes one that gives 0."""

    name = "test-drop"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for gather in [o for o in op.walk() if isinstance(o, GatherOp)]:
            gather.out_of_range = None


@pytest.mark.parametrize(
    ("text", "planted", "seeds"),
    [(LOOP, HoistPass(), 20), (BRANCH, HoistPass(), 20), (LOOP, DropPass(), 2), (BRANCH, DropPass(), 20)],
    ids=["loop-hoist", "branch-hoist", "loop-drop", "branch-drop"],
)
def test_a_failure_that_moves_or_goes_is_found_for_every_seed(
    text: str, planted: ModulePass, seeds: int
) -> None:
    for seed in range(seeds):
        options = CheckOptions(seed=seed, reduce_seconds=0)
        with raises_error("pass-changed-result", planted.name):
            check_each_pass(parse_module(text), [planted], options=options)


def test_inputs_are_independent() -> None:
    """Every two kinds of numbers of two integers occur together, whatever the seed; each is what it is without the other."""
    module = parse_module(LOOP)
    for seed in range(5):
        feeds = sample_feeds(module, 60, seed)
        pairs = {(int(np.sign(f["n"])), not -4 <= f["k"] < 4) for f in feeds}
        assert pairs == {(a, b) for a in (-1, 0, 1) for b in (False, True)}
    alone = parse_module(LOOP.replace('loomir.name = "n"', 'loomir.name = "another"'))
    for a, b in zip(sample_feeds(module, 9), sample_feeds(alone, 9)):
        assert a["k"] == b["k"]
        np.testing.assert_array_equal(a["x"], b["x"])


def test_boundary_values_occur() -> None:
    feeds = sample_feeds(parse_module(LOOP), 200)
    ends = {-(1 << 63), -(1 << 63) + 1, -1, 0, 1, (1 << 63) - 2, (1 << 63) - 1, 3, 4, 5, -4, -5}
    assert ends <= {int(f["k"]) for f in feeds}
    x = np.stack([f["x"] for f in feeds])
    assert np.isnan(x).any()
    assert np.isinf(x).any()
    assert (np.signbit(x) & (x == 0)).any()
    assert (np.abs(x) == np.finfo(np.float32).max).any()
    assert ((x != 0) & (np.abs(x) < np.finfo(np.float32).tiny)).any()
    assert all(np.isfinite(f["x"]).all() for f in feeds[:2])


def test_what_stands_in_front_of_its_guard() -> None:
    module = parse_module(BRANCH)
    (index,) = [i for i, op in enumerate(module.walk()) if isinstance(op, GatherOp)]
    moved = hoist_before_guards(module, [index], 1)
    assert moved is not None
    moved.verify()
    assert str(moved).index("ov.gather") < str(moved).index("ov.if")
    assert hoist_before_guards(module, [index], 2) is None
    feeds, extreme = choose_feeds(module, 3)
    assert len(feeds) == len(extreme) > 3


ARMS = """
func.func @main(%n: tensor<i64> {loomir.name = "n"}, %c: tensor<i1> {loomir.name = "c"}, %d: tensor<i1> {loomir.name = "d"},
    %x: tensor<2xf32> {loomir.name = "x"}) -> (tensor<2xf32> {loomir.name = "y"}) {
  %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>):
    %w = ov.if %c -> (tensor<2xf32>) {
      %a = ov.if %d -> (tensor<2xf32>) {
        %p = ov.negative %v : (tensor<2xf32>) -> tensor<2xf32>
        ov.yield %p : tensor<2xf32>
      } else {
        %q = ov.abs %v : (tensor<2xf32>) -> tensor<2xf32>
        ov.yield %q : tensor<2xf32>
      }
      ov.yield %a : tensor<2xf32>
    } else {
      ov.yield %v : tensor<2xf32>
    }
    ov.next carried(%w : tensor<2xf32>)
  }
  func.return %y : tensor<2xf32>
}
"""


@pytest.mark.parametrize("seed", range(6))
def test_each_arm_of_a_branch_in_a_loop_is_reached(seed: int) -> None:
    """This takes a positive trip count and two conditions at once."""
    feeds, extreme = choose_feeds(parse_module(ARMS), 1, seed)
    reached = {(bool(f["c"]), bool(f["c"] and f["d"])) for f in feeds if f["n"] > 0}
    assert reached == {(False, False), (True, False), (True, True)}
    assert len(feeds) == len(extreme) <= 4


def test_another_reason_is_a_difference() -> None:
    @dataclass(frozen=True)
    class OtherReasonPass(ModulePass):
        name = "test-other-reason"
        EXACT = True

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            from loomir.dialects.ov.operators.internal import FailOp

            for gather in [o for o in op.walk() if isinstance(o, GatherOp)]:
                fail = FailOp.of("another reason", [gather.output.type])
                assert gather.parent is not None
                gather.parent.insert_op_before(fail, gather)
                gather.output.replace_all_uses_with(fail.results[0])
                gather.detach()
                gather.erase()

    feed = {"x": np.zeros(4, np.float32), "n": np.array(1), "k": np.array(9)}
    with raises_error("pass-changed-result", "where it failed with"):
        check_each_pass(
            parse_module(LOOP), [OtherReasonPass()], feeds=[feed], options=CheckOptions(reduce_seconds=0)
        )
