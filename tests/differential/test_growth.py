"""Loops that carry a tensor which each trip makes longer: more trips than inference follows one by one, and no `capacity` in C."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.model import ENGINES, Model
from loomir.dialects.interface import main_function
from loomir.passes.analysis.inference import infer
from loomir.passes.analysis.inference.state import is_unbounded
from tests.support import assert_agree, raises_error

TRIPS = 1000
"""The most trips of each loop."""

Step = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Result of a trip, computed from the carried rows and a row."""

_CONSTANTS = {
    "minus": [-1],
    "zero": [0],
    "one": [1],
    "two": [2],
    "three": [3],
    "far": [2**63 - 1],
    "back": [-(2**63) + 1],
    "rows_of_3": [-1, 3],
    "3_rows": [3, -1],
    "same_rows": [0, -1],
    "1_rows_of_3": [1, -1, 3],
    "longer": [1, 0],
    "pads": [1, 0, 0, 0],
    "pads_at_both": [1, 0, 1, 0],
    "crop": [-1, 0, 0, 0],
    "once": [1, 1],
    "rows_twice": [2, 1],
    "columns_twice": [1, 2],
}


def model(body: str, *, start: str = "x", more: str = "") -> onnx.ModelProto:
    """A loop of at most 1000 trips whose body makes `b` of `a`, both of rows of 3, and the row `r`."""
    constants = "\n".join(
        f"{'c_' * name[0].isdigit()}{name} = Constant <value_ints = {values}> ()"
        for name, values in _CONSTANTS.items()
    )
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 21]>
    main (float[1, 3] x, float[1, 3] r, int64 n) => (float[rows, 3] y) {{
      most = Constant <value_int = {TRIPS}> ()
      half = Constant <value_float = 0.5> ()
      trips = Min (n, most)
      {constants}
      {more}
      y = Loop (trips, "", {start}) <body = trip (int64 i, bool go, float[k, 3] a) => (bool again, float[l, 3] b) {{
        again = Constant <value = bool {{1}}> ()
        {body}
      }}>
    }}""")


def most_rows(loaded: Model) -> int | None:
    """The bound of the rows of the result that inference proves."""
    end = main_function(loaded.module).body.block.last_op
    assert end is not None
    shape = infer(loaded.module).fact(end.operands[0]).shape
    assert shape is not None
    return None if is_unbounded(shape[0]) else shape[0].hi


def _joined(a: np.ndarray, r: np.ndarray) -> np.ndarray:
    return np.concatenate([a, r])


GROWING: dict[str, tuple[str, Step]] = {
    "elements joined, reshaped to rows": (
        """flat = Reshape (a, minus)
        row = Reshape (r, minus)
        both = Concat <axis = 0> (flat, row)
        b = Reshape (both, rows_of_3)""",
        _joined,
    ),
    "reshaped to a computed shape": (
        """flat = Reshape (a, minus)
        row = Reshape (r, minus)
        both = Concat <axis = 0> (flat, row)
        shape = Shape (a)
        wanted = Add (shape, longer)
        b = Reshape (both, wanted)""",
        _joined,
    ),
    "reshaped to another rank, turned and back": (
        """c = Concat <axis = 0> (a, r)
        d = Reshape (c, c_1_rows_of_3)
        e = Transpose <perm = [0, 2, 1]> (d)
        f = Reshape (e, c_3_rows)
        b = Transpose <perm = [1, 0]> (f)""",
        _joined,
    ),
    "reshaped with copied rows": ("c = Concat <axis = 0> (a, r) \n b = Reshape (c, same_rows)", _joined),
    "padded": ("b = Pad (a, pads)", lambda a, r: np.pad(a, [(1, 0), (0, 0)])),
    "padded with the edge": (
        'b = Pad <mode = "edge"> (a, pads)',
        lambda a, r: np.pad(a, [(1, 0), (0, 0)], "edge"),
    ),
    "padded and cropped": (
        "c = Pad (a, pads_at_both) \n b = Pad (c, crop)",
        lambda a, r: np.pad(a, [(0, 1), (0, 0)]),
    ),
    "tiled once": ("c = Tile (a, once) \n b = Concat <axis = 0> (c, r)", _joined),
    "tiled columns, cut": (
        """c = Tile (a, columns_twice)
        d = Concat <axis = 1> (r, r)
        e = Concat <axis = 0> (c, d)
        b = Slice (e, zero, three, one)""",
        _joined,
    ),
    "tiled rows, every other one": (
        """c = Concat <axis = 0> (a, r)
        d = Tile (c, rows_twice)
        b = Slice (d, zero, far, zero, two)""",
        lambda a, r: np.tile(_joined(a, r), (2, 1))[::2],
    ),
    "without the first row": (
        "c = Concat <axis = 0> (a, r, r) \n b = Slice (c, one, far, zero)",
        lambda a, r: np.concatenate([a, r, r])[1:],
    ),
    "without the last row": (
        "c = Concat <axis = 0> (a, r, r) \n b = Slice (c, zero, minus, zero)",
        lambda a, r: np.concatenate([a, r, r])[:-1],
    ),
    "backwards without the last row": (
        """two_back = Constant <value_ints = [-2]> ()
        c = Concat <axis = 0> (a, r, r)
        b = Slice (c, two_back, back, zero, minus)""",
        lambda a, r: np.concatenate([a, r, r])[-2::-1],
    ),
    "split": (
        """c = Concat <axis = 1> (a, a)
        d = Concat <axis = 1> (r, r)
        e = Concat <axis = 0> (c, d)
        b, f = Split <axis = 1, num_outputs = 2> (e)""",
        _joined,
    ),
    "each row by an inner loop": (
        """c = Scan <num_scan_inputs = 1, body = row (float[3] p) => (float[3] q) { q = Neg (p) }> (a)
        b = Concat <axis = 0> (c, r)""",
        lambda a, r: _joined(-a, r),
    ),
    "reshaped in an inner loop": (
        """d = Loop (c_2, "", a) <body = inner (int64 j, bool go_on, float[m, 3] s) => (bool go_again, float[o, 3] t) {
          go_again = Constant <value = bool {1}> ()
          flat = Reshape (s, minus)
          row = Reshape (r, minus)
          both = Concat <axis = 0> (flat, row)
          t = Reshape (both, rows_of_3)
        }>
        b = Slice (d, one, far, zero)""",
        lambda a, r: np.concatenate([a, r, r])[1:],
    ),
}
_INNER = "c_2 = Constant <value_int = 2> ()"


@pytest.mark.parametrize("name", GROWING)
def test_growth_is_proved_in_every_engine(name: str, tmp_path: Path) -> None:
    body, step = GROWING[name]
    loaded = loomir.load(model(body, more=_INNER))
    assert most_rows(loaded) == 1 + TRIPS
    loaded.emit_c(tmp_path, "m")
    x, r = np.array([[1, 2, 3]], np.float32), np.array([[4, 5, 6]], np.float32)
    for trips in (0, 1, 4):
        wanted = x
        for _ in range(trips):
            wanted = step(wanted, r)
        for engine in ENGINES:
            assert_agree(
                loaded.run({"x": x, "r": r, "n": np.array(trips)}, engine=engine)["y"], wanted, engine
            )


NOT_LINEAR = {
    "doubled by Tile": "b = Tile (a, rows_twice)",
    "doubled in an inner loop": """b = Loop (c_2, "", a) <body = inner (int64 j, bool on, float[m, 3] s) => (bool go_again, float[o, 3] t) {
      go_again = Constant <value = bool {1}> ()
      t = Tile (s, rows_twice)
    }>""",
    "as many elements in shorter rows": """c = Concat <axis = 1> (a, a)
      b = Reshape (c, rows_of_3)""",
    "more in a branch for some extent": """shape = Shape <start = 0, end = 1> (a)
      rows = Squeeze (shape)
      fifty = Constant <value_int = 50> ()
      now = Equal (rows, fifty)
      b = If (now) <then_branch = t () => (float[p, 3] s) { s = Tile (a, rows_twice) },
        else_branch = e () => (float[q, 3] t) { t = Pad (a, pads) }>""",
    "padded by as much as there is": """shape = Shape <start = 0, end = 1> (a)
      no = Constant <value_ints = [0, 0, 0]> ()
      own = Concat <axis = 0> (shape, no)
      b = Pad (a, own)""",
    "reshaped to a shape that is read": "c = Concat <axis = 0> (a, r) \n d = Tile (c, times) \n b = Reshape (d, rows_of_3)",
    "doubled, of which a row is cut off": """c = Tile (a, rows_twice)
      d = Slice (c, one, far, zero)
      b = Concat <axis = 0> (d, r)""",
    "rounded up and doubled in an inner loop": """d = Loop (c_2, "", a) <body = inner (int64 j, bool go_on, float[m, 3] s)
        => (bool go_again, float[o, 3] t) {
      go_again = Constant <value = bool {1}> ()
      u = Slice (s, zero, far, zero, two)
      v = Tile (u, rows_twice)
      t = Concat <axis = 0> (v, r)
    }>
    b = Concat <axis = 0> (d, r)""",
}


@pytest.mark.parametrize("name", NOT_LINEAR)
def test_what_does_not_grow_by_the_same_each_time_is_not_proved(name: str, tmp_path: Path) -> None:
    text = model(NOT_LINEAR[name], more=_INNER)
    if name == "reshaped to a shape that is read":
        text.graph.input.append(onnx.helper.make_tensor_value_info("times", onnx.TensorProto.INT64, [2]))
    loaded = loomir.load(text)
    assert most_rows(loaded) is None
    with raises_error("unbounded-shape"):
        loaded.emit_c(tmp_path, "m")


def test_pads_that_a_loop_carries_are_not_taken_for_what_they_begin_with(tmp_path: Path) -> None:
    """From the fourth trip on there are ten rows more in each: the number goes through three carried values first."""
    text = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 21]>
    main (float[1, 3] x, int64 n) => (float[rows, 3] y) {{
      most = Constant <value_int = {TRIPS}> ()
      trips = Min (n, most)
      few = Constant <value_ints = [1, 0, 0, 0]> ()
      many = Constant <value_ints = [10, 0, 0, 0]> ()
      y, p, q, s = Loop (trips, "", x, few, few, few) <body = trip (int64 i, bool go, float[k, 3] a, int64[4] e, int64[4] f, int64[4] g)
          => (bool again, float[l, 3] b, int64[4] f2, int64[4] g2, int64[4] m2) {{
        again = Constant <value = bool {{1}}> ()
        b = Pad (a, e)
        f2 = Identity (f)
        g2 = Identity (g)
        m2 = Identity (many)
      }}>
    }}""")
    loaded = loomir.load(text)
    assert most_rows(loaded) is None
    with raises_error("unbounded-shape"):
        loaded.emit_c(tmp_path, "m")
    x = np.ones((1, 3), np.float32)
    for engine in ENGINES:
        assert loaded.run({"x": x, "n": np.array(6)}, engine=engine)["y"].shape == (34, 3)


