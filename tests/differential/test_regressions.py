"""Regressions that random programs found, each reduced to its cause."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest
from xdsl.dialects.builtin import DYNAMIC_INDEX, f32

import loomir
from loomir.compiler.model import ENGINES, Engine
from loomir.passes.structured.lib.memrefs import collapse_type, strided_memref
from tests.differential.oracle import assert_engines_agree, run_onnxruntime
from tests.support import raises_error

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


def test_extents_of_one_collapse_to_the_outermost_stride() -> None:
    # Concat(x, s) on axis 1 with s out of a Scan: its [1, 1] slice of the result was collapsed to the innermost stride, which
    # upstream's verifier refuses.
    source = strided_memref(f32, [1, 1], [3, 1], 1)
    assert collapse_type(source, [[0, 1]], [1]) == strided_memref(f32, [1], [3], 1)
    open_offset = strided_memref(f32, [2, 1, 1], [5, 3, 1], None)
    assert collapse_type(open_offset, [[0], [1, 2]], [2, 1]) == strided_memref(f32, [2, 1], [5, 3], None)
    trailing = strided_memref(f32, [4, 1], [3, 1], 0)
    assert collapse_type(trailing, [[0, 1]], [4]) == strided_memref(f32, [4], [3], 0)
    dynamic_dimension = strided_memref(f32, [DYNAMIC_INDEX, 1], [3, 1], 0)
    assert collapse_type(dynamic_dimension, [[0, 1]], [DYNAMIC_INDEX]) == strided_memref(
        f32, [DYNAMIC_INDEX], [3], 0
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_that_grows_inside_of_another_has_a_bound(engine: Engine) -> None:
    # More trips than inference follows one by one inside of a loop, and a guess beyond them that was never confirmed.
    model = parse("""
    main (float[3, 2] x) => (float[11, 2] y) {
      y = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [-1], body = column (float[3] p) => (float[k] out) {
        m = Constant <value_int = 4> ()
        more = Constant <value_floats = [0.5, -0.25]> ()
        out = Loop (m, "", p) <body = grow (int64 i, bool c, float[n] a) => (bool again, float[o] b) {
          again = Constant <value = bool {1}> ()
          b = Concat <axis = 0> (a, more)
        }>
      }> (x)
    }
    """)
    feed = {"x": np.arange(6, dtype=np.float32).reshape(3, 2)}
    assert_engines_agree(loomir.load(model), [feed], run_onnxruntime(model, [feed]), engines=[engine])


@pytest.mark.parametrize("engine", ENGINES)
def test_slice_whose_starts_have_a_length_that_is_not_known(engine: Engine) -> None:
    # The starts are themselves a slice. That they are as many as the ends and the axes nobody used.
    model = parse("""
    main (float[3, 2] x, int64[2] n, int64[1] s) => (float[k, 2] y) {
      one = Constant <value_ints = [1]> ()
      zero = Constant <value_ints = [0]> ()
      most = Constant <value_ints = [9223372036854775807]> ()
      e = Add (s, one)
      starts = Slice (n, s, e, zero)
      y = Slice (x, starts, most, zero)
    }
    """)
    feeds = [{"x": np.ones((3, 2), np.float32), "n": np.array([1, -1]), "s": np.array([s])} for s in (0, 1)]
    assert_engines_agree(loomir.load(model), feeds, run_onnxruntime(model, feeds), engines=[engine])


def test_slice_of_which_no_list_has_a_known_length() -> None:
    # It was an assertion of ours.
    model = parse("""
    main (float[3, 2] x, int64[2] n, int64[1] s) => (float[k, l] y) {
      most = Constant <value_ints = [9]> ()
      zero = Constant <value_ints = [0]> ()
      starts = Slice (n, s, most, zero)
      ends = Add (starts, starts)
      y = Slice (x, starts, ends)
    }
    """)
    feed = {"x": np.ones((3, 2), np.float32), "n": np.array([1, 2]), "s": np.array([1])}
    loaded = loomir.load(model)
    assert_engines_agree(loaded, [feed], run_onnxruntime(model, [feed]))
    with raises_error("unknown-length", "y", "fix 'n', 's' with values="):
        loaded.lowered("structured")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sum_of_gathered_elements_added_to_the_carried_tensor(engine: Engine) -> None:
    # The addition overwrites v in place, and became the epilogue of a sum whose body still loads other elements of v.
    model = parse("""
    main (float[9] x, int64[9, 5] indices) => (float[9] y) {
      m = Constant <value_int = 3> ()
      axes = Constant <value_ints = [1]> ()
      y = Loop (m, "", x) <body = body (int64 i, bool c, float[9] v) => (bool again, float[9] w) {
        again = Constant <value = bool {1}> ()
        g = Gather <axis = 0> (v, indices)
        s = ReduceSum <keepdims = 0> (g, axes)
        w = Add (s, v)
      }>
    }
    """)
    indices = np.random.default_rng(0).integers(0, 9, (9, 5))
    feed = {"x": np.linspace(-1, 1, 9, dtype=np.float32), "indices": indices}
    assert_engines_agree(loomir.load(model), [feed], run_onnxruntime(model, [feed]), engines=[engine])


@pytest.mark.parametrize("kind", ["rows", "elements"])
@pytest.mark.parametrize("engine", ENGINES)
def test_what_grows_by_more_in_one_iteration_alone(engine: Engine, kind: str) -> None:
    # Its extent was extrapolated from the first iterations and the last one: a comparison with it was folded to the wrong result, and
    # below GRAPH the run ended with `runtime-capacity`.
    type_, start, many, grown, count = {
        "rows": (
            "float[k]",
            "a0 = Identity (x)",
            "many = Expand (x, shape)",
            "b = Concat <axis = 0> (a, x)",
            "Size",
        ),
        "elements": (
            "seq(float[k])",
            "a0 = SequenceConstruct (x)",
            "big = Expand (x, shape)\n many = SplitToSequence <axis = 0> (big)",
            "b = SequenceInsert (a, x)",
            "SequenceLength",
        ),
    }[kind]
    model = parse(f"""
    main (float[1] x) => ({type_} y, bool few) {{
      m = Constant <value_int = 100> ()
      fifty = Constant <value_int = 50> ()
      most = Constant <value_int = 120> ()
      shape = Constant <value_ints = [95]> ()
      {start}
      {many}
      y = Loop (m, "", a0) <body = body (int64 i, bool c, {type_} a) => (bool again, {type_} next) {{
        again = Constant <value = bool {{1}}> ()
        n = {count} (a)
        now = Equal (n, fifty)
        next = If (now) <then_branch = t () => ({type_} p) {{ p = Identity (many) }},
          else_branch = e () => ({type_} b) {{ {grown} }}>
      }}>
      total = {count} (y)
      few = Less (total, most)
    }}
    """)
    feed = {"x": np.array([1.5], np.float32)}
    assert_engines_agree(loomir.load(model), [feed], run_onnxruntime(model, [feed]), engines=[engine])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sequence_map_whose_body_reads_outer_values_and_needs_a_new_operator_set(engine: Engine) -> None:
    # ONNX's function for SequenceMap was inlined: the body lost the outer names, and its operators were those of version 17.
    model = parse("""
    main (float[6] x, int64 n) => (seq(float[k]) y) {
      parts = SplitToSequence <axis = 0> (x, n)
      input_sequence = Add (x, x)
      zero = Constant <value_ints = [0]> ()
      y = SequenceMap (parts, zero) <body = body (float[k] part, int64[1] axes) => (float[l] o) {
        m = ReduceMax <keepdims = 1> (part, axes)
        o = Concat <axis = 0> (m, input_sequence)
      }>
    }
    """)
    loaded = loomir.load(model)
    for n, largest in ((2, [1, 3, 5]), (4, [3, 5])):
        x = np.arange(6, dtype=np.float32)
        made = loaded.run({"x": x, "n": np.array(n)}, engine=engine)["y"]
        assert [part.tolist() for part in made] == [[m, *(2 * x).tolist()] for m in largest]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_axis_of_extent_0_is_split(engine: Engine) -> None:
    # Below GRAPH its parts, of which there are none, were reshaped to what other values say of the elements: `reshape-size`.
    model = parse("""
    main (float[0, 3] x, float[2] v, int64 n) => (seq(float[k]) y, int64 length) {
      none = SplitToSequence <axis = 0> (x, n)
      length = SequenceLength (none)
      y = SequenceInsert (none, v)
    }
    """)
    feed = {"x": np.zeros((0, 3), np.float32), "v": np.ones(2, np.float32), "n": np.array(2)}
    loaded = loomir.load(model)
    assert_engines_agree(loaded, [feed], run_onnxruntime(model, [feed]), engines=[engine])
    with raises_error("runtime-shape"):
        loaded.run({**feed, "n": np.array(0)}, engine=engine)
