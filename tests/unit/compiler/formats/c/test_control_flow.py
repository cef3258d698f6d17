"""Loops, branches and buffers in C: what they compute, under sanitizers, and how they read."""

from __future__ import annotations

import numpy as np
import pytest

from loomir.compiler.formats.c.emit import emit_c
from loomir.compiler.formats.mlir.parser import parse_module
from tests.support import assert_agree, raises_error
from tests.support_c import CStatus, run_sanitized
from tests.support_tools import sanitizing_compilers

CONSTANTS = "\n".join(f"%c{n} = arith.constant {n} : index" for n in range(9))


def program(arguments: str, body: str, results: str = "") -> str:
    return f"""
        builtin.module attributes {{loomir.name = "m"}} {{
          func.func @main({arguments}){f" -> ({results})" if results else ""} {{
            {CONSTANTS}
            {body}
          }}
        }}"""


def named(name: str, t: str, role: str = "input") -> str:
    return f'%{name}: {t} {{loomir.name = "{name}", loomir.role = "{role}"}}'


ARENA = '%arena: memref<128xi8> {loomir.role = "arena", loomir.align = 16 : i64}'


def test_matrix_product_has_one_accumulator() -> None:
    module = parse_module(program(
        ", ".join((
            named("a", "memref<4x3xf32>"),
            named("b", "memref<3x5xf32>"),
            named("y", "memref<4x5xf32>", "output"),
        )),
        """
        %zero = arith.constant 0.0 : f32
        scf.for %i = %c0 to %c4 step %c1 {
          scf.for %j = %c0 to %c5 step %c1 {
            %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (f32) {
              %x = memref.load %a[%i, %k] : memref<4x3xf32>
              %w = memref.load %b[%k, %j] : memref<3x5xf32>
              %p = arith.mulf %x, %w : f32
              %s = arith.addf %acc, %p : f32
              scf.yield %s : f32
            }
            memref.store %sum, %y[%i, %j] : memref<4x5xf32>
          }
        }
        func.return
        """,
    ))  # fmt: skip
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(4, 3)).astype(np.float32), rng.normal(size=(3, 5)).astype(np.float32)
    assert_agree(run_sanitized(module, {"a": a, "b": b})["y"], a @ b)
    assert "acc = acc + a[i * 3 + k] * b[k * 5 + j];" in emit_c(module, "m").source


def test_nested_reduction_keeps_one_variable() -> None:
    """The accumulator of the outer loop is that of the inner one: no copies at the loops' borders."""
    module = parse_module(program(
        ", ".join((named("a", "memref<4x3xf32>"), named("y", "memref<1xf32>", "output"))),
        """
        %zero = arith.constant 0.0 : f32
        %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (f32) {
          %s = scf.for %k = %c0 to %c3 step %c1 iter_args(%inner = %acc) -> (f32) {
            %x = memref.load %a[%i, %k] : memref<4x3xf32>
            %t = arith.addf %inner, %x : f32
            scf.yield %t : f32
          }
          scf.yield %s : f32
        }
        memref.store %r, %y[%c0] : memref<1xf32>
        func.return
        """,
    ))  # fmt: skip
    a = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert_agree(run_sanitized(module, {"a": a})["y"], a.sum(keepdims=True).reshape(1))
    source = emit_c(module, "m").source
    assert source.count("float acc") == 1
    assert "inner" not in source


def test_a_reused_initial_value_is_not_overwritten() -> None:
    """The middle loop needs the outer value again in each iteration: the inner loop must not take it over."""
    module = parse_module(program(
        ", ".join((named("x", "i32"),)),
        """
        %one = arith.constant 1 : i32
        %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (i32) {
          %m = scf.for %j = %c0 to %c2 step %c1 iter_args(%b = %one) -> (i32) {
            %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%c = %a) -> (i32) {
              %t = arith.addi %c, %b : i32
              scf.yield %t : i32
            }
            scf.yield %s : i32
          }
          scf.yield %m : i32
        }
        func.return %r : i32
        """,
        'i32 {loomir.name = "r"}',
    ))  # fmt: skip
    a = 7
    for _ in range(3):
        b = 1
        for _ in range(2):
            b = a + 4 * b
        a = b
    assert run_sanitized(module, {"x": np.int32(7)})["r"] == a


