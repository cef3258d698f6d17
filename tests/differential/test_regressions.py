"""What random programs found, each reduced to its cause."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.model import ENGINES, Engine
from tests.differential.oracle import assert_engines_agree, run_onnxruntime

PARTIAL = "ov-loop-unroll{max-trips=1 factor=2},canonicalize"


def parse(graph: str) -> onnx.ModelProto:
    """A model from textual ONNX."""
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 21]> {graph}')


@pytest.mark.parametrize("engine", ENGINES)
def test_gather_of_one_element_by_several_indices(engine: Engine) -> None:
    # Generated code of linalg.generic read an element by uniform indices through a method that a subclass had replaced.
    model = parse("""
    main (float[1] x) => (float[2] y) {
      indices = Constant <value_ints = [0, 0]> ()
      y = Gather <axis = 0> (x, indices)
    }
    """)
    feed = {"x": np.array([-1.5], np.float32)}
    assert_engines_agree(loomir.load(model), [feed], run_onnxruntime(model, [feed]), engines=[engine])


@pytest.mark.parametrize("engine", ENGINES)
def test_iteration_numbers_collected_by_a_loop_unrolled_by_two(engine: Engine) -> None:
    # Two elements were inserted into a part that was itself placed in the loop's output: bufferize moved the part's
    # beginning behind the first of them, where the offset of the part was not computed yet.
    model = parse("""
    main () => (int64[4] y) {
      m = Constant <value_int = 4> ()
      y = Loop (m, "") <body = body (int64 i, bool c) => (bool again, int64 scan) {
        again = Constant <value = bool {1}> ()
        scan = Identity (i)
      }>
    }
    """)
    expected = run_onnxruntime(model, [{}])
    assert_engines_agree(loomir.load(model).optimize(PARTIAL), [{}], expected, engines=[engine])
