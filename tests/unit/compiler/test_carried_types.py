"""Strings and complex numbers in GRAPH: what moves integers moves them alike; nothing is computed in them, and nothing below has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnx.defs
import onnx.parser
import pytest

import loomir
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import raises_error

TYPES = ("string", "complex64", "complex128")
DTYPES = {"string": object, "complex64": np.complex64, "complex128": np.complex128}
WORDS = np.array(["", "a", "b", "ab", "Ω", "a b", "a\0", '"\\\n', "\u2028😀", "0", "1", "nan"], object)
NUMBERS = np.array([0, 1, -1j, 2 + 3j, complex(np.nan, 1), complex(-0.0, np.inf), 1e30, -7, 1j, 5, 6, 7])


def elements(codes: np.ndarray, type_: str) -> np.ndarray:
    """The elements that these integers stand for; 0 is what stands where nothing was computed."""
    table = WORDS if type_ == "string" else NUMBERS.astype(DTYPES[type_])
    return np.array(table[codes.reshape(-1)], DTYPES[type_]).reshape(codes.shape)


def model(text: str, type_: str, opset: int = 24) -> onnx.ModelProto:
    """The model of a text that has T for the type."""
    return onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["" : {opset}]>\n{text.replace("T[", f"{type_}[").replace("T)", f"{type_})")}'
    )


def translated(value: Any, type_: str, function: Callable[[np.ndarray, str], np.ndarray]) -> Any:
    if isinstance(value, list):
        return [translated(v, type_, function) for v in value]
    return function(value, type_) if isinstance(value, np.ndarray) and value.dtype == np.int32 else value


def assert_same(actual: Any, expected: Any) -> None:
    if isinstance(expected, list):
        assert len(actual) == len(expected)
        for a, b in zip(actual, expected):
            assert_same(a, b)
        return
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert repr(actual.tolist()) == repr(expected.tolist())
    assert expected.dtype != object or all(type(v) is str for v in actual.flat)


X = np.arange(1, 7, dtype=np.int32).reshape(2, 3)
SPACE = np.arange(8, dtype=np.int32).reshape(1, 4, 1, 2)

MOVES: dict[str, tuple[str, dict[str, Any]]] = {
    "Identity": ("g (T[2,3] x) => (T[2,3] y) { y = Identity(x) }", {"x": X}),
    "Reshape": (
        "g (T[2,3] x, int64[n] s) => (T[a,b] y) { y = Reshape(x, s) }",
        {"x": X, "s": np.array([3, -1])},
    ),
    "Flatten": ("g (T[2,3] x) => (T[1,6] y) { y = Flatten<axis = 0>(x) }", {"x": X}),
    "Squeeze": ("g (T[1,2,3] x) => (T[2,3] y) { y = Squeeze(x) }", {"x": X[None]}),
    "Unsqueeze": (
        "g (T[2,3] x, int64[1] a) => (T[2,1,3] y) { y = Unsqueeze(x, a) }",
        {"x": X, "a": np.array([1])},
    ),
    "Concat": (
        "g (T[2,3] x, T[2,n] w) => (T[2,m] y) { y = Concat<axis = 1>(x, w, x) }",
        {"x": X, "w": X[:, :1]},
    ),
    "Gather": (
        "g (T[2,3] x, int64 i) => (T[2] y) { y = Gather<axis = 1>(x, i) }",
        {"x": X, "i": np.array(-1)},
    ),
    "Gather a single one": (
        "g (T[3] x, int64 i) => (T[] y) { y = Gather(x, i) }",
        {"x": X[0], "i": np.array(-1)},
    ),
    "GatherElements": (
        "g (T[2,3] x, int64[2,1] i) => (T[2,1] y) { y = GatherElements<axis = 1>(x, i) }",
        {"x": X, "i": np.array([[2], [0]])},
    ),
    "GatherND": (
        "g (T[2,3] x, int64[1,2] i) => (T[1] y) { y = GatherND(x, i) }",
        {"x": X, "i": np.array([[1, 0]])},
    ),
    "ScatterElements": (
        "g (T[2,3] x, int64[2,1] i, T[2,1] u) => (T[2,3] y) { y = ScatterElements<axis = 1>(x, i, u) }",
        {"x": X, "i": np.array([[2], [0]]), "u": X[:, 1:2]},
    ),
    "ScatterND": (
        "g (T[2,3] x, int64[1,1] i, T[1,3] u) => (T[2,3] y) { y = ScatterND(x, i, u) }",
        {"x": X, "i": np.array([[1]]), "u": X[:1]},
    ),
    "Slice": (
        "g (T[2,3] x, int64[1] b, int64[1] e, int64[1] a, int64[1] s) => (T[2,n] y) { y = Slice(x, b, e, a, s) }",
        {"x": X, "b": np.array([9]), "e": np.array([-9]), "a": np.array([1]), "s": np.array([-2])},
    ),
    "Split": (
        "g (T[2,3] x) => (T[2,2] y, T[2,1] z) { y, z = Split<axis = 1, num_outputs = 2>(x) }",
        {"x": X},
    ),
    "Transpose": ("g (T[2,3] x) => (T[3,2] y) { y = Transpose(x) }", {"x": X}),
    "Expand": (
        "g (T[2,3] x, int64[n] s) => (T[a,b,c] y) { y = Expand(x, s) }",
        {"x": X, "s": np.array([2, 1, 1])},
    ),
    "Tile": ("g (T[2,3] x, int64[2] r) => (T[a,b] y) { y = Tile(x, r) }", {"x": X, "r": np.array([1, 2])}),
    "Where": (
        "g (bool[2,1] c, T[2,3] x, T[] w) => (T[2,3] y) { y = Where(c, x, w) }",
        {"c": np.array([[True], [False]]), "x": X, "w": X[1:, 2].reshape(())},
    ),
    "Pad": (
        "g (T[2,3] x, int64[4] p) => (T[a,b] y) { y = Pad(x, p) }",
        {"x": X, "p": np.array([1, 0, -1, 2])},
    ),
    "Pad with a value": (
        "g (T[2,3] x, int64[4] p, T[] v) => (T[a,b] y) { y = Pad(x, p, v) }",
        {"x": X, "p": np.array([1, 0, 0, 2]), "v": X[:1, 1].reshape(())},
    ),
    "Pad at the edge": (
        'g (T[2,3] x, int64[4] p) => (T[a,b] y) { y = Pad<mode = "reflect">(x, p) }',
        {"x": X, "p": np.array([1, 0, 0, 2])},
    ),
    "CenterCropPad": (
        "g (T[2,3] x, int64[2] s) => (T[4,2] y) { y = CenterCropPad(x, s) }",
        {"x": X, "s": np.array([4, 2])},
    ),
    "Compress": (
        "g (T[2,3] x, bool[3] c) => (T[2,n] y) { y = Compress<axis = 1>(x, c) }",
        {"x": X, "c": np.array([True, False, True])},
    ),
    "ReverseSequence": (
        "g (T[2,3] x, int64[3] n) => (T[2,3] y) { y = ReverseSequence(x, n) }",
        {"x": X, "n": np.array([2, 1, 2])},
    ),
    "DepthToSpace": (
        "g (T[1,4,1,2] x) => (T[1,1,2,4] y) { y = DepthToSpace<blocksize = 2>(x) }",
        {"x": SPACE},
    ),
    "SpaceToDepth": (
        "g (T[1,1,2,4] x) => (T[1,4,1,2] y) { y = SpaceToDepth<blocksize = 2>(x) }",
        {"x": SPACE.reshape(1, 1, 2, 4)},
    ),
    "OneHot": (
        "g (int64[2] i, int64 d, T[2] v) => (T[2,n] y) { y = OneHot(i, d, v) }",
        {"i": np.array([1, 5]), "d": np.array(3), "v": X[0, :2]},
    ),
    "TensorScatter": (
        "g (T[2,3,1] x, T[2,2,1] u, int64[2] i) => (T[2,3,1] y) { y = TensorScatter<axis = 1>(x, u, i) }",
        {"x": X[..., None], "u": X[::-1, :2, None], "i": np.array([1, 0])},
    ),
    "Trilu": ("g (T[2,3] x) => (T[2,3] y) { y = Trilu(x) }", {"x": X}),
    "Shape, Size": ("g (T[n,3] x) => (int64[2] y, int64 z) { y = Shape(x) z = Size(x) }", {"x": X}),
    "sequences": (
        """g (T[2,3] x, int64 i) => (seq(T[a,3]) y, T[a,3] z, T[2,3] w, int64 n) {
          s = SequenceConstruct(x, x) t = SequenceInsert(s, x, i) y = SequenceErase(t, i)
          z = ConcatFromSequence<axis = 0>(t) w = SequenceAt(t, i) n = SequenceLength(t) }""",
        {"x": X, "i": np.array(1)},
    ),
    "SplitToSequence": (
        "g (T[2,3] x) => (seq(T[2,n]) y) { s = Constant<value_int = 2>() y = SplitToSequence<axis = 1>(x, s) }",
        {"x": X},
    ),
    "SequenceMap": (
        """g (seq(T[n]) x) => (seq(T[m]) y) {
          y = SequenceMap(x)<body = b (T[k] e) => (T[m] f) { f = Concat<axis = 0>(e, e) }> }""",
        {"x": [X[0], X[1, :1]]},
    ),
    "Optional": (
        "g (T[2,3] x) => (T[2,3] y, bool h) { o = Optional(x) y = OptionalGetElement(o) h = OptionalHasElement(o) }",
        {"x": X},
    ),
    "Loop": (
        """g (int64 n, T[2,3] x) => (T[2,3] y, T[k,2] z) {
          y, z = Loop(n, "", x)<body = b (int64 i, bool c, T[2,3] s) => (bool d, T[2,3] t, T[2] p) {
            d = Identity(c) q = Constant<value_ints = [1, 0]>() t = Gather(s, q)
            j = Constant<value_int = 1>() p = Gather<axis = 1>(s, j) }> }""",
        {"n": np.array(3), "x": X},
    ),
    "Loop of no iteration": (
        """g (int64 n, T[2,3] x) => (T[2,3] y, T[k,2,3] z) {
          y, z = Loop(n, "", x)<body = b (int64 i, bool c, T[2,3] s) => (bool d, T[2,3] t, T[2,3] p) {
            d = Identity(c) t = Identity(s) p = Identity(x) }> }""",
        {"n": np.array(0), "x": X},
    ),
    "Loop with a carried sequence": (
        """g (int64 n, T[2,3] x) => (T[a,3] y) {
          e = SequenceConstruct(x)
          s = Loop(n, "", e)<body = b (int64 i, bool c, seq(T[p,3]) s) => (bool d, seq(T[p,3]) t) {
            d = Identity(c) t = SequenceInsert(s, x) }>
          y = ConcatFromSequence<axis = 0>(s) }""",
        {"n": np.array(2), "x": X},
    ),
    "Loop that grows": (
        """g (int64 n, T[2,3] x) => (T[a,3] y) {
          y = Loop(n, "", x)<body = b (int64 i, bool c, T[p,3] s) => (bool d, T[q,3] t) {
            d = Identity(c) t = Concat<axis = 0>(s, x) }> }""",
        {"n": np.array(2), "x": X},
    ),
    "If": (
        """g (bool c, T[2,3] x) => (T[a,b] y) {
          y = If(c)<then_branch = t () => (T[2,3] p) { p = Identity(x) }, else_branch = e () => (T[3,2] q) { q = Transpose(x) }> }""",
        {"c": np.array(False), "x": X},
    ),
    "Scan": (
        """g (T[3] s, T[2,3] x) => (T[3] y, T[2,3] z) {
          y, z = Scan<num_scan_inputs = 1, scan_input_directions = [1], body = b (T[3] a, T[3] e) => (T[3] f, T[3] g) {
            f = Identity(e) g = Identity(a) }>(s, x) }""",
        {"s": X[1], "x": X},
    ),
}
"""Programs with T that move elements, each with its feed.

