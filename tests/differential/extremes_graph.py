"""Uses of operations of GRAPH that ONNX has not, or not for unsigned numbers: see `extremes`."""

from __future__ import annotations

import numpy as np

from tests.differential import exact
from tests.differential.exact import DATA
from tests.differential.extremes import EXTREMES, FEW, MAX, MIN, Use

UNSIGNED = (0, 1, 3, MAX, MAX + 1, 2 * MAX + 1)
"""The same of `ui64`."""


def _function(arguments: str, result: str, body: str) -> str:
    """A function of GRAPH; `arguments` as in `a: tensor<i64>`, the body gives `%y`."""
    listed = ", ".join(
        f'%{name}: {type_} {{loomir.name = "{name}"}}'
        for name, type_ in (a.split(": ") for a in arguments.split(", "))
    )
    return f'func.func @main({listed}) -> ({result} {{loomir.name = "y"}}) {{ {body} func.return %y : {result} }}'


_I64 = "tensor<i64>"
_RESHAPES = " ".join(
    f"%{name} = ov.reshape %{name[0]}, %shape : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>"
    for name in ("a1", "b1", "c1")
)
_LISTS = f"%shape = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64> {_RESHAPES}"


def _strided(masks: str, result: str) -> str:
    types = "(tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)"
    return _function(
        f"x: tensor<5xf32>, a: {_I64}, b: {_I64}, c: {_I64}",
        result,
        f"{_LISTS} %y = ov.strided_slice %x, %a1, %b1, %c1 {{{masks}}} : {types} -> {result}",
    )


GRAPH_USES: tuple[Use, ...] = (
    Use(
        "strided_slice",
        _strided("begin_mask = array<i64: 0>", "tensor<?xf32>"),
        {"a": EXTREMES, "b": FEW, "c": EXTREMES},
        exact.slice_,
        DATA,
    ),
    Use(
        "strided_slice of one element",
        _strided("shrink_axis_mask = array<i64: 1>", "tensor<f32>"),
        {"a": (*EXTREMES, -5, -6, 4, 5), "b": (MIN, MAX), "c": (1,)},
        lambda a, b, c: exact.gather(a),
        DATA,
    ),
    Use(
        "roll",
        _function(
            f"x: tensor<?xf32>, a: {_I64}, b: {_I64}",
            "tensor<?xf32>",
            "%shape = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64> "
            "%a1 = ov.reshape %a, %shape : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64> "
            "%b1 = ov.reshape %b, %shape : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64> "
            "%v = ov.concat %a1, %b1 {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64> "
            "%axes = ov.constant dense<0> : tensor<2xi64> : tensor<2xi64> "
            "%y = ov.roll %x, %v, %axes : (tensor<?xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>",
        ),
        {"a": EXTREMES, "b": EXTREMES},
        lambda a, b: np.roll(DATA, (a + b) % len(DATA)),
        DATA,
    ),
    Use(
        "eye",
        _function(
            f"a: {_I64}, b: {_I64}",
            "tensor<?x2xf32>",
            "%columns = ov.constant dense<2> : tensor<i64> : tensor<i64> "
            "%y = ov.eye %a, %columns, %b {output_type = f32} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?x2xf32>",
        ),
        {"a": (MIN, -1, 0, 3), "b": (*EXTREMES, -2, -3, 2)},
        lambda a, b: np.array([[r + b == c for c in range(2)] for r in range(a)], np.float32).reshape(
            max(a, 0), 2
        ),
    ),
    Use(
        "slice of unsigned positions",
        _function(
            "x: tensor<5xf32>, a: tensor<ui64>, b: tensor<ui64>, c: tensor<ui64>",
            "tensor<?xf32>",
            _LISTS.replace("tensor<i64>", "tensor<ui64>").replace("-> tensor<1xi64>", "-> tensor<1xui64>")
            + " %y = ov.slice %x, %a1, %b1, %c1 : "
            "(tensor<5xf32>, tensor<1xui64>, tensor<1xui64>, tensor<1xui64>) -> tensor<?xf32>",
        ),
        {"a": UNSIGNED, "b": UNSIGNED, "c": UNSIGNED},
        exact.slice_,
        DATA,
        "uint64",
    ),
    Use(
        "range of unsigned numbers",
        _function(
            "a: tensor<ui64>, b: tensor<ui64>, c: tensor<ui64>",
            "tensor<?xui64>",
            "%y = ov.range %a, %b, %c {output_type = ui64} : (tensor<ui64>, tensor<ui64>, tensor<ui64>) -> tensor<?xui64>",
        ),
        {"a": UNSIGNED, "b": UNSIGNED, "c": UNSIGNED},
        lambda a, b, c: exact.range_(a, b, c, "uint64"),
        None,
        "uint64",
    ),
)
