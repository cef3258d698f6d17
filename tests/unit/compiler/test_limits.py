"""How many bytes a program may take: buffers together, and what folding makes of constants."""

from __future__ import annotations

import onnx.parser
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

import loomir
from loomir.compiler.mlir.context import make_context
from loomir.compiler.pipeline import run_passes
from loomir.dialects.ov.operators.joining import ConcatOp
from tests.support import raises_error

PRODUCTS = """<ir_version: 9, opset_import: ["" : 18]>
main (float[32, 32] x, float[32, 32] w) => (float[32, 32] y) {
    a = MatMul (x, w)
    b = MatMul (a, w)
    c = MatMul (a, b)
    y = MatMul (b, c)
}"""


def test_the_arena_in_all_is_limited() -> None:
    # Each tensor has 4096 bytes; at least two of them have to be there at once.
    small = loomir.load(onnx.parser.parse_model(PRODUCTS), max_bytes=5000)
    with raises_error("limit-bytes"):
        small.lowered("loops")
    enough = loomir.load(onnx.parser.parse_model(PRODUCTS), max_bytes=20_000)
    assert enough.lowered("loops")


def doubling() -> ModuleOp:
    lines = ["%c0 = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>"]
    for n in range(12):
        types = f"(tensor<{2 << n}xf32>, tensor<{2 << n}xf32>) -> tensor<{4 << n}xf32>"
        lines.append(f"%c{n + 1} = ov.concat %c{n}, %c{n} {{axis = 0}} : {types}")
    body = "\n".join(lines)
    text = f"func.func @main() -> tensor<8192xf32> {{\n{body}\nfunc.return %c12 : tensor<8192xf32>\n}}"
    return Parser(make_context(), text).parse_module()


def left(module: ModuleOp) -> int:
    return sum(isinstance(op, ConcatOp) and op.output.first_use is not None for op in module.walk())


def test_folding_passes_share_one_budget() -> None:
    module = doubling()
    run_passes(module, "ov-fold-constants{max-bytes=20000}")
    once = left(module)
    assert 0 < once < 12
    run_passes(module, "ov-fold-constants{max-bytes=20000},canonicalize,ov-fold-constants{max-bytes=20000}")
    assert left(module) == once
    whole = doubling()
    run_passes(whole, "ov-fold-constants,canonicalize")
    assert left(whole) == 0
