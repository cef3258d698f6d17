"""Models of OpenVINO and of real use, written as OpenVINO IR: OpenVINO gives what it gives of the original, and what is read back is
written byte for byte the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lxml import etree

import loomir
from loomir.compiler.feeds.samples import random_feed
from loomir.compiler.formats.openvino.files import read_xml
from loomir.compiler.formats.openvino.network import read_network
from loomir.compiler.model import Model
from tests.openvino_process import run_openvino
from tests.support import assert_agree

FIXTURES = Path(__file__).parents[1] / "fixtures"
CONTROL_FLOW = FIXTURES.parents[1] / "examples" / "controlflow.xml"
NETS = sorted(
    p for p in FIXTURES.rglob("*.xml") if p.name != "if8_example.xml"
)  # a single layer, of the specification


def saved(model: Model, folder: Path, **options: object) -> Path:
    """Write a model, read it back and write that: the same bytes. The path of the first."""
    first, second = folder / "m.xml", folder / "again" / "m.xml"
    second.parent.mkdir()
    model.save(first, **options)  # pyright: ignore[reportArgumentType]
    loomir.load(first, optimize=False).save(second)
    assert first.read_bytes() == second.read_bytes()
    assert first.with_suffix(".bin").read_bytes() == second.with_suffix(".bin").read_bytes()
    return first


def named_layers(root: etree._Element) -> set[tuple[str, str]]:
    """Names and types of all layers that are needed, of bodies too: not of Consts, of which equal ones are one, nor of Parameters and
    Results, which are called as their tensors."""
    network = read_network(root)
    needed = [network.layers[identifier] for identifier in network.order]
    found = {
        (layer.name, layer.type) for layer in needed if layer.type not in ("Const", "Parameter", "Result")
    }
    bodies = [layer.element.find(tag) for layer in needed for tag in ("body", "then_body", "else_body")]
    return found.union(*(named_layers(body) for body in bodies if body is not None))


@pytest.mark.parametrize("path", [*NETS, CONTROL_FLOW], ids=lambda p: p.stem)
def test_layers_keep_their_names(path: Path, tmp_path: Path) -> None:
    """Also a loop, to whose operands OpenVINO wants constants; and however often it is read, optimised and written."""
    first, second = tmp_path / "m.xml", tmp_path / "again" / "m.xml"
    second.parent.mkdir()
    loomir.load(path, optimize=False).save(first)
    assert named_layers(read_xml(path)) <= named_layers(read_xml(first))
    loomir.load(path).save(first)
    loomir.load(first).save(second)
    assert first.read_bytes() == second.read_bytes()
    assert first.with_suffix(".bin").read_bytes() == second.with_suffix(".bin").read_bytes()


@pytest.mark.parametrize("path", NETS, ids=lambda p: p.stem)
@pytest.mark.parametrize("optimize", [False, True], ids=["as-imported", "optimized"])
def test_models_of_openvino(path: Path, optimize: bool, tmp_path: Path) -> None:
    model = loomir.load(path, optimize=optimize)
    written = saved(model, tmp_path)
    # (3 is in every interval of extents that the files have.)
    given = random_feed(model.with_shapes({i.name: [e or 3 for e in i.shape or ()] for i in model.inputs}))
    feed = [[np.asarray(given[i.name]) for i in model.inputs]]
    (expected,), (actual,) = run_openvino(path, feed, tmp_path), run_openvino(written, feed, tmp_path)
    assert len(actual) == len(expected)
    for index, (a, e) in enumerate(zip(actual, expected)):
        assert_agree(a, e, f"output {index}")
