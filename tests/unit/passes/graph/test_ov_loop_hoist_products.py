"""`ov-loop-gather-to-slice` and `ov-loop-hoist-products`: the same results, and how many iterations become one product."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.errors import Error

K, N = 16, 40

CUTS = {
    "forwards": ("", 1, 0),
    "backwards": (", start = -1, end = 0, stride = -1", 1, 0),
    "from-the-middle": (", start = 3", 1, 3),
    "backwards-from-the-middle": (", start = -4, end = 1, stride = -1", 1, 4),
    "by-two": (", stride = 2, part_size = 2", 2, 0),
    "by-two-backwards": (", start = -1, end = 0, stride = -2, part_size = 2", 2, 0),
}
"""How the sequence is cut, the size of a part, and how many elements of the axis are none of a part."""


def sequence(
    trips: int, cut: str = "forwards", *, batch: int = 1, first: bool = False, trip: str = ""
) -> ModuleOp:
    """A recurrence over the product of each part, with its number, what it was last, and joins in both directions.

    `first`: the axis that is cut is the first one, before the batch. `trip`: fewer iterations than there are parts.
    """
    places, size, beside = CUTS[cut]
    axis, extent = (0, 1)[not first], trips * size + beside
    x = f"{extent}x{batch}x{K}" if first else f"{batch}x{extent}x{K}"
    part = f"{size}x{batch}x{K}" if first else f"{batch}x{size}x{K}"
    state = part.replace(f"x{K}", f"x{N}")
    group, type_ = ("trip(%t) ", "tensor<i64>, ") if trip else ("", "")
    count = f"%t = ov.constant dense<{trip}> : tensor<i64> : tensor<i64>" if trip else ""
    results = [f"tensor<{state}xf32>", f"tensor<{state}xf32>", "tensor<?x?x?xf32>", "tensor<?x?x?xf32>"]
    made = ", ".join(results)
    return parse_module(f"""
