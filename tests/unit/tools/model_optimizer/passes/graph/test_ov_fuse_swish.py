"""`ov-fuse-swish`: the results are those of the expression, but for rounding."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes

FORMS = {
    "sigmoid": "s = sigmoid k; y = multiply x s",
    "quotient": "n = negative k; e = exp n; d = add one e; y = divide x d",
    "product": "n = negative k; e = exp n; d = add e one; r = divide one d; y = multiply r x",
}
TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}


def module_of(form: str, element: str, beta: float):
    """The program of a form, of `k = beta · x`."""
    vector, number = f"tensor<7x{element}>", f"tensor<{element}>"
    lines = [
        f"%{n} = ov.constant dense<{v}> : {number} : {number}" for n, v in (("one", 1.0), ("beta", beta))
    ]
    lines.append(f"%k = ov.multiply %x, %beta : ({vector}, {number}) -> {vector}")
    for statement in FORMS[form].split("; "):
        result, _, operation, *operands = statement.split()
        types = ", ".join(number if o == "one" else vector for o in operands)
        values = ", ".join(f"%{o}" for o in operands)
        lines.append(f"%{result} = ov.{operation} {values} : ({types}) -> {vector}")
    body = "\n".join(lines)
    return parse_module(
        f"func.func @main(%x: {vector}) -> {vector} {{\n{body}\nfunc.return %y : {vector}\n}}"
    )


@pytest.mark.parametrize("beta", [1.0, 0.75, -2.0])
@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("form", FORMS)
def test_the_results_are_those_of_the_expression(form: str, element: str, beta: float) -> None:
    before = module_of(form, element, beta)
    after = before.clone()
    run_passes(after, "ov-fuse-swish,canonicalize", verify_each=True)
    assert "ov.swish" in str(after)
    assert "ov.exp" not in str(after)
    assert "ov.sigmoid" not in str(after)
    x = np.array([-8.0, -1.5, -0.0, 0.0, 0.25, 2.0, 9.0]).astype(TYPES[element])
    results = []
    for module in (before, after):
        (y,) = GraphEngine(module).run({"arg0": x}).outputs.values()
        assert y.dtype == x.dtype
        results.append(y.astype(np.float64))
    epsilon = float(ml_dtypes.finfo(x.dtype).eps)
    np.testing.assert_allclose(results[1], results[0], rtol=16 * epsilon, atol=16 * epsilon)


def test_of_onnx() -> None:
    """x · Sigmoid(x) becomes what the Model Optimizer makes of it."""
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 13]>
        g (float[2, 3] x) => (float[2, 3] y) { s = Sigmoid (x) y = Mul (x, s) }
    """)
    fused = loomir.load(model).optimize("ov-fuse-swish,canonicalize")
    assert "ov.swish" in fused.mlir("graph")
