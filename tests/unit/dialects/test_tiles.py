"""Marks of what has the size of a tile."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType, f32

from loomir.dialects.upstream.construction import local_allocation
from loomir.dialects.vectors import has_size_of_tile, is_to_unroll, mark_tile


def test_what_is_not_marked_has_neither() -> None:
    row = local_allocation(MemRefType(f32, [8]))
    assert not has_size_of_tile(row)
    assert not is_to_unroll(row)


def test_marks_are_two() -> None:
    row, other = local_allocation(MemRefType(f32, [8])), local_allocation(MemRefType(f32, [8]))
    mark_tile(row)
    mark_tile(other, unroll=True)
    assert (has_size_of_tile(row), is_to_unroll(row)) == (True, False)
    assert (has_size_of_tile(other), is_to_unroll(other)) == (True, True)
