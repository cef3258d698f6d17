"""`ov-loop-unroll` of loops that nothing ends early: slices and joined parts in both directions, iteration numbers, last values."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.ov.operators.control_flow import LoopOp

CUTS = {
    "forwards": ("start = 0", 1, 9),
    "backwards": ("start = -1, end = 0, stride = -1", 1, 9),
    "by-two": ("stride = 2, part_size = 2", 2, 8),
    "by-two-from-the-middle": ("start = 3, stride = 2, part_size = 2", 2, 9),
    "by-two-backwards": ("start = -1, end = 0, stride = -2, part_size = 2", 2, 8),
    "by-two-backwards-from-the-middle": ("start = -4, end = 1, stride = -2, part_size = 2", 2, 9),
}
"""How a sliced input is cut on its second axis, the size of a part, how many there are."""


def program(trip: str, cut: str | None = None) -> ModuleOp:
    """A loop that takes a part and its number into what it carries, and joins what it has, forwards and backwards.

    `trip` is a number, `%n`, or nothing. With slices it gives a last value, too.
    """
    known = f"%t = ov.constant dense<{trip}> : tensor<i64> : tensor<i64>" if trip[-1:].isdigit() else ""
    groups, types, results = "", "", ["tensor<1xf32>"]
    if trip:
        groups, types = f"trip({'%t' if known else trip})", "tensor<i64>, "
    joins = "concats = [#ov.slice<axis = 0>, #ov.slice<axis = 0, start = -1, end = 0, stride = -2, part_size = 2>]"
    part = taken = sliced = kept = last = ""
    extent = 1
    if cut is not None:
        places, size, trips = CUTS[cut]
        extent = size * trips + {"by-two-from-the-middle": 3, "by-two-backwards-from-the-middle": 4}.get(
            cut, 0
        )
        sliced, types = "sliced(%x)", types + f"tensor<1xf32>, tensor<2x{extent}xf32>"
        joins = f"slices = [#ov.slice<axis = 1, {places}>], {joins}"
        part = f", %p: tensor<2x{size}xf32>"
        weights = [[1.0, 0.5][:size], [0.25, 2.0][:size]]
        taken = f"""%weights = ov.constant dense<{weights}> : tensor<2x{size}xf32> : tensor<2x{size}xf32>
    %weighted = ov.multiply %p, %weights : (tensor<2x{size}xf32>, tensor<2x{size}xf32>) -> tensor<2x{size}xf32>
    %s = ov.reduce_sum %weighted, %both {{keep_dims = false}} : (tensor<2x{size}xf32>, tensor<2xi64>) -> tensor<f32>
    %w = ov.add %h, %s : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>"""
        kept, last = " last(%h : tensor<1xf32>)", "%l, "
        results.append("tensor<1xf32>")
    else:
        types += "tensor<1xf32>"
        taken = "%w = ov.abs %h : (tensor<1xf32>) -> tensor<1xf32>"
    results += ["tensor<?xf32>", "tensor<?xf32>"]
    made = ", ".join(results)
    return parse_module(f"""
