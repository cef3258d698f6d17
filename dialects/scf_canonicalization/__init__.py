"""Canonicalization of `scf` beyond that of xDSL.

It consists of small named rewrites that `canonicalize` finds for upstream's loops and branches.

A pattern registers itself for operation classes with `@canonicalizes(scf.SomeOp, …)`. No pattern needs an analysis of more than the
operation and its regions.

A rewrite common to loops and branches is implemented once, here, in terms of `region_flow`, and so applies to `scf.if`, `scf.for` and
`scf.while` alike: the simplification of forwarded values, which are a single value from outside, the same value twice, or unused.
An operation that forwards fewer values is made anew (`rebuilt`, `without_inputs`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.common_operations import operation_fingerprint
from loomir.dialects.families import PatternRegistry
from loomir.dialects.region_flow import RegionFlow, owning_block, region_flow, terminator
from loomir.dialects.upstream.effects import is_side_effect_free

_REGISTRY = PatternRegistry(__name__, ("branches", "loops"))
canonicalizes = _REGISTRY.canonicalizes
patterns_of = _REGISTRY.patterns_of


Structured = scf.IfOp | scf.ForOp | scf.WhileOp


def rebuilt(
    op: Structured, operands: Sequence[SSAValue], types: Sequence, regions: Sequence[Region]
) -> Structured:
    """Create an operation of the same kind from new operands and regions.

    It keeps the location and attributes of `op`.
    """
    if isinstance(op, scf.ForOp):
        lower, upper, step, *initial = operands
        new: Structured = scf.ForOp(lower, upper, step, initial, regions[0])
    elif isinstance(op, scf.WhileOp):
        new = scf.WhileOp(operands, types, regions[0], regions[1])
    else:
        new = scf.IfOp(operands[0], types, regions[0], regions[1])
    new.attributes |= op.attributes
    new.location = op.location
    return new


def tied_values(flow: RegionFlow) -> dict[SSAValue, list[SSAValue]]:
    """Group arguments and results that can only be removed together.

    A group consists of the values that one operand becomes on several edges.

    A value that an `scf.while` forwards unchanged is tied to its origin, which preserves the normal form.
    """
    groups: dict[SSAValue, list[SSAValue]] = {}
    first: dict[tuple[Operation, int], SSAValue] = {}
    for edge in flow.edges:
        for number, value in enumerate(edge.inputs):
            groups.setdefault(value, [value])
            _join(groups, first.setdefault((edge.forwarder, edge.first + number), value), value)
    for edge in flow.edges:
        if isinstance(edge.forwarder, scf.ConditionOp) and edge.target is None:
            # Of what is handed on twice, the first is the one of the normal form.
            for value, becomes in dict(reversed(list(edge.pairs))).items():
                if value in groups:
                    _join(groups, value, becomes)
    return groups


def _join(groups: dict[SSAValue, list[SSAValue]], a: SSAValue, b: SSAValue) -> None:
    larger, smaller = sorted((groups[a], groups[b]), key=len, reverse=True)
    if larger is not smaller:
        larger += smaller
        for value in smaller:
            groups[value] = larger


def without_inputs(op: Structured, dead: Collection[SSAValue], rewriter: PatternRewriter) -> None:
    """Remove dead arguments and results of a loop or branch.

    Their only uses are to forward them to one another. The operands that are forwarded to them are removed too. `dead` contains
    all values of a tied group (`tied_values`) or none.
    """
    for changed in drop_operands(op, dead):
        if changed is not op:
            rewriter.notify_op_modified(changed)
    drop_values(op, dead, rewriter)


def drop_operands(op: Structured, dead: Collection[SSAValue]) -> list[Operation]:
    """Remove the operands forwarded to these arguments and results.

    Returns the operations that have changed. The caller must call `drop_values` afterwards.
    """
    dropped: dict[Operation, set[int]] = {}
    for edge in region_flow(op).edges:
        for number, value in enumerate(edge.inputs):
            if value in dead:
                dropped.setdefault(edge.forwarder, set()).add(edge.first + number)
    for forwarder, numbers in dropped.items():
        forwarder.operands = [operand for k, operand in enumerate(forwarder.operands) if k not in numbers]
    return list(dropped)


def drop_values(op: Structured, dead: Collection[SSAValue], rewriter: PatternRewriter) -> None:
    """Remove arguments and results without incoming operands and without uses."""
    for region in op.regions:
        for argument in reversed(region.block.args if region.blocks else ()):
            if argument in dead:
                rewriter.erase_block_argument(argument)
    new = rebuilt(
        op,
        op.operands,
        [result.type for result in op.results if result not in dead],
        [rewriter.move_region_contents_to_new_regions(region) for region in op.regions],
    )
    left = iter(new.results)
    rewriter.replace(op, new, [None if result in dead else next(left) for result in op.results])


def inline_arm(
    op: Operation, region: Region, arguments: Sequence[SSAValue], rewriter: PatternRewriter
) -> None:
    """Replace an operation by its region that runs exactly once.

    The operands that the region's terminator forwards to the results replace the results.
    """
    flow = region_flow(op)
    assert flow is not None
    block, end = region.block, terminator(region.block)
    values = next(list(edge.operands) for edge in flow.edges if edge.source is region and edge.target is None)
    # What the terminator hands on may be an argument of the block.
    becomes: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
    rewriter.inline_block(block, InsertPoint.before(op), arguments)
    rewriter.erase(end)
    rewriter.replace(op, [], [becomes.get(value, value) for value in values])


_MOST_ROUNDS = 16
"""Maximum number of rounds in which carried values are compared.

