"""`ov-loop-fuse`: loops that run as often as each other are one, those that only nearly do stay two; what comes out is the same."""

from __future__ import annotations

import pytest

from loomir.dialects.ov.operators.control_flow import LoopOp
from tests.support_loop_programs import Program

FORWARDS = "#ov.slice<axis = 0>"
BACKWARDS = "#ov.slice<axis = 0, start = -1, end = 0, stride = -1>"
BY_TWO = "#ov.slice<axis = 0, stride = 2, part_size = 2>"


def _first(operands: str, types: str, *, condition: str = "", join: str = FORWARDS, size: int = 1) -> str:
    """A loop that joins `%w`, exponentials of what it carries as `%f`."""
    sliced = "sliced" in operands
    cut = f"slices = [{FORWARDS}], " if sliced else ""
    part = ", %p0: t<1xf32>" if sliced else ""
    given = f"%e{', %e' * (size - 1)}"
    kinds = ", ".join(["t<1xf32>"] * size)
    return f"""
  %f, %w = ov.loop {condition} carried(%a) {operands} {{{cut}concats = [{join}]}} : ({types}) -> (t<1xf32>, t<?xf32>) {{
  ^bb0(%i: t<i64>, %u: t<1xf32>{part}):
    %d = ov.exp %u : (t<1xf32>) -> t<1xf32>
    %e = ov.{"add %d, %p0" if sliced else "add %d, %u"} : (t<1xf32>, t<1xf32>) -> t<1xf32>
    %g = ov.concat {given} {{axis = 0}} : ({kinds}) -> t<{size}xf32>
    %h = ov.sin %e : (t<1xf32>) -> t<1xf32>
    ov.next carried(%h : t<1xf32>) concat(%g : t<{size}xf32>)
  }}"""


def _second(
    operands: str = "carried(%b) sliced(%w)",
    types: str = "t<1xf32>, t<?xf32>",
    *,
    cuts: str = FORWARDS,
    size: int = 1,
    more: str = "",
    reads: str = "%o",
    also: str = "",
) -> str:
    """A loop that subtracts parts of `%w` from what it carries."""
    return f"""
  %r = ov.loop {operands} {{slices = [{cuts}]}} : ({types}) -> t<1xf32> {{
  ^bb1(%j: t<i64>, %o: t<1xf32>, %s: t<{size}xf32>{more}):
    %t = ov.reduce_sum %s, %axes {{keep_dims = true}} : (t<{size}xf32>, t<1xi64>) -> t<1xf32>
    %y = ov.subtract %t, {reads} : (t<1xf32>, t<1xf32>) -> t<1xf32>
    {also}
    ov.next {"while(%again)" if "%again" in also else ""} carried(%y : t<1xf32>)
  }}"""


_OF_X = _first("sliced(%x)", "t<1xf32>, t<3xf32>")
_OF_P = _first("sliced(%p)", "t<1xf32>, t<?xf32>")
_OF_N = _first("", "t<i64>, t<1xf32>", condition="trip(%n)")
_BETWEEN = "\n  %e1 = ov.exp %b : (t<1xf32>) -> t<1xf32>"
_GATHERS = '%last = ov.gather %x, %j, %zero {out_of_range = "error"} : (t<3xf32>, t<i64>, t<i64>) -> t<f32>'
_ENDS = "%again = ov.less %j, %one : (t<i64>, t<i64>) -> t<i1>"

FUSED = {
    "slices": _OF_X + _second(),
    "open-slices": _OF_P + _second(),
    "trips": _OF_N + _second(),
    "cut-twice": _OF_N
    + _second(
        "carried(%b) sliced(%w, %w)",
        "t<1xf32>, t<?xf32>, t<?xf32>",
        cuts=f"{FORWARDS}, {FORWARDS}",
        more=", %other: t<1xf32>",
        reads="%other",
    ),
    "backwards": _first("", "t<i64>, t<1xf32>", condition="trip(%n)", join=BACKWARDS)
    + _second(cuts=BACKWARDS),
    "by-two": _first("", "t<i64>, t<1xf32>", condition="trip(%n)", join=BY_TWO, size=2)
    + _second(cuts=BY_TWO, size=2),
    "trips-and-slices": _first("sliced(%p)", "t<i64>, t<1xf32>, t<?xf32>", condition="trip(%n)") + _second(),
    "begins-with-what-stands-between": _OF_N + _BETWEEN + _second("carried(%e1) sliced(%w)"),
}

