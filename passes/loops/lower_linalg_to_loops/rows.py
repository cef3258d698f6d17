"""Which loops have rows, and where a loop stays inside of what is padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loomir.passes.loops.lower_linalg_to_loops.access import Access
from loomir.passes.loops.lower_linalg_to_loops.parts import Part, by_rest, cut
from loomir.passes.structured.bufferize.pads import PadSpec


class RowParts:
    """The parts of a loop as rows: its border one by one, inside as many at a time as asked for."""

    def __init__(self, extent: int, first: int, end: int) -> None:
        self.extent, self.first, self.end = extent, first, end

    def __call__(self, rows: int) -> tuple[Part, ...] | None:
        """None where there are fewer."""
        first, end = self.first, self.end
        if rows > end - first:
            return None
        return (
            *cut(0, first, [(1, 1)]),
            *cut(first, end, by_rest(end - first, rows), inside=True),
            *cut(end, self.extent, [(1, 1)]),
        )


class NoRows:
    """Where no loop has rows."""

    def __call__(self, rows: int) -> tuple[Part, ...]:
        return (Part(0, 1),)


def row_loops(
    parallel: Sequence[int],
    columns: int,
    inputs: dict[int, Access],
    pads: dict[int, PadSpec],
    extents: dict[int, int],
) -> Iterator[tuple[int | None, RowParts | NoRows]]:
    """The loops that can have rows, and none."""
    yield None, NoRows()
    for row in parallel:
        extent = extents.get(row, 0)
        if row == columns or extent < 2 or not all(access.is_linear(row) for access in inputs.values()):
            continue
        first, end = 0, extent
        for position, access in inputs.items():
            span = span_of(access, pads.get(position), row, extents)
            if span is None:
                break
            if not isinstance(span, str):
                first, end = max(first, span[0]), min(end, span[1])
        else:
            if first < end:
                yield row, RowParts(extent, first, end)


def span_of(
    access: Access, pad: PadSpec | None, dim: int, extents: dict[int, int]
) -> tuple[int, int] | str | None:
    """From where to where a loop does not lead into padding, wherever the others are: `everywhere`, or None where that is not known."""
    if pad is None:
        return "everywhere"
    found: tuple[int, int] | None = None
    # (Of a squeezed access the last ones are left out: they have no padding.)
    for terms, low, high, size in zip(access.coordinates, pad.low, pad.high, access.shape, strict=False):
        if dim not in terms.dims() or (low == 0 and high == 0):
            continue
        factor = terms.coefficient(dim)
        if not isinstance(low, int) or not isinstance(high, int) or size < 0 or factor is None or factor < 1:
            return None
        least = greatest = terms.constant - low
        for atom, by in terms.terms:
            if atom == dim:
                continue
            if not isinstance(atom, int) or atom not in extents:
                return None
            reach = by * (extents[atom] - 1)
            least, greatest = least + min(reach, 0), greatest + max(reach, 0)
        first, end = -(least // factor), (size - 1 - greatest) // factor + 1
        found = (first, end) if found is None else (max(found[0], first), min(found[1], end))
    return "everywhere" if found is None else (max(found[0], 0), min(found[1], extents[dim]))
