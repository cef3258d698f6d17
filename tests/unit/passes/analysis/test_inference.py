"""Facts through loops and branches: bounds of growing values, trips, conditions, widening."""

from __future__ import annotations

import pytest

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.interface import main_function
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.passes.analysis.inference import infer
from loomir.passes.analysis.inference.loops import trip_bounds
from tests.support import raises_error


def result_fact(text: str) -> Fact:
    """The fact of what `main` returns."""
    module = parse_module(text)
    end = main_function(module).body.block.last_op
    assert end is not None
    return infer(module).fact(end.operands[0])


def grows(trips: str, *, cond: str = "", arguments: str = "", rows: int = 1) -> str:
    """A carried value that grows by some rows in each trip."""
    return f"""
    func.func @main(%x: tensor<1x2xf32>, %r: tensor<{rows}x2xf32>, %go: tensor<i1>{arguments}) -> tensor<*xf32> {{
      {trips}
      %v = ov.loop trip(%n) {cond} carried(%x) : (tensor<i64>{", tensor<i1>" if cond else ""}, tensor<1x2xf32>) -> (tensor<*xf32>) {{
      ^bb0(%i: tensor<i64>, %a: tensor<*xf32>):
        %b = ov.concat %a, %r {{axis = 0 : i64}} : (tensor<*xf32>, tensor<{rows}x2xf32>) -> tensor<*xf32>
        ov.next carried(%b : tensor<*xf32>)
      }}
      func.return %v : tensor<*xf32>
    }}"""


def constant(n: int) -> str:
    return f"%n = ov.constant dense<{n}> : tensor<i64> : tensor<i64>"


@pytest.mark.parametrize("trips", [2, 10, 64, 65, 1000])
def test_growth_by_rows_is_bounded_by_the_trips(trips: int) -> None:
    """Followed trip by trip, or extrapolated beyond that."""
    fact = result_fact(grows(constant(trips), rows=3))
    assert fact.shape is not None
    assert fact.shape[0].hi == 1 + 3 * trips
    assert fact.shape[1] == Dim(2, 2)


def test_growth_without_a_bound() -> None:
    fact = result_fact(grows("", arguments=", %n: tensor<i64>"))
    assert fact.shape is not None
    assert fact.shape[0].hi is None
    assert fact.shape[1] == Dim(2, 2)


def test_growth_that_is_not_linear_is_not_extrapolated() -> None:
    """A value that doubles: no bound is better than a wrong one."""
    text = f"""
    func.func @main(%x: tensor<1xf32>) -> tensor<*xf32> {{
      {constant(100)}
      %v = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1xf32>) -> (tensor<*xf32>) {{
      ^bb0(%i: tensor<i64>, %a: tensor<*xf32>):
        %b = ov.concat %a, %a {{axis = 0 : i64}} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
        ov.next carried(%b : tensor<*xf32>)
      }}
      func.return %v : tensor<*xf32>
    }}"""
    fact = result_fact(text)
    assert fact.shape is not None
    assert fact.shape[0].hi is None


def test_growth_by_more_in_one_iteration_alone_is_not_extrapolated() -> None:
    """From 50 rows it goes on to 95: neither the first nor the last of 100 iterations shows it."""
    text = f"""
    func.func @main(%x: tensor<1xf32>, %many: tensor<95xf32>) -> tensor<*xf32> {{
      {constant(100)}
      %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
      %fifty = ov.constant dense<50> : tensor<i64> : tensor<i64>
      %v = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1xf32>) -> (tensor<*xf32>) {{
      ^bb0(%i: tensor<i64>, %a: tensor<*xf32>):
        %shape = ov.shape_of %a {{output_type = i64}} : (tensor<*xf32>) -> tensor<1xi64>
        %rows = ov.gather %shape, %zero, %zero : (tensor<1xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
        %now = ov.equal %rows, %fifty : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %b = ov.if %now -> (tensor<*xf32>) {{
          ov.yield %many : tensor<95xf32>
        }} else {{
          %c = ov.concat %a, %x {{axis = 0 : i64}} : (tensor<*xf32>, tensor<1xf32>) -> tensor<*xf32>
          ov.yield %c : tensor<*xf32>
        }}
        ov.next carried(%b : tensor<*xf32>)
      }}
      func.return %v : tensor<*xf32>
    }}"""
    fact = result_fact(text)
    assert fact.shape is not None
    assert fact.shape[0].hi is None


