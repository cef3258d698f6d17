"""Sorting, selecting, lengths that depend on data: operators over their versions, and in loops and branches, against
ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.model import Engine
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import assert_agree, raises_error

F32 = np.float32
Feed = Mapping[str, np.ndarray]
ENGINES: tuple[Engine, ...] = ("graph", "native")


def parsed(graph: str, opset: int) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]> g {graph}')


def check(graph: str, feed: Feed, opset: int = 21, *, values: Sequence[str] = ()) -> None:
    """Both engines agree with ONNX Runtime; `values` are fixed when the model is loaded."""
    model = parsed(graph, opset)
    session = onnxruntime_session(model)
    expected = session.run(None, dict(feed))
    ours = loomir.load(model, values={k: feed[k] for k in values})
    for engine in ENGINES:
        got = ours.run(feed, engine=engine)
        for output, a, b in zip(model.graph.output, got.values(), expected, strict=True):
            assert_agree(a, np.asarray(b), f"{engine} opset {opset} {output.name}: {graph}")


def check_nodes(inputs: str, nodes: Sequence[tuple[str, str]], feed: Feed, opset: int = 21) -> None:
    """Several nodes, each given as its results' types and its operation, in one model."""
    outputs: list[str] = []
    body: list[str] = []
    for number, (types, operation) in enumerate(nodes):
        kinds = types.split("; ")
        names = [f"y{number}_{k}" for k in range(len(kinds))]
        # Dimensions are symbols: each result has its own.
        outputs += [f"{kind.replace('?', name)} {name}" for kind, name in zip(kinds, names)]
        body.append(f"{', '.join(names)} = {operation.replace(' <>', '')}")
    check(f"({inputs}) => ({', '.join(outputs)}) {{ {' '.join(body)} }}", feed, opset)


RNG = np.random.default_rng(0)
TIES = RNG.integers(0, 9, (3, 40)).astype(F32)


def test_top_k() -> None:
    both = "float[?,a?]; int64[?,a?]"
    check_nodes(
        "float[3,40] x", [(both, "TopK <k = 5> (x)"), (both, "TopK <k = 2, axis = 0> (x)")], {"x": TIES}, 9
    )
    feed: Feed = {"x": TIES, **{f"k{k}": np.array([k]) for k in (1, 2, 7, 30)}}
    inputs = "float[3,40] x, int64[1] k1, int64[1] k2, int64[1] k7, int64[1] k30"
    nodes = [(both, f"TopK (x, k{k})") for k in (1, 7, 30)]
    check_nodes(inputs, nodes, feed, 10)
    nodes += [(both, f"TopK <largest = 0, axis = -1> (x, k{k})") for k in (1, 7, 30)]
    check_nodes(inputs, [*nodes, (both, "TopK <axis = 0> (x, k2)")], feed, 11)


@pytest.mark.parametrize("opset", [8, 11, 12, 13])
def test_arg_max(opset: int) -> None:
    """Without NaN: what ONNX Runtime makes of it depends on the shape."""
    rows, flat = "int64[?,a?,b?]", "int64[?,a?]"
    nodes: list[tuple[str, str]] = []
    for operator in ("ArgMax", "ArgMin"):
        nodes += [(rows, f"{operator} (x)"), (flat, f"{operator} <axis = 1, keepdims = 0> (x)")]
        if opset >= 11:
            nodes.append((rows, f"{operator} <axis = -1> (x)"))
        if opset >= 12:
            nodes.append((rows, f"{operator} <axis = 2, select_last_index = 1> (x)"))
    x = RNG.integers(0, 4, (3, 5, 4)).astype(F32)
    check_nodes("float[3,5,4] x", nodes, {"x": x}, opset)


def test_unique_and_non_zero() -> None:
    rest = "; int64[?]; int64[?]; int64[?]"
    nodes = [("float[?]" + rest, f"Unique <{a}> (x)") for a in ("", "sorted = 0")]
    nodes += [("float[?,a?]" + rest, f"Unique <{a}> (x)") for a in ("axis = 0", "axis = -1, sorted = 0")]
    places = ("int64[2,?]", "NonZero (x)"), ("int64[2,?]", "NonZero (b)")
    x = RNG.integers(0, 3, (4, 5)).astype(F32)[:, [0, 1, 0, 2, 1]]
    feed = {"x": x, "b": x > 1}
    check_nodes("float[4,5] x, bool[4,5] b", [*nodes, *places], feed)
    check_nodes("float[4,5] x, bool[4,5] b", places, feed, 9)


def test_non_zero_of_a_scalar() -> None:
    """It has no dimensions, says the specification; ONNX Runtime gives a row."""
    model = loomir.load(parsed("(float x) => (int64[a,b] i) { i = NonZero (x) }", 13))
    for engine in ENGINES:
        for value in (0, 2):
            assert model.run({"x": np.array(value, F32)}, engine=engine)["i"].shape == (0, min(value, 1))


BOXES = (RNG.random((2, 20, 4)) * 3).astype(F32)
SCORES = RNG.permutation(np.linspace(0.01, 0.99, 120)).reshape(2, 3, 20).astype(F32)


