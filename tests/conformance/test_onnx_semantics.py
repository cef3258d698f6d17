"""Differences between ONNX's specification and ONNX Runtime.

Every row of the table in docs/semantics.md is tested, both ways.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.model import ENGINES, Engine
from loomir.passes.options import Semantics
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import assert_values_agree, raises_error

F32 = np.float32
X = {"x": np.array([0.5, -1], F32)}
ROWS = {"x": np.arange(6, dtype=F32).reshape(3, 2)}


@dataclass(frozen=True)
class Difference:
    """`specification` has the outputs that follow from the specification's text, worked out by hand, or the error's identifier;
    ONNX Runtime is its own oracle. `warning` is a part of the warning, `node` its node and operator."""

    name: str
    graph: str
    feed: Mapping[str, np.ndarray]
    specification: list[Any] | str
    node: str
    warning: str
    opset: int = 21

    def model(self) -> onnx.ModelProto:
        text = f'<ir_version: 10, opset_import: ["" : {self.opset}]> {self.graph}'
        return onnx.parser.parse_model(text)


@dataclass(frozen=True)
class Same:
    """A model like one of the differences that both read alike: no warning."""

    name: str
    graph: str
    feed: Mapping[str, np.ndarray] = field(default_factory=lambda: X)

    def model(self) -> onnx.ModelProto:
        return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {self.graph}')


def loop(inputs: str, condition: str = "d = Less (i, two)", scan: bool = True) -> str:
    """A loop that adds 1 and whose body computes a condition; all values are scan outputs too."""
    two = "two = Constant <value_int = 2> ()"
    outputs = "(float[2] y, float[k, 2] s)" if scan else "(float[2] y)"
    return f"""g (float[2] x) => {outputs} {{
        m = Constant <value_int = 5> ()
        y{", s" if scan else ""} = Loop ({inputs}, x) <body = b (int64 i, bool c, float[2] a)
            => (bool d, float[2] b{", float[2] b" if scan else ""}) {{
            one = Constant <value_float = 1.0> ()
            b = Add (a, one)
            {two}
            {condition}
        }}>
    }}"""


def split(graph: str) -> str:
    return f"g (float[N, 2] x) => (seq(float[2]) y) {{ {graph} }}"


def pool(kind: str) -> str:
    return f"""g (float[1, 1, 5] x) => (float[1, 1, K] y) {{
        y = {kind} <kernel_shape = [2], strides = [2], auto_pad = "VALID", ceil_mode = 1> (x)
    }}"""


FIVE = X["x"] + np.arange(1, 6, dtype=F32)[:, None]
IMAGE = {"x": np.arange(5, dtype=F32).reshape(1, 1, 5)}

DIFFERENCES = [
    Difference(
        "trip count, no condition",
        loop('m, ""'),
        X,
        [FIVE[-1], FIVE],
        "'Loop:y' (Loop)",
        "ONNX Runtime ends it by its body's condition",
    ),
    Difference(
        "neither trip count nor condition",
        loop('"", ""'),
        X,
        "endless-loop",
        "'Loop:y' (Loop)",
        "without a trip count and a condition it never ends",
    ),
    Difference(
        "unbind: keepdims of 0 beside a scalar split",
        split("one = Constant <value_int = 1> () y = SplitToSequence <axis = 0, keepdims = 0> (x, one)"),
        ROWS,
        [[row[None] for row in ROWS["x"]]],
        "'SplitToSequence:y' (SplitToSequence)",
        "keepdims = 0 is ignored with a scalar 'split'",
    ),
    Difference(
        "NonZero of a scalar",
        "g (float x) => (int64[R, K] y) { y = NonZero (x) }",
        {"x": np.array(2, F32)},
        [np.zeros((0, 1), np.int64)],
        "'NonZero:y' (NonZero)",
        "its result has no rows",
    ),
    Difference(
        "a function that is called like an operator of ONNX",
        "g (float[2] x) => (float[2] y) { y = Neg (x) } "
        '<domain: "", opset_import: ["" : 21]> Neg (a) => (b) { b = Abs (a) }',
        X,
        [np.array([0.5, 1], F32)],
        "'Neg:y' (Neg)",
        "the model's function of this name is called",
    ),
    *(
        Difference(
            f"{kind}: VALID and ceil_mode",
            pool(kind),
            IMAGE,
            [np.array([[expected]], F32)],
            f"'{kind}:y' ({kind})",
            "ceil_mode = 1 is ignored with auto_pad = VALID",
        )
        for kind, expected in (("MaxPool", [1, 3]), ("AveragePool", [0.5, 2.5]))
    ),
]

SAME = [
    Same("a condition that is true", loop('m, ""', "d = Constant <value = bool {1}> ()")),
    Same("a condition that is passed on", loop('m, ""', "d = Identity (c)")),
    Same("a condition computed from one that is true", loop('m, ""', "d = And (c, c)")),
    Same("one iteration at most", loop('m, ""').replace("value_int = 5", "value_int = 1")),
    Same("a condition that is given", loop('m, t').replace("m = ", "t = Constant <value = bool {1}> () m = ", 1)),
    Same("split of rank 1", split("p = Constant <value_ints = [2, 1]> () y = SplitToSequence <keepdims = 0> (x, p)"), ROWS),
    Same("no split", split("y = SplitToSequence <keepdims = 0> (x)"), ROWS),
    Same("keepdims of 1", split("p = Constant <value_int = 1> () y = SplitToSequence (x, p)"), ROWS),
    Same("windows that use up the axis", pool("MaxPool").replace("5]", "6]"), {"x": np.ones((1, 1, 6), F32)}),
]  # fmt: skip


def run_onnxruntime(model: onnx.ModelProto, feed: Mapping[str, np.ndarray]) -> list[Any]:
    return list(onnxruntime_session(model, optimised=False).run(None, dict(feed)))


def run(
    model: onnx.ModelProto, feed: Mapping[str, np.ndarray], engine: Engine, semantics: Semantics
) -> list[Any]:
    """loomir's outputs in the model's order. What it warns of is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outputs = loomir.load(model, semantics=semantics).run(feed, engine=engine)
    return [outputs[value.name] for value in model.graph.output]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda d: d.name)
