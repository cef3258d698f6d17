"""`ov-decompose`: what it computes, where it works, and what it leaves as it was."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, NameLoc, StringAttr, UnknownLoc
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser

from loomir.compiler.formats.mlir.parser import make_context
from loomir.dialects.ov.base import OvOperation, evaluate
from loomir.passes.graph.ov_decompose import OvDecomposePass


def decomposed(text: str) -> ModuleOp:
    context = make_context()
    module = Parser(context, text).parse_module()
    OvDecomposePass().apply(context, module)
    module.verify()
    return module


def run(module: ModuleOp, *arrays: np.ndarray) -> list[np.ndarray]:
    """The results of a straight-line `main`, by `evaluate`."""
    (main,) = module.body.block.ops
    assert isinstance(main, FuncOp)
    known: dict[SSAValue, np.ndarray] = dict(zip(main.body.block.args, arrays))
    for op in main.body.block.ops:
        operands = [known[o] for o in op.operands]
        if isinstance(op, OvOperation):
            known.update(zip(op.results, evaluate(op, operands)))
        else:
            return operands
    raise AssertionError("main does not return")


def names(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk() if isinstance(op, OvOperation)]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax(name: str, axis: int):
    kind = "tensor<3x4xf32>"
    module = decomposed(
        f"func.func @main(%x: {kind}) -> {kind} {{\n"
        f"  %r = ov.{name} %x {{axis = {axis} : i64}} : ({kind}) -> {kind}\n  func.return %r : {kind}\n}}"
    )
    x = (np.random.default_rng(0).standard_normal((3, 4)) * 50).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(axis=axis, keepdims=True))
    expected = e / e.sum(axis=axis, keepdims=True)
    (result,) = run(module, x)
    if name == "log_softmax":
        result = np.exp(result)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
    assert result.dtype == np.float32


def test_softmax_of_a_scalar():
    text = (
        "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
        "  %r = ov.softmax %x {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>\n"
        "  func.return %r : tensor<f32>\n}"
    )
    (result,) = run(decomposed(text), np.array(3.0, np.float32))
    assert result == 1.0


def test_result_types_stay():
    """The declared type may say more or less than what `make` infers: users rely on it."""
    module = decomposed(
        "func.func @main(%x: tensor<*xf32>, %y: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<?xf32>) {\n"
        "  %a = ov.softmax %x : (tensor<*xf32>) -> tensor<2x3xf32>\n"
        "  %b = ov.softmax %y {axis = 0 : i64} : (tensor<2xf32>) -> tensor<?xf32>\n"
        "  func.return %a, %b : tensor<2x3xf32>, tensor<?xf32>\n}"
    )
    (main,) = module.body.block.ops
    assert isinstance(main, FuncOp)
    last = main.body.block.last_op
    assert last is not None
    assert [str(o.type) for o in last.operands] == ["tensor<2x3xf32>", "tensor<?xf32>"]


def test_regions_and_locations():
    context = make_context()
    text = """
      func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
        %r = ov.if %c -> (tensor<4xf32>) {
          %s = ov.softmax %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
          ov.yield %s : tensor<4xf32>
        } else {
          ov.yield %x : tensor<4xf32>
        }
        func.return %r : tensor<4xf32>
      }"""
    module = Parser(context, text).parse_module()
    composite = next(op for op in module.walk() if op.name == "ov.softmax")
    composite.location = NameLoc(StringAttr("scores"), UnknownLoc())
    hint = composite.results[0].name_hint
    OvDecomposePass().apply(context, module)
    module.verify()
    made: list[Operation] = [op for op in module.walk() if op.location == composite.location]
    assert [op.name for op in made] == [
        "ov.constant", "ov.reduce_max", "ov.subtract", "ov.exp", "ov.reduce_sum",
        "ov.constant", "ov.divide", "ov.multiply",
    ]  # fmt: skip
    assert made[-1].results[0].name_hint == hint
    assert "ov.softmax" not in names(module)


def test_every_composite_has_a_decomposition():
    from loomir.dialects.ov import operations
    from loomir.passes.graph.lib.decompositions import decomposition_of

    composites = [c for c in operations() if issubclass(c, OvOperation) and c.COMPOSITE]
    assert composites
    for op_class in composites:
        assert decomposition_of(op_class) is not None, op_class.name
