"""Neighbouring loops merged into one.

For example, a product of 6 × 6 pixels has 36 rows:

    for oh < 6, ow < 6, co:  o[oh, ow, co] += x[oh, ow, k] · w[k, co]
    for p < 36, co:          o[p, co]      += x[p, k]      · w[k, co]          o, x: as 36 × n

Two loops can be merged if they run along neighbouring dimensions of every operand that has one of them, over the whole
extents and in order. A tile may then have any divisor of 36 as its rows, and elementwise nests are one loop.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import NoneAttr

from loomir.dialects.tensors import memref_type_of
from loomir.passes.loops.lower_linalg_to_loops.access import Access
from loomir.passes.loops.lower_linalg_to_loops.index_math import Terms


@dataclass(frozen=True)
class Merged:
    """Pairs of an outer and an inner loop that are merged.

    The inner loop performs the iterations of both; the outer loop runs once. `once` are the loops that ran once before and
    move nothing, such as the filter loops of a 1 × 1 convolution.
    """

    pairs: tuple[tuple[int, int], ...]
    once: frozenset[int] = frozenset()

    def has(self, dim: int) -> bool:
        """Return True if a loop belongs to a merged pair."""
        return any(dim in pair for pair in self.pairs)

    def of(self, access: Access) -> Access:
        """An access as a function of the loops that are left."""
        access = replace(access, coordinates=tuple(self._moving(terms) for terms in access.coordinates))
        for outer, inner in self.pairs:
            at = _place_of(access, outer)
            if at is not None and _place_of(access, inner) == at + 1:
                access = _merged(access, at)
        return access

    def _moving(self, terms: Terms) -> Terms:
        return Terms(terms.constant, tuple(term for term in terms.terms if term[0] not in self.once))

    def all_of(self, accesses: Sequence[Access | None]) -> list[Access | None]:
        """Each access as a function of the loops that are left."""
        return [None if access is None else self.of(access) for access in accesses]

    def extents(self, extents: Mapping[int, int]) -> dict[int, int]:
        """The trip counts of the loops that are left."""
        found = dict(extents)
        for outer, inner in self.pairs:
            found[inner] *= found[outer]
            found[outer] = 1
        return found


def merged_loops(
    accesses: Sequence[Access | None],
    loops: Sequence[int],
    extents: Mapping[int, int],
    fixed: Collection[int],
) -> Merged:
    """Return the loops that can be merged, from the inside out.

    `fixed` are positions of accesses that must stay unchanged.
    """
    pairs: list[tuple[int, int]] = []
    once = frozenset(dim for dim, extent in extents.items() if extent == 1)
    done = Merged((), once)
    for outer in reversed(loops):
        for inner in loops:
            if inner == outer or outer not in extents or inner not in extents:
                continue
            if all(
                access is None
                or _goes_along(done.of(access), outer, inner, done.extents(extents), position in fixed)
                for position, access in enumerate(accesses)
            ):
                pairs.append((outer, inner))
                done = Merged(tuple(pairs), once)
                break
    return done


def _place_of(access: Access, dim: int) -> int | None:
    """The coordinate that is a loop, and nothing else."""
    return next((i for i, terms in enumerate(access.coordinates) if terms == Terms(0, ((dim, 1),))), None)


def _goes_along(access: Access, outer: int, inner: int, extents: Mapping[int, int], fixed: bool) -> bool:
    """Return True if the loops run along neighbouring dimensions of an operand.

    Loops that run along none of its dimensions qualify, too.
    """
    places = [i for i, terms in enumerate(access.coordinates) if terms.dims() & {outer, inner}]
    if not places:
        return True
    at = _place_of(access, outer)
    if fixed or at is None or _place_of(access, inner) != at + 1 or places != [at, at + 1]:
        return False
    shape = access.shape
    contiguous = isinstance(memref_type_of(access.value).layout, NoneAttr)
    return contiguous and shape[at] == extents[outer] and shape[at + 1] == extents[inner]


def _merged(access: Access, at: int) -> Access:
    groups = access.groups
    return replace(
        access,
        coordinates=(*access.coordinates[:at], *access.coordinates[at + 1 :]),
        strides=(*access.strides[:at], *access.strides[at + 1 :]),
        groups=(*groups[:at], groups[at] + groups[at + 1], *groups[at + 2 :]),
    )
