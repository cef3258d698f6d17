"""Dead code elimination in linear time.

Removes the same as xDSL's `region_dce`, in time that is linear in the operations of a nest of regions.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import PatternRewriterListener
from xdsl.transforms.dead_code_elimination import LiveSet

from loomir.dialects.upstream.effects import EffectsOfNests


@dataclass
class _LiveSet(LiveSet):
    """Live set that queries the effects of each operation once.

    The operations do not change meanwhile.
    """

    effects: EffectsOfNests = field(default_factory=EffectsOfNests)
    single_blocks: bool = True
    """True if all regions so far have at most one block."""
    visited: int = 0
    """Number of operations in regions of one block."""

    @property
    def all_live(self) -> bool:
        """True if nothing is dead."""
        return self.single_blocks and self.visited == len(self._live_ops)

    def propagate_region_liveness(self, region: Region) -> None:
        first = region.first_block
        if first is None:
            return
        if first.next_block is not None:
            self.single_blocks = False
            super().propagate_region_liveness(region)
            return
        for op in reversed(first.ops):
            self.visited += 1
            self.propagate_op_liveness(op)

    def propagate_op_liveness(self, op: Operation) -> None:
        for region in op.regions:
            self.propagate_region_liveness(region)
        live = self._live_ops
        if op in live:
            return
        if not self.effects.is_dead_if_unused(op) or any(
            use.operation in live for result in op.results for use in result.uses
        ):
            self.changed = True
            live.add(op)


def remove_dead_code(region: Region, listener: PatternRewriterListener | None = None) -> bool:
    """Remove dead operations from a region; return True if there were any.

    Dead are operations without effects whose results have no use, in the region and all regions in it.
    """
    live = _LiveSet()
    while live.changed:
        live.changed = False
        live.propagate_region_liveness(region)
        if live.single_blocks:
            # All uses of a value are behind it or inside what is behind it, and were looked at before it.
            break
    if live.all_live:
        return False
    live.changed = False
    live.delete_dead(region, listener)
    return live.changed
