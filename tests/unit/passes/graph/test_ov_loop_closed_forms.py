"""`ov-loop-closed-forms`: bodies of many operations."""

from __future__ import annotations

import sys

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.pipeline import run_passes
from loomir.dialects.ov.operators.control_flow import LoopOp


def loop(length: int, other: str) -> ModuleOp:
    """A sum of what a chain of additions makes of the iteration number.

    Each adds `other` to the value before, or that value itself if `other` is empty.
    """
    kind = "tensor<i64>"
    lines = [
        f"func.func @main(%n: {kind}, %k: {kind}) -> {kind} {{",
        f"%r = ov.loop trip(%n) carried(%k) : ({kind}, {kind}) -> {kind} {{",
        f"^bb0(%i: {kind}, %v: {kind}):",
        f"%d0 = ov.add %i, %k : ({kind}, {kind}) -> {kind}",
    ]
    lines += [
        f"%d{k + 1} = ov.add %d{k}, {other or f'%d{k}'} : ({kind}, {kind}) -> {kind}" for k in range(length)
    ]
    lines += [
        f"%w = ov.add %v, %d{length} : ({kind}, {kind}) -> {kind}",
        f"ov.next carried(%w : {kind})",
        "}",
        f"func.return %r : {kind}",
        "}",
    ]
    return Parser(make_context(), "\n".join(lines)).parse_module()


def size_after(module: ModuleOp) -> int:
    """The number of operations behind the pass, which has left no loop."""
    run_passes(module, "ov-loop-closed-forms")
    operations = list(module.walk())
    assert not any(isinstance(op, LoopOp) for op in operations)
    return len(operations)


def test_long_chain():
    assert size_after(loop(2 * sys.getrecursionlimit(), "%k")) > 2 * sys.getrecursionlimit()


def test_values_read_twice_are_computed_once():
    # Before, each addition doubled what was computed: 2⁴⁰ operations.
    assert size_after(loop(50, "")) - size_after(loop(40, "")) <= 10
