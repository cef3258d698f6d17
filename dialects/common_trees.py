"""Trees of operations that both arms of a branch end with.

A tree computes one result of the branch. Its operations are alike in both arms, and nothing else reads their results. The leaves
are the values in which the arms differ. The branch may yield the leaves, and the tree is then computed once, behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from loomir.dialects.common_operations import (
    Captures,
    Pairs,
    are_alike,
    is_computed_in,
    is_one_number,
    yields_last,
)
from loomir.dialects.element_types import bytes_of
from loomir.dialects.region_flow import terminator
from loomir.dialects.speculation import speculatable

MOST_OPERATIONS = 16
"""Operations of a tree, and of an arm looked at for each."""


@dataclass
class Tree:
    """Operations that compute a result in both arms.

    `pairs` maps the first arm's operations to those of the second, the last ones first.
    """

    result: int
    pairs: Pairs = field(default_factory=Pairs)

    def leaves(self) -> Captures:
        """Return the operands in which the arms differ."""
        found = {
            (x, y): None
            for own, like in self.pairs.items()
            for x, y in zip(own.operands, like.operands)
            if x is not y and x.owner not in self.pairs
        }
        return list(found)

    def pays(self) -> bool:
        """Return True if the branch yields no more data without the tree.

        Single numbers do not count as data, but each takes a move: there are fewer of them than operations. Tensors are computed in the
        arms, since others would be copied.
        """
        leaves, last = self.leaves(), next(iter(self.pairs))
        if not leaves or len(self.pairs) < max(2, len(leaves)) or any(x.type != y.type for x, y in leaves):
            return False
        ends = last.parent, self.pairs[last].parent
        large = [pair for pair in leaves if not is_one_number(pair[0])]
        if not all(is_computed_in(v, arm) for pair in large for v, arm in zip(pair, ends)):
            return False
        sizes = [_bytes(x) for x, _ in large]
        available = _bytes(last.results[0])
        return not sizes or (
            available is not None and None not in sizes and sum(filter(None, sizes)) <= available
        )


def _bytes(value: SSAValue) -> int | None:
    t = value.type
    if not isinstance(t, TensorType) or not t.has_static_shape():
        return None
    return bytes_of(t)


def common_trees(results: Sequence[SSAValue], then: Block, otherwise: Block) -> Iterator[Tree]:
    """Yield the trees whose results a branch need not yield."""
    ends = terminator(then), terminator(otherwise)
    for index, values in enumerate(zip(*(end.operands for end in ends))):
        if results[index].type == values[0].type and all(map(yields_last, values, ends)):
            tree = _largest(index, *(v.owner for v in values))
            if tree is not None:
                yield tree


def _largest(index: int, last: Operation | Block, like: Operation | Block) -> Tree | None:
    """Return the largest tree that pays and ends with two operations."""
    if not (isinstance(last, Operation) and isinstance(like, Operation) and _may_move(last, like)):
        return None
    tree, best = Tree(index, {last: like}), 0
    for op in islice(_before(last), MOST_OPERATIONS * MOST_OPERATIONS):
        partner = _partner(op, tree.pairs)
        if partner is None or not _may_move(op, partner):
            continue
        tree.pairs[op] = partner
        if tree.pays():
            best = len(tree.pairs)
        if len(tree.pairs) == MOST_OPERATIONS:
            break
    return Tree(index, dict(islice(tree.pairs.items(), best))) if best else None


def _before(op: Operation) -> Iterator[Operation]:
    while (op_before := op.prev_op) is not None:
        yield op_before
        op = op_before


def _may_move(own: Operation, like: Operation) -> bool:
    return are_alike(own, like) and speculatable(own) and speculatable(like)


def _partner(op: Operation, pairs: Pairs) -> Operation | None:
    """Return what the other arm has in an operation's place, or None.

    Only operations of the tree may read either.
    """
    if len(op.results) != 1 or op.results[0].first_use is None:
        return None
    partners = {
        None if (user := pairs.get(use.operation)) is None else user.operands[use.index]
        for use in op.results[0].uses
    }
    value = partners.pop()
    if partners or value is None or not isinstance(value.owner, Operation):
        return None
    others = {like: own for own, like in pairs.items()}
    if any(
        (user := others.get(use.operation)) is None or user.operands[use.index] is not op.results[0]
        for use in value.uses
    ):
        return None
    return value.owner if value.owner.parent is next(iter(others)).parent else None


def move_tree(
    tree: Tree,
    results: Sequence[SSAValue],
    ends: tuple[Operation, Operation],
    rebuild: Callable[[Sequence[Attribute]], Operation],
    rewriter: PatternRewriter,
) -> list[SSAValue]:
    """Move a tree behind the branch, which yields its leaves.

    `rebuild` receives the new result types and must insert a branch that has them. Returns a replacement for each old result.
    """
    leaves = tree.leaves()
    kept = [k for k in range(len(results)) if k != tree.result]
    for side, end in enumerate(ends):
        end.operands = [*(end.operands[k] for k in kept), *(pair[side] for pair in leaves)]
    new = rebuild([*(results[k].type for k in kept), *(x.type for x, _ in leaves)])
    yielded = dict(zip(leaves, new.results[len(kept) :]))
    for own, like in reversed(tree.pairs.items()):
        own.detach()
        own.operands = [yielded.get(pair, pair[0]) for pair in zip(own.operands, like.operands)]
        rewriter.insert(own)
    for like in tree.pairs.values():
        rewriter.erase(like)
    values: dict[int, SSAValue] = dict(zip(kept, new.results))
    values[tree.result] = next(iter(tree.pairs)).results[0]
    return [values[k] for k in range(len(results))]
