"""`ov.loop` through STRUCTURED, against numpy: the rows of the table in docs/semantics.md, slices, outputs and carried values."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import assert_agree, raises_error
from tests.support_lowering import lower, run

RNG = np.random.default_rng(7)
ONE = "%one = ov.constant dense<1> : tensor<i64> : tensor<i64>\n"


def count(trip: str, cond: str = "", body: str = "", next_cond: str = "") -> str:
    """A loop that counts its iterations."""
    return f"""
func.func @main(%n: tensor<i64> {{loomir.name = "n"}}, %c: tensor<i1> {{loomir.name = "c"}})
    -> (tensor<i64> {{loomir.name = "out"}}) {{
  {ONE}
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop {trip} {cond} carried(%zero)
      : ({", ".join(filter(None, ["tensor<i64>" if trip else "", "tensor<i1>" if cond else "", "tensor<i64>"]))})
      -> (tensor<i64>) {{
  ^bb0(%i: tensor<i64>, %k: tensor<i64>):
    %next = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    {body}
    ov.next {next_cond} carried(%next : tensor<i64>)
  }}
  func.return %r : tensor<i64>
}}"""


LESS = "%more = ov.less %next, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>"


@pytest.mark.parametrize(
    ("text", "n", "c", "expected"),
    [
        (count("trip(%n)"), 5, True, 5),
        (count("trip(%n)"), 0, True, 0),
        (count("trip(%n)", "while(%c)"), 5, True, 5),
        (count("trip(%n)", "while(%c)"), 5, False, 0),
        (count("trip(%n)", "", LESS, "while(%more)"), 5, True, 3),
        (count("trip(%n)", "", LESS, "while(%more)"), 2, True, 2),
        (count("trip(%n)", "", LESS, "while(%more)"), -1, True, 3),  # negative: no limit
        (count("", "", LESS, "while(%more)"), 0, True, 3),
        (count("", "while(%c)", LESS, "while(%more)"), 0, False, 0),
        (count("trip(%n)", "while(%c)", LESS, "while(%more)"), 0, True, 0),
        (count("trip(%n)", "while(%c)", "", "while(%c)"), 4, True, 4),  # the condition is passed through
        (count("trip(%n)", "while(%c)", "", "while(%true)"), 4, False, 0),
        (count("trip(%three)", "while(%c)", "", "while(%true)"), 4, True, 3),
        (count("trip(%three)"), 4, True, 3),
    ],
)
def test_trips(text: str, n: int, c: bool, expected: int) -> None:
    assert run(text, {"n": n, "c": c})["out"] == expected


def test_a_counted_loop_is_scf_for_and_others_scf_while() -> None:
    def names(text: str) -> set[str]:
        return {op.name for op in lower(text).walk()}

    assert "scf.while" not in names(count("trip(%n)", "while(%c)", "", "while(%true)"))
    assert "scf.for" not in names(count("trip(%n)", "while(%c)", LESS, "while(%more)"))


def test_more_than_2_to_the_31_trips_do_not_wrap() -> None:
    text = count("trip(%n)", "", LESS, "while(%more)")
    assert run(text, {"n": (1 << 40) + 1, "c": True})["out"] == 3


def test_back_edges_are_simultaneous() -> None:
    text = """
func.func @main(%n: tensor<i64> {loomir.name = "n"}, %a: tensor<2xf32> {loomir.name = "a"},
                %b: tensor<2xf32> {loomir.name = "b"})
    -> (tensor<2xf32> {loomir.name = "x"}, tensor<2xf32> {loomir.name = "y"}, tensor<i64> {loomir.name = "fib"}) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %x, %y, %f, %g = ov.loop trip(%n) carried(%a, %b, %one, %one)
      : (tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<i64>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>, %f0: tensor<i64>, %f1: tensor<i64>):
    %f2 = ov.add %f0, %f1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%q, %p, %f1, %f2 : tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<i64>)
  }
  func.return %x, %y, %f : tensor<2xf32>, tensor<2xf32>, tensor<i64>
}"""
    a, b = np.float32([1, 2]), np.float32([3, 4])
    for n, fibonacci in ((0, 1), (1, 1), (5, 8)):
        out = run(text, {"n": n, "a": a, "b": b})
        assert_agree(out["x"], b if n % 2 else a)
        assert_agree(out["y"], a if n % 2 else b)
        assert out["fib"] == fibonacci


def scan(cut: str, join: str, extent: int, out: str, *, part: str = "1x3", dims: str = "") -> str:
    """Every part plus itself, concatenated."""
    return f"""