def test_non_max_suppression() -> None:
    nan = SCORES.copy()
    nan[0, 0, :3] = -np.inf, np.nan, -np.inf
    feed = {"b": BOXES, "s": SCORES, "n": nan, "m": np.array([4]), "all": np.array([50])}
    feed |= {"o": np.array([0.3], F32), "t": np.array([0.2], F32)}
    inputs = (
        "float[2,20,4] b, float[2,3,20] s, float[2,3,20] n, int64[1] m, int64[1] all, float[1] o, float[1] t"
    )
    nodes = [
        f"NonMaxSuppression ({given})"
        for given in (
            "b, s",
            "b, s, m",
            "b, s, m, o",
            "b, s, m, o, t",
            "b, s, m, , t",
            "b, n, all, o",
            "b, n, all, o, t",
        )
    ]
    nodes.append("NonMaxSuppression <center_point_box = 1> (b, s, m, o, t)")
    check_nodes(inputs, [("int64[?,3]", n) for n in nodes], feed)
    check_nodes(inputs, [("int64[?,3]", nodes[3])], feed, 10)


def test_regions() -> None:
    rois = np.array([[0, 0, 3, 3], [1.2, 0.5, 5.9, 4.1], [-3, -2, 9, 12], [4, 4, 2, 2]], F32)
    batches = np.array([0, 1, 1, 0])
    five = np.concatenate([batches[:, None], rois], 1).astype(F32)
    feed = {"x": RNG.standard_normal((2, 3, 6, 7)).astype(F32), "r": rois, "q": five, "b": batches}
    inputs = "float[2,3,6,7] x, float[4,4] r, float[4,5] q, int64[4] b"
    size = "output_height = 2, output_width = 3, spatial_scale = 0.8"
    variants = ["", ", sampling_ratio = 2", ', mode = "max", sampling_ratio = 2', ', mode = "max"']
    nodes = [("float[4,3,2,3]", f"RoiAlign <{size}{more}> (x, r, b)") for more in variants]
    check_nodes(inputs, nodes, feed, 10)
    nodes.append(
        (nodes[0][0], nodes[0][1].replace(">", ', coordinate_transformation_mode = "output_half_pixel">'))
    )
    nodes.append(("float[4,3,2,3]", "MaxRoiPool <pooled_shape = [2, 3], spatial_scale = 0.8> (x, q)"))
    check_nodes(inputs, nodes, feed)


def test_pooled_shape_must_have_two_numbers() -> None:
    text = "(float[1,1,4,4] x, float[1,5] r) => (float[1,1,a,b] y) { y = MaxRoiPool <pooled_shape = [2]> (x, r) }"
    with raises_error("invalid-onnx"):
        loomir.load(parsed(text, 21))


# What is positive, and the best half of the row, in each of several iterations.
LOOP = """
(float[n,6] x, int64 n) => (float[6] last, int64[m,3] best, int64[m,1] count) {
  yes = Constant <value = bool {1}> ()
  zero = Constant <value = float[6] {0, 0, 0, 0, 0, 0}> ()
  last, best, count = Loop (n, yes, zero) <body = body (int64 i, bool c, float[6] s)
      => (bool again, float[6] next, int64[3] places, int64[1] number) {
    again = Identity (c)
    row = Gather (x, i)
    next = Add (s, row)
    k = Constant <value = int64[1] {3}> ()
    values, places = TopK (next, k)
    half = Constant <value = float {0.5}> ()
    positive = Greater (next, half)
    found = NonZero (positive)
    shape = Shape (found)
    one = Constant <value = int64[1] {1}> ()
    number = Gather (shape, one)
  }>
}
"""


def test_in_a_loop() -> None:
    x = RNG.standard_normal((4, 6)).astype(F32)
    for n in (0, 4):
        check(LOOP, {"x": x, "n": np.array(n)}, values=("n",))


# A loop once for each element that is not zero, and a branch whose results have lengths of their own.
SELECTED = """
(float[12] x, bool most) => (float[m] y, float sum) {
  found = NonZero (x)
  zero = Constant <value = int64 {0}> ()
  places = Gather (found, zero)
  y = If (most) <
    then_branch = then_branch () => (float[p] t) { t = Gather (x, places) },
    else_branch = else_branch () => (float[q] e) { e, i, r, c = Unique (x) }>
  shape = Shape (found)
  one = Constant <value = int64 {1}> ()
  trips = Gather (shape, one)
  yes = Constant <value = bool {1}> ()
  nothing = Constant <value = float {0.0}> ()
  sum = Loop (trips, yes, nothing) <body = body (int64 i, bool c, float s) => (bool again, float next) {
    again = Identity (c)
    place = Gather (places, i)
    value = Gather (x, place)
    next = Add (s, value)
  }>
}
"""


def test_lengths_that_depend_on_data_in_loops_and_branches() -> None:
    for most in (True, False):
        for x in (RNG.integers(-1, 2, 12), np.zeros(12), np.arange(12)):
            check(SELECTED, {"x": x.astype(F32), "most": np.array(most)})
