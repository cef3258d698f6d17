"""`ov-loop-collapse`: nests that are one loop, and those that only look so; what comes out is the same."""

from __future__ import annotations

import pytest

from loomir.dialects.ov.operators.control_flow import LoopOp
from tests.support_loop_programs import Program

FORWARDS = "#ov.slice<axis = 0>"
BACKWARDS = "#ov.slice<axis = 0, start = -1, end = 0, stride = -1>"
_NOT_NEGATIVE = "\n  %n0 = ov.maximum %n, %zero : (t<i64>, t<i64>) -> t<i64>"


def _nest(outer: str, inner: str, between: str = "") -> str:
    """A nest over `%a` with these trip counts; `between` is the value that goes to the next outer iteration."""
    return f"""
  %r = ov.loop trip({outer}) carried(%a) : (t<i64>, t<1xf32>) -> t<1xf32> {{
  ^bb0(%i: t<i64>, %u: t<1xf32>):
    %s = ov.loop trip({inner}) carried(%u) : (t<i64>, t<1xf32>) -> t<1xf32> {{
    ^bb1(%j: t<i64>, %o: t<1xf32>):
      %e = ov.exp %o : (t<1xf32>) -> t<1xf32>
      %d = ov.subtract %b, %e : (t<1xf32>, t<1xf32>) -> t<1xf32>
      ov.next carried(%d : t<1xf32>)
    }}
    {between}
    ov.next carried({"%g" if between else "%s"} : t<1xf32>)
  }}"""


def _over(whole: str, type_: str, outer: str, inner: str, rows: str = "1", columns: int = 3) -> str:
    """A nest over the rows of an input and their elements."""
    return f"""
  %shape = ov.constant dense<[{columns}]> : t<1xi64> : t<1xi64>
  %r = ov.loop carried(%a) sliced({whole}) {{slices = [{outer}]}} : (t<1xf32>, {type_}) -> t<1xf32> {{
  ^bb0(%i: t<i64>, %u: t<1xf32>, %p0: t<{rows}xf32>):
    %part = ov.reshape %p0, %shape : (t<{rows}xf32>, t<1xi64>) -> t<{columns}xf32>
    %s = ov.loop carried(%u) sliced(%part) {{slices = [{inner}]}} : (t<1xf32>, t<{columns}xf32>) -> t<1xf32> {{
    ^bb1(%j: t<i64>, %o: t<1xf32>, %q0: t<1xf32>):
      %d = ov.subtract %q0, %o : (t<1xf32>, t<1xf32>) -> t<1xf32>
      %e = ov.exp %d : (t<1xf32>) -> t<1xf32>
      ov.next carried(%e : t<1xf32>)
    }}
    ov.next carried(%s : t<1xf32>)
  }}"""


_BY_THREE = "#ov.slice<axis = 0, stride = 3, part_size = 3>"

ONE = {
    "known": _nest("%five", "%three"),
    "open-outer": _nest("%n", "%two"),
    "open-both": _NOT_NEGATIVE + _nest("%n0", "%n0"),
    "no-inner-iteration": _NOT_NEGATIVE + _nest("%n0", "%zero"),
    "rows": _over("%m", "t<3x3xf32>", FORWARDS, FORWARDS, "1x3"),
    "rows-backwards": _over("%m", "t<3x3xf32>", BACKWARDS, BACKWARDS, "1x3"),
    "parts-of-three": _over("%z", "t<6xf32>", _BY_THREE, FORWARDS, "3"),
}
TWO = {
    "rows-backwards-and-elements-forwards": _over("%m", "t<3x3xf32>", BACKWARDS, FORWARDS, "1x3"),
    "columns": _over("%m", "t<3x3xf32>", "#ov.slice<axis = 1>", FORWARDS, "3x1"),
    "from-the-second-row": _over("%m", "t<3x3xf32>", "#ov.slice<axis = 0, start = 1>", FORWARDS, "1x3"),
    "from-the-second-element": _over("%m", "t<3x3xf32>", FORWARDS, "#ov.slice<axis = 0, start = 1>", "1x3"),
    "an-operation-in-between": _nest("%n", "%two", "%g = ov.sin %s : (t<1xf32>) -> t<1xf32>"),
}


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_collapse(name: str) -> None:
    program = Program(name, "t<1xf32>", (ONE | TWO)[name])
    after = program.assert_same_after("ov-infer,ov-loop-collapse")
    assert sum(isinstance(op, LoopOp) for op in after.walk()) == (1 if name in ONE else 2)


@pytest.mark.parametrize("columns", [1, 2])
def test_open_extents(columns: int) -> None:
    """An input whose rows may have another size than the inner loop's: then an error, unless there is no row."""
    text = """
  %one1 = ov.constant dense<1> : t<1xi64> : t<1xi64>
  %times = ov.reshape %k, %one1 : (t<i64>, t<1xi64>) -> t<1xi64>
  %repeats = ov.concat %one1, %times {axis = 0} : (t<1xi64>, t<1xi64>) -> t<2xi64>
  %column = ov.constant dense<[-1, 1]> : t<2xi64> : t<2xi64>
  %c0 = ov.reshape %p, %column : (t<?xf32>, t<2xi64>) -> t<?x1xf32>
  %whole = ov.tile %c0, %repeats : (t<?x1xf32>, t<2xi64>) -> t<?x?xf32>
""" + _over("%whole", "t<?x?xf32>", FORWARDS, FORWARDS, "1x?", columns)
    program = Program("open", "t<1xf32>", text)
    after = program.assert_same_after("ov-infer,ov-loop-collapse")
    assert sum(isinstance(op, LoopOp) for op in after.walk()) == 1
