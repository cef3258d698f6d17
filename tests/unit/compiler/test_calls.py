"""Calls of models: by position and name, compiled, with the caller's arrays for outputs, and what a call leaves alone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.engines.compiled import CompiledFunction
from loomir.compiler.model import Model
from loomir.compiler.option_names import ENGINES, Engine
from tests.support import raises_error
from tests.unit.compiler.thread_programs import GROWING, NESTED, OPEN, SEQUENCE, STATE, in_threads

ADD = "g (float[4] x, float[4] y) => (float[4] z) { z = Add(x, y) }"
TWO = "g (float[2,3] x) => (float[3,2] t, float[2,3] n, float[] s) { t = Transpose(x) n = Neg(x) s = ReduceSum<keepdims=0>(x) }"
FEED = np.arange(6, dtype=np.float32).reshape(2, 3)


def of_text(graph: str, **options: Any) -> Model:
    return loomir.load(
        onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 17]> {graph}'), **options
    )


def vector(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)


X, Y = vector(1, 2, 3, 4), vector(10, 20, 30, 40)
CALLS: dict[str, Callable[[Any], Any]] = {
    "by position": lambda f: f(X, Y),
    "by name": lambda f: f(y=Y, x=X),
    "mixed": lambda f: f(X, y=Y),
    "a feed": lambda f: f({"x": X, "y": Y}),
    "lists": lambda f: f(X.tolist(), Y.tolist()),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("engine", [None, *ENGINES])
def test_a_call_gives_the_only_output(call: Callable[[Any], Any], engine: Engine | None) -> None:
    model = of_text(ADD)
    np.testing.assert_array_equal(call(model if engine is None else model.compile(engine)), X + Y)


def test_a_call_of_several_outputs_gives_them_by_name() -> None:
    model = of_text(TWO)
    for call in (model, model.compile()):
        outputs = call(FEED)
        assert list(outputs) == ["t", "n", "s"]
        np.testing.assert_array_equal(outputs["t"], FEED.T)
        assert outputs["s"] == 15


def test_inputs_that_do_not_go_together() -> None:
    for call in (of_text(ADD), of_text(ADD).compile()):
        with raises_error("input-count", "3 inputs for a model of 2", "x: float32[4], y: float32[4]"):
            call(X, Y, X)
        with raises_error("input-count", "'x'", "by its position and by its name"):
            call(X, x=X)
        with raises_error("input-unknown", "'w'"):
            call(X, w=Y)
        with raises_error("input-missing", "'y'"):
            call(X)


def test_an_input_may_be_called_self() -> None:
    model = of_text("g (float[4] self, float[4] feed) => (float[4] z) { z = Sub(self, feed) }")
    for call in (model, model.compile()):
        np.testing.assert_array_equal(call(feed=X, self=Y), Y - X)


def test_states_may_be_left_out() -> None:
    model = loomir.load(STATE.encode())
    outputs = model(x=vector(1, 2, 3))
    np.testing.assert_array_equal(outputs["y"], [1, 4, 9])
    np.testing.assert_array_equal(model(outputs["h"], vector(1, 1, 1))["h"], [2, 3, 4])
    with raises_error("bad-option", "'h' is not writeable"):
        model.run({"x": vector(1, 2, 3)}, out={"h": model.states[0].initial})


@pytest.mark.parametrize("engine", ENGINES)
def test_outputs_are_new_in_each_call(engine: Engine) -> None:
    run = of_text("g (float[4] x) => (float[4] y, float[4] z) { y = Relu(x) z = Identity(x) }").compile(
        engine
    )
    first = run(X)
    second = run(-X)
    np.testing.assert_array_equal(first["y"], X)
    np.testing.assert_array_equal(second["y"], [0, 0, 0, 0])
    arrays = [X, *first.values(), *second.values()]
    assert not any(np.shares_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k])
    assert all(array.flags.writeable for array in arrays)


OUTS: dict[str, Callable[[], Any]] = {
    "by name": lambda: {"n": np.empty((2, 3), np.float32)},
    "all by name": lambda: {
        "s": np.empty((), np.float32),
        "t": np.empty((3, 2), np.float32),
        "n": np.empty((2, 3), np.float32),
    },
    "in order": lambda: [
        np.empty((3, 2), np.float32),
        np.empty((2, 3), np.float32),
        np.empty((), np.float32),
    ],
}


@pytest.mark.parametrize("make", OUTS.values(), ids=OUTS)
@pytest.mark.parametrize("engine", ENGINES)
def test_outputs_are_in_the_arrays_that_are_given(make: Callable[[], Any], engine: Engine) -> None:
    model = of_text(TWO)
    wanted = {"t": FEED.T, "n": -FEED, "s": 15}
    for run in (lambda out: model.run({"x": FEED}, engine=engine, out=out), _compiled(model, engine)):
        out = make()
        outputs = run(out)
        given = out if isinstance(out, dict) else dict(zip(outputs, out))
        for name, array in outputs.items():
            np.testing.assert_array_equal(array, wanted[name])
            assert name not in given or array is given[name]


def _compiled(model: Model, engine: Engine) -> Callable[[Any], dict[str, Any]]:
    compiled = model.compile(engine)
    return lambda out: compiled(FEED, out=out)


def test_one_array_is_for_the_only_output() -> None:
    out = np.empty(4, np.float32)
    assert of_text(ADD)(X, Y, out=out) is out
    np.testing.assert_array_equal(out, X + Y)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_output_may_be_written_over_an_input(engine: Engine) -> None:
    """The transposed matrix would read what it has already written."""
    model = of_text("g (float[3,3] x) => (float[3,3] y) { y = Transpose(x) }")
    matrix = np.arange(9, dtype=np.float32).reshape(3, 3)
    x = matrix.copy()
    model.run({"x": x}, engine=engine, out={"y": x})
    np.testing.assert_array_equal(x, matrix.T)
    # Half of it: the rows behind the first are the output.
    rows = np.zeros((4, 3), np.float32)
    rows[:3] = matrix
    model.run({"x": rows[:3]}, engine=engine, out=rows[1:])
    np.testing.assert_array_equal(rows[1:], matrix.T)


def test_a_state_is_written_over_itself() -> None:
    model = loomir.load(STATE.encode())
    h = np.zeros(3, np.float32)
    for step in (1, 2, 3):
        model.run({"h": h, "x": vector(1, 2, 3)}, out={"h": h})
        np.testing.assert_array_equal(h, step * vector(1, 2, 3))


def _read_only() -> np.ndarray:
    array = np.empty(4, np.float32)
    array.flags.writeable = False
    return array


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "dtype": (lambda: np.empty(4), "does not fit an array of float64[4]"),
    "byte order": (lambda: np.empty(4, ">f4"), "does not fit"),
    "shape": (lambda: np.empty((2, 2), np.float32), "does not fit an array of float32[2, 2]"),
    "read-only": (_read_only, "'z' is not writeable"),
    "strided": (lambda: np.empty(8, np.float32)[::2], "'z' is not C-contiguous"),
    "misaligned": (lambda: np.empty(17, np.uint8)[1:].view(np.float32), "'z' is not aligned"),
    "masked": (lambda: np.ma.zeros(4, np.float32), "'z' is masked"),
    "a list": (lambda: {"z": [0.0] * 4}, "must be a numpy array"),
    "two arrays": (lambda: [np.empty(4, np.float32)] * 2, "or 1 arrays"),
    "a name": (lambda: {"y": np.empty(4, np.float32)}, "no output 'y'"),
    "a number": (lambda: 7, "out=7"),
}


@pytest.mark.parametrize(("make", "said"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("engine", ["graph", "native"])
def test_arrays_that_do_not_fit(make: Callable[[], Any], said: str, engine: Engine) -> None:
    with raises_error("bad-option", said):
        of_text(ADD).run({"x": X, "y": Y}, engine=engine, out=make())


def test_outputs_share_no_memory() -> None:
    out = np.empty((2, 3), np.float32)
    with raises_error("bad-option", "share memory"):
        of_text(TWO)(FEED, out={"n": out, "t": out.reshape(3, 2)})


@pytest.mark.parametrize("engine", ["graph", "native"])
def test_an_open_shape_is_that_of_the_array(engine: Engine) -> None:
    model = of_text(GROWING)
    feed = {"n": 3, "x": np.zeros((1, 3), np.float32)}
    (wanted,) = model.run(feed, engine=engine).values()
    out = np.empty((4, 3), np.float32)
    assert model.run(feed, engine=engine, out=out)["y"] is out
    np.testing.assert_array_equal(out, wanted)
    with raises_error("bad-option", "'y' has shape [4, 3], and the array [3, 3]"):
        model.run(feed, engine=engine, out=np.empty((3, 3), np.float32))


def test_a_sequence_has_no_array() -> None:
    with raises_error("bad-option", "is no tensor"):
        of_text(SEQUENCE)(2, vector(1, 2), out={"y": np.empty(2, np.float32)})


# -- compiled


def test_what_does_not_depend_on_a_feed_is_done_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is lowered and compiled once; a call does neither."""
    built: list[Engine] = []
    build = Model._build
    monkeypatch.setattr(Model, "_build", lambda self, engine: built.append(engine) or build(self, engine))
    model = of_text(NESTED)
    for engine in ENGINES:
        compiled = model.compile(engine)
        assert built[-1] == engine
        compiled({"n": 2, "x": X})
        model.run({"n": 2, "x": X}, engine=engine)
    assert built == list(ENGINES)