TWO = {
    "not-entered": _first("sliced(%x)", "t<i1>, t<1xf32>, t<3xf32>", condition="while(%c)") + _second(),
    "ended": _OF_X + _second(also=_ENDS),
    "cut-twice-otherwise": _OF_N
    + _second(
        "carried(%b) sliced(%w, %w)",
        "t<1xf32>, t<?xf32>, t<?xf32>",
        cuts=f"{FORWARDS}, {BACKWARDS}",
        more=", %other: t<1xf32>",
        reads="%other",
    ),
    "from-the-second-part": _OF_X + _second(cuts="#ov.slice<axis = 0, start = 1>"),
    "from-the-second-part-of-n": _OF_N + _second(cuts="#ov.slice<axis = 0, start = 1>"),
    "cut-backwards": _OF_N + _second(cuts=BACKWARDS),
    "parts-of-two": _first("", "t<i64>, t<1xf32>", condition="trip(%n)", join=BY_TWO, size=2) + _second(),
    "fewer": _OF_X + _second("trip(%two) carried(%b) sliced(%w)", "t<i64>, t<1xf32>, t<?xf32>"),
    "its-own-trip-count": _OF_P + _second("trip(%n) carried(%b) sliced(%w)", "t<i64>, t<1xf32>, t<?xf32>"),
    "a-shorter-slice": _OF_P
    + _second(
        "carried(%b) sliced(%w, %q)",
        "t<1xf32>, t<?xf32>, t<?xf32>",
        cuts=f"{FORWARDS}, {FORWARDS}",
        more=", %other: t<1xf32>",
        reads="%other",
    ),
    "reads-the-final-value": _OF_N + _second(reads="%f"),
    "begins-with-the-final-value": _OF_N + _second("carried(%f) sliced(%w)"),
    "on-another-axis": """
  %w = ov.loop sliced(%m) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (t<3x3xf32>) -> t<3x3xf32> {
  ^bb0(%i: t<i64>, %u: t<1x3xf32>):
    %e = ov.exp %u : (t<1x3xf32>) -> t<1x3xf32>
    ov.next concat(%e : t<1x3xf32>)
  }
  %r = ov.loop carried(%a) sliced(%w) {slices = [#ov.slice<axis = 1, stride = 3, part_size = 3>]}
      : (t<1xf32>, t<3x3xf32>) -> t<1xf32> {
  ^bb1(%j: t<i64>, %o: t<1xf32>, %s: t<3x3xf32>):
    %both = ov.constant dense<[0, 1]> : t<2xi64> : t<2xi64>
    %t = ov.reduce_sum %s, %both {keep_dims = false} : (t<3x3xf32>, t<2xi64>) -> t<f32>
    %y = ov.subtract %o, %t : (t<1xf32>, t<f32>) -> t<1xf32>
    ov.next carried(%y : t<1xf32>)
  }""",
    "columns-of-rows": """
  %f, %w = ov.loop carried(%a) sliced(%m) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (t<1xf32>, t<3x3xf32>) -> (t<1xf32>, t<3x3xf32>) {
  ^bb0(%i: t<i64>, %o: t<1xf32>, %u: t<1x3xf32>):
    %e = ov.exp %u : (t<1x3xf32>) -> t<1x3xf32>
    %h = ov.sin %o : (t<1xf32>) -> t<1xf32>
    ov.next carried(%h : t<1xf32>) concat(%e : t<1x3xf32>)
  }
  %r = ov.loop carried(%a) sliced(%w) {slices = [#ov.slice<axis = 1>]} : (t<1xf32>, t<3x3xf32>) -> t<1xf32> {
  ^bb1(%j: t<i64>, %o: t<1xf32>, %s: t<3x1xf32>):
    %both = ov.constant dense<[0, 1]> : t<2xi64> : t<2xi64>
    %t = ov.reduce_sum %s, %both {keep_dims = false} : (t<3x1xf32>, t<2xi64>) -> t<f32>
    %y = ov.subtract %t, %o : (t<f32>, t<1xf32>) -> t<1xf32>
    ov.next carried(%y : t<1xf32>)
  }""",
    "an-error-between": _OF_N
    + """
  %g1 = ov.gather %x, %k, %zero {out_of_range = "error"} : (t<3xf32>, t<i64>, t<i64>) -> t<f32>"""
    + _second(also=_GATHERS),
}


@pytest.mark.parametrize("name", [*FUSED, *TWO])
def test_fusion(name: str) -> None:
    program = Program(name, "t<1xf32>", (FUSED | TWO)[name])
    after = program.assert_same_after("ov-infer,ov-loop-fuse")
    assert sum(isinstance(op, LoopOp) for op in after.walk()) == (1 if name in FUSED else 2)
