"""Strings and complex numbers as users hand them over and get them: feeds, constants, and MLIR text."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.formats.mlir.parser import parse_module
from tests.support import raises_error
from tests.unit.compiler.test_carried_types import MOVES, TYPES, assert_same, elements, model


@pytest.mark.parametrize("type_", TYPES)
def test_constants_print_and_parse_again(type_: str) -> None:
    codes = np.arange(12, dtype=np.int32)
    for count in (0, 1, 12, 500):
        array = elements(np.resize(codes, (count, 1)), type_)
        tensor = onnx.numpy_helper.from_array(array, "w") if type_ != "string" or count else None
        if tensor is None:
            tensor = onnx.TensorProto(name="w", data_type=onnx.TensorProto.STRING, dims=[0, 1])
        graph = onnx.helper.make_graph(
            [onnx.helper.make_node("Concat", ["x", "w"], ["y"], axis=0)],
            "g",
            [onnx.helper.make_tensor_value_info("x", tensor.data_type, [1, 1])],
            [onnx.helper.make_tensor_value_info("y", tensor.data_type, [None, 1])],
            [tensor],
        )
        loaded = loomir.load(
            onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
        )
        text = loaded.mlir(full_constants=True)
        again = parse_module(text)
        assert str(again) == text
        assert str(parse_module(loaded.mlir())) == loaded.mlir()
        (constant,) = [op for op in again.walk() if op.name == "ov.constant"]
        assert_same(constant.array, array)  # pyright: ignore[reportAttributeAccessIssue]
        x = elements(codes[:1].reshape(1, 1), type_)
        assert_same(loaded.run({"x": x}, engine="graph")["y"], np.concatenate([x, array]))


def run_identity(type_: str, value: Any) -> np.ndarray:
    text = "g (T[n] x) => (T[n] y, T[n] z) { y = Identity(x) z = Concat<axis = 0>(x) }"
    return loomir.load(model(text, type_)).run({"x": value}, engine="graph")["y"]


def test_feeds_of_strings() -> None:
    expected = np.array(["a", "Ωb"], object)
    given: list[Any] = [
        ["a", "Ωb"],
        ("a", "Ωb"),
        np.array(["a", "Ωb"]),
        expected,
        np.array(["a", "Ωb"], np.dtypes.StringDType()),
    ]
    for value in given:
        assert_same(run_identity("string", value), expected)
    assert_same(run_identity("string", ["a\0"]), np.array(["a\0"], object))
    assert_same(run_identity("string", []), np.array([], object))
    wrong: list[Any] = [
        [b"a"],
        np.array([b"a"]),
        [1],
        ["a", None],
        np.array([1.0]),
        {"a": 1},
        7,
        ["a", 1],
        ["\ud800"],
        [np.nan],
    ]
    for value in wrong:
        with raises_error("input-dtype"):
            run_identity("string", value)
    with raises_error("input-shape"):
        run_identity("string", [["a"], ["b", "c"]])
    with raises_error("input-shape"):
        run_identity("string", "a")
    # What is given out is the caller's own.
    loaded = loomir.load(model("g (T[2] x) => (T[2] y) { y = Identity(x) }", "string"))
    feed = np.array(["a", "b"], object)
    loaded.run({"x": feed}, engine="graph")["y"][0] = "c"
    assert feed[0] == "a"


def test_feeds_of_complex_numbers() -> None:
    for value in ([1, 2.5], [1, 2.5 + 0j], np.array([1, 2.5], np.complex64)):
        assert_same(run_identity("complex64", value), np.array([1, 2.5], np.complex64))
    for wrong in (np.array([1.0]), np.array([1j]), ["a"], [1e300], [True, "a"]):
        with raises_error("input-dtype"):
            run_identity("complex64", wrong)
    with raises_error("input-dtype"):
        loomir.load(model("g (T[n] x) => (T[n] y) { y = Neg(x) }", "float")).run({"x": [1j]}, engine="graph")


def test_values_of_strings_are_fixed() -> None:
    text = "g (T[2] x, T[2] w) => (bool[2] y) { y = Equal(x, w) }"
    loaded = loomir.load(model(text, "string"), values={"w": ["a", "b"]})
    assert loaded.run({"x": ["a", "a"]}, engine="graph")["y"].tolist() == [True, False]
    with raises_error("input-value"):
        loaded.run({"x": ["a", "a"], "w": ["a", "c"]}, engine="graph")
    both = loomir.load(model(text, "string"), values={"w": ["a", "b"], "x": ["b", "b"]})
    assert both.run({}, engine="native")["y"].tolist() == [False, True] if not both.inputs else True
    with raises_error("value-mismatch"):
        loomir.load(model(text, "string"), values={"w": [1, 2]})
    assert str(loaded.inputs[0]) == "x: string[2]"


def test_text_of_tensors() -> None:
    forms = 'g () => (T[2] y, T[] z) { y = Constant<value_strings = ["a", "Ω"]>() z = Constant<value_string = "b">() }'
    outputs = loomir.load(model(forms, "string")).run({}, engine="graph")
    assert_same(outputs["y"], np.array(["a", "Ω"], object))
    assert_same(outputs["z"], np.array("b", object))


def program(body: str) -> Any:
    return parse_module(
        f"func.func @main(%s: tensor<2x!ov.string>, %c: tensor<2xcomplex<f32>>) {{ {body} func.return }}"
    )


@pytest.mark.parametrize(
    "body",
    [
        "%0 = ov.add %s, %s : (tensor<2x!ov.string>, tensor<2x!ov.string>) -> tensor<2x!ov.string>",
        "%0 = ov.multiply %c, %c : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>",
        "%0 = ov.equal %c, %c : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>",
        "%0 = ov.less %s, %s : (tensor<2x!ov.string>, tensor<2x!ov.string>) -> tensor<2xi1>",
        "%0 = ov.convert %s {destination_type = f32} : (tensor<2x!ov.string>) -> tensor<2xf32>",
        "%0 = ov.relu %c : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>",
    ],
)
def test_nothing_is_computed_in_them(body: str) -> None:
    with raises_error("element-type"):
        program(body)


@pytest.mark.parametrize(
    "value",
    [
        '#ov.strings<["a"] : tensor<2x!ov.string>> : tensor<2x!ov.string>',
        '#ov.strings<["a", "b"] : tensor<2xf32>> : tensor<2xf32>',
        '#ov.strings<["a", "b"] : tensor<?x!ov.string>> : tensor<?x!ov.string>',
        '#ov.strings<["\\FF", "b"] : tensor<2x!ov.string>> : tensor<2x!ov.string>',
        "#ov.strings<[1, 2] : tensor<2x!ov.string>> : tensor<2x!ov.string>",
        "dense<1> : tensor<2x!ov.string> : tensor<2x!ov.string>",
        "dense<[1.0, 2.0]> : tensor<2xcomplex<f32>> : tensor<2xcomplex<f32>>",
        "dense<(0x17FC00000, 0x0)> : tensor<2xcomplex<f32>> : tensor<2xcomplex<f32>>",
    ],
)
def test_constants_that_are_none(value: str) -> None:
    with raises_error("mlir-syntax"):
        program(f"%0 = ov.constant {value}")


def test_floats_of_text_are_bits_in_hexadecimal() -> None:
    """Floats may be written as hexadecimal bit patterns, as in MLIR.

    A NaN is printed in the same form.
    """
    module = program(
        "%0 = ov.constant dense<[0x7FC00000, 0xFF800000, 1.5, -2]> : tensor<4xf32> : tensor<4xf32>"
    )
    (constant,) = [op for op in module.walk() if op.name == "ov.constant"]
    np.testing.assert_array_equal(constant.array, np.array([np.nan, -np.inf, 1.5, -2], np.float32))
    assert str(parse_module(str(module))) == str(module)


def test_no_other_stage_has_them() -> None:
    from loomir.compiler.stages import verify_stage

    module = parse_module(
        "func.func @main(%c: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> { func.return %c : tensor<2xcomplex<f32>> }"
    )
    verify_stage(module, "graph")
    with raises_error("not-of-stage", "complex<f32>"):
        verify_stage(module, "structured")


def test_passes_are_checked_with_them() -> None:
    for name in ("Loop", "sequences", "If"):
        for type_ in TYPES:
            loomir.load(model(MOVES[name][0], type_), check_each_pass=True)
