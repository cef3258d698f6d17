"""`ov-loop-merge-values`: equal values through deep nests, in a few rounds or not at all."""

from __future__ import annotations

import sys

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.pipeline import run_passes
from loomir.dialects.ov.operators.control_flow import LoopOp


def nest(depth: int) -> ModuleOp:
    """Loops in loops, each of which hands two equal values on to the one in it."""
    kinds = "tensor<4xf32>, tensor<4xf32>"
    lines = [f"func.func @main(%n: tensor<i64>, %x: tensor<4xf32>) -> ({kinds}) {{"]
    a = b = "%x"
    for k in range(depth):
        lines += [
            f"%r{k}, %s{k} = ov.loop trip(%n) carried({a}, {b}) : (tensor<i64>, {kinds}) -> ({kinds}) {{",
            f"^bb{k}(%i{k}: tensor<i64>, %v{k}: tensor<4xf32>, %u{k}: tensor<4xf32>):",
            f"%w{k} = ov.exp %v{k} : (tensor<4xf32>) -> tensor<4xf32>",
            f"%z{k} = ov.exp %u{k} : (tensor<4xf32>) -> tensor<4xf32>",
        ]
        a, b = f"%w{k}", f"%z{k}"
    for k in reversed(range(depth)):
        lines += [f"ov.next carried({a}, {b} : {kinds})", "}"]
        a, b = f"%r{k}", f"%s{k}"
    lines += [f"func.return {a}, {b} : {kinds}", "}"]
    return Parser(make_context(), "\n".join(lines)).parse_module()


def read_values(module: ModuleOp) -> int:
    """How many carried values are read in their loops."""
    loops = [op for op in module.walk() if isinstance(op, LoopOp)]
    return sum(a.first_use is not None for loop in loops for a in loop.carried_arguments)


def test_deep_nests() -> None:
    """Of 200 nested loops each reads one of its two values in the end."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        module = nest(200)
        run_passes(module, "ov-loop-merge-values")
        module.verify()
        assert read_values(module) == 200
    finally:
        sys.setrecursionlimit(limit)


def test_too_few_rounds_change_nothing() -> None:
    """Unsettled results are not used."""
    module = nest(3)
    before = str(module)
    run_passes(module, "ov-loop-merge-values{max-rounds=1}")
    assert str(module) == before
