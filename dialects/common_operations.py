"""Structurally equal operations, and those common to both arms of a branch.

Structurally equal operations have equal outlines, operands and regions, and compute the same. Values that are defined in a
region have no identity outside of it: they are identified by the place of their definition, so that regions that differ only
in the identity of their values have one form.

In the arms of a branch, the module finds the operations that correspond to each other, and those that may be computed once,
before or after the branch.

Whichever arm is taken, the same operations run. An operation that may fail (see `speculatable`) moves only if it stays the
first, or the last, of the operations of its arm that may fail, so that the error is the same too. The patterns for `ov.if`
and `scf.if` are in their dialects' canonicalisation.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import zip_longest
from math import prod

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import ConstantLike, IsTerminator

from loomir.dialects.element_types import dtype_of
from loomir.dialects.region_flow import terminator
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk

_NOTHING: Mapping[SSAValue, SSAValue] = {}


def operation_fingerprint(op: Operation) -> tuple[Hashable, ...]:
    """Return all parts of an operation but its operands and regions.

    They must be equal for operations to be equal. (An unregistered operation has its name as an attribute.)
    """
    return (
        op.name,
        frozenset(op.attributes.items()),
        frozenset(op.properties.items()),
        tuple(result.type for result in op.results),
        len(op.operands),
        len(op.regions),
    )


def region_fingerprint(op: Operation, same: Mapping[SSAValue, SSAValue] = _NOTHING) -> Iterator[Hashable]:
    """Yield the contents of the regions of `op` in a comparable form.

    The contents are in order, and equal for equal regions. Values from outside represent themselves, or are replaced by `same`.
    """
    names: dict[SSAValue, Hashable] = {}
    for region in op.regions:
        yield from _form_of_block(region.block, names, same)


def _form_of_block(
    block: Block, names: dict[SSAValue, Hashable], same: Mapping[SSAValue, SSAValue]
) -> Iterator[Hashable]:
    for argument in block.args:
        names[argument] = len(names)
    yield tuple(argument.type for argument in block.args)
    for op in block.ops:
        yield operation_fingerprint(op)
        for operand in op.operands:
            yield names[operand] if operand in names else same.get(operand, operand)
        for region in op.regions:
            if len(region.blocks) == 1:
                yield from _form_of_block(region.block, names, same)
            else:
                # Several blocks are equal to none but themselves.
                yield region
        for result in op.results:
            names[result] = len(names)


Captures = list[tuple[SSAValue, SSAValue]]
"""Values from outside, of one of two operations and of the other."""


def outline(op: Operation) -> tuple[Hashable, ...]:
    """Return an operation with types in place of values from outside.

    Outlines are equal for operations that compute the same of such values.
    """
    form = (part.type if isinstance(part, SSAValue) else part for part in region_fingerprint(op))
    return (operation_fingerprint(op), tuple(op.operand_types), *form)


def captures_of_both(own: Operation, like: Operation) -> Captures:
    """Return the values from outside that two operations of equal outline read."""
    forms = zip(region_fingerprint(own), region_fingerprint(like))
    inside = [(a, b) for a, b in forms if isinstance(a, SSAValue) and isinstance(b, SSAValue)]
    return [*zip(own.operands, like.operands), *inside]


Pairs = dict[Operation, Operation]
"""Operations of the first arm, in order, mapped to their second-arm equivalents."""


def common_first(then: Block, otherwise: Block) -> Pairs:
    """Return the common operations that may be computed before the branch.

    Their operands are values from outside and their own results.
    """
    return _movable(then, otherwise, _pairs(then, otherwise))


def common_last(
    results: Sequence[SSAValue], then: Block, otherwise: Block
) -> dict[int, tuple[Operation, Operation]]:
    """Return the common last operations of both arms, by result number.

    Each pair yields one result of the branch. Its two operations are alike except for one operand, a value that the arms
    compute themselves.
    """
    ends = terminator(then), terminator(otherwise)
    found = {
        index: (a.owner, b.owner)
        for index, (a, b) in enumerate(zip(*(end.operands for end in ends)))
        if isinstance(a.owner, Operation) and isinstance(b.owner, Operation)
        if results[index].type == a.type and yields_last(a, ends[0]) and yields_last(b, ends[1])
        if _common_last(a.owner, b.owner)
    }
    if not found:
        return found
    failing = {o for pair in found.values() for o in pair if not speculatable(o)}
    if not failing:
        return found
    last = [next(_that_may_fail_backwards(end), None) for end in ends]
    return {
        index: pair
        for index, pair in found.items()
        if all(o not in failing or o is stop for o, stop in zip(pair, last))
    }


def _pairs(then: Block, otherwise: Block) -> Pairs:
    """Pair the operations that occur in both branches.

    Their operands are only values from outside and results of such operations.
    """
    made = {result for op in otherwise.ops for result in op.results}
    names = {op.name for op in otherwise.ops}
    known: dict[object, Operation] = {}
    for op in then.ops:
        if op.name in names and _is_a_value(op):
            known.setdefault((*operation_fingerprint(op), *op.operands), op)
    found: Pairs = {}
    same: dict[SSAValue, SSAValue] = {}
    for like in otherwise.ops:
        if not known or not _is_a_value(like) or any(v in made and v not in same for v in like.operands):
            continue
        own = known.get((*operation_fingerprint(like), *(same.get(v, v) for v in like.operands)))
        if own is not None and own not in found and _same_regions(own, like, same):
            found[own] = like
            same.update(zip(like.results, own.results))
    return {own: found[own] for own in then.ops if own in found} if found else found


def _is_a_value(op: Operation) -> bool:
    """Return True if the operation has no effect besides its results.

    An equal operation may replace it.
    """
    return not op.has_trait(IsTerminator) and is_side_effect_free(op)


def _same_regions(own: Operation, like: Operation, same: dict[SSAValue, SSAValue]) -> bool:
    if not own.regions:
        return True
    if any(len(region.blocks) != 1 for region in own.regions):
        return False
    end = object()
    forms = zip_longest(region_fingerprint(own), region_fingerprint(like, same), fillvalue=end)
    return all(a == b for a, b in forms)


def _movable(then: Block, otherwise: Block, pairs: Pairs) -> Pairs:
    """Select the pairs that may move before the branch.

    Operations that may fail move only if both branches begin with the same ones. An operation that needs one that stays,
    stays too.
    """
    failing = {own for own in pairs if not speculatable(own)}
    # (Which of an arm's operations may fail is asked only where it matters: the answer for a nest of branches takes a walk through it.)
    first = _first_failures(then, otherwise, pairs) if failing else set[Operation]()
    moved: Pairs = {}
    for own, like in pairs.items():
        needed = {v.owner for inner in walk(own) for v in inner.operands}
        if any(isinstance(o, Operation) and o.parent is then and o not in moved for o in needed):
            continue
        if own in first or own not in failing:
            moved[own] = like
    return moved


def _first_failures(then: Block, otherwise: Block, pairs: Pairs) -> set[Operation]:
    """Return the first branch's leading operations that may fail in both branches.

    These are the operations that may fail and precede everything in which the other branch differs.
    """
    first: set[Operation] = set()
    for own, like in zip(_that_may_fail(then), _that_may_fail(otherwise)):
        if pairs.get(own) is not like:
            break
        first.add(own)
    return first


def _that_may_fail(block: Block) -> Iterator[Operation]:
    return (op for op in block.ops if not op.has_trait(IsTerminator) and not speculatable(op))


def yields_last(value: SSAValue, end: Operation) -> bool:
    """Return True if the branch computes the value and yields it once.

    The value has no other use.
    """
    return isinstance(value.owner, Operation) and value.owner.parent is end.parent and value.has_one_use()


def _common_last(a: Operation, b: Operation) -> bool:
    """Return True if two operations differ only in one suitable operand.

    Each branch computes this value itself, or takes it from elsewhere if it is a single number.
    """
    if not are_alike(a, b):
        return False
    differing = {(x, y) for x, y in zip(a.operands, b.operands) if x is not y}
    if len(differing) != 1:
        return False
    ((x, y),) = differing
    made = [is_computed_in(v, o.parent) for v, o in ((x, a), (y, b))]
    own = any(made) and all(here or is_one_number(v) for here, v in zip(made, (x, y)))
    return own and x.type == y.type and _no_larger(x.type, a.results[0].type)


def are_alike(a: Operation, b: Operation) -> bool:
    """Return True if two operations differ only in their operands."""
    if len(a.results) != 1 or a.regions or a.has_trait(ConstantLike) or not _is_a_value(a):
        return False
    return operation_fingerprint(a) == operation_fingerprint(b)


def is_computed_in(value: SSAValue, block: Block | None) -> bool:
    """Return True if an operation of the block computes the value."""
    owner = value.owner
    return isinstance(owner, Operation) and owner.parent is block and not owner.has_trait(ConstantLike)


def is_one_number(value: SSAValue) -> bool:
    """Return True if yielding the value copies a single element."""
    t = value.type
    return _is_scalar(t) or (isinstance(t, TensorType) and t.has_static_shape() and prod(t.get_shape()) == 1)


def _is_scalar(type_: Attribute) -> bool:
    return isinstance(type_, IntegerType | IndexType | AnyFloat)


def _no_larger(type_: Attribute, than: Attribute) -> bool:
    """Return True if `type_` surely takes no more memory than `than`.

    Both are tensors. The memory of scalars is negligible.
    """
    if _is_scalar(type_) and _is_scalar(than):
        return True
    if not isinstance(type_, TensorType) or not isinstance(than, TensorType):
        return False
    sizes = [dtype_of(t.element_type).itemsize for t in (type_, than)]
    if type_.has_static_shape() and than.has_static_shape():
        return prod(type_.get_shape()) * sizes[0] <= prod(than.get_shape()) * sizes[1]
    return TensorType(than.element_type, type_.shape, type_.encoding) == than and sizes[0] <= sizes[1]


def _that_may_fail_backwards(end: Operation) -> Iterator[Operation]:
    op = end.prev_op
    while op is not None:
        if not speculatable(op):
            yield op
        op = op.prev_op


def move_behind(
    results: Sequence[SSAValue],
    found: dict[int, tuple[Operation, Operation]],
    ends: tuple[Operation, Operation],
    rebuild: Callable[[Sequence[Attribute]], Operation],
    rewriter: PatternRewriter,
) -> list[SSAValue]:
    """Move one of each pair of common last operations behind the branch.

    The branch then yields the operand from which each result is computed. `rebuild` receives the new result types and must
    insert a branch that has them. Returns a replacement for each old result.
    """
    types: list[Attribute] = [r.type for r in results]
    places: dict[int, int] = {}
    for index, pair in found.items():
        places[index] = next(k for k, (x, y) in enumerate(zip(*(o.operands for o in pair))) if x is not y)
        types[index] = pair[0].operands[places[index]].type
        for o, end in zip(pair, ends):
            end.operands[index] = o.operands[places[index]]
    new = rebuild(types)
    given: list[SSAValue] = list(new.results)
    for index, (own, like) in found.items():
        chosen = own.operands[places[index]]
        own.detach()
        own.operands = [new.results[index] if v is chosen else v for v in own.operands]
        rewriter.insert(own)
        rewriter.erase(like)
        given[index] = own.results[0]
    return given
