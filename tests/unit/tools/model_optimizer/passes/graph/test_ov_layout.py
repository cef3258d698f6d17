"""Networks made channels last: the same results, and the fewest Transposes, argued beside each in `tests/channels_last.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import loomir
from loomir.compiler.checking.checker import check_each_pass
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from loomir.tools.model_optimizer.passes.graph.ov_layout import OvLayoutPass
from tests.channels_last import FIXTURES, NETWORKS, TRAINED, Network, feed, page, transposes
from tests.support import assert_agree, count_calls

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


@pytest.mark.parametrize(("name", "before", "after"), [row[:3] for row in TRAINED])
def test_trained_networks(name: str, before: int, after: int) -> None:
    module = loomir.convert(FIXTURES / name, disable=["Layout"]).module.clone()
    assert transposes(module) == before
    check_each_pass(module, ["ov-layout"])
    assert transposes(module) == after


def ladder(steps: int) -> ModuleOp:
    """So many convolutions channels last, each added to what it is of."""
    t = "tensor<1x4x4x4xf32>"
    lines = [f"func.func @main(%v0: {t}, %w: tensor<4x4x1x1xf32>) -> {t} {{"]
    for name, order in (("first", "0, 3, 1, 2"), ("last", "0, 2, 3, 1")):
        lines.append(f"%{name} = ov.constant dense<[{order}]> : tensor<4xi64> : tensor<4xi64>")
    for k in range(steps):
        lines += [
            f"%a{k} = ov.transpose %v{k}, %first : ({t}, tensor<4xi64>) -> {t}",
            f"%b{k} = ov.convolution %a{k}, %w : ({t}, tensor<4x4x1x1xf32>) -> {t}",
            f"%c{k} = ov.transpose %b{k}, %last : ({t}, tensor<4xi64>) -> {t}",
            f"%v{k + 1} = ov.add %c{k}, %v{k} : ({t}, {t}) -> {t}",
        ]
    return parse_module("\n".join([*lines, f"func.return %v{steps} : {t} }}"]))


def test_twice_the_program_is_twice_the_work() -> None:
    small, large = ladder(100), ladder(200)
    work = [count_calls(lambda m=m: OvLayoutPass().apply(Context(), m)) for m in (small, large)]
    assert work[1] < 2.2 * work[0]
    assert transposes(large) == 2


def test_the_page() -> None:
    assert Path("docs/layout.md").read_text() == page()
