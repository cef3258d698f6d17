"""A sample of `make fuzz-quantised`, and that it would find what it looks for."""

from __future__ import annotations

import numpy as np
import pytest

from loomir.passes.graph.ov_to_integer import exact_rounding, proving
from loomir.passes.graph.ov_to_integer.proving import Requantisation
from tests.differential.quantised_networks import Program
from tests.differential.quantised_programs import SEED, run


@pytest.mark.parametrize("index", range(16))
def test_each_quantised_tensor_is_at_most_a_step_away(index: int) -> None:
    counts, faults = run(SEED, index)
    assert not faults
    assert counts["integers"] > 0


def test_programs_have_what_they_promise() -> None:
    steps = [node.op_type for k in range(200) for node in Program(SEED, k).nodes]
    assert {
        "If",
        "Loop",
        "QLinearConv",
        "QLinearMatMul",
        "QLinearAdd",
        "Conv",
        "MatMul",
        "Mul",
        "Split",
    } <= set(steps)


def test_a_wrong_multiplier_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Larger by a tenth: no proof is asked, results are several steps away."""

    def spoiled(*given: np.ndarray) -> Requantisation:
        found = proving.requantisation(*given)  # pyright: ignore[reportArgumentType]
        multipliers = np.minimum(found.multipliers + found.multipliers // 10, (1 << 31) - 1)
        return Requantisation(
            multipliers, found.addends, found.shifts, found.window, found.values, found.wrong
        )

    monkeypatch.setattr(exact_rounding, "requantisation", spoiled)
    assert any(run(SEED, index)[1] for index in range(1, 16))
