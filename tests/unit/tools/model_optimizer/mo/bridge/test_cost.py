"""Cost of the bridge, counted in calls.

Calls are the same on every machine. The cost is linear in nodes and in nesting.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats import convert_front
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.tools.model_optimizer.mo.bridge import run_front, run_later
from tests.support import count_calls
from tests.unit.tools.model_optimizer.mo.bridge.programs import COMMAND, INFERENCE, front


def chain(length: int) -> str:
    """Nodes one behind the other, each of which reads the first too."""
    lines = [f"v{i + 1} = Add (v{i}, v0)" for i in range(length)]
    return "\n".join(["g (float[2] v0) => (float[2] y) {", *lines, f"y = Relu (v{length})", "}"])


def wide(count: int) -> str:
    """Nodes that all read one, and one that reads them all."""
    lines = [f"v{i} = Relu (x)" for i in range(count)]
    read = ", ".join(f"v{i}" for i in range(count))
    return "\n".join(["g (float[2] x) => (float[2] y) {", *lines, f"y = Sum ({read})", "}"])


def nest(depth: int) -> str:
    """Loops in loops, as text of FRONT, for no file may be nested so deep; the innermost reads a value from outside all of them."""
    text = [
        f'%w{depth} = onnx.node "Add" 14 (%v{depth}, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>'
    ]
    for i in reversed(range(depth)):
        text = [
            f'%w{i} = onnx.node "Loop" 16 named "loop{i}" (%n, %c, %v{i})'
            ' : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<2xf32> graph "body" {',
            f"^bb0(%i{i}: tensor<i64>, %c{i}: tensor<i1>, %v{i + 1}: tensor<2xf32>):",
            f'%d{i} = onnx.node "Identity" 16 (%c{i}) : (tensor<i1>) -> tensor<i1>',
            *text,
            f"onnx.yield %d{i}, %w{i + 1} : tensor<i1>, tensor<2xf32>",
            "}",
        ]
    return "\n".join([NEST, *text, "func.return %w0 : tensor<2xf32>", "} }"])


NEST = """builtin.module attributes {loomir.name = "g", loomir.source = "onnx", onnx.opset = 18 : i64} {
func.func @main(%x: tensor<2xf32> {loomir.name = "x"}, %n: tensor<i64> {loomir.name = "n"},
    %c: tensor<i1> {loomir.name = "c"}) -> (tensor<2xf32> {loomir.name = "y"}) {
%v0 = onnx.node "Relu" 14 (%x) : (tensor<2xf32>) -> tensor<2xf32>"""


def loaded(text: str, phase: str) -> ModuleOp:
    """A module of the stage that the phase has."""
    module = parse_module(text) if text.startswith("builtin") else front(text)
    if phase == "middle":
        convert_front(module)
        run_passes(module, INFERENCE)
    return module


def both_ways(module: ModuleOp, phase: str) -> int:
    if phase == "front":
        return count_calls(lambda: run_front(module, [], [], COMMAND))
    return count_calls(lambda: run_later(module, "middle", [], COMMAND))


@pytest.mark.parametrize("phase", ["front", "middle"])
@pytest.mark.parametrize(("program", "small", "large"), [(chain, 50, 200), (wide, 50, 200), (nest, 8, 32)])
def test_linear(program: Callable[[int], str], small: int, large: int, phase: str) -> None:
    both_ways(loaded(program(2), phase), phase)
    less, more = (both_ways(loaded(program(size), phase), phase) for size in (small, large))
    assert more < 1.15 * (large / small) * less, (less, more)


def test_a_hundred_loops() -> None:
    module = loaded(nest(100), "front")
    before = str(module)
    run_front(module, [], [], COMMAND)
    assert str(module) == before
