"""Means, scales and the order of channels, put behind inputs in GRAPH."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.model import ENGINES, Engine, Model
from loomir.dialects.diagnostics import layer_name
from loomir.tools.model_optimizer.convert.preprocessing import normalise_inputs
from loomir.tools.model_optimizer.convert.preprocessing_options import PreprocessingOptions, parse_layouts
from tests.model_optimizer.cutting_cases import model
from tests.support import assert_agree, raises_error


def copying(*types: str) -> ModuleOp:
    """A program that gives what it is given: a, b, …"""
    names = "abcdef"[: len(types)]
    arguments = ", ".join(f'%{n}: tensor<{t}> {{loomir.name = "{n}"}}' for n, t in zip(names, types))
    results = ", ".join(f'tensor<{t}> {{loomir.name = "{n}_out"}}' for n, t in zip(names, types))
    values, given = ", ".join(f"%{n}" for n in names), ", ".join(f"tensor<{t}>" for t in types)
    return parse_module(f"func.func @main({arguments}) -> ({results}) {{ func.return {values} : {given} }}")


@pytest.mark.parametrize("engine", ENGINES)
def test_in_every_engine(engine: Engine) -> None:
    module = copying("1x3x?x?xf32", "2x5xf32")
    options = PreprocessingOptions(
        {"a": (1.0, 2.0, 3.0), "b": (1.0, 2.0, 3.0, 4.0, 5.0)},
        {"a": (2.0,)},
        layouts=parse_layouts("b(nc)"),
        reverse_channels=True,
    )
    normalise_inputs(module, options)
    rng = np.random.default_rng(0)
    a, b = (
        rng.standard_normal((1, 3, 2, 4)).astype(np.float32),
        rng.standard_normal((2, 5)).astype(np.float32),
    )
    results = Model(module).run({"a": a, "b": b}, engine=engine)
    mean = np.array([1, 2, 3], np.float32).reshape(1, 3, 1, 1)
    assert_agree(results["a_out"], (a[:, ::-1] - mean) / 2, "a")
    assert_agree(results["b_out"], b - np.arange(1, 6, dtype=np.float32), "b")


def test_channels_of_any_number_are_reversed_where_a_layout_says_which() -> None:
    module = copying("2x?x2xf32")
    normalise_inputs(module, PreprocessingOptions(layouts=parse_layouts("n...c"), reverse_channels=False))
    normalise_inputs(module, PreprocessingOptions(layouts=parse_layouts("nc?"), reverse_channels=True))
    given = np.arange(16, dtype=np.float32).reshape(2, 4, 2)
    assert_agree(Model(module).run({"a": given})["a_out"], given[:, ::-1])


def test_locations_name_the_input() -> None:
    module = copying("3x2x2xf32")
    normalise_inputs(module, PreprocessingOptions(((1.0, 2.0, 3.0),), scale=2.0))
    found = {
        op.name: layer_name(op)
        for op in module.walk()
        if op.name.startswith("ov.") and op.name != "ov.constant"
    }
    assert found == {"ov.subtract": "a/mean", "ov.divide": "a/scale"}


def test_one_scale_holds_for_all_inputs() -> None:
    module = copying("2xf32", "1xf32")
    normalise_inputs(module, PreprocessingOptions(scales={"a": (8.0,)}, scale=2.0))
    results = Model(module).run({"a": np.array([2, 4], np.float32), "b": np.array([6], np.float32)})
    assert_agree(results["a_out"], np.array([1, 2], np.float32))
    assert_agree(results["b_out"], np.array([3], np.float32))


@pytest.mark.parametrize(
    ("type_", "says"),
    [
        ("*xf32", "its rank is not known"),
        ("2x2x2x2xf32", "0 dimensions of [2, 2, 2, 2] are 3"),
        ("?x?x?x?xf32", "0 dimensions of [?, ?, ?, ?] are 3"),
        ("1x2x3x1xf32", "dimension 2 of [1, 2, 3, 1]"),
        ("3x3x2x1xf32", "2 dimensions"),
        ("3xf32", "dimension 0 of [3]"),
    ],
)
def test_channels_that_cannot_be_told(type_: str, says: str) -> None:
    with raises_error("unknown-channels", says, '--layout "a('):
        normalise_inputs(copying(type_), PreprocessingOptions({"a": (1.0, 2.0, 3.0)}))
    with raises_error("bad-option", "--reverse-input-channels", says):
        normalise_inputs(copying(type_), PreprocessingOptions(reverse_channels=True))


def test_values_that_do_not_fit() -> None:
    two = PreprocessingOptions({"a": (1.0, 2.0)})
    with raises_error("unknown-channels", "only 3 channels are guessed, not 2"):
        normalise_inputs(copying("1x2x4x4xf32"), two)
    with raises_error("unknown-channels", "its dimension 1 is 3, and there are 2 values"):
        normalise_inputs(copying("1x3xf32"), PreprocessingOptions(two.means, layouts=parse_layouts("nc")))
    with raises_error("unknown-channels", "the layout N?"):
        normalise_inputs(copying("1x3xf32"), PreprocessingOptions(two.means, layouts=parse_layouts("n?")))
    with raises_error("bad-option", "2 and 3 means and scales"):
        normalise_inputs(copying("1x3xf32"), PreprocessingOptions(two.means, {"a": (1.0, 2.0, 3.0)}))
    with raises_error("bad-option", "--mean-values", "2 and 1"):
        normalise_inputs(copying("1xf32", "1xf32"), PreprocessingOptions(((1.0,),)))
    with raises_error("integer-input", "'a'", "tensor<1x3x2x2xui8>"):
        normalise_inputs(copying("1x3x2x2xui8"), PreprocessingOptions(scale=2.0))
    with raises_error("unknown-input", "'b'"):
        normalise_inputs(copying("1xf32"), PreprocessingOptions({"b": (1.0,)}))


def test_two_names_of_one_input() -> None:
    module = parse_module(
        'func.func @main(%a: tensor<1xf32> {loomir.name = "a", loomir.names = ["a", "b"]}) -> tensor<1xf32> '
        "{ func.return %a : tensor<1xf32> }"
    )
    with raises_error("bad-option", "'b' is an input that has another name there too"):
        normalise_inputs(module, PreprocessingOptions({"a": (1.0,), "b": (2.0,)}))


def test_integers_may_be_reversed() -> None:
    module = copying("1x3xi8")
    normalise_inputs(module, PreprocessingOptions(layouts=parse_layouts("nc"), reverse_channels=True))
    assert Model(module).run({"a": np.array([[1, 2, 3]], np.int8)})["a_out"].tolist() == [[3, 2, 1]]


def test_only_in_graph() -> None:
    with raises_error("not-of-stage", "FRONT"):
        normalise_inputs(load_front(model("vector")), PreprocessingOptions(scale=2.0))