def test_a_program_that_needs_shapes_is_compiled_for_each() -> None:
    model = of_text(OPEN)
    compiled = model.compile()
    for rows in (2, 3):
        x = np.ones((rows, 2), np.float32)
        assert compiled(x)["y"].shape == (rows, 2)
        np.testing.assert_array_equal(compiled(x)["z"], model.run({"x": x}, engine="graph")["z"])


def test_an_error_of_the_engine_is_one_of_compile() -> None:
    with raises_error("bad-engine", "'gpu'"):
        of_text(ADD).compile("gpu")  # pyright: ignore[reportArgumentType]
    text = of_text(ADD).mlir("loops", full_constants=True)
    with raises_error("stage-passed", "'structured' runs STRUCTURED"):
        loomir.load(text.encode()).compile("structured")


def test_a_lowered_program_is_called_in_the_engine_of_its_stage() -> None:
    model = loomir.load(of_text(ADD).mlir("loops", full_constants=True).encode())
    assert model.compile().engine == model.default_engine == "loops"
    np.testing.assert_array_equal(model(X, Y), X + Y)
    np.testing.assert_array_equal(model.compile("native")(X, Y), X + Y)


def test_what_is_fed_need_not_lie_as_c_has_it() -> None:
    """Strided, read-only, misaligned, in the other byte order, empty."""
    run = of_text("g (float[2,3] x) => (float[2,3] y) { y = Neg(x) }").compile()
    shifted = np.empty(FEED.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(2, 3)
    shifted[...] = FEED
    locked = FEED.copy()
    locked.flags.writeable = False
    for x in (
        FEED,
        np.asfortranarray(FEED),
        np.repeat(FEED, 2, 1)[:, ::2],
        shifted,
        locked,
        FEED.astype(">f4"),
    ):
        np.testing.assert_array_equal(run(x), -FEED)
    empty = of_text("g (float[0,3] x) => (float[0,3] y) { y = Neg(x) }").compile()
    assert empty(np.empty((0, 3), np.float32)).shape == (0, 3)


@pytest.mark.parametrize("fill", [None, 0, 0xA5, 0xFF])
def test_no_result_depends_on_what_a_buffer_held(fill: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CompiledFunction, "fill", fill)
    model = of_text(NESTED)
    compiled = model.compile()
    for n in (3, 0, 4, 1):
        wanted = model.run({"n": n, "x": X}, engine="graph")
        found = compiled.run({"n": n, "x": X})
        for name, array in wanted.items():
            np.testing.assert_allclose(found[name], array, rtol=1e-6)


def test_eight_threads_call_one_compiled_model() -> None:
    """Each with feeds of its own; one half gives arrays for the output."""
    model = of_text(NESTED)
    compiled = model.compile()
    feeds = [{"n": np.int64(k % 4), "x": (k + 1) * X} for k in range(8)]
    wanted = [compiled.run(feed) for feed in feeds]

    def wrong(thread: int) -> int:
        count = 0
        for k in range(200):
            number = (thread + k) % 8
            out = {"y": np.empty(4, np.float32)} if thread % 2 else None
            found = compiled.run(feeds[number], out=out)
            count += not all(np.array_equal(found[name], wanted[number][name]) for name in found)
        return count

    assert in_threads(wrong) == [0] * 8


# -- how they present themselves


def test_repr_says_what_a_model_is() -> None:
    assert repr(of_text(NESTED)).splitlines() == [
        "<Model 'g' in GRAPH: 2 loops, 1 branch, 22 operations",
        "  input n: int64[]",
        "  input x: float32[4]",
        "  output y: float32[4]",
        "  output z: float32[?,4]>",
    ]
    assert repr(of_text(ADD).compile()) == (
        "<CompiledModel 'g', engine native: (x: float32[4], y: float32[4]) → (z: float32[4])>"
    )


def test_repr_of_many_inputs_is_short() -> None:
    names = [f"x{k}" for k in range(20)]
    inputs = ", ".join(f"float[1] {name}" for name in names)
    lines = repr(of_text(f"g ({inputs}) => (float[1] y) {{ y = Sum({', '.join(names)}) }}")).splitlines()
    assert lines[9] == "  … 12 more inputs"
    assert lines[10:] == ["  output y: float32[1]>"]


def test_repr_of_a_text_names_its_stage(tmp_path: Path) -> None:
    path = tmp_path / "add.mlir"
    path.write_text(of_text(ADD).mlir("loops", full_constants=True))
    model = loomir.load(path)
    assert repr(model).startswith("<LoweredModel 'g' in LOOPS: ")
    assert model.mlir() == model.mlir("loops")
    assert model.plot_loops() == model.plot_loops("loops")


@pytest.mark.parametrize("what", [of_text(ADD), of_text(ADD).compile()], ids=["Model", "CompiledModel"])
@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_compiled_code_is_not_copied(what: object, copied: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        copied(what)
