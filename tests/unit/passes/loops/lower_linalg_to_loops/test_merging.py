"""Neighbouring loops that are one, and near misses."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp

from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import merged_loops
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

# 6 × 5 pixels of 16 channels, times 16 × 8.
EXTENTS = {0: 6, 1: 5, 2: 8, 3: 16}
X = access("6x5x16xf32", "a, b, d", 4)
W = access("16x8xf32", "d, c", 4)
OUT = access("6x5x8xf32", "a, b, c", 4)
LOOPS = [0, 1, 2]


def test_pixels_are_rows() -> None:
    merged = merged_loops([X, W, OUT, None], LOOPS, EXTENTS, ())
    assert merged.pairs == ((0, 1),)
    assert merged.extents(EXTENTS) == {0: 1, 1: 30, 2: 8, 3: 16}
    assert [merged.has(dim) for dim in EXTENTS] == [True, True, False, False]
    x, w, o, nothing = merged.all_of([X, W, OUT, None])
    assert nothing is None
    assert x is not None
    assert o is not None
    assert coordinates(x, "b, d", 4)
    assert coordinates(w, "d, c", 4)
    assert coordinates(o, "b, c", 4)
    assert x.shape == (30, 16)
    assert x.strides == (16, 1)
    assert x.groups == ((0, 1), (2,))
    assert o.shape == (30, 8)


def test_an_elementwise_nest_is_one_loop() -> None:
    one = access("2x3x5xf32", "a, b, c", 3)
    merged = merged_loops([one, one], [0, 1, 2], {0: 2, 1: 3, 2: 5}, ())
    assert merged.pairs == ((1, 2), (0, 2))
    assert merged.extents({0: 2, 1: 3, 2: 5}) == {0: 1, 1: 1, 2: 30}
    found = merged.of(one)
    assert coordinates(found, "c", 3)
    assert found.shape == (30,)


def test_loops_that_are_done_once_move_nothing() -> None:
    """The filter's of a 1 × 1 convolution, whose coordinates are sums."""
    x, w = access("6x5x16xf32", "a + d, b + e, f", 6), access("8x1x1x16xf32", "c, d, e, f", 6)
    o = access("6x5x8xf32", "a, b, c", 6)
    merged = merged_loops([x, w, o], LOOPS, {0: 6, 1: 5, 2: 8, 3: 1, 4: 1, 5: 16}, ())
    assert merged.pairs == ((0, 1),)
    assert coordinates(merged.of(x), "b, f", 6)
    larger = merged_loops([x, w, o], LOOPS, {0: 6, 1: 5, 2: 8, 3: 1, 4: 2, 5: 16}, ())
    assert larger.pairs == ()


@pytest.mark.parametrize(
    ("x", "o", "loops", "fixed"),
    [
        pytest.param(access("5x6x16xf32", "b, a, d", 4), OUT, LOOPS, (), id="the other way round"),
        pytest.param(access("6x16x5xf32", "a, d, b", 4), OUT, LOOPS, (), id="no neighbours"),
        pytest.param(access("6x16xf32", "a, d", 4), OUT, LOOPS, (), id="only the outer one"),
        pytest.param(access("5x16xf32", "b, d", 4), OUT, LOOPS, (), id="only the inner one"),
        pytest.param(access("6x7x16xf32", "a, b, d", 4), OUT, LOOPS, (), id="a part of each row"),
        pytest.param(access("6x7x16xf32", "a, b + 1, d", 4), OUT, LOOPS, (), id="shifted"),
        pytest.param(access("6x10x16xf32", "a, b * 2, d", 4), OUT, LOOPS, (), id="every second one"),
        pytest.param(access("6x5x6xf32", "a, b, a", 4), OUT, LOOPS, (), id="along a third dimension, too"),
        pytest.param(access("6x5x16xf32", "a + d, b, d", 4), OUT, LOOPS, (), id="with another loop"),
        pytest.param(
            access("6x5x16xf32, strided<[160, 32, 2]>", "a, b, d", 4), OUT, LOOPS, (), id="a part of a buffer"
        ),
        pytest.param(access("?x5x16xf32", "a, b, d", 4), OUT, LOOPS, (), id="an extent that is not known"),
        pytest.param(X, OUT, LOOPS, (0,), id="padding"),
        pytest.param(X, OUT, [1, 2], (), id="a loop whose number is asked"),
        pytest.param(X, access("5x6x8xf32", "b, a, c", 4), LOOPS, (), id="an output the other way round"),
    ],
)
def test_near_misses(x: object, o: object, loops: list[int], fixed: tuple[int, ...]) -> None:
    assert merged_loops([x, W, o], loops, EXTENTS, fixed).pairs == ()  # pyright: ignore[reportArgumentType]


