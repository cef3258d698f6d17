"""How many bytes a program may take: buffers together, and what folding makes of constants."""

from __future__ import annotations

import onnx.parser
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

import loomir
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.option_names import MAX_BYTES
from loomir.compiler.pass_options import limited
from loomir.compiler.pipeline import run_passes
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.control_flow import LoopOp
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


BROADCAST = """<ir_version: 9, opset_import: ["" : 18]>
main (int64 n, float[1024] a, float[512, 1024] x) => (float[512, 1024] y) {
    shape = Constant <value = int64[2] {512, 1024}> ()
    y = Loop (n, "", x) <body = body (int64 i, bool go, float[512, 1024] v) => (bool again, float[512, 1024] w) {
        again = Identity (go)
        b = Expand (a, shape)
        e = Exp (b)
        w = Add (e, v)
    }>
}"""


@pytest.mark.parametrize(
    ("option", "bound", "moves"),
    [
        # By itself it keeps no more than twice what the results are made of, and 64 KB.
        ("", MAX_BYTES, False),
        ("", 1 << 24, False),
        ("{max-bytes=1024}", MAX_BYTES, False),
        ("{max-bytes=10000000}", MAX_BYTES, True),
        ("{max-bytes=10000000}", 1 << 24, True),
    ],
)
def test_how_much_room_a_pass_may_take_is_not_how_large_tensors_may_be(
    option: str, bound: int, moves: bool
) -> None:
    pipelines = {"graph": ["ov-infer", f"ov-loop-invariant-code-motion{option}"]}
    loaded = loomir.load(onnx.parser.parse_model(BROADCAST), pipelines=pipelines, max_bytes=bound)
    (loop,) = [op for op in loaded.module.walk() if isinstance(op, LoopOp)]
    assert moves == (not any(isinstance(op, BroadcastOp) for op in loop.walk()))


@pytest.mark.parametrize(
    ("option", "bound", "folds"),
    [
        ("", MAX_BYTES, True),
        ("", 100_000, True),
        ("", 10_000, False),
        ("{max-bytes=10000}", 100_000, False),
        ("{max-bytes=100000}", 10_000, False),
    ],
)
def test_of_two_bounds_of_folding_the_smaller_one_counts(option: str, bound: int, folds: bool) -> None:
    module = doubling()
    run_passes(module, limited(f"ov-fold-constants{option}", max_bytes=bound))
    assert (left(module) == 0) == folds
