"""`ov.if`, the signature of `main` and constants through STRUCTURED, against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import loomir
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.compiler.levels import LEVELS
from loomir.compiler.model import Engine
from loomir.passes.structured.convert_ov_loop_to_scf import ConvertOvLoopToScfPass
from tests.support import assert_agree, raises_error
from tests.support_lowering import lower, run

RNG = np.random.default_rng(3)


def test_branches_of_different_extents() -> None:
    text = """
func.func @main(%c: tensor<i1> {loomir.name = "c"}, %x: tensor<2x3xf32> {loomir.name = "x"},
                %y: tensor<4x3xf32> {loomir.name = "y"}) -> (tensor<?x3xf32> {loomir.name = "r"}) {
  %r = ov.if %c -> (tensor<?x3xf32>) {
    %s = ov.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    ov.yield %s : tensor<2x3xf32>
  } else {
    ov.yield %y : tensor<4x3xf32>
  }
  %t = ov.add %r, %r : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  func.return %t : tensor<?x3xf32>
}"""
    x, y = RNG.standard_normal((2, 3), dtype=np.float32), RNG.standard_normal((4, 3), dtype=np.float32)
    assert_agree(run(text, {"c": True, "x": x, "y": y})["r"], 4 * x)
    assert_agree(run(text, {"c": False, "x": x, "y": y})["r"], 2 * y)


@pytest.mark.parametrize("machine", ["generic", "native"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_branch_that_fails_beside_one_of_other_ranks(level: str, machine: str, tmp_path: Path) -> None:
    """Its values have the ranks that it gives them: none of the results'."""
    (tmp_path / "m.mlir").write_text("""
func.func @main(%c: tensor<i1> {loomir.name = "c"}, %x: tensor<2x3xf32> {loomir.name = "x"}, %n: tensor<i32> {loomir.name = "n"})
    -> (tensor<*xf32> {loomir.name = "y"}, tensor<*xi32> {loomir.name = "z"}, tensor<*xf32> {loomir.name = "w"}) {
  %y, %z, %w = ov.if %c -> (tensor<*xf32>, tensor<*xi32>, tensor<*xf32>) {
    %p = ov.fail "not for these" : tensor<*xf32>
    %e = ov.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ov.yield %p, %n, %e : tensor<*xf32>, tensor<i32>, tensor<2x3xf32>
  } else {
    %k = ov.constant dense<[1, 2]> : tensor<2xi32> : tensor<2xi32>
    %s = ov.add %k, %n : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    %f = ov.constant dense<3.0> : tensor<f32> : tensor<f32>
    ov.yield %x, %s, %f : tensor<2x3xf32>, tensor<2xi32>, tensor<f32>
  }
  func.return %y, %z, %w : tensor<*xf32>, tensor<*xi32>, tensor<*xf32>
}""")
    model = loomir.load(tmp_path / "m.mlir", level=level, machine=machine)
    feed = {"c": False, "x": RNG.standard_normal((2, 3), dtype=np.float32), "n": np.int32(5)}
    for engine in get_args(Engine):
        found = model.run(feed, engine=engine)
        assert_agree(found["y"], feed["x"])
        assert (found["z"].tolist(), found["w"].tolist()) == ([6, 7], 3)
        with raises_error("runtime-shape"):
            model.run({**feed, "c": True}, engine=engine)


def test_only_the_chosen_branch_is_evaluated() -> None:
    """The other one has an index out of range, which is an error in ONNX's Gather."""
    text = """
func.func @main(%c: tensor<i1> {loomir.name = "c"}, %x: tensor<3xf32> {loomir.name = "x"},
                %i: tensor<1xi64> {loomir.name = "i"}) -> (tensor<1xf32> {loomir.name = "r"}) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %r = ov.if %c -> (tensor<1xf32>) {
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<3xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
    ov.yield %g : tensor<1xf32>
  } else {
    ov.yield %one : tensor<1xf32>
  }
  func.return %r : tensor<1xf32>
}"""
    x = np.float32([5, 6, 7])
    assert_agree(run(text, {"c": True, "x": x, "i": [2]})["r"], np.float32([7]))
    assert_agree(run(text, {"c": False, "x": x, "i": [9]})["r"], np.float32([1]))
    with raises_error("runtime-index"):
        run(text, {"c": True, "x": x, "i": [9]})


