"""`ov-loop-unroll{factor=…}` of loops that a condition may end: values, joined parts, counts and errors are those that came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.errors import Error


def program(trip: str, entered: bool, backwards: bool, fails: bool) -> ModuleOp:
    """A loop that counts in steps of data, exchanges two carried values, joins two outputs and gives a last value.

    `trip` is the name of an argument, a number, or nothing; `fails` reads a position that is out of range from iteration 6 on.
    """
    known = trip.lstrip("-").isdigit()
    constant = f"%t = ov.constant dense<{trip}> : tensor<i64> : tensor<i64>" if known else ""
    groups = ["trip(%t)" if known else f"trip(%{trip})"] if trip else []
    types = ["tensor<i64>"] if trip else []
    if entered:
        groups.append("while(%c)")
        types.append("tensor<i1>")
    types += ["tensor<1x2xf32>", "tensor<1x2xf32>"]
    gather = (
        '%g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<6x2xf32>, tensor<i64>, tensor<i64>) -> tensor<2xf32>'
        if fails
        else "%g = ov.reduce_sum %x, %rows {keep_dims = false} : (tensor<6x2xf32>, tensor<1xi64>) -> tensor<2xf32>"
    )
    second = "axis = 0, start = -1, end = 0, stride = -1" if backwards else "axis = 1"
    return parse_module(
        f"""
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %most: tensor<f32>, %x: tensor<6x2xf32>, %a: tensor<1x2xf32>)
    -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<?x2xf32>, tensor<?x?xf32>) {{
  {constant}
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %rows = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %both = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %p, %q, %l, %r, %s = ov.loop {" ".join(groups)} carried(%a, %a) {{concats = [#ov.slice<axis = 0>, #ov.slice<{second}>]}}
      : ({", ".join(types)}) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<?x2xf32>, tensor<?x?xf32>) {{
  ^bb0(%i: tensor<i64>, %u: tensor<1x2xf32>, %v: tensor<1x2xf32>):
    {gather}
    %f = ov.convert %i {{destination_type = f32}} : (tensor<i64>) -> tensor<f32>
    %h = ov.add %u, %one : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
    %m = ov.multiply %g, %f : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %w = ov.add %h, %m : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
    %total = ov.reduce_max %w, %both {{keep_dims = false}} : (tensor<1x2xf32>, tensor<2xi64>) -> tensor<f32>
    %again = ov.less %total, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%v, %w : tensor<1x2xf32>, tensor<1x2xf32>) last(%h : tensor<1x2xf32>)
        concat(%w, %h : tensor<1x2xf32>, tensor<1x2xf32>)
  }}
  func.return %p, %q, %l, %r, %s : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<?x2xf32>, tensor<?x?xf32>
}}"""
    )


def outcome(module: ModuleOp, feed: Mapping[str, np.ndarray]) -> Mapping[str, Any] | str:
    try:
        return GraphEngine(module).run(feed).outputs
    except Error as error:
        return error.identifier


@pytest.mark.parametrize("factor", [2, 3, 4])
@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize(("entered", "backwards"), [(False, True), (True, False)])
@pytest.mark.parametrize("trip", ["", "n", "7", "8", "-1"])
def test_as_before(trip: str, entered: bool, backwards: bool, fails: bool, factor: int) -> None:
    written = program(trip, entered, backwards, fails)
    run_passes(written, "ov-infer")
    unrolled = written.clone()
    run_passes(unrolled, f"ov-loop-unroll{{max-trips=0 factor={factor}}}", verify_each=True)
    assert sum(isinstance(op, LoopOp) for op in unrolled.walk()) == 1
    assert len(str(unrolled)) > len(str(written))
    x = (np.arange(12, dtype=np.float32).reshape(6, 2) % 5) / 8
    names = argument_names(main_function(written))
    for n in (-3, 0, 1, 2, 3, 5, 8, 9) if trip == "n" else (0,):
        for most in (-1.0, 2.0, 3.5, 4.0, 6.0, 9.0, 20.0):
            for go in (True, False) if entered else (True,):
                values = (n, go, np.float32(most), x, x[:1] - 1)
                feed = dict(zip(names, map(np.asarray, values)))
                before, after = outcome(written, feed), outcome(unrolled, feed)
                if isinstance(before, str) or isinstance(after, str):
                    assert before == after, (n, most)
                    continue
                for name, value in before.items():
                    np.testing.assert_array_equal(
                        after[name], value, strict=True, err_msg=f"{n} {most} {name}"
                    )