Values that have not reached a fixpoint by then are left alone.
"""


def _origins(flow: RegionFlow) -> dict[SSAValue, list[SSAValue]]:
    """Map each argument and result to the values forwarded to it.

    There is one value for each edge that leads to it, in the order of the edges.
    """
    found: dict[SSAValue, list[SSAValue]] = {}
    for edge in flow.edges:
        for value, becomes in edge.pairs:
            found.setdefault(becomes, []).append(value)
    return found


@canonicalizes(scf.IfOp, scf.ForOp, scf.WhileOp)
class OneValueFromOutside(RewritePattern):
    """Replaces an argument or result that can only be one outside value.

    `%r:2 = for … iter_args(%a = %x, %b = %x) { f(%a); yield %b, %a } → for … { f(%x) }`, and both results are `%x`. The analysis is
    optimistic: permuting carried values adds no other value.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp | scf.ForOp | scf.WhileOp, rewriter: PatternRewriter) -> None:
        origins = _origins(region_flow(op))
        becomes: dict[SSAValue, list[SSAValue]] = {}
        for value, sources in origins.items():
            for source in sources:
                if source in origins:
                    becomes.setdefault(source, []).append(value)
        # Nothing is known of a value until something reaches it; then it is that one value, or None for any.
        known: dict[SSAValue, SSAValue | None] = {}
        work = list(origins)
        while work:
            value = work.pop()
            reached = {
                known[s] if s in origins else s for s in origins[value] if s not in origins or s in known
            }
            if not reached:
                continue
            found = reached.pop() if len(reached) == 1 else None
            if value not in known or known[value] is not found:
                known[value] = found
                work += becomes.get(value, ())
        before = set(op.operands)
        for value, source in known.items():
            if source is None or value.first_use is None:
                continue
            if source in before or not _is_inside(source, op):
                rewriter.replace_all_uses_with(value, source)


def _is_inside(value: SSAValue, op: Operation) -> bool:
    """Return True if a value is defined in a region of `op`."""
    block: Block | None = owning_block(value)
    while block is not None and (parent := block.parent_op()) is not None:
        if parent is op:
            return True
        block = parent.parent
    return False


