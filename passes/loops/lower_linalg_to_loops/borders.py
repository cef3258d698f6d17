"""Borders of padded inputs: interiors of loops, and copies with the padding.

*Interiors* are the iterations of a loop that avoid padding.

The border runs one iteration at a time, the interior as many iterations at a time as fit.

*Promotion* copies inputs with their padding, so that tiles cross no border.

A tile of 12 pixels does not fit 14 pixels of which the outer two read padding: these would be tiles of their own, in
which each addition waits for the previous one. So the padded input is copied into memory that holds the padding, too.
The copy is outside of all loops except those that reach a part of the input of their own:

    fill buffer[34, 34] with the padding
    for c:
      for h, w: buffer[h + 1, w + 1] = x[c, h, w]                    w: vectors
      for oh, ow …:                                                  tiles of any size that divides
        for kh, kw: acc += buffer[oh + kh, ow + kw] · w[c, kh, kw]

This is done if it takes less time in total (`vectors.py`), since the copy has a cost (`Promotion.cycles`), and if the
memory takes no more than half of the second-level cache.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr, VectorType
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.element_types import bytes_of, memref_type_of
from loomir.dialects.index_builder import Extent, all_static
from loomir.dialects.scalars.row import is_boolean
from loomir.passes.analysis.machines import Machine
from loomir.passes.loops.lower_linalg_to_loops.access import LONG, MemRefAccess
from loomir.passes.loops.lower_linalg_to_loops.index_math import (
    Coordinates,
    IndexEmitter,
    bits_of,
    dims_of,
    factor_of,
    vector_of,
)
from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import IterationRange, by_rest, cut
from loomir.passes.structured.lib.memrefs import PadSpec


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

    def parts(self, sizes: Sequence[tuple[int, int]]) -> tuple[IterationRange, ...]:
        """Return the loop's parts: single border iterations, and the interior by `sizes`.

        `sizes` are pairs of `(points, width)`, as in `cut`.
        """
        return (
            *cut(0, self.first, [(1, 1)]),
            *cut(self.first, self.end, sizes, inside=True),
            *cut(self.end, self.extent, [(1, 1)]),
        )

    def rows(self, rows: int) -> tuple[IterationRange, ...] | None:
        """So many rows at a time inside; None where there are fewer."""
        return None if rows > self.size else self.parts(by_rest(self.size, rows))


def interior_of(
    dim: int, inputs: Mapping[int, MemRefAccess], pads: Mapping[int, PadSpec], extents: Mapping[int, int]
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
    access: MemRefAccess, pad: PadSpec | None, dim: int, extents: Mapping[int, int]
) -> tuple[int, int] | str | None:
    """Return the range of a loop that avoids padding, `everywhere`, or None.

    The loop avoids padding in this range whatever the positions of the other loops. None means that the range is unknown.
    """
    if pad is None:
        return "everywhere"
    found: tuple[int, int] | None = None
    # (Of a squeezed access the last ones are left out: they have no padding.)
    for terms, low, high, size in zip(access.coordinates, pad.low, pad.high, access.shape, strict=False):
        if dim not in dims_of(terms) or (low == 0 and high == 0):
            continue
        factor = factor_of(terms, dim)
        if not isinstance(low, int) or not isinstance(high, int) or size < 0 or factor is None or factor < 1:
            return None
        rest = (terms.without(dim) - low).interval(
            lambda atom: (0, extents[atom] - 1) if isinstance(atom, int) and atom in extents else None
        )
        if rest is None:
            return None
        least, greatest = rest
        first, end = -(least // factor), (size - 1 - greatest) // factor + 1
        found = (first, end) if found is None else (max(found[0], first), min(found[1], end))
    return "everywhere" if found is None else (max(found[0], 0), min(found[1], extents[dim]))


@dataclass(frozen=True)
class Promotion:
    """Copy of input `position` into memory that includes the padding.

    The memory has the input's dimensions `kept`, of these `sizes`, surrounded by `low` and `high` elements that hold
    `value`. The input is copied by vectors of at most `lanes` lanes.

    `outer` are the loops that are open around the copy; each of them is one of the other coordinates.
    """

    position: int
    outer: tuple[int, ...]
    kept: tuple[int, ...]
    sizes: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    element: Attribute
    value: SSAValue
    lanes: int

    @property
    def type(self) -> MemRefType:
        """That of the memory."""
        padded = zip(self.low, self.sizes, self.high, strict=True)
        return MemRefType(self.element, [low + size + high for low, size, high in padded])

    def of(self, access: MemRefAccess, buffer: SSAValue) -> MemRefAccess:
        """How the loops reach the copy instead of the input."""
        shape = self.type.get_shape()
        return replace(
            access,
            value=buffer,
            coordinates=tuple(access.coordinates[i] for i in self.kept),
            strides=tuple(prod(shape[i + 1 :]) for i in range(len(shape))),
            groups=tuple((i,) for i in range(len(shape))),
        )

    @property
    def row(self) -> int:
        """First of the dimensions that are copied as one.

        Behind the last dimension with padding, the copy's elements have the same layout as the input's.
        """
        return max(i for i in range(len(self.low)) if self.low[i] or self.high[i])

    def cycles(self, extents: Mapping[int, int]) -> float:
        """Return the cycles of the copy and of filling the memory once.

        A load and a store take one cycle.
        """
        rows, length, lanes = prod(self.sizes[: self.row]), prod(self.sizes[self.row :]), self.lanes
        vectors = length // lanes + (length % lanes).bit_count()
        times = prod(extents.get(dim, 1) for dim in self.outer)
        return times * rows * (vectors + 1) + prod(self.type.get_shape()) / lanes


@dataclass(frozen=True)
class PromotedCopy:
    """An input and the memory that it is copied to."""

    promotion: Promotion
    source: MemRefAccess
    buffer: SSAValue

    def level(self, depth: Mapping[int, int]) -> int:
        """Return the level of the loop whose body contains the copy.

        Return -1 if the copy is before the nest.
        """
        return max((depth[dim] for dim in self.promotion.outer), default=-1)

    def emit(self, coordinates: Coordinates, emitter: IndexEmitter) -> None:
        """The loops that copy."""
        promotion, source = self.promotion, self.source
        kept, sizes, low, row = promotion.kept, promotion.sizes, promotion.low, promotion.row
        behind, lanes = kept[row], promotion.lanes
        to = promotion.of(source, self.buffer)
        memories = _as_rows(source, behind, emitter), _as_rows(to, row, emitter)
        length, first = prod(sizes[row:]), prod((low[row], *sizes[row + 1 :]))
        with ExitStack() as loops:
            inside = [loops.enter_context(emitter.loop(0, size, 1)) for size in sizes[:row]]
            counters = dict(zip(kept, inside))
            at = [
                counters[i] if i in counters else coordinates.value(source.coordinates[i])
                for i in range(behind)
            ]
            onto = [emitter.add(j, by) for j, by in zip(inside, low)]
            for part in cut(0, length, [(1, lanes >> n) for n in range(lanes.bit_length())]):
                with emitter.loop(part.first, part.end, part.step) as along:
                    indices = (*at, along), (*onto, emitter.add(along, first))
                    _move(memories, indices, part.width, emitter)


def _as_rows(access: MemRefAccess, behind: int, emitter: IndexEmitter) -> SSAValue:
    """Return an access's memory with the dimensions after `behind` collapsed into one."""
    groups = *access.groups[:behind], tuple(d for group in access.groups[behind:] for d in group)
    return replace(access, groups=groups).viewed(emitter).value


