"""`ov-lstm-sequence-to-loop`: loops of cells give what sequences give, in the graph engine to the last bit."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.model import Model
from loomir.compiler.pipeline import run_passes
from loomir.dialects.ov.operators.recurrent import float_list
from tests.support import assert_agree
from tests.unit.passes.graph.lib.decompositions.test_recurrent import CELL, SEQUENCE, Example, H
from tests.unit.passes.structured.convert_ov_to_linalg.lowered import build_main


def assert_same(kind: str, direction: str, attributes: dict, lengths: list[int] | None = None, **how) -> None:
    """A sequence and its loops of cells, which have no other recurrent operation."""
    example = Example(kind, direction, 11, lengths=lengths)
    linear = bool(attributes.get("linear_before_reset"))
    arrays = example.ours(linear=linear, peepholes=how.pop("peepholes", False))
    results = 3 if kind == "LSTM" else 2
    module = build_main(
        SEQUENCE[kind], arrays, {"hidden_size": H, "direction": direction, **attributes},
        arguments=range(len(arrays)), results=results, result_bounds=[[9] * 4] * results, **how,
    )  # fmt: skip
    loops = module.clone()
    run_passes(loops, "ov-lstm-sequence-to-loop", verify_each=True)
    found = Counter(op.name for op in loops.walk())
    assert found["ov.loop"] == found[CELL[kind].name] == example.d
    assert not found[SEQUENCE[kind].name]
    feed = {f"x{k}": array for k, array in enumerate(arrays)}
    before, after = (GraphEngine(m)(feed) for m in (module, loops))
    for name, value in before.items():
        np.testing.assert_array_equal(after[name], value, strict=True)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("lengths", [None, [4, 1, 2], [0, 9, 3]])
def test_directions_and_lengths(kind: str, direction: str, lengths: list[int] | None) -> None:
    assert_same(kind, direction, {}, lengths)


def test_open_extents() -> None:
    assert_same("LSTM", "reverse", {}, [2, 4, 3], open_dims=[[0, 1], [0], [0], [0], [], [], []])


def test_attributes() -> None:
    assert_same("LSTM", "bidirectional", {"input_forget": True, "clip": 0.4}, peepholes=True)
    assert_same("GRU", "bidirectional", {"linear_before_reset": True})
    six = ["sigmoid", "tanh", "relu", "hardsigmoid", "leakyrelu", "affine"]
    numbers = {"activations_alpha": float_list([0.3, 0.2, 0.7]), "activations_beta": float_list([0.4, 0.1])}
    assert_same("LSTM", "bidirectional", {"activations": six, **numbers})


def test_native() -> None:
    example = Example("LSTM", "bidirectional", 12, lengths=[4, 1, 2])
    arrays = example.ours()
    module = build_main(
        SEQUENCE["LSTM"], arrays, {"hidden_size": H, "direction": "bidirectional"},
        arguments=range(4), results=3,
    )  # fmt: skip
    run_passes(module, "ov-lstm-sequence-to-loop", verify_each=True)
    after = Model(module).run({f"x{k}": arrays[k] for k in range(4)}, engine="native")
    for name, value in zip(("y0", "y1", "y2"), example.onnx({})):
        assert_agree(after[name], value, name)
