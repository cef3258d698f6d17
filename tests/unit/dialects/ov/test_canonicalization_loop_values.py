"""Canonicalised loop values give the very bits that the loop gave: where integers wrap around, and after no iteration."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.ov.operators.control_flow import LoopOp
from tests.support import raises_error


def parsed(text: str) -> ModuleOp:
    return Parser(make_context(), text).parse_module()


def check(text: str, *feed: np.ndarray, passes: str = "ov-infer,canonicalize") -> ModuleOp:
    """The program after the passes, which gives what it gave before."""
    before = parsed(text)
    after = before.clone()
    run_passes(after, passes, verify_each=True)
    expected, got = (_run(module, feed) for module in (before, after))
    for name, value in expected.items():
        assert got[name].dtype == value.dtype
        assert got[name].shape == value.shape
        assert got[name].tobytes() == value.tobytes()
    return after


def _run(module: ModuleOp, feed: tuple[np.ndarray, ...]) -> Mapping[str, np.ndarray]:
    return GraphEngine(module)(dict(zip(argument_names(main_function(module)), feed)))


def carried_values(module: ModuleOp) -> int:
    return sum(len(op.carried) for op in module.walk() if isinstance(op, LoopOp))


COUNTER = """
func.func @main(%n: tensor<i64>, %m: tensor<TYPE>, %s: tensor<TYPE>, %x: tensor<TYPE>) -> (tensor<TYPE>, tensor<TYPE>) {
  %r, %k_end = ov.loop trip(%n) carried(%x, %m) : (tensor<i64>, tensor<TYPE>, tensor<TYPE>) -> (tensor<TYPE>, tensor<TYPE>) {
  ^bb0(%i: tensor<i64>, %v: tensor<TYPE>, %k: tensor<TYPE>):
    %w = ov.bitwise_xor %v, %k : (tensor<TYPE>, tensor<TYPE>) -> tensor<TYPE>
    %k1 = ov.STEP %k, %s : (tensor<TYPE>, tensor<TYPE>) -> tensor<TYPE>
    ov.next carried(%w, %k1 : tensor<TYPE>, tensor<TYPE>)
  }
  func.return %r, %k_end : tensor<TYPE>, tensor<TYPE>
}
"""


@pytest.mark.parametrize("step", ["add", "subtract"])
@pytest.mark.parametrize("name", ["i8", "i32", "i64", "ui8"])
@pytest.mark.parametrize("trips", [0, 1, 7, 300])
def test_counters_wrap_around(name: str, step: str, trips: int) -> None:
    """A counter that runs beyond its type, from a begin and by a step near its ends."""
    dtype = np.dtype(name.replace("ui", "uint") if name.startswith("u") else name.replace("i", "int"))
    limits = np.iinfo(dtype)
    text = COUNTER.replace("TYPE", name).replace("STEP", step)
    begin, by, data = (np.array(v, dtype) for v in (limits.max - 3, limits.max // 2 + 5, 1))
    after = check(text, np.array(trips, np.int64), begin, by, data)
    assert carried_values(after) == 1


ENDED_BY_DATA = """
func.func @main(%go: tensor<i1>, %most: tensor<N>, %a: tensor<N>, %b: tensor<N>, %s: tensor<N>) -> (tensor<N>, tensor<N>, tensor<N>) {
  %one = ov.constant dense<1> : tensor<N> : tensor<N>
  %r:3 = ov.loop while(%go) carried(%one, %a, %b) : (tensor<i1>, tensor<N>, tensor<N>, tensor<N>) -> (tensor<N>, tensor<N>, tensor<N>) {
  ^bb0(%i: tensor<N>, %v: tensor<N>, %k: tensor<N>, %l: tensor<N>):
    %w = ov.add %v, %v : (tensor<N>, tensor<N>) -> tensor<N>
    %k1 = ov.add %k, %s : (tensor<N>, tensor<N>) -> tensor<N>
    %l1 = ov.subtract %l, %one : (tensor<N>, tensor<N>) -> tensor<N>
    %again = ov.less %w, %most : (tensor<N>, tensor<N>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1, %l1 : tensor<N>, tensor<N>, tensor<N>)
  }
  func.return %r#0, %r#1, %r#2 : tensor<N>, tensor<N>, tensor<N>
}
""".replace("N>", "i64>")


@pytest.mark.parametrize("go", [False, True])
@pytest.mark.parametrize("most", [0, 3, 1000])
def test_counters_of_the_trips_wrap_around(go: bool, most: int) -> None:
    """Two counters of a loop that data ends, after no trip, after one and after several."""
    limits = np.iinfo(np.int64)
    numbers = [np.array(v, np.int64) for v in (most, limits.max - 3, limits.min + 2, limits.max // 2 + 5)]
    after = check(ENDED_BY_DATA, np.array(go), *numbers)
    assert carried_values(after) == 1


POWER = """
func.func @main(%n: tensor<i64>, %x: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %p = ov.power %b, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %w = ov.bitwise_xor %v, %p : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}
"""


@pytest.mark.parametrize("trips", [0, 1, 2, 90])
def test_powers_wrap_around(trips: int) -> None:
    """Of 0, of 1, of a negative number, and far beyond 64 bits."""
    base = np.array([0, 1, -3, 1_000_003], np.int64)
    after = check(POWER, np.array(trips, np.int64), np.zeros(4, np.int64), base)
    assert not any(
        op.name == "ov.power" for loop in after.walk() if isinstance(loop, LoopOp) for op in loop.walk()
    )


JOINED = """
func.func @main(%n: tensor<i64>, %y: tensor<?x?xf32>, %a: tensor<?x2xf32>, %m: tensor<i64>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf16>) {
  %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %q = ov.loop sliced(%y)
      {slices = [#ov.slice<axis = 1, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 1, stride = -1>]}
      : (tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %part: tensor<?x1xf32>):
    ov.next concat(%part : tensor<?x1xf32>)
  }
  %r, %s, %t = ov.loop trip(%n) {concats = [#ov.slice<axis = 0>, #ov.slice<axis = 1>, #ov.slice<axis = 0, stride = -1>]}
      : (tensor<i64>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf16>) {
  ^bb0(%i: tensor<i64>):
    %p = ov.multiply %i, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %f = ov.convert %p {destination_type = f16} : (tensor<i64>) -> tensor<f16>
    %u = ov.unsqueeze %f, %front : (tensor<f16>, tensor<1xi64>) -> tensor<1xf16>
    ov.next concat(%a, %a, %u : tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf16>)
  }
  func.return %q, %r, %s, %t : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf16>
}
"""


@pytest.mark.parametrize("trips", [0, 1, 4])
@pytest.mark.parametrize("shape", [(3, 0), (3, 5), (0, 5)])
def test_what_is_joined(trips: int, shape: tuple[int, int]) -> None:
    """Extents that are open are 0 after no iteration; what is joined backwards begins with the last part; halves round alike."""
    y = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    a = np.arange(6, dtype=np.float32).reshape(3, 2)
    after = check(JOINED, np.array(trips, np.int64), y, a, np.array(1_234_567, np.int64))
    assert not any(isinstance(op, LoopOp) for op in after.walk())


def test_a_long_chain_of_the_iteration_number() -> None:
    """Joined values of the iteration number are one array of them, however many operations lie between."""
    length = 2000
    chain = "\n".join(
        f"    %k{j + 1} = ov.add %k{j}, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>"
        for j in range(length)
    )
    text = f"""
func.func @main(%n: tensor<i64>) -> tensor<?xi64> {{
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %all = ov.loop trip(%n) {{concats = [#ov.slice<axis = 0>]}} : (tensor<i64>) -> tensor<?xi64> {{
  ^bb0(%k0: tensor<i64>):
{chain}
    %part = ov.unsqueeze %k{length}, %axis : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    ov.next concat(%part : tensor<1xi64>)
  }}
  func.return %all : tensor<?xi64>
}}
"""
    after = check(text, np.array(4))
    assert not any(isinstance(op, LoopOp) for op in after.walk())


STOPPING = """
func.func @main(%n: tensor<i64>, %x: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %end, %y = ov.loop trip(%n) carried(%zero, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %a: tensor<f32>):
    %next = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.equal %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %f = ov.if %c -> (tensor<f32>) {
      %stop = ov.fail "the fourth iteration runs" : tensor<f32>
      ov.yield %stop : tensor<f32>
    } else {
      ov.yield %a : tensor<f32>
    }
    ov.next carried(%next, %f : tensor<i64>, tensor<f32>)
  }
  func.return %x : tensor<f32>
}
"""


@pytest.mark.parametrize(
    "passes", ["ov-remove-unneeded", "canonicalize", "ov-infer,canonicalize,cse,canonicalize"]
)
def test_what_fails_in_an_iteration_that_nothing_needs_fails_in_the_same(passes: str) -> None:
    check(STOPPING, np.array(3), np.array(1, np.float32), passes=passes)
    after = parsed(STOPPING)
    run_passes(after, passes, verify_each=True)
    with raises_error("runtime-shape", "the fourth iteration runs"):
        _run(after, (np.array(4), np.array(1, np.float32)))
