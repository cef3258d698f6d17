"""Models on sequences and optionals agree with ONNX Runtime, and fail where it does."""

from __future__ import annotations

import pytest

import loomir
from loomir.compiler.model import Engine
from loomir.errors import Error
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.differential import sequence_loops, sequence_models
from tests.differential.sequence_models import FAILING, parsed
from tests.support import assert_values_agree

pytestmark = pytest.mark.usefixtures("rotated_build")

MODELS = sequence_models.MODELS | sequence_loops.MODELS
ENGINES: tuple[Engine, ...] = ("graph", "native")
UNRESOLVED = {"if_ranks"}
"""Models that give values whose rank depends on data: they run in GRAPH only."""


@pytest.mark.parametrize("name", MODELS)
def test_as_onnxruntime(name: str) -> None:
    """Every feed, in the graph engine and in compiled C."""
    text, feeds = MODELS[name]
    model = parsed(text)
    session = onnxruntime_session(model)
    ours = loomir.load(model)
    for number, feed in enumerate(feeds):
        expected = dict(zip([o.name for o in model.graph.output], session.run(None, feed)))
        for engine in ENGINES:
            if engine == "native" and name in UNRESOLVED:
                continue
            actual = ours.run(feed, engine=engine)
            for output, value in expected.items():
                assert_values_agree(actual[output], value, f"{name}, feed {number}, {engine}, {output}")


@pytest.mark.parametrize("name", FAILING)
def test_fails_as_onnxruntime_does(name: str) -> None:
    text, identifiers, feeds = FAILING[name]
    model = parsed(text)
    ours = loomir.load(model)
    for feed in feeds:
        with pytest.raises(Exception, match=r"(?s)."):
            onnxruntime_session(model).run(None, feed)
        with pytest.raises(Error) as info:
            ours.run(feed, engine="graph")
        assert info.value.identifier in identifiers.split("|")
