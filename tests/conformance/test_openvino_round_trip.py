"""Models of OpenVINO and of real use, written as OpenVINO IR: OpenVINO gives what it gives of the original, and what is read back is
written byte for byte the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.compiler.feeds.samples import random_feed
from loomir.compiler.model import Model
from tests.openvino_process import run_openvino
from tests.support import assert_agree

FIXTURES = Path(__file__).parents[1] / "fixtures"
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