def test_elements_and_rows_that_are_carried_side_by_side(tmp_path: Path) -> None:
    """Three elements more are a row more: what one has come to says how far the other is."""
    text = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 21]>
    main (float[3] x, float[3] r, float[1, 3] start, int64 n) => (float[k] flat, float[rows, 3] y) {{
      most = Constant <value_int = {TRIPS}> ()
      trips = Min (n, most)
      rows_of_3 = Constant <value_ints = [-1, 3]> ()
      flat, y = Loop (trips, "", x, start) <body = trip (int64 i, bool go, float[k] a, float[l, 3] b)
          => (bool again, float[m] c, float[o, 3] d) {{
        again = Constant <value = bool {{1}}> ()
        c = Concat <axis = 0> (a, r)
        e = Reshape (a, rows_of_3)
        f = Concat <axis = 0> (b, start)
        g = Concat <axis = 0> (e, start)
        d = Mul (f, g)
      }}>
    }}""")
    loaded = loomir.load(text)
    assert most_rows(loaded) == 3 + 3 * TRIPS
    loaded.emit_c(tmp_path, "m")
    x = np.array([1, 2, 3], np.float32)
    for engine in ENGINES:
        made = loaded.run({"x": x, "r": x, "start": x[None], "n": np.array(2)}, engine=engine)
        assert_agree(made["flat"], np.tile(x, 3), engine)
        assert_agree(made["y"], np.stack([x**3, x**3, x**2]), engine)


def _strided(a, r, first: int, last: int):
    """Rows of two joined ones more, by StridedSlice."""
    from openvino import opset13 as op

    joined = op.concat([a, r, r], 0)
    positions = [op.constant(np.array([p], np.int64)) for p in (first, last, 1)]
    return op.strided_slice(joined, *positions, [0], [1 if last == 0 else 0])


def _openvino_bodies() -> dict[str, tuple[Callable, Step]]:
    from openvino import opset13 as op

    def const(values: list[int]):
        return op.constant(np.array(values, np.int64))

    def joined(a, r):
        flat = op.concat([op.reshape(v, const([-1]), False) for v in (a, r)], 0)
        return op.reshape(flat, const([-1, 3]), False)

    return {
        "Reshape": (joined, _joined),
        "Pad": (
            lambda a, r: op.pad(a, const([0, 0]), const([1, 0]), "edge"),
            lambda a, r: np.pad(a, [(0, 1), (0, 0)], "edge"),
        ),
        "Tile": (lambda a, r: op.concat([op.tile(a, const([1, 1])), r], 0), _joined),
        "StridedSlice from the second on": (
            lambda a, r: _strided(a, r, 1, 0),
            lambda a, r: np.concatenate([a, r, r])[1:],
        ),
        "StridedSlice up to the last": (
            lambda a, r: _strided(a, r, 0, -1),
            lambda a, r: np.concatenate([a, r, r])[:-1],
        ),
    }


@pytest.mark.parametrize(
    "name", ["Reshape", "Pad", "Tile", "StridedSlice from the second on", "StridedSlice up to the last"]
)
def test_growth_in_openvino_models(name: str, tmp_path: Path) -> None:
    from openvino import opset13 as op

    from tests.conformance.openvino_models import const, loop, parameter, save, true_result

    build, step = _openvino_bodies()[name]
    x, r, n = (
        parameter([1, 3], np.float32, "x"),
        parameter([1, 3], np.float32, "r"),
        parameter([], np.int64, "n"),
    )
    a, row = op.parameter([-1, 3], np.float32), op.parameter([1, 3], np.float32)
    results = [true_result(), op.result(build(a, row))]
    # A negative trip count is no limit.
    trips = op.maximum(op.minimum(n, const(TRIPS, np.int64)), const(0, np.int64))
    node = loop(trips, const(True, np.bool_), [a, row], results)
    node.set_merged_input(a, x.output(0), results[1].output(0))
    node.set_invariant_input(row, r.output(0))
    save(tmp_path / "m.xml", [node.get_iter_value(results[1].output(0), -1)], [x, r, n])
    loaded = loomir.load(tmp_path / "m.xml")
    assert most_rows(loaded) == 1 + TRIPS
    loaded.emit_c(tmp_path, "m")
    first, other = np.array([[1, 2, 3]], np.float32), np.array([[4, 5, 6]], np.float32)
    wanted = first
    for _ in range(3):
        wanted = step(wanted, other)
    for engine in ENGINES:
        (value,) = loaded.run({"x": first, "r": other, "n": np.array(3)}, engine=engine).values()
        assert_agree(np.asarray(value), wanted, engine)
