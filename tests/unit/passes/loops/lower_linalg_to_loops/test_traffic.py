"""Bytes from behind a cache, counted by hand."""

from __future__ import annotations

import pytest

from loomir.passes.loops.lower_linalg_to_loops.tilings import traffic
from tests.unit.passes.loops.lower_linalg_to_loops.nests import access

# A product of 32 rows with 16 × 64 weights (4,096 bytes), in tiles of 4 rows × 16 columns.
EXTENTS = {0: 32, 1: 64, 2: 16}
TILE = {0: 4, 1: 16, 2: 16}
X = access("32x16xf32", "a, c", 3)
W = access("16x64xf32", "c, b", 3)
ROWS, COLUMNS = [0, 1], [1, 0]
"""Loop orders, by the loop that comes first."""


def test_what_fits_is_brought_in_once() -> None:
    for order in (ROWS, COLUMNS):
        assert traffic([X], order, TILE, EXTENTS, 1 << 20) == 32 * 16 * 4
        assert traffic([X, W], order, TILE, EXTENTS, 1 << 20) == 32 * 16 * 4 + 16 * 64 * 4


def test_what_does_not_fit_comes_anew_for_each_tile_around() -> None:
    # All weights and the 256 bytes of four rows do not fit: they come for each of eight tiles of rows.
    assert traffic([X, W], ROWS, TILE, EXTENTS, 4096) == 8 * (4096 + 256)
    # One tile of columns (1,024 bytes) and all rows (2,048 bytes) do: both come for each of four tiles of columns.
    assert traffic([X, W], COLUMNS, TILE, EXTENTS, 3072) == 4096 + 4 * 2048 - 3 * 2048
    assert traffic([X, W], COLUMNS, TILE, EXTENTS, 3071) == 4 * (1024 + 2048)


def test_a_tile_that_does_not_fit_comes_for_each_of_all() -> None:
    assert traffic([X, W], ROWS, TILE, EXTENTS, 1) == 8 * 4 * (256 + 1024)
    # A loop around that has fewer iterations than the tile is done once.
    assert traffic([X], [0], {0: 64}, {0: 32}, 1) == 32 * 64


@pytest.mark.parametrize(
    ("memref", "coordinates", "tile", "size"),
    [
        ("16xf32", "a", {0: 3}, 64),
        ("16xf32", "a", {0: 16}, 64),
        ("5xf32", "a", {0: 5}, 20),
        ("20xf32", "a", {0: 17}, 128),
        ("20xf64", "a", {0: 9}, 128),
        ("20xi8", "a", {0: 20}, 20),
        ("16x32xf32", "a, b", {0: 16}, 16 * 64),
        ("16x32xf32", "a, b", {0: 2, 1: 32}, 2 * 128),
        ("3x5xf32", "a, b", {0: 3, 1: 5}, 60),
        ("4x8xf32, strided<[64, 2]>", "a, b", {0: 4, 1: 8}, 4 * 64),
        # A window of three over four places: six elements; with a step of two: nine, with another dilation eight.
        ("64x16xf32", "a + b, c", {0: 4, 1: 3, 2: 16}, 6 * 64),
        ("64x16xf32", "a * 2 + b, c", {0: 4, 1: 3, 2: 16}, 9 * 64),
        ("64x16xf32", "a + b * 2, c", {0: 4, 1: 3, 2: 16}, 8 * 64),
        # No more than there is.
        ("5x16xf32", "a + b, c", {0: 4, 1: 3, 2: 16}, 5 * 64),
        ("8x16xf32", "a floordiv 4, c", {0: 4, 2: 16}, 4 * 64),
        ("f32", "", {0: 4}, 4),
    ],
)
def test_lines_that_a_tile_touches(memref: str, coordinates: str, tile: dict[int, int], size: int) -> None:
    assert traffic([access(memref, coordinates, 3)], [], tile, {}, 1) == size
