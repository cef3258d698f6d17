"""`maximumf` and `minimumf` with `nsz`: NaN if either is; of two zeros either will do, and the C needs no test of signs."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.parser import Parser

from loomir.compiler.engines.native import NativeFunction
from loomir.compiler.formats.mlir.parser import make_context


@pytest.mark.parametrize(("operation", "expected"), [("maximumf", np.maximum), ("minimumf", np.minimum)])
@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("bound", ["%y", "%zero"])
def test_nsz(operation: str, expected: np.ufunc, element: str, bound: str):
    text = f"""builtin.module {{ func.func @main(%x: {element} {{loomir.name = "x", loomir.role = "input"}},
        %y: {element} {{loomir.name = "y", loomir.role = "input"}}) -> ({element} {{loomir.name = "r"}}) {{
      %zero = arith.constant 0.0 : {element}
      %r = arith.{operation} %x, {bound} fastmath<nsz> : {element}
      func.return %r : {element}
    }} }}"""
    function = NativeFunction(Parser(make_context(), text).parse_module())
    assert "signbit" not in function.code.source
    dtype = np.float32 if element == "f32" else np.float64
    values = np.array([-np.inf, -1, -0.0, 0.0, 1e-40, 2, np.inf, np.nan], dtype)
    for x in values:
        for y in values:
            got = function({"x": x, "y": y})["r"]
            np.testing.assert_array_equal(got, expected(x, dtype(0) if bound == "%zero" else y))
