"""`ov-loop-grow-in-place`: the same results, and no concatenation of what is carried is left."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.scattering import ScatterUpdateOp


def program(
    trips: int, begin: int, parts: int, axis: int = 1, element: str = "f32", reads: str = "after"
) -> ModuleOp:
    """A loop that appends to what it carries, and whose number goes into each part; its sum is what it joins.

    `reads`: whether the loop reads what it carries before it appends, or behind that, or not at all.
    """
    shape = ["3", "2", "3"]
    shape[axis] = "?"
    open_ = f"tensor<{'x'.join(shape)}x{element}>"
    first = open_.replace("?", str(begin))
    one = open_.replace("?", "1")
    values = ", ".join(["%v"] + ["%p"] * parts)
    types = ", ".join([open_] + [one] * parts)
    sum_ = f"ov.reduce_sum %v, %all {{keep_dims = false}} : ({open_}, tensor<3xi64>) -> tensor<{element}>"
    before = f"%old = {sum_}" if reads == "before" else ""
    after = f"%old = {sum_}" if reads == "after" else ""
    old = "%old" if before or after else "%zero"
    return parse_module(f"""
func.func @main(%a: {first}, %x: {one}) -> ({open_}, tensor<{trips}x{element}>) {{
  %n = ov.constant dense<{trips}> : tensor<i64> : tensor<i64>
  %all = ov.constant dense<[0, 1, 2]> : tensor<3xi64> : tensor<3xi64>
  %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.convert %n {{destination_type = {element}}} : (tensor<i64>) -> tensor<{element}>
  %r, %s = ov.loop trip(%n) carried(%a) {{concats = [#ov.slice<axis = 0>]}}
      : (tensor<i64>, {first}) -> ({open_}, tensor<{trips}x{element}>) {{
  ^bb0(%i: tensor<i64>, %v: {open_}):
    {before}
    %f = ov.convert %i {{destination_type = {element}}} : (tensor<i64>) -> tensor<{element}>
    %p = ov.add %x, %f : ({one}, tensor<{element}>) -> {one}
    %w = ov.concat {values} {{axis = {axis - 3} : i64}} : ({types}) -> {open_}
    {after}
    %now = ov.reduce_sum %w, %all {{keep_dims = false}} : ({open_}, tensor<3xi64>) -> tensor<{element}>
    %both = ov.subtract %now, {old} : (tensor<{element}>, tensor<{element}>) -> tensor<{element}>
    %shown = ov.unsqueeze %both, %front : (tensor<{element}>, tensor<1xi64>) -> tensor<1x{element}>
    ov.next carried(%w : {open_}) concat(%shown : tensor<1x{element}>)
  }}
  func.return %r, %s : {open_}, tensor<{trips}x{element}>
}}""")


def assert_grows(written: ModuleOp, begin: int, axis: int, dtype: type) -> None:
    run_passes(written, "ov-infer")
    grown = written.clone()
    run_passes(grown, "ov-loop-grow-in-place", verify_each=True)
    assert [op for op in grown.walk() if isinstance(op, ScatterUpdateOp)]
    first, one = [3, 2, 3], [3, 2, 3]
    first[axis], one[axis] = begin, 1
    random = np.random.default_rng(4)
    values = [random.integers(0, 9, size=shape).astype(dtype) for shape in (first, one)]
    feed = dict(zip(argument_names(main_function(written)), values))
    before, after = (GraphEngine(module).run(feed).outputs for module in (written, grown))
    for name, value in before.items():
        np.testing.assert_array_equal(after[name], value, strict=True, err_msg=name)


@pytest.mark.parametrize("reads", ["before", "after", "not"])
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("begin", [0, 2])
def test_what_is_read(begin: int, parts: int, reads: str) -> None:
    assert_grows(program(5, begin, parts, reads=reads), begin, 1, np.float32)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_axes(axis: int) -> None:
    assert_grows(program(4, 1, 1, axis), 1, axis, np.float32)


@pytest.mark.parametrize(("element", "dtype"), [("f64", np.float64), ("i8", np.int8), ("ui16", np.uint16)])
def test_elements(element: str, dtype: type) -> None:
    assert_grows(program(3, 0, 2, element=element), 0, 1, dtype)


def test_one_trip_is_left_alone() -> None:
    written = program(1, 2, 1)
    run_passes(written, "ov-infer,ov-loop-grow-in-place")
    assert len([op for op in written.walk() if isinstance(op, ConcatOp)]) == 1