@pytest.mark.parametrize("trips", [0, 1, 5])
def test_back_edges_are_simultaneous(trips: int) -> None:
    """Rotation of three scalars, a swap, and a value that reads another's old one."""
    module = parse_module(program(
        ", ".join(named(w, "i64") for w in "abc"),
        f"""
        %n = arith.constant {trips} : index
        %p, %q, %r, %s = scf.for %i = %c0 to %n step %c1
            iter_args(%x = %a, %y = %b, %z = %c, %sum = %a) -> (i64, i64, i64, i64) {{
          %t = arith.addi %sum, %x : i64
          scf.yield %y, %z, %x, %t : i64, i64, i64, i64
        }}
        func.return %p, %q, %r, %s : i64, i64, i64, i64
        """,
        ", ".join(f'i64 {{loomir.name = "{w}"}}' for w in "pqrs"),
    ))  # fmt: skip
    x, y, z = 10, 200, 3000
    s = x
    feed = {"a": np.int64(x), "b": np.int64(y), "c": np.int64(z)}
    for _ in range(trips):
        x, y, z, s = y, z, x, s + x
    result = run_sanitized(module, feed)
    assert [int(result[w]) for w in "pqrs"] == [x, y, z, s]


def test_rotating_buffers() -> None:
    """Fibonacci on two buffers that swap roles: pointers move, no data does."""
    module = parse_module(program(
        ", ".join((named("n", "i64"), named("y", "memref<4xi64>", "output"), ARENA)),
        """
        %c32 = arith.constant 32 : index
        %one = arith.constant 1 : i64
        %b0 = memref.view %arena[%c0][] : memref<128xi8> to memref<4xi64>
        %b1 = memref.view %arena[%c32][] : memref<128xi8> to memref<4xi64>
        scf.for %k = %c0 to %c4 step %c1 {
          memref.store %one, %b0[%k] : memref<4xi64>
          memref.store %one, %b1[%k] : memref<4xi64>
        }
        %m = arith.index_cast %n : i64 to index
        %f0, %f1 = scf.for %i = %c0 to %m step %c1
          iter_args(%old = %b0, %new = %b1) -> (memref<4xi64>, memref<4xi64>) {
          scf.for %k = %c0 to %c4 step %c1 {
            %u = memref.load %old[%k] : memref<4xi64>
            %v = memref.load %new[%k] : memref<4xi64>
            %w = arith.addi %u, %v : i64
            memref.store %w, %old[%k] : memref<4xi64>
          }
          scf.yield %new, %old : memref<4xi64>, memref<4xi64>
        }
        "memref.copy"(%f1, %y) : (memref<4xi64>, memref<4xi64>) -> ()
        func.return
        """,
    ))  # fmt: skip
    assert run_sanitized(module, {"n": np.int64(9)})["y"].tolist() == [89] * 4
    source = emit_c(module, "m").source
    assert source.count("memcpy(y, ") == 1
    assert "*const next = new_;" in source  # `new` is a word of C++


def test_while_with_early_exit() -> None:
    """Collatz: the normal form, with a counter, a flag and a value."""
    module = parse_module(program(
        ", ".join((named("x", "i64"), named("limit", "i64"))),
        """
        %one = arith.constant 1 : i64
        %two = arith.constant 2 : i64
        %three = arith.constant 3 : i64
        %zero = arith.constant 0 : i64
        %true = arith.constant true
        %steps, %go, %last = scf.while (%i = %zero, %c = %true, %v = %x) : (i64, i1, i64) -> (i64, i1, i64) {
          %more = arith.cmpi slt, %i, %limit : i64
          %both = arith.andi %more, %c : i1
          scf.condition(%both) %i, %c, %v : i64, i1, i64
        } do {
        ^bb0(%i: i64, %c: i1, %v: i64):
          %j = arith.addi %i, %one : i64
          %odd = arith.remsi %v, %two : i64
          %even = arith.cmpi eq, %odd, %zero : i64
          %w = scf.if %even -> (i64) {
            %h = arith.divsi %v, %two : i64
            scf.yield %h : i64
          } else {
            %t = arith.muli %v, %three : i64
            %u = arith.addi %t, %one : i64
            scf.yield %u : i64
          }
          %d = arith.cmpi ne, %w, %one : i64
          scf.yield %j, %d, %w : i64, i1, i64
        }
        func.return %steps, %last : i64, i64
        """,
        'i64 {loomir.name = "steps"}, i64 {loomir.name = "last"}',
    ))  # fmt: skip
    feed = {"x": np.int64(27), "limit": np.int64(1000)}
    assert {k: int(v) for k, v in run_sanitized(module, feed).items()} == {"steps": 111, "last": 1}
    feed["limit"] = np.int64(5)
    assert int(run_sanitized(module, feed)["steps"]) == 5
    assert "while (i < limit && c) {" in emit_c(module, "m").source


