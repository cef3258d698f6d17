"""Rewriting of loops and branches: the writing side of `region_flow`.

A rewrite of control flow is written once, in terms of these functions, and so applies to `ov.loop`, `ov.if`, `scf.for`, `scf.while`
and `scf.if`. Data flow is read by `region_flow`; what it calls inputs, the arguments of regions and the results, is changed here:

| function | |
|---|---|
| `remade` | the same operation with other operands, result types or regions |
| `without_inputs` | without some of the values that are forwarded |
| `with_carried` | a loop with more loop-carried values |
| `inline_once`, `take_arm` | the operation's place is taken by a region of it that runs once |
| `copy_body` | a copy of a loop's body, at any place |
| `arms_of`, `yielded` | the regions of a branch, and what they yield for each result |
| `make_select`, `make_boolean`, `negation_of`, `make_negation`, `make_conjunction` | what a branch computes with its condition |
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, ArrayAttr, BoolAttr, DenseArrayBase, IndexType, IntegerType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.element_types import i1
from loomir.dialects.ov.operators.comparison import LogicalAndOp, LogicalNotOp, SelectOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, IfOp, LoopOp, NextOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, SubtractOp
from loomir.dialects.region_flow import ForwardingEdge, LoopCarriedValue, RegionFlow, region_flow, terminator
from loomir.dialects.scalars.row import constant_integer

Branch = IfOp | scf.IfOp
Loop = LoopOp | scf.ForOp | scf.WhileOp
Structured = Branch | Loop

StructuredT = TypeVar("StructuredT", bound=Structured)

_OPERANDS, _RESULTS = "operandSegmentSizes", "resultSegmentSizes"

_CARRIED_SEGMENT: Mapping[type[Operation], int] = {LoopOp: 2, NextOp: 1}
"""Segment of the operands that holds carried values; otherwise 0."""

_DERIVED_PROPERTIES = ("slices", "concats")
"""Properties of `ov.loop` with an element per value.

