"""`ov-loop-peel`: branches that the first or last iteration decides go, and values and errors are those that came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.diagnostics import Remark, listening
from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.errors import Error

TRIPS = (-2, 0, 1, 2, 3, 6)


def program(trip: str, condition: str, ending: str = "") -> ModuleOp:
    """A loop with a branch on the condition `%c`, one arm of which may fail; the other one may fail with another error.

    `trip` is `%n`, `%t` (the greater of it and 0), `%s` (of it and 3), or a number; `condition` may use `%i`, `%n` and the constants `%m2`
    to `%p3`, and `ending` makes `%again`, with which the loop goes on.
    """
    known = trip.lstrip("-").isdigit()
    numbers = {"m2": -2, "m1": -1, "zero": 0, "p1": 1, "p2": 2, "p3": 3, "p5": 5}
    constants = "\n".join(
        f"%{k} = ov.constant dense<{v}> : tensor<i64> : tensor<i64>" for k, v in numbers.items()
    )
    fixed = f"%t = ov.constant dense<{trip}> : tensor<i64> : tensor<i64>"
    most = "%t = ov.maximum %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>"
    return parse_module(
        f"""
func.func @main(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<1x4xf32>, %a: tensor<4x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {{
  {constants}
  {fixed if known else most}
  %s = ov.maximum %n, %p3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r, %all = ov.loop trip({"%t" if known else trip}) carried(%x)
      {{concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]}}
      : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {{
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
    %next = ov.add %i, %p1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    {condition}
    %w = ov.if %c -> (tensor<1x4xf32>) {{
      %g = ov.gather %a, %k, %zero {{out_of_range = "error"}} : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
      %p = ov.add %v, %g : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
      ov.yield %p : tensor<1x4xf32>
    }} else {{
      %p = ov.multiply %v, %x : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.yield %p : tensor<1x4xf32>
    }}
    %f = ov.convert %i {{destination_type = f32}} : (tensor<i64>) -> tensor<f32>
    %q = ov.add %w, %f : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    {ending}
    ov.next {"while(%again)" if ending else ""} carried(%q : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }}
  func.return %r, %all : tensor<1x4xf32>, tensor<?x4xf32>
}}"""
    )


def compared(relation: str, left: str, right: str, name: str = "c") -> str:
    return f"%{name} = ov.{relation} %{left}, %{right} : (tensor<i64>, tensor<i64>) -> tensor<i1>"


def outcome(module: ModuleOp, feed: Mapping[str, np.ndarray]) -> Mapping[str, Any] | str:
    try:
        return GraphEngine(module, max_iterations=30).run(feed).outputs
    except Error as error:
        return error.identifier


def peeled(trip: str, condition: str, ending: str = "") -> bool:
    """Return True if the branch in the loop is gone.

    The results are unchanged in any case.
    """
    written = program(trip, condition, ending)
    run_passes(written, "ov-infer")
    after = written.clone()
    run_passes(after, "ov-loop-peel,ov-fold-constants,canonicalize", verify_each=True)
    names = argument_names(main_function(written))
    x = np.array([[0.5, 1, -1, 2]], np.float32)
    for n in TRIPS:
        for k in (1, 9):
            values = (np.array(n), np.array(k), x, np.arange(16, dtype=np.float32).reshape(4, 4) / 8)
            feed = dict(zip(names, values))
            before, now = outcome(written, feed), outcome(after, feed)
            if isinstance(before, str) or isinstance(now, str):
                assert before == now, (n, k)
                continue
            for name, value in before.items():
                np.testing.assert_array_equal(now[name], value, strict=True, err_msg=f"{n} {k}")
    loops = [op for op in after.walk() if isinstance(op, LoopOp)]
    return not any(isinstance(op, IfOp) for loop in loops for op in loop.walk())


@pytest.mark.parametrize("trip", ["%n", "%t", "7"])
@pytest.mark.parametrize(
    ("relation", "left", "right", "gone"),
    [
        ("equal", "i", "zero", True),
        ("not_equal", "zero", "i", True),
        ("less", "i", "p1", True),
        ("greater_equal", "zero", "i", True),
        ("greater", "next", "p1", True),
        ("equal", "i", "p1", False),
        ("less_equal", "i", "p1", False),
    ],
)
def test_first(trip: str, relation: str, left: str, right: str, gone: bool) -> None:
    assert peeled(trip, compared(relation, left, right)) == gone


@pytest.mark.parametrize(
    ("trip", "relation", "left", "right", "gone"),
    [
        ("%n", "equal", "next", "n", True),
        ("%n", "not_equal", "n", "next", True),
        ("%t", "equal", "n", "next", True),
        ("%t", "greater_equal", "next", "n", True),
        ("%t", "less", "next", "n", True),
        ("%t", "less_equal", "n", "next", True),
        # Of a count that may be negative nothing says that the number is less.
        ("%n", "less", "next", "n", False),
        ("%n", "greater_equal", "next", "n", False),
        # The same in all iterations, or other in more than the last one.
        ("%t", "less", "i", "n", False),
        ("%t", "equal", "i", "n", False),
        ("%n", "equal", "next", "p3", False),
        ("%n", "equal", "next", "k", False),
        ("%s", "equal", "next", "n", False),
        ("6", "equal", "next", "n", False),
        ("6", "equal", "i", "p5", True),
        ("6", "less", "i", "p5", True),
        ("6", "greater", "i", "p3", False),
    ],
)
def test_last(trip: str, relation: str, left: str, right: str, gone: bool) -> None:
    assert peeled(trip, compared(relation, left, right)) == gone


@pytest.mark.parametrize(
    ("relation", "before", "distance", "gone"),
    [
        ("equal", "m1", 0, True),
        ("equal", "m1", 1, False),
        ("equal", "p2", 0, False),
        ("equal", "zero", 0, False),
        ("greater", "m2", 0, True),
        ("greater", "m2", 1, False),
    ],
)
def test_a_sum_with_the_trip_count(relation: str, before: str, distance: int, gone: bool) -> None:
    """`i + distance == n + before`, or `>`, where n is at least 0."""
    added = "%next" if distance else "%i"
    condition = f"""%b = ov.add %t, %{before} : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.{relation} {added}, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>"""
    assert peeled("%t", condition) == gone


def test_a_conjunction_that_only_the_first_iteration_may_fulfil() -> None:
    condition = """%d = ov.less %k, %p3 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %e = ov.equal %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c = ov.logical_and %d, %e : (tensor<i1>, tensor<i1>) -> tensor<i1>"""
    assert peeled("%n", condition)


def test_a_loop_that_a_condition_may_end() -> None:
    """Its last iteration may be another than the one that the trip count says."""
    ending = compared("less", "i", "p2", "again")
    assert not peeled("6", compared("equal", "next", "p5"), ending)
    assert not peeled("%n", compared("equal", "next", "n"), ending)
    assert peeled("%n", compared("equal", "i", "zero"), ending)


def nest(depth: int) -> ModuleOp:
    """Loops in one another, each of which surely runs."""
    text = ["func.func @main(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {"]
    text += ["%one = ov.constant dense<1> : tensor<i64> : tensor<i64>"]
    text += ["%t = ov.maximum %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>"]
    for k in range(depth):
        text += [
            f"%r{k} = ov.loop trip(%t) carried({f'%v{k - 1}' if k else '%x'}) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {{",
            f"^bb0(%i{k}: tensor<i64>, %v{k}: tensor<4xf32>):",
        ]
    text += [f"%r{depth} = ov.tanh %v{depth - 1} : (tensor<4xf32>) -> tensor<4xf32>"]
    for k in reversed(range(depth)):
        text += [f"%w{k} = ov.add %r{k + 1}, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"]
        text += [f"ov.next carried(%w{k} : tensor<4xf32>)", "}"]
    return parse_module("\n".join([*text, "func.return %r0 : tensor<4xf32>", "}"]))


def test_a_nest_grows_by_a_multiple_of_its_size() -> None:
    """The copy of a body has a copy of what was peeled in it: without a bound for all loops together a nest doubles at each level."""

    def after(depth: int) -> tuple[int, list[Remark]]:
        module, heard = nest(depth), list[Remark]()
        with listening(heard.append):
            run_passes(module, "ov-loop-peel{all=true}")
        return sum(1 for _ in module.walk()), heard

    (small, _), (large, heard) = after(20), after(40)
    assert large < 2.5 * small
    assert large < 12 * sum(1 for _ in nest(40).walk())
    assert any("left for the program" in remark.message for remark in heard)
    assert sum("its first iteration" in remark.message for remark in heard) > 3