def _move(
    memories: tuple[SSAValue, SSAValue],
    indices: tuple[Sequence[Extent], Sequence[Extent]],
    width: int,
    emitter: IndexEmitter,
) -> None:
    """Copy one element, or a vector of `width`, between two memories.

    The copy goes from the first memory to the second.
    """
    source, target = memories
    at, onto = ([emitter.index(each) for each in place] for place in indices)
    if width == 1:
        element = emitter.insert(memref.LoadOp.get(source, at)).results[0]
        emitter.insert(memref.StoreOp.get(element, target, onto))
        return
    type_ = vector_of(memref_type_of(source).element_type, width)
    assert isinstance(type_, VectorType)
    elements = emitter.insert(vector.LoadOp(source, at, type_)).results[0]
    emitter.insert(vector.StoreOp(elements, target, onto))


def with_copies(
    accesses: Sequence[MemRefAccess | None], promoted: Sequence[Promotion], buffers: Sequence[SSAValue]
) -> list[MemRefAccess | None]:
    """Accesses where the copies are in these buffers."""
    found = list(accesses)
    for promotion, buffer in zip(promoted, buffers, strict=True):
        access = found[promotion.position]
        assert access is not None, "padding of a scalar"
        found[promotion.position] = promotion.of(access, buffer)
    return found


def promotions(
    inputs: Mapping[int, MemRefAccess],
    pads: Mapping[int, PadSpec],
    order: Sequence[int],
    extents: Mapping[int, int],
    machine: Machine,
) -> list[Promotion]:
    """Return the promotions of all padded inputs that are read.

    Return none at all if one of them cannot be copied. `order` lists the parallel loops, outermost first.
    """
    memory = machine.caches[1] // 2
    found: list[Promotion] = []
    for position, access in inputs.items():
        if position in pads:
            promotion = _promotion(position, access, pads[position], order, extents, machine)
            if promotion is None or bytes_of(promotion.type) > memory:
                return []
            found.append(promotion)
    return found


def _promotion(
    position: int,
    access: MemRefAccess,
    pad: PadSpec,
    order: Sequence[int],
    extents: Mapping[int, int],
    machine: Machine,
) -> Promotion | None:
    low, high = pad.low[: len(access.coordinates)], pad.high[: len(access.coordinates)]
    if not all_static(low) or not all_static(high) or DYNAMIC_INDEX in access.shape:
        return None
    if any(n < 0 for n in (*low, *high)) or not isinstance(memref_type_of(access.value).layout, NoneAttr):
        return None
    own: dict[int, int] = {}
    for dim in order:
        if extents.get(dim) == 1:
            continue
        places = [i for i, terms in enumerate(access.coordinates) if dim in dims_of(terms)]
        if len(places) != 1 or access.coordinates[places[0]] != AffineForm.of(dim):
            break
        if low[places[0]] or high[places[0]]:
            break
        own[places[0]] = dim
    kept = tuple(i for i in range(len(access.coordinates)) if i not in own)
    if not any(low[i] or high[i] for i in kept):
        return None
    element = memref_type_of(access.value).element_type
    bits = None if is_boolean(element) else bits_of(element)
    promotion = Promotion(
        position,
        tuple(own.values()),
        kept,
        tuple(access.shape[i] for i in kept),
        tuple(low[i] for i in kept),
        tuple(high[i] for i in kept),
        element,
        pad.value,
        1 if bits is None else machine.lanes_of(bits),
    )
    behind = kept[promotion.row :]
    together = behind == tuple(range(len(access.coordinates) - len(behind), len(access.coordinates)))
    return promotion if together else None
