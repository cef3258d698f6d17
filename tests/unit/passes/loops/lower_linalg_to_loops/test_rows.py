"""Loops that have rows, and the iterations inside of the padding."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import IndexType, f32
from xdsl.utils.test_value import create_ssa_value

from loomir.passes.loops.lower_linalg_to_loops.access import MemRefAccess
from loomir.passes.loops.lower_linalg_to_loops.borders import Interior, interior_of, span_of
from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import IterationRange
from loomir.passes.structured.lib.memrefs import PadSpec
from tests.unit.passes.loops.lower_linalg_to_loops.nests import access

VALUE = create_ssa_value(f32)
SOME = create_ssa_value(IndexType())


def pad(low: int | object, high: int | object) -> PadSpec:
    """Padding of the first of two dimensions."""
    return PadSpec((low, 0), (high, 0), VALUE)  # pyright: ignore[reportArgumentType]


def inside(found: MemRefAccess, padding: PadSpec, dim: int, extents: dict[int, int]) -> tuple[int, int]:
    """The iterations that lead into no padding, tried one by one."""
    (terms, *_), size = found.coordinates, found.shape[0]
    low = padding.low[0]
    assert isinstance(low, int)
    good: list[int] = []
    for i in range(extents[dim]):
        places = [terms.constant - low]
        for atom, factor in terms.terms:
            assert isinstance(atom, int)
            runs = [i] if atom == dim else range(extents[atom])
            places = [place + factor * k for place in places for k in runs]
        if all(0 <= place < size for place in places):
            good.append(i)
    return good[0], good[-1] + 1


@pytest.mark.parametrize(
    ("coordinate", "low", "high", "kernel", "expected"),
    [
        ("a + b", 1, 1, 3, (1, 19)),
        ("a + b", 2, 0, 3, (2, 20)),
        ("a + b", 0, 2, 3, (0, 18)),
        ("a * 2 + b", 1, 2, 3, (1, 19)),
        ("a * 2 + b", 1, 1, 4, (1, 19)),
        ("a * 3 + b * 2", 4, 4, 5, (2, 18)),
        ("a + 1", 2, 1, 3, (1, 19)),
        ("a - b + 2", 1, 1, 3, (1, 19)),
    ],
)
def test_the_inside_of_a_padded_loop(
    coordinate: str, low: int, high: int, kernel: int, expected: tuple[int, int]
) -> None:
    extents = {0: 20, 1: kernel, 2: 4}
    # As many elements as the coordinates reach, less the padding.
    probe = access("1x4xf32", f"{coordinate}, c", 3)
    (terms, *_) = probe.coordinates
    last = terms.constant + sum(
        factor * (extents[atom] - 1) for atom, factor in terms.terms if isinstance(atom, int) and factor > 0
    )
    found = access(f"{last + 1 - low - high}x4xf32", f"{coordinate}, c", 3)
    span = span_of(found, pad(low, high), 0, extents)
    assert span == expected
    assert span == inside(found, pad(low, high), 0, extents)


def test_where_padding_is_in_no_way() -> None:
    found = access("20x4xf32", "a + b, c", 3)
    extents = {0: 20, 1: 3, 2: 4}
    assert span_of(found, None, 0, extents) == "everywhere"
    assert span_of(found, pad(1, 1), 2, extents) == "everywhere"
    assert span_of(found, pad(0, 0), 0, extents) == "everywhere"


def test_where_nothing_is_known() -> None:
    extents = {0: 20, 1: 3, 2: 4}
    for coordinate, padding, known in (
        ("a + b", pad(SOME, 1), extents),
        ("a + b", pad(1, SOME), extents),
        ("a + b", pad(1, 1), {0: 20, 2: 4}),
        ("a + b floordiv 2", pad(1, 1), extents),
        ("a floordiv 2", pad(1, 1), extents),
        ("b - a", pad(1, 1), extents),
    ):
        assert span_of(access("20x4xf32", f"{coordinate}, c", 3), padding, 0, known) is None
    assert span_of(access("?x4xf32", "a + b, c", 3), pad(1, 1), 0, extents) is None


def test_both_ends_are_inside_of_the_loop() -> None:
    """More padding than the loop goes through."""
    assert span_of(access("40x4xf32", "a + 5, c", 3), pad(2, 9), 0, {0: 20, 2: 4}) == (0, 20)
    assert span_of(access("2x4xf32", "a, c", 3), pad(30, 30), 0, {0: 20, 2: 4}) == (30, 20)


def test_border_one_by_one_and_the_inside_in_rows() -> None:
    parts = Interior(20, 1, 18).rows(5)
    assert parts == (
        IterationRange(0, 1),
        IterationRange(1, 16, 5, inside=True),
        IterationRange(16, 18, 2, inside=True),
        IterationRange(18, 20),
    )
    assert Interior(20, 0, 20).rows(5) == (IterationRange(0, 20, 5, inside=True),)
    assert Interior(20, 2, 6).rows(4) is not None
    assert Interior(20, 2, 6).rows(5) is None


def test_border_one_by_one_and_the_inside_in_vectors() -> None:
    assert Interior(20, 1, 19).parts([(1, 8), (1, 2)]) == (
        IterationRange(0, 1),
        IterationRange(1, 17, 1, 8, inside=True),
        IterationRange(17, 19, 1, 2, inside=True),
        IterationRange(19, 20),
    )


def test_loops_that_have_an_inside() -> None:
    extents = {0: 20, 1: 3, 2: 8, 3: 1}
    inputs = {0: access("20x8xf32", "a + b, c", 4)}

    def found(
        pads: dict[int, PadSpec], more: dict[int, MemRefAccess] | None = None, dim: int = 0
    ) -> Interior | None:
        return interior_of(dim, {**inputs, **(more or {})}, pads, extents)

    assert found({}) == Interior(20, 0, 20)
    assert found({}, dim=2) == Interior(8, 0, 8)
    assert found({}, dim=3) is None, "a loop that is done once"
    assert found({0: pad(1, 1)}) == Interior(20, 1, 19)
    # The inside of all inputs.
    other = access("18x8xf32", "a, c", 4)
    assert found({0: pad(1, 1), 1: pad(0, 2)}, {1: other}) == Interior(20, 1, 18)
    # Nothing is inside; nobody knows what is; an index divides the loop.
    assert found({1: pad(30, 30)}, {1: access("2x8xf32", "a, c", 4)}) is None
    assert found({0: pad(SOME, 1)}) is None
    assert found({}, {1: access("10x8xf32", "a floordiv 2, c", 4)}) is None
