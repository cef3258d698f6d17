"""A sample of the ONNX node models as OpenVINO saves them; `make conformance-openvino` runs all."""

from __future__ import annotations

from collections import Counter

from tests.conformance.onnx_suite import node_tests
from tests.conformance.openvino_nodes import reasons, run_nodes, unexplained

EVERY = 60
"""One test in so many."""


def test_sample() -> None:
    outcomes = list(run_nodes(node_tests()[11::EVERY]))
    wrong = unexplained(outcomes)
    assert not wrong, "\n".join(f"{o.name}: {o.kind}: {o.why}" for o in wrong)
    kinds = Counter(o.kind for o in outcomes)
    assert kinds["agree"] >= 20, kinds


def test_reasons_are_given() -> None:
    for reason in reasons():
        assert reason.why
        assert reason.tests