def test_while_that_computes_before_its_condition() -> None:
    """Newton's square root: the before-region has statements, and forwards what is not its argument."""
    module = parse_module(program(
        ", ".join((named("a", "memref<1xf64>"), named("tmp", "memref<1xf64>", "output"))),
        """
        %half = arith.constant 0.5 : f64
        %eps = arith.constant 1.0e-12 : f64
        %x0 = memref.load %a[%c0] : memref<1xf64>
        %r = scf.while (%x = %x0) : (f64) -> (f64) {
          %v = memref.load %a[%c0] : memref<1xf64>
          %q = arith.divf %v, %x : f64
          %s = arith.addf %q, %x : f64
          %n = arith.mulf %s, %half : f64
          memref.store %n, %tmp[%c0] : memref<1xf64>
          %d = arith.subf %n, %x : f64
          %m = math.absf %d : f64
          %go = arith.cmpf ogt, %m, %eps : f64
          scf.condition(%go) %n : f64
        } do {
        ^bb0(%y: f64):
          scf.yield %y : f64
        }
        func.return %r : f64
        """,
        'f64 {loomir.name = "r"}',
    ))  # fmt: skip
    out = run_sanitized(module, {"a": np.array([2.0])})
    assert_agree(out["r"], np.array(2.0**0.5))
    assert_agree(out["tmp"], np.array([2.0**0.5]))


def test_loads_keep_their_place() -> None:
    """A load is not printed behind a store that may change what it reads."""
    module = parse_module(program(
        ", ".join((named("y", "memref<3xf32>", "output"), named("x", "memref<3xf32>"))),
        """
        "memref.copy"(%x, %y) : (memref<3xf32>, memref<3xf32>) -> ()
        %a = memref.load %y[%c0] : memref<3xf32>
        %b = memref.load %y[%c1] : memref<3xf32>
        memref.store %b, %y[%c0] : memref<3xf32>
        memref.store %a, %y[%c1] : memref<3xf32>
        %old = memref.load %y[%c2] : memref<3xf32>
        scf.for %i = %c0 to %c3 step %c1 {
          %v = memref.load %y[%i] : memref<3xf32>
          %w = arith.addf %v, %v : f32
          memref.store %w, %y[%i] : memref<3xf32>
        }
        %now = memref.load %y[%c0] : memref<3xf32>
        %sum = arith.addf %old, %now : f32
        memref.store %sum, %y[%c2] : memref<3xf32>
        func.return
        """,
    ))  # fmt: skip
    x = np.array([1, 2, 3], np.float32)
    assert run_sanitized(module, {"x": x})["y"].tolist() == [4, 2, 7]


