"""Passes on branches do work linear in the number of branches: for four times as many, less than six times as many calls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.ov.operators.control_flow import IfOp
from tests.support import count_calls

PIPELINE = "ov-infer,ov-fold-constants,canonicalize,cse,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,ov-if-to-select"


def chain(branches: int, *, conditions: int, use_each_other: bool) -> ModuleOp:
    """Branches one behind the other on conditions that take turns; each reads the one before or the input."""

    def lines() -> Iterator[str]:
        inputs = ", ".join(f"%c{n}: tensor<i1>" for n in range(conditions))
        yield f"func.func @main({inputs}, %x: tensor<4xf32>) -> tensor<4xf32> {{"
        before, total = "%x", "%x"
        for n in range(branches):
            yield f"  %e{n} = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>"
            yield f"  %r{n} = ov.if %c{n % conditions} -> (tensor<4xf32>) {{"
            yield f"    %p{n} = ov.mat_mul {before}, %e{n} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>"
            yield f"    %q{n} = ov.add %p{n}, {before} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>"
            yield f"    ov.yield %q{n} : tensor<4xf32>"
            yield f"  }} else {{\n    ov.yield {before} : tensor<4xf32>\n  }}"
            yield f"  %t{n} = ov.add {total}, %r{n} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"
            total = f"%t{n}"
            before = f"%r{n}" if use_each_other else "%x"
        yield f"  func.return {total} : tensor<4xf32>\n}}"

    return parse_module("\n".join(lines()))


@pytest.mark.parametrize(
    ("conditions", "use_each_other", "left"), [(1, False, 1), (1, True, 1), (3, False, 3), (3, True, None)]
)
def test_work_is_linear(conditions: int, use_each_other: bool, left: int | None) -> None:
    few, many = (chain(n, conditions=conditions, use_each_other=use_each_other) for n in (100, 400))
    first = count_calls(lambda: run_passes(few, PIPELINE))
    assert count_calls(lambda: run_passes(many, PIPELINE)) < 6 * first
    if left is not None:
        assert sum(isinstance(op, IfOp) for op in many.walk()) == left
