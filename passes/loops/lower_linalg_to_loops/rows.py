"""Iterations of a loop that avoid padding, and the loop's parts.

The border runs one iteration at a time, the interior as many iterations at a time as fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loomir.passes.loops.lower_linalg_to_loops.access import LONG, Access
from loomir.passes.loops.lower_linalg_to_loops.parts import Part, by_rest, cut
from loomir.passes.structured.bufferize.pads import PadSpec


@dataclass(frozen=True)
class Interior:
    """Iterations `first` … `end - 1` of a loop that avoid padding.

    They do so whatever the positions of the other loops. If the extent is not `known` before the program runs, their number
    is an assumed one.
    """

    extent: int
    first: int
    end: int
    known: bool = True

    @property
    def size(self) -> int:
        """How many they are."""
        return self.end - self.first

    def parts(self, sizes: Sequence[tuple[int, int]]) -> tuple[Part, ...]:
        """Return the loop's parts: single border iterations, and the interior by `sizes`.

        `sizes` are pairs of `(points, width)`, as in `cut`.
        """
        return (
            *cut(0, self.first, [(1, 1)]),
            *cut(self.first, self.end, sizes, inside=True),
            *cut(self.end, self.extent, [(1, 1)]),
        )

    def rows(self, rows: int) -> tuple[Part, ...] | None:
        """So many rows at a time inside; None where there are fewer."""
        return None if rows > self.size else self.parts(by_rest(self.size, rows))


def interior_of(
    dim: int, inputs: Mapping[int, Access], pads: Mapping[int, PadSpec], extents: Mapping[int, int]
) -> Interior | None:
    """Return the iterations of a loop inside all inputs, or None.

    Return None if they are unknown, or if there are none.

    `extents` are the known extents. A loop of unknown extent stays inside if no input has padding.
    """
    are_linear = all(access.is_linear(dim) for access in inputs.values())
    if dim not in extents:
        is_inside = not any(position in pads for position in inputs) and are_linear
        return Interior(LONG, 0, LONG, known=False) if is_inside else None
    extent = extents[dim]
    if extent < 2 or not are_linear:
        return None
    first, end = 0, extent
    for position, access in inputs.items():
        span = span_of(access, pads.get(position), dim, extents)
        if span is None:
            return None
        if not isinstance(span, str):
            first, end = max(first, span[0]), min(end, span[1])
    return Interior(extent, first, end) if first < end else None


def span_of(
    access: Access, pad: PadSpec | None, dim: int, extents: Mapping[int, int]
) -> tuple[int, int] | str | None:
    """Return the range of a loop that avoids padding, `everywhere`, or None.

    The loop avoids padding in this range whatever the positions of the other loops. None means that the range is unknown.
    """
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
