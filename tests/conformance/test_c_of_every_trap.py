"""Every ONNX trap lowered: accepted by upstream's mlir-opt; its C without a warning, sanitizer-clean, the same text every time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.model import Model
from tests.conformance.onnx_rank_traps import TRAPS
from tests.conformance.onnx_traps import Trap
from tests.conformance.test_onnx_traps import FIXED_BELOW_GRAPH, run_onnxruntime
from tests.conformance.test_real_models import AD, KWS, silero_file
from tests.conformance.test_upstream import verify_upstream
from tests.support import assert_agree
from tests.support_c import run_sanitized
from tests.support_tools import MLIR_OPT, needs

COMPILABLE = [row for row in TRAPS if not (row.error or row.lowered_error or row.c_error)]
CAPACITY = 8
"""For the traps in which nothing bounds how often a loop concatenates."""


def model_for(row: Trap, feed: dict[str, np.ndarray]) -> Model:
    """The trap with what bounds its loops fixed, and its open shapes set to those of the feed."""
    fixed = {name: feed[name] for name in FIXED_BELOW_GRAPH if name in feed}
    model = loomir.load(row.model(), values=fixed)
    shapes = {i.name: feed[i.name].shape for i in model.inputs if i.shape is None or None in i.shape}
    return model.with_shapes(shapes) if shapes else model


@pytest.mark.parametrize("row", COMPILABLE, ids=lambda t: t.name)
def test_sanitized(row: Trap) -> None:
    for number, feed in enumerate(row.feeds):
        wanted = row.expected[number] if row.expected else run_onnxruntime(row, feed)
        outputs = run_sanitized(model_for(row, feed).lowered("loops", capacity=CAPACITY), feed)
        for value, expected in zip(row.model().graph.output, wanted, strict=True):
            assert_agree(np.asarray(outputs[value.name]), expected, f"call {number}, {value.name}")


@pytest.mark.parametrize("row", [row for row in TRAPS if row.c_error], ids=lambda t: t.name)
def test_refused(row: Trap, tmp_path: Path) -> None:
    """`emit_c` refuses models whose behaviour only the feed decides."""
    with pytest.raises(loomir.Error) as caught:
        model_for(row, row.feeds[0]).emit_c(tmp_path)
    assert caught.value.identifier == row.c_error


@needs(MLIR_OPT)
@pytest.mark.parametrize("row", COMPILABLE, ids=lambda t: t.name)
def test_upstream_accepts_it(row: Trap) -> None:
    model = model_for(row, row.feeds[0])
    verify_upstream(model, "structured", capacity=CAPACITY)
    verify_upstream(model, "loops", capacity=CAPACITY)


EMIT = """
import hashlib, sys
from pathlib import Path
import loomir
for item in sys.argv[2:]:
    path, _, rest = item.partition("?")
    options = eval(rest) if rest else {}
    code = loomir.load(path, **options).emit_c(sys.argv[1], "model", capacity=8)
    print(path, hashlib.sha256((code.header + code.source).encode()).hexdigest())
"""


def test_same_text_whatever_the_hash_seed(tmp_path: Path) -> None:
    """Traps whose shapes are all given, and the real models."""
    items = [
        f"{KWS}?{ {'shapes': {'input_1': [1, 49, 10, 1]}} }",
        f"{AD}?{ {'shapes': {'input_1': [1, 640]}} }",
        f"{silero_file('silero_vad.onnx')}?"
        f"{ {'shapes': {'input': [1, 576], 'state': [2, 1, 128]}, 'values': {'sr': 16000}} }",
    ]
    for number, row in enumerate(COMPILABLE):
        fixed = {name: row.feeds[0][name].tolist() for name in FIXED_BELOW_GRAPH if name in row.feeds[0]}
        shapes = {name: list(array.shape) for name, array in row.feeds[0].items() if name not in fixed}
        path = tmp_path / f"trap{number:02}.onnx"
        onnx.save(row.model(), path)
        items.append(f"{path}?{ {'shapes': shapes, 'values': fixed} }")
    texts: list[str] = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", EMIT, str(tmp_path / "out"), *items]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        texts.append(done.stdout)
    assert len(texts[0].splitlines()) == len(items)
    assert texts[0] == texts[1]
