"""Ownership across loops and branches: which buffer each yielded value is in, and who gives and takes it.

At a terminator every yielded value needs a token of its own. What owns none (a value from outside a loop, a
weight, one value yielded twice, a part of a buffer) is copied. A fresh value gets a token: the buffer of a
block argument that nobody looks at any more, else a buffer that the region operation is given in addition (a
*pool* slot of a loop, an *extra* of a branch). Fresh values are found through the groups of region operations
inside: their inputs are what must come from a token. The terminator then yields a permutation of the tokens,
and its cycles are the operation's groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.region_flow import region_flow
from loomir.dialects.tensors import tensor_type_of
from loomir.passes.structured.bufferize.analysis import Analysis
from loomir.passes.structured.bufferize.components import Components
from loomir.passes.structured.bufferize.conflicts import handover_conflict, is_dead_before
from loomir.passes.structured.bufferize.model import (
    Alias,
    Copy,
    Cover,
    Group,
    InToken,
    Root,
    RootKind,
    Version,
    same_class,
    tensors,
)


@dataclass
class Loop:
    """A loop under analysis: the initial buffer and the block arguments of each slot."""

    positions: list[int]
    """The results of the loop that are tensors; slots behind these are pool slots."""
    inputs: list[Root]
    slots: list[list[Root]]


@dataclass
class Flow:
    """Where a terminator's tokens come from.

    `fresh` are the fresh roots that need a token, each with the yielded position it flows to; `tokens` those
    there already; `groups` the groups inside that hand them on, in program order.
    """

    fresh: list[tuple[Root, int]] = field(default_factory=list)
    tokens: dict[Root, int] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)


# Loops.


def take_initial_values(analysis: Analysis, op: scf.ForOp | scf.WhileOp) -> Loop:
    """Decide which initial values hand over their buffers, and make roots for the block arguments."""
    plan = analysis.plan
    number = plan.numbers[op]
    flow = region_flow(op)
    first, operands = flow.entry.first, flow.entry.operands
    positions = tensors(operands)
    inputs: list[Root] = []
    for i in positions:
        value = operands[i]
        alias = plan.aliases[value]
        if alias.version is None:
            analysis.materialise(op, first + i)
            inputs.append(plan.materialised[(op, first + i)])
            continue
        conflict = handover_conflict(plan, alias, op)
        if conflict is None and alias.root in inputs:
            conflict = "it is the initial value of two carried values"
        if conflict is None:
            inputs.append(alias.root)
        else:
            inputs.append(
                _copied(analysis, op, value, f"a loop overwrites its initial value, and {conflict}")
            )
    for root in inputs:
        root.takers.append(number)
    slots: list[list[Root]] = []
    for region in op.regions:
        args = flow.arguments(region)
        # What an scf.while has before its condition hands everything on as it is.
        last = region is op.regions[-1]
        slots.append(
            [analysis.argument_root(region.block, args[i], RootKind.SLOT, writable=last) for i in positions]
        )
    return Loop(positions, inputs, slots)


def finish_loop(analysis: Analysis, op: scf.ForOp | scf.WhileOp, loop: Loop) -> None:
    """Give every value yielded by the loop's body a token, and make roots for the loop's results."""
    plan = analysis.plan
    block = op.regions[-1].block
    terminator = block.last_op
    assert isinstance(terminator, scf.YieldOp)
    held = _held_roots(
        analysis, terminator, block, [terminator.operands[i] for i in loop.positions], loop.slots[-1]
    )
    flow = _flow(plan_roots=held, block=block)
    own = loop.slots[-1]
    free = [slot for slot in own if slot not in flow.tokens]
    for root, position in flow.fresh:
        wanted = sorted(free, key=lambda slot: slot is not own[position])
        found = next((s for s in wanted if same_class(s, root) and is_dead_before(plan, s, root)), None)
        if found is not None:
            free.remove(found)
            root.home = InToken(found)
            continue
        pool = analysis.fresh(op, root.type)
        pool.takers.append(plan.numbers[op])
        loop.inputs.append(pool)
        for slots, region in zip(loop.slots, op.regions, strict=True):
            slots.append(Root(RootKind.SLOT, root.type, region.block, -1))
        root.home = InToken(own[-1])
    components = Components(own)
    holders = components.run(flow.groups)
    yields: list[Root] = [components.hold(root) for root in held]
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
    analysis: Analysis, op: Operation, components: Components, loop: Loop, yields: list[Root]
) -> None:
    own = loop.slots[-1]
    block = op.parent_block()
    assert block is not None
    members: dict[Root, list[int]] = {}
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
            group.outputs.append(_result_root(analysis, group, own[i], block, result))
        groups.append(group)
    analysis.plan.groups[op] = groups


# Branches.


def finish_if(analysis: Analysis, op: scf.IfOp) -> None:
    """Give every tensor yielded by the branches a token that they share, and make roots for the results."""
    plan = analysis.plan
    positions = tensors(op.results)
    if not positions:
        return
    terminators: list[Operation] = []
    held: list[list[Root]] = []
    flows: list[Flow] = []
    for region in op.regions:
        terminator = region.block.last_op
        assert isinstance(terminator, scf.YieldOp)
        roots = _held_roots(
            analysis, terminator, region.block, [terminator.operands[i] for i in positions], []
        )
        terminators.append(terminator)
        held.append(roots)
        flows.append(_flow(roots, region.block))
    extras = _give_branch_tokens(analysis, op, terminators, flows)
    tokens = list(dict.fromkeys([*flows[0].tokens, *flows[1].tokens, *extras]))
    for token in tokens:
        token.takers.append(plan.numbers[op])
    block = op.parent_block()
    assert block is not None
    results = [
        Root(RootKind.RESULT, tensor_type_of(op.results[i]), block, plan.numbers[op]) for i in positions
    ]
    components = Components([*tokens, *results])
    holders: list[list[Root]] = []
    yields: list[list[Root]] = []
    for flow, roots in zip(flows, held, strict=True):
        components.start(tokens)
        holders.append(components.run(flow.groups))
        yields.append([components.hold(root) for root in roots])
        for result, holder in zip(results, yields[-1], strict=True):
            components.join(result, holder)
    plan.groups[op] = groups = []
    members: dict[Root, list[int]] = {}
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
        for k, root in enumerate(group.yields[0]):
            result = op.results[group.values[k]] if k < len(indices) else None
            like = results[indices[k]] if k < len(indices) else root
            group.outputs.append(_result_root(analysis, group, like, block, result))
        groups.append(group)


def _give_branch_tokens(
    analysis: Analysis, op: scf.IfOp, terminators: list[Operation], flows: list[Flow]
) -> list[Root]:
    """Give each fresh root of the branches a token: one that only the other branch hands on, or an extra."""
    plan = analysis.plan
    extras: list[tuple[Root, int]] = []
    used: list[set[Root]] = [set(flow.tokens) for flow in flows]
    pending: list[list[tuple[Root, int]]] = [[], []]
    for arm, flow in enumerate(flows):
        others = flows[1 - arm].tokens
        for root, position in flow.fresh:
            found = next(
                (
                    token
                    for token, flows_to in others.items()
                    if flows_to == position
                    and token not in used[arm]
                    and same_class(token, root)
                    and is_dead_before(plan, token, root, terminators[arm])
                ),
                None,
            )
            if found is None:
                pending[arm].append((root, position))
            else:
                root.home = InToken(found)
                used[arm].add(found)

    def take(arm: int, root: Root, extra: Root) -> None:
        root.home = InToken(extra)
        used[arm].add(extra)

    for root, position in pending[0]:
        extra = analysis.fresh(op, root.type)
        extras.append((extra, position))
        take(0, root, extra)
    unpaired: list[Root] = []
    for root, position in pending[1]:
        pair = next(
            (x for x, p in extras if p == position and x not in used[1] and same_class(x, root)), None
        )
        if pair is None:
            unpaired.append(root)
        else:
            take(1, root, pair)
    for root in unpaired:
        extra = next((x for x, _ in extras if x not in used[1] and same_class(x, root)), None)
        if extra is None:
            extra = analysis.fresh(op, root.type)
            extras.append((extra, -1))
        take(1, root, extra)
    return [extra for extra, _ in extras]


# What both share.


def _copied(analysis: Analysis, op: Operation, value: SSAValue, reason: str) -> Root:
    """A fresh root that is filled with `value` right before `op`."""
    root = analysis.fresh(op, tensor_type_of(value))
    analysis.explain(op, value, reason)
    analysis.plan.copies_before.setdefault(op, []).append(Copy(root, value))
    return root


def _held_roots(
    analysis: Analysis, terminator: Operation, block: Block, values: list[SSAValue], slots: list[Root]
) -> list[Root]:
    """The root that holds each yielded value: its own if its token can be given away, else a copy."""
    held: list[Root | None] = [None] * len(values)
    taken: set[Root] = set()
    reasons: dict[int, str] = {}
    aliases: list[Alias] = [analysis.plan.aliases[value] for value in values]

    def stays(i: int) -> bool:
        return i < len(slots) and aliases[i].version is not None and aliases[i].root is slots[i]

    # A value that stays in its own slot has precedence over another use of its token.
    for i in sorted(range(len(values)), key=lambda i: not stays(i)):
        alias = aliases[i]
        if alias.version is None:
            continue
        conflict = handover_conflict(analysis.plan, alias, terminator)
        if conflict is None and alias.root in taken:
            conflict = "it is yielded twice"
        if conflict is None:
            held[i] = alias.root
            taken.add(alias.root)
        else:
            reasons[i] = f"a region yields it, and {conflict}"
    result: list[Root] = []
    for i, (root, value) in enumerate(zip(held, values, strict=True)):
        if root is not None:
            result.append(root)
        elif i in reasons:
            result.append(_copied(analysis, terminator, value, reasons[i]))
        else:
            result.append(analysis.fresh(terminator, tensor_type_of(value)))
    return result


def _flow(plan_roots: list[Root], block: Block) -> Flow:
    """Follow held roots back to what gives them their tokens, through groups of operations in `block`."""
    flow = Flow()
    seen: set[Root] = set()
    groups: dict[Group, None] = {}
    stack = [(root, i) for i, root in reversed(list(enumerate(plan_roots)))]
    while stack:
        root, position = stack.pop()
        if root in seen:
            continue
        seen.add(root)
        if root.block is not block or root.kind is RootKind.SLOT:
            flow.tokens[root] = position
        elif root.kind is RootKind.FRESH:
            assert root.home is None, "a yielded fresh value has no other place yet"
            flow.fresh.append((root, position))
        else:
            assert root.kind is RootKind.RESULT
            assert root.group is not None
            groups[root.group] = None
            root.group.circulates = True
            stack.extend((given, position) for given in reversed(root.group.inputs))
    flow.groups = sorted(groups, key=lambda group: group.number)
    return flow


def _result_root(analysis: Analysis, group: Group, like: Root, block: Block, result: SSAValue | None) -> Root:
    root = Root(RootKind.RESULT, like.type, block, group.number, group=group)
    if result is not None:
        analysis.alias(result, Version(root, group.number), Cover.FULL)
    return root
