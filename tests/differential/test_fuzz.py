"""A few random programs through the whole net; `make fuzz` runs 2,000 of them, `make fuzz-nightly` 20,000."""

from __future__ import annotations

import pytest

from loomir.compiler.feeds import specialising
from loomir.tools.fuzz import OPEN_SCANS
from loomir.tools.fuzz.levels import LEVELS
from loomir.tools.fuzz.runner import FuzzOptions, fuzz
from loomir.tools.fuzz.trial import TrialPlan

EVERYTHING = TrialPlan(openvino=True, check_each_pass=True)


def explained(failures) -> str:
    return "\n".join(f"{r.index} {r.level} {f.engine}: {f.kind}: {f.text}" for r, f in failures)


def test_every_engine_at_every_level() -> None:
    summary = fuzz(FuzzOptions(seed=101, count=2 * len(LEVELS), size=8))
    assert not summary.failures, explained(summary.failures)
    assert len(summary.reports) == 2 * len(LEVELS)


def test_before_and_after_every_pass() -> None:
    summary = fuzz(FuzzOptions(seed=103, count=len(LEVELS), size=6, plan=EVERYTHING))
    assert not summary.failures, explained(summary.failures)
    assert summary.total("features")["agrees with OpenVINO"] > 0


def test_buffers_that_are_too_small_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines cope with buffers that are too small at first.

    The values of random programs would fit into `START_CAPACITY`, so the test lowers it to 1.
    """
    monkeypatch.setattr(specialising, "START_CAPACITY", 1)
    options = FuzzOptions(seed=2026)
    growing_ones = [i for i in range(250) if "unbounded-trips" in options.program(i).refusals]
    assert growing_ones
    for index in growing_ones:
        summary = fuzz(FuzzOptions(seed=2026, start=index, count=1, plan=TrialPlan(ir=False)))
        assert not summary.failures, explained(summary.failures)
        assert summary.total("refusals")["unbounded-trips"] == 0


def test_programs_hold_what_the_fuzzer_is_for() -> None:
    """Every sort of control flow occurs among the programs of `make fuzz`, within its first few hundred."""
    options = FuzzOptions(seed=2026)
    held = {name for index in range(300) for name in options.program(index).features}
    assert {
        *(f"region depth {n}" for n in (1, 2, 3, 4)),
        *(f"capture through {n}" for n in (1, 2, 3)),
        *("static trips", "dynamic trips", "zero trips", "huge trips", "while trips", "early exit"),
        *("initial condition false", "dynamic initial condition", "condition passed through", "no condition"),
        *("swap", "rotation of three", "dead carry", "dead cycle", "invariant carry"),
        *("growing carry", "shrinking carry", "turning carry"),
        *(
            "shape-changing if",
            "rank-changing if",
            "rank-changing loop",
            "shape of any length",
            "loop over elements",
            "fault in an arm not taken",
        ),
        *("scan input backwards", "scan output backwards", "scan input on axis 1", "scan output on axis 1"),
        *("parts backwards", "parts of several elements", "joined parts backwards"),
        *("slice of an open axis", "slice of an open axis backwards", "computed position from the back"),
        *("computed slice", "computed slice backwards", "scan of dynamic length"),
        *("slice backwards", "empty slice", "empty input", "open input", "wrapping integers"),
        *("type f32", "type f64", "type i32", "type i64", "type bool"),
        *("fed ends of 64 bits", "trips from the ends of 64 bits", "step of an end of 64 bits"),
        *("slice to the ends of 64 bits", "slice to fed ends of 64 bits"),
        *("comparison with the ends of 64 bits", "limit of the ends of 64 bits"),
        *("row of 2 modulo 4", "row of 3 modulo 4", "mask as numbers", "arithmetic of ui16"),
        *("output is an input", "output is a constant", "output twice", OPEN_SCANS),
        *("row of 2 modulo 4", "row of 3 modulo 4", "mask as numbers", "arithmetic of ui16"),
    } <= held
