"""`make affected` finds the tests of what a change touches."""

from __future__ import annotations

import pytest

from tests.affected import affected
from tests.code_lines import ROOT


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("passes/graph/ov_if_sink.py", "tests/lit/passes/graph/ov_if_sink.mlir"),
        ("passes/control_flow/sink.py", "tests/lit/passes/graph/ov_if_sink.mlir"),
        ("passes/structured/bufferize/emit.py", "tests/unit/passes/structured/test_bufferize.py"),
        ("passes/loops/plan_memory/__init__.py", "tests/lit/passes/loops/plan_memory.mlir"),
        ("dialects/ov/operators/windows.py", "tests/unit/dialects/ov/test_compute_inference.py"),
        ("compiler/extensions/loading.py", "tests/unit/compiler/extensions/test_loading.py"),
        ("tests/lit/passes/graph/ov_infer.mlir", "tests/lit/passes/graph/ov_infer.mlir"),
        ("tests/support_loops.py", "tests/unit/compiler/engines/test_codegen.py"),
        ("docs/ir.md", None),
    ],
)
def test_tests_that_a_change_affects(changed: str, test: str | None) -> None:
    found = affected([ROOT / changed])
    if test is None:
        assert not found
    else:
        assert ROOT / test in found, found
