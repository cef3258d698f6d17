"""A sample of the random programs of `make fuzz-openvino`."""

from __future__ import annotations

from tests.differential.exported_programs import SEED, TARGETS, report, trials, unexplained


def test_a_sample_is_the_same_program_and_runs() -> None:
    done = list(trials(SEED, range(100, 120)))
    assert not unexplained(done), unexplained(done)
    assert len(done) == 20 * len(TARGETS)
    assert sum(t.run == "agree" for t in done if t.target is not None) >= 14, report(done)
