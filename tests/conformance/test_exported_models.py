"""A sample of ONNX's backend tests, exported by loomir and converted by OpenVINO (`make conformance-export` runs all of them)."""

from __future__ import annotations

import pytest

from tests.conformance import exported_models, openvino_nodes_again
from tests.conformance.onnx_suite import all_tests, node_tests
from tests.support_samples import sample


@pytest.mark.filterwarnings("ignore")
def test_exported_models() -> None:
    """What the committed list says of them."""
    known = exported_models.listed()["ours"][1]
    tests = sample(list(all_tests().values()), 47)
    for pair in exported_models.run_tests(tests):
        assert pair.ours.kind == known.get(pair.name, "agree"), (pair.name, pair.ours)


@pytest.mark.filterwarnings("ignore")
def test_models_that_openvino_converted() -> None:
    """They are the same when loomir has read and written them."""
    tests = sample(node_tests(), 47)
    assert not openvino_nodes_again.unexplained(openvino_nodes_again.run_tests(tests))
