"""A sample of ONNX's backend tests, exported by loomir and converted by OpenVINO (`make conformance-export` runs all of them)."""

from __future__ import annotations

import pytest

from tests.conformance import control_flow, exported_models, openvino_nodes_again
from tests.conformance.onnx_suite import all_tests, node_tests
from tests.tiers import sample


@pytest.mark.filterwarnings("ignore")
def test_exported_models() -> None:
    """The outcomes are those of the committed list."""
    known = exported_models.listed()["ours"][1]
    tests = sample(list(all_tests().values()), 47)
    for pair in exported_models.run_tests(tests):
        assert pair.ours.kind == known.get(pair.name, "agree"), (pair.name, pair.ours)


@pytest.mark.filterwarnings("ignore")
def test_control_flow_for_openvino_2026() -> None:
    """OpenVINO 2026 runs every control-flow test as ONNX expects it, where its known faults are gone round."""
    names = set(control_flow.listed()["control-flow"])
    pairs = list(
        exported_models.run_tests([t for n, t in all_tests().items() if n in names], "openvino-2026")
    )
    assert len(pairs) == len(names) == 44
    assert {p.name: p.ours for p in pairs if p.ours.kind != "agree"} == {}


@pytest.mark.filterwarnings("ignore")
def test_models_that_openvino_converted() -> None:
    """They are the same when loomir has read and written them."""
    tests = sample(node_tests(), 47)
    assert not openvino_nodes_again.unexplained(openvino_nodes_again.run_tests(tests))