BRANCHES = """
    %b = ov.if %go -> (tensor<?x2xf32>) {
      %c = ov.concat %r, %a {axis = 0 : i64} : (tensor<1x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
      %d = ov.exp %c : (tensor<?x2xf32>) -> tensor<?x2xf32>
      ov.yield %d : tensor<?x2xf32>
    } else {
      %e = ov.add %a, %r : (tensor<?x2xf32>, tensor<1x2xf32>) -> tensor<?x2xf32>
      ov.yield %e : tensor<?x2xf32>
    }"""
INNER = """
    %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
    %b = ov.loop trip(%two) carried(%a) : (tensor<i64>, tensor<?x2xf32>) -> (tensor<?x2xf32>) {
    ^bb1(%j: tensor<i64>, %c: tensor<?x2xf32>):
      %d = ov.concat %c, %r {axis = 0 : i64} : (tensor<?x2xf32>, tensor<1x2xf32>) -> tensor<?x2xf32>
      ov.next carried(%d : tensor<?x2xf32>)
    }"""
TURNED = """
    %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
    %t = ov.transpose %a, %order : (tensor<?x2xf32>, tensor<2xi64>) -> tensor<2x?xf32>
    %s = ov.transpose %r, %order : (tensor<1x2xf32>, tensor<2xi64>) -> tensor<2x1xf32>
    %c = ov.concat %t, %s {axis = 1 : i64} : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
    %b = ov.transpose %c, %order : (tensor<2x?xf32>, tensor<2xi64>) -> tensor<?x2xf32>"""

PICKED = """
    %back = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
    %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
    %minus = ov.constant dense<-1> : tensor<i64> : tensor<i64>
    %u = ov.unsqueeze %a, %zero : (tensor<?x2xf32>, tensor<i64>) -> tensor<1x?x2xf32>
    %p = ov.gather %u, %back, %minus : (tensor<1x?x2xf32>, tensor<2xi64>, tensor<i64>) -> tensor<1x?x2xf32>
    %s = ov.unsqueeze %r, %zero : (tensor<1x2xf32>, tensor<i64>) -> tensor<1x1x2xf32>
    %c = ov.concat %p, %s {axis = 1 : i64} : (tensor<1x?x2xf32>, tensor<1x1x2xf32>) -> tensor<1x?x2xf32>
    %b = ov.squeeze %c, %zero : (tensor<1x?x2xf32>, tensor<i64>) -> tensor<?x2xf32>"""


@pytest.mark.parametrize(("body", "rows"), [(BRANCHES, 1), (INNER, 2), (TURNED, 1), (PICKED, 1)])
def test_growth_through_branches_inner_loops_and_other_operations_is_extrapolated(
    body: str, rows: int
) -> None:
    text = f"""
    func.func @main(%x: tensor<1x2xf32>, %r: tensor<1x2xf32>, %go: tensor<i1>) -> tensor<*xf32> {{
      {constant(100)}
      %v = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1x2xf32>) -> (tensor<?x2xf32>) {{
      ^bb0(%i: tensor<i64>, %a: tensor<?x2xf32>):
        {body}
        ov.next carried(%b : tensor<?x2xf32>)
      }}
      func.return %v : tensor<?x2xf32>
    }}""".replace("-> tensor<*xf32> {", "-> tensor<?x2xf32> {", 1)
    fact = result_fact(text)
    assert fact.shape is not None
    assert fact.shape[0].hi == 1 + 100 * rows


def test_a_condition_that_may_be_false_at_once_keeps_the_initial_shape() -> None:
    fact = result_fact(grows(constant(4), cond="while(%go)"))
    assert fact.shape is not None
    assert fact.shape[0] == Dim(1, 5)