def test_nested_branches_yield_outside_values_scalars_and_one_value_twice() -> None:
    text = """
func.func @main(%c: tensor<i1> {loomir.name = "c"}, %d: tensor<i1> {loomir.name = "d"}, %s: tensor<f32> {loomir.name = "s"},
                %x: tensor<2xf32> {loomir.name = "x"})
    -> (tensor<f32> {loomir.name = "p"}, tensor<2xf32> {loomir.name = "q"}, tensor<2xf32> {loomir.name = "r"}) {
  %k = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %p, %q, %r = ov.if %c -> (tensor<f32>, tensor<2xf32>, tensor<2xf32>) {
    %u, %v = ov.if %d -> (tensor<f32>, tensor<2xf32>) {
      %t = ov.add %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ov.yield %t, %k : tensor<f32>, tensor<2xf32>
    } else {
      ov.yield %s, %x : tensor<f32>, tensor<2xf32>
    }
    ov.yield %u, %v, %v : tensor<f32>, tensor<2xf32>, tensor<2xf32>
  } else {
    ov.yield %s, %x, %k : tensor<f32>, tensor<2xf32>, tensor<2xf32>
  }
  func.return %p, %q, %r : tensor<f32>, tensor<2xf32>, tensor<2xf32>
}"""
    k, x, s = np.float32([1, 2]), np.float32([3, 4]), np.float32(0.5)
    expected = {
        (True, True): (2 * s, k, k),
        (True, False): (s, x, x),
        (False, True): (s, x, k),
        (False, False): (s, x, k),
    }
    for (c, d), values in expected.items():
        out = run(text, {"c": c, "d": d, "s": s, "x": x})
        for name, value in zip("pqr", values):
            assert_agree(out[name], np.asarray(value, np.float32))


def test_a_branch_in_a_loop_and_a_loop_in_a_branch() -> None:
    text = """
func.func @main(%n: tensor<i64> {loomir.name = "n"}, %x: tensor<?xf32> {loomir.name = "x", loomir.bounds = [6]})
    -> (tensor<?xf32> {loomir.name = "r"}) {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<?xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %first = ov.less_equal %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next = ov.if %first -> (tensor<?xf32>) {
      %twice = ov.loop trip(%two) carried(%a) : (tensor<i64>, tensor<?xf32>) -> (tensor<?xf32>) {
      ^bb1(%j: tensor<i64>, %b: tensor<?xf32>):
        %c = ov.add %b, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
        ov.next carried(%c : tensor<?xf32>)
      }
      ov.yield %twice : tensor<?xf32>
    } else {
      ov.yield %a : tensor<?xf32>
    }
    ov.next carried(%next : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}"""
    for length in (0, 1, 6):
        x = RNG.standard_normal(length, dtype=np.float32)
        for n, factor in ((0, 1), (1, 3), (4, 3)):
            assert_agree(run(text, {"n": n, "x": x})["r"], np.float32(factor) * x)


def test_constants_are_arguments_and_equal_ones_are_one() -> None:
    text = """
func.func @main(%x: tensor<2xf32> {loomir.name = "x"}) -> (tensor<2xf32> {loomir.name = "r"}, tensor<3xi1> {loomir.name = "b"}) {
  %k = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %l = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %m = ov.constant dense<[true, false, true]> : tensor<3xi1> : tensor<3xi1>
  %a = ov.add %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = ov.add %a, %l : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %b, %m : tensor<2xf32>, tensor<3xi1>
}"""
    module = lower(text)
    (func,) = (op for op in module.walk() if isinstance(op, FuncOp))
    assert len(func.args) == 3
    x = np.float32([1, -1])
    out = run(text, {"x": x})
    assert_agree(out["r"], x + np.float32([2, 4]))
    assert_agree(out["b"], np.array([True, False, True]))


