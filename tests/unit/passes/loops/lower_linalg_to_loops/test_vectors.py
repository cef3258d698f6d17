"""Tilings into vectors: along which loop, in which order, and where there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomir.passes.analysis.machines import machine_of
from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import IterationRange
from tests.unit.passes.loops.lower_linalg_to_loops.nests import MACHINE, generic, parse, tiling

COPY = "^bb0(%p: f32, %old: f32):\n%r = arith.addf %p, %p : f32\nlinalg.yield %r : f32\n}"
V3 = machine_of(MACHINE)


def inside(first: int, end: int, points: int = 1, width: int = 1) -> IterationRange:
    """A part of a loop that leads into no padding."""
    return IterationRange(first, end, points, width, inside=True)


def product(rows: int, columns: int, depth: int, out_map: str = "a, b", weights: str = "c, b"):
    shapes = {"a": rows, "b": columns, "c": depth}
    x, w, o = (
        f"{name}: {'x'.join(str(shapes[loop]) for loop in map.split(', '))}"
        for name, map in (("x", "a, c"), ("w", weights), ("o", out_map))
    )
    return parse([x, w], [o], generic(f"a, c; {weights}; {out_map}", "ppr", [x, w], [o]))


@pytest.mark.parametrize(
    ("caches", "outermost"),
    [
        # All that it reads (320 KiB) is in the first cache, in the second one, in none.
        pytest.param((1 << 20, 1 << 20), None, id="first"),
        pytest.param((32 << 10, 1 << 20), 1, id="second"),
        pytest.param((32 << 10, 64 << 10), 1, id="none"),
    ],
)
def test_columns_come_first_where_weights_would_be_brought_in_again(
    caches: tuple[int, int], outermost: int | None
) -> None:
    found = tiling(product(64, 256, 256), replace(V3, caches=caches))
    assert found is not None
    assert found.vector == 1
    assert found.outermost == outermost
    assert found.order([0, 1, 2]) == ([0, 1, 2] if outermost is None else [1, 0, 2])


def test_rows_that_there_are_many_of_stay_outside() -> None:
    """A tile of rows is brought in once; the weights (4 KiB) stay."""
    found = tiling(product(4096, 16, 64), replace(V3, caches=(16 << 10, 32 << 10)))
    assert found is not None
    assert found.outermost is None


@pytest.mark.parametrize(("extent", "vectors"), [(0, False), (1, False), (2, True), (16, True)])
def test_a_loop_that_is_never_done_has_no_vectors(extent: int, vectors: bool) -> None:
    """Nor one that is done once: what is left of two iterations is one vector of two."""
    module = parse(
        [f"x: {extent}"], [f"o: {extent}"], generic("a; a", "p", [f"x: {extent}"], [f"o: {extent}"], COPY)
    )
    assert (tiling(module) is not None) is vectors


def test_what_is_left_is_done_by_narrower_vectors() -> None:
    found = tiling(parse(["x: 15"], ["o: 15"], generic("a; a", "p", ["x: 15"], ["o: 15"], COPY)))
    assert found is not None
    assert found.parts == {0: (inside(0, 8, 1, 8), inside(8, 12, 1, 4), inside(12, 14, 1, 2), inside(14, 15))}


def test_results_apart_are_for_reductions_only() -> None:
    """A copy to another order has none; the same of a product turns its results around."""
    turned = parse(["x: 16x24"], ["o: 24x16"], generic("a, b; b, a", "pp", ["x: 16x24"], ["o: 24x16"], COPY))
    assert tiling(turned) is None
    found = tiling(product(16, 24, 32, "b, a"))
    assert found is not None
    assert found.vector == 1


def test_vectors_lie_where_results_lie_together_if_that_is_cheaper() -> None:
    """Along either loop the inputs allow them; only along one there is nothing to turn around."""
    for out_map, vector in (("a, b", 1), ("b, a", 0)):
        shape = "16x16"
        module = parse(
            ["x: 4x16", "w: 4x16"],
            [f"o: {shape}"],
            generic(f"c, a; c, b; {out_map}", "ppr", ["x: 4x16", "w: 4x16"], [f"o: {shape}"]),
        )
        found = tiling(module)
        assert found is not None
        assert found.vector == vector


def test_inputs_apart_have_none() -> None:
    assert tiling(product(16, 24, 32, weights="b, c")) is None


def test_all_accumulators_fit_into_the_registers() -> None:
    for registers in (8, 16, 32):
        found = tiling(product(48, 64, 64), replace(V3, registers=registers))
        assert found is not None
        rows, columns = found.parts[0][0].points, found.parts[1][0].points
        assert rows * columns + columns + 1 <= registers
        assert rows * columns > registers // 2


def test_what_is_left_of_several_vectors_is_several_vectors() -> None:
    found = tiling(product(4, 56, 16))
    assert found is not None
    assert found.parts[1] == (inside(0, 32, 4, 8), inside(32, 56, 3, 8))
