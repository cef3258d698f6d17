"""A model cut at each of its tensors: what is before and what is behind give together what the whole does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.feeds.samples import random_feed
from loomir.compiler.formats import load_module
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.levels import UNOPTIMIZED_GRAPH
from loomir.compiler.model import Model
from loomir.compiler.pipeline import run_passes
from loomir.compiler.stages import is_front, verify_stage
from loomir.dialects.interface import argument_names, main_function
from loomir.passes.front.convert_onnx_to_ov.translate import convert
from loomir.passes.options import TranslationOptions
from loomir.tools.model_optimizer.convert.cutting import cut
from loomir.tools.model_optimizer.convert.named_values import NamedValues
from loomir.tools.model_optimizer.convert.specifications import InputSpecification
from tests.model_optimizer.cutting_cases import FIXTURES, model
from tests.support import assert_agree

CONTROL_FLOW = Path(__file__).parents[5] / "examples" / "controlflow.xml"

MODELS: dict[str, Callable[[], ModuleOp]] = {
    "front": lambda: load_front(model("branches")),
    "graph": lambda: load_module(FIXTURES / "as-it-is.xml"),
    "loops": lambda: load_module(CONTROL_FLOW),
}


def runnable(module: ModuleOp) -> Model:
    if is_front(module):
        convert(module, TranslationOptions())
    run_passes(module, UNOPTIMIZED_GRAPH)
    verify_stage(module, "graph")
    return Model(module)


def values_of(places: NamedValues) -> list[str]:
    """A name for each value: of its tensor, and of the port that it comes out of."""
    ports = [f"{name}:{port}" for name, node in places.nodes.items() for port in range(len(node.results))]
    tensors = [name for name in places.tensors if name not in places.nodes and name not in places.inputs]
    assert len(ports) > 5
    return ports + tensors


@pytest.mark.parametrize("name", MODELS)
def test_both_sides_of_every_tensor(name: str) -> None:
    load = MODELS[name]
    whole = runnable(load())
    feed = random_feed(whole, 1)
    expected = whole.run(feed, engine="graph")
    inputs = argument_names(main_function(load()))
    for tensor in values_of(NamedValues(load())):
        before, behind = load(), load()
        cut(before, None, [tensor])
        first = runnable(before)
        middle = first.run({i.name: feed[i.name] for i in first.inputs}, engine="graph")
        assert len(middle) == 1
        (value,) = middle.values()
        cut(behind, [InputSpecification(n) for n in (*inputs, tensor)], [o.name for o in whole.outputs])
        second = runnable(behind)
        given = {**feed, tensor: np.asarray(value)}
        results = second.run({i.name: given[i.name] for i in second.inputs}, engine="graph")
        assert list(results) == list(expected)
        for output, array in expected.items():
            assert_agree(results[output], array, f"{tensor}: {output}")