func.func @main(%x: tensor<{dims or f"{extent}x3"}xf32> {{loomir.name = "x"}}) -> (tensor<{out}xf32> {{loomir.name = "y"}}) {{
  %y = ov.loop sliced(%x) {{slices = [#ov.slice<{cut}>], concats = [#ov.slice<{join}>]}}
      : (tensor<{dims or f"{extent}x3"}xf32>) -> (tensor<{out}xf32>) {{
  ^bb0(%i: tensor<i64>, %p: tensor<{part}xf32>):
    %s = ov.add %p, %p : (tensor<{part}xf32>, tensor<{part}xf32>) -> tensor<{part}xf32>
    ov.next concat(%s : tensor<{part}xf32>)
  }}
  func.return %y : tensor<{out}xf32>
}}"""


BACKWARDS = "start = -1, end = 0, stride = -1"


@pytest.mark.parametrize(
    ("cut", "join", "out", "part", "expected"),
    [
        ("axis = 0", "axis = 0", "6x4", "1x4", lambda x: x),
        (f"axis = 0, {BACKWARDS}", "axis = 0", "6x4", "1x4", lambda x: x[::-1]),
        ("axis = 0", f"axis = 0, {BACKWARDS}", "6x4", "1x4", lambda x: x[::-1]),
        ("axis = -1", "axis = 1", "6x4", "6x1", lambda x: x),
        (f"axis = 1, {BACKWARDS}", "axis = -1", "6x4", "6x1", lambda x: x[:, ::-1]),
        (
            "axis = 0, stride = 2, part_size = 2",
            "axis = 0, stride = 2, part_size = 2",
            "6x4",
            "2x4",
            lambda x: x,
        ),
        ("axis = 0, start = 1, end = 4", "axis = 0", "3x4", "1x4", lambda x: x[1:4]),
        ("axis = 0, start = 2, end = -1", "axis = 0", "4x4", "1x4", lambda x: x[2:]),
        ("axis = 0, start = 0, end = -2", "axis = 0", "5x4", "1x4", lambda x: x[:5]),
        (
            "axis = 0, start = -1, end = 0, stride = -3, part_size = 3",
            "axis = 0, part_size = 3, stride = 3",
            "6x4",
            "3x4",
            lambda x: np.concatenate([x[3:], x[:3]]),
        ),
        ("axis = 0", "axis = 1", "1x24", "1x4", lambda x: x.reshape(1, 24)),
    ],
)
def test_static_slices_and_concatenations(cut: str, join: str, out: str, part: str, expected) -> None:
    x = RNG.standard_normal((6, 4), dtype=np.float32)
    text = scan(cut, join, 6, out, part=part, dims="6x4")
    assert_agree(run(text, {"x": x})["y"], expected(x + x))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("cut_backwards", [False, True])
@pytest.mark.parametrize("join_backwards", [False, True])
@pytest.mark.parametrize("length", [0, 1, 5, 8])
def test_dynamic_length(axis: int, cut_backwards: bool, join_backwards: bool, length: int) -> None:
    shape, part = ("?x3", "1x3") if axis == 0 else ("3x?", "3x1")
    bounds = [8, 3] if axis == 0 else [3, 8]
    cut = f"axis = {axis}" + (f", {BACKWARDS}" if cut_backwards else "")
    join = f"axis = {axis}" + (f", {BACKWARDS}" if join_backwards else "")
    text = scan(cut, join, 0, shape, part=part, dims=shape)
    text = text.replace('loomir.name = "x"', f'loomir.name = "x", loomir.bounds = {bounds}')
    x = RNG.standard_normal((length, 3) if axis == 0 else (3, length), dtype=np.float32)
    expected = x + x
    if cut_backwards != join_backwards:
        expected = np.flip(expected, axis)
    assert_agree(run(text, {"x": x})["y"], expected)


def test_dynamic_other_axis() -> None:
    """The sliced axis is static, the rest of a part is not: all parts agree, and the accumulator is flat."""
    text = scan("axis = 0", "axis = 0", 0, "4x?", part="1x?", dims="4x?")
    text = text.replace('loomir.name = "x"', 'loomir.name = "x", loomir.bounds = [4, 5]')
    for n in (0, 2, 5):
        x = RNG.standard_normal((4, n), dtype=np.float32)
        assert_agree(run(text, {"x": x})["y"], x + x)


def test_a_range_that_does_not_fit_a_dynamic_axis() -> None:
    text = scan("axis = 0, start = 2, end = 4", "axis = 0", 0, "?x3", dims="?x3")
    text = text.replace('loomir.name = "x"', 'loomir.name = "x", loomir.bounds = [8, 3]')
    x = np.ones((4, 3), np.float32)
    assert_agree(run(text, {"x": x})["y"], np.full((2, 3), 2, np.float32))
    with raises_error("runtime-shape"):
        run(text, {"x": x[:3]})


def test_a_part_size_that_does_not_divide_a_dynamic_axis() -> None:
    text = scan("axis = 0, stride = 2, part_size = 2", "axis = 0", 0, "?x3", dims="?x3", part="2x3")
    text = text.replace('loomir.name = "x"', 'loomir.name = "x", loomir.bounds = [8, 3]')
    x = np.ones((4, 3), np.float32)
    assert_agree(run(text, {"x": x})["y"], x + x)
    with raises_error("runtime-shape"):
        run(text, {"x": x[:3]})


def early(result: str, limit: int, join: str = "axis = 0", part: str = "1x2", *, trip: str = "") -> str:
    """Parts [k, k + 1] until k reaches `limit`."""
    return f"""
func.func @main(%n: tensor<i64> {{loomir.name = "n"}}, %x: tensor<{part}xi64> {{loomir.name = "x"}})
    -> (tensor<{result}xi64> {{loomir.name = "y"}}, tensor<i64> {{loomir.name = "k"}},
        tensor<{part}xi64> {{loomir.name = "last"}}) {{
  {ONE}
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %limit = ov.constant dense<{limit}> : tensor<i64> : tensor<i64>
  %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k, %last, %y = ov.loop {"trip(%limit)" if trip else ""} while(%go) carried(%zero) {{concats = [#ov.slice<{join}>]}}
      : ({"tensor<i64>, " if trip else ""}tensor<i1>, tensor<i64>) -> (tensor<i64>, tensor<{part}xi64>, tensor<{result}xi64>) {{
  ^bb0(%i: tensor<i64>, %k0: tensor<i64>):
    %k1 = ov.add %k0, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %p = ov.add %x, %i : (tensor<{part}xi64>, tensor<i64>) -> tensor<{part}xi64>
    %more = ov.less %k1, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%more) carried(%k1 : tensor<i64>) last(%p : tensor<{part}xi64>) concat(%p : tensor<{part}xi64>)
  }}
  func.return %y, %k, %last : tensor<{result}xi64>, tensor<i64>, tensor<{part}xi64>
}}"""


@pytest.mark.parametrize("n", [0, 1, 3, 6, 9])
@pytest.mark.parametrize("join", ["axis = 0", f"axis = 0, {BACKWARDS}", "axis = 1", f"axis = 1, {BACKWARDS}"])
def test_early_exit_concatenates_as_many_parts_as_iterations_ran(n: int, join: str) -> None:
    axis = int(join[7])
    text = early("?x2" if axis == 0 else "1x?", 6, join, trip="yes")
    x = np.int64([[10, 20]])
    out = run(text, {"n": n, "x": x})
    trips = min(n, 6)
    parts = [x + i for i in range(trips)]
    if "stride" in join:
        parts.reverse()
    empty = np.zeros((0, 2) if axis == 0 else (1, 0), np.int64)
    assert_agree(out["y"], np.concatenate([empty, *parts], axis))
    assert out["k"] == trips
    assert_agree(out["last"], x + trips - 1 if trips else np.zeros_like(x))


def test_a_loop_without_a_bound_needs_a_capacity() -> None:
    text = early("?x2", 6)
    with raises_error("unbounded-trips", "ov.loop"):
        lower(text)
    x = np.int64([[10, 20]])
    assert_agree(run(text, {"n": 4, "x": x}, capacity=4)["y"], np.concatenate([x + i for i in range(4)]))
    with raises_error("runtime-capacity"):
        run(text, {"n": 5, "x": x}, capacity=4)


def trip_and_slices(next_cond: str) -> str:
    return f"""
func.func @main(%n: tensor<i64> {{loomir.name = "n"}}, %x: tensor<4xi64> {{loomir.name = "x"}})
    -> (tensor<1xi64> {{loomir.name = "y"}}) {{
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %ten = ov.constant dense<10> : tensor<i64> : tensor<i64>
  %y = ov.loop trip(%n) carried(%zero) sliced(%x) {{slices = [#ov.slice<axis = 0>]}}
      : (tensor<i64>, tensor<1xi64>, tensor<4xi64>) -> (tensor<1xi64>) {{
  ^bb0(%i: tensor<i64>, %acc: tensor<1xi64>, %p: tensor<1xi64>):
    %s = ov.add %acc, %p : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %more = ov.less %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next {next_cond} carried(%s : tensor<1xi64>)
  }}
  func.return %y : tensor<1xi64>
}}"""


@pytest.mark.parametrize("next_cond", ["", "while(%more)"])
def test_a_trip_count_beyond_the_slices(next_cond: str) -> None:
    text = trip_and_slices(next_cond)
    x = np.int64([1, 2, 3, 4])
    assert_agree(run(text, {"n": 3, "x": x})["y"], np.int64([6]))
    assert_agree(run(text, {"n": 4, "x": x})["y"], np.int64([10]))
    assert_agree(run(text, {"n": -1, "x": x})["y"], np.int64([10]))
    with raises_error("runtime-shape"):
        run(text, {"n": 5, "x": x})


def growing(initial: str, trips: int, axis: int) -> str:
    inner = "3" if axis == 0 else "2"
    shape = "?x3" if axis == 0 else "2x?"
    start = f"{initial}x3" if axis == 0 else f"2x{initial}"
    row = "1x3" if axis == 0 else "2x1"
    del inner
    return f"""
func.func @main(%x: tensor<{start}xf32> {{loomir.name = "x"}}, %row: tensor<{row}xf32> {{loomir.name = "row"}})
    -> (tensor<{shape}xf32> {{loomir.name = "y"}}) {{
  %n = ov.constant dense<{trips}> : tensor<i64> : tensor<i64>
  %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<{start}xf32>) -> (tensor<{shape}xf32>) {{
  ^bb0(%i: tensor<i64>, %c: tensor<{shape}xf32>):
    %next = ov.concat %c, %row {{axis = {axis} : i64}} : (tensor<{shape}xf32>, tensor<{row}xf32>) -> tensor<{shape}xf32>
    ov.next carried(%next : tensor<{shape}xf32>)
  }}
  func.return %y : tensor<{shape}xf32>
}}"""


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("trips", [1, 4])
def test_growing_carried_value(axis: int, trips: int) -> None:
    x = RNG.standard_normal((2, 3) if axis == 0 else (2, 2), dtype=np.float32)
    row = RNG.standard_normal((1, 3) if axis == 0 else (2, 1), dtype=np.float32)
    out = run(growing("2", trips, axis), {"x": x, "row": row})["y"]
    assert_agree(out, np.concatenate([x, *[row] * trips], axis))


def test_nested_loops_with_captures_and_both_results() -> None:
    """The inner loop uses the outer's iteration number, carried value and slice, and an input; both its results go out."""
    text = """
func.func @main(%x: tensor<3x4xf32> {loomir.name = "x"}, %k: tensor<4xf32> {loomir.name = "k"})
    -> (tensor<1x4xf32> {loomir.name = "sum"}, tensor<6x4xf32> {loomir.name = "all"}, tensor<3x4xf32> {loomir.name = "rows"}) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0.0> : tensor<1x4xf32> : tensor<1x4xf32>
  %sum, %all, %rows = ov.loop carried(%zero) sliced(%x)
      {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0, stride = 2, part_size = 2>, #ov.slice<axis = 0>]}
      : (tensor<1x4xf32>, tensor<3x4xf32>) -> (tensor<1x4xf32>, tensor<6x4xf32>, tensor<3x4xf32>) {
  ^bb0(%i: tensor<i64>, %acc: tensor<1x4xf32>, %part: tensor<1x4xf32>):
    %in, %both = ov.loop trip(%two) carried(%acc) {concats = [#ov.slice<axis = 0>]}
        : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<2x4xf32>) {
    ^bb1(%j: tensor<i64>, %a: tensor<1x4xf32>):
      %s = ov.add %a, %part : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      %t = ov.add %s, %k : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
      ov.next carried(%t : tensor<1x4xf32>) concat(%acc : tensor<1x4xf32>)
    }
    ov.next carried(%in : tensor<1x4xf32>) concat(%both, %in : tensor<2x4xf32>, tensor<1x4xf32>)
  }
  func.return %sum, %all, %rows : tensor<1x4xf32>, tensor<6x4xf32>, tensor<3x4xf32>
}"""
    x = RNG.standard_normal((3, 4), dtype=np.float32)
    k = RNG.standard_normal(4, dtype=np.float32)
    acc, both, rows = np.zeros((1, 4), np.float32), [], []
    for row in x:
        both += [acc, acc]
        acc = acc + 2 * (row + k)
        rows.append(acc)
    out = run(text, {"x": x, "k": k})
    assert_agree(out["sum"], acc)
    assert_agree(out["all"], np.concatenate(both))
    assert_agree(out["rows"], np.concatenate(rows))


def test_unsigned_carried_value_and_parts() -> None:
    text = """
func.func @main(%x: tensor<4xui8> {loomir.name = "x"}, %s: tensor<ui8> {loomir.name = "s"})
    -> (tensor<1xui8> {loomir.name = "sum"}, tensor<ui8> {loomir.name = "t"}, tensor<4xui8> {loomir.name = "all"}) {
  %zero = ov.constant dense<250> : tensor<1xui8> : tensor<1xui8>
  %sum, %t, %all = ov.loop carried(%zero, %s) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (tensor<1xui8>, tensor<ui8>, tensor<4xui8>) -> (tensor<1xui8>, tensor<ui8>, tensor<4xui8>) {
  ^bb0(%i: tensor<i64>, %a: tensor<1xui8>, %b: tensor<ui8>, %p: tensor<1xui8>):
    %n = ov.add %a, %p : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
    %m = ov.add %b, %b : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
    ov.next carried(%n, %m : tensor<1xui8>, tensor<ui8>) concat(%n : tensor<1xui8>)
  }
  func.return %sum, %t, %all : tensor<1xui8>, tensor<ui8>, tensor<4xui8>
}"""
    x = np.uint8([1, 2, 3, 200])
    out = run(text, {"x": x, "s": np.uint8(9)})
    sums = (250 + np.cumsum(x.astype(np.int64))).astype(np.uint8)
    assert_agree(out["sum"], sums[-1:])
    assert_agree(out["all"], sums)
    assert out["t"].dtype == np.uint8
    assert out["t"] == (9 << 4) % 256


def test_parts_that_differ_between_iterations_are_an_error() -> None:
    text = """
func.func @main(%x: tensor<1x2xf32> {loomir.name = "x"}, %n: tensor<i64> {loomir.name = "n"})
    -> (tensor<?x?xf32> {loomir.name = "y"}) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %c, %y = ov.loop trip(%two) carried(%x) {concats = [#ov.slice<axis = 0>]}
      : (tensor<i64>, tensor<1x2xf32>) -> (tensor<1x?xf32>, tensor<?x?xf32>) {
  ^bb0(%i: tensor<i64>, %c0: tensor<1x?xf32>):
    %longer = ov.concat %c0, %x {axis = 1 : i64} : (tensor<1x?xf32>, tensor<1x2xf32>) -> tensor<1x?xf32>
    %grow = ov.less %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next = ov.if %grow -> (tensor<1x?xf32>) {
      ov.yield %longer : tensor<1x?xf32>
    } else {
      ov.yield %c0 : tensor<1x?xf32>
    }
    ov.next carried(%next : tensor<1x?xf32>) concat(%next : tensor<1x?xf32>)
  }
  func.return %y : tensor<?x?xf32>
}"""
    x = np.float32([[1, 2]])
    assert_agree(run(text, {"x": x, "n": 1})["y"], np.float32([[1, 2], [1, 2]]))
    with raises_error("runtime-shape"):
        run(text, {"x": x, "n": 0})