The values are those of a derived edge, in the order of these edges."""


# -- the operation with other values


def remade(
    op: StructuredT,
    operands: Sequence[SSAValue],
    types: Sequence[Attribute],
    regions: Sequence[Region],
    properties: Mapping[str, Attribute] | None = None,
) -> StructuredT:
    """Create an operation of the same kind from new parts.

    It keeps the location, the attributes and, but for those given, the properties of `op`.
    """
    new = type(op).create(
        operands=operands,
        result_types=types,
        properties={**op.properties, **(properties or {})},
        attributes=dict(op.attributes),
        regions=regions,
    )
    new.location = op.location
    return new


def with_arms(
    op: Branch,
    condition: SSAValue,
    types: Sequence[Attribute],
    arms: Iterable[Region],
    rewriter: PatternRewriter,
) -> Branch:
    """Create a branch of the same kind on a condition.

    The contents move out of the given regions; the caller puts the new branch in place of `op`.
    """
    return remade(op, [condition], types, [rewriter.move_region_contents_to_new_regions(arm) for arm in arms])


def _resized(op: Operation, name: str, segment: Mapping[int, int]) -> dict[str, Attribute]:
    """Return the property with the changed sizes of segments.

    `segment` maps segments to numbers of added values. The result is empty for operations without segments.
    """
    given = op.properties.get(name)
    if not isinstance(given, DenseArrayBase):
        return {}
    sizes = [int(size) + segment.get(k, 0) for k, size in enumerate(given.get_values())]
    return {name: DenseArrayBase.from_list(i32, sizes)}


def _fewer(op: Operation, name: str, numbers: Collection[int]) -> dict[str, Attribute]:
    """Return the sizes of segments without the values of some numbers."""
    given = op.properties.get(name)
    lost: dict[int, int] = {}
    if isinstance(given, DenseArrayBase):
        first = 0
        for segment, size in enumerate(given.get_values()):
            lost[segment] = -sum(first <= number < first + size for number in numbers)
            first += int(size)
    return _resized(op, name, lost)


def without_inputs(op: Structured, dead: Collection[SSAValue], rewriter: PatternRewriter) -> None:
    """Remove dead arguments and results of a loop or branch.

    Their only uses are to forward them to one another. The operands that are forwarded to them are removed too. `dead` contains
    all values of a tied group (`tied_values`) or none.
    """
    for changed in drop_operands(op, dead):
        if changed is not op:
            rewriter.notify_op_modified(changed)
    drop_values(op, dead, rewriter)


def _all_edges(flow: RegionFlow) -> tuple[ForwardingEdge, ...]:
    return (*flow.edges, *flow.derived)


def drop_operands(op: Structured, dead: Collection[SSAValue]) -> list[Operation]:
    """Remove the operands forwarded to these arguments and results.

    Returns the operations that have changed. The caller must call `drop_values` afterwards.
    """
    flow = region_flow(op)
    dropped: dict[Operation, set[int]] = {}
    for edge in _all_edges(flow):
        for number, value in enumerate(edge.inputs):
            if value in dead:
                dropped.setdefault(edge.forwarder, set()).add(edge.first + number)
    for name, edge in zip(_DERIVED_PROPERTIES, flow.derived):
        each = op.properties[name]
        assert isinstance(each, ArrayAttr)
        op.properties[name] = ArrayAttr([a for a, v in zip(each, edge.inputs, strict=True) if v not in dead])
    for forwarder, numbers in dropped.items():
        forwarder.properties.update(_fewer(forwarder, _OPERANDS, numbers))
        forwarder.operands = [operand for k, operand in enumerate(forwarder.operands) if k not in numbers]
    return list(dropped)


def drop_values(op: Structured, dead: Collection[SSAValue], rewriter: PatternRewriter) -> None:
    """Remove arguments and results without incoming operands and without uses."""
    for region in op.regions:
        for argument in reversed(region.block.args if region.blocks else ()):
            if argument in dead:
                rewriter.erase_block_argument(argument)
    numbers = {k for k, result in enumerate(op.results) if result in dead}
    new = remade(
        op,
        op.operands,
        [result.type for result in op.results if result not in dead],
        [rewriter.move_region_contents_to_new_regions(region) for region in op.regions],
        _fewer(op, _RESULTS, numbers),
    )
    left = iter(new.results)
    rewriter.replace(op, new, [None if result in dead else next(left) for result in op.results])


def tied_values(flow: RegionFlow) -> dict[SSAValue, list[SSAValue]]:
    """Group arguments and results that can only be removed together.

    A group consists of the values that one operand becomes on several edges.

    A value that an `scf.while` forwards unchanged is tied to its origin, which preserves the normal form.
    """
    groups: dict[SSAValue, list[SSAValue]] = {}
    first: dict[tuple[Operation, int], SSAValue] = {}
    for edge in _all_edges(flow):
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


def with_carried(op: Loop, carried: Sequence[tuple[SSAValue, SSAValue]], rewriter: PatternRewriter) -> Loop:
    """Replace a loop by one that carries more values.

    Each is given by its initial value and the one that an iteration yields, which an `scf.while` computes in its second region.
    They become the last of the carried values. Returns the new loop.
    """
    flow = region_flow(op)
    at, count = len(flow.carried), len(carried)
    entry, forwarding = flow.entry, {edge.forwarder: edge for edge in flow.edges}
    for region in op.regions:
        skipped = next(edge.skipped for edge in flow.edges if edge.target is region)
        for k, (first, _) in enumerate(carried):
            rewriter.insert_block_argument(region.block, skipped + at + k, first.type)
    operands: list[SSAValue] = []
    for forwarder, edge in forwarding.items():
        if forwarder is op:
            added = [first for first, _ in carried]
        elif isinstance(forwarder, scf.ConditionOp):
            assert entry.target is not None
            added = list(entry.target.block.args[at : at + count])
        else:
            added = [following for _, following in carried]
        place = edge.first + at
        given = [*forwarder.operands[:place], *added, *forwarder.operands[place:]]
        if forwarder is op:
            operands = given
            continue
        segment = {_CARRIED_SEGMENT.get(type(forwarder), 0): count}
        forwarder.properties.update(_resized(forwarder, _OPERANDS, segment))
        forwarder.operands = given
        rewriter.notify_op_modified(forwarder)
    types = [result.type for result in op.results]
    types[at:at] = [following.type for _, following in carried]
    sizes = {
        **_resized(op, _OPERANDS, {_CARRIED_SEGMENT.get(type(op), 0): count}),
        **_resized(op, _RESULTS, {0: count}),
    }
    regions = [rewriter.move_region_contents_to_new_regions(region) for region in op.regions]
    new = remade(op, operands, types, regions, sizes)
    rewriter.replace(op, new, [*new.results[:at], *new.results[at + count :]])
    return new


class Increment(NamedTuple):
    """Value that each iteration adds to a carried value.

    With the sign -1 it is subtracted.
    """

    step: SSAValue
    sign: int


def increment_of(carried: LoopCarriedValue) -> Increment | None:
    """Return what each iteration adds to a carried value.

    None if the value that is carried on is not its sum or difference with another one.
    """
    argument, made = carried.arguments[-1], carried.following.owner
    if (
        not isinstance(made, AddOp | SubtractOp | arith.AddiOp | arith.SubiOp)
        or made.parent is not argument.owner
    ):
        return None
    (a, b), falls = made.operands, isinstance(made, SubtractOp | arith.SubiOp)
    if a is argument:
        return Increment(b, -1 if falls else 1)
    return Increment(a, 1) if b is argument and not falls else None


# -- regions in other places


def inline_once(
    op: Operation, region: Region, arguments: Sequence[SSAValue] = (), rewriter: PatternRewriter | None = None
) -> None:
    """Replace a loop or branch by its region that runs exactly once.

    `arguments` stand for those of the region. The operands that the region's terminator forwards to the results replace the results.
    A region without a block yields nothing. A pattern gives its rewriter; without one, the operations move all the same.
    """
    rewriter = rewriter or PatternRewriter(op)
    values: list[SSAValue] = []
    if region.blocks:
        block, end, flow = region.block, terminator(region.block), region_flow(op)
        assert flow is not None
        given = {
            becomes: value
            for edge in _all_edges(flow)
            if edge.source is region and edge.target is None
            for value, becomes in edge.pairs
        }
        # What the terminator hands on may be an argument of the block.
        stands_for: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
        values = [stands_for.get(given[result], given[result]) for result in op.results]
        rewriter.erase(end)
        rewriter.inline_block(block, InsertPoint.before(op), arguments)
    rewriter.replace(op, [], values)


def take_arm(branch: Operation, arm: Region, rewriter: PatternRewriter | None = None) -> None:
    """Replace a branch by one of its regions.

    The branch is an `ov.if` or `scf.if`. A pattern gives its rewriter; without one, the operations move all the same.
    """
    inline_once(branch, arm, (), rewriter)


def copy_body(block: Block, point: InsertPoint, arguments: Sequence[SSAValue]) -> dict[SSAValue, SSAValue]:
    """Insert a copy of a region's operations at a point.

    The terminator is left out. `arguments` stand for those of the block. Returns the values of the copy by those of the original.
    """
    mapping: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
    blocks: dict[Block, Block] = {}
    for op in block.ops:
        if op is not block.last_op:
            Rewriter.insert_op(op.clone(mapping, blocks), point)
    return mapping


# -- branches and their conditions


def arms_of(op: Branch) -> tuple[Region, Region]:
    """Return the arm of a condition that holds, and the other.

    The latter of an `scf.if` may have no block.
    """
    first, second = op.regions
    return first, second


def yielded(op: Branch) -> list[tuple[SSAValue, SSAValue]]:
    """Return what both arms yield for each result."""
    if not op.results:
        return []
    first, second = (terminator(arm.block).operands for arm in arms_of(op))
    return list(zip(first, second, strict=True))


def is_number(type_: Attribute) -> bool:
    """Return True for a number type.

    Its values can be operands of `arith.select`.
    """
    return isinstance(type_, IntegerType | IndexType | AnyFloat)


def is_condition(type_: Attribute) -> bool:
    """Return True for the type of a branch's condition."""
    return type_ in (i1, CONDITION_TYPE)