func.func @main(%x: tensor<{x}xf32>, %h: tensor<{state}xf32>, %w: tensor<{K}x{N}xf32>) -> ({made}) {{
  {count}
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %r, %l, %on, %back = ov.loop {group}carried(%h) sliced(%x) {{slices = [#ov.slice<axis = {axis}{places}>],
      concats = [#ov.slice<axis = {axis}, stride = {size}, part_size = {size}>,
        #ov.slice<axis = {axis}, start = -1, end = 0, stride = -{size}, part_size = {size}>]}}
      : ({type_}tensor<{state}xf32>, tensor<{x}xf32>) -> ({made}) {{
  ^bb0(%i: tensor<i64>, %v: tensor<{state}xf32>, %p: tensor<{part}xf32>):
    %xw = ov.mat_mul %p, %w : (tensor<{part}xf32>, tensor<{K}x{N}xf32>) -> tensor<{state}xf32>
    %f = ov.convert %i {{destination_type = f32}} : (tensor<i64>) -> tensor<f32>
    %d = ov.multiply %v, %half : (tensor<{state}xf32>, tensor<f32>) -> tensor<{state}xf32>
    %s = ov.add %d, %xw : (tensor<{state}xf32>, tensor<{state}xf32>) -> tensor<{state}xf32>
    %u = ov.add %s, %f : (tensor<{state}xf32>, tensor<f32>) -> tensor<{state}xf32>
    ov.next carried(%u : tensor<{state}xf32>) last(%s : tensor<{state}xf32>) concat(%u, %s : tensor<{state}xf32>, tensor<{state}xf32>)
  }}
  func.return %r, %l, %on, %back : {made}
}}""")


def extents_of(module: ModuleOp, index: int) -> tuple[int, ...]:
    return tensor_type_of(main_function(module).args[index]).get_shape()


def assert_same(written: ModuleOp, passes: str, folder: np.random.Generator) -> list[int]:
    """The program gives the same behind the passes; the rows of each product that is there then."""
    run_passes(written, "ov-infer")
    changed = written.clone()
    run_passes(changed, passes, verify_each=True)
    names = argument_names(main_function(written))
    feed = {
        name: folder.integers(-4, 5, size=extents_of(written, k)).astype(np.float32)
        for k, name in enumerate(names)
    }
    before, after = (GraphEngine(module).run(feed).outputs for module in (written, changed))
    for name, value in before.items():
        np.testing.assert_array_equal(after[name], value, strict=True, err_msg=name)
    products = [op for op in changed.walk() if isinstance(op, MatMulOp)]
    return [int(np.prod(tensor_type_of(op.output).get_shape()[:-1])) for op in products]


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(5)


HOIST = "ov-loop-hoist-products{machine=x86-64-v3}"


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("cut", CUTS)
def test_cuts(cut: str, first: bool, random: np.random.Generator) -> None:
    size = CUTS[cut][1]
    # One block before the loop; three of eight; one of sixteen, and three iterations that are left over.
    assert assert_same(sequence(5, cut, first=first), HOIST, random) == [5 * size]
    assert assert_same(sequence(24, cut, first=first), HOIST, random) == [12 * size]
    assert assert_same(sequence(19, cut, first=first), HOIST, random) == [16 * size, size]


@pytest.mark.parametrize("batch", [2, 3])
@pytest.mark.parametrize("first", [False, True])
def test_several_rows_in_each_iteration(batch: int, first: bool, random: np.random.Generator) -> None:
    for trips, rows in ((6, [6]), (20, [4]), (23, [16, 1])):
        found = assert_same(sequence(trips, batch=batch, first=first), HOIST, random)
        assert found == [n * batch for n in rows]


def test_a_batch_as_large_as_a_tile_stays(random: np.random.Generator) -> None:
    assert assert_same(sequence(20, batch=4), HOIST, random) == [4]


def test_fewer_trips_than_parts(random: np.random.Generator) -> None:
    for cut in CUTS:
        size = CUTS[cut][1]
        assert assert_same(sequence(20, cut, trip="6"), HOIST, random) == [6 * size]
        assert assert_same(sequence(30, cut, trip="17"), HOIST, random) == [16 * size, size]


def test_options(random: np.random.Generator) -> None:
    hoist = "ov-loop-hoist-products{{machine=x86-64-v3 {}}}"
    # A row of products takes 160 bytes: there is room for 6, for 4 as a multiple of a tile, for 1, which is no block.
    assert assert_same(sequence(6), hoist.format("budget=1000"), random) == [6]
    assert assert_same(sequence(24), hoist.format("budget=1000"), random) == [4]
    assert assert_same(sequence(24), hoist.format("budget=300"), random) == [1]
    assert assert_same(sequence(24), hoist.format("rows=8"), random) == [8]
    assert assert_same(sequence(6), "ov-loop-hoist-products", random) == [1]
    for option in ("rows=1", "budget=-1", "machine=abacus"):
        with pytest.raises(Error, match=option.partition("=")[0]):
            run_passes(sequence(6), f"ov-loop-hoist-products{{{option}}}")


def test_once_is_enough(random: np.random.Generator) -> None:
    assert assert_same(sequence(24), f"{HOIST},{HOIST}", random) == [12]


def test_no_iteration(random: np.random.Generator) -> None:
    assert assert_same(sequence(0), HOIST, random) == [1]


def gathering(index: str, extent: int, trips: int, condition: str = "") -> ModuleOp:
    """A loop that takes the product of the row at an index."""
    return parse_module(f"""
func.func @main(%x: tensor<{extent}x{K}xf32>, %h: tensor<1x{N}xf32>, %w: tensor<{K}x{N}xf32>) -> tensor<1x{N}xf32> {{
  %t = ov.constant dense<{trips}> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %first = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %c = ov.constant dense<{trips - 1}> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%t) carried(%h) : (tensor<i64>, tensor<1x{N}xf32>) -> (tensor<1x{N}xf32>) {{
  ^bb0(%i: tensor<i64>, %v: tensor<1x{N}xf32>):
    %k = {index}
    %row = ov.gather %x, %k, %zero {{out_of_range = "error"}} : (tensor<{extent}x{K}xf32>, tensor<i64>, tensor<i64>) -> tensor<{K}xf32>
    %one = ov.unsqueeze %row, %first : (tensor<{K}xf32>, tensor<1xi64>) -> tensor<1x{K}xf32>
    %xw = ov.mat_mul %one, %w : (tensor<1x{K}xf32>, tensor<{K}x{N}xf32>) -> tensor<1x{N}xf32>
    %s = ov.subtract %xw, %v : (tensor<1x{N}xf32>, tensor<1x{N}xf32>) -> tensor<1x{N}xf32>
    %go = ov.less %i, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next {condition} carried(%s : tensor<1x{N}xf32>)
  }}
  func.return %r : tensor<1x{N}xf32>
}}""")


INDICES = {
    "the number": "ov.add %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>",
    "backwards": "ov.subtract %c, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>",
}


@pytest.mark.parametrize("index", INDICES)
def test_gathers(index: str, random: np.random.Generator) -> None:
    both = f"ov-loop-gather-to-slice,{HOIST}"
    for extent, trips, rows in ((6, 6, [6]), (9, 6, [6]), (30, 24, [12]), (19, 19, [16, 1])):
        assert assert_same(gathering(INDICES[index], extent, trips), both, random) == rows
    # A condition that may end the loop: its parts are cut, but their products stay.
    ends = gathering(INDICES[index], 9, 6, "while(%go)")
    assert assert_same(ends, both, random) == [1]
    assert [len(op.sliced) for op in ends.walk() if isinstance(op, LoopOp)] == [0]


def test_an_index_out_of_range_stays_an_error() -> None:
    program = gathering(INDICES["the number"], 5, 6)
    run_passes(program, f"ov-infer,ov-loop-gather-to-slice,{HOIST}", verify_each=True)
    names = argument_names(main_function(program))
    values = [np.zeros(shape, np.float32) for shape in ((5, K), (1, N), (K, N))]
    with pytest.raises(Error, match="runtime-index"):
        GraphEngine(program).run(dict(zip(names, values)))