In the feed, integers of 32 bits stand for elements of T.
"""


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", MOVES)
def test_what_moves_integers_moves_them_alike(name: str, type_: str) -> None:
    text, feed = MOVES[name]
    expected = loomir.load(model(text, "int32")).run(feed, engine="graph")
    feed = {k: translated(v, type_, elements) for k, v in feed.items()}
    for optimize in (True, False):
        actual = loomir.load(model(text, type_), optimize=optimize).run(feed, engine="graph")
        for output, value in expected.items():
            assert_same(actual[output], translated(value, type_, elements))


ORACLE = (
    "Loop of no iteration",
    "Loop with a carried sequence",
    "Loop that grows",
    "If",
    "Scan",
    "sequences",
    "Gather",
    "Where",
)
"""Where ONNX Runtime can be asked: it has no Pad of strings, and of a Loop's scan outputs of strings it loses all parts but the first."""


@pytest.mark.parametrize("name", ORACLE)
def test_onnxruntime_moves_strings_alike(name: str) -> None:
    text, feed = MOVES[name]
    proto = model(text, "string")
    feed = {k: translated(v, "string", elements) for k, v in feed.items()}
    expected = onnxruntime_session(proto).run(None, feed)
    for value, other in zip(loomir.load(proto).run(feed, engine="graph").values(), expected, strict=True):
        assert_same(value, other)