@canonicalizes(scf.IfOp, scf.ForOp, scf.WhileOp)
class EqualValues(RewritePattern):
    """Merges arguments or results that always hold the same value.

    If every edge forwards the same to several of them, the first one replaces the others.

    `%r:2 = for … iter_args(%a = %x, %b = %x) { yield f(%a), f(%b) } → %r = for … iter_args(%a = %x) { yield f(%a) }`: equal operations
    of equal values are equal. The analysis is optimistic: values of one type are assumed to be equal until an edge forwards
    values that differ.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp | scf.ForOp | scf.WhileOp, rewriter: PatternRewriter) -> None:
        origins = _origins(region_flow(op))
        place = {value: (value.owner if isinstance(value.owner, Block) else None) for value in origins}
        computed = _computed(op, origins)
        classes: dict[SSAValue, int] = dict.fromkeys(origins, 0)
        count = 0
        for _ in range(_MOST_ROUNDS):
            numbers: dict[Hashable, int] = {}
            new: dict[SSAValue, int] = {}
            # In the order of the program: what an operation reads has its number.
            formed: dict[SSAValue, int] = {}
            forms: dict[Hashable, int] = {}

            def known(value: SSAValue, of: Mapping = formed, classes: Mapping = classes) -> Hashable:
                return ("made", of[value]) if value in of else classes.get(value, value)

            for inner in computed:
                form = (*operation_fingerprint(inner), *map(known, inner.operands))
                formed[inner.results[0]] = forms.setdefault(form, len(forms))
            for value, sources in origins.items():
                of = tuple(map(known, sources))
                new[value] = numbers.setdefault((place[value], value.type, of), len(numbers))
            classes = new
            if len(numbers) == count:
                break
            count = len(numbers)
        else:
            return
        first: dict[int, SSAValue] = {}
        for value, number in classes.items():
            earlier = first.setdefault(number, value)
            if earlier is not value and value.first_use is not None:
                rewriter.replace_all_uses_with(value, earlier)


def _computed(op: Operation, origins: Mapping[SSAValue, Sequence[SSAValue]]) -> list[Operation]:
    """Return the operations that compute forwarded values which may be equal.

    They are in the regions of `op` and contribute to forwarded values where values of one type may be equal. They are in program
    order; each has no regions, exactly one result and no side effects.
    """
    if isinstance(op, scf.IfOp):
        return []
    # Of what each region is given, values that begin as one: others are not equal whatever is computed of them.
    begins: Counter[Hashable] = Counter()
    for value, sources in origins.items():
        outside = tuple(s for s in sources if s not in origins and not _is_inside(s, op))
        if outside:
            begins[value.owner, value.type, outside] += 1
    if max(begins.values(), default=0) < 2:
        return []
    work = [source for sources in origins.values() for source in sources]
    needed: set[Operation] = set()
    while work:
        made = work.pop().owner
        if (
            isinstance(made, Operation)
            and made not in needed
            and made.parent_op() is op
            and _is_a_value(made)
        ):
            needed.add(made)
            work += made.operands
    return [
        inner for region in op.regions for block in region.blocks for inner in block.ops if inner in needed
    ]


def _is_a_value(op: Operation) -> bool:
    """Return True if an operation only computes one result from its operands."""
    return len(op.results) == 1 and not op.regions and is_side_effect_free(op)


@canonicalizes(scf.IfOp, scf.ForOp, scf.WhileOp)
class UnusedValues(RewritePattern):
    """Removes unused arguments and results, and those that are only carried.

    `for … iter_args(%a = %x) { A; yield %n } → for … { A }`, if neither `%a` nor the result is used. (A value that is computed
    from itself and from nothing else is handled by `remove-dead-values`.) A value that an `scf.while` forwards unchanged is removed
    from both of its regions or from neither, so that its normal form is preserved.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp | scf.ForOp | scf.WhileOp, rewriter: PatternRewriter) -> None:
        flow = region_flow(op)
        origins = _origins(flow)
        together = tied_values(flow)
        places = {(edge.forwarder, edge.first + k) for edge in flow.edges for k in range(len(edge.inputs))}
        work = [v for v in origins if any((use.operation, use.index) not in places for use in v.uses)]
        kept: set[SSAValue] = set()
        while work:
            if (value := work.pop()) in kept:
                continue
            for other in together[value]:
                kept.add(other)
                work += (source for source in origins[other] if source in origins and source not in kept)
        if len(kept) < len(origins):
            without_inputs(op, origins.keys() - kept, rewriter)
