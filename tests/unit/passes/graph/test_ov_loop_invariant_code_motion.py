"""`ov-loop-invariant-code-motion`: nests of any depth, and the errors that came."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.errors import Error

NAME = "ov-loop-invariant-code-motion"


@contextmanager
def deep() -> Iterator[None]:
    """Raise the recursion limit to the frames of 200 nested loops."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def nest(depth: int) -> ModuleOp:
    """Loops in loops, in each an operation that reads nothing of them and one that reads the loop around it."""
    lines = ["func.func @main(%n: tensor<i64>, %v: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {"]
    around = "%v"
    for k in range(depth):
        lines += [
            f"%r{k} = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {{",
            f"^bb{k}(%i{k}: tensor<i64>, %v{k}: tensor<4xf32>):",
            f"%e{k} = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>",
            f"%w{k} = ov.multiply {around}, %e{k} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
        ]
        around = f"%v{k}"
    for k in reversed(range(depth)):
        value = f"%w{k}" if k == depth - 1 else f"%r{k + 1}"
        lines += [f"ov.next carried({value} : tensor<4xf32>)", "}"]
    return Parser(make_context(), "\n".join([*lines, "func.return %r0 : tensor<4xf32>", "}"])).parse_module()


def test_deep_nests() -> None:
    """Of each loop of 200 what reads nothing of any is before all, and what reads the one around it is in that one."""
    with deep():
        module = nest(200)
        run_passes(module, NAME)
        module.verify()
        for loop in module.walk():
            if isinstance(loop, LoopOp):
                inside = [op.name for op in loop.body.block.ops]
                assert "ov.exp" not in inside
                assert inside.count("ov.multiply") <= 1


PROGRAM = """
func.func @main(%n: tensor<i64>, %k: tensor<64xi64>, %l: tensor<64xi64>, %x: tensor<64xf32>, %a: tensor<4xf32>) -> tensor<64xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<64xf32>):
    FIRST
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<64xi64>, tensor<i64>) -> tensor<64xf32>
    %w = ov.add %v, %g : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    ov.next carried(%w : tensor<64xf32>)
  }
  func.return %r : tensor<64xf32>
}
"""
ENDLESS = """
    %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
    %z = ov.loop while(%true) carried(%v) : (tensor<i1>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<64xf32>):
      %t = ov.gather %a, %l, %axis : (tensor<4xf32>, tensor<64xi64>, tensor<i64>) -> tensor<64xf32>
      ov.next while(%true) carried(%t : tensor<64xf32>)
    }
"""


@pytest.mark.parametrize("trips", [0, 1, 3])
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("first", ["", ENDLESS], ids=["alone", "behind-another"])
def test_the_errors_that_came(trips: int, inside: bool, first: str) -> None:
    """Errors arise only if an iteration begins, and in their original order."""
    module = Parser(make_context(), PROGRAM.replace("FIRST", first)).parse_module()
    after = module.clone()
    run_passes(after, NAME)
    feed = {
        "arg0": np.array(trips, np.int64),
        "arg1": np.full(64, 3 if inside else 4, np.int64),
        "arg2": np.zeros(64, np.int64),
        "arg3": np.zeros(64, np.float32),
        "arg4": np.arange(4, dtype=np.float32),
    }
    assert _outcome(module, feed) == _outcome(after, feed)


def _outcome(module: ModuleOp, feed: dict[str, np.ndarray]) -> object:
    engine = GraphEngine(module, max_iterations=50)
    names = argument_names(main_function(module))
    try:
        return {k: v.tolist() for k, v in engine(dict(zip(names, feed.values()))).items()}
    except Error as error:
        return error.identifier