@pytest.mark.parametrize("name", MOVES)
def test_nothing_below_graph_has_them(name: str) -> None:
    text, feed = MOVES[name]
    for type_ in TYPES if name == "Loop" else TYPES[:1]:
        loaded = loomir.load(model(text, type_))
        given = {k: translated(v, type_, elements) for k, v in feed.items()}
        for engine in ("structured", "loops", "interpreter", "native"):
            with raises_error("graph-only-type", "only the graph engine supports"):
                loaded.run(given, engine=engine)


def test_what_leaves_graph_names_the_place(tmp_path: Any) -> None:
    loaded = loomir.load(model(MOVES["Loop"][0], "string"))
    with raises_error("graph-only-type", "'Loop:y' (ov.loop)", "strings"):
        loaded.emit_c(tmp_path)
    for pipeline in ("convert-ov-loop-to-scf", "convert-ov-to-linalg"):
        with raises_error("graph-only-type", "strings"):
            loaded.optimize(pipeline)
    with raises_error("graph-only-type", "complex numbers"):
        loomir.load(model(MOVES["sequences"][0], "complex64")).optimize("convert-ovseq-to-ov")
    unused = model("g (T[2] x, float[2] z) => (float[2] y) { y = Neg(z) }", "string")
    with raises_error("graph-only-type", "strings"):
        loomir.load(unused).run({"x": ["a", "b"], "z": np.ones(2, np.float32)}, engine="native")


