"""Programs for what small inputs hold: made where a run has to know it, once for each value, as many as are allowed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.feeds.specialising import MAX_ELEMENTS
from tests.support import assert_agree, raises_error
from tests.unit.compiler.thread_programs import in_threads

BELOW_GRAPH = ("structured", "loops", "native")
X = np.arange(6, dtype=np.float32).reshape(2, 3)

REDUCED = "g (float[2,3] x, int64[1] axes) => (float[U,V] y) { y = ReduceSum <keepdims=1> (x, axes) }"
RUNNING = """g (float[N,3] x, int64 axis, int64 shift, int64 row) => (float[M,3] y) {
    at = Add (axis, shift)
    sums = CumSum (x, at)
    y = Gather (sums, row)
}"""
RANKS = """g (bool flat, float[2,3] x) => (float[] y) {
    r = If (flat) <then_branch = a () => (float[6] f) { n = Constant <value_ints = [-1]> () f = Reshape (x, n) },
                   else_branch = b () => (float[2,3] g) { g = Identity (x) }>
    one = Constant <value_float = 1.0> ()
    y = Add (r, one)
}"""
SLICED = """g (float[4,5] x, int64[2] starts, int64[2] ends, int64[2] axes) => (float[U,V] y) { y = Slice (x, starts, ends, axes) }"""


def program(text: str, **options: object) -> loomir.Model:
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {text}')
    return loomir.load(model, **options)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("engine", BELOW_GRAPH)
def test_axes_that_are_fed(engine) -> None:
    model = program(REDUCED)
    for axis in (0, 1, -1, 0):
        y = model.run({"x": X, "axes": np.array([axis])}, engine=engine)["y"]
        assert_agree(y, X.sum(axis, keepdims=True))


@pytest.mark.parametrize("engine", BELOW_GRAPH)
def test_ranks_that_a_condition_decides(engine) -> None:
    model = program(RANKS)
    for flat in (True, False):
        y = model.run({"x": X, "flat": np.array(flat)}, engine=engine)["y"]
        assert_agree(y, (X.reshape(-1) if flat else X) + np.float32(1))


@pytest.mark.parametrize("engine", BELOW_GRAPH)
def test_slices_on_axes_that_are_fed(engine) -> None:
    x = np.arange(20, dtype=np.float32).reshape(4, 5)
    model = program(SLICED)
    for axes, wanted in (([0, 1], x[1:3, 2:4]), ([1, 0], x[2:4, 1:3])):
        feed = {"x": x, "starts": np.array([1, 2]), "ends": np.array([3, 4]), "axes": np.array(axes)}
        assert_agree(model.run(feed, engine=engine)["y"], wanted)


def test_only_what_decides_is_fixed() -> None:
    """Neither an index nor data make another program; a shape does where it has no bound."""
    model = program(RUNNING)

    def feed(rows: int, axis: int, shift: int, row: int) -> dict[str, np.ndarray]:
        x = np.arange(3.0 * rows, dtype=np.float32).reshape(rows, 3)
        return {"x": x, "axis": np.array(axis), "shift": np.array(shift), "row": np.array(row)}

    first = model.for_feed(feed(2, 0, 0, 0))
    assert model.for_feed(feed(2, 0, 0, 1)) is first
    assert model.for_feed(feed(2, 1, 0, 1)) is not first
    assert model.for_feed(feed(2, 0, 1, 1)) is not first
    assert model.for_feed(feed(3, 0, 0, 1)) is not first
    bounded = program(RUNNING, max_shapes={"x": [4, 3]})
    assert bounded.for_feed(feed(2, 0, 0, 1)) is bounded.for_feed(feed(4, 0, 0, 0))
    assert_agree(bounded.run(feed(4, 0, 0, 3))["y"], np.cumsum(feed(4, 0, 0, 0)["x"], axis=0)[3])


def test_how_long_a_range_is_counts_last() -> None:
    """Of a transform of as many elements the length has to be known; of anything else a bound serves."""
    graph = """g (float[4] x, int64 n, int64 axis) => (float[A,B,2] y) {
        zero = Constant <value_int = 0> ()
        one = Constant <value_int = 1> ()
        places = Range (zero, n, one)
        row = Gather (x, places)
        shape = Constant <value_ints = [1, -1, 1]> ()
        numbers = Reshape (row, shape)
        y = DFT (numbers, "", axis)
    }"""
    model = program(graph)
    x = np.arange(4, dtype=np.float32)
    for n in (3, 2):
        wanted = np.fft.fft(x[:n])[None]
        y = model.run({"x": x, "n": np.array(n), "axis": np.array(1)})["y"]
        assert_agree(y, np.stack([wanted.real, wanted.imag], -1).astype(np.float32))
    assert model.specialised.refusal is not None
    assert model.specialised.refusal.names == ("axis",)


def test_a_program_that_needs_no_values_is_made_for_none() -> None:
    model = program("g (float[2,3] x, int64 row) => (float[3] y) { y = Gather (x, row) }")
    assert model.for_feed({"x": X, "row": np.array(1)}) is model


def test_as_many_as_are_allowed() -> None:
    model = program(REDUCED, max_specialisations=2)
    for axis in (0, 1, 0):
        model.run({"x": X, "axes": np.array([axis])})
    with raises_error("unknown-axes", "2 values of 'axes'", "max_specialisations"):
        model.run({"x": X, "axes": np.array([-1])})
    assert_agree(model.run({"x": X, "axes": np.array([1])})["y"], X.sum(1, keepdims=True))
    with raises_error("bad-option", "max_specialisations"):
        program(REDUCED, max_specialisations=-1)


@pytest.mark.parametrize("options", [{"specialise": False}, {"max_specialisations": 0}])
def test_refused_where_it_is_not_wanted(options) -> None:
    model = program(REDUCED, **options)
    with raises_error("unknown-axes", "'axes'"):
        model.run({"x": X, "axes": np.array([0])})
    assert_agree(model.run({"x": X, "axes": np.array([0])}, engine="graph")["y"], X.sum(0, keepdims=True))


def test_c_is_never_made_for_values_that_nobody_named(tmp_path: Path) -> None:
    model = program(REDUCED)
    model.run({"x": X, "axes": np.array([0])})
    with raises_error("unknown-axes", "fix 'axes' with values="):
        model.emit_c(tmp_path)
    assert not list(tmp_path.iterdir())
    assert program(REDUCED, values={"axes": [0]}).emit_c(tmp_path)


def test_values_that_are_not_possible_are_an_error_of_the_run() -> None:
    model = program(REDUCED)
    for engine in ("graph", *BELOW_GRAPH):
        with raises_error("runtime-shape", "axis 5"):
            model.run({"x": X, "axes": np.array([5])}, engine=engine)
    assert_agree(model.run({"x": X, "axes": np.array([1])})["y"], X.sum(1, keepdims=True))


def test_a_large_input_is_data() -> None:
    rank = MAX_ELEMENTS + 1
    text = f"g (float[2] x, int64[{rank}] n) => (float[U] y) {{ m = ReduceMin <keepdims=0> (n) y = CumSum (x, m) }}"
    with raises_error("unknown-axes"):
        program(text).run({"x": X[0, :2], "n": np.zeros(rank, np.int64)})


def test_threads_make_each_once() -> None:
    model = program(REDUCED)
    made = in_threads(lambda k: id(model.for_feed({"x": X, "axes": np.array([k % 2])})))
    assert len(set(made)) == 2
