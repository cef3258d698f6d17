"""Loops whose extents are not known before the program runs: vectors, smaller ones for what is left, and results that are right."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from xdsl.dialects import scf, vector
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.dialects.func import FuncOp

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.engines.native import NativeFunction
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.upstream.walking import walk
from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import open_parts
from loomir.passes.loops.lower_reductions_to_vectors import LowerReductionsToVectorsPass
from tests.unit.passes.loops.lower_linalg_to_loops.nests import MAC, affine_map, lowered, whole

CAPACITY = 200
SIZES = (0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 199, 200)
"""Around each width, each tile, and all that there may be."""
MACHINES = ("generic", "x86-64-v3", "x86-64-v4")

DOUBLED = "^bb0(%p: f32, %old: f32):\n%r = arith.addf %p, %p : f32\nlinalg.yield %r : f32\n}"
SUMMED = "^bb0(%p: f32, %acc: f32):\n%r = arith.addf %acc, %p : f32\nlinalg.yield %r : f32\n}"

KINDS = {
    # name: the arguments, what the generic reads and writes, as `name: size of the view`, its maps and iterators, its body
    "elementwise": (["x: 200", "o: 200"], ["x: n"], "o: n", "a; a", "p", DOUBLED),
    "columns": (
        ["x: 3x5", "w: 5x200", "o: 3x200"],
        ["x: 3x5", "w: 5xn"],
        "o: 3xn",
        "a, c; c, b; a, b",
        "ppr",
        MAC,
    ),
    "rows": (
        ["x: 200x5", "w: 5x24", "o: 200x24"],
        ["x: nx5", "w: 5x24"],
        "o: nx24",
        "a, c; c, b; a, b",
        "ppr",
        MAC,
    ),
    "depth": (
        ["x: 3x200", "w: 200x24", "o: 3x24"],
        ["x: 3xn", "w: nx24"],
        "o: 3x24",
        "a, c; c, b; a, b",
        "ppr",
        MAC,
    ),
    "dot": (["x: 3x200", "w: 200", "o: 3"], ["x: 3xn", "w: n"], "o: 3", "a, b; b; a", "pr", MAC),
    "sum": (["x: 3x200", "o: 3"], ["x: 3xn"], "o: 3", "a, b; a", "pr", SUMMED),
}


def _extents(shape: str) -> list[str]:
    return shape.split("x")


def program(kind: str) -> ModuleOp:
    """`main` of `n` and buffers of which views of the first `n` are read and written; what is written is zero before."""
    arguments, reads, write, maps, iterators, body = KINDS[kind]
    text = []
    for operand in arguments:
        name, _, shape = operand.partition(": ")
        role = ', loomir.role = "output"' if name == "o" else ""
        text.append(f'%{name}: memref<{shape}xf32> {{loomir.name = "{name}"{role}}}')
    full = {name: _extents(shape) for name, _, shape in (a.partition(": ") for a in arguments)}
    lines, views = [], {}
    for operand in (*reads, write):
        name, _, shape = operand.partition(": ")
        extents = _extents(shape)
        if name == "o":
            lines.append(f"linalg.fill ins(%zero : f32) outs(%o : memref<{'x'.join(full[name])}xf32>)")
        if "n" not in extents:
            views[name] = f"memref<{shape}xf32>"
            lines.append(f"// {name} as it is")
            continue
        strides = [1]
        for extent in reversed(full[name][1:]):
            strides.insert(0, strides[0] * int(extent))
        view = f"memref<{'x'.join(extents).replace('n', '?')}xf32, strided<{strides}>>"
        zeros, ones = (f"[{', '.join(n * len(extents))}]" for n in "01")
        sizes = f"[{', '.join('%n' if e == 'n' else e for e in extents)}]"
        views[f"{name}v"] = view
        lines.append(
            f"%{name}v = memref.subview %{name}{zeros} {sizes} {ones} : memref<{'x'.join(full[name])}xf32> to {view}"
        )
    *ins, out = views.items()
    all_maps = ", ".join(f"affine_map<{affine_map(m.strip(), len(iterators))}>" for m in maps.split(";"))
    kinds = ", ".join({"p": '"parallel"', "r": '"reduction"'}[i] for i in iterators)
    return parse_module(f"""builtin.module {{ func.func @main(%n: index {{loomir.name = "n"}}, {", ".join(text)}) {{
%zero = arith.constant 0.0 : f32
{chr(10).join(lines)}
linalg.generic {{indexing_maps = [{all_maps}], iterator_types = [{kinds}]}}
  ins({", ".join(f"%{n}" for n, _ in ins)} : {", ".join(t for _, t in ins)}) outs(%{out[0]} : {out[1]}) {{
{body}
func.return }} }}""")


@cache
def in_loops(kind: str, machine: str) -> ModuleOp:
    """In loops; sums of what lies in a row are folded where there are vectors."""
    module = program(kind)
    LowerReductionsToVectorsPass(machine=machine).apply(make_context(), module)
    return lowered(module, machine)


def expected(kind: str, n: int, feed: dict[str, np.ndarray]) -> np.ndarray:
    """By numpy; the sums are of small whole numbers, exact in any order."""
    x, w = feed["x"], feed.get("w", np.ones(CAPACITY, np.float32))
    out = np.zeros([int(e) for e in _extents(KINDS[kind][0][-1].partition(": ")[2])], np.float32)
    if kind == "elementwise":
        out[:n] = 2 * x[:n]
    elif kind == "columns":
        out[:, :n] = x @ w[:, :n]
    elif kind == "rows":
        out[:n] = x[:n] @ w
    else:
        out[...] = x[:, :n] @ w[:n]
    return out


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kind", KINDS)
def test_any_size_is_right(kind: str, machine: str) -> None:
    """In the interpreters and in C; what is behind the view stays as it was, and is never read: it is NaN."""
    module = in_loops(kind, machine)
    shapes = {n: [int(e) for e in _extents(s)] for n, _, s in (a.partition(": ") for a in KINDS[kind][0])}
    interpreter = LoopsEngine(module)
    planned = module.clone()
    run_passes(planned, "plan-memory")
    native = NativeFunction(planned, machine=machine if machine == "generic" else "native")
    of_n = {o.partition(": ")[0]: _extents(o.partition(": ")[2]) for o in KINDS[kind][1]}
    for n in SIZES:
        feed: dict[str, np.ndarray] = {}
        for name, extents in of_n.items():
            array = whole(*shapes[name])
            for axis, extent in enumerate(extents):
                if extent == "n":
                    array[(slice(None),) * axis + (slice(n, None),)] = np.nan
            feed[name] = array
        wanted = expected(kind, n, feed)
        for engine in (interpreter, native):
            np.testing.assert_array_equal(engine({"n": np.int64(n), **feed})["o"], wanted, f"n = {n}")


@pytest.mark.parametrize("kind", ["elementwise", "columns", "dot", "sum"])
def test_there_are_vectors_and_smaller_ones(kind: str) -> None:
    """Of a machine of sixteen lanes, vectors of sixteen and of four, each in a loop of its own; the folded ones are of sixteen alone."""
    module = in_loops(kind, "x86-64-v4")
    loads = [op for op in walk(module) if isinstance(op, vector.LoadOp)]
    lanes = set()
    for op in loads:
        assert isinstance(op.result.type, VectorType)
        lanes |= {op.result.type.get_shape()[0]}
    # (Those of a fold are gathered by halves.)
    assert lanes == {16, 4} if kind in ("elementwise", "columns") else lanes >= {16, 8, 4}


@pytest.mark.parametrize("kind", KINDS)
def test_a_machine_without_vectors_has_none(kind: str) -> None:
    assert not [op for op in walk(in_loops(kind, "generic")) if isinstance(op, vector.LoadOp)]


def test_each_step_does_what_it_can() -> None:
    """Each loop begins where the one before it ends.

    It runs up to a multiple of its own step; the last one ends at n.
    """
    module = in_loops("elementwise", "x86-64-v4")
    (function,) = module.body.block.ops
    assert isinstance(function, FuncOp)
    _filled, *loops = [op for op in walk(module) if isinstance(op, scf.ForOp)]
    assert len(loops) == 3
    for before, after in pairwise(loops):
        assert after.lb is before.ub
    assert loops[-1].ub is function.body.block.args[0]


def test_steps_divide_one_another() -> None:
    parts = open_parts((4, 16), (1, 16), (1, 4), (1, 1))
    assert [part.step for part in parts] == [64, 16, 4, 1]
    assert all(part.open and part.tiles == 0 for part in parts)
    with pytest.raises(AssertionError):
        open_parts((1, 16), (1, 4))
    with pytest.raises(AssertionError):
        open_parts((1, 6), (1, 4), (1, 1))
