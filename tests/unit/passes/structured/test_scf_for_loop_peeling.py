"""`scf-for-loop-peeling`: the same numbers before and after, for bounds and steps of all kinds, and what is known in both parts."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.lowered import StructuredEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.diagnostics import Remark, listening
from loomir.passes.structured.scf_for_loop_peeling import ScfForLoopPeelingPass

GREATEST, LEAST = (1 << 63) - 1, -(1 << 63)

LEFT = "%d = arith.subi %u, %i : i64\n"
NEXT = "%d = arith.addi %i, %s : i64\n"
MINIMA = {
    "minsi": LEFT + "%m = arith.minsi %s, %d : i64",
    "minui": LEFT + "%m = arith.minui %d, %s : i64",
    "maxsi": LEFT + "%m = arith.maxsi %d, %s : i64",
    "maxui": LEFT + "%m = arith.maxui %s, %d : i64",
    "select": LEFT + "%c = arith.cmpi slt, %d, %s : i64\n%m = arith.select %c, %d, %s : i64",
    "select_unsigned": LEFT + "%c = arith.cmpi ule, %s, %d : i64\n%m = arith.select %c, %s, %d : i64",
    "smaller": LEFT + "%m = arith.minsi %c2, %d : i64",
    "larger": LEFT + "%m = arith.minsi %c9, %d : i64",
    "negative": LEFT + "%m = arith.minui %minus, %d : i64",
    "next": NEXT + "%m = arith.minsi %d, %u : i64",
    "next_unsigned": NEXT + "%m = arith.minui %u, %d : i64",
    "next_select": NEXT + "%c = arith.cmpi sgt, %d, %u : i64\n%m = arith.select %c, %u, %d : i64",
}


def program(minimum: str, lower: int | None, upper: int | None, step: int | None) -> ModuleOp:
    """A sum that depends on the order of all numbers and minima; bounds and step of None are arguments."""

    def value(name: str, number: int | None, argument: str) -> str:
        source = f"arith.constant {number}" if number is not None else f"arith.addi {argument}, %zero"
        return f"%{name} = {source} : i64"

    return parse_module(f"""builtin.module {{ func.func @main(%pl: i64 {{loomir.name = "l"}}, %pu: i64 {{loomir.name = "u"}},
        %ps: i64 {{loomir.name = "s"}}) -> (i64 {{loomir.name = "y"}}, i64 {{loomir.name = "n"}}) {{
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %c2 = arith.constant 2 : i64
      %c9 = arith.constant 9 : i64
      %minus = arith.constant -1 : i64
      %seven = arith.constant 7 : i64
      {value("l", lower, "%pl")}
      {value("u", upper, "%pu")}
      {value("s", step, "%ps")}
      %y, %n = scf.for %i = %l to %u step %s iter_args(%v = %zero, %w = %one) -> (i64, i64) : i64 {{
        {MINIMA[minimum]}
        %0 = arith.muli %v, %seven : i64
        %1 = arith.addi %0, %i : i64
        %2 = arith.addi %1, %m : i64
        scf.yield %w, %2 : i64, i64
      }}
      func.return %y, %n : i64, i64 }} }}""")


def run(module: ModuleOp, lower: int, upper: int, step: int) -> tuple[int, int]:
    out = StructuredEngine(module)({"l": np.int64(lower), "u": np.int64(upper), "s": np.int64(step)})
    return int(out["y"]), int(out["n"])


def peeled(module: ModuleOp, **options: bool) -> ModuleOp:
    after = module.clone()
    ScfForLoopPeelingPass(**options).apply(make_context(), after)
    after.verify()
    return after


BOUNDS = [
    *((0, upper, step) for upper, step in product((0, 1, 3, 4, 5, 8, 9, 11), (1, 4))),
    (-7, 6, 3),
    (5, 2, 3),
    (2, 2, 4),
    (GREATEST - 9, GREATEST, 4),
    (GREATEST - 2, GREATEST, 4),
    (LEAST, LEAST + 9, 4),
    (LEAST, GREATEST, 1 << 61),
    (LEAST + 1, GREATEST, GREATEST),
    (0, GREATEST, (1 << 62) + 1),
]


@pytest.mark.parametrize("front", [False, True])
@pytest.mark.parametrize("minimum", MINIMA)
def test_computes_the_same(minimum: str, front: bool) -> None:
    bounds = [b for b in BOUNDS if not (b[0] < 0 and "unsigned" in minimum)]
    for given in ((1, 1, 1), (0, 1, 1), (1, 1, 0), (0, 0, 0), (1, 0, 1)):
        made: dict[tuple[int | None, ...], tuple[ModuleOp, ModuleOp]] = {}
        for numbers in bounds:
            constant = tuple(n if is_given else None for n, is_given in zip(numbers, given))
            if constant not in made:
                before = program(minimum, *constant)
                made[constant] = before, peeled(before, peel_front=front)
            before, after = made[constant]
            assert run(after, *numbers) == run(before, *numbers), (numbers, given)


def minima(loop: scf.ForOp) -> int:
    kinds = (arith.MinSIOp, arith.MinUIOp, arith.MaxSIOp, arith.MaxUIOp, arith.CmpiOp)
    return sum(isinstance(op, kinds) for op in loop.body.walk())


def loops(module: ModuleOp) -> list[scf.ForOp]:
    return [op for op in module.walk() if isinstance(op, scf.ForOp)]


@pytest.mark.parametrize("minimum", sorted(MINIMA.keys() - {"larger", "negative", "smaller"}))
def test_minima_are_known_in_both_parts(minimum: str) -> None:
    # From 0 by 4 to an unknown bound: only that the next number fits its type is open there.
    found = [minima(loop) for loop in loops(peeled(program(minimum, 0, None, 4)))]
    assert found == [0, 1 if minimum.startswith("next") else 0]


def test_near_misses_stay() -> None:
    for minimum, expected in (("smaller", [0, 1]), ("larger", [1, 0]), ("negative", [1, 1])):
        assert [minima(loop) for loop in loops(peeled(program(minimum, 0, None, 4)))] == expected, minimum
    # How far it is from one bound to the other may not fit a signed number.
    assert [minima(loop) for loop in loops(peeled(program("minsi", None, None, 4)))] == [1, 1]
    assert [minima(loop) for loop in loops(peeled(program("minui", None, None, 4)))] == [0, 0]


def test_what_is_left_alone() -> None:
    for bounds in ((0, 8, 4), (0, None, 1), (0, 3, 4), (4, 4, 3), (0, 9, 0)):
        module = program("minsi", *bounds)
        assert str(peeled(module)) == str(module), bounds


NEST = """builtin.module { func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    scf.for %j = %c0 to %n step %c4 {
      "test.op"(%i, %j) : (index, index) -> ()
    }
  }
  func.return } }"""


@pytest.mark.parametrize(("skip", "count"), [(True, 5), (False, 6)])
def test_loops_in_the_part(skip: bool, count: int) -> None:
    context = make_context()
    context.allow_unregistered = True
    assert len(loops(peeled(parse_module(NEST, context=context), skip_partial=skip))) == count


def nest(depth: int) -> ModuleOp:
    """Loops in one another, the trips of which are not known."""
    text = ["func.func @main(%m: memref<?xf32>, %n: index, %x: f32) {"]
    text += ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
    text += [f"scf.for %i{k} = %c0 to %n step %c1 {{" for k in range(depth)]
    text += ["memref.store %x, %m[%c0] : memref<?xf32>", *"}" * depth, "func.return", "}"]
    return parse_module("\n".join(text))


def test_a_nest_grows_by_a_multiple_of_its_size() -> None:
    """Each loop of a nest is copied with its body: without a bound that would be the square of the depth."""

    def after(depth: int) -> tuple[int, list[Remark]]:
        module, heard = nest(depth), list[Remark]()
        with listening(heard.append):
            run_passes(module, "scf-for-loop-peeling{peel-front=true}")
        return sum(1 for _ in module.walk()), heard

    (small, _), (large, heard) = after(60), after(120)
    assert large < 2.5 * small < 120**2
    assert any("are more than the" in remark.message for remark in heard)
    few = after(20)[1]
    assert sum("peeled its first iteration" in remark.message for remark in few) == 20
