"""`cse`: computes only the first of equal operations.

xDSL's pass of this name does the same; this one takes time linear in the number of operations.

(xDSL copies all that it knows at each region, compares each `scf.if` with all others of its condition, and treats
regions as equal even if their operations differ in result types.)

```mlir
%a = arith.addf %x, %y : f32
%r = scf.if %c -> (f32) {
  %b = arith.addf %x, %y : f32
  scf.yield %b : f32
} else {
  scf.yield %x : f32
}

%a = arith.addf %x, %y : f32
%r = scf.if %c -> (f32) {
  scf.yield %a : f32
} else {
  scf.yield %x : f32
}
```
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import IsolatedFromAbove, IsTerminator, MemoryEffectKind

from loomir.dialects.common_operations import operation_fingerprint, region_fingerprint
from loomir.dialects.diagnostics import count
from loomir.dialects.upstream.effects import EffectsOfNests
from loomir.passes.analysis.analyses import analyses_of


@dataclass(frozen=True)
class CsePass(ModulePass):
    """Replaces operations by the first equal operation that dominates them.

    It removes dead operations on the way.
    """

    name = "cse"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not eliminate_common_subexpressions(op):
            analyses_of(ctx).keep_all()


def eliminate_common_subexpressions(op: Operation) -> bool:
    """Replace operations in the regions of `op` by equal earlier ones.

    Regions of several blocks are left alone. Return True if an operation was removed.
    """
    elimination = _Elimination()
    elimination.visit_regions(op)
    return elimination.removed


class _Elimination:
    """State of the elimination at the current position.

    It maps keys to the operations that dominate the position. Equal operations have equal keys.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, Operation] = {}
        self._forms: dict[Operation, tuple[Hashable, ...]] = {}
        self._effects = EffectsOfNests()
        # How many operations that may write to memory came before.
        self._writes = 0
        self.removed = False

    def visit_regions(self, op: Operation) -> None:
        outside = self._known
        for region in op.regions:
            if len(region.blocks) == 1:
                if op.has_trait(IsolatedFromAbove, value_if_unregistered=True):
                    self._known = {}
                    self._visit(region.block)
                else:
                    # What is known in a region is known until its end. Keys are added and never overwritten, so the last ones go.
                    before = len(outside)
                    self._visit(region.block)
                    while len(outside) > before:
                        outside.popitem()
        self._known = outside

    def _visit(self, block: Block) -> None:
        op = block.first_op
        while op is not None:
            following = op.next_op
            if op.regions:
                self.visit_regions(op)
            self._simplify(op)
            op = following

    def _simplify(self, op: Operation) -> None:
        if op.has_trait(IsTerminator):
            return
        if all(result.first_use is None for result in op.results) and self._effects.is_dead_if_unused(op):
            self._remove(op)
            count("dead operations removed")
            return
        effects = self._effects.of(op)
        if effects is None or any(effect.kind is MemoryEffectKind.WRITE for effect in effects):
            self._writes += 1
        if effects is None or any(len(region.blocks) > 1 for region in op.regions):
            return
        if isinstance(op, LinalgStructuredOperation):
            return  # It has a destination, which is computed into in place: shared, it would be copied.
        key: tuple[Hashable, ...] = (*operation_fingerprint(op), *op.operands)
        if effects:
            if any(effect.kind is not MemoryEffectKind.READ for effect in effects):
                return
            # The same is read again only in the same block, and with no write in between.
            key = (*key, op.parent, self._writes)
        if (same := self._equal(op, key)) is not None:
            for result, earlier in zip(op.results, same.results, strict=True):
                result.replace_all_uses_with(earlier)
            self._remove(op)
            count("operations merged")

    def _remove(self, op: Operation) -> None:
        Rewriter.erase_op(op)
        self.removed = True

    def _equal(self, op: Operation, key: Hashable) -> Operation | None:
        """Return an earlier operation equal to `op`, or remember `op`."""
        first = self._known.setdefault(key, op)
        if first is op:
            return None
        if not op.regions:
            return first
        # Regions are compared only where all the rest is equal.
        form = self._form(op)
        if form == self._form(first):
            return first
        other = self._known.setdefault((key, form), op)
        return None if other is op else other

    def _form(self, op: Operation) -> tuple[Hashable, ...]:
        """Return the form of the regions of `op`, computed once."""
        if op not in self._forms:
            self._forms[op] = tuple(region_fingerprint(op))
        return self._forms[op]
