"""Interpreters keep tensors as long as something reads them."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.option_names import Engine

COUNT, ELEMENTS = 20, 1 << 18


@pytest.mark.parametrize(("engine", "in_a_loop"), [("graph", False), ("graph", True), ("structured", False)])
def test_a_chain_needs_few_tensors(engine: Engine, in_a_loop: bool) -> None:
    names = [f"v{k}" for k in range(COUNT + 1)]
    chain = " ".join(f"{b} = Sin ({a})" for a, b in pairwise(names))
    if in_a_loop:
        chain = f"""n = Constant <value_int = 2> () y = Loop (n, "", x) <body = b (int64 i, bool c, float[{ELEMENTS}] v0)
          => (bool d, float[{ELEMENTS}] {names[-1]}) {{ d = Identity (c) {chain} }}>"""
    else:
        chain = f"v0 = Identity (x) {chain} y = Identity ({names[-1]})"
    text = f'<ir_version: 9, opset_import: ["" : 18]> g (float[{ELEMENTS}] x) => (float[{ELEMENTS}] y) {{ {chain} }}'
    model = loomir.load(onnx.parser.parse_model(text), level="O0")
    feed = {"x": np.ones(ELEMENTS, np.float32)}
    model.run(feed, engine=engine)
    tracemalloc.start()
    model.run(feed, engine=engine)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 4 * ELEMENTS
