"""Equality of values through loops and branches, as classes.

The classes are found in the manner of Simpson's value numbering in reverse postorder: by rounds in which the values that a loop
forwards to its next iteration have the numbers of the round before, in the first round none. The analysis is optimistic: carried
values with equal initial values are assumed to be equal, and to keep their initial value, until the values that an iteration
forwards contradict that. So it finds cycles of values that continue alike, through nested loops and branches too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from loomir.dialects.common_operations import operation_fingerprint
from loomir.dialects.region_flow import ForwardingEdge, RegionFlow, region_flow
from loomir.dialects.upstream.effects import is_side_effect_free


@dataclass
class EqualValueClasses:
    """Classes of values that are equal whenever both exist.

    A class is represented by its first value in the program.
    """

    numbers: dict[SSAValue, SSAValue] = field(default_factory=dict)
    before: dict[SSAValue, SSAValue] = field(default_factory=dict)
    known: dict[Hashable, SSAValue] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    """Loops and branches, inner ones first."""
    rounds: int = 0
    outlines: dict[Operation, tuple[Hashable, ...]] = field(default_factory=dict)

    def of(self, value: SSAValue) -> SSAValue:
        """The first value of a value's class."""
        return self.numbers.get(value, value)

    def settle(self, scope: Block | Operation, max_rounds: int) -> bool:
        """Visit a scope until nothing changes; return True if that happens.

        The scope is a block, or a loop or branch.
        """
        while self.rounds < max_rounds:
            self.rounds += 1
            self.before, self.numbers, self.known = self.numbers, {}, {}
            self.operations = []
            if isinstance(scope, Block):
                self._visit_block(scope)
            else:
                self._visit_operation(scope)
            if self.before == self.numbers:
                return True
        return False

    def _visit_block(self, block: Block) -> None:
        """Number the values of a block in program order."""
        for op in block.ops:
            if region_flow(op) is not None:
                self._visit_operation(op)
            elif op.results and not op.regions and is_side_effect_free(op):
                if op not in self.outlines:
                    self.outlines[op] = operation_fingerprint(op)
                key = (self.outlines[op], *map(self.of, op.operands))
                for index, result in enumerate(op.results):
                    self._number(result, (index, key))

    def _visit_operation(self, op: Operation) -> None:
        """Number the values of a loop or branch and in it."""
        flow = region_flow(op)
        assert flow is not None
        done: set[Region | None] = {None}
        for region in op.regions:
            self._enter(flow, region, done)
            if region.blocks:
                self._visit_block(region.block)
            done.add(region)
        self._enter(flow, None, done)
        self.operations.append(op)

    def _number(self, value: SSAValue, key: Hashable) -> None:
        """Put a value in the class of those with this key."""
        self.numbers[value] = self.known.setdefault(key, value)

    def _enter(self, flow: RegionFlow, target: Region | None, done: set[Region | None]) -> None:
        """Number what is forwarded to a region, or behind the operation."""
        edges = [edge for edge in flow.edges if edge.target is target]
        sources: dict[SSAValue, list[SSAValue]] = {}
        begins = {becomes for edge in edges if edge.source is None for becomes in edge.inputs}
        for edge in edges:
            for value, becomes in edge.pairs:
                forwarded = sources.setdefault(becomes, [])
                if edge.source in done:
                    forwarded.append(self.of(value))
                elif self.rounds > 1:
                    forwarded.append(self.before.get(value, value))
        for value, forwarded in sources.items():
            # Without a way past the regions a value is that of one of their ends, or (the last value of a loop) nothing.
            if value in begins and all(each is forwarded[0] for each in forwarded):
                self.numbers[value] = forwarded[0]
            else:
                self._number(value, (flow.op, target, value.type, *forwarded))
        for name, edge in zip(("slices", "concats"), flow.derived):
            if edge.target is target:
                self._enter_derived(edge, flow.op.properties[name])

    def _enter_derived(self, edge: ForwardingEdge, how: object) -> None:
        assert isinstance(how, ArrayAttr)
        for (value, becomes), each in zip(edge.pairs, how, strict=True):
            self._number(becomes, (edge.op, each, becomes.type, self.of(value)))

    def merge(self, op: Operation, rewriter: PatternRewriter | None = None) -> int:
        """Merge equal arguments and results; return how many.

        They are those of one loop or branch.

        A value that stays what it begins as is replaced by that, others by the first of those that are equal.
        """
        flow = region_flow(op)
        assert flow is not None
        rewriter = rewriter or PatternRewriter(op)
        count = 0
        for edge in flow.edges:
            if edge.source is None:
                for first, value in edge.pairs:
                    if self.of(value) is self.of(first):
                        count += _replace(value, first, rewriter)
        places: list[Iterable[SSAValue]] = [op.results]
        places += [region.block.args for region in op.regions if region.blocks]
        for place in places:
            first_of: dict[SSAValue, SSAValue] = {}
            for value in place:
                count += _replace(value, first_of.setdefault(self.of(value), value), rewriter)
        return count


def _replace(value: SSAValue, other: SSAValue, rewriter: PatternRewriter) -> bool:
    if value is other or value.first_use is None:
        return False
    rewriter.replace_all_uses_with(value, other)
    return True
