"""Generated code gives what the pure interpreter gives, bit by bit, and counts the same iterations."""

from __future__ import annotations

import numpy as np
import pytest

from loomir.compiler.engines import InterpreterError, OutOfBoundsError
from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.formats.mlir.parser import parse_module
from tests import support_loops as programs
from tests.support import count_calls, raises_error

RNG = np.random.default_rng(0)


def f32(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def run_both(text: str, feed: dict[str, object]) -> dict[str, np.ndarray]:
    """The outputs, which compiled and pure must agree on, in the iterations too."""
    module = parse_module(text)
    fast, pure = LoopsEngine(module), LoopsEngine(module, pure=True)
    first, second = fast.run(feed), pure.run(feed)
    a, b = first.outputs, second.outputs
    for name in b:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name, strict=True)
    assert first.iterations == second.iterations
    return a


def test_matmul():
    x, y = f32(4, 32), f32(32, 16)
    out = run_both(programs.MATMUL, {"x": x, "y": y})
    np.testing.assert_allclose(out["z"], x @ y, rtol=1e-5, atol=1e-5)


def test_padding_by_bounds_and_by_condition():
    x, w = f32(2, 8, 8), f32(4, 2, 3, 3)
    out = run_both(programs.PADDED_CONV, {"x": x, "w": w})
    p = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(p, (3, 3), axis=(1, 2))
    np.testing.assert_allclose(out["z"], np.einsum("cijhw,ochw->oij", windows, w), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 100])
def test_rotating_buffers_and_early_exit(n: int):
    x = np.abs(f32(16)) + 0.5
    out = run_both(programs.ROTATION, {"x": x, "n": np.int64(n)})
    assert out["trips"] == min(n, out["trips"])
    if n == 100:
        assert out["trips"] < 100
        np.testing.assert_allclose(out["z"], np.sqrt(x), rtol=1e-5)


def test_a_dependence_between_iterations_stays_in_order():
    x = f32(32)
    out = run_both(programs.PREFIX_SUM, {"x": x})
    np.testing.assert_array_equal(out["z"][1:], np.add.accumulate(x))


def test_overlapping_views_are_noticed():
    x = f32(33)
    out = run_both(programs.OVERLAP, {"x": x})
    np.testing.assert_array_equal(out["z"], np.full(33, x[0]))


def test_strides():
    x = f32(16, 32)
    out = run_both(programs.STRIDES, {"x": x})
    np.testing.assert_array_equal(out["z"][::2].reshape(32, 16), x[:, ::-1].T)
    np.testing.assert_array_equal(out["z"][1::2], -out["z"][::2])


def test_colliding_stores_stay_in_order():
    x = f32(32, 16)
    out = run_both(programs.COLLISION, {"x": x})
    expected = np.zeros(272, np.float32)
    for i in range(32):
        expected[i : i + 256 : 16] = x[i]
    np.testing.assert_array_equal(out["z"], expected)


def test_gather():
    x, k = f32(8, 4), RNG.integers(-8, 8, 16)
    out = run_both(programs.GATHER, {"x": x, "k": k})
    np.testing.assert_array_equal(out["z"], x[k])


@pytest.mark.parametrize("pure", [False, True])
def test_a_failed_assert_is_a_user_error(pure: bool):
    engine = LoopsEngine(parse_module(programs.GATHER), pure=pure)
    k = np.zeros(16, np.int64)
    k[7] = 8
    with raises_error("runtime-index", "gather reaches outside of its data"):
        engine({"x": f32(8, 4), "k": k})


def test_conditional_stores_and_swaps():
    x = f32(2, 32)
    out = run_both(programs.CONDITIONAL, {"x": x})
    top = x.max(0)
    top[1::2] = x.sum(0)[1::2]
    np.testing.assert_array_equal(out["z"], [top, x.min(0)])


def test_scatter_by_data_stays_in_order():
    k = RNG.integers(0, 8, 32)
    out = run_both(programs.SCATTER, {"k": k})
    expected = np.zeros(8, np.int32)
    with np.errstate(over="ignore"):
        for i in k:
            expected[i] = expected[i] * expected[i] + 1
    np.testing.assert_array_equal(out["z"], expected)