@pytest.mark.parametrize("value", [0.0, -0.0, np.nan, -np.inf, 1.5])
def test_a_splat_is_exact(value: float) -> None:
    array = np.full(3, value, np.float32)
    text = f"""
func.func @main() -> (tensor<3xf32> {{loomir.name = "r"}}) {{
  %k = ov.constant dense<"0x{array.tobytes().hex()}"> : tensor<3xf32> : tensor<3xf32>
  func.return %k : tensor<3xf32>
}}"""
    assert run(text, {})["r"].tobytes() == array.tobytes()


def test_inputs_of_every_kind_come_back() -> None:
    text = """
func.func @main(%s: tensor<ui8> {loomir.name = "s"}, %x: tensor<?x2xui16> {loomir.name = "x", loomir.bounds = [3, 2]},
                %e: tensor<0x3xf32> {loomir.name = "e"}, %z: tensor<?x?xi64> {loomir.bounds = [2, 4]})
    -> (tensor<ui8>, tensor<?x2xui16>, tensor<0x3xf32>, tensor<?x?xi64>, tensor<ui8>) {
  func.return %s, %x, %e, %z, %s : tensor<ui8>, tensor<?x2xui16>, tensor<0x3xf32>, tensor<?x?xi64>, tensor<ui8>
}"""
    feed = {
        "s": np.uint8(200),
        "x": np.uint16([[1, 60000], [3, 4]]),
        "e": np.zeros((0, 3), np.float32),
        "arg3": np.arange(6).reshape(2, 3),
    }
    out = run(text, feed)
    for name, key in zip(
        ("result0", "result1", "result2", "result3", "result4"), ("s", "x", "e", "arg3", "s")
    ):
        assert_agree(out[name], np.asarray(feed[key]))


def test_a_dynamic_input_needs_a_bound() -> None:
    text = """
func.func @main(%x: tensor<?x3xf32> {loomir.name = "audio"}) -> tensor<?x3xf32> {
  func.return %x : tensor<?x3xf32>
}"""
    with raises_error("dynamic-input", "'audio'", "dimension 0", "--shape audio="):
        lower(text)
    with raises_error("dynamic-input"):
        ConvertOvLoopToScfPass().apply(make_context(), parse_module(text))


def test_a_value_without_a_bound() -> None:
    text = """
func.func @main(%n: tensor<i64>) -> tensor<?xi64> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.range %zero, %n, %one {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  func.return %r : tensor<?xi64>
}"""
    with raises_error("unbounded-shape", "ov.range", "dimension 0"):
        lower(text)
    with raises_error("unbounded-shape", "ov-bound-shapes"):
        ConvertOvLoopToScfPass().apply(make_context(), parse_module(text))


def test_a_value_without_a_rank() -> None:
    text = """
func.func @main(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2x1xf32>) -> tensor<*xf32> {
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %x : tensor<2xf32>
  } else {
    ov.yield %y : tensor<2x1xf32>
  }
  func.return %r : tensor<*xf32>
}"""
    with raises_error("unresolved-rank", "ov.if"):
        lower(text)
    with raises_error("unresolved-rank", "ov.if"):
        ConvertOvLoopToScfPass().apply(make_context(), parse_module(text))


def test_an_input_without_a_rank() -> None:
    with raises_error("unresolved-rank", "input 0"):
        lower("func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {\n  func.return %x : tensor<*xf32>\n}")


def test_a_composite_operation_is_refused_by_name() -> None:
    text = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = ov.softmax %x {axis = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32> loc("the layer")
  func.return %r : tensor<2xf32>
}"""
    with raises_error("no-lowering", "ov.softmax"):
        lower(text)
