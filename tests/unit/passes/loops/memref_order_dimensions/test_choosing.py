"""The order of each buffer by what vectors cost with it: results that are turned around on the way, families by themselves."""

from __future__ import annotations

from itertools import pairwise

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp

from loomir.passes.loops.memref_order_dimensions import chosen_orders
from loomir.passes.loops.memref_order_dimensions.permutation import Families
from tests.unit.passes.loops.lower_linalg_to_loops.nests import generic, parse

LANES = 8
ROWS, COLUMNS = 32, 64
NEGATED = "^bb0(%p: f32, %old: f32):\n%r = arith.negf %p : f32\nlinalg.yield %r : f32\n}"


def permuted(module: ModuleOp) -> list[list[int] | None]:
    """The order of each buffer, in the order in which they are allocated; None where it stays."""
    (function,) = [op for op in module.walk() if isinstance(op, func.FuncOp)]
    orders = chosen_orders(function, Families(function), LANES)
    buffers = [op.results[0] for op in module.walk() if isinstance(op, memref.AllocOp)]
    assert all(isinstance(buffer.type, MemRefType) for buffer in buffers)
    return [orders.get(buffer) for buffer in buffers]


def turned_product(depth: int, readers: int, between: int = 0) -> ModuleOp:
    """A product whose results come columns first, `between` buffers that are made of each other, and outputs that are made of the last."""
    x, w = f"x: {ROWS}x{depth}", f"w: {depth}x{COLUMNS}"
    buffers = [f"t{n}: {COLUMNS}x{ROWS}" for n in range(between + 1)]
    outs = [f"o{n}: {COLUMNS}x{ROWS}" for n in range(readers)]
    body = generic("a, c; c, b; b, a", "ppr", [x, w], [buffers[0]])
    for source, target in pairwise(buffers):
        body += generic("a, b; a, b", "pp", [source], [target], NEGATED)
    for out in outs:
        body += generic("a, b; a, b", "pp", [buffers[-1]], [out], NEGATED)
    return parse([x, w], outs, body, temporaries=buffers)


def test_results_are_turned_around_where_readers_want_them_so() -> None:
    """One reader without vectors costs less than results that lie apart, two cost more."""
    assert permuted(turned_product(4, readers=1)) == [[1, 0]]
    assert permuted(turned_product(4, readers=2)) == [None]
    # How many products are added up makes no difference to that.
    assert permuted(turned_product(64, readers=1)) == [[1, 0]]
    assert permuted(turned_product(64, readers=2)) == [None]


def test_a_buffer_by_itself() -> None:
    """Both buffers in the other order would leave two readers without vectors, the first one alone but one."""
    assert permuted(turned_product(16, readers=2, between=1)) == [[1, 0], None]
    # With one reader both change: only that one has no vectors.
    assert permuted(turned_product(16, readers=1, between=1)) == [[1, 0], [1, 0]]


def test_what_reduces_nothing_turns_nothing_around() -> None:
    """Written in another order than its three inputs have it has no vectors; for that its reader of two inputs has none."""
    inputs, u = [f"{name}: {ROWS}x{COLUMNS}" for name in "xyz"], f"u: {COLUMNS}x{ROWS}"
    t, o = f"t: {COLUMNS}x{ROWS}", f"o: {COLUMNS}x{ROWS}"
    three = """^bb0(%p: f32, %q: f32, %r: f32, %old: f32):
  %s = arith.addf %p, %q : f32
  %v = arith.addf %s, %r : f32
  linalg.yield %v : f32
}"""
    two = "^bb0(%p: f32, %q: f32, %old: f32):\n%r = arith.addf %p, %q : f32\nlinalg.yield %r : f32\n}"
    body = generic("a, b; a, b; a, b; b, a", "pp", inputs, [t], three)
    body += generic("a, b; a, b; a, b", "pp", [t, u], [o], two)
    assert permuted(parse([*inputs, u], [o], body, temporaries=[t])) == [[1, 0]]
