"""What goes from where to where through loops and branches, in the manner of MLIR's RegionBranchOpInterface.

Control enters a region from the operation, or from the end of another of its regions, and goes on behind the operation; on each such
way, an `Edge`, operands are handed on one to one: those of the operation to the arguments of the region that it enters first, those of a
terminator to the arguments of the region that comes next or to the operation's results.

```mlir
%r = scf.for %i = %lower to %upper step %step iter_args(%a = %x) -> (f32) {   // before → body: %x → %a; before → behind: %x → %r
  scf.yield %b : f32                                                           // body → body: %b → %a; body → behind: %b → %r
}
```

`region_flow(op)` is the one owner of that knowledge: of `scf.for`, `scf.while` and `scf.if` in the table below, of `ov.loop` and `ov.if` at
their classes (`HasRegionFlow`). Whoever asks which value may be which asks here, and splits by no kind of loop.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, overload

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue


class Edge(NamedTuple):
    """A way that control may go, with the operands that are handed on (MLIR: successor operands) and what they are called where it
    leads (successor inputs).

    `source` is the region that is left, None where control comes to the operation; `target` the one that is entered, None behind the
    operation. All operands from `first` on are handed on, or `length` of them, to what follows the first `skipped` inputs.
    """

    op: Operation
    source: Region | None
    target: Region | None
    first: int = 0
    skipped: int = 0
    length: int | None = None

    @property
    def forwarder(self) -> Operation:
        """The operation whose operands are handed on: the one with the regions, or the terminator of one."""
        return self.op if self.source is None else terminator(self.source.block)

    @property
    def operands(self) -> Sequence[SSAValue]:
        """The values that are handed on."""
        return self.forwarder.operands[self.first : None if self.length is None else self.first + self.length]

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """The arguments of the region that is entered, or the results, that the values become, in their order."""
        inputs = self.op.results if self.target is None else self.target.block.args
        return inputs[self.skipped : None if self.length is None else self.skipped + self.length]

    @property
    def pairs(self) -> Iterator[tuple[SSAValue, SSAValue]]:
        """Each value with what it becomes."""
        return zip(self.operands, self.inputs, strict=True)

    def operand_for(self, number: int) -> int | None:
        """The place among the forwarder's operands of what becomes argument or result `number`; None where that is not handed on here."""
        at = number - self.skipped
        return self.first + at if at >= 0 and (self.length is None or at < self.length) else None

    def input_for(self, operand: int) -> SSAValue | None:
        """What an operand of the forwarder becomes; None where it is not handed on here."""
        at = operand - self.first
        return self.inputs[at] if at >= 0 and (self.length is None or at < self.length) else None


class Carried(NamedTuple):
    """A loop-carried value: what it starts with, its argument in each region, what is handed back, and what it ends as."""

    initial: SSAValue
    arguments: tuple[SSAValue, ...]
    following: SSAValue
    result: SSAValue


class RegionFlow(NamedTuple):
    """How control goes through the regions of one operation.

    `deciders` are the values that say which way it goes, and how often. `derived` are edges on which no value itself is handed on but
    what is made of it: a part of a sliced input, the concatenation of all that was given.
    """

    op: Operation
    edges: tuple[Edge, ...]
    deciders: tuple[SSAValue, ...]
    derived: tuple[Edge, ...] = ()

    @property
    def repeats(self) -> bool:
        """Whether a region may run more than once: the operation is a loop. (No regions here follow one another but in a loop.)"""
        return any(edge.source is not None and edge.target is not None for edge in self.edges)

    def successors(self, source: Region | None) -> list[Region | None]:
        """Where control may go from the end of a region, or from before the operation (None); None is behind it."""
        return [edge.target for edge in self.edges if edge.source is source]

    @property
    def entry(self) -> Edge:
        """The way into the region that comes first."""
        return next(edge for edge in self.edges if edge.source is None and edge.target is not None)

    def arguments(self, region: Region) -> Sequence[SSAValue]:
        """The arguments of a region that values are handed on to: not the number of the iteration, nor parts."""
        return next((edge.inputs for edge in self.edges if edge.target is region), ())

    def origins(self, value: SSAValue, edges: Sequence[Edge] | None = None) -> list[tuple[Operation, int]]:
        """The operands, as operation and number, of which an argument or result may be one; none where it is no value handed on."""
        found: list[tuple[Operation, int]] = []
        if not isinstance(value, OpResult | BlockArgument):
            return found
        target = None if isinstance(value, OpResult) else value.block.parent
        for edge in self.edges if edges is None else edges:
            if edge.target is target and (operand := edge.operand_for(value.index)) is not None:
                found.append((edge.forwarder, operand))
        return found

    @property
    def carried(self) -> list[Carried]:
        """The loop-carried values; none of a branch. An `scf.while` is taken to hand on its arguments one to one (docs/ir.md)."""
        if not self.repeats:
            return []
        back = next(e for e in self.edges if e.source is not None and e.target is self.entry.target)
        end = next(e for e in self.edges if e.source is not None and e.target is None)
        arguments = zip(*(self.arguments(region) for region in self.op.regions))
        return [Carried(*c) for c in zip(self.entry.operands, arguments, back.operands, end.inputs)]


