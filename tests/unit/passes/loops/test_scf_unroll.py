"""`scf-unroll`: every trip count around the factor, and random programs before and after."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.diagnostics import Remark, listening
from loomir.passes.loops.scf_unroll import ScfUnrollPass
from tests.support import raises_error
from tests.support_buffers import RandomProgram


def program(lower: str, upper: str, step: int) -> ModuleOp:
    """y[i] = i and s = Σ x[i]·s-ish, order-dependent, over a loop whose bounds may be the arguments %a and %b."""
    return parse_module(f"""builtin.module {{ func.func @main(%p: i64 {{loomir.name = "a"}}, %q: i64 {{loomir.name = "b"}},
        %y: memref<40xi32> {{loomir.name = "y", loomir.role = "output"}}) -> (i32 {{loomir.name = "s"}}) {{
      %a = arith.index_cast %p : i64 to index
      %b = arith.index_cast %q : i64 to index
      %zero = arith.constant 0 : i32
      %three = arith.constant 3 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c40 = arith.constant 40 : index
      scf.for %i = %c0 to %c40 step %c1 {{
        memref.store %zero, %y[%i] : memref<40xi32>
      }}
      {"%l = arith.constant " + lower + " : index" if lower.isdigit() else ""}
      {"%u = arith.constant " + upper + " : index" if upper.isdigit() else ""}
      %d = arith.constant {step} : index
      %s, %t = scf.for %i = {"%l" if lower.isdigit() else lower} to {"%u" if upper.isdigit() else upper} step
      %d
          iter_args(%v = %zero, %w = %three) -> (i32, i32) {{
        %k = arith.index_cast %i : index to i32
        memref.store %k, %y[%i] : memref<40xi32>
        %m = arith.muli %v, %three : i32
        %n = arith.addi %m, %k : i32
        scf.yield %w, %n : i32, i32
      }}
      func.return %s : i32 }} }}""")


def loops(module: ModuleOp) -> list[scf.ForOp]:
    return [op for op in module.walk() if isinstance(op, scf.ForOp)]


def same(before: ModuleOp, after: ModuleOp, a: int = 0, b: int = 0) -> None:
    after.verify()
    feed = {"a": np.int64(a), "b": np.int64(b)}
    expected, actual = LoopsEngine(before)(feed), LoopsEngine(after)(feed)
    for name in ("y", "s"):
        np.testing.assert_array_equal(actual[name], expected[name])


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("trips", [0, 1, 2, 3, 4, 5, 8, 9, 12])
@pytest.mark.parametrize("factor", [2, 4])
def test_static_bounds(trips: int, factor: int, step: int):
    before, after = (program("2", str(2 + trips * step), step) for _ in range(2))
    ScfUnrollPass(factor=factor).apply(make_context(), after)
    same(before, after)
    # The first loop, of 40, is the other one.
    whole, rest = trips // factor, trips % factor
    if trips >= factor:
        assert len(loops(after)) - 1 == (whole > 1) + (rest > 1)


@pytest.mark.parametrize("step", [1, 3])
def test_dynamic_bounds(step: int):
    before, after = program("%a", "%b", step), program("%a", "%b", step)
    ScfUnrollPass(factor=4).apply(make_context(), after)
    assert len(loops(after)) == 3
    for a, b in ((0, 0), (0, 1), (3, 40), (1, 17), (5, 5), (9, 4), (0, 12)):
        same(before, after, a, b)


def test_full():
    before, after = program("1", "9", 2), program("1", "9", 2)
    ScfUnrollPass(full=True, max_trips=4).apply(make_context(), after)
    assert len(loops(after)) == 1
    same(before, after)


def test_full_leaves_what_is_too_long():
    module = program("0", "9", 1)
    text = str(module)
    ScfUnrollPass(full=True, max_trips=8).apply(make_context(), module)
    assert str(module) == text
    ScfUnrollPass(full=True, max_ops=30).apply(make_context(), module)
    assert str(module) == text


@pytest.mark.parametrize("options", [{"factor": 3}, {"factor": 2, "all": True}, {"full": True, "all": True}])
@pytest.mark.parametrize("seed", range(8))
def test_random_programs_compute_the_same(seed: int, options: dict):
    text = RandomProgram(seed).text
    before, after = parse_module(text), parse_module(text)
    ScfUnrollPass(**options).apply(make_context(), after)
    after.verify()
    feed = {"x": np.arange(12, dtype=np.int32), **{f"c{i}": np.int64(seed >> i & 1) for i in range(3)}}
    np.testing.assert_array_equal(LoopsEngine(after)(feed)["y"], LoopsEngine(before)(feed)["y"])


def test_only_innermost_loops_by_default():
    module = parse_module("""builtin.module { func.func @main(%y: memref<8x8xi32>, %v: i32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c8 step %c1 {
        scf.for %j = %c0 to %c8 step %c1 {
          memref.store %v, %y[%i, %j] : memref<8x8xi32>
        }
      }
      func.return } }""")
    ScfUnrollPass(full=True).apply(make_context(), module)
    assert len(loops(module)) == 1
    assert sum(op.name == "memref.store" for op in module.walk()) == 8


def test_a_factor_below_one_is_refused():
    with raises_error("unroll-factor"):
        ScfUnrollPass(factor=0).apply(make_context(), program("0", "4", 1))


def nest(depth: int) -> ModuleOp:
    """Loops in one another, the trips of which are not known."""
    text = ["func.func @main(%m: memref<?xf32>, %n: index, %x: f32) {"]
    text += ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
    text += [f"scf.for %i{k} = %c0 to %n step %c1 {{" for k in range(depth)]
    text += ["memref.store %x, %m[%c0] : memref<?xf32>", *"}" * depth, "func.return", "}"]
    return parse_module("\n".join(text))


def test_a_nest_does_not_double_with_each_level() -> None:
    def after(depth: int) -> tuple[int, list[Remark]]:
        module, heard = nest(depth), list[Remark]()
        with listening(heard.append):
            run_passes(module, "scf-unroll{factor=2 all=true}")
        return sum(1 for _ in module.walk()), [remark for remark in heard if remark.kind == "left"]

    (small, few), (large, many) = after(3), after(40)
    assert not few
    assert small > 3**3
    assert large < 4096 + 20 * 40
    assert "more than max-ops=4096" in many[0].message
