"""Passes on each function alone (`func.func(…)`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

import loomir
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.function_passes import on_each_function
from loomir.compiler.pipeline import available_passes, pipeline_text, run_passes
from loomir.compiler.pipeline_syntax import pass_text
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import infer
from tests.support import raises_error

ROOT = Path(__file__).parents[3]
TEXT = """
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { func.return %x : tensor<2xf32> }
func.func private @declared()
func.func @g(%x: tensor<3xf32>) -> tensor<3xf32> { func.return %x : tensor<3xf32> }
"""


def names(module: ModuleOp) -> list[str]:
    return [op.sym_name.data for op in module.ops if isinstance(op, FuncOp)]


@dataclass(frozen=True)
class SeesPass(ModulePass):
    """Notes the functions that it sees, with what is inferred of them, and adds one."""

    name = "sees"

    added: str | None = None
    marks: bool = False
    fails: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        SEEN.append((names(op), [*op.attributes]))
        analyses_of(ctx).get(infer, op)
        analyses_of(ctx).keep_all()
        if self.added:
            op.body.block.add_op(FuncOp.external(f"{self.added}_{names(op)[0]}", [], []))
        if self.marks:
            op.attributes["marked"] = UnitAttr()
        if self.fails:
            raise loomir.Error("pass-failed", "it always does")


SEEN: list[tuple[list[str], list[str]]] = []


@pytest.fixture
def module() -> ModuleOp:
    SEEN.clear()
    found = parse_module(TEXT)
    found.attributes["given"] = UnitAttr()
    return found


def test_it_sees_one_function_at_a_time(module: ModuleOp) -> None:
    run_passes(module, ["ov-infer", on_each_function(SeesPass()), "ov-infer"], verify_each=True)
    assert SEEN == [(["f"], ["given"]), (["g"], ["given"])]
    assert names(module) == ["f", "declared", "g"]


def test_what_it_makes_stays_beside_the_function(module: ModuleOp) -> None:
    run_passes(module, [on_each_function(SeesPass(added="with"))])
    assert names(module) == ["f", "with_f", "declared", "g", "with_g"]


def test_it_cannot_change_the_module(module: ModuleOp) -> None:
    with raises_error("pass-failed", "sees changes the module"):
        run_passes(module, [on_each_function(SeesPass(marks=True))])


def test_a_failure_leaves_the_function_in_its_place(module: ModuleOp) -> None:
    with raises_error("pass-failed", "it always does"):
        run_passes(module, [on_each_function(SeesPass(fails=True))])
    assert names(module) == ["f", "declared", "g"]


def test_options_and_text_are_those_of_the_pass() -> None:
    made = on_each_function(SeesPass(added="x"))
    assert on_each_function(made) is made
    assert pass_text(made) == 'func.func(sees{added="x"})'
    text = "func.func(ov-loop-unroll{max-trips=3}),cse"
    again = pipeline_text(text)
    assert again.startswith("func.func(ov-loop-unroll{max-trips=3 ")
    assert pipeline_text(again) == again


def test_models_are_optimized_by_it() -> None:
    model = loomir.load(ROOT / "examples" / "controlflow.xml", level="O0")
    feed = {"x": np.ones((8, 16), np.float32)}
    expected = model.run(feed)
    for name, value in model.optimize("func.func(O2,cse)").run(feed).items():
        np.testing.assert_array_equal(value, expected[name])
    assert "cse" in available_passes()
