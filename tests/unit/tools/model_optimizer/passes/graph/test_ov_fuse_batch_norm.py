"""`ov-fuse-batch-norm`: random chains behind random products give the same numbers, but for rounding."""

from __future__ import annotations

from random import Random

import numpy as np
import onnx.parser
import pytest
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, UnknownLoc
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

import loomir
from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.pipeline import run_passes
from loomir.dialects.element_types import element_of
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.normalisation import BatchNormInferenceOp

SHAPES = {
    "convolution": ((2, 3, 5), (4, 3, 2)),
    "group_convolution": ((2, 4, 5, 5), (2, 3, 2, 2, 1)),
    "mat_mul": ((2, 3, 5), (5, 4)),
    "mat_mul_transposed": ((2, 3, 5), (4, 5)),
    "mat_mul_batches": ((3, 5), (2, 5, 4)),
    "mat_mul_rows": ((2, 5, 3), (4, 5)),
    "mat_mul_vector": ((5,), (5, 4)),
    "nothing": ((2, 4, 3), ()),
}
"""Of the input and of the weights."""


def _product(kind: str, x: SSAValue, weights: SSAValue, build: GraphBuilder) -> SSAValue:
    match kind:
        case "nothing":
            return x
        case "convolution":
            return build.make(ConvolutionOp, x, weights)
        case "group_convolution":
            return build.make(GroupConvolutionOp, x, weights)
        case "mat_mul_rows":
            return build.make(MatMulOp, weights, x)
        case _:
            return build.make(MatMulOp, x, weights, attributes={"transpose_b": kind == "mat_mul_transposed"})


def program(kind: str, seed: int, dtype: type) -> ModuleOp:
    """A product and up to five steps: constants of any shape that goes together with it, normalisations where there is a channel."""
    random, numbers = Random(f"{kind} {seed}"), np.random.default_rng(seed)

    def constant(*shape: int) -> SSAValue:
        return build.constant(numbers.uniform(0.5, 2, shape).astype(dtype))

    data, weights = SHAPES[kind]
    block = Block(arg_types=[TensorType(element_of(np.dtype(dtype)), data)])
    build = GraphBuilder(InsertPoint.at_end(block), UnknownLoc())
    value = _product(kind, block.args[0], constant(*weights), build)
    for _ in range(random.randint(1, 5)):
        shape = fact_of(value).static
        assert shape is not None
        if len(shape) > 1 and random.random() < 0.3:
            parameters = [constant(shape[1]) for _ in range(4)]
            value = build.make(BatchNormInferenceOp, value, *parameters, attributes={"epsilon": 0.25})
            continue
        axis = random.randrange(len(shape))
        behind = [1] * (len(shape) - 1 - axis)
        other = constant(
            *random.choice([[], [1], [shape[axis], *behind], [1] * axis + [shape[axis], *behind], shape])
        )
        operands = [value, other]
        operation = random.choice([AddOp, SubtractOp, MultiplyOp, DivideOp])
        if random.random() < 0.4 and operation is not DivideOp:
            operands.reverse()
        value = build.make(operation, *operands)
    block.add_op(ReturnOp(value))
    types = FunctionType.from_lists([block.args[0].type], [value.type])
    return ModuleOp([FuncOp("main", types, Region(block))])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", SHAPES)
def test_random_chains(kind: str, seed: int) -> None:
    dtype = np.float32 if seed % 2 else np.float64
    before = program(kind, seed, dtype)
    after = before.clone()
    run_passes(after, "ov-fuse-batch-norm,canonicalize", verify_each=True)
    assert "batch_norm" not in str(after)
    x = np.random.default_rng(seed + 100).normal(size=SHAPES[kind][0]).astype(dtype)
    (expected,), (actual,) = (GraphEngine(m).run({"arg0": x}).outputs.values() for m in (before, after))
    assert actual.dtype == expected.dtype
    tolerance = 1e-4 if dtype == np.float32 else 1e-11
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


MODEL = """
    <ir_version: 8, opset_import: ["" : 15]>
    g (float[1, 2, 4, 4] x) => (float[1, 2, 4, 4] y)
    <float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[2] s = {1, 2}, float[2] b = {0.5, 1}, float[2] m = {0, 1}, float[2] v = {1, 4}>
    {
        [conv] c = Conv (x, w, b)
        [norm] n = BatchNormalization (c, s, b, m, v)
        y = Relu (n)
    }
"""


def test_of_onnx() -> None:
    """Of a Conv with a bias and its BatchNormalization one convolution and one addition are left, which stands where the latter did."""
    model = loomir.load(onnx.parser.parse_model(MODEL))
    x = np.random.default_rng(0).normal(size=(1, 2, 4, 4)).astype(np.float32)
    expected = model.run({"x": x})["y"]
    fused = model.optimize("ov-fuse-batch-norm,canonicalize")
    np.testing.assert_allclose(fused.run({"x": x})["y"], expected, rtol=1e-5, atol=1e-5)
    text = fused.mlir("graph")
    assert [text.count(f" {name} ") for name in ("ov.convolution", "ov.add", "ov.multiply", "ov.relu")] == [
        1,
        1,
        0,
        1,
    ]
