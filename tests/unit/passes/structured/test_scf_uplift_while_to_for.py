"""`scf-uplift-while-to-for` and what `canonicalize` makes of counters: the same numbers before and after."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.lowered import StructuredEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.passes.general.canonicalize import CanonicalizePass
from loomir.passes.structured.scf_uplift_while_to_for import ScfUpliftWhileToForPass

GREATEST, LEAST = (1 << 63) - 1, -(1 << 63)


def program(predicate: str, step: int, initial: int | None, bound: int | None) -> ModuleOp:
    """A sum that depends on the order of all numbers; what is None is an argument."""

    def value(name: str, number: int | None) -> str:
        source = f"arith.constant {number}" if number is not None else f"arith.addi %p{name}, %zero"
        return f"%{name} = {source} : i64"

    return parse_module(f"""builtin.module {{ func.func @main(%pl: i64 {{loomir.name = "l"}}, %pu: i64 {{loomir.name = "u"}})
        -> (i64 {{loomir.name = "y"}}, i64 {{loomir.name = "k"}}) {{
      %zero = arith.constant 0 : i64
      %step = arith.constant {step} : i64
      %seven = arith.constant 7 : i64
      {value("l", initial)}
      {value("u", bound)}
      %k, %y = scf.while (%i = %l, %v = %zero) : (i64, i64) -> (i64, i64) {{
        %c = arith.cmpi {predicate}, %i, %u : i64
        scf.condition(%c) %i, %v : i64, i64
      }} do {{
      ^bb0(%i: i64, %v: i64):
        %0 = arith.muli %v, %seven : i64
        %1 = arith.addi %0, %i : i64
        %n = arith.addi %i, %step : i64
        scf.yield %n, %1 : i64, i64
      }}
      func.return %y, %k : i64, i64 }} }}""")


def run(module: ModuleOp, lower: int, upper: int) -> tuple[int, int]:
    out = StructuredEngine(module)({"l": np.int64(lower), "u": np.int64(upper)})
    return int(out["y"]), int(out["k"])


def is_counted(module: ModuleOp) -> bool:
    return not any(isinstance(op, scf.WhileOp) for op in module.walk())


NUMBERS = (-4, 0, 1, 5, 6)
ENDS = ((GREATEST - 7, GREATEST), (GREATEST, GREATEST - 7), (LEAST, LEAST + 7), (LEAST + 7, LEAST))
RISING, FALLING = ("slt", "sle", "ult", "ule"), ("sgt", "sge", "ugt", "uge")


@pytest.mark.parametrize("step", [1, 3, -1, -3])
def test_computes_the_same(step: int) -> None:
    counted = 0
    for predicate in (*(RISING if step > 0 else FALLING), "ne"):
        for initial, bound in (*product(NUMBERS, NUMBERS), *ENDS):
            after = program(predicate, step, initial, bound)
            ScfUpliftWhileToForPass().apply(make_context(), after)
            after.verify()
            if is_counted(after):
                # (Of those that are left some do not end.)
                counted += 1
                assert run(after, 0, 0) == run(program(predicate, step, initial, bound), 0, 0)
    assert counted > 60


@pytest.mark.parametrize(("predicate", "step"), [("slt", 1), ("sgt", -1)])
def test_bounds_that_are_inputs(predicate: str, step: int) -> None:
    before = program(predicate, step, None, None)
    after = before.clone()
    ScfUpliftWhileToForPass().apply(make_context(), after)
    assert is_counted(after)
    for initial, bound in (*product(NUMBERS, NUMBERS), *ENDS):
        if (bound > initial) is (step > 0) or abs(bound - initial) < 16:
            assert run(after, initial, bound) == run(before, initial, bound), (initial, bound)


def counters(added: tuple[int, ...], begin: int, lower: int | None, upper: int | None, step: int) -> ModuleOp:
    """A loop with counters, and what they add up to; bounds of None are arguments."""
    kinds = ("index", "i32", "i64")
    read = [f"%k{k}" if t == "index" else f"%j{k}" for k, t in enumerate(kinds)]
    casts = "".join(
        f"%k{k} = arith.index_cast %j{k} : {t} to index\n" for k, t in enumerate(kinds) if t != "index"
    )
    constants = "".join(
        f"%b{k} = arith.constant {begin} : {t}\n%a{k} = arith.constant {added[k]} : {t}\n"
        for k, t in enumerate(kinds)
    )
    sums = "".join(f"%n{k} = arith.addi {read[k]}, %a{k} : {t}\n" for k, t in enumerate(kinds))
    arguments = ", ".join(f"{name} = %b{k}" for k, name in enumerate(read))
    low, high = (
        f"%{name} = "
        + (f"arith.constant {n} : index" if n is not None else f"arith.index_cast %p{name} : i64 to index")
        for name, n in (("l", lower), ("u", upper))
    )
    return parse_module(f"""builtin.module {{ func.func @main(%pl: i64 {{loomir.name = "l"}}, %pu: i64 {{loomir.name = "u"}})
        -> (i64 {{loomir.name = "y"}}, i64 {{loomir.name = "k"}}) {{
      %zero = arith.constant 0 : i64
      %seven = arith.constant 7 : index
      %v0 = arith.constant 0 : index
      %step = arith.constant {step} : index
      {low}
      {high}
      {constants}
      %y, %r0, %r1, %r2 = scf.for %i = %l to %u step %step iter_args(%v = %v0, {arguments}) -> (index, index, i32, i64) {{
        {casts}
        %0 = arith.muli %v, %seven : index
        %1 = arith.addi %0, %k0 : index
        %2 = arith.addi %1, %k1 : index
        %3 = arith.muli %2, %seven : index
        %4 = arith.addi %3, %k2 : index
        {sums}
        scf.yield %4, %n0, %n1, %n2 : index, index, i32, i64
      }}
      %5 = arith.index_cast %y : index to i64
      %6 = arith.index_cast %r0 : index to i64
      %7 = arith.extsi %r1 : i32 to i64
      %8 = arith.muli %6, %7 : i64
      %9 = arith.xori %8, %r2 : i64
      func.return %5, %9 : i64, i64 }} }}""")


@pytest.mark.parametrize("step", [1, 2])
def test_counters_of_the_iteration_number(step: int) -> None:
    for added, begin in product(((2, 2, 2), (4, -2, 6), (0, 2, -4)), (0, 5)):
        for constant in (True, False):
            for lower, upper in ((0, 7), (3, 4), (5, 2), (-6, 5), (1, 8)):
                bounds = (lower, upper) if constant else (None, None)
                before = counters(added, begin, *bounds, step)
                after = before.clone()
                CanonicalizePass().apply(make_context(), after)
                after.verify()
                assert run(after, lower, upper) == run(before, lower, upper)
                loops = [op for op in after.walk() if isinstance(op, scf.ForOp)]
                assert all(len(loop.iter_args) == 1 for loop in loops)