def test_specification(row: Difference, engine: Engine) -> None:
    with pytest.warns(loomir.SemanticsWarning) as caught:
        model = loomir.load(row.model())
    assert len(caught) == 1
    text = str(caught[0].message)
    for words in (row.node, row.warning, "--semantics onnxruntime", "semantics='onnxruntime'"):
        assert words in text
    assert caught[0].filename == __file__
    if isinstance(row.specification, str):
        with raises_error("endless-loop"):
            model.run(row.feed, engine=engine)
        return
    outputs = model.run(row.feed, engine=engine)
    assert_values_agree(list(outputs.values()), row.specification)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda d: d.name)
def test_onnxruntime(row: Difference, engine: Engine) -> None:
    expected = run_onnxruntime(row.model(), row.feed)
    actual = run(row.model(), row.feed, engine, "onnxruntime")
    assert_values_agree(actual, expected)
    if not isinstance(row.specification, str):
        with pytest.raises(AssertionError):
            assert_values_agree(actual, row.specification)


@pytest.mark.parametrize("row", SAME, ids=lambda s: s.name)
def test_no_difference(row: Same) -> None:
    expected = run_onnxruntime(row.model(), row.feed)
    for semantics in ("specification", "onnxruntime"):
        assert_values_agree(run(row.model(), row.feed, "graph", semantics), expected)


def test_split_that_onnxruntime_cannot_make() -> None:
    row = split("p = Constant <value_int = 2> () y = SplitToSequence <keepdims = 0> (x, p)")
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {row}')
    with raises_error("unsupported-attribute", "keepdims = 0 beside a 'split' of 2"):
        loomir.load(model, semantics="onnxruntime")
    row = "g (float[N, 2] x, int64 p) => (seq(float[2]) y) { y = SplitToSequence <keepdims = 0> (x, p) }"
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {row}')
    with raises_error("unsupported-attribute", "unknown contents", "values="):
        loomir.load(model, semantics="onnxruntime")


def test_an_endless_loop_in_a_branch_that_is_not_taken() -> None:
    """Refused where it starts, not where it stands."""
    graph = """g (float[2] x, bool p) => (float[2] y) {
        y = If (p) <
            then_branch = t () => (float[2] z) {
                z = Loop ("", "", x) <body = b (int64 i, bool c, float[2] a) => (bool d, float[2] e) {
                    n = Constant <value_int = 3> ()
                    d = Less (i, n)
                    e = Neg (a)
                }>
            },
            else_branch = f () => (float[2] w) { w = Neg (x) }
        >
    }"""
    with pytest.warns(loomir.SemanticsWarning):
        model = loomir.load(onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {graph}'))
    for engine in ENGINES:
        np.testing.assert_array_equal(model.run({**X, "p": False}, engine=engine)["y"], -X["x"])
        with raises_error("endless-loop"):
            model.run({**X, "p": True}, engine=engine)


def test_a_name_that_is_not_known() -> None:
    with raises_error("bad-option", "specification, onnxruntime"):
        loomir.load(DIFFERENCES[0].model(), semantics="numpy")  # pyright: ignore[reportArgumentType]
