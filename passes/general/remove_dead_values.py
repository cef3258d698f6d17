"""`remove-dead-values`: removes dead values, through loops and branches.

A value is dead if no effect and no result of a function needs it.

```mlir
%r:2 = scf.for %i = %l to %u step %c1 iter_args(%v = %x, %k = %zero) -> (f32, i32) {
  %n = arith.mulf %v, %v : f32
  %m = arith.addi %k, %one : i32          // only the next %m needs it
  scf.yield %n, %m : f32, i32
}
func.return %r#0 : f32

%r = scf.for %i = %l to %u step %c1 iter_args(%v = %x) -> (f32) {
  %n = arith.mulf %v, %v : f32
  scf.yield %n : f32
}
func.return %r : f32
```

The analysis is optimistic: a value is needed only if an operation with effects needs it, a condition or bound of a
needed operation, or another needed value. So counters that only count and values that only change places are removed,
through nested loops too. The pass takes two traversals of the program, however deep the loops are. An `scf.while` keeps
its normal form. (Loops of GRAPH: `ov-remove-unneeded`.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import IsolatedFromAbove, IsTerminator

from loomir.dialects.control_flow.rewriting import Structured, drop_operands, drop_values, tied_values
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.region_flow import RegionFlow, owning_operation, region_flow
from loomir.dialects.upstream.effects import EffectsOfNests
from loomir.dialects.upstream.walking import walk


@dataclass(frozen=True)
class RemoveDeadValuesPass(ModulePass):
    """Removes values that no effect and no function result needs.

    It works through loops and branches (see the module's docstring).
    """

    name = "remove-dead-values"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        needs = _Needs()
        operations = list(_visited(op))
        for inner in operations:
            if _has_effects(inner):
                needs.run(inner)
        needs.settle()
        dead = [o for o in operations if o not in needs.operations and o.parent_op() in needs.operations]
        for inner in dead:
            inner.detach()
            inner.drop_all_references()
        remarks = Remarks(self.name)
        unneeded: dict[Structured, list[SSAValue]] = {}
        for inner in operations:
            if inner.regions and inner in needs.operations and isinstance(inner, Structured):
                tied = tied_values(region_flow(inner))
                if found := [value for value in tied if value not in needs.values]:
                    remarks.passed(inner, "removed dead arguments and results", values=len(found))
                    unneeded[inner] = found
        # What is handed on is so from one loop to another: first nobody hands on anything.
        for inner, found in unneeded.items():
            drop_operands(inner, set(found))
        for inner, found in unneeded.items():
            drop_values(inner, set(found), PatternRewriter(inner))
        for inner in dead:
            inner.erase(safe_erase=False, drop_references=False)


def _visited(op: Operation) -> Iterator[Operation]:
    """Yield the operations of functions and of their loops and branches.

    Operations inside other operations are a part of these.
    """
    for region in op.regions:
        for block in region.blocks:
            for inner in list(block.ops):
                yield inner
                if _is_open(inner):
                    yield from _visited(inner)


def _is_open(op: Operation) -> bool:
    return bool(op.regions) and (isinstance(op, Structured) or op.has_trait(IsolatedFromAbove))


def _has_effects(op: Operation) -> bool:
    """Return True if an operation has, or may have, side effects.

    A loop or branch by itself has none.
    """
    if op.regions and isinstance(op, Structured):
        return False
    if op.has_trait(IsTerminator, value_if_unregistered=False):
        return not isinstance(op.parent_op(), Structured)
    return not EffectsOfNests().is_dead_if_unused(op)


@dataclass
class _Needs:
    """Needed values, and operations that have to run."""

    operations: set[Operation] = field(default_factory=set)
    values: set[SSAValue] = field(default_factory=set)
    pending: list[SSAValue] = field(default_factory=list)
    ties: dict[Operation, dict[SSAValue, list[SSAValue]]] = field(default_factory=dict)

    def run(self, op: Operation) -> None:
        """Mark an operation as running and its operands as needed.

        The operations around it run, too.
        """
        while op not in self.operations:
            self.operations.add(op)
            if not (op.regions and isinstance(op, Structured)):
                self.pending += op.operands
                if op.regions and not _is_open(op):
                    self.pending += (
                        v for region in op.regions for inner in walk(region) for v in inner.operands
                    )
            else:
                flow = region_flow(op)
                self.pending += flow.deciders
                self.operations.update(edge.forwarder for edge in flow.edges)
            if (around := op.parent_op()) is None:
                return
            op = around

    def settle(self) -> None:
        """Follow what is needed to all that it is made of."""
        while self.pending:
            value = self.pending.pop()
            if value in self.values:
                continue
            self.values.add(value)
            op = owning_operation(value)
            assert op is not None
            self.run(op)
            if op.regions and isinstance(op, Structured):
                flow = region_flow(op)
                self.pending += self._tied(op, flow).get(value, ())
                self.pending += (by.operands[number] for by, number in flow.predecessor_operands(value))

    def _tied(self, op: Operation, flow: RegionFlow) -> dict[SSAValue, list[SSAValue]]:
        if op not in self.ties:
            self.ties[op] = tied_values(flow)
        return self.ties[op]