def test_where_strings_are_gone_the_rest_runs_everywhere() -> None:
    """Decisions taken at load time need no strings at run time."""
    text = """g (float[2] x) => (float[2] y) {
      m = Constant<value_string = "fast">() k = Constant<value_string = "fast">() c = Equal(m, k)
      y = If(c)<then_branch = a () => (float[2] p) { p = Neg(x) }, else_branch = b () => (float[2] q) { q = Identity(x) }> }"""
    loaded = loomir.load(model(text, "string"))
    for engine in ("graph", "native"):
        np.testing.assert_array_equal(loaded.run({"x": np.ones(2, np.float32)}, engine=engine)["y"], [-1, -1])


def schema_takes(name: str, type_: str) -> bool:
    schema = onnx.defs.get_schema(name, 28, "")
    return any(f"tensor({type_})" in t for p in (*schema.inputs, *schema.outputs) for t in p.types)


REFUSED = {
    "NonZero": "g (T[2] x) => (int64[1,n] y) { y = NonZero(x) }",
    "Unique": "g (T[2] x) => (T[n] y) { y = Unique(x) }",
    "GridSample": "g (T[1,1,2,2] x, float[1,2,2,2] z) => (T[1,1,2,2] y) { y = GridSample(x, z) }",
    "Col2Im": "g (T[1,4,1] x, int64[2] i, int64[2] b) => (T[1,1,2,2] y) { y = Col2Im(x, i, b) }",
    "RandomUniformLike": "g (T[2] x) => (float[2] y) { y = RandomUniformLike<dtype = 1>(x) }",
    "RandomNormalLike": "g (T[2] x) => (float[2] y) { y = RandomNormalLike<dtype = 1>(x) }",
    "Resize": "g (T[2] x, float[1] s) => (T[4] y) { y = Resize(x, , s) }",
    "Cast": "g (T[2] x) => (float[2] y) { y = Cast<to = 1>(x) }",
    "CastLike": "g (T[2] x, float[2] z) => (float[2] y) { y = CastLike(x, z) }",
    "BitCast": "g (complex64[2] x) => (int64[2] y) { y = BitCast<to = 7>(x) }",
    "StringConcat": "g (string[2] x) => (string[2] y) { y = StringConcat(x, x) }",
    "StringSplit": "g (string[2] x) => (string[2,n] y, int64[2] z) { y, z = StringSplit(x) }",
    "StringNormalizer": "g (string[2] x) => (string[n] y) { y = StringNormalizer(x) }",
    "RegexFullMatch": 'g (string[2] x) => (bool[2] y) { y = RegexFullMatch<pattern = "a">(x) }',
    "TfIdfVectorizer": """g (string[2] x) => (float[2] y) {
      y = TfIdfVectorizer<mode = "TF", min_gram_length = 1, max_gram_length = 1, max_skip_count = 0, ngram_counts = [0],
        ngram_indexes = [0], pool_strings = ["a"]>(x) }""",
}
"""Operators that ONNX's schemas, but not loomir, have for these types.

Nothing is computed.
"""

COVERED = {"Constant", "Equal", "Optional", "OptionalGetElement", "OptionalHasElement", "Shape", "Size"} | {
    "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength", "ConcatFromSequence",
    }  # fmt: skip


def test_every_operator_of_the_schemas_is_here() -> None:
    names = {s.name for s in onnx.defs.get_all_schemas() if s.domain == "" and not s.deprecated}
    taking = {n for n in names if any(schema_takes(n, t) for t in TYPES)}
    assert taking == taking & {*MOVES, *REFUSED, *COVERED}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_named(name: str) -> None:
    for type_ in ("string", "complex64"):
        if schema_takes(name, type_):
            with pytest.raises(loomir.Error) as info:
                loomir.load(model(REFUSED[name], type_, 26))
            assert info.value.identifier in ("element-type", "unsupported-operator", "invalid-onnx"), str(
                info.value
            )
            assert name in str(info.value)
