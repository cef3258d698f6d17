"""Loops with conditions run as often as before, whatever the counter, the relation, the types and where it begins."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.pipeline import run_passes
from tests.unit.passes.graph.counted_loops import assert_same, conditions, loops_of, optimised, program

RELATIONS = ("less", "less_equal", "greater", "greater_equal", "not_equal", "equal")


def counter(
    relation: str, step: int, element: str, *, entered: str = "none", trip: bool = True, swapped: bool = False
) -> ModuleOp:
    """A loop that counts its iterations and hands on a counter from `begin`, which its condition compares with `end`.

    Before the loop stands no condition (`none`), the same one (`same`), or another (`data`).
    """
    tensor = f"tensor<{element}>"
    after, before = ("%end, %k1", "%end, %begin") if swapped else ("%k1, %end", "%begin, %end")
    compared = f"({tensor}, {tensor}) -> tensor<i1>"
    entry = f"%go = ov.{relation} {before} : {compared}" if entered == "same" else ""
    cond = {"none": "", "same": "while(%go)", "data": "while(%c)"}[entered]
    operands = ", ".join(["tensor<i64>"] * trip + ["tensor<i1>"] * bool(cond) + [tensor, "tensor<i64>"])
    return program(f"""
func.func @main(%begin: {tensor}, %end: {tensor}, %trips: tensor<i64>, %c: tensor<i1>) -> ({tensor}, tensor<i64>) {{
  %none = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %step = ov.constant dense<{step}> : {tensor} : {tensor}
  {entry}
  %k_end, %n_end = ov.loop {"trip(%trips)" if trip else ""} {cond} carried(%begin, %none) : ({operands}) -> ({tensor}, tensor<i64>) {{
  ^bb0(%i: tensor<i64>, %k: {tensor}, %n: tensor<i64>):
    %k1 = ov.add %k, %step : ({tensor}, {tensor}) -> {tensor}
    %n1 = ov.add %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.{relation} {after} : {compared}
    ov.next while(%again) carried(%k1, %n1 : {tensor}, tensor<i64>)
  }}
  func.return %k_end, %n_end : {tensor}, tensor<i64>
}}""")


def feeds_of(element: str) -> list[dict[str, int]]:
    greatest = 2**63 - 1 if element == "i64" else 2**31 - 1
    points = (-greatest - 1, -3, 0, 4, greatest - 2, greatest)
    return [
        {"begin": begin, "end": end, "trips": trips, "c": c}
        for begin, end in product(points, points)
        for trips, c in ((7, 1), (0, 1), (7, 0))
    ]


@pytest.mark.parametrize("element", ["i64", "i32"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_counters(relation: str, element: str) -> None:
    """Every relation, rising and falling, from either side, entered on the same condition, another, or none."""
    counted = 0
    cases = product((1, -1, 3), ("none", "same", "data"), (False, True))
    for number, (step, entered, swapped) in enumerate(cases):
        module = counter(relation, step, element, entered=entered, swapped=swapped)
        other = optimised(module)
        counted += not conditions(other)
        assert_same(module, other, feeds_of(element)[number % 7 :: 7])
    # Of 32 bits, how far it is to an end that may be behind is not known.
    assert bool(counted) == ((relation, element) != ("not_equal", "i32"))


def test_a_negative_trip_count_is_none() -> None:
    for relation, entered in product(("less", "less_equal"), ("none", "same")):
        module = counter(relation, 2, "i64", entered=entered)
        other = optimised(module)
        assert not conditions(other)
        feeds = [{"begin": b, "end": e, "trips": -1, "c": 1} for b in (-3, 0, 7) for e in (-9, 0, 8)]
        assert_same(module, other, feeds)


def test_loops_without_a_trip_count() -> None:
    module = counter("less", 1, "i64", entered="same", trip=False)
    other = optimised(module)
    (loop,) = loops_of(other)
    assert loop.trip is not None
    assert loop.cond is None
    assert loop.next.cond is None
    feeds = [{"begin": b, "end": e, "trips": 0, "c": 1} for b in (-3, 0, 7) for e in (-9, 0, 8)]
    assert_same(module, other, feeds)


def test_conditions_of_one_element() -> None:
    """Exporters of ONNX make counters and conditions of one element each."""
    module = program("""
func.func @main(%begin: tensor<1xi64>, %end: tensor<1xi64>) -> tensor<1xi64> {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %k_end = ov.loop carried(%begin) : (tensor<1xi64>) -> tensor<1xi64> {
  ^bb0(%i: tensor<i64>, %k: tensor<1xi64>):
    %k1 = ov.add %k, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %done = ov.greater_equal %k1, %end : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %open = ov.logical_not %done : (tensor<1xi1>) -> tensor<1xi1>
    %again = ov.squeeze %open, %axis : (tensor<1xi1>, tensor<1xi64>) -> tensor<i1>
    ov.next while(%again) carried(%k1 : tensor<1xi64>)
  }
  func.return %k_end : tensor<1xi64>
}""")
    other = optimised(module)
    assert not conditions(other)
    feeds = [{"begin": np.array([b]), "end": np.array([e])} for b in (-3, 0, 7) for e in (-9, 0, 8)]
    assert_same(module, other, feeds)


def test_a_data_condition_stays() -> None:
    """Of a conjunction the counter gives the trip count, and what is left is the condition; the other way round too."""
    for first, second in (("%within", "%small"), ("%small", "%within")):
        module = program(f"""
func.func @main(%n: tensor<i64>, %most: tensor<f32>) -> tensor<f32> {{
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %x_end = ov.loop carried(%half) : (tensor<f32>) -> tensor<f32> {{
  ^bb0(%i: tensor<i64>, %x: tensor<f32>):
    %y = ov.add %x, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %within = ov.less %done, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %small = ov.less %y, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %again = ov.logical_and {first}, {second} : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%y : tensor<f32>)
  }}
  func.return %x_end : tensor<f32>
}}""")
        other = optimised(module)
        (loop,) = loops_of(other)
        assert loop.trip is not None
        assert conditions(other) == 1
        assert_same(module, other, [{"n": n, "most": m} for n in (-1, 0, 1, 5) for m in (0, 2, 9)])


def test_nothing_is_computed_for_ever() -> None:
    """A condition of constants that never ends the loop, or not within the budget, stays; so do those of a great many loops."""
    body = """
  %{n} = ov.loop carried(%one) : (tensor<i64>) -> tensor<i64> {{
  ^bb0(%i: tensor<i64>, %k: tensor<i64>):
    %other = ov.subtract %seven, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.not_equal %other, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%other : tensor<i64>)
  }}"""
    loops = "".join(body.format(n=f"r{n}") for n in range(30))
    module = program(f"""
func.func @main() -> ({", ".join(["tensor<i64>"] * 30)}) {{
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  {loops}
  func.return {", ".join(f"%r{n}" for n in range(30))} : {", ".join(["tensor<i64>"] * 30)}
}}""")
    run_passes(module, ["ov-uplift-while-to-for"])
    assert conditions(module) == 30
