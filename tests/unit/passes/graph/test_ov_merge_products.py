"""`ov-merge-products`: the same results, of rows and vectors, weights as they are and transposed, of several lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.ov.operators.contraction import MatMulOp

INNER = 3


def program(rows: str, products: Sequence[tuple[int, bool]], element: str = "f32") -> ModuleOp:
    """Products of one value, each of so many columns, with weights that may be transposed."""
    random = np.random.default_rng(8)
    lines: list[str] = []
    results = [f"tensor<{rows}{columns}x{element}>" for columns, _ in products]
    for k, (columns, transposed) in enumerate(products):
        shape = (columns, INNER) if transposed else (INNER, columns)
        weights = random.integers(-5, 6, size=shape)
        values = weights.astype(float).tolist() if element[0] == "f" else weights.tolist()
        type_ = f"tensor<{shape[0]}x{shape[1]}x{element}>"
        lines.append(f"%w{k} = ov.constant dense<{values}> : {type_} : {type_}")
        lines.append(
            f"%y{k} = ov.mat_mul %x, %w{k} {{transpose_b = {str(transposed).lower()}}} : "
            f"(tensor<{rows}{INNER}x{element}>, {type_}) -> {results[k]}"
        )
    names, body = ", ".join(f"%y{k}" for k in range(len(products))), "\n  ".join(lines)
    made = ", ".join(results)
    return parse_module(f"""
func.func @main(%x: tensor<{rows}{INNER}x{element}>) -> ({made}) {{
  {body}
  func.return {names} : {made}
}}""")


def merged(written: ModuleOp, x: np.ndarray) -> int:
    """How many products the program has behind the pass, which changes no result."""
    run_passes(written, "ov-infer")
    changed = written.clone()
    run_passes(changed, "ov-merge-products{machine=x86-64-v3},ov-infer", verify_each=True)
    feed = dict(zip(argument_names(main_function(written)), [x]))
    before, after = (GraphEngine(module).run(feed).outputs for module in (written, changed))
    for name, value in before.items():
        np.testing.assert_array_equal(after[name], value, strict=True, err_msg=name)
    return len([op for op in changed.walk() if isinstance(op, MatMulOp)])


@pytest.mark.parametrize("rows", ["", "1x", "3x", "1x1x", "3x1x"])
def test_rows(rows: str) -> None:
    shape = tuple(int(n) for n in rows.split("x") if n)
    x = np.arange(np.prod((*shape, INNER)), dtype=np.float32).reshape(*shape, INNER)
    assert merged(program(rows, [(4, False), (7, True), (1, False), (63, True)]), x) == 1


def test_elements() -> None:
    assert merged(program("2x", [(4, False), (5, True)], "i32"), np.ones((2, INNER), np.int32)) == 1
    assert merged(program("2x", [(4, False), (5, True)], "f64"), np.ones((2, INNER))) == 1


def test_what_stays() -> None:
    row = np.ones((1, INNER), np.float32)
    assert merged(program("1x", [(4, False)]), row) == 1
    # A tile's columns are 8 vectors of 8: such a product stays, and those beside it are one.
    assert merged(program("1x", [(64, False), (64, True)]), row) == 2
    assert merged(program("1x", [(64, False), (3, True), (4, True)]), row) == 2
    assert merged(program("4x", [(4, False), (5, False)]), np.ones((4, INNER), np.float32)) == 2
