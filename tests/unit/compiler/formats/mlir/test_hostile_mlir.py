"""A `.mlir` file may say anything: each of these is an error that names the place, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

import loomir
from loomir.compiler.formats.mlir.parser import make_context, parse
from loomir.tools.loomir_opt import LoomirOpt
from tests.support import raises_error

IDENTITY = "func.func @main(%x: TYPE) -> TYPE { func.return %x : TYPE }"
TANH = "func.func @main(%x: tensor<2xf32> {ATTR}) -> tensor<2xf32> { func.return %x : tensor<2xf32> }"
CONSTANT = "func.func @main() -> TYPE { %y = ov.constant dense<VALUE> : TYPE : TYPE\n func.return %y : TYPE }"
NESTED = "func.func @main() { " + '"test.op"() ({ ' * 3000 + "}) : () -> ()" * 3000 + " func.return }"


def constant(type_: str, value: str) -> str:
    return CONSTANT.replace("TYPE", type_).replace("VALUE", value)


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        (IDENTITY.replace("@main", "@other").replace("TYPE", "tensor<2xf32>"), "no-main"),
        ("func.func private @main()", "no-main"),
        (IDENTITY.replace("TYPE", "si32"), "not-of-stage"),
        (IDENTITY.replace("TYPE", "memref<4xf32>"), "not-of-stage"),
        (IDENTITY.replace("TYPE", "tuple<f32>"), "unsupported-type"),
        ('func.func @main() {\n func.return }\n "' + "a" * 100, "mlir-syntax"),
        ('"' + "\\41" * 100, "mlir-syntax"),
        ("func.func @main() {\n  func.return } \x85 \u2028 )", "mlir-syntax"),
        (IDENTITY.replace("TYPE", "tensor<2xi7>"), "unsupported-type"),
        (IDENTITY.replace("TYPE", "tensor<2xf80>"), "unsupported-type"),
        ("func.func @main() { cf.br ^a\n^a: func.return }", "several-blocks"),
        ('func.func @main() { "foo.bar"() : () -> ()\n func.return }', "mlir-syntax"),
        (constant("tensor<i32>", "1099511627776"), "mlir-syntax"),
        (constant("tensor<i64>", "9" * 400), "mlir-syntax"),
        (constant("tensor<i64>", "9" * 5000), "mlir-syntax"),
        (constant("tensor<f32>", "9" * 400), "mlir-syntax"),
        (constant("tensor<1099511627776xf32>", "1.0"), "limit-bytes"),
        (constant("tensor<1048576x1048576xi8>", '"0x00"'), "limit-bytes"),
        ("func.func @main() {\n cf.br ^a\n^b: func.return }", "mlir-syntax"),
        (NESTED, "model-too-deep"),
        ("", "mlir-syntax"),
        ("\n\n", "mlir-syntax"),
        ("builtin.module attributes {a = " + "[" * 5000 + "]" * 5000 + "} {}", "model-too-deep"),
        *(
            (TANH.replace("ATTR", attribute), "bad-interface")
            for attribute in (
                "loomir.name = 3",
                "loomir.bounds = 7",
                "loomir.bounds = [99999999999999999999 : i128]",
                "loomir.value = 1.0",
                "loomir.blob = dense<1.0> : tensor<3xf32>",
                "loomir.initial = []",
                "loomir.initial = dense<1.0> : tensor<1000000x3xf32>",
                'loomir.role = "guest"',
                'loomir.dim = "x"',
            )
        ),
    ],
    ids=lambda value: value[:60],
)
def test_is_refused_with_its_place(tmp_path: Path, text: str, identifier: str) -> None:
    path = tmp_path / "m.mlir"
    path.write_text(text)
    with raises_error(identifier) as info:
        loomir.load(path)
    assert str(path) in str(info.value)
    assert len(str(info.value).splitlines()) <= 3


def test_bytes_that_are_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.mlir"
    path.write_bytes(b"func.func @main() {\n  func.return // \xe9\n}\n")
    with raises_error("mlir-syntax", "m.mlir:2:18: not valid MLIR: byte 37 is not UTF-8"):
        loomir.load(path)
    with pytest.raises(SystemExit):
        LoomirOpt([str(path)]).run()
    assert "[mlir-syntax]" in capsys.readouterr().err


def test_values_are_visible_where_they_are_in_scope() -> None:
    """The table of visible names goes back to what it was before a region."""
    text = """func.func @main(%c: i1) {
      scf.if %c { %a = arith.constant 1 : i32\n scf.yield } else { %a = arith.constant 2 : i64\n scf.yield }
      %a = arith.constant 3 : index
      %b = arith.addi %a, %a : index
      func.return }"""
    assert "index" in str(parse(make_context(), text))
    with raises_error("mlir-syntax", ":6:23: not valid MLIR: value %a is used but not defined"):
        parse(make_context(), text.replace("%a = arith.constant 3 : index", ""))


def test_one_value_for_all_elements_is_packed_once() -> None:
    """A splat is packed once, without a list of all elements.

    The result is the same as xDSL's.
    """
    for type_, value in (
        ("f32", "-0.0"),
        ("f16", "1.5"),
        ("i1", "true"),
        ("i64", "-9223372036854775808"),
        ("i8", "-1"),
        ("ui8", "255"),
        ("complex<f32>", "(1.0, -2.0)"),
        ("f64", "0x7FF0000000000001"),
    ):
        spelled = ", ".join([value] * 3)
        read = parse(
            make_context(),
            f'"test.op"() {{a = dense<{value}> : tensor<3x{type_}>, b = dense<[{spelled}]> : tensor<3x{type_}>}} : () -> ()',
        )
        attributes = read.body.block.first_op.attributes
        assert attributes["a"] == attributes["b"], type_
    assert "tensor<0xf32>" in str(
        parse(make_context(), '"test.op"() {a = dense<1.0> : tensor<0xf32>} : () -> ()')
    )
    large = parse(make_context(), '"test.op"() {a = dense<1.0> : tensor<4096x4096xf32>} : () -> ()')
    assert len(large.body.block.first_op.attributes["a"].data.data) == 4 << 24
