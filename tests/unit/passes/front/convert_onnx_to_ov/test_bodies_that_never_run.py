"""Loops whose body is illegal for the shapes that are known: errors where an iteration comes, nothing where none does."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.option_names import ENGINES
from tests.support import raises_error

XS = np.arange(1, 4, dtype=np.float32)

SUMS = """g (float[N] xs) => (float s, float[M] parts) {
    n = Size (xs)
    START
    z = Constant <value_float = 0.0> ()
    s, parts = Loop (n, COND, z) <body = b (int64 i, bool k, float a) => (bool again, float a2, float q) {
        zero = Constant <value_ints = [0]> ()
        one = Constant <value_ints = [1]> ()
        at = Unsqueeze (i, zero)
        end = Add (at, one)
        p = Slice (xs, at, end, zero)
        shape = Constant <value = int64[0] {}> ()
        q = Reshape (p, shape)
        a2 = Add (a, q)
        again = Identity (k)
    }>
}"""
WITH_CONDITION = SUMS.replace("START", "c = Constant <value = bool {1}> ()").replace("COND", "c")
WITHOUT_CONDITION = SUMS.replace("START", "").replace("COND", "")


def program(text: str, **options: object) -> loomir.Model:
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {text}')
    return loomir.load(model, **options)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", [WITH_CONDITION, WITHOUT_CONDITION], ids=["with condition", "without"])
def test_no_iteration_for_an_empty_input(text: str, engine) -> None:
    for model in (program(text), program(text, shapes={"xs": [0]})):
        outputs = model.run({"xs": XS[:0]}, engine=engine)
        assert outputs["s"] == 0
        assert outputs["parts"].shape == (0,)
    outputs = program(text).run({"xs": XS}, engine=engine)
    assert outputs["s"] == 6
    assert outputs["parts"].tolist() == [1, 2, 3]


def test_a_condition_that_never_holds() -> None:
    text = WITH_CONDITION.replace("bool {1}", "bool {0}").replace("Reshape (p, shape)", "Squeeze (xs, zero)")
    assert program(text, shapes={"xs": [3]}).run({"xs": XS})["s"] == 0


def test_an_iteration_that_comes_is_an_error() -> None:
    with raises_error("reshape-size", "Reshape"):
        program(
            WITH_CONDITION.replace("n = Size (xs)", "n = Constant <value_int = 1> ()"), shapes={"xs": [0]}
        )


def test_what_no_shape_makes_legal_is_refused() -> None:
    """A body may not run and has to be a model all the same."""
    with raises_error("unknown-operator", "Reshapes"):
        program(WITH_CONDITION.replace("Reshape (p, shape)", "Reshapes (p, shape)"), shapes={"xs": [0]})