def test_only_padding_of_these_loops_is_in_the_way() -> None:
    other = access("16x8xf32", "d, c", 4)
    assert merged_loops([X, other, OUT], LOOPS, EXTENTS, (1,)).pairs == ((0, 1),)


def product(x: str, x_map: str) -> ModuleOp:
    return parse(
        [x, "w: 16x8"],
        ["o: 6x5x8"],
        zeroed("o: 6x5x8") + generic(f"{x_map}; d, c; a, b, c", "pppr", [x, "w: 16x8"], ["o: 6x5x8"]),
    )


def test_a_merged_product_computes_the_same() -> None:
    module = lowered(product("x: 6x5x16", "a, b, d"))
    views = [op.results[0].type for op in module.walk() if isinstance(op, memref.CollapseShapeOp)]
    assert [str(type_) for type_ in views] == ["memref<30x16xf32>", "memref<30x8xf32>"]
    x, w = whole(6, 5, 16), whole(16, 8)
    np.testing.assert_array_equal(run(module, x=x, w=w)["o"], x @ w)
    turned = lowered(product("x: 5x6x16", "b, a, d"))
    assert not [op for op in turned.walk() if isinstance(op, memref.CollapseShapeOp)]
    np.testing.assert_array_equal(run(turned, x=x.transpose(1, 0, 2), w=w)["o"], x @ w)


def test_an_epilogue_goes_along() -> None:
    """Its operands are seen as the loops are; one that has but one of them keeps these apart."""
    for scale, scale_map, merges in (("f: 6x5x8", "a, b, c", True), ("f: 6", "a", False)):
        body = "^bb0(%p: f32, %q: f32, %old: f32):\n%r = arith.mulf %p, %q : f32\nlinalg.yield %r : f32\n}"
        module = parse(
            ["x: 6x5x16", "w: 16x8", scale],
            ["o: 6x5x8"],
            zeroed("t: 6x5x8")
            + generic("a, b, d; d, c; a, b, c", "pppr", ["x: 6x5x16", "w: 16x8"], ["t: 6x5x8"])
            + generic(f"a, b, c; {scale_map}; a, b, c", "ppp", ["t: 6x5x8", scale], ["o: 6x5x8"], body),
            temporaries=["t: 6x5x8"],
        )
        lowered(module)
        assert any(isinstance(op, memref.CollapseShapeOp) for op in module.walk()) is merges
        x, w, f = whole(6, 5, 16), whole(16, 8), whole(6, 5, 8) if merges else whole(6)
        expected = (x @ w) * (f if merges else f[:, None, None])
        np.testing.assert_array_equal(run(module, x=x, w=w, f=f)["o"], expected)


def test_loops_whose_number_the_body_asks_stay() -> None:
    body = """^bb0(%p: f32, %old: f32):
  %i = linalg.index 0 : index
  %k = arith.index_cast %i : index to i32
  %f = arith.sitofp %k : i32 to f32
  %r = arith.addf %p, %f : f32
  linalg.yield %r : f32
}"""
    module = lowered(
        parse(
            ["x: 3x4x8"], ["o: 3x4x8"], generic("a, b, c; a, b, c", "ppp", ["x: 3x4x8"], ["o: 3x4x8"], body)
        )
    )
    assert sum(isinstance(op, scf.ForOp) for op in module.walk()) == 2
    x = whole(3, 4, 8)
    np.testing.assert_array_equal(run(module, x=x)["o"], x + np.arange(3, dtype=np.float32)[:, None, None])