def test_views() -> None:
    """Subviews with offsets and steps, a collapse, an expansion and a cast, written through and read from."""
    module = parse_module(program(
        ", ".join((
            named("x", "memref<6x8xf32>"),
            named("y", "memref<2x3x2xf32>", "output"),
            named("k", "i64"),
        )),
        """
        %n = arith.index_cast %k : i64 to index
        %sub = memref.subview %x[%n, 1] [3, 4] [2, 2]
          : memref<6x8xf32> to memref<3x4xf32, strided<[16, 2], offset: ?>>
        %in = memref.subview %sub[0, 1] [3, 2] [1, 2]
          : memref<3x4xf32, strided<[16, 2], offset: ?>> to memref<3x2xf32, strided<[16, 4], offset: ?>>
        %flat = memref.collapse_shape %y [[0, 1], [2]] : memref<2x3x2xf32> into memref<6x2xf32>
        %half = memref.subview %flat[3, 0] [3, 2] [1, 1]
          : memref<6x2xf32> to memref<3x2xf32, strided<[2, 1], offset: 6>>
        %e = memref.expand_shape %flat [[0, 1], [2]] output_shape [3, 2, 2]
          : memref<6x2xf32> into memref<3x2x2xf32>
        %cast = "memref.cast"(%half) : (memref<3x2xf32, strided<[2, 1], offset: 6>>)
          -> memref<3x2xf32, strided<[?, ?], offset: ?>>
        scf.for %i = %c0 to %c3 step %c1 {
          scf.for %j = %c0 to %c2 step %c1 {
            %v = memref.load %in[%i, %j] : memref<3x2xf32, strided<[16, 4], offset: ?>>
            memref.store %v, %cast[%i, %j] : memref<3x2xf32, strided<[?, ?], offset: ?>>
          }
        }
        scf.for %i = %c0 to %c3 step %c1 {
          %v = memref.load %x[%i, %c0] : memref<6x8xf32>
          %h = arith.divsi %i, %c2 : index
          %r = arith.remsi %i, %c2 : index
          memref.store %v, %e[%h, %r, %c0] : memref<3x2x2xf32>
          memref.store %v, %e[%h, %r, %c1] : memref<3x2x2xf32>
        }
        func.return
        """,
    ))  # fmt: skip
    x = np.arange(48, dtype=np.float32).reshape(6, 8)
    expected = np.zeros((6, 2), np.float32)
    expected[3:] = x[1::2, 1::2][:, 1::2]
    expected[:3] = x[:3, :1]
    actual = run_sanitized(module, {"x": x, "k": np.int64(1)})["y"]
    np.testing.assert_array_equal(actual.reshape(6, 2), expected)


def test_dynamic_extents() -> None:
    """A dynamic input is doubled and its rows reversed; the output's extent leaves through a pointer."""
    module = parse_module(program(
        '%x: memref<24xf32> {loomir.name = "x", loomir.role = "input", loomir.type = tensor<?x3xf32>}, '
        '%n: index {loomir.dim = "x:0"}, '
        '%y: memref<24xf32> {loomir.name = "y", loomir.role = "output", loomir.type = tensor<?x3xf32>}',
        """
        %n3 = arith.muli %n, %c3 : index
        %xf = memref.subview %x[0] [%n3] [1] : memref<24xf32> to memref<?xf32, strided<[1]>>
        %xs = memref.expand_shape %xf [[0, 1]] output_shape [%n, 3]
          : memref<?xf32, strided<[1]>> into memref<?x3xf32, strided<[3, 1]>>
        %yf = memref.subview %y[0] [%n3] [1] : memref<24xf32> to memref<?xf32, strided<[1]>>
        %ys = memref.expand_shape %yf [[0, 1]] output_shape [%n, 3]
          : memref<?xf32, strided<[1]>> into memref<?x3xf32, strided<[3, 1]>>
        scf.for %i = %c0 to %n step %c1 {
          %m = arith.subi %n, %c1 : index
          %r = arith.subi %m, %i : index
          scf.for %j = %c0 to %c3 step %c1 {
            %v = memref.load %xs[%i, %j] : memref<?x3xf32, strided<[3, 1]>>
            %w = arith.addf %v, %v : f32
            memref.store %w, %ys[%r, %j] : memref<?x3xf32, strided<[3, 1]>>
          }
        }
        func.return %n : index
        """,
        'index {loomir.dim = "y:0"}',
    ))  # fmt: skip
    for rows in (0, 1, 5, 8):
        x = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
        np.testing.assert_array_equal(
            run_sanitized(module, {"x": x}, sanitizing_compilers()[:1])["y"], 2 * x[::-1]
        )
    with raises_error("input-shape", "≤8"):
        run_sanitized(module, {"x": np.zeros((9, 3), np.float32)})
    source = emit_c(module, "m").source
    assert "if (x_dim0 > 8) {" in source
    assert "*y_dim0 = (size_t)n;" in source


