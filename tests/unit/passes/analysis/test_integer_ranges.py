"""The ranges of integers: what they say of loops, and that random programs never leave them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.scalars.intervals import Interval, contains
from loomir.passes.analysis.value_ranges import SAFE_INDEX, IntegerRanges
from tests.tiers import sample
from tests.unit.compiler.formats.c.test_random_integers import Generator, wrap

LOOP = """
    func.func @main(%n: index, %x: i8) -> (index, index, i8) {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c10 = arith.constant 10 : index
      %c100 = arith.constant 100 : index
      %most = arith.minsi %n, %c100 : index
      %count = arith.maxsi %most, %c0 : index
      %sum, %last = scf.for %i = %c0 to %c10 step %c2 iter_args(%s = %c0, %l = %x) -> (index, i8) {
        %more = arith.addi %s, %count : index
        %next = arith.addi %l, %x : i8
        scf.yield %more, %next : index, i8
      }
      %twice = arith.muli %n, %c2 : index
      func.return %sum, %twice, %last : index, index, i8
    }"""


def values_of(module: ModuleOp) -> dict[str, SSAValue]:
    """All values of a module by their names."""
    found: list[SSAValue] = []

    def visit(block: Block) -> None:
        found.extend(block.args)
        for op in block.ops:
            found.extend(op.results)
            for region in op.regions:
                for inner in region.blocks:
                    visit(inner)

    visit(main_of(module).body.block)
    return {v.name_hint: v for v in found if v.name_hint is not None}


def main_of(module: ModuleOp) -> func.FuncOp:
    (main,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    return main


def test_loops_are_bounded() -> None:
    module = parse_module(LOOP)
    ranges, values = IntegerRanges(), values_of(module)
    ranges.analyse(main_of(module).body.block)
    assert ranges.of(values["count"]) == (0, 100)
    assert ranges.of(values["i"]) == (0, 9)
    assert ranges.of(values["s"]) == (0, 500)
    assert ranges.of(values["sum"]) == (0, 500)
    # A sum that may wrap around.
    assert ranges.of(values["l"]) == ranges.of(values["last"]) == (-128, 127)
    add, multiply = values["more"].owner, values["twice"].owner
    assert not isinstance(add, Block)
    assert not isinstance(multiply, Block)
    assert not ranges.wraps(add)
    assert ranges.wraps(multiply)


def test_what_is_outside_is_looked_up() -> None:
    """The ranges of one loop, without an analysis of what stands before it."""
    module = parse_module(LOOP)
    ranges, values = IntegerRanges(), values_of(module)
    loop = values["sum"].owner
    assert not isinstance(loop, Block)
    ranges.analyse_operation(loop)
    assert ranges.of(values["s"]) == (0, 500)
    assert ranges.of(values["twice"]) == ranges.of(values["n"])


def test_an_index_may_be_small() -> None:
    """Where an index is only sure to have 32 bits, a product may leave it."""
    text = LOOP.replace("%n, %c2", "%count, %c100").replace("constant 100", "constant 100000")
    for ranges, wraps in ((IntegerRanges(), False), (IntegerRanges(SAFE_INDEX), True)):
        module = parse_module(text)
        ranges.analyse(main_of(module).body.block)
        product = values_of(module)["twice"].owner
        assert not isinstance(product, Block)
        assert ranges.wraps(product) is wraps


def test_what_is_known_of_memory_is_known_of_sums() -> None:
    """A sum that begins with what a constant holds, read by way of a view, and one that begins with anything."""
    module = parse_module("""func.func @main(%b: memref<2x4xi32>, %x: memref<8xi8>, %i: index) -> (i32, i32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %flat = memref.collapse_shape %b [[0, 1]] : memref<2x4xi32> into memref<8xi32>
      %begun = memref.load %flat[%i] : memref<8xi32>
      %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %begun) -> (i32) {
        %e = memref.load %x[%k] : memref<8xi8>
        %e32 = arith.extsi %e : i8 to i32
        %more = arith.addi %s, %e32 : i32
        scf.yield %more : i32
      }
      %twice = arith.addi %begun, %begun : i32
      func.return %sum, %twice : i32, i32
    }""")
    block = main_of(module).body.block
    values = values_of(module)
    for elements, expected in ((None, False), ((-500, 900), True)):
        ranges = IntegerRanges()
        if elements is not None:
            ranges.set_elements(block.args[0], elements)
        ranges.analyse(block)
        known = ranges.of(values["sum"]) == (-500 - 8 * 128, 900 + 8 * 127)
        assert known is expected
        twice = values["twice"].owner
        assert not isinstance(twice, Block)
        assert ranges.wraps(twice) is not expected


def test_what_is_one_of_two_numbers_is_in_their_type() -> None:
    """However little is known of one of them: what is at least zero has no upper bound but that of its type."""
    module = parse_module("""func.func @main(%n: index, %x: i8) -> (index, index, i8, i8) {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : i8
      %a = arith.maxsi %n, %c0 : index
      %b = arith.minsi %n, %c0 : index
      %c = arith.maxsi %x, %c3 : i8
      %d = arith.minsi %x, %c3 : i8
      func.return %a, %b, %c, %d : index, index, i8, i8
    }""")
    values = values_of(module)
    for ranges in (IntegerRanges(), IntegerRanges(SAFE_INDEX)):
        ranges.analyse(main_of(module).body.block)
        least, greatest = ranges.of(values["n"])
        assert [ranges.of(values[name]) for name in "abcd"] == [
            (0, greatest),
            (least, 0),
            (3, 127),
            (-128, 3),
        ]


class Observed(dict[str, int]):
    """An environment that keeps the least and the greatest number that each name has held."""

    def __init__(self, values: Mapping[str, int], seen: dict[str, Interval]) -> None:
        super().__init__()
        self.seen = seen
        self.update(values)

    def __setitem__(self, name: str, value: int) -> None:
        low, high = self.seen.get(name, (value, value))
        self.seen[name] = min(low, value), max(high, value)
        super().__setitem__(name, value)

    def update(self, pairs: Mapping[str, int] | Iterable[tuple[str, int]] = ()) -> None:  # pyright: ignore
        for name, value in dict(pairs).items():
            self[name] = value


@pytest.mark.parametrize("seed", sample(range(120), 3))
def test_random_programs_stay_inside(seed: int) -> None:
    g = Generator(seed)
    inputs = {f"%in_{t}": t for t in ("i8", "i16", "i32", "i64")}
    scope, lines, steps = dict(inputs), ["%zero = arith.constant 0 : index"], []
    for _ in range(4):
        g.block(scope, lines, steps, 3)
    arguments = ", ".join(f"{w}: {t}" for w, t in inputs.items())
    module = parse_module(f"func.func @main({arguments}) {{\n{chr(10).join(lines)}\nfunc.return\n}}")
    ranges, values = IntegerRanges(), values_of(module)
    ranges.analyse(main_of(module).body.block)
    seen: dict[str, Interval] = {}
    for _ in range(8):
        env = Observed({w: wrap(g.random.randrange(1 << 64), t) for w, t in inputs.items()}, seen)
        for step in steps:
            step(env)
    for name, interval in seen.items():
        known = ranges.of(values[name[1:]])
        assert contains(known, interval), f"{name} was in {interval}, not in {known}:\n{chr(10).join(lines)}"
    narrow = [n for n in seen if ranges.of(values[n[1:]]) != ranges.of(values["in_i64"])]
    assert narrow
