"""Facts that hold in a branch.

Every pair of comparisons is checked against all values that their operands may have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np
import pytest

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.interface import main_function
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.passes.analysis.inference import infer
from loomir.passes.analysis.inference.loops import trip_bounds

COMPARISONS: dict[str, Callable[..., object]] = {
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "equal": np.equal,
    "not_equal": np.not_equal,
}


def known_inside(lines: Sequence[str], *, element: str, taken: bool) -> bool | None:
    """Return the value that inference knows of %d, or None.

    %d is in the branch where %c is true, or false; inputs are %k and %m, and constants %0 to %3.
    """
    inner = f"""%s = ov.if %d -> (tensor<{element}>) {{
        ov.yield %k : tensor<{element}>
      }} else {{
        ov.yield %m : tensor<{element}>
      }}
      ov.yield %s : tensor<{element}>"""
    other = f"ov.yield %k : tensor<{element}>"
    then, otherwise = (inner, other) if taken else (other, inner)
    number = "{}.0" if element == "f32" else "{}"
    constants = "\n".join(
        f"%{n} = ov.constant dense<{number.format(n)}> : tensor<{element}> : tensor<{element}>"
        for n in range(4)
    )
    body = "\n".join(lines)
    module = parse_module(f"""
    func.func @main(%k: tensor<{element}>, %m: tensor<{element}>, %b: tensor<i1>) -> tensor<{element}> {{
      {constants if element != "i1" else ""}
      {body}
      %r = ov.if %c -> (tensor<{element}>) {{
        {then}
      }} else {{
        {otherwise}
      }}
      func.return %r : tensor<{element}>
    }}""")
    *_, branch = (op for op in main_function(module).walk() if isinstance(op, IfOp))
    return infer(module).taken.get(branch)


def compare(result: str, name: str, a: str, b: str, element: str) -> str:
    return f"%{result} = ov.{name} %{a}, %{b} : (tensor<{element}>, tensor<{element}>) -> tensor<i1>"


def possible(values: Iterator[tuple[object, object]], taken: bool) -> bool | None:
    """Return the second condition's value wherever the first one is `taken`.

    None if both values are possible, or if the first one never is.
    """
    seen = {bool(second) for first, second in values if bool(first) == taken}
    return seen.pop() if len(seen) == 1 else None


@pytest.mark.parametrize("first", COMPARISONS)
@pytest.mark.parametrize("taken", [True, False])
def test_comparisons_with_constants(first: str, taken: bool) -> None:
    """Whatever intervals can say is known, and nothing else: of what is not a number there is no interval."""
    numbers = range(-2, 8)
    for limit, second, other, swapped in product((1, 3), COMPARISONS, (1, 2, 3), (False, True)):
        lines = [
            compare("c", first, *(("k", str(limit)) if not swapped else (str(limit), "k")), "i64"),
            compare("d", second, "k", str(other), "i64"),
        ]
        wanted = possible(
            (
                (
                    COMPARISONS[first](*((k, limit) if not swapped else (limit, k))),
                    COMPARISONS[second](k, other),
                )
                for k in numbers
            ),
            taken,
        )
        assert known_inside(lines, element="i64", taken=taken) == wanted, lines


@pytest.mark.parametrize("element", ["i64", "i1", "f32", "ui64"])
@pytest.mark.parametrize("first", COMPARISONS)
@pytest.mark.parametrize("taken", [True, False])
def test_comparisons_of_the_same_two(element: str, first: str, taken: bool) -> None:
    """One comparison may determine another one; floats may be NaN."""
    numbers = [0.0, 1.0, np.nan] if element == "f32" else [0, 1]
    for second, swapped in product(COMPARISONS, (False, True)):
        lines = [
            compare("c", first, "k", "m", element),
            compare("d", second, *(("m", "k") if swapped else ("k", "m")), element),
        ]
        wanted = possible(
            (
                (COMPARISONS[first](k, m), COMPARISONS[second](*((m, k) if swapped else (k, m))))
                for k, m in product(numbers, numbers)
            ),
            taken,
        )
        assert known_inside(lines, element=element, taken=taken) == wanted, lines


def test_floats_have_no_intervals() -> None:
    lines = [compare("c", "less", "k", "1", "f32"), compare("d", "less", "k", "2", "f32")]
    assert known_inside(lines, element="f32", taken=True) is None


UNARY = "%{} = ov.logical_not %{} : (tensor<i1>) -> tensor<i1>"
BINARY = "%{} = ov.logical_{} %{}, %{} : (tensor<i1>, tensor<i1>) -> tensor<i1>"


@pytest.mark.parametrize(
    ("lines", "if_true", "if_false"),
    [
        ([BINARY.format("c", "and", "b", "d")], True, None),
        ([BINARY.format("c", "or", "b", "d")], None, False),
        ([BINARY.format("n", "and", "b", "d"), UNARY.format("c", "n")], None, True),
        # (not (b or d)) and d: never.
        (
            [
                BINARY.format("o", "or", "b", "d"),
                UNARY.format("n", "o"),
                BINARY.format("c", "and", "n", "d"),
            ],
            None,
            None,
        ),
    ],
)
def test_parts_of_conditions(lines: list[str], if_true: bool | None, if_false: bool | None) -> None:
    lines = [compare("d", "less", "k", "m", "i64"), *lines]
    for taken, wanted in ((True, if_true), (False, if_false)):
        assert known_inside(lines, element="i64", taken=taken) == wanted


def test_sums_are_followed_unless_they_may_wrap_around() -> None:
    """k < 3 gives k + 1 < 5, if k + 1 is a number at all: of i8 the greatest one and 1 is the least; of what is below 3 it is not."""
    add = "%p = ov.add %k, %1 : (tensor<i8>, tensor<i8>) -> tensor<i8>"
    below = [compare("c", "less", "k", "2", "i8"), add, compare("d", "less_equal", "p", "2", "i8")]
    assert known_inside(below, element="i8", taken=True) is True
    assert known_inside(below, element="i8", taken=False) is None


def test_what_is_known_of_the_branch_around_counts() -> None:
    """0 < k, and in there k < 2: it is 1."""
    module = parse_module("""
    func.func @main(%k: tensor<i64>, %x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
      %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
      %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
      %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
      %c = ov.less %zero, %k : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %d = ov.less %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %e = ov.equal %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %r = ov.if %c -> (tensor<f32>) {
        %s = ov.if %d -> (tensor<f32>) {
          %t = ov.if %e -> (tensor<f32>) {
            ov.yield %x : tensor<f32>
          } else {
            ov.yield %y : tensor<f32>
          }
          ov.yield %t : tensor<f32>
        } else {
          ov.yield %y : tensor<f32>
        }
        ov.yield %s : tensor<f32>
      } else {
        ov.yield %y : tensor<f32>
      }
      func.return %r : tensor<f32>
    }""")
    *_, innermost = (op for op in main_function(module).walk() if isinstance(op, IfOp))
    inference = infer(module)
    assert inference.taken == {innermost: True}
    # Behind the branch nothing of it holds.
    assert inference.fact(main_function(module).args[0]).value is None


def test_what_a_loop_in_a_branch_gives_is_found_anew_in_each_round() -> None:
    """The condition holds after the first iterations, and not for ever."""
    module = parse_module("""
    func.func @main(%c: tensor<i1>, %x: tensor<i64>) -> tensor<i64> {
      %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
      %r = ov.if %c -> (tensor<i64>) {
        %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
        %end = ov.constant dense<300> : tensor<i64> : tensor<i64>
        %s = ov.loop carried(%zero) : (tensor<i64>) -> tensor<i64> {
        ^bb0(%i: tensor<i64>, %k: tensor<i64>):
          %next = ov.add %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
          %again = ov.not_equal %next, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
          ov.next while(%again) carried(%next : tensor<i64>)
        }
        ov.yield %s : tensor<i64>
      } else {
        ov.yield %x : tensor<i64>
      }
      func.return %r : tensor<i64>
    }""")
    (loop,) = (op for op in main_function(module).walk() if isinstance(op, LoopOp))
    inference = infer(module)
    assert inference.fact(loop.next.operands[0]).value is None
    assert trip_bounds(loop, inference).hi is None


@pytest.mark.parametrize(("a", "b", "most"), [("k", "2", 2), ("2", "k", None)])
def test_what_is_selected_is_bounded_by_the_condition(a: str, b: str, most: int | None) -> None:
    """select(k < 2, k, 2) is 2 at most."""
    module = parse_module(f"""
    func.func @main(%k: tensor<i64>) -> tensor<i64> {{
      %2 = ov.constant dense<2> : tensor<i64> : tensor<i64>
      {compare("c", "less", "k", "2", "i64")}
      %r = ov.select %c, %{a}, %{b} : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      func.return %r : tensor<i64>
    }}""")
    end = main_function(module).body.block.last_op
    assert end is not None
    bounds = infer(module).fact(end.operands[0]).bounds
    assert (None if bounds is None or bounds[1] == np.iinfo(np.int64).max else bounds[1]) == most
