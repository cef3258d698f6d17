"""Inputs that are copied with their padding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import IndexType, f32
from xdsl.utils.test_value import create_ssa_value

from loomir.passes.analysis.machines import machine_of
from loomir.passes.loops.lower_linalg_to_loops.access import MemRefAccess
from loomir.passes.loops.lower_linalg_to_loops.borders import Promotion, promotions
from loomir.passes.structured.lib.memrefs import PadSpec
from tests.unit.passes.loops.lower_linalg_to_loops.nests import MACHINE, access, lowered, parse, run, whole

VALUE = create_ssa_value(f32)
SOME = create_ssa_value(IndexType())
EXTENTS = {0: 1, 1: 4, 2: 6, 3: 6, 4: 3, 5: 3}
"""Batch, channel, two of pixels, two of a filter."""


def promoted(
    found: MemRefAccess, pad: PadSpec, order: list[int], memory: int = 1 << 20, machine: str = MACHINE
) -> Promotion | None:
    """`memory`: the most bytes of a copy."""
    for_this = replace(machine_of(machine), caches=(1 << 10, 2 * memory))
    copies = promotions({0: found}, {0: pad}, order, EXTENTS, for_this)
    return copies[0] if copies else None


def pad(*amounts: int | object) -> PadSpec:
    """Return padding with the same amounts in front and behind."""
    return PadSpec(amounts, amounts, VALUE)  # pyright: ignore[reportArgumentType]


PLANES = access("1x4x6x6xf32", "a, b, c + e, d + f", 6)
"""A depthwise convolution: each channel has a plane of its own."""

PIXELS = access("1x6x6x4xf32", "a, c + e, d + f, b", 6)


def test_a_plane_at_a_time() -> None:
    found = promoted(PLANES, pad(0, 0, 1, 1), [0, 1, 2, 3], machine="x86-64")
    assert found is not None
    assert (found.outer, found.kept) == ((1,), (0, 2, 3))
    assert found.type.get_shape() == (1, 8, 8)
    # Each of the four planes: six rows of a vector of four and one of two; 64 elements that are filled.
    assert found.cycles(EXTENTS) == 4 * 6 * (1 + 1 + 1) + 64 / 4


@pytest.mark.parametrize(
    ("element", "lanes"), [("f32", 8), ("f64", 4), ("i8", 8), ("f16", 1), ("i1", 1), ("index", 1)]
)
def test_vectors_of_its_own_elements(element: str, lanes: int) -> None:
    planes = access(f"1x4x6x6x{element}", "a, b, c + e, d + f", 6)
    found = promoted(planes, pad(0, 0, 1, 1), [0, 1, 2, 3])
    assert found is not None
    assert found.lanes == lanes


def test_the_whole_input_where_loops_come_in_another_order() -> None:
    found = promoted(PLANES, pad(0, 0, 1, 1), [0, 2, 1, 3])
    assert found is not None
    assert (found.outer, found.kept) == ((), (0, 1, 2, 3))
    assert found.type.get_shape() == (1, 4, 8, 8)


def test_rows_with_all_that_lies_behind() -> None:
    found = promoted(PIXELS, pad(0, 1, 1, 0), [0, 2, 3, 1])
    assert found is not None
    assert (found.outer, found.row) == ((), 2)
    # Six rows of 24 elements.
    assert found.cycles(EXTENTS) == 6 * (3 + 1) + 8 * 8 * 4 / 8


@pytest.mark.parametrize(
    ("found", "amounts", "memory"),
    [
        (PLANES, (0, 0, 1, 1), 8 * 8 * 4 - 1),
        (PLANES, (0, 0, SOME, 1), 1 << 20),
        (PLANES, (0, 0, -1, 1), 1 << 20),
        (access("1x4x?x6xf32", "a, b, c + e, d + f", 6), (0, 0, 1, 1), 1 << 20),
        (access("1x4x6x6xf32, strided<[288, 72, 12, 2]>", "a, b, c + e, d + f", 6), (0, 0, 1, 1), 1 << 20),
        # A channel's elements are in no order of their own behind the padding.
        (access("1x6x4x6xf32", "a, c + e, b, d", 6), (0, 1, 0, 0), 1 << 20),
    ],
)
def test_what_is_not_copied(found: MemRefAccess, amounts: tuple[int | object, ...], memory: int) -> None:
    assert promoted(found, pad(*amounts), [0, 1, 2, 3], memory) is None


DEPTHWISE = """linalg.fill ins(%zero : f32) outs(%o : memref<4x9x16xf32>)
%p = builtin.unrealized_conversion_cast %x : memref<4x9x16xf32> to memref<4x11x18xf32>
linalg.generic {indexing_maps = [affine_map<(c, h, w, i, j) -> (c, h + i, w + j)>, affine_map<(c, h, w, i, j) -> (c, i, j)>,
    affine_map<(c, h, w, i, j) -> ()>, affine_map<(c, h, w, i, j) -> (c, h, w)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %k, %zero : memref<4x11x18xf32>, memref<4x3x3xf32>, f32) outs(%o : memref<4x9x16xf32>)
    attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: 0, 1, 1>, high = array<i64: 0, 1, 1>, value = 2 : i64}]} {
^bb0(%a: f32, %b: f32, %z: f32, %acc: f32):
  %m = arith.mulf %a, %b : f32
  %s = arith.addf %acc, %m : f32
  linalg.yield %s : f32
}
"""


def test_what_comes_of_it() -> None:
    module = lowered(parse(["x: 4x9x16", "k: 4x3x3"], ["o: 4x9x16"], DEPTHWISE))
    (buffer,) = [op for op in module.walk() if isinstance(op, memref.AllocOp)]
    assert buffer.memref.type.get_shape() == (11, 18)
    x, k = whole(4, 9, 16), whole(4, 3, 3)
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    expected = sum(
        padded[:, i : i + 9, j : j + 16] * k[:, i, j, None, None] for i in range(3) for j in range(3)
    )
    assert np.array_equal(run(module, x=x, k=k)["o"], expected)
