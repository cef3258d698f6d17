"""Data flow through loops and branches, like MLIR's RegionBranchOpInterface.

Control enters a region from the operation, or from the end of another of its regions, and continues after the operation. On
each such path, an `ForwardingEdge`, operands are forwarded one to one: those of the operation to the arguments of the region that
control enters first, those of a terminator to the arguments of the next region or to the operation's results.

```mlir
%r = scf.for %i = %lower to %upper step %step iter_args(%a = %x) -> (f32) {   // before → body: %x → %a; before → behind: %x → %r
  scf.yield %b : f32                                                           // body → body: %b → %a; body → behind: %b → %r
}
```

`region_flow(op)` is the single source of this information: for `scf.for`, `scf.while` and `scf.if` in the table below, for
`ov.loop` and `ov.if` at their classes (`HasRegionFlow`). Analyses that need to know which values may be equal use it and do
not distinguish kinds of loops.

`captured(op)` are the values that an operation's regions read from outside.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, overload

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from loomir.dialects.upstream.walking import walk


class ForwardingEdge(NamedTuple):
    """Control-flow edge with the operands that it forwards.

    The operands are MLIR's successor operands; the values that they become at the target are its successor inputs.

    `source` is the region that control leaves, or None if control comes from before the operation; `target` is the region that
    control enters, or None for the point after the operation. All operands from `first` on, or `length` of them, are forwarded to
    the inputs that follow the first `skipped` ones.
    """

    op: Operation
    source: Region | None
    target: Region | None
    first: int = 0
    skipped: int = 0
    length: int | None = None

    @property
    def forwarder(self) -> Operation:
        """Operation whose operands are forwarded.

        It is the operation with the regions, or the terminator of one of them.
        """
        return self.op if self.source is None else terminator(self.source.block)

    @property
    def operands(self) -> Sequence[SSAValue]:
        """The values that are handed on."""
        return self.forwarder.operands[self.first : None if self.length is None else self.first + self.length]

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """Values that the forwarded operands become, in their order.

        They are arguments of the entered region or results of the operation.
        """
        inputs = self.op.results if self.target is None else self.target.block.args
        return inputs[self.skipped : None if self.length is None else self.skipped + self.length]

    @property
    def pairs(self) -> Iterator[tuple[SSAValue, SSAValue]]:
        """Each value with what it becomes."""
        return zip(self.operands, self.inputs, strict=True)

    def operand_for(self, number: int) -> int | None:
        """Return the forwarder's operand index for argument or result `number`.

        The result is None if this edge does not forward to it.
        """
        at = number - self.skipped
        return self.first + at if at >= 0 and (self.length is None or at < self.length) else None

    def input_for(self, operand: int) -> SSAValue | None:
        """Return the value that an operand of the forwarder becomes, or None.

        The result is None if this edge does not forward the operand.
        """
        at = operand - self.first
        return self.inputs[at] if at >= 0 and (self.length is None or at < self.length) else None


class LoopCarriedValue(NamedTuple):
    """Loop-carried value.

    It has an initial value, an argument in each region, a value that is yielded to the next iteration, and a result.
    """

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
    edges: tuple[ForwardingEdge, ...]
    deciders: tuple[SSAValue, ...]
    derived: tuple[ForwardingEdge, ...] = ()

    @property
    def repeats(self) -> bool:
        """True if a region may run more than once.

        The operation is then a loop. (In the operations here, a region follows another only in a loop.)
        """
        return any(edge.source is not None and edge.target is not None for edge in self.edges)

    def successors(self, source: Region | None) -> list[Region | None]:
        """Return the possible successors of a region.

        `source` is the region that control leaves, or None for the point before the operation; a successor None is the point after
        the operation.
        """
        return [edge.target for edge in self.edges if edge.source is source]

    @property
    def entry(self) -> ForwardingEdge:
        """The way into the region that comes first."""
        return next(edge for edge in self.edges if edge.source is None and edge.target is not None)

    def arguments(self, region: Region) -> Sequence[SSAValue]:
        """Return the arguments of a region to which values are forwarded.

        The iteration number and slices of inputs are not among them.
        """
        return next((edge.inputs for edge in self.edges if edge.target is region), ())

    def predecessor_operands(
        self, value: SSAValue, edges: Sequence[ForwardingEdge] | None = None
    ) -> list[tuple[Operation, int]]:
        """Return the operands that an argument or result may be equal to.

        Each operand is an operation and an operand number. The list is empty if no operand is forwarded to the value.
        """
        found: list[tuple[Operation, int]] = []
        if not isinstance(value, OpResult | BlockArgument):
            return found
        target = None if isinstance(value, OpResult) else value.block.parent
        for edge in self.edges if edges is None else edges:
            if edge.target is target and (operand := edge.operand_for(value.index)) is not None:
                found.append((edge.forwarder, operand))
        return found

    @property
    def carried(self) -> list[LoopCarriedValue]:
        """Loop-carried values; a branch has none.

        An `scf.while` is assumed to forward its arguments one to one (docs/ir.md).
        """
        if not self.repeats:
            return []
        back = next(e for e in self.edges if e.source is not None and e.target is self.entry.target)
        end = next(e for e in self.edges if e.source is not None and e.target is None)
        arguments = zip(*(self.arguments(region) for region in self.op.regions))
        return [LoopCarriedValue(*c) for c in zip(self.entry.operands, arguments, back.operands, end.inputs)]


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
    """Return the region flow of a loop or branch, or None.

    The result is None for any other operation.
    """
    of_kind = None if op is None else _flow_of(type(op))
    return None if of_kind is None or op is None else of_kind(op)


@cache
def _flow_of(kind: type[Operation]) -> Callable[[Any], RegionFlow] | None:
    """Return the function that computes the region flow of a class's operations.

    It is looked up for every operation and therefore cached per class.
    """
    return kind.region_flow if issubclass(kind, HasRegionFlow) else _UPSTREAM.get(kind)


def owning_block(value: SSAValue) -> Block | None:
    """The block that a value is made in, or an argument of."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def owning_operation(value: SSAValue) -> Operation | None:
    """Return the operation that defines a value.

    The value is a result of the operation or an argument of one of its regions.
    """
    return value.owner.parent_op() if isinstance(value.owner, Block) else value.owner