def make_select(branch: Branch, a: SSAValue, b: SSAValue, like: SSAValue) -> Operation:
    """Create the selection of one of two values by a branch's condition.

    The result has the type and name of `like`, a result of the branch.
    """
    if isinstance(branch, IfOp):
        select: Operation = SelectOp.build(operands=[branch.cond, a, b], result_types=[like.type])
    else:
        select = arith.SelectOp(branch.cond, a, b)
    select.location, select.results[0].name_hint = branch.location, like.name_hint
    return select


def known_condition(value: SSAValue) -> bool | None:
    """Return the value of a constant condition, or None."""
    owner = value.owner
    if isinstance(owner, ConstantOp):
        return bool(owner.array) if is_condition(value.type) else None
    number = constant_integer(value)
    return None if number is None else bool(number)


def make_boolean(value: bool, at: Operation, type_: Attribute, rewriter: PatternRewriter) -> SSAValue:
    """Insert a constant condition of a type in front of an operation."""
    constant: Operation = (
        ConstantOp.of(np.array(value))
        if type_ == CONDITION_TYPE
        else arith.ConstantOp(BoolAttr.from_bool(value))
    )
    constant.location = at.location
    rewriter.insert(constant, InsertPoint.before(at))
    return constant.results[0]


def negation_of(condition: SSAValue) -> SSAValue | None:
    """Return `%c` if the condition is its negation.

    That is `ov.logical_not %c`, or `arith.xori %c, true`. The result is None if the condition is no negation.
    """
    made = condition.owner
    if isinstance(made, LogicalNotOp):
        return made.data
    if isinstance(made, arith.XOrIOp) and made.result.type == i1:
        for value, other in ((made.lhs, made.rhs), (made.rhs, made.lhs)):
            if constant_integer(other):
                return value
    return None


def make_negation(condition: SSAValue, at: Operation, rewriter: PatternRewriter) -> SSAValue:
    """Insert the negation of a condition in front of an operation."""
    if condition.type == CONDITION_TYPE:
        negation: Operation = LogicalNotOp.build(operands=[condition], result_types=[CONDITION_TYPE])
    else:
        negation = arith.XOrIOp(condition, make_boolean(True, at, condition.type, rewriter))
    negation.location = at.location
    rewriter.insert(negation, InsertPoint.before(at))
    return negation.results[0]


def make_conjunction(a: SSAValue, b: SSAValue, at: Operation, rewriter: PatternRewriter) -> SSAValue:
    """Insert the conjunction of two conditions in front of an operation."""
    both: Operation = LogicalAndOp.make(a, b) if a.type == CONDITION_TYPE else arith.AndIOp(a, b)
    both.location = at.location
    rewriter.insert(both, InsertPoint.before(at))
    return both.results[0]
