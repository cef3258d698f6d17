"""Bodies of vector nests, compared with numpy.

Results may lie apart in memory, and epilogues may go by way of a tile.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from xdsl.dialects import math, memref, vector
from xdsl.dialects.builtin import MemRefType, ModuleOp

from tests.unit.passes.loops.lower_linalg_to_loops.nests import (
    generic,
    lowered,
    parse,
    run,
    whole,
    zeroed,
)

ADD = "^bb0(%p: f32, %q: f32, %old: f32):\n%r = arith.addf %p, %q : f32\nlinalg.yield %r : f32\n}"
# (Of whole numbers: the least that a function of the C library is to a pass, and still exact.)
LARGE = """^bb0(%p: f32, %q: f32, %old: f32):
  %y = math.tanh %q : f32
  %z = math.exp %y : f32
  %r = arith.addf %p, %z : f32
  linalg.yield %r : f32
}"""
ROWS, COLUMNS, DEPTH = 7, 21, 3
SHAPES = {"a": ROWS, "b": COLUMNS, "c": DEPTH}


def shape(map: str) -> tuple[int, ...]:
    return tuple(SHAPES[loop] for loop in map.split(", "))


def operand(name: str, map: str) -> str:
    return f"{name}: {'x'.join(str(extent) for extent in shape(map))}"


def allocated(module: ModuleOp) -> list[tuple[int, ...]]:
    types = [op.results[0].type for op in module.walk() if isinstance(op, memref.AllocOp)]
    return [t.get_shape() for t in types if isinstance(t, MemRefType)]


def kinds(module: ModuleOp, kind: type) -> int:
    return sum(isinstance(op, kind) for op in module.walk())


def product_and_sum(between: str, other: str, out: str, body: str) -> ModuleOp:
    """x · w + other, each operand in an order of its own."""
    x, w, t = operand("x", "a, c"), operand("w", "c, b"), operand("u", between)
    q, o = operand("f", other), operand("o", out)
    return parse(
        [x, w, q],
        [o],
        zeroed(t)
        + generic(f"a, c; c, b; {between}", "ppr", [x, w], [t])
        + generic(f"{between}; {other}; {out}", "pp", [t, q], [o], body),
        temporaries=[t],
    )


@pytest.mark.parametrize("machine", ["x86-64", "x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize(
    ("between", "other", "out", "body"),
    itertools.product(("a, b", "b, a"), ("a, b", "b, a", "a", "b"), ("a, b", "b, a"), (ADD, LARGE)),
    ids=lambda each: {ADD: "small", LARGE: "large"}.get(each, each.replace(", ", "")),
)
def test_operands_in_any_order(machine: str, between: str, other: str, out: str, body: str) -> None:
    module = product_and_sum(between, other, out, body)
    lowered(module, machine)
    assert kinds(module, vector.StoreOp)
    x, w, q = whole(ROWS, DEPTH), whole(DEPTH, COLUMNS), whole(*shape(other))
    value = {"a, b": q, "b, a": q.T, "a": q[:, None], "b": q}[other]
    added = value if body == ADD else np.exp(np.tanh(value))
    expected = x @ w + added
    found = run(module, x=x, w=w, f=q)["o"]
    np.testing.assert_allclose(found, expected if out == "a, b" else expected.T, rtol=1e-6 * (body == LARGE))


def test_results_apart_go_by_way_of_a_tile() -> None:
    x, w, o = "x: 8x4", "w: 4x16", "o: 16x8"
    module = lowered(parse([x, w], [o], zeroed(o) + generic("a, c; c, b; b, a", "ppr", [x, w], [o])))
    (buffer,) = allocated(module)
    assert buffer[-1] == 16
    # All vectors of a tile are put into it, and taken out one by one.
    assert kinds(module, vector.StoreOp) == buffer[0] * 2
    assert kinds(module, memref.StoreOp) == 1
    a, b = whole(8, 4), whole(4, 16)
    np.testing.assert_array_equal(run(module, x=a, w=b)["o"], (a @ b).T)


def test_two_results_of_which_one_lies_apart() -> None:
    body = """^bb0(%p: f32, %q: f32, %sum: f32, %most: f32):
  %m = arith.mulf %p, %q : f32
  %s = arith.addf %sum, %m : f32
  %t = arith.maximumf %most, %m : f32
  linalg.yield %s, %t : f32, f32
}"""
    x, w, o, u = "x: 6x5", "w: 5x19", "o: 6x19", "u: 19x6"
    module = lowered(
        parse(
            [x, w],
            [o, u],
            zeroed(o) + zeroed(u) + generic("a, c; c, b; a, b; b, a", "ppr", [x, w], [o, u], body),
        )
    )
    assert kinds(module, vector.StoreOp)
    a, b = whole(6, 5), whole(5, 19)
    found = run(module, x=a, w=b)
    np.testing.assert_array_equal(found["o"], a @ b)
    products = a[:, :, None] * b
    np.testing.assert_array_equal(found["u"], np.maximum(products.max(1), 0).T)


@pytest.mark.parametrize(("body", "loops"), [(ADD, False), (LARGE, True)], ids=["small", "large"])
def test_a_large_epilogue_is_there_once_for_each_tile(body: str, loops: bool) -> None:
    """Of 8 × 16 results, a tile of which is several vectors, one copy computes what it adds."""
    x, w, t, q, o = "x: 8x4", "w: 4x16", "u: 8x16", "f: 8x16", "o: 8x16"
    module = parse(
        [x, w, q],
        [o],
        zeroed(t)
        + generic("a, c; c, b; a, b", "ppr", [x, w], [t])
        + generic("a, b; a, b; a, b", "pp", [t, q], [o], body),
        temporaries=[t],
    )
    lowered(module)
    assert bool(allocated(module)) is loops
    assert kinds(module, math.TanhOp) == (2 if loops and len(allocated(module)) == 2 else int(loops))


def test_a_large_epilogue_of_weights_in_blocks_whose_results_lie_apart() -> None:
    """All at once: loops in blocks, merged pixels, a tile of memory for the epilogue, another one for its results."""
    x, w, t, q, o = "x: 3x4x5", "w: 2x5x8", "u: 3x4x16", "f: 16x3x4", "o: 16x3x4"
    module = parse(
        [x, w, q],
        [o],
        zeroed(t)
        + generic("a, b, d; c floordiv 8, d, c mod 8; a, b, c", "pppr", [x, w], [t])
        + generic("a, b, c; c, a, b; c, a, b", "ppp", [t, q], [o], LARGE),
        temporaries=[t],
    )
    lowered(module)
    assert kinds(module, vector.StoreOp)
    assert kinds(module, memref.CollapseShapeOp)
    a, b, c = whole(3, 4, 5), whole(2, 5, 8), whole(16, 3, 4)
    expected = (a @ np.moveaxis(b, 0, 1).reshape(5, 16)).transpose(2, 0, 1) + np.exp(np.tanh(c))
    np.testing.assert_allclose(run(module, x=a, w=b, f=c)["o"], expected, rtol=1e-6)


def test_weights_in_blocks_without_tiles() -> None:
    """Divided indices are computed without tiles, or without vectors on the machine."""
    x, w, o = "x: 3x5", "w: 2x5x8", "o: 3x16"
    a, b = whole(3, 5), whole(2, 5, 8)
    module = parse(
        [x, w], [o], zeroed(o) + generic("a, c; b floordiv 8, c, b mod 8; a, b", "ppr", [x, w], [o])
    )
    lowered(module, "generic")
    assert not kinds(module, vector.StoreOp)
    np.testing.assert_array_equal(run(module, x=a, w=b)["o"], a @ np.moveaxis(b, 0, 1).reshape(5, 16))