def predecessor_values(value: SSAValue) -> list[SSAValue]:
    """Return the values that are forwarded to a value, one step back.

    The value is an argument or result of a loop or branch; for any other value the list is empty.
    """
    flow = region_flow(owning_operation(value))
    return [] if flow is None else [op.operands[number] for op, number in flow.predecessor_operands(value)]


def successor_values(op: Operation, operand: int) -> list[SSAValue]:
    """Return the values that an operand may become.

    The operand belongs to a loop, a branch or a terminator in one of these.
    """
    flow, source = region_flow(op), None
    if flow is None and op.parent is not None and op is op.parent.last_op:
        flow, source = region_flow(op.parent_op()), op.parent.parent
    if flow is None:
        return []
    inputs = [edge.input_for(operand) for edge in flow.edges if edge.source is source]
    return [value for value in inputs if value is not None]


def needed_values(value: SSAValue, flow: RegionFlow | None) -> list[SSAValue]:
    """Return the values from which a value is computed, in one step.

    `flow` is that of the value's operation (`owning_operation`). A step looks into and out of loops and branches, value by value.
    Of another operation with regions every result is computed from all that it reads, and so are the arguments of its regions.
    """
    made = isinstance(value, OpResult)
    if flow is None:
        op = owning_operation(value)
        if op is None or not op.regions:
            return [] if op is None else list(op.operands)
        return [*op.operands, *(captured(op, {}) if made else ())]
    handed = [*flow.predecessor_operands(value), *flow.predecessor_operands(value, flow.derived)]
    return [*(flow.deciders if made else ()), *(op.operands[number] for op, number in handed)]


def terminator(block: Block) -> Operation:
    """The last operation of a block."""
    last = block.last_op
    assert last is not None, "a block without a terminator"
    return last


# -- where operations and values stand to one another


