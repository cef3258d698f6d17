"""Reductions along vectors.

Each lane accumulates its share of the iterations, and the lanes are combined at the end:

    for rows:
      v0, v1, s = for k = 0, 32, 64 … iter_args(v0 = neutral, v1 = neutral):     two vectors of 16
        v0 += vector.load x[row, k]; v1 += vector.load x[row, k + 16]
      s = for k = … iter_args(s = what the output held): s += x[row, k]          what is left of the extent
      v0 += v1, by way of memory: for lane: s += v0[lane]

This applies to sums along a row (softmax, normalisation, a mean), where no parallel loop steps by one element. There
are several vectors, so that an addition does not wait for the previous one. The order of additions changes. A dynamic
extent has a loop of four vectors, one of a single vector, and one of the remainder.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import SSAValue

from loomir.passes.analysis.machines import Machine
from loomir.passes.loops.lower_linalg_to_loops.access import (
    Access,
    is_cover,
    iterators_of,
    squeezed_accesses,
    static_extents,
)
from loomir.passes.loops.lower_linalg_to_loops.gathering import gathering
from loomir.passes.loops.lower_linalg_to_loops.parts import Part, open_parts
from loomir.passes.loops.lower_linalg_to_loops.rows import span_of
from loomir.passes.loops.lower_linalg_to_loops.tilings import Tiling
from loomir.passes.loops.lower_linalg_to_loops.vector_ops import widest_element
from loomir.passes.structured.bufferize.pads import PadSpec

_VECTORS = 4
"""Accumulators at a time: as many as an addition takes cycles."""


def folded_tiling(
    generic: GenericOp, accesses: Sequence[Access | None], pads: dict[int, PadSpec], machine: Machine
) -> Tiling | None:
    """Return the tiling of a reduction along vectors, or None.

    Return None if there is no such tiling, or if a parallel loop is better for vectors.
    """
    if machine.lanes == 1 or gathering(generic) is None:
        return None
    count = len(generic.inputs)
    accesses = squeezed_accesses(accesses, pads)
    parallel, reductions = iterators_of(generic)
    extents = static_extents(generic, accesses, pads)
    outputs = [access for access in accesses[count:] if access is not None]
    if len(outputs) < len(generic.outputs) or not all(is_cover(o.map, parallel) for o in outputs):
        return None
    inputs = {
        position: access
        for position, access in enumerate(accesses[:count])
        if access is not None and generic.body.block.args[position].uses
    }
    found = [
        dim
        for dim in reductions
        if extents.get(dim, 2) > 1
        and all(access.lanes(dim) is not None for access in inputs.values())
        and any(access.lanes(dim) for access in inputs.values())
    ]
    if len(found) != 1:
        return None
    (dim,) = found
    # (Where a parallel loop steps by one element everywhere, its vectors need no gathering at the end.)
    if any(
        extents.get(p, 2) > 1
        and all(access.lanes(p) is not None for access in inputs.values())
        and any(access.lanes(p) for access in inputs.values())
        for p in parallel
    ):
        return None
    if dim not in extents and any(p in pads for p in inputs):
        return None
    if any(span_of(a, pads.get(p), dim, extents) != "everywhere" for p, a in inputs.items()):
        return None
    body = generic.body.block
    lanes: list[SSAValue] = [body.args[p] for p, access in inputs.items() if access.lanes(dim)]
    widest = widest_element(body, [*lanes, *body.args[count:]], dim)
    if widest is None:
        return None
    width = machine.lanes_of(widest)
    if width >= 2 and dim not in extents:
        return Tiling({dim: open_parts((_VECTORS, width), (1, width), (1, 1))}, dim, folded=True)
    extent = extents.get(dim, 0)
    if width < 2 or extent < 2 * width:
        return None
    vectors = min(range(1, min(_VECTORS, extent // width) + 1), key=lambda n: (extent % (n * width), -n))
    whole = extent - extent % (vectors * width)
    parts = (Part(0, whole, vectors, width), *([Part(whole, extent)] if whole < extent else []))
    return Tiling({dim: parts}, dim, folded=True)


def innermost_last(order: Sequence[int], tiling: Tiling) -> list[int]:
    """The order of loops with the one that is folded innermost."""
    return [*(dim for dim in order if dim != tiling.vector), *(dim for dim in order if dim == tiling.vector)]
