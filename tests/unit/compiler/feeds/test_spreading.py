"""Programs for one feed: sequences and optionals become tensors, and what follows is static."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.feeds.specialising import (
    Elements,
    feed_shape,
    set_feed_shapes,
    spread_feed,
    spread_names,
)
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.compiler.stages import verify_stage
from loomir.dialects.interface import argument_names, main_function

SEQ, OPT = "!ovseq.sequence<tensor<*xf32>>", "!ovseq.optional<tensor<?xf32>>"
OPTSEQ = f"!ovseq.optional<{SEQ}>"
SOURCE = f"""
func.func @main(%s: {SEQ} {{loomir.name = "s"}}, %x: tensor<?xf32> {{loomir.name = "x"}}, %o: {OPT} {{loomir.name = "o"}},
                %q: {OPTSEQ} {{loomir.name = "q"}}) -> ({SEQ}, tensor<?xf32>, {OPT}, {OPTSEQ}) {{
  func.return %s, %x, %o, %q : {SEQ}, tensor<?xf32>, {OPT}, {OPTSEQ}
}}
"""
A, B = np.zeros(2, np.float32), np.zeros((3, 1), np.float32)


@pytest.mark.parametrize(
    ("feed", "names", "types"),
    [
        (
            {"s": [A, B], "x": A, "o": A, "q": [B]},
            ["s/0", "s/1", "x", "o", "q/0"],
            ["tensor<2xf32>", "tensor<3x1xf32>", "tensor<2xf32>", "tensor<2xf32>", "tensor<3x1xf32>"],
        ),
        ({"s": [], "x": A, "o": None, "q": None}, ["x"], ["tensor<2xf32>"]),
        ({"s": [A], "x": A, "o": None, "q": []}, ["s/0", "x"], ["tensor<2xf32>", "tensor<2xf32>"]),
    ],
)
def test_arguments_take_their_place(feed: dict, names: list[str], types: list[str]) -> None:
    module = parse_module(SOURCE)
    shapes = {name: feed_shape(value) for name, value in feed.items()}
    set_feed_shapes(module, shapes)
    run_passes(module, "ov-infer")
    verify_stage(module, "graph")
    main = main_function(module)
    assert argument_names(main) == names
    assert [str(a.type) for a in main.args] == types
    spread = spread_feed(feed, shapes)
    assert list(spread) == names
    assert [v.shape for v in spread.values()] == [a.type.get_shape() for a in main.args]  # pyright: ignore


def test_names_that_are_taken() -> None:
    two = Elements(((1,), (2,)))
    assert spread_names(["s", "s/1"], {"s": two}) == {"s": ["s_/0", "s_/1"]}
    names = spread_names(["s", "s_", "s/0"], {"s": two, "s_": two})
    assert names == {"s": ["s_/0", "s_/1"], "s_": ["s__/0", "s__/1"]}


def test_a_program_for_each_combination_of_shapes_is_made_once() -> None:
    text = """<ir_version: 10, opset_import: ["" : 21]>
    g (seq(float[N]) s) => (float[M] y) { y = ConcatFromSequence <axis = 0> (s) }"""
    model = loomir.load(onnx.parser.parse_model(text))
    first = model.for_feed({"s": [A, A]})
    assert [str(i) for i in first.inputs] == ["s/0: float32[2]", "s/1: float32[2]"]
    assert str(first.outputs[0]) == "y: float32[4]"
    assert "ovseq" not in first.mlir()
    assert model.for_feed({"s": [A + 1, A]}) is first
    assert model.for_feed({"s": [A]}) is not first
    for feed in ([A, A + 3], [A + 1], [A, A, A]):
        y = model.run({"s": feed}, engine="native")["y"]
        np.testing.assert_array_equal(y, np.concatenate(feed))