@pytest.mark.parametrize("kind", ["index", "capacity", "limit", "shape"])
def test_asserts(kind: str) -> None:
    module = parse_module(program(
        ", ".join((named("k", "i64"), named("x", "memref<4xf32>"), named("y", "memref<1xf32>", "output"))),
        f"""
        %four = arith.constant 4 : i64
        %zero = arith.constant 0 : i64
        scf.for %i = %c0 to %c2 step %c1 {{
          %low = arith.cmpi sge, %k, %zero : i64
          %high = arith.cmpi slt, %k, %four : i64
          %ok = arith.andi %low, %high : i1
          cf.assert %ok, "{kind}: k is out of range */ ??/"
          %n = arith.index_cast %k : i64 to index
          %v = memref.load %x[%n] : memref<4xf32>
          memref.store %v, %y[%c0] : memref<1xf32>
        }}
        func.return
        """,
    ))  # fmt: skip
    x = np.array([1, 2, 3, 4], np.float32)
    assert run_sanitized(module, {"k": np.int64(3), "x": x}, sanitizing_compilers()[:1])["y"].tolist() == [4]
    for bad in (-1, 4, 1 << 62):
        with pytest.raises(CStatus, match=f"ERROR_{kind.upper()}"):
            run_sanitized(module, {"k": np.int64(bad), "x": x}, sanitizing_compilers()[-1:])


def test_branches_choose_buffers() -> None:
    """A conditional update without a copy: the branches yield permutations of two buffers."""
    module = parse_module(program(
        ", ".join((
            named("c", "i1"),
            named("x", "memref<4xf32>"),
            named("y", "memref<4xf32>", "output"),
            ARENA,
        )),
        """
        %one = arith.constant 1.0 : f32
        %b0 = memref.view %arena[%c0][] : memref<128xi8> to memref<4xf32>
        %c16 = arith.constant 16 : index
        %b1 = memref.view %arena[%c16][] : memref<128xi8> to memref<4xf32>
        "memref.copy"(%x, %b0) : (memref<4xf32>, memref<4xf32>) -> ()
        %v, %spare = scf.if %c -> (memref<4xf32>, memref<4xf32>) {
          scf.for %i = %c0 to %c4 step %c1 {
            %u = memref.load %b0[%i] : memref<4xf32>
            %w = arith.addf %u, %one : f32
            memref.store %w, %b1[%i] : memref<4xf32>
          }
          scf.yield %b1, %b0 : memref<4xf32>, memref<4xf32>
        } else {
          scf.yield %b0, %b1 : memref<4xf32>, memref<4xf32>
        }
        %pick = arith.select %c, %v, %b0 : memref<4xf32>
        "memref.copy"(%pick, %y) : (memref<4xf32>, memref<4xf32>) -> ()
        func.return
        """,
    ))  # fmt: skip
    x = np.array([1, 2, 3, 4], np.float32)
    for c in (False, True):
        np.testing.assert_array_equal(run_sanitized(module, {"c": np.bool_(c), "x": x})["y"], x + c)


def test_only_the_chosen_branch_is_evaluated() -> None:
    """A branch that becomes `?:` still loads only where its condition holds."""
    module = parse_module(program(
        ", ".join((named("k", "i64"), named("x", "memref<4xf32>"), named("y", "memref<1xf32>", "output"))),
        """
        %four = arith.constant 4 : i64
        %zero = arith.constant 0.0 : f32
        %n = arith.index_cast %k : i64 to index
        %ok = arith.cmpi ult, %k, %four : i64
        %v = scf.if %ok -> (f32) {
          %u = memref.load %x[%n] : memref<4xf32>
          scf.yield %u : f32
        } else {
          scf.yield %zero : f32
        }
        memref.store %v, %y[%c0] : memref<1xf32>
        func.return
        """,
    ))  # fmt: skip
    x = np.array([1, 2, 3, 4], np.float32)
    for k, expected in ((0, 1), (3, 4), (4, 0), (-1, 0), (1 << 40, 0)):
        assert run_sanitized(module, {"k": np.int64(k), "x": x})["y"].tolist() == [expected]
    assert "? x[" in emit_c(module, "m").source


