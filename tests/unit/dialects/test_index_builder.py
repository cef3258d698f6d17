"""Arithmetic that folds: the same numbers whatever is known, and no operation where nothing has to be computed."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, TensorType, UnknownLoc, f32, f64, i64
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.index_builder import INDEX, ConstantPool, Extent, Folding, IndexBuilder, extent_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.scalars import SCALARS
from loomir.passes.graph.lib.decompositions import Sizes

MEANINGS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "rem": lambda a, b: a % b,
    "divui": lambda a, b: a // b,
    "remui": lambda a, b: a % b,
    "min": min,
    "max": max,
}
POSITIVE_DIVISORS = {"floordiv", "ceildiv", "rem", "divui", "remui"}
NOT_NEGATIVE = {"rem", "divui", "remui"}
NUMBERS = (-7, -1, 0, 1, 2, 5)


def builder() -> tuple[IndexBuilder, Block]:
    """A builder in a block with two arguments."""
    block = Block(arg_types=[INDEX, INDEX])
    return IndexBuilder(InsertPoint.at_end(block), ConstantPool(block), UnknownLoc()), block


def evaluate(block: Block, extent: Extent | bool, arguments: tuple[int, int]) -> int:
    """The number that an extent is, by what was emitted into the block."""
    values: dict[SSAValue, np.integer | np.bool_] = dict(zip(block.args, map(np.int64, arguments)))
    for op in block.ops:
        if isinstance(op, arith.ConstantOp):
            assert isinstance(op.value, IntegerAttr)
            values[op.result] = np.int64(op.value.value.data)
        elif isinstance(op, arith.SelectOp):
            values[op.result] = values[op.lhs] if values[op.cond] else values[op.rhs]
        else:
            values[op.results[0]] = SCALARS[type(op)].numpy(op)(*(values[v] for v in op.operands))
    return int(values[extent]) if isinstance(extent, SSAValue) else int(extent)


def forms(block: Block, a: int, b: int) -> list[tuple[Extent, Extent]]:
    """Two numbers as known and unknown extents, in all ways."""
    return list(product((a, block.args[0]), (b, block.args[1])))


@pytest.mark.parametrize("name", MEANINGS)
def test_whatever_is_known_the_number_is_the_same(name: str) -> None:
    for a, b in product(NUMBERS, NUMBERS):
        if (name in POSITIVE_DIVISORS and b <= 0) or (name in NOT_NEGATIVE and a < 0):
            continue
        for which in range(4):
            build, block = builder()
            x, y = forms(block, a, b)[which]
            result = getattr(build, name)(x, y)
            assert evaluate(block, result, (a, b)) == MEANINGS[name](a, b), (name, a, b, which)
            if which == 0:
                assert result == MEANINGS[name](a, b)
                assert block.is_empty


@pytest.mark.parametrize("predicate", ["eq", "ne", "slt", "sle", "sgt", "sge", "ule"])
def test_comparison_and_choice(predicate: str) -> None:
    for a, b in product(NUMBERS, NUMBERS):
        seen: set[int] = set()
        for which in range(4):
            build, block = builder()
            x, y = forms(block, a, b)[which]
            truth = build.compare(predicate, x, y)
            assert isinstance(truth, bool) == (which == 0)
            seen.add(evaluate(block, build.select(truth, 3, y), (a, b)))
        assert len(seen) == 1, (predicate, a, b, seen)


def test_nothing_is_emitted_for_what_does_not_compute() -> None:
    build, block = builder()
    x, _ = block.args
    assert build.add(x, 0) is build.add(0, x) is build.sub(x, 0) is x
    assert build.mul(x, 1) is build.mul(1, x) is x
    assert build.mul(x, 0) == build.mul(0, x) == build.sub(x, x) == build.rem(x, 1) == build.remui(x, 1) == 0
    assert build.floordiv(x, 1) is build.ceildiv(x, 1) is build.divui(x, 1) is x
    assert build.min(x, x) is build.max(x, x) is x
    assert build.product([2, x, 0]) == 0
    assert build.product([1, x]) is x
    assert build.product([2, 3]) == 6
    assert build.compare("sle", x, x) is True
    assert build.compare("slt", x, x) is False
    assert build.select(True, x, 3) is x
    assert build.select(False, x, 3) == 3
    assert build.select(x, 4, 4) == 4
    assert block.is_empty


def test_constants_are_made_once_at_the_top() -> None:
    build, block = builder()
    x, y = block.args
    build.mul(build.add(x, 5), build.add(y, 5))
    build.index(7)
    kinds = [type(op) for op in block.ops]
    assert kinds == [arith.ConstantOp, arith.ConstantOp, arith.AddiOp, arith.AddiOp, arith.MuliOp]
    assert extent_of(build.index(7)) == 7
    assert extent_of(x) is x
    pool = build.constants
    assert pool.get(0.0, f32, UnknownLoc()) is not pool.get(-0.0, f32, UnknownLoc())
    assert pool.get(0.0, f32, UnknownLoc()) is not pool.get(0.0, f64, UnknownLoc())
    assert pool.get(math.nan, f32, UnknownLoc()) is pool.get(math.nan, f32, UnknownLoc())
    assert pool.get(1, i64, UnknownLoc()) is not build.index(1)


def test_the_cursor() -> None:
    build, block = builder()
    inner = Block(arg_types=[INDEX])
    with build.at(inner):
        build.add(inner.args[0], block.args[0])
    build.add(block.args[0], block.args[1])
    assert [type(op) for op in inner.ops] == [type(op) for op in block.ops] == [arith.AddiOp]


def test_graph_has_the_same_rules() -> None:
    block = Block(arg_types=[TensorType(i64, [1])] * 2)
    sizes = Sizes(GraphBuilder(InsertPoint.at_end(block), UnknownLoc()))
    assert isinstance(sizes, Folding)
    x, y = block.args
    assert sizes.add(x, 0) is sizes.mul(1, x) is sizes.floordiv(x, 1) is sizes.product([1, x]) is x
    assert sizes.clamp(9, 0, 4) == 4
    assert sizes.modulo(-1, 3) == 2
    assert sizes.modulo(-1, 0) == 0
    assert block.is_empty
    sizes.mul(sizes.add(x, y), 2)
    sizes.clamp(3, x, 4)
    assert [op.name for op in block.ops] == [
        "ov.add",
        "ov.constant",
        "ov.multiply",
        "ov.constant",
        "ov.maximum",
    ]
