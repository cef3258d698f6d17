"""Rewriting by patterns: exceptions reach the caller, and operations are visited in xDSL's order."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from xdsl.dialects import arith
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.control_flow.rewriting import take_arm
from loomir.dialects.upstream.rewriting import rewrite
from loomir.errors import Error

PROGRAM = """
func.func @main(%c: i1, %x: f32) -> f32 {
  %a = arith.addf %x, %x : f32
  %r = scf.if %c -> (f32) {
    %b = arith.mulf %a, %x : f32
    scf.yield %b : f32
  } else {
    scf.yield %a : f32
  }
  func.return %r : f32
}
"""


@dataclass
class Refuses(RewritePattern):
    error: Exception

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op.name == "arith.mulf":
            raise self.error


@dataclass
class Visits(RewritePattern):
    names: list[str] = field(default_factory=list[str])

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        self.names.append(op.name)
        if op.name == "arith.mulf":
            rewriter.replace(op, arith.DivfOp(op.operands[0], op.operands[1]))
        elif op.name == "arith.addf":
            rewriter.replace(op, [], [op.operands[0]])


@pytest.mark.parametrize("error", [Error("no-support", "not this one"), ValueError("no")])
def test_exceptions_reach_the_caller(error: Exception) -> None:
    with pytest.raises(type(error)) as info:
        rewrite(parse_module(PROGRAM), Refuses(error))
    assert info.value is error
    assert error.__cause__ is error.__context__ is None
    assert not hasattr(error, "__notes__")
    assert info.traceback[-1].frame.code.name == "match_and_rewrite"


def test_walker_of_xdsl_prints_the_program() -> None:
    """As soon as this fails, `rewrite` needs no `_Caught` any more."""
    error = ValueError("no")
    with pytest.raises(ValueError, match="no"):
        PatternRewriteWalker(Refuses(error)).rewrite_module(parse_module(PROGRAM))
    assert "func.func" in error.__notes__[0]


@pytest.mark.parametrize("once", [True, False])
@pytest.mark.parametrize("backwards", [True, False])
@pytest.mark.parametrize("regions_first", [True, False])
def test_order(once: bool, backwards: bool, regions_first: bool) -> None:
    ours, theirs = Visits(), Visits()
    walker = PatternRewriteWalker(
        theirs, apply_recursively=not once, walk_reverse=backwards, walk_regions_first=regions_first
    )
    rewritten, expected = parse_module(PROGRAM), parse_module(PROGRAM)
    changed = rewrite(rewritten, ours, once=once, backwards=backwards, regions_first=regions_first)
    assert changed is walker.rewrite_module(expected) is True
    assert ours.names == theirs.names
    assert str(rewritten) == str(expected)


def test_clean_up() -> None:
    module = parse_module(PROGRAM.replace("return %r", "return %x"))
    assert rewrite(module, Visits([]), clean_up=True)
    assert "arith" not in str(module)


@pytest.mark.parametrize(("arm", "returned"), [(0, "mulf"), (1, "addf")])
def test_a_branch_becomes_an_arm(arm: int, returned: str) -> None:
    module = parse_module(PROGRAM)
    (branch,) = (op for op in module.walk() if op.name == "scf.if")
    take_arm(branch, branch.regions[arm])
    module.verify()
    assert [op.name for op in module.walk()][2:] == ["arith.addf", *["arith.mulf"] * (not arm), "func.return"]
    (end,) = (op for op in module.walk() if op.name == "func.return")
    assert end.operands[0].owner.name == f"arith.{returned}"


def test_an_empty_arm_leaves_nothing() -> None:
    module = parse_module("""
func.func @main(%c: i1, %x: f32, %m: memref<1xf32>, %k: index) {
  scf.if %c { memref.store %x, %m[%k] : memref<1xf32> }
  func.return
}""")
    (branch,) = (op for op in module.walk() if op.name == "scf.if")
    take_arm(branch, branch.regions[1])
    assert [op.name for op in module.walk()] == ["builtin.module", "func.func", "func.return"]
