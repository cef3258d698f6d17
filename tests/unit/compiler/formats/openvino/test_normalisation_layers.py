"""Normalisation and attention of OpenVINO IR against OpenVINO, in GRAPH and as C, old versions too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import openvino.opset1 as first
import openvino.opset2 as second
import openvino.opset16 as op
import pytest

from loomir.compiler.model import Engine
from tests.openvino_layers import compare_layers

RNG = np.random.default_rng(6)
X = (RNG.standard_normal((2, 6, 5, 4)) * 2 + 1).astype(np.float32)
GAMMA, BETA, MEAN = (RNG.standard_normal(6).astype(np.float32) for _ in range(3))
VARIANCE = RNG.uniform(0.1, 2, 6).astype(np.float32)


def axes(*values: int):
    return op.constant(np.array(values, np.int64))


def layers(inputs: Mapping[str, Any]) -> dict[str, Any]:
    x = inputs["x"]
    gamma, beta, mean, variance = (op.constant(a) for a in (GAMMA, BETA, MEAN, VARIANCE))
    made: dict[str, Any] = {}
    for where in ((1,), (2, 3), (-1,), (1, 2, 3), (0,)):
        for mode in ("inside_sqrt", "outside_sqrt"):
            made[f"mvn {where} {mode}"] = op.mvn(x, axes(*where), True, 1e-3, mode)
    made["mvn without variance"] = op.mvn(x, axes(2, 3), False, 1e-3, "inside_sqrt")
    for across, divide in ((True, True), (False, True), (False, False)):
        made[f"mvn-0 {across} {divide}"] = second.mvn(x, across, divide, 1e-3)
    for where in ((1,), (1, 2, 3)):
        for mode in ("add", "max"):
            made[f"norm {where} {mode}"] = op.normalize_l2(x, axes(*where), 1e-2, mode)
    # OpenVINO's CPU plugin takes the bias for an integer.
    for where, size, beta_, bias in (
        ((1,), 3, 0.75, 2.0),
        ((2, 3), 3, 0.75, 1.0),
        ((1,), 1, 1.0, 1.0),
        ((1,), 5, 0.6, 1.0),
    ):
        made[f"lrn {where} {size}"] = op.lrn(x, axes(*where), 0.5, beta_, bias, size)
    made["batch norm"] = op.batch_norm_inference(x, gamma, beta, mean, variance, 1e-3)
    made["batch norm 0"] = first.batch_norm_inference(x, gamma, beta, mean, variance, 1e-3)
    for groups in (1, 2, 6):
        made[f"group norm {groups}"] = op.group_normalization(x, gamma, beta, groups, 1e-3)
    made["grn"] = first.grn(x, 0.3)
    return made


def test_normalisation(tmp_path: Path):
    compare_layers(tmp_path, {"x": X}, layers)


def test_normalisation_of_unknown_extents(tmp_path: Path):
    def few(inputs: Mapping[str, Any]) -> dict[str, Any]:
        names = ("mvn (2, 3) inside_sqrt", "lrn (2, 3) 3", "batch norm", "group norm 2")
        made = layers(inputs)
        return {name: made[name] for name in names}

    compare_layers(tmp_path, {"x": X}, few, dynamic=["x"])


def random(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


SEEN = RNG.integers(0, 2, (2, 3, 1, 5)).astype(np.bool_)
SEEN[..., 0] = True
ATTENTION = {
    "query": random(2, 3, 4, 8), "key": random(2, 3, 5, 8), "value": random(2, 3, 5, 6), "mask": random(2, 1, 4, 5),
    "seen": SEEN,
}  # fmt: skip


def attention_layers(inputs: Mapping[str, Any]) -> dict[str, Any]:
    *three, mask, seen = inputs.values()
    attention, none, scale = (
        op.scaled_dot_product_attention,
        op.constant(np.float32(0)),
        op.constant(np.float32(0.3)),
    )
    return {
        "plain": attention(*three),
        "causal": attention(*three, causal=True),
        "mask": attention(*three, mask),
        "boolean mask": attention(*three, seen),
        "mask and scale": attention(*three, mask, scale),
        "scale": attention(*three, none, scale),
        "causal with a mask": attention(*three, mask, scale, causal=True),
    }


def test_attention(tmp_path: Path):
    compare_layers(tmp_path, ATTENTION, attention_layers)


@pytest.mark.parametrize("engine", ["graph", "native"])
def test_attention_of_unknown_extents(tmp_path: Path, engine: Engine):
    def few(inputs: Mapping[str, Any]) -> dict[str, Any]:
        made = attention_layers(inputs)
        return made if engine == "graph" else {"causal with a mask": made["causal with a mask"]}

    compare_layers(tmp_path, ATTENTION, few, dynamic=tuple(ATTENTION), engines=[engine])
