"""Ownership of buffers across loops and branches.

It covers the buffer of each yielded value, and the operations that give and take it.

At a terminator, every yielded value needs a token of its own. A value that owns none (a value from outside a loop, a
weight, one value yielded twice, a part of a buffer) is copied. A fresh value gets a token: the buffer of a block
argument that is dead by then, otherwise a buffer that the region operation is given in addition (a *pool* slot of a
loop, an *extra* of a branch). Fresh values are found through the groups of region operations inside: the inputs of
these groups must come from a token. The terminator then yields a permutation of the tokens, and its cycles are the
operation's groups.

`Components` are the sets of tokens that a region operation can exchange for each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.region_flow import region_flow
from loomir.passes.structured.bufferize.model import (
    Alias,
    AliasSet,
    Analysis,
    Copy,
    Cover,
    Group,
    InToken,
    SetKind,
    Version,
    same_class,
    tensors,
)
from loomir.passes.structured.bufferize.slices import handover_conflict, is_dead_before


class Components:
    """Sets of tokens that may take each other's place (union–find).

    The class also records the current name of each token.
    """

    def __init__(self, tokens: Iterable[AliasSet]) -> None:
        self.parents: dict[AliasSet, AliasSet] = {}
        for token in tokens:
            self.parents[token] = token
        self.start(self.parents)

    def start(self, tokens: Iterable[AliasSet]) -> None:
        """Begin a region: each token goes under its own name."""
        self.names: dict[AliasSet, None] = dict.fromkeys(tokens)

    def find(self, alias_set: AliasSet) -> AliasSet:
        alias_set = self.parents.setdefault(alias_set, alias_set)
        while (parent := self.parents[alias_set]) is not alias_set:
            self.parents[alias_set] = self.parents[parent]
            alias_set = parent
        return alias_set

    def join(self, a: AliasSet, b: AliasSet) -> None:
        self.parents[self.find(b)] = self.find(a)

    def same(self, a: AliasSet, b: AliasSet) -> bool:
        return self.find(a) is self.find(b)

    def hold(self, alias_set: AliasSet) -> AliasSet:
        """The name under which the token that `alias_set` sits in goes."""
        while alias_set not in self.names:
            if isinstance(alias_set.destination, InToken):
                alias_set = alias_set.destination.alias_set
            else:
                assert alias_set.group is not None, "a yielded value sits in one of the region's tokens"
                assert alias_set.group.identity
                alias_set = alias_set.group.inputs[0]
        return alias_set

    def run(self, groups: list[Group]) -> list[AliasSet]:
        """Pass the tokens through a region's groups; return their final names.

        The groups are processed in order.
        """
        for group in groups:
            if group.identity:
                continue
            given = [self.hold(alias_set) for alias_set in group.inputs]
            for name in given:
                del self.names[name]
                self.join(given[0], name)
            for output in group.outputs:
                self.names[output] = None
                self.join(given[0], output)
        return list(self.names)


@dataclass
class Loop:
    """Loop under analysis, with each slot's initial buffer and block arguments."""

    positions: list[int]
    """Tensor results of the loop; slots behind them are pool slots."""
    inputs: list[AliasSet]
    slots: list[list[AliasSet]]


@dataclass
class Flow:
    """Where a terminator's tokens come from.

    `fresh` are the fresh alias sets that need a token, each with the yielded position it flows to; `tokens` those
    there already; `groups` the groups inside that hand them on, in program order.
    """

    fresh: list[tuple[AliasSet, int]] = field(default_factory=list)
    tokens: dict[AliasSet, int] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)


# Loops.


