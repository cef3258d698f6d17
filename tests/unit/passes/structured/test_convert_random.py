"""Random nested loops and branches: STRUCTURED agrees with the graph engine, errors included."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr, UnknownLoc

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.engines.lowered import StructuredEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.errors import Error
from loomir.passes.graph.ov_infer import OvInferPass
from tests.support_lowering import convert, lower
from tests.unit.passes.structured.graph_programs import random_program


def outcome(engine: GraphEngine | StructuredEngine, feed: dict[str, object]) -> list[np.ndarray] | str:
    try:
        return list(engine(feed).values())
    except Error as error:
        return error.identifier


# 105: a branch that inference knows never to run; 326: slices of a tensor without elements; 38, 90: loops that never run.
@pytest.mark.parametrize("seed", [*range(20), 38, 90, 105, 326])
def test_random_program(seed: int) -> None:
    module = parse_module(random_program(seed))
    OvInferPass().apply(make_context(), module)
    graph, structured = GraphEngine(module), StructuredEngine(lower(str(module)))
    rng = np.random.default_rng(seed)
    for rows in (0, 1, 4):
        feed = {
            "a": rng.integers(-5, 5, (2, 3)),
            "d": rng.integers(-5, 5, (rows, 3)),
            "n": rng.integers(-2, 6),
            "c": np.bool_(rng.integers(0, 2)),
        }
        expected, actual = outcome(graph, feed), outcome(structured, feed)
        if isinstance(expected, str) or isinstance(actual, str):
            assert expected == actual
            continue
        for a, b in zip(actual, expected, strict=True):
            np.testing.assert_array_equal(a, b, strict=True)


@pytest.mark.parametrize("seed", range(8))
def test_every_operation_has_a_location(seed: int) -> None:
    module = parse_module(random_program(seed))
    for op in module.walk():
        op.location = NameLoc(StringAttr(op.name), NoneAttr())
    OvInferPass().apply(make_context(), module)
    convert(module)
    assert not [op.name for op in module.walk() if isinstance(op.location, UnknownLoc)]
