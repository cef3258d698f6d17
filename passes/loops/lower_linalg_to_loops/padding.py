"""Padded inputs of a generic: restricted loops, and the remaining guards.

Some loops are restricted to the interior; what is left is guarded.

An input with `loomir.pads` is read as if it were larger; the element at the padded coordinate `p` is `x[p - low]` where
`0 <= p - low < size`, else the padding value. The load must not run outside. There are two ways, per dimension:

- *restrict*: if the padding is neutral for the accumulation (`neutral.py`) and the coordinate is `base + c·k` with a reduction
  loop `k` innermost in it, the bounds of that loop become
  `k from ⌈max(-base, 0) / c⌉ to min(K, ⌈max(size - base, 0) / c⌉)`. If the coordinate has no reduction loop, the outermost
  reduction loop runs zero times outside. Nothing is tested per element.
- *guard*: `scf.if inside { load } else { value }`; the conditions of outer dimensions are computed in outer loops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import BlockArgument, SSAValue

from loomir.dialects.index_builder import Extent
from loomir.dialects.interface import entry_of
from loomir.passes.analysis.aliasing import Aliasing
from loomir.passes.loops.lower_linalg_to_loops.access import Access
from loomir.passes.loops.lower_linalg_to_loops.extents import Extents
from loomir.passes.loops.lower_linalg_to_loops.index_math import Terms
from loomir.passes.loops.lower_linalg_to_loops.neutral import (
    ANYTHING,
    FINITE,
    Accumulator,
    Fact,
    Known,
    constant_fact,
    is_finite,
    is_neutral,
)
from loomir.passes.structured.bufferize.pads import PadSpec


@dataclass(frozen=True)
class Edge:
    """One dimension of a padded input, as the loops must handle it.

    `terms` is the padded coordinate, `low` is subtracted from it to obtain the index into the buffer, and `size` is the
    buffer's extent; `below` and `above` tell on which sides there is padding at all.
    """

    terms: Terms
    low: Extent
    size: Extent
    below: bool
    above: bool


def neutral_pads(
    generic: GenericOp, pads: dict[int, PadSpec], aliasing: Aliasing, facts: BlobFacts
) -> set[int]:
    """The padded inputs whose padding leaves every accumulator unchanged."""
    if not pads:
        return set()
    count = len(generic.inputs)
    ordinary = [facts.of_input(value, aliasing) for value in generic.inputs]
    # A padded input holds either its elements or its padding.
    for position, pad in pads.items():
        fact = constant_fact(pad.value)
        if not isinstance(fact, Known) or not math.isfinite(fact.number):
            ordinary[position] = ANYTHING
    outputs: list[Fact] = [Accumulator(i) for i in range(len(generic.outputs))]
    neutral: set[int] = set()
    for position, pad in pads.items():
        fact = constant_fact(pad.value)
        if isinstance(fact, Known):
            inputs = [fact if i == position else ordinary[i] for i in range(count)]
            if is_neutral(generic.body.block, inputs + outputs):
                neutral.add(position)
    return neutral


class BlobFacts:
    """Cache of the function arguments that are constants with finite elements.

    Each argument is examined once.
    """

    def __init__(self) -> None:
        self._finite: dict[SSAValue, bool] = {}

    def of_input(self, value: SSAValue, aliasing: Aliasing) -> Fact:
        """Return the known fact of all elements of a generic's input."""
        if not isinstance(value.type, MemRefType):
            return constant_fact(value)
        base = aliasing.base(value)
        return FINITE if isinstance(base, BlockArgument) and self._is_finite_blob(base) else ANYTHING

    def _is_finite_blob(self, argument: BlockArgument) -> bool:
        found = self._finite.get(argument)
        if found is None:
            blob = entry_of(argument).blob
            found = self._finite[argument] = blob is not None and is_finite(blob)
        return found


@dataclass(frozen=True)
class Padded:
    """Padded input: coordinate offsets, edges, the outside value, and its neutrality.

    `low` is subtracted from the coordinates.
    """

    low: tuple[Extent, ...]
    edges: tuple[Edge, ...]
    value: SSAValue
    neutral: bool


def padded_input(access: Access, pad: PadSpec, neutral: bool, extents: Extents) -> Padded:
    """The padded form of an access; dimensions without padding have no edge."""
    edges: list[Edge] = []
    for i, terms in enumerate(access.coordinates):
        below, above = pad.low[i] != 0, pad.high[i] != 0
        if below or above:
            edges.append(Edge(terms, pad.low[i], extents.get(access.value, i), below, above))
    return Padded(pad.low, tuple(edges), pad.value, neutral)