def take_initial_values(analysis: Analysis, op: scf.ForOp | scf.WhileOp) -> Loop:
    """Decide which initial values hand over their buffers.

    Also create alias sets for the block arguments.
    """
    plan = analysis.plan
    number = plan.numbers[op]
    flow = region_flow(op)
    first, operands = flow.entry.first, flow.entry.operands
    positions = tensors(operands)
    inputs: list[AliasSet] = []
    for i in positions:
        value = operands[i]
        alias = plan.aliases[value]
        if alias.version is None:
            analysis.materialise(op, first + i)
            inputs.append(plan.materialised[(op, first + i)])
            continue
        conflict = handover_conflict(plan, alias, op)
        if conflict is None and alias.alias_set in inputs:
            conflict = "it is the initial value of two carried values"
        if conflict is None:
            inputs.append(alias.alias_set)
        else:
            inputs.append(
                _copied(analysis, op, value, f"a loop overwrites its initial value, and {conflict}")
            )
    for alias_set in inputs:
        alias_set.takers.append(number)
    slots: list[list[AliasSet]] = []
    for region in op.regions:
        args = flow.arguments(region)
        # What an scf.while has before its condition hands everything on as it is.
        last = region is op.regions[-1]
        slots.append(
            [analysis.argument_set(region.block, args[i], SetKind.SLOT, writable=last) for i in positions]
        )
    return Loop(positions, inputs, slots)


def finish_loop(analysis: Analysis, op: scf.ForOp | scf.WhileOp, loop: Loop) -> None:
    """Assign a token to every value that the loop's body yields.

    Also create alias sets for the loop's results.
    """
    plan = analysis.plan
    block = op.regions[-1].block
    terminator = block.last_op
    assert isinstance(terminator, scf.YieldOp)
    held = _held_sets(
        analysis, terminator, block, [terminator.operands[i] for i in loop.positions], loop.slots[-1]
    )
    flow = _flow(held_sets=held, block=block)
    own = loop.slots[-1]
    free = [slot for slot in own if slot not in flow.tokens]
    for alias_set, position in flow.fresh:
        wanted = sorted(free, key=lambda slot: slot is not own[position])
        found = next(
            (s for s in wanted if same_class(s, alias_set) and is_dead_before(plan, s, alias_set)), None
        )
        if found is not None:
            free.remove(found)
            alias_set.destination = InToken(found)
            continue
        pool = analysis.fresh(op, alias_set.type)
        pool.takers.append(plan.numbers[op])
        loop.inputs.append(pool)
        for slots, region in zip(loop.slots, op.regions, strict=True):
            slots.append(AliasSet(SetKind.SLOT, alias_set.type, region.block, -1))
        alias_set.destination = InToken(own[-1])
    components = Components(own)
    holders = components.run(flow.groups)
    yields: list[AliasSet] = [components.hold(alias_set) for alias_set in held]
    for slot, holder in zip(own, yields, strict=False):
        components.join(slot, holder)
    left = [holder for holder in holders if holder not in yields]
    pools = own[len(held) :]
    assert len(left) == len(pools), "a terminator hands back as many buffers as the loop was given"
    for slot in pools:
        best = slot if slot in left else next(h for h in left if components.same(h, slot))
        left.remove(best)
        yields.append(best)
    _make_groups(analysis, op, components, loop, yields)


def _make_groups(
    analysis: Analysis, op: Operation, components: Components, loop: Loop, yields: list[AliasSet]
) -> None:
    own = loop.slots[-1]
    block = op.parent_block()
    assert block is not None
    members: dict[AliasSet, list[int]] = {}
    for i, slot in enumerate(own):
        members.setdefault(components.find(slot), []).append(i)
    groups: list[Group] = []
    for indices in members.values():
        group = Group(
            op,
            analysis.plan.numbers[op],
            [loop.inputs[i] for i in indices],
            [],
            [loop.positions[i] for i in indices if i < len(loop.positions)],
            [[slots[i] for i in indices] for slots in loop.slots],
            [[yields[i] for i in indices]],
        )
        for slots in group.slots:
            for slot in slots:
                slot.group = group
        for i in indices:
            result = op.results[loop.positions[i]] if i < len(loop.positions) else None
            group.outputs.append(_result_set(analysis, group, own[i], block, result))
        groups.append(group)
    analysis.plan.groups[op] = groups