def counting(body_condition: str, trip: str = "", types: str = "") -> LoopOp:
    module = parse_module(f"""
    func.func @main(%x: tensor<f32>, %n: tensor<i64>, %p: tensor<5x2xf32>) -> tensor<f32> {{
      %t = ov.constant dense<true> : tensor<i1> : tensor<i1>
      %f = ov.constant dense<false> : tensor<i1> : tensor<i1>
      %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
      %minus = ov.constant dense<-4> : tensor<i64> : tensor<i64>
      %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
      %v = ov.loop {trip} carried(%x) : ({types}tensor<f32>) -> (tensor<f32>) {{
      ^bb0(%i: tensor<i64>, %a: tensor<f32>):
        %b = ov.exp %a : (tensor<f32>) -> tensor<f32>
        %c = ov.less %b, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
        ov.next {body_condition} carried(%b : tensor<f32>)
      }}
      func.return %v : tensor<f32>
    }}""")
    (loop,) = [op for op in module.walk() if isinstance(op, LoopOp)]
    return loop


@pytest.mark.parametrize(
    ("condition", "trip", "types", "expected"),
    [
        ("", "trip(%four)", "tensor<i64>, ", Dim(4, 4)),
        ("while(%t)", "trip(%four)", "tensor<i64>, ", Dim(4, 4)),
        ("while(%f)", "trip(%four)", "tensor<i64>, ", Dim(1, 1)),
        ("while(%c)", "trip(%four)", "tensor<i64>, ", Dim(1, 4)),
        ("while(%c)", "trip(%minus)", "tensor<i64>, ", Dim(1, None)),
        ("while(%c)", "trip(%n)", "tensor<i64>, ", Dim(0, None)),
        ("while(%c)", "trip(%four) while(%f)", "tensor<i64>, tensor<i1>, ", Dim(0, 0)),
        ("while(%c)", "", "", Dim(1, None)),
    ],
)
def test_trip_bounds(condition: str, trip: str, types: str, expected: Dim) -> None:
    loop = counting(condition, trip, types)
    module = loop.get_toplevel_object()
    assert trip_bounds(loop, infer(module)) == expected  # pyright: ignore[reportArgumentType]


def test_join_of_branches_is_an_interval() -> None:
    fact = result_fact("""
    func.func @main(%c: tensor<i1>, %a: tensor<2x3xf32>, %b: tensor<5x3xf32>) -> tensor<*xf32> {
      %r = ov.if %c -> (tensor<*xf32>) {
        ov.yield %a : tensor<2x3xf32>
      } else {
        ov.yield %b : tensor<5x3xf32>
      }
      func.return %r : tensor<*xf32>
    }""")
    assert fact.shape == (Dim(2, 5), Dim(3, 3))


def test_bounds_of_contents_become_bounds_of_shapes() -> None:
    """The length of a range that the iteration number sets."""
    fact = result_fact("""
    func.func @main(%c: tensor<i1>) -> tensor<*xi64> {
      %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
      %six = ov.constant dense<6> : tensor<i64> : tensor<i64>
      %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
      %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
      %n = ov.if %c -> (tensor<i64>) {
        ov.yield %two : tensor<i64>
      } else {
        ov.yield %six : tensor<i64>
      }
      %r = ov.range %zero, %n, %one {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
      func.return %r : tensor<*xi64>
    }""")
    assert fact.shape == (Dim(2, 6),)


def branching(condition: str, argument: str = "") -> str:
    """A branch with `ov.fail` and a legal one."""
    return f"""
    func.func @main(%x: tensor<2x3xf32>{argument}) -> tensor<*xf32> {{
      {condition}
      %r = ov.if %c -> (tensor<*xf32>) {{
        %y = ov.fail "'squeeze': dimension 0 is 2" : tensor<*xf32>
        ov.yield %y : tensor<*xf32>
      }} else {{
        ov.yield %x : tensor<2x3xf32>
      }}
      func.return %r : tensor<*xf32>
    }}"""


def test_failing_branch_adds_nothing() -> None:
    assert result_fact(branching("", ", %c: tensor<i1>")).static == (2, 3)


def test_failing_branch_that_is_taken() -> None:
    assert result_fact(branching("%c = ov.constant dense<false> : tensor<i1> : tensor<i1>")).static == (2, 3)
    with raises_error("forbidden-branch", "'squeeze'"):
        result_fact(branching("%c = ov.constant dense<true> : tensor<i1> : tensor<i1>"))
