"""Bytes that a nest of tiles brings in from behind a cache.

The model starts with the tile and proceeds to the loops around it, from the inside out. As long as all data that one
iteration touches fits into the cache, the next iterations find the shared data there, and the loop brings in each line
once. The first loop for which this does not hold brings in everything anew each time it runs, and so do the loops
around it.

    for block:                     245 KiB of weights for each block fit in the second cache, and are there for all rows;
      for rows:                    outside in, rows before blocks, all 2.6 MB would go by for each tile of rows
        for k: …
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loomir.dialects.element_types import dtype_of
from loomir.dialects.tensors import memref_type_of
from loomir.passes.loops.lower_linalg_to_loops.access import Access

_LINE = 64
"""Bytes that a cache brings in at a time."""


def traffic(
    accesses: Sequence[Access],
    order: Sequence[int],
    tile: Mapping[int, int],
    extents: Mapping[int, int],
    cache: int,
) -> float:
    """Return the bytes that come from behind a cache of `cache` bytes.

    `order` lists the loops around the tile, outermost first; `tile` holds the iterations of each loop in a tile, if not one.
    """
    spans = {**tile}
    touched = sum(_touched(access, spans) for access in accesses)
    around = list(order)
    while around and touched <= cache:
        dim = around.pop()
        spans[dim] = extents.get(dim, 1)
        touched = sum(_touched(access, spans) for access in accesses)
    times = 1.0
    for dim in around:
        times *= max(1.0, extents.get(dim, 1) / tile.get(dim, 1))
    return touched * times


def _touched(access: Access, spans: Mapping[int, int]) -> int:
    """Return the bytes of the cache lines that the iterations touch.

    `spans` holds the number of iterations of each loop.
    """
    type_ = memref_type_of(access.value)
    size = dtype_of(type_.element_type).itemsize
    for number, (terms, extent, stride) in enumerate(
        zip(
            reversed(access.coordinates),
            reversed(access.shape),
            reversed(access.strides),
            strict=True,
        )
    ):
        reach = 1
        for atom, factor in terms.terms:
            if isinstance(atom, int):
                reach += abs(factor) * (spans.get(atom, 1) - 1)
            else:
                reach *= max(spans.get(dim, 1) for dim in atom.used_dims())
        reach = reach if extent < 0 else min(reach, extent)
        size *= reach
        if number == 0 and (stride != 1 or reach < extent):
            size = -(-size // _LINE) * _LINE
    return size
