"""Size of operations in the emitted C, including those in regions."""

from __future__ import annotations

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.interface import main_function
from loomir.passes.analysis.costs import NEST_SIZE, NestSizes, code_size, code_size_of_block

NESTED = """
func.func @main(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<2x2xf32>):
    %b = ov.if %c -> (tensor<2x2xf32>) {
      %p = ov.mat_mul %v, %v : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      ov.yield %p : tensor<2x2xf32>
    } else {
      ov.yield %v : tensor<2x2xf32>
    }
    ov.next carried(%b : tensor<2x2xf32>)
  }
  func.return %r : tensor<2x2xf32>
}"""
SIMPLE = NESTED.replace("ov.mat_mul %v, %v", "ov.add %v, %v")


def test_what_is_in_a_nested_loop_counts() -> None:
    nested, simple = (main_function(parse_module(text)).body.block for text in (NESTED, SIMPLE))
    assert code_size_of_block(nested) - code_size_of_block(simple) == NEST_SIZE - 1
    loops = [next(iter(block.ops)) for block in (nested, simple)]
    sizes = [code_size(loop) for loop in loops]
    assert sizes[0] - sizes[1] == NEST_SIZE - 1
    assert [NestSizes(loop, [loop]).size(loop) for loop in loops] == sizes
