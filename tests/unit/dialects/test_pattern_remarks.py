"""Remarks of `canonicalize` on patterns and on removed loops and branches."""

from __future__ import annotations

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.diagnostics import Remark, listening

TEXT = """
func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
  %t = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %r = ov.if %t -> (tensor<2xf32>) {
    ov.yield %x : tensor<2xf32>
  } else {
    %e = ov.exp %x : (tensor<2xf32>) -> tensor<2xf32>
    ov.yield %e : tensor<2xf32>
  }
  %s = ov.if %c -> (tensor<2xf32>) {
    %e = ov.exp %x : (tensor<2xf32>) -> tensor<2xf32>
    ov.yield %e : tensor<2xf32>
  } else {
    ov.yield %x : tensor<2xf32>
  }
  func.return RESULT : tensor<2xf32>
}
"""


def remarks_of(result: str) -> list[Remark]:
    heard: list[Remark] = []
    with listening(heard.append):
        run_passes(parse_module(TEXT.replace("RESULT", result)), "canonicalize")
    return heard


def test_what_is_gone_is_told_with_the_pattern_or_that_nothing_needs_it() -> None:
    gone = {r.position[1]: r for r in remarks_of("%r") if r.text.startswith("removed") and r.position}
    assert gone[4].text == "removed: KnownCondition"
    assert gone[4].numbers == {"gone": 1}
    assert gone[10].text == "removed: it is unused"


def test_what_stays_is_not_told_and_patterns_are_counted() -> None:
    heard = remarks_of("%s")
    assert not any(
        r.text.startswith("removed") and r.position is not None and r.position[1] == 10 for r in heard
    )
    heard = remarks_of("%r")
    counted = {r.text: r.numbers for r in heard if " applied " in r.text}
    assert counted
    assert all(numbers["times"] >= 1 for numbers in counted.values())
    # Each at the first operation that it was applied to.
    assert all(r.position is not None for r in heard if " applied " in r.text)