# Branches.


def finish_if(analysis: Analysis, op: scf.IfOp) -> None:
    """Assign a shared token to every tensor that the branches yield.

    Also create alias sets for the results.
    """
    plan = analysis.plan
    positions = tensors(op.results)
    if not positions:
        return
    terminators: list[Operation] = []
    held: list[list[AliasSet]] = []
    flows: list[Flow] = []
    for region in op.regions:
        terminator = region.block.last_op
        assert isinstance(terminator, scf.YieldOp)
        alias_sets = _held_sets(
            analysis, terminator, region.block, [terminator.operands[i] for i in positions], []
        )
        terminators.append(terminator)
        held.append(alias_sets)
        flows.append(_flow(alias_sets, region.block))
    extras = _give_branch_tokens(analysis, op, terminators, flows)
    tokens = list(dict.fromkeys([*flows[0].tokens, *flows[1].tokens, *extras]))
    for token in tokens:
        token.takers.append(plan.numbers[op])
    block = op.parent_block()
    assert block is not None
    results = [
        AliasSet(SetKind.RESULT, tensor_type_of(op.results[i]), block, plan.numbers[op]) for i in positions
    ]
    components = Components([*tokens, *results])
    holders: list[list[AliasSet]] = []
    yields: list[list[AliasSet]] = []
    for flow, alias_sets in zip(flows, held, strict=True):
        components.start(tokens)
        holders.append(components.run(flow.groups))
        yields.append([components.hold(alias_set) for alias_set in alias_sets])
        for result, holder in zip(results, yields[-1], strict=True):
            components.join(result, holder)
    plan.groups[op] = groups = []
    members: dict[AliasSet, list[int]] = {}
    for i, result in enumerate(results):
        members.setdefault(components.find(result), []).append(i)
    for representative, indices in members.items():
        inputs = [token for token in tokens if components.find(token) is representative]
        group = Group(op, plan.numbers[op], inputs, [], [positions[i] for i in indices])
        for arm in range(2):
            values = [yields[arm][i] for i in indices]
            spares = [h for h in holders[arm] if components.find(h) is representative and h not in values]
            group.yields.append([*values, *spares])
            assert len(group.yields[-1]) == len(inputs), (
                "each branch hands back as many buffers as it was given"
            )
        for k, alias_set in enumerate(group.yields[0]):
            result = op.results[group.values[k]] if k < len(indices) else None
            like = results[indices[k]] if k < len(indices) else alias_set
            group.outputs.append(_result_set(analysis, group, like, block, result))
        groups.append(group)


def _give_branch_tokens(
    analysis: Analysis, op: scf.IfOp, terminators: list[Operation], flows: list[Flow]
) -> list[AliasSet]:
    """Assign a token to each fresh alias set of the branches.

    It is a token that only the other branch passes on, or an extra.
    """
    plan = analysis.plan
    extras: list[tuple[AliasSet, int]] = []
    used: list[set[AliasSet]] = [set(flow.tokens) for flow in flows]
    pending: list[list[tuple[AliasSet, int]]] = [[], []]
    for arm, flow in enumerate(flows):
        others = flows[1 - arm].tokens
        for alias_set, position in flow.fresh:
            found = next(
                (
                    token
                    for token, flows_to in others.items()
                    if flows_to == position
                    and token not in used[arm]
                    and same_class(token, alias_set)
                    and is_dead_before(plan, token, alias_set, terminators[arm])
                ),
                None,
            )
            if found is None:
                pending[arm].append((alias_set, position))
            else:
                alias_set.destination = InToken(found)
                used[arm].add(found)

    def take(arm: int, alias_set: AliasSet, extra: AliasSet) -> None:
        alias_set.destination = InToken(extra)
        used[arm].add(extra)

    for alias_set, position in pending[0]:
        extra = analysis.fresh(op, alias_set.type)
        extras.append((extra, position))
        take(0, alias_set, extra)
    unpaired: list[AliasSet] = []
    for alias_set, position in pending[1]:
        pair = next(
            (x for x, p in extras if p == position and x not in used[1] and same_class(x, alias_set)), None
        )
        if pair is None:
            unpaired.append(alias_set)
        else:
            take(1, alias_set, pair)
    for alias_set in unpaired:
        extra = next((x for x, _ in extras if x not in used[1] and same_class(x, alias_set)), None)
        if extra is None:
            extra = analysis.fresh(op, alias_set.type)
            extras.append((extra, -1))
        take(1, alias_set, extra)
    return [extra for extra, _ in extras]


