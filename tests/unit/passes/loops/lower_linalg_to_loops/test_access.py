"""Accesses without dimensions of one element behind all others: of packed memrefs and of views with strides."""

from __future__ import annotations

import pytest
from xdsl.dialects import memref

from loomir.compiler.formats.mlir.parser import parse_module
from tests.unit.passes.loops.lower_linalg_to_loops.nests import access, lowered


@pytest.mark.parametrize(
    ("memref", "lanes"),
    [
        ("64x1xf32", 1),
        ("64x1x1xf32", 1),
        ("64x1xf32, strided<[1, 1], offset: ?>", 1),
        ("64x1xf32, strided<[1, 64], offset: ?>", 1),
        ("64x1xf32, strided<[3, 1], offset: ?>", None),
        ("64x1xf32, strided<[?, 1], offset: ?>", None),
        ("?x1xf32, strided<[1, 1], offset: ?>", 1),
        ("64x2xf32, strided<[1, 64]>", None),
    ],
)
def test_a_column_steps_along_its_elements(memref: str, lanes: int | None) -> None:
    zeros = ", 0" * (memref.partition("xf32")[0].count("x"))
    assert access(memref, f"a{zeros}", 1).squeezed().lanes(0) == lanes


def test_all_of_one_element() -> None:
    found = access("1x1xf32, strided<[5, 1], offset: ?>", "0, 0", 1).squeezed()
    assert found.groups == ((0, 1),)
    assert found.lanes(0) == 0


PROGRAM = """
func.func @main(%t: index {loomir.name = "t"}, %x: memref<9x32xf32> {loomir.name = "x"}, %w: memref<8x32xf32> {loomir.name = "w"},
    %o: memref<8x32xf32> {loomir.name = "o", loomir.role = "output"}) {
  %v = memref.subview %x[%t, 0] [1, 32] [1, 1] : memref<9x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
  %f = memref.collapse_shape %v [[0, 1]] : memref<1x32xf32, strided<[32, 1], offset: ?>> into memref<32xf32, strided<[1], offset: ?>>
  %c = memref.expand_shape %f [[0, 1]] output_shape [32, 1] : memref<32xf32, strided<[1], offset: ?>>
      into memref<32x1xf32, strided<[1, 1], offset: ?>>
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (b, 0)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%c, %w : memref<32x1xf32, strided<[1, 1], offset: ?>>, memref<8x32xf32>) outs(%o : memref<8x32xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  }
  func.return
}
"""


def test_vectors_of_a_column_of_a_view() -> None:
    """It is read as a row, by way of a view whose type is that of upstream."""
    module = lowered(parse_module(PROGRAM))
    (view,) = [
        op
        for op in module.walk()
        if isinstance(op, memref.CollapseShapeOp) and "32x1xf32" in str(op.src.type)
    ]
    assert str(view.result.type) == "memref<32xf32, strided<[1], offset: ?>>"
    assert "vector<8xf32>" in str(module)
