"""Inputs that decide shapes.

They may do so through arithmetic, loops and branches; inputs that are only data or an index do not count.
"""

from __future__ import annotations

import pytest

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.interface import argument_names
from loomir.passes.analysis.lowering_requirements import deciding_inputs

INDEX = "tensor<i64>"
ONE = "tensor<1xi64>"
LOOP = f"""
      %y = ov.loop trip(%k) carried(%n) : ({INDEX}, {INDEX}) -> {INDEX} {{
      ^bb0(%i: {INDEX}, %c: {INDEX}):
        %d = ov.add %c, %m : ({INDEX}, {INDEX}) -> {INDEX}
        ov.next carried(%d : {INDEX})
      }}"""

CASES = {
    "axes of a reduction": (
        {"x": "tensor<2x3xf32>", "n": ONE},
        f"%r = ov.reduce_sum %x, %n : (tensor<2x3xf32>, {ONE}) -> tensor<*xf32>",
        ["n"],
    ),
    "an axis, although the shape is known": (
        {"x": "tensor<2x3xf32>", "n": INDEX},
        f"%r = ov.cum_sum %x, %n : (tensor<2x3xf32>, {INDEX}) -> tensor<2x3xf32>",
        ["n"],
    ),
    "an index": (
        {"x": "tensor<4xf32>", "n": INDEX},
        f"""%zero = ov.constant dense<0> : {INDEX} : {INDEX}
            %r = ov.gather %x, %n, %zero : (tensor<4xf32>, {INDEX}, {INDEX}) -> tensor<f32>""",
        [],
    ),
    "what axes are computed from": (
        {"x": "tensor<2x3xf32>", "n": ONE, "m": ONE, "k": ONE},
        f"""%s = ov.add %n, %m : ({ONE}, {ONE}) -> {ONE}
            %t = ov.add %n, %k : ({ONE}, {ONE}) -> {ONE}
            %r = ov.reduce_sum %x, %s : (tensor<2x3xf32>, {ONE}) -> tensor<*xf32>""",
        ["n", "m"],
    ),
    "only the shape of it": (
        {"x": "tensor<2x3xf32>", "n": "tensor<?xi64>"},
        f"""%s = ov.shape_of %n {{output_type = i64}} : (tensor<?xi64>) -> {ONE}
            %r = ov.reshape %x, %s : (tensor<2x3xf32>, {ONE}) -> tensor<?xf32>""",
        [],
    ),
    "through a loop": (
        {"x": "tensor<2x3xf32>", "n": INDEX, "m": INDEX, "k": INDEX, "b": INDEX},
        f"""{LOOP}
            %r = ov.cum_sum %x, %y : (tensor<2x3xf32>, {INDEX}) -> tensor<2x3xf32>""",
        ["n", "m", "k"],
    ),
    "the condition of a branch whose ranks differ": (
        {"x": "tensor<2x3xf32>", "n": "tensor<i1>", "m": "tensor<i1>"},
        """%r = ov.if %n -> (tensor<*xf32>) {
              ov.yield %x : tensor<2x3xf32>
            } else {
              %s = ov.constant dense<[6]> : tensor<1xi64> : tensor<1xi64>
              %y = ov.reshape %x, %s : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
              ov.yield %y : tensor<6xf32>
            }""",
        ["n"],
    ),
}


def inputs(case: tuple[dict[str, str], str, list[str]], *, lengths: bool = False) -> list[str]:
    arguments, body, _ = case
    signature = ", ".join(f'%{name}: {type_} {{loomir.name = "{name}"}}' for name, type_ in arguments.items())
    module = parse_module(f"func.func @main({signature}) {{\n{body}\nfunc.return\n}}")
    (function,) = module.body.block.ops
    names = argument_names(function)  # pyright: ignore[reportArgumentType]
    return [names[a.index] for a in deciding_inputs(module, lengths=lengths)]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_deciding_inputs(case: tuple[dict[str, str], str, list[str]]) -> None:
    assert inputs(case) == case[2]


def test_lengths_only_where_they_are_wanted() -> None:
    body = f"""%r = ov.range %n, %m, %m {{output_type = i64}} : ({INDEX}, {INDEX}, {INDEX}) -> tensor<?xi64>
        %s = ov.cum_sum %r, %k : (tensor<?xi64>, {INDEX}) -> tensor<?xi64>"""
    case = {"n": INDEX, "m": INDEX, "k": INDEX}, body, ["k"]
    assert inputs(case) == ["k"]
    assert inputs(case, lengths=True) == ["n", "m", "k"]