def test_steps_do_not_overflow() -> None:
    """A loop up to the greatest number of its type ends."""
    module = parse_module(program(
        ", ".join((named("a", "i64"), named("b", "i64"), named("s", "i64"))),
        """
        %zero = arith.constant 0 : i64
        %one = arith.constant 1 : i64
        %n = scf.for %i = %a to %b step %s iter_args(%k = %zero) -> (i64) : i64 {
          %m = arith.addi %k, %one : i64
          scf.yield %m : i64
        }
        func.return %n : i64
        """,
        'i64 {loomir.name = "n"}',
    ))  # fmt: skip
    top = (1 << 63) - 1
    for a, b, s in ((top - 10, top, 4), (-(1 << 63), top, top), (0, 10, 3), (5, 5, 1), (6, 5, 1)):
        feed = {w: np.int64(v) for w, v in zip("abs", (a, b, s))}
        assert int(run_sanitized(module, feed)["n"]) == len(range(a, b, s))


def test_dead_values_leave_no_trace() -> None:
    """Unused results, a carried value that only feeds itself, an unused input and a loop without effect."""
    module = parse_module(program(
        ", ".join((
            named("unused", "memref<4xf32>"),
            named("x", "f32"),
            named("y", "memref<1xf32>", "output"),
        )),
        """
        %one = arith.constant 1.0 : f32
        %r, %dead = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) {
          %s = arith.addf %a, %one : f32
          %t = arith.mulf %b, %b : f32
          scf.yield %s, %t : f32, f32
        }
        %lost = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (f32) {
          %t = arith.mulf %a, %a : f32
          scf.yield %t : f32
        }
        memref.store %r, %y[%c0] : memref<1xf32>
        func.return
        """,
    ))  # fmt: skip
    feed = {"unused": np.zeros(4, np.float32), "x": np.float32(0.5)}
    assert run_sanitized(module, feed)["y"].tolist() == [4.5]
    source = emit_c(module, "m").source
    assert "(void)unused;" in source
    assert source.count("for (") == 1
    assert " * " not in source.partition("m_run(")[2].replace("float *", "")


def test_a_comment_does_not_use_what_it_names() -> None:
    """An input of which only the extent is looked at: the comment behind that test names it, and gcc wants it used."""
    module = parse_module(program(
        '%x: memref<24xf32> {loomir.name = "x", loomir.role = "input", loomir.type = tensor<?x3xf32>}, '
        '%n: index {loomir.dim = "x:0"}, ' + named("y", "memref<1xf32>", "output"),
        """
        %one = arith.constant 1.0 : f32
        memref.store %one, %y[%c0] : memref<1xf32>
        func.return
        """,
    ))  # fmt: skip
    assert run_sanitized(module, {"x": np.zeros((2, 3), np.float32)})["y"].tolist() == [1]


def test_quantised_sums_are_plain_c() -> None:
    """Products of eight-bit numbers summed over a bounded nest cannot overflow, and no helper is called."""
    module = parse_module(program(
        ", ".join((named("x", "memref<4x8xi8>"), named("w", "memref<4x8xi8>"))),
        """
        %zero = arith.constant 0 : i32
        %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (i32) {
          %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%b = %a) -> (i32) {
            %u = memref.load %x[%i, %k] : memref<4x8xi8>
            %v = memref.load %w[%i, %k] : memref<4x8xi8>
            %ue = arith.extsi %u : i8 to i32
            %ve = arith.extsi %v : i8 to i32
            %p = arith.muli %ue, %ve : i32
            %t = arith.addi %b, %p : i32
            scf.yield %t : i32
          }
          scf.yield %s : i32
        }
        func.return %r : i32
        """,
        'i32 {loomir.name = "r"}',
    ))  # fmt: skip
    x = np.full((4, 8), -128, np.int8)
    assert int(run_sanitized(module, {"x": x, "w": x})["r"]) == 32 * 128 * 128
    assert "m_add" not in emit_c(module, "m").source


def test_unplanned_memory_is_refused() -> None:
    module = parse_module(program("", """
        %b = memref.alloc() : memref<4xf32>
        %z = arith.constant 0.0 : f32
        memref.store %z, %b[%c0] : memref<4xf32>
        func.return
        """))  # fmt: skip
    with raises_error("c-unplanned-memory", "plan-memory"):
        emit_c(module, "m")


def test_other_operations_are_refused() -> None:
    module = parse_module(program("", '"test.op"() : () -> ()\nfunc.return'))
    with raises_error("c-unsupported-op", "test.op"):
        emit_c(module, "m")


def test_one_main() -> None:
    with raises_error("c-no-main", "other"):
        emit_c(parse_module("func.func @other() { func.return }"), "m")