def comes_from_outside(value: SSAValue, op: Operation) -> bool:
    """Return True if no region of `op` defines the value.

    Regions inside of them count, too. Such a value is invariant in a loop: it is the same in each iteration (MLIR's
    `isDefinedOutsideOfLoop`).
    """
    block = owning_block(value)
    while block is not None and (parent := block.parent_op()) is not None:
        if parent is op:
            return False
        block = parent.parent
    return True


def counterparts(original: Operation, copy: Operation) -> dict[Operation, Operation]:
    """Return the operations of a copy by those of its original.

    The copy is one that `clone` made, and neither has changed since. Both are included.
    """
    return dict(zip(walk(original), walk(copy), strict=True))


def enclosing(op: Operation) -> Iterator[tuple[Operation, Region]]:
    """Yield the operations that enclose `op`, innermost first.

    Each comes with that one of its regions which contains `op`.
    """
    region = op.parent_region()
    while region is not None and (parent := region.parent) is not None:
        yield parent, region
        region = parent.parent_region()


def ancestor_in(op: Operation, block: Block) -> Operation | None:
    """Return the operation of this block that holds `op`, perhaps itself."""
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current


def common_block(ops: Sequence[Operation]) -> Block:
    """The innermost block that all operations are in, at any depth."""
    first, *others = ([o.parent for o in (op, *(o for o, _ in enclosing(op)))] for op in ops)
    shared = set(first).intersection(*others)
    block = next(block for block in first if block in shared)
    assert block is not None, "operations of no block"
    return block


def exclusive(a: Operation, b: Operation) -> bool:
    """Return True if two operations are in different arms of one branch.

    If one of them runs, the other does not.
    """
    arms = dict(enclosing(a))
    parent, region = next(((p, r) for p, r in enclosing(b) if p in arms), (None, None))
    if parent is None or arms[parent] is region:
        return False
    flow = region_flow(parent)
    return flow is not None and not flow.repeats


def runs_once_in(op: Operation, block: Block) -> bool:
    """Return True if `op` runs at most once per execution of `block`.

    `op` is nested in `block` at any depth, with only branches in between.
    """
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
        ForwardingEdge(op, None, body, first=3, skipped=1),
        ForwardingEdge(op, None, None, first=3),
        ForwardingEdge(op, body, body, skipped=1),
        ForwardingEdge(op, body, None),
    )
    return RegionFlow(op, edges, tuple(op.operands[:3]))


def _of_while(op: Operation) -> RegionFlow:
    before, after = op.regions
    edges = (
        ForwardingEdge(op, None, before),
        ForwardingEdge(op, before, after, first=1),
        ForwardingEdge(op, before, None, first=1),
        ForwardingEdge(op, after, before),
    )
    return RegionFlow(op, edges, (terminator(before.block).operands[0],))


def of_branch(op: Operation) -> RegionFlow:
    """Return the flow of an operation that runs one of its regions.

    The first operand selects the region; control skips an empty region.
    """
    edges: list[ForwardingEdge] = []
    for region in op.regions:
        if region.blocks:
            edges += (ForwardingEdge(op, None, region, first=1), ForwardingEdge(op, region, None))
        else:
            edges.append(ForwardingEdge(op, None, None, first=1))
    return RegionFlow(op, tuple(edges), (op.operands[0],))


_UPSTREAM: dict[type[Operation], Callable[[Operation], RegionFlow]] = {
    scf.ForOp: _of_for,
    scf.WhileOp: _of_while,
    scf.IfOp: of_branch,
}


def captured(op: Operation, known: dict[Operation, list[SSAValue]]) -> list[SSAValue]:
    """Return the outside values that an operation's regions read.

    Each is listed once, in the order of the first reads. `known` caches the results, so that nests are traversed only once.
    """
    if op not in known:
        found: dict[SSAValue, None] = {}
        for region in op.regions:
            for inner in region.block.ops:
                read = (*inner.operands, *(captured(inner, known) if inner.regions else ()))
                found.update((value, None) for value in read if _block_of(value) is not region.block)
        known[op] = list(found)
    return known[op]


def _block_of(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent
