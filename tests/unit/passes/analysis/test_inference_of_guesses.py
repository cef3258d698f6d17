"""Facts of loop-carried values that are guessed: a guess that an iteration contradicts holds for nothing, contents included."""

from __future__ import annotations

import pytest

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.interface import main_function
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.passes.analysis.inference import Inference, infer


def inferred(text: str) -> tuple[LoopOp, Inference]:
    """The one loop of `main`, and what is known of all values."""
    module = parse_module(text)
    (loop,) = [op for op in main_function(module).walk() if isinstance(op, LoopOp)]
    return loop, infer(module)


@pytest.mark.parametrize(
    ("type_", "begin", "bound", "step", "relation"),
    [
        ("ui8", 26, 79, "subtract", "less"),
        ("ui16", 26, 79, "subtract", "less_equal"),
        ("i8", -102, -1, "subtract", "less"),
        ("i8", 101, 48, "add", "greater"),
        ("i16", 32741, 32688, "add", "greater_equal"),
        ("i32", 7, 0, "multiply", "greater_equal"),
    ],
)
def test_a_condition_that_only_wrap_around_decides_is_not_known(
    type_: str, begin: int, bound: int, step: str, relation: str
) -> None:
    """The counter goes away from the bound until it wraps round: what three iterations say holds for no later one."""
    loop, inference = inferred(f"""
    func.func @main() -> tensor<{type_}> {{
      %begin = ov.constant dense<{begin}> : tensor<{type_}> : tensor<{type_}>
      %bound = ov.constant dense<{bound}> : tensor<{type_}> : tensor<{type_}>
      %three = ov.constant dense<3> : tensor<{type_}> : tensor<{type_}>
      %go = ov.constant dense<true> : tensor<i1> : tensor<i1>
      %r = ov.loop while(%go) carried(%begin) : (tensor<i1>, tensor<{type_}>) -> (tensor<{type_}>) {{
      ^bb0(%i: tensor<i64>, %k: tensor<{type_}>):
        %next = ov.{step} %k, %three : (tensor<{type_}>, tensor<{type_}>) -> tensor<{type_}>
        %again = ov.{relation} %k, %bound : (tensor<{type_}>, tensor<{type_}>) -> tensor<i1>
        ov.next while(%again) carried(%next : tensor<{type_}>)
      }}
      func.return %r : tensor<{type_}>
    }}""")
    assert loop.next.cond is not None
    assert inference.fact(loop.next.cond).value is None


def test_elements_of_a_sequence_whose_contents_change_late() -> None:
    """The element stays 24 for three iterations, of a counter whose bounds are forgotten then: nothing is known of it."""
    loop, inference = inferred(
        """
    func.func @main(%go: tensor<i1>) -> tensor<i64> {
      %begin = ov.constant dense<28> : tensor<i64> : tensor<i64>
      %most = ov.constant dense<24> : tensor<i64> : tensor<i64>
      %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
      %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
      %first = ovseq.construct %most : (tensor<i64>) -> !q
      %r, %s = ov.loop while(%go) carried(%begin, %first) : (tensor<i1>, tensor<i64>, !q) -> (tensor<i64>, !q) {
      ^bb0(%i: tensor<i64>, %k: tensor<i64>, %q: !q):
        %e = ovseq.at %q, %zero : (!q, tensor<i64>) -> tensor<i64>
        %again = ov.greater %e, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %next = ov.subtract %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
        %least = ov.minimum %next, %most : (tensor<i64>, tensor<i64>) -> tensor<i64>
        %p = ovseq.construct %least : (tensor<i64>) -> !q
        ov.next while(%again) carried(%next, %p : tensor<i64>, !q)
      }
      func.return %r : tensor<i64>
    }""".replace("!q", "!ovseq.sequence<tensor<i64>>")
    )
    assert loop.next.cond is not None
    assert inference.fact(loop.next.cond).value is None


def test_an_extent_that_grows_unevenly_is_not_guessed() -> None:
    """There are 0, 1, 1, 2, 2 … rows. As many as three iterations have are not as many as there may be in a later one."""
    loop, inference = inferred("""
    func.func @main(%x: tensor<2xf32>) -> tensor<?xf32> {
      %n = ov.constant dense<100> : tensor<i64> : tensor<i64>
      %first = ov.constant dense<> : tensor<0xf32> : tensor<0xf32>
      %begin = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
      %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
      %two = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
      %k, %y = ov.loop trip(%n) carried(%begin, %first) : (tensor<i64>, tensor<1xi64>, tensor<0xf32>) -> (tensor<1xi64>, tensor<?xf32>) {
      ^bb0(%i: tensor<i64>, %c: tensor<1xi64>, %a: tensor<?xf32>):
        %b = ov.convert %a {destination_type = f64} : (tensor<?xf32>) -> tensor<?xf64>
        %low = ov.minimum %c, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        %late = ov.subtract %c, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        %later = ov.maximum %late, %begin : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        %high = ov.minimum %later, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        %rows = ov.add %low, %high : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        %s = ov.slice %x, %begin, %rows, %one : (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
        %next = ov.add %c, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        ov.next carried(%next, %s : tensor<1xi64>, tensor<?xf32>)
      }
      func.return %y : tensor<?xf32>
    }""")
    (convert,) = [op for op in loop.walk() if isinstance(op, ConvertOp)]
    shape = inference.fact(convert.operands[0]).shape
    assert shape is not None
    assert shape[0].hi is None or shape[0].hi >= 2