func.func @main(%n: tensor<i64>, %a: tensor<1xf32>, %x: tensor<2x{extent}xf32>) -> ({made}) {{
  {known}
  %both = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %r, {last}%all, %back = ov.loop {groups} carried(%a) {sliced} {{{joins}}} : ({types}) -> ({made}) {{
  ^bb0(%i: tensor<i64>, %u: tensor<1xf32>{part}):
    %f = ov.convert %i {{destination_type = f32}} : (tensor<i64>) -> tensor<f32>
    %g = ov.multiply %u, %half : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
    %h = ov.add %g, %f : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
    {taken}
    %two = ov.concat %w, %h {{axis = 0}} : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    ov.next carried(%w : tensor<1xf32>){kept} concat(%w, %two : tensor<1xf32>, tensor<2xf32>)
  }}
  func.return %r, {last}%all, %back : {made}
}}""")


def assert_same(written: ModuleOp, options: str, counts: tuple[int, ...] = (0,)) -> list[LoopOp]:
    """The unrolled program gives the same; its loops."""
    run_passes(written, "ov-infer")
    unrolled = written.clone()
    run_passes(unrolled, f"ov-loop-unroll{{{options} max-code-growth=1000}}", verify_each=True)
    assert str(unrolled) != str(written)
    names = argument_names(main_function(written))
    extents = main_function(written).args[2].type.get_shape()
    x = np.arange(np.prod(extents), dtype=np.float32).reshape(extents) / 4
    for n in counts:
        feed = dict(zip(names, (np.array(n), np.array([2.0], np.float32), x)))
        before, after = (GraphEngine(module).run(feed).outputs for module in (written, unrolled))
        for name, value in before.items():
            np.testing.assert_array_equal(after[name], value, strict=True, err_msg=f"{n} {name}")
    return [op for op in unrolled.walk() if isinstance(op, LoopOp)]


@pytest.mark.parametrize("cut", [None, *CUTS])
def test_completely(cut: str | None) -> None:
    trips = 4 if cut is None else CUTS[cut][2]
    assert assert_same(program("4" if cut is None else "", cut), f"max-trips={trips}") == []
    if cut is not None:
        # Fewer than the slices would allow; and a negative count, which is no limit.
        assert assert_same(program("3", cut), "max-trips=3") == []
        assert assert_same(program("-1", cut), f"max-trips={trips}") == []


@pytest.mark.parametrize("factor", [2, 3, 4])
@pytest.mark.parametrize("cut", [None, *CUTS])
def test_by_a_factor(cut: str | None, factor: int) -> None:
    for trip in ("", "8") if cut is not None else ("8", "11"):
        assert len(assert_same(program(trip, cut), f"max-trips=0 factor={factor}")) == 1


@pytest.mark.parametrize("cut", [None, *CUTS])
def test_a_single_group_needs_no_loop(cut: str | None) -> None:
    assert assert_same(program("5", cut), "max-trips=0 factor=3") == []


@pytest.mark.parametrize("factor", [2, 3, 4])
def test_trips_that_only_the_run_knows(factor: int) -> None:
    loops = assert_same(program("%n"), f"max-trips=0 factor={factor}", tuple(range(10)))
    assert len(loops) == 2


def recurrence(extent: int, joined: bool) -> ModuleOp:
    """Eight trips of two operations on a state, which is joined or not."""
    state, made = f"tensor<1x{extent}xf32>", f"tensor<8x{extent}xf32>"
    every, join, results = (
        ("%r, %all", f" concat(%v : {state})", f"({state}, {made})") if joined else ("%r", "", state)
    )
    options = "{concats = [#ov.slice<axis = 0>]}" if joined else ""
    return parse_module(f"""
func.func @main(%a: {state}) -> {state} {{
  %t = ov.constant dense<8> : tensor<i64> : tensor<i64>
  {every} = ov.loop trip(%t) carried(%a) {options} : (tensor<i64>, {state}) -> {results} {{
  ^bb0(%i: tensor<i64>, %u: {state}):
    %w = ov.add %u, %u : ({state}, {state}) -> {state}
    %v = ov.multiply %w, %u : ({state}, {state}) -> {state}
    ov.next carried(%v : {state}){join}
  }}
  func.return %r : {state}
}}""")


@pytest.mark.parametrize(
    ("extent", "joined", "machine", "unrolled"),
    [
        (1, False, "generic", True),
        (16, False, "generic", False),
        (16, False, "x86-64-v3", True),
        (64, False, "x86-64-v3", False),
        (16, True, "generic", True),
        (4096, True, "x86-64-v4", True),
    ],
)
def test_what_an_iteration_costs_decides(extent: int, joined: bool, machine: str, unrolled: bool) -> None:
    """Counting is a large part of a few operations; a state that is joined as well is copied in each iteration."""
    module = recurrence(extent, joined)
    run_passes(module, f'ov-loop-unroll{{max-code-growth=8 machine="{machine}"}}')
    assert any(isinstance(op, LoopOp) for op in module.walk()) != unrolled
    module = recurrence(extent, joined)
    run_passes(module, f'ov-loop-unroll{{max-code-growth=3 machine="{machine}"}}')
    assert any(isinstance(op, LoopOp) for op in module.walk()), "a quarter of the growth counts"
