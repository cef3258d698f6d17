"""Conditions of loops that are nearly those that a trip count stands for: which terms, from where on, and how often they hold."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.passes.graph.counted_loops import PASSES, assert_same, conditions, optimised, program

FAR = 2**63 - 3
CONSTANTS = {"zero": 0, "one": 1, "two": 2, "three": 3, "five": 5, "far": FAR}


@dataclass(frozen=True)
class Loop:
    """A loop whose body goes on where `%again` holds: `%k1` is what a counter becomes, `%i` the iteration number.

    `before` may make `%go`, which is asked before the loop then. `counted`: whether a trip count stands for the whole condition.
    """

    name: str
    inside: str
    before: str = ""
    following: str = "%k1 = ov.add %k, %one"
    trip: str = "%trips"
    counted: bool = True

    def module(self) -> ModuleOp:
        """The program, with inputs `begin`, `end`, `other`, `trips`."""
        constants = "\n".join(
            f"%{name} = ov.constant dense<{value}> : tensor<i64> : tensor<i64>"
            for name, value in CONSTANTS.items()
        )
        entered = "%go =" in self.before
        types = ", ".join(["tensor<i64>", *["tensor<i1>"] * entered, *["tensor<i64>"] * 2])
        return program(f"""
func.func @main(%begin: tensor<i64>, %end: tensor<i64>, %other: tensor<i64>, %trips: tensor<i64>) -> (tensor<i64>, tensor<i64>) {{
  {constants}
  {_typed(self.before)}
  %k_end, %n_end = ov.loop trip({self.trip}) {"while(%go)" if entered else ""} carried(%begin, %zero)
      : ({types}) -> (tensor<i64>, tensor<i64>) {{
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %n: tensor<i64>):
    {_typed(self.following)}
    %n1 = ov.add %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    {_typed(self.inside)}
    ov.next while(%again) carried(%k1, %n1 : tensor<i64>, tensor<i64>)
  }}
  func.return %k_end, %n_end : tensor<i64>, tensor<i64>
}}""")


_TYPES = {"logical_not": ("i1", "i1"), "logical_and": ("i1", "i1")}
_TYPES |= dict.fromkeys(("add", "subtract", "multiply", "maximum", "minimum"), ("i64", "i64"))


def _typed(text: str) -> str:
    """Lines of operations with their types: those of comparisons are i64 and i1."""
    lines: list[str] = []
    for line in filter(None, map(str.strip, text.split(";"))):
        if " : " in line:
            lines.append(line)
            continue
        given, made = _TYPES.get(line.split("ov.")[1].split()[0], ("i64", "i1"))
        operands = ", ".join([f"tensor<{given}>"] * (line.count("%") - 1))
        lines.append(f"{line} : ({operands}) -> tensor<{made}>")
    return "\n".join(lines)


_NARROW = "{destination_type = i8} : (tensor<i64>) -> tensor<i8>"
_NARROW_LESS = ": (tensor<i8>, tensor<i8>) -> tensor<i1>"

LOOPS = (
    Loop("another-relation-before", "%again = ov.less %k1, %end", "%go = ov.less_equal %begin, %end"),
    Loop("the-other-side-before", "%again = ov.less %k1, %end", "%go = ov.less %end, %begin"),
    Loop("one-further-before", "%again = ov.less %k1, %end", "%b = ov.add %begin, %one; %go = ov.less %b, %end"),
    Loop("another-bound-before", "%again = ov.less %k1, %end", "%go = ov.less %begin, %other"),
    Loop("two-terms", "%p = ov.less %k1, %end; %q = ov.less %n1, %other; %again = ov.logical_and %p, %q"),
    Loop(
        "two-terms-one-before",
        "%p = ov.less %k1, %end; %q = ov.less %n1, %other; %again = ov.logical_and %p, %q",
        "%go = ov.less %begin, %end",
    ),
    Loop("what-is-left", "%left = ov.subtract %end, %i; %again = ov.less %two, %left"),
    Loop("twice-the-number", "%d = ov.multiply %i, %two; %again = ov.less %d, %end"),
    Loop("growing-steps", "%again = ov.less %k1, %end", following="%k1 = ov.add %k, %i", counted=False),
    Loop("a-bound-that-wraps", "%b = ov.add %far_end, %five; %again = ov.less %k1, %b", "%far_end = ov.maximum %end, %far"),
    Loop("not-at-or-beyond", "%p = ov.less_equal %end, %k1; %again = ov.logical_not %p"),
    Loop("not-beyond", "%p = ov.less %end, %k1; %again = ov.logical_not %p"),
    Loop("not-equal", "%p = ov.equal %end, %k1; %again = ov.logical_not %p"),
    Loop("not-not", "%p = ov.less %k1, %end; %q = ov.logical_not %p; %again = ov.logical_not %q"),
    Loop("squares-of-the-number", "%q = ov.multiply %i, %i; %again = ov.less %q, %five"),
    Loop("some-trips", "%again = ov.less %k1, %end", "%some = ov.maximum %trips, %three", trip="%some"),
    Loop(
        "few-bits-of-an-input",
        f"%low = ov.convert %k1 {_NARROW}; %again = ov.less %low, %few {_NARROW_LESS}",
        f"%few = ov.convert %end {_NARROW}",
    ),
)  # fmt: skip


@pytest.mark.parametrize("passes", [PASSES, ["ov-uplift-while-to-for"]], ids=["cleaned", "as-it-is"])
@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.name)
def test_it_runs_as_often(loop: Loop, passes: list[str]) -> None:
    module = loop.module()
    other = optimised(module, passes)
    assert (conditions(other) == 0) == loop.counted
    points = ((0, 0), (0, 5), (5, 0), (4, 5), (-3, 300), (300, 60), (2, 9), (FAR, FAR), (0, FAR))
    feeds = [
        {"begin": begin, "end": end, "other": most, "trips": trips}
        for (begin, end), most, trips in product(points, (0, 2, 4), (0, 3, 7))
    ]
    assert_same(module, other, feeds)


@pytest.mark.parametrize("relation", ["less", "less_equal"])
def test_a_condition_on_the_trip_count(relation: str) -> None:
    """`i + more < n` in a loop of n trips, asked before the first iteration too or not: no loop ends where it did not."""
    gone = 0
    for more, entered in product(range(-2, 4), (False, True)):
        constant = f"%more = ov.constant dense<{more}> : tensor<i64> : tensor<i64>"
        entry = f"%first = ov.subtract %more, %one; %go = ov.{relation} %first, %trips" if entered else ""
        loop = Loop("", f"%d = ov.add %i, %more; %again = ov.{relation} %d, %trips", f"{constant}; {entry}")
        module = loop.module()
        other = optimised(module)
        gone += not conditions(other)
        feeds = [{"begin": 0, "end": 0, "other": 0, "trips": n} for n in (-6, -2, -1, 0, 1, 2, 3, 7)]
        assert_same(module, other, feeds)
    assert gone > 8


def test_a_counter_of_few_bits_that_is_converted() -> None:
    """It comes round the end of its type: the numbers of more bits do not go on."""
    module = program("""
func.func @main(%end: tensor<i64>, %trips: tensor<i64>) -> tensor<i64> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %low = ov.constant dense<0> : tensor<i8> : tensor<i8>
  %step = ov.constant dense<1> : tensor<i8> : tensor<i8>
  %k_end, %n_end = ov.loop trip(%trips) carried(%low, %zero) : (tensor<i64>, tensor<i8>, tensor<i64>) -> (tensor<i8>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i8>, %n: tensor<i64>):
    %k1 = ov.add %k, %step : (tensor<i8>, tensor<i8>) -> tensor<i8>
    %n1 = ov.add %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %wide = ov.convert %k1 {destination_type = i64} : (tensor<i8>) -> tensor<i64>
    %again = ov.less %wide, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %n1 : tensor<i8>, tensor<i64>)
  }
  func.return %n_end : tensor<i64>
}""")
    feeds = [{"end": end, "trips": 300} for end in (0, 5, 127, 128, 200)]
    assert_same(module, optimised(module), feeds)
