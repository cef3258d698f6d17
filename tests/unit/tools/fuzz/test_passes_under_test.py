"""Passes under test in levels: their places, what is recorded of them, what stays as it was."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.upstream.walking import walk
from loomir.tools.fuzz.levels import BY_NAME, LEVELS, STEPS, random_order
from loomir.tools.fuzz.passes_under_test import observed, parse_passes, with_passes
from tests.support import raises_error

PROGRAM = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %r = ov.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %r : tensor<2xf32>
}
"""


@dataclass(frozen=True)
class SwapPass(ModulePass):
    """Swap the operands of sums, or do something worse."""

    name = "swap"
    EXACT = True

    times: int = 1
    erase: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        (added,) = (each for each in walk(op) if each.name == "ov.add")
        for _ in range(self.times):
            added.operands = [*reversed(added.operands)]
        Remarks(self.name).passed(added, f"swapped {self.times} times")
        if self.erase:
            added.detach()


def notes_of(instance: ModulePass) -> list[str]:
    found: list[str] = []
    level = replace(BY_NAME["imported"], graph=(instance,), added=(instance,))
    (watched,) = observed(level, found.append).graph
    watched.apply(make_context(), parse_module(PROGRAM))
    return found


def test_changes_and_remarks_are_recorded() -> None:
    assert notes_of(SwapPass()) == ["swap: done: ov.add: swapped 1 times", "swap: changed the program"]
    assert notes_of(SwapPass(times=2)) == ["swap: done: ov.add: swapped 2 times"]


def test_invalid_ir_is_an_error_of_the_pass() -> None:
    with raises_error("pass-broke-ir", "swap"):
        notes_of(SwapPass(erase=True))


def test_an_observed_pass_is_what_it_was() -> None:
    """Pipelines ask for its name, options and claims, and copy it with other options."""
    instance = SwapPass(times=3)
    level = replace(BY_NAME["imported"], graph=(instance,), added=(instance,))
    (watched,) = observed(level, print).graph
    assert isinstance(watched, SwapPass)
    assert str(watched.pipeline_pass_spec()) == str(instance.pipeline_pass_spec())
    assert (watched.EXACT, watched.times, type(watched).__name__) == (True, 3, "SwapPass")
    assert type(watched).__module__ == SwapPass.__module__
    other = replace(watched, times=2)
    assert (type(other), other.times) == (type(watched), 2)


def test_only_the_added_instance_is_observed() -> None:
    """The level has a canonicalize of its own, which is not under test."""
    level = with_passes(BY_NAME["default"], "canonicalize", early=True)
    kinds = [
        type(each) is not type(before) for each, before in zip(observed(level, print).graph, level.graph)
    ]
    assert kinds.count(True) == 1
    assert kinds[1]
    assert [each.name for each in level.graph].count("canonicalize") > 1


@pytest.mark.parametrize("level", [*LEVELS, random_order(1, 1)], ids=lambda level: level.name)
@pytest.mark.parametrize("early", [True, False])
def test_places(level, early: bool) -> None:
    """Directly behind what makes the stage, or at the end; plans of memory stay last."""
    for text, step, first in (
        ("ov-if-sink", "graph", "ov-infer"),
        ("scf-if-sink", "structured", "convert-ov-to-linalg"),
        ("math-expand", "loops", "lower-linalg-to-loops"),
    ):
        made = with_passes(level, text, early=early)
        names = [each.name for each in getattr(made, step)]
        (place,) = (k for k, each in enumerate(getattr(made, step)) if each is made.added[0])
        if early or step == "loops":
            assert names[place - 1] == first
        else:
            assert place == len(names) - 1
        assert all(getattr(made, other) == getattr(level, other) for other in STEPS if other != step)


def test_stages() -> None:
    assert parse_passes("canonicalize,cse")[1] == "graph"
    assert parse_passes("canonicalize,math-expand,cse")[1] == "loops"
    with raises_error("bad-pipeline", "GRAPH AND LOOPS"):
        parse_passes("ov-infer,plan-memory")
    with raises_error("bad-pipeline", "FRONT"):
        parse_passes("convert-onnx-to-ov")
