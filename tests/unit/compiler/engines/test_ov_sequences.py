"""Sequences in the graph engine: what a loop that appends costs."""

from __future__ import annotations

import numpy as np
import onnx.parser

import loomir
from tests.support import count_calls

APPENDS = """<ir_version: 8, opset_import: ["" : 21]>
g (int64 n, float[2] x) => (int64 length) {
  e = SequenceEmpty <dtype = 1> ()
  yes = Constant <value = bool {1}> ()
  s = Loop (n, yes, e) <body = b (int64 i, bool c, seq(float[2]) a) => (bool d, seq(float[2]) t) {
    d = Identity (c)
    t = SequenceInsert (a, x)
  }>
  length = SequenceLength (s)
}"""


def test_appending_costs_the_same_however_long_the_sequence_is() -> None:
    """Nothing looks at all elements in each iteration."""
    model = loomir.load(onnx.parser.parse_model(APPENDS))

    def calls(count: int) -> int:
        feed = {"n": np.array(count), "x": np.ones(2, np.float32)}
        return count_calls(lambda: model.run(feed, engine="graph"))

    calls(1)
    assert calls(400) < 2.2 * calls(200)
