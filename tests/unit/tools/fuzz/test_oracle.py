"""Results of ONNX Runtime, where it has any."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

from loomir.tools.fuzz import onnx_oracle
from loomir.tools.fuzz.onnx_oracle import GONE, OracleFault, run_onnxruntime

MODEL = """<ir_version: 10, opset_import: ["" : 21]>
g (float[2] x) => (float[2] y) { y = Neg (x) }"""


class _Session:
    def __init__(self, text: str) -> None:
        self._text = text

    def run(self, names: None, feed: object) -> None:
        raise RuntimeError(self._text)


def test_outputs_by_name() -> None:
    (outputs,) = run_onnxruntime(onnx.parser.parse_model(MODEL), [{"x": np.ones(2, np.float32)}])
    assert outputs["y"].tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("text", "kind"),
    [(f"IsTensorSequence() {GONE}Seq, but got: (null)", OracleFault), ("out of range", RuntimeError)],
)
def test_failures(monkeypatch: pytest.MonkeyPatch, text: str, kind: type[Exception]) -> None:
    """A fault of its own is told apart from an error of the program."""
    monkeypatch.setattr(onnx_oracle, "onnxruntime_session", lambda model, *, optimised: _Session(text))
    with pytest.raises(kind):
        run_onnxruntime(onnx.parser.parse_model(MODEL), [{}])
