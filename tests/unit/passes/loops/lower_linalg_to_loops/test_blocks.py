"""Loops in blocks: which there are, what accesses become, and that weights in blocks are read without dividing."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import arith

from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import Blocks, blocks_of
from tests.unit.passes.loops.lower_linalg_to_loops.nests import (
    access,
    coordinates,
    generic,
    lowered,
    parse,
    run,
    whole,
    zeroed,
)

EXTENTS = {0: 6, 1: 24, 2: 16}
X = access("6x16xf32", "a, c", 3)
W = access("3x16x8xf32", "b floordiv 8, c, b mod 8", 3)
OUT = access("6x24xf32", "a, b", 3)


def test_a_weight_in_blocks_says_how_long_they_are() -> None:
    assert blocks_of([X, W, OUT], [0, 1], EXTENTS, 3) == Blocks(dim=1, inner=3, size=8)
    # Operands that are no memrefs have no access.
    assert blocks_of([None, W, None], [0, 1], EXTENTS, 3) == Blocks(dim=1, inner=3, size=8)


@pytest.mark.parametrize(
    ("accesses", "parallel", "extents"),
    [
        pytest.param([X, access("16x24xf32", "c, b", 3), OUT], [0, 1], EXTENTS, id="no blocks"),
        pytest.param([X, W, OUT], [0, 2], EXTENTS, id="a reduction"),
        pytest.param([X, W, OUT], [0, 1], {**EXTENTS, 1: 20}, id="a block that is not whole"),
        pytest.param(
            [X, access("3x16x9xf32", "b floordiv 8, c, b mod 8", 3), OUT],
            [0, 1],
            EXTENTS,
            id="a gap behind each block",
        ),
        pytest.param(
            [X, W, access("6x6x4xf32", "a, b floordiv 4, b mod 4", 3)], [0, 1], EXTENTS, id="two sizes"
        ),
        pytest.param(
            [X, W, access("6x3x8xf32", "a, b ceildiv 8, b mod 8", 3)], [0, 1], EXTENTS, id="rounded up"
        ),
        pytest.param(
            [X, access("3x16x8xf32", "(b + 1) floordiv 8, c, (b + 1) mod 8", 3), OUT],
            [0, 1],
            EXTENTS,
            id="shifted",
        ),
        pytest.param(
            [X, W, access("6x4x8xf32", "a, (b + 1) floordiv 8, b mod 8", 3)],
            [0, 1],
            EXTENTS,
            id="one shifted",
        ),
        pytest.param([access("f32", "", 3)], [0, 1], EXTENTS, id="no coordinates"),
    ],
)
def test_near_misses(accesses: list, parallel: list[int], extents: dict[int, int]) -> None:
    assert blocks_of(accesses, parallel, extents, 3) is None


def test_accesses_are_functions_of_both_loops() -> None:
    blocks = Blocks(dim=1, inner=3, size=8)
    x, w, o, nothing = blocks.all_of([X, W, OUT, None])
    assert nothing is None
    assert coordinates(x, "a, c", 4)
    assert coordinates(w, "b, c, d", 4)
    assert coordinates(o, "a, b * 8 + d", 4)
    assert blocks.extents(EXTENTS) == {0: 6, 1: 3, 2: 16, 3: 8}
    # Vectors run along the inner one; the loop itself is none for them any more.
    assert w is not None
    assert W.lanes(1) is None
    assert w.lanes(3) == 1
    # A loop with a factor, and a division that another loop has.
    assert coordinates(blocks.of(access("99xf32", "b * 2 + a + 1", 3)), "b * 16 + d * 2 + a + 1", 4)
    assert coordinates(blocks.of(access("99x8xf32", "b, c floordiv 4", 3)), "b * 8 + d, c floordiv 4", 4)


@pytest.mark.parametrize("size", [8, 12, 16])
def test_no_index_divides(size: int) -> None:
    """Blocks of one vector, of one and a half, and of two."""
    x, w, b, o = "x: 5x7", f"w: 3x7x{size}", f"b: {3 * size}", f"o: 5x{3 * size}"
    bias = """^bb0(%p: f32, %q: f32, %old: f32):
  %s = arith.addf %p, %q : f32
  linalg.yield %s : f32
}"""
    module = parse(
        [x, w, b],
        [o],
        zeroed(f"t: 5x{3 * size}")
        + generic(f"a, c; b floordiv {size}, c, b mod {size}; a, b", "ppr", [x, w], [f"t: 5x{3 * size}"])
        + generic("a, b; b; a, b", "pp", [f"t: 5x{3 * size}", b], [o], bias),
        temporaries=[f"t: 5x{3 * size}"],
    )
    lowered(module)
    assert not [op for op in module.walk() if isinstance(op, arith.DivUIOp | arith.RemUIOp)]
    x, w, b = whole(5, 7), whole(3, 7, size), whole(3 * size)
    expected = x @ np.moveaxis(w, 0, 1).reshape(7, 3 * size) + b
    np.testing.assert_array_equal(run(module, x=x, w=w, b=b)["o"], expected)
