"""Facts of a profile at loops and branches."""

from __future__ import annotations

import pytest

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.profile import (
    BranchFacts,
    LoopFacts,
    attach,
    branch_facts,
    drop,
    hand_on,
    loop_facts,
    swap_arms,
)

MODULE = """func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = ov.loop trip(%n) carried(%x) ATTRIBUTES : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    ov.next carried(%v : tensor<4xf32>)
  }
  %s = ov.if %c -> (tensor<4xf32>) {
    ov.yield %x : tensor<4xf32>
  } else {
    ov.yield %r : tensor<4xf32>
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}"""


def operations(attributes: str = "") -> tuple[LoopOp, IfOp]:
    module = parse_module(MODULE.replace("ATTRIBUTES", attributes))
    found = list(module.walk())
    loop, branch = (
        next(op for op in found if isinstance(op, LoopOp)),
        next(op for op in found if isinstance(op, IfOp)),
    )
    # (The module has to live on.)
    loop.__dict__["module"] = module
    return loop, branch


@pytest.mark.parametrize(
    ("trips", "entered", "iterations", "typical", "rarely"),
    [
        ({}, 0, 0, None, False),
        ({3: 9, 4: 1}, 10, 31, 3, False),
        ({3: 8, 4: 2}, 10, 32, None, False),
        ({0: 10}, 10, 0, 0, True),
        ({0: 3, 1: 2}, 5, 2, None, True),
        ({0: 1, 2: 1}, 2, 2, None, False),
    ],
)
def test_facts_of_loops(
    trips: dict[int, int], entered: int, iterations: int, typical: int | None, rarely: bool
) -> None:
    facts = LoopFacts(trips)
    assert (facts.entered, facts.iterations) == (entered, iterations)
    assert (facts.typical_trips, facts.rarely_iterates) == (typical, rarely)
    loop, branch = operations()
    attach(loop, facts)
    assert loop_facts(loop) == facts
    hand_on(loop, branch)
    assert branch_facts(branch) is None
    drop(loop)
    assert loop_facts(loop) is None


def test_facts_of_branches() -> None:
    assert BranchFacts(0, 0).probability is None
    assert BranchFacts(1, 3).probability == 0.25
    loop, branch = operations()
    swap_arms(branch)
    assert branch_facts(branch) is None
    attach(branch, BranchFacts(1, 3))
    swap_arms(branch)
    assert branch_facts(branch) == BranchFacts(3, 1)
    assert loop_facts(branch) is None
    hand_on(branch, loop)
    assert loop_facts(loop) is None


@pytest.mark.parametrize(
    "attributes",
    ["{loomir.trips}", "{loomir.trips = array<i64: 1, 2, 3>}", "{loomir.trips = array<i32: 1, 2>}", "{loomir.trips = 3 : i64}"],
)  # fmt: skip
def test_attributes_that_a_text_may_have_are_no_facts(attributes: str) -> None:
    assert loop_facts(operations(attributes)[0]) is None