@pytest.mark.parametrize("n", [0, 3, 5, 16])
def test_dynamic_bounds(n: int):
    x = f32(16, 16)
    run_both(programs.DYNAMIC, {"x": x, "n": np.int64(n)})


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize("n", [17, 100])
def test_out_of_bounds_is_a_compiler_bug(pure: bool, n: int):
    engine = LoopsEngine(parse_module(programs.DYNAMIC), pure=pure)
    with pytest.raises(OutOfBoundsError):
        engine({"x": f32(16, 16), "n": np.int64(n)})


@pytest.mark.parametrize("pure", [False, True])
def test_inputs_are_never_written(pure: bool):
    text = programs.loops(
        {"x": "in memref<8xf32>"},
        """
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %zero, %x[%i] : memref<8xf32>
  }
  func.return""",
    )
    x = f32(8)
    before = x.copy()
    with pytest.raises(InterpreterError):
        LoopsEngine(parse_module(text), pure=pure)({"x": x})
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("pure", [False, True])
def test_iterations_are_bounded(pure: bool):
    text = programs.loops(
        {"n": "in i64"},
        """
  %i0 = arith.constant 0 : i64
  %r = scf.while (%i = %i0) : (i64) -> i64 {
    %go = arith.cmpi slt, %i, %n : i64
    scf.condition(%go) %i : i64
  } do {
  ^bb0(%i: i64):
    %k = arith.constant 1 : i64
    %s = scf.for %j = %c0 to %c4 step %c1 iter_args(%a = %i) -> (i64) {
      %t = arith.addi %a, %k : i64
      scf.yield %t : i64
    }
    scf.yield %s : i64
  }
  func.return %r : i64""",
        "i64",
    )
    engine = LoopsEngine(parse_module(text), pure=pure, max_iterations=100)
    # 20 iterations of the outer loop and 80 of the inner one; the budget is for each run.
    for _ in range(2):
        assert engine({"n": np.int64(80)})["result0"] == 80
    with raises_error("limit-iterations", "100"):
        engine({"n": np.int64(81)})


def test_wrap_around():
    text = programs.loops(
        {"x": "in i32", "y": "in i8", "w": "in i64"},
        """
  %r:3 = scf.for %i = %c0 to %c32 step %c1 iter_args(%a = %x, %b = %y, %c = %w) -> (i32, i8, i64) {
    %p = arith.muli %a, %a : i32
    %q = arith.addi %p, %x : i32
    %s = arith.muli %b, %y : i8
    %t = arith.subi %s, %b : i8
    %u = arith.muli %c, %c : i64
    %v = arith.subi %u, %w : i64
    scf.yield %q, %t, %v : i32, i8, i64
  }
  func.return %r#0, %r#1, %r#2 : i32, i8, i64""",
        "i32, i8, i64",
    )
    run_both(text, {"x": np.int32(0x7FFF1234), "y": np.int8(-77), "w": np.int64(0x7ABCDEF012345678)})


def test_deep_nests_are_compiled_from_where_python_can_nest_them():
    depth = 30
    opening = "".join(
        f"%s{d} = scf.for %i{d} = %c0 to %c{1 if d % 10 else 2} step %c1 "
        f"iter_args(%a{d} = %s_{d}) -> (f32) {{\n"
        for d in range(depth)
    )
    for d in range(depth):
        opening = opening.replace(f"%s_{d})", "%zero)" if d == 0 else f"%a{d - 1})")
    closing = f"%t = arith.addf %a{depth - 1}, %one : f32\nscf.yield %t : f32\n}}\n"
    for d in reversed(range(1, depth)):
        closing += f"scf.yield %s{d} : f32\n}}\n"
    out = run_both(programs.loops({}, f"{opening}{closing}func.return %s0 : f32", "f32"), {})
    assert out["result0"] == 8


def test_speed():
    """A fraction of the work of one operation after the other."""
    module = parse_module(
        programs.MATMUL.replace("4x", "64x")
        .replace("to %c4", "to %c64")
        .replace("%c8 =", "%c64 = arith.constant 64 : index\n  %c8 =")
    )
    feed = {"x": f32(64, 32), "y": f32(32, 16)}
    fast, pure = LoopsEngine(module), LoopsEngine(module, pure=True)
    fast(feed)  # compiles
    assert count_calls(lambda: pure(feed)) > 50 * count_calls(lambda: fast(feed))
