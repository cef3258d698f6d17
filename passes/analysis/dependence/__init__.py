"""Dependence of a loop's iterations on each other.

What an iteration computes depends on the iteration before it through loop-carried values. `LoopDependence` says of each value of the
body from which of them it is computed, and which of them form recurrences.

```mlir
%r:3 = ov.loop carried(%a, %b, %c) sliced(%x) {
^bb0(%i: tensor<i64>, %u: tensor<4xf32>, %v: tensor<4xf32>, %w: tensor<4xf32>, %part: tensor<1x4xf32>):
  %m = ov.exp %part            // of no carried value: the map part
  %p = ov.multiply %u, %m      // %u is computed from itself: a recurrence
  %q = ov.add %v, %p           // so is %v, from %u too
  %s = ov.tanh %p              // behind the recurrence of %u, on no cycle
  ov.next carried(%p, %q, %m)  // the next %w is computed from no carried value: %w is what %m was in the iteration before
}
```

- A *recurrence* is a strongly connected component of carried values: each is computed from itself, or from others that are computed from
  it. (`%u`, and `%v`.)
- A carried value of no recurrence (`%w`) is a value of an earlier iteration. What reads it can be computed for all iterations at once if
  it depends on no recurrence: shifted by one.
- A *group* is a strongly connected component of operations and carried values: what has to stay in one loop. Groups are in an order in
  which each needs only groups before it, in this or an earlier iteration, so a loop can be distributed over them.

Values are followed one by one through nested loops and branches (`needed_values`). Groups are of whole operations: of an `ov.if` with two
results both are in one group.

Operations with effects in a loop that writes memory depend on each other through it: they are counted as reading and writing one
carried value, `MEMORY`. Operations that may stop the program have an order, too, of which `speculatable` tells. The condition that ends
a loop decides whether the next iteration runs at all, which is no dependence here: `condition` is its value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TypeVar

from xdsl.ir import BlockArgument, Operation, Region, SSAValue
from xdsl.traits import MemoryEffectKind

from loomir.dialects.region_flow import (
    LoopCarriedValue,
    captured,
    needed_values,
    owning_block,
    owning_operation,
    predecessor_values,
    region_flow,
    terminator,
)
from loomir.dialects.upstream.effects import EffectsOfNests
from loomir.dialects.upstream.walking import walk

Node = TypeVar("Node", bound=Hashable)

MEMORY = -1
"""Number of the memory among the carried values."""


def strong_components(
    nodes: Iterable[Node], successors: Callable[[Node], Iterable[Node]]
) -> Iterator[list[Node]]:
    """Yield the strongly connected components of a graph (Tarjan, 1972).

    Each comes after those that it reaches; beside that, they are in the order of `nodes`.
    """
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    path: list[Node] = []
    done: set[Node] = set()
    work: list[tuple[Node, Iterator[Node]]] = []

    def enter(node: Node) -> None:
        number[node] = low[node] = len(number)
        path.append(node)
        work.append((node, iter(successors(node))))

    for root in nodes:
        if root not in number:
            enter(root)
        while work:
            node, rest = work[-1]
            for following in rest:
                if following not in number:
                    enter(following)
                    break
                if following not in done:
                    low[node] = min(low[node], number[following])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    component = [path.pop()]
                    while component[-1] != node:
                        component.append(path.pop())
                    done.update(component)
                    yield component


@dataclass(frozen=True)
class CarriedDependence:
    """A loop-carried value and what its next value is computed from.

    `reads` are the numbers of the carried values that the next value reads, itself perhaps included. `recurrence` is the index of its
    recurrence in `LoopDependence.recurrences`, or None. An *invariant* value is handed on as it came: it is its initial value, and no
    dependence. An *unread* value is read by nothing in the body: only its final value counts.
    """

    number: int
    value: LoopCarriedValue
    reads: frozenset[int]
    recurrence: int | None
    is_invariant: bool
    is_unread: bool

    @property
    def reads_itself(self) -> bool:
        """True if the next value is computed from this one directly."""
        return self.number in self.reads

    @property
    def is_replaced(self) -> bool:
        """True if the next value is computed from no carried value.

        In an iteration but the first, it is what was computed from the slices and the number of the one before.
        """
        return not self.reads and not self.is_invariant


@dataclass(frozen=True)
class Group:
    """Operations and carried values that depend on each other.

    `recurrent` is False for a single operation, or carried value, that does not depend on itself.
    """

    operations: tuple[Operation, ...]
    carried: tuple[int, ...]
    recurrent: bool


class LoopDependence:
    """Dependence between the iterations of one loop.

    The loop is an `ov.loop`, `scf.for` or `scf.while`; it must not change as long as this is used. Building it takes time linear in the
    operations of the body, nested ones included.
    """

    def __init__(self, loop: Operation) -> None:
        flow = region_flow(loop)
        assert flow is not None, f"{loop.name} is no loop"
        self.loop = loop
        self._flow = flow
        entry = flow.entry.target
        assert entry is not None
        self._entry: Region = entry
        self._carried = flow.carried
        self._blocks = {region.block for op in walk(loop) for region in op.regions}
        invariant = {c.arguments[0] for c in self._carried if self._is_handed_on(c)}
        self._numbers = {
            c.arguments[0]: n for n, c in enumerate(self._carried) if c.arguments[0] not in invariant
        }
        self._find_effects()
        self._memory = 1 << len(self._entry.block.args) if self._has_memory else 0
        self._sources: dict[SSAValue, int] = {}
        self._find_sources(invariant)
        reads = {n: self.reads(c.following) for n, c in enumerate(self._carried)}
        if self._has_memory:
            reads[MEMORY] = frozenset[int]().union(*map(self.reads, self.effects))
        recurrences: list[tuple[int, ...]] = []
        own: dict[int, int] = {}
        self._behind: dict[int, frozenset[int]] = {}
        for component in strong_components(reads, lambda number: sorted(reads[number])):
            before = frozenset[int]().union(
                *(self._behind.get(r, frozenset[int]()) for n in component for r in reads[n])
            )
            if len(component) > 1 or component[0] in reads[component[0]]:
                own |= dict.fromkeys(component, len(recurrences))
                before |= {len(recurrences)}
                recurrences.append(tuple(sorted(component)))
            self._behind |= dict.fromkeys(component, before)
        self.recurrences = tuple(recurrences)
        self.carried = tuple(
            CarriedDependence(n, c, reads[n], own.get(n), c.arguments[0] in invariant, self._is_unread(c))
            for n, c in enumerate(self._carried)
        )

    def _is_handed_on(self, carried: LoopCarriedValue) -> bool:
        """Return True if each iteration hands a carried value on unchanged."""
        waiting, seen = [carried.following], {*carried.arguments, carried.following}
        while waiting:
            value = waiting.pop()
            before = predecessor_values(value) if owning_operation(value) is not self.loop else []
            if not before and value not in carried.arguments:
                return False
            waiting += [v for v in before if v not in seen]
            seen.update(before)
        return True

    def _is_unread(self, carried: LoopCarriedValue) -> bool:
        """Return True if a carried value only goes to the other region."""
        onward = [e for e in self._flow.edges if e.source is not None and self._is_later(e.target)]
        return all(
            any(e.forwarder is use.operation and e.input_for(use.index) is not None for e in onward)
            for argument in carried.arguments
            for use in argument.uses
        )

    def _is_later(self, region: Region | None) -> bool:
        """Return True for a region that control enters from another one."""
        return region is not None and region is not self._entry and region.parent is self.loop

    @property
    def condition(self) -> SSAValue | None:
        """The body's value that decides whether the loop goes on, or None."""
        return next((v for v in self._flow.deciders if owning_block(v) in self._own_blocks), None)

    @cached_property
    def _own_blocks(self) -> list[object]:
        return [region.block for region in self.loop.regions]

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """The operations of the body, without nested ones and terminators."""
        return tuple(
            op
            for region in self.loop.regions
            for op in region.block.ops
            if op is not terminator(region.block)
        )

    def _find_effects(self) -> None:
        of = EffectsOfNests()
        self._ordered = {op for op in walk(self.loop) if of.of(op) != frozenset()} - {self.loop}
        self.effects = tuple(op for op in self.operations if op in self._ordered)
        """Operations of the body that access memory, or have unknown effects."""
        known = [of.of(op) for op in self.effects]
        self._has_memory = any(
            effects is None or any(e.kind is not MemoryEffectKind.READ for e in effects) for effects in known
        )

    # -- from what a value is computed

    def _find_sources(self, invariant: AbstractSet[SSAValue]) -> None:
        """Compute the arguments from which each value is computed, as bits."""
        arguments: dict[SSAValue, int] = {
            argument: 0 if argument in invariant else 1 << k
            for k, argument in enumerate(self._entry.block.args)
        }
        flow_of = cache(region_flow)

        def own(value: SSAValue) -> int:
            if value in arguments:
                return arguments[value]
            op = owning_operation(value)
            return self._memory if op in self._ordered and flow_of(op) is None else 0

        def needed(value: SSAValue) -> list[SSAValue]:
            if value in arguments:
                return []
            return [v for v in needed_values(value, flow_of(owning_operation(value))) if self._is_inside(v)]

        values = (
            value
            for op in walk(self.loop)
            for value in (*(a for region in op.regions for a in region.block.args), *op.results)
            if op is not self.loop or isinstance(value, BlockArgument)
        )
        for component in strong_components(values, needed):
            bits = 0
            for value in component:
                bits |= own(value)
                for source in needed(value):
                    bits |= self._sources.get(source, 0)
            self._sources.update(dict.fromkeys(component, bits))

    def _is_inside(self, value: SSAValue) -> bool:
        return owning_block(value) in self._blocks

    def _bits(self, of: SSAValue | Operation) -> int:
        if isinstance(of, SSAValue):
            return self._sources.get(of, 0)
        bits = self._memory if of in self._ordered else 0
        for inner in walk(of):
            for operand in inner.operands:
                bits |= self._sources.get(operand, 0)
        return bits

    def sources(self, of: SSAValue | Operation) -> list[SSAValue]:
        """Return the arguments from which a value or operation is computed.

        They are those of this iteration: carried values, the iteration number, parts of sliced inputs.
        """
        arguments, found = self._entry.block.args, list[SSAValue]()
        bits = self._bits(of) & ((1 << len(arguments)) - 1)  # without that of the memory
        while bits:
            lowest = bits & -bits
            found.append(arguments[lowest.bit_length() - 1])
            bits ^= lowest
        return found

    def reads(self, of: SSAValue | Operation) -> frozenset[int]:
        """Return the carried values from which a value is computed.

        They are given by their numbers, and are the values of this iteration. An operation is computed from all that its regions read.
        """
        numbers = (self._numbers.get(argument) for argument in self.sources(of))
        memory = [MEMORY] if self._bits(of) & self._memory else []
        return frozenset([*memory, *(number for number in numbers if number is not None)])

    def is_invariant(self, of: SSAValue | Operation) -> bool:
        """Return True if a value is the same in each iteration.

        It is computed from values outside of the loop and constants alone.
        """
        return not self._bits(of)

    def is_map(self, of: SSAValue | Operation) -> bool:
        """Return True if a value is computed from no carried value.

        It is a function of the iteration number, the parts of sliced inputs and values from outside.
        """
        return not self.reads(of)

    def recurrences_of(self, of: SSAValue | Operation) -> frozenset[int]:
        """Return the recurrences that a value depends on.

        They are indices of `recurrences`, and count in earlier iterations, too. With none of them, the value can be computed for all
        iterations at once.
        """
        return frozenset[int]().union(*(self._behind[number] for number in self.reads(of)))

    # -- what has to stay together

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Strongly connected components of operations and carried values.

        Each needs only itself and groups before it, in the same or an earlier iteration.
        """
        memory: list[Operation | int] = [MEMORY] if self._has_memory else []
        nodes: list[Operation | int] = [*self.operations, *range(len(self._carried)), *memory]
        known: dict[Operation, list[SSAValue]] = {}
        places = {op: place for place, op in enumerate(self.operations)}

        def node_of(value: SSAValue) -> list[Operation | int]:
            """Return the nodes that give a value: none for one from outside."""
            if isinstance(value, BlockArgument):
                if value in self._numbers:
                    return [self._numbers[value]]
                later = self._is_later(value.block.parent)
                return [n for v in needed_values(value, self._flow) for n in node_of(v)] if later else []
            op = owning_operation(value)
            return [op] if op is not None and op in places else []

        def needed(node: Operation | int) -> list[Operation | int]:
            if node == MEMORY:
                return list(self.effects)
            if isinstance(node, int):
                return node_of(self._carried[node].following)
            given = [n for v in (*node.operands, *captured(node, known)) for n in node_of(v)]
            return given + memory if node in self._ordered else given

        found: list[Group] = []
        for component in strong_components(nodes, needed):
            operations = sorted((n for n in component if isinstance(n, Operation)), key=places.__getitem__)
            carried = sorted(n for n in component if isinstance(n, int))
            recurrent = len(component) > 1 or component[0] in needed(component[0])
            found.append(Group(tuple(operations), tuple(carried), recurrent))
        return tuple(found)

    def group_of(self, node: Operation | int) -> Group:
        """Return the group of an operation or of a carried value's number."""
        return self._groups_by_node[node]

    @cached_property
    def _groups_by_node(self) -> dict[Operation | int, Group]:
        return {node: group for group in self.groups for node in (*group.operations, *group.carried)}

    # -- what needs a value

    @cached_property
    def last_trip_only(self) -> tuple[Operation, ...]:
        """Operations without effects whose results matter in the last iteration only.

        They lead to last values, and to carried values that the body does not read. If one of them may fail, it does so in the first
        iteration already: `speculatable` is to be asked.
        """
        edges = [*self._flow.edges, *self._flow.derived]
        unread = {c.value.following for c in self.carried if c.is_unread}
        every: set[SSAValue] = {c.value.following for c in self.carried if not c.is_unread}
        every.update(self._flow.deciders)
        for edge in edges:
            if edge.source is not None and (edge in self._flow.derived or self._is_later(edge.target)):
                every.update(edge.operands)
        ends = {v for e in edges if e.source is not None and e.target is None for v in e.operands}
        last = (unread | ends) - every
        found: list[Operation] = []
        for op in reversed(self.operations):
            later = op not in self._ordered and not any(result in every for result in op.results)
            if later and any(result in last for result in op.results):
                found.append(op)
                last.update(v for inner in walk(op) for v in inner.operands)
            else:
                every.update(v for inner in walk(op) for v in inner.operands)
        return tuple(reversed(found))


def dependence_of(loop: Operation) -> LoopDependence:
    """Return the dependence between the iterations of a loop."""
    return LoopDependence(loop)
