"""Every trap of ONNX control flow in every engine, against the specification or ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest

import loomir
from loomir.compiler.model import ENGINES, Engine
from loomir.errors import Error
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.conformance.onnx_rank_traps import TRAPS
from tests.conformance.onnx_traps import Trap
from tests.support import assert_agree

FIXED_BELOW_GRAPH = ("m", "n")


def run_onnxruntime(row: Trap, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The oracle, without its optimisations."""
    session = onnxruntime_session(row.model(), optimised=False)
    return [np.asarray(r) for r in session.run(None, feed)]


def run(row: Trap, feed: dict[str, np.ndarray], engine: Engine) -> list[np.ndarray]:
    """loomir's outputs in the model's order."""
    fixed = {} if engine == "graph" else {name: feed[name] for name in FIXED_BELOW_GRAPH if name in feed}
    outputs = loomir.load(row.model(), values=fixed).run(feed, engine=engine)
    return [np.asarray(outputs[value.name]) for value in row.model().graph.output]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("row", TRAPS, ids=lambda t: t.name)
def test_trap(row: Trap, engine: Engine) -> None:
    expected_error = row.error if engine == "graph" else row.lowered_error or row.error
    if expected_error is not None:
        with pytest.raises(Error) as info:
            run(row, row.feeds[0], engine)
        assert info.value.identifier == expected_error, str(info.value)
        return
    for number, feed in enumerate(row.feeds):
        wanted = row.expected[number] if row.expected else run_onnxruntime(row, feed)
        for index, (actual, value) in enumerate(zip(run(row, feed, engine), wanted, strict=True)):
            assert_agree(actual, value, f"call {number}, output {index}")


def test_every_row_has_its_own_name() -> None:
    assert len({row.name for row in TRAPS}) == len(TRAPS)
