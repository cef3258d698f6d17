"""Networks made channels last: the same results, and the fewest Transposes, argued beside each in `tests/channels_last.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.compiler.checking.checker import check_each_pass
from loomir.tools.fuzz.oracle import onnxruntime_session
from tests.channels_last import NETWORKS, Network, feed, page, transposes
from tests.support import assert_agree

EACH = pytest.mark.parametrize("network", NETWORKS, ids=lambda n: n.name)


@EACH
def test_results_and_transposes(network: Network) -> None:
    before = loomir.convert(network.build(), disable=["Layout"])
    after = loomir.convert(network.build())
    assert (transposes(before.module), transposes(after.module)) == (network.before, network.after)
    assert network.why.startswith(f"{network.after}: ")
    given = feed(network)
    (expected,) = onnxruntime_session(network.build()).run(None, given)
    for engine in ("graph", "native"):
        (found,) = after.run(given, engine=engine).values()
        assert_agree(found, expected, f"{network.name} in {engine}")
    # To the last bit, and in the graph engine: what a pass claims is compared there.
    (was,), (found,) = (made.run(given, engine="graph").values() for made in (before, after))
    np.testing.assert_array_equal(found, was)


@EACH
def test_there_and_back_is_exact(network: Network) -> None:
    module = loomir.convert(network.build(), disable=["Layout"]).module.clone()
    passes = ["ov-layout", 'ov-layout{to="nhwc"}', "ov-infer", "canonicalize", "ov-layout"]
    check_each_pass(module, passes)
    assert transposes(module) == network.after


def test_the_page() -> None:
    assert Path("docs/layout.md").read_text() == page()