class HasRegionFlow(Operation, abc.ABC):
    """An operation of ours that says how control goes through its regions."""

    @abc.abstractmethod
    def region_flow(self) -> RegionFlow:
        """Its edges and what decides among them."""


@overload
def region_flow(op: HasRegionFlow | scf.ForOp | scf.WhileOp | scf.IfOp) -> RegionFlow: ...
@overload
def region_flow(op: Operation | None) -> RegionFlow | None: ...


def region_flow(op: Operation | None) -> RegionFlow | None:
    """How control goes through the regions of a loop or branch; None for any other operation."""
    of_kind = None if op is None else _flow_of(type(op))
    return None if of_kind is None or op is None else of_kind(op)


@cache
def _flow_of(kind: type[Operation]) -> Callable[[Any], RegionFlow] | None:
    """The function that gives the flow of a class's operations: asked of every operation, so once for a class."""
    return kind.region_flow if issubclass(kind, HasRegionFlow) else _UPSTREAM.get(kind)


def owning_block(value: SSAValue) -> Block | None:
    """The block that a value is made in, or an argument of."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def owning_operation(value: SSAValue) -> Operation | None:
    """The operation that a value is a result of, or an argument of one of its regions."""
    return value.owner.parent_op() if isinstance(value.owner, Block) else value.owner


def origins(value: SSAValue) -> list[SSAValue]:
    """The values that an argument or result of a loop or branch may be, each one step back; none for any other value."""
    flow = region_flow(owning_operation(value))
    return [] if flow is None else [op.operands[number] for op, number in flow.origins(value)]


def destinations(op: Operation, operand: int) -> list[SSAValue]:
    """What an operand of a loop, a branch or a terminator in one may become."""
    flow, source = region_flow(op), None
    if flow is None and op.parent is not None and op is op.parent.last_op:
        flow, source = region_flow(op.parent_op()), op.parent.parent
    if flow is None:
        return []
    inputs = [edge.input_for(operand) for edge in flow.edges if edge.source is source]
    return [value for value in inputs if value is not None]


def terminator(block: Block) -> Operation:
    """The last operation of a block."""
    last = block.last_op
    assert last is not None, "a block without a terminator"
    return last


# -- where operations stand to one another


def enclosing(op: Operation) -> Iterator[tuple[Operation, Region]]:
    """The operations around `op`, innermost first, each with that one of its regions which `op` is in."""
    region = op.parent_region()
    while region is not None and (parent := region.parent) is not None:
        yield parent, region
        region = parent.parent_region()


def common_block(ops: Sequence[Operation]) -> Block:
    """The innermost block that all operations are in, at any depth."""
    first, *others = ([o.parent for o in (op, *(o for o, _ in enclosing(op)))] for op in ops)
    shared = set(first).intersection(*others)
    block = next(block for block in first if block in shared)
    assert block is not None, "operations of no block"
    return block


def exclusive(a: Operation, b: Operation) -> bool:
    """Whether `a` and `b` are in different arms of one branch: where one of them runs, the other does not."""
    arms = dict(enclosing(a))
    parent, region = next(((p, r) for p, r in enclosing(b) if p in arms), (None, None))
    if parent is None or arms[parent] is region:
        return False
    flow = region_flow(parent)
    return flow is not None and not flow.repeats


def runs_once_in(op: Operation, block: Block) -> bool:
    """Whether `op`, somewhere in `block`, runs at most once each time that the block does: only branches are in between."""
    if op.parent is block:
        return True
    for parent, _ in enclosing(op):
        flow = region_flow(parent)
        if flow is None or flow.repeats:
            return False
        if parent.parent is block:
            return True
    return False


# -- upstream's operations


def _of_for(op: Operation) -> RegionFlow:
    (body,) = op.regions
    edges = (
        Edge(op, None, body, first=3, skipped=1),
        Edge(op, None, None, first=3),
        Edge(op, body, body, skipped=1),
        Edge(op, body, None),
    )
    return RegionFlow(op, edges, tuple(op.operands[:3]))


def _of_while(op: Operation) -> RegionFlow:
    before, after = op.regions
    edges = (
        Edge(op, None, before),
        Edge(op, before, after, first=1),
        Edge(op, before, None, first=1),
        Edge(op, after, before),
    )
    return RegionFlow(op, edges, (terminator(before.block).operands[0],))


def of_branch(op: Operation) -> RegionFlow:
    """The flow of an operation that runs one of its regions, chosen by its first operand; an empty one is passed by."""
    edges: list[Edge] = []
    for region in op.regions:
        if region.blocks:
            edges += (Edge(op, None, region, first=1), Edge(op, region, None))
        else:
            edges.append(Edge(op, None, None, first=1))
    return RegionFlow(op, tuple(edges), (op.operands[0],))


_UPSTREAM: dict[type[Operation], Callable[[Operation], RegionFlow]] = {
    scf.ForOp: _of_for,
    scf.WhileOp: _of_while,
    scf.IfOp: of_branch,
}
