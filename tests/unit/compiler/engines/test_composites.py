"""Composite operations whose decomposition asks for what only a run knows: axes and lengths that are fed or computed."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.compiler.engines.graph_operations import DecompositionCache
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.option_names import Engine
from loomir.dialects.ov.operators.layout import RollOp
from tests.support import assert_agree, raises_error

ENGINES: tuple[Engine, ...] = ("graph", "structured", "loops", "native")
X = np.arange(24, dtype=np.float32).reshape(1, 4, 6)


def program(path: Path, text: str, **options: object) -> loomir.Model:
    file = path / "model.mlir"
    file.write_text(text)
    return loomir.load(file, **options)  # pyright: ignore[reportArgumentType]


def of_parameter(operation: str, count: str, result: str) -> str:
    """A program of one operation on `%x`, with a parameter `%p`."""
    return f"""
func.func @main(%x: tensor<1x4x6xf32> {{loomir.name = "x"}}, %p: tensor<{count}xi64> {{loomir.name = "p"}})
    -> ({result} {{loomir.name = "y"}}) {{
  %two = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
  %minus = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %far = ov.constant dense<-100> : tensor<1xi64> : tensor<1xi64>
  %y = {operation} -> {result}
  func.return %y : {result}
}}"""


DATA = "tensor<1x4x6xf32>"
ONE = "tensor<1xi64>"
"""Operation, result, and values of the parameter."""
USES = {
    "roll": (f"ov.roll %x, %two, %p : ({DATA}, {ONE}, {ONE})", DATA, ([1], [-1])),
    "reverse": (f'ov.reverse %x, %p {{mode = "index"}} : ({DATA}, {ONE})', DATA, ([1], [-1])),
    "mvn": (f"ov.mvn %x, %p {{eps = 1.0e-6}} : ({DATA}, {ONE})", DATA, ([1], [2])),
    "slice_scatter": (
        f"ov.slice_scatter %x, %x, %minus, %far, %minus, %p : ({DATA}, {DATA}, {ONE}, {ONE}, {ONE}, {ONE})",
        DATA,
        ([1], [2]),
    ),
    "interpolate": (
        f'ov.interpolate %x, %two, %p {{mode = "nearest", shape_calculation_mode = "sizes"}} : ({DATA}, {ONE}, {ONE})',
        "tensor<?x?x?xf32>",
        ([1], [2]),
    ),
    "adaptive_avg_pool": (f"ov.adaptive_avg_pool %x, %p : ({DATA}, {ONE})", "tensor<1x4x?xf32>", ([2], [4])),
    "rdft": (f"ov.rdft %x, %p : ({DATA}, {ONE})", "tensor<1x?x?x2xf32>", ([1], [-1])),
}


@pytest.mark.parametrize("name", USES)
def test_parameters_that_are_fed(name: str, tmp_path: Path) -> None:
    """Every engine gives what the program with the parameter's value gives."""
    operation, result, values = USES[name]
    text = of_parameter(operation, "1", result)
    model = program(tmp_path, text)
    for p in values:
        wanted = program(tmp_path, text, values={"p": p}).run({"x": X}, engine="graph")["y"]
        for engine in ENGINES:
            assert_agree(
                model.run({"x": X, "p": np.array(p)}, engine=engine)["y"], wanted, f"{name} {p} {engine}"
            )


LOOP = """
func.func @main(%n: tensor<i64> {loomir.name = "n"}, %x: tensor<3x4x2xf32> {loomir.name = "x"})
    -> (tensor<3x4x2xf32> {loomir.name = "y"}) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %a, %y = ov.loop trip(%n) carried(%zero, %x)
      : (tensor<i64>, tensor<1xi64>, tensor<3x4x2xf32>) -> (tensor<1xi64>, tensor<3x4x2xf32>) {
  ^bb0(%i: tensor<i64>, %axis: tensor<1xi64>, %v: tensor<3x4x2xf32>):
    %w = ov.dft %v, %axis : (tensor<3x4x2xf32>, tensor<1xi64>) -> tensor<3x4x2xf32>
    %next = ov.add %axis, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    ov.next carried(%next, %w : tensor<1xi64>, tensor<3x4x2xf32>)
  }
  func.return %y : tensor<3x4x2xf32>
}"""


def test_an_axis_of_each_iteration(tmp_path: Path) -> None:
    """The graph engine needs it in no program; below it the loop is unrolled for each number of trips."""
    model, x = program(tmp_path, LOOP), np.arange(24, dtype=np.float32).reshape(3, 4, 2)
    engines: tuple[Engine, ...] = ("graph", "structured")
    for n, engine in product((2, 0, 1), engines):
        y = model.run({"n": np.array(n), "x": x}, engine=engine)["y"]
        wanted = np.fft.fftn(x[..., 0] + 1j * x[..., 1], axes=range(n))
        assert_agree(y, np.stack([wanted.real, wanted.imag], -1).astype(np.float32))
    for engine in engines:
        with raises_error("runtime-shape", "axis 2", "ov.dft"):
            model.run({"n": np.array(3), "x": x}, engine=engine)


def test_a_decomposition_is_made_once_for_equal_parameters() -> None:
    """Weights are no part of what tells them apart, and an operand that occurs twice is two."""
    module = parse_module("""
func.func @main(%p: tensor<2xi64>) -> tensor<2xi64> {
  %r = ov.roll %p, %p, %p : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  func.return %r : tensor<2xi64>
}""")
    roll = next(op for op in module.walk() if isinstance(op, RollOp))
    composites, zeros = DecompositionCache(), np.zeros(2, np.int64)
    region, order = composites.body(roll, [np.array([5, 6]), np.array([1, 2]), zeros])
    assert order == (0, 1)
    assert composites.body(roll, [zeros, zeros, zeros])[0] is region
    assert composites.body(roll, [zeros, zeros, zeros - 1])[0] is not region
