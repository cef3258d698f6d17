"""Rows of docs/optimisations.md as inputs of other optimisers.

Their inputs equal the rows, and their output is read as it stands.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from simplifications.as_onnx import as_onnx
from simplifications.measure import Form
from simplifications.openvino_text import features_of_text
from simplifications.rows import Row
from simplifications.table import ROWS

from loomir.tools.fuzz.onnx_oracle import onnxruntime_session

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_onnx_gives_what_the_row_gives(row: Row) -> None:
    module, _ = row.programs()
    feeds = row.feeds(module)
    session = onnxruntime_session(as_onnx(module), optimised=False)
    for feed, expected in zip(feeds, Form.of(module, feeds).outcomes, strict=True):
        given = {i.name: np.asarray(feed[i.name]) for i in session.get_inputs()}
        if isinstance(expected, str):
            with pytest.raises(Exception, match=r"RUNTIME_EXCEPTION|INVALID_ARGUMENT"):
                session.run(None, given)
            continue
        results = session.run(None, given)
        for result, value in zip(results, expected.values(), strict=True):
            assert np.asarray(result).shape == value.shape
            # Sums of products come in another order.
            largest = float(np.max(np.abs(value.astype(float)), initial=0, where=np.isfinite(value)))
            np.testing.assert_allclose(result, value, rtol=1e-5, atol=1e-5 * largest)


MODEL = """<ir_version: 10, opset_import: ["" : 21]>
main (float[4] x, bool c, int64 n) => (float[4] r, float[n, 4] s) {
  r, s = Loop(n, c, x) <body = body (int64 i, bool again, float[4] v) => (bool go, float[4] w, float[4] part) {
    go = Less(i, n)
    e = Exp(x)
    w = If(c) <then_branch = a () => (float[4] p) { t = Tanh(v) p = Add(t, e) }, else_branch = b () => (float[4] q) { q = Sub(v, e) }>
    part = Identity(w)
  }>
}"""


def test_features_of_what_openvino_compiles(tmp_path: Path) -> None:
    onnx.save(onnx.parser.parse_model(MODEL), tmp_path / "model.onnx")
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    subprocess.run([sys.executable, BENCHMARKS / "openvino_optimiser.py", tmp_path], check=True)
    assert (tmp_path / "broken.xml").read_text() == ""
    found = features_of_text((tmp_path / "model.xml").read_text())
    once = ("ov.loop", "ov.if in ov.loop", "ov.tanh in ov.if", "concatenations", "conditions of loops")
    assert {name: found[name] for name in once} == dict.fromkeys(once, 1)
    assert (found["carried values"], found["results of ov.if"], found["slices"]) == (1, 1, 0)