# What both share.


def _copied(analysis: Analysis, op: Operation, value: SSAValue, reason: str) -> AliasSet:
    """A fresh alias set that is filled with `value` right before `op`."""
    alias_set = analysis.fresh(op, tensor_type_of(value))
    analysis.explain(op, value, reason)
    analysis.plan.copies_before.setdefault(op, []).append(Copy(alias_set, value))
    return alias_set


def _held_sets(
    analysis: Analysis, terminator: Operation, block: Block, values: list[SSAValue], slots: list[AliasSet]
) -> list[AliasSet]:
    """Return the alias set that holds each yielded value.

    It is the value's own alias set if its token can be given away, otherwise a copy.
    """
    held: list[AliasSet | None] = [None] * len(values)
    taken: set[AliasSet] = set()
    reasons: dict[int, str] = {}
    aliases: list[Alias] = [analysis.plan.aliases[value] for value in values]

    def stays(i: int) -> bool:
        return i < len(slots) and aliases[i].version is not None and aliases[i].alias_set is slots[i]

    # A value that stays in its own slot has precedence over another use of its token.
    for i in sorted(range(len(values)), key=lambda i: not stays(i)):
        alias = aliases[i]
        if alias.version is None:
            continue
        conflict = handover_conflict(analysis.plan, alias, terminator)
        if conflict is None and alias.alias_set in taken:
            conflict = "it is yielded twice"
        if conflict is None:
            held[i] = alias.alias_set
            taken.add(alias.alias_set)
        else:
            reasons[i] = f"a region yields it, and {conflict}"
    result: list[AliasSet] = []
    for i, (alias_set, value) in enumerate(zip(held, values, strict=True)):
        if alias_set is not None:
            result.append(alias_set)
        elif i in reasons:
            result.append(_copied(analysis, terminator, value, reasons[i]))
        else:
            result.append(analysis.fresh(terminator, tensor_type_of(value)))
    return result


def _flow(held_sets: list[AliasSet], block: Block) -> Flow:
    """Trace held alias sets back to the sources of their tokens.

    The trace goes through groups of operations in `block`.
    """
    flow = Flow()
    seen: set[AliasSet] = set()
    groups: dict[Group, None] = {}
    stack = [(alias_set, i) for i, alias_set in reversed(list(enumerate(held_sets)))]
    while stack:
        alias_set, position = stack.pop()
        if alias_set in seen:
            continue
        seen.add(alias_set)
        if alias_set.block is not block or alias_set.kind is SetKind.SLOT:
            flow.tokens[alias_set] = position
        elif alias_set.kind is SetKind.FRESH:
            assert alias_set.destination is None, "a yielded fresh value has no other place yet"
            flow.fresh.append((alias_set, position))
        else:
            assert alias_set.kind is SetKind.RESULT
            assert alias_set.group is not None
            groups[alias_set.group] = None
            alias_set.group.circulates = True
            stack.extend((given, position) for given in reversed(alias_set.group.inputs))
    flow.groups = sorted(groups, key=lambda group: group.number)
    return flow


def _result_set(
    analysis: Analysis, group: Group, like: AliasSet, block: Block, result: SSAValue | None
) -> AliasSet:
    alias_set = AliasSet(SetKind.RESULT, like.type, block, group.number, group=group)
    if result is not None:
        analysis.alias(result, Version(alias_set, group.number), Cover.FULL)
    return alias_set
