"""Selection of the feeds with which a check runs a program.

They are samples, and those among many more samples on which failures of the program depend.

A pass that moves an operation out of its guard, or drops an operation that stops the program, changes nothing for most
inputs. The search looks for feeds that reveal it:

- for each place where the program stops, and each kind of failure, a feed that stops it there;
- for each operation that may fail inside a loop or a branch, and for all operations of each loop or branch together, a feed for
  which the program runs, but would stop if they stood before the loop or branch. This is tested on copies in which they do
  (`in_front`).

All candidates are `sample_feeds` of the seed; their number depends only on the size of the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import cf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult
from xdsl.traits import IsTerminator

from loomir.compiler.checking.agreement import Outcome
from loomir.compiler.checking.feeds import Feed, is_extreme, sample_feeds
from loomir.compiler.checking.running import run_program
from loomir.dialects.speculation import speculatable
from loomir.dialects.walking import walk

CANDIDATES = 64
"""Number of candidate feeds for a small program.

A large program has fewer, but at least `FEWEST`.
"""
FEWEST = 8
WORK = 200_000
"""Operations and elements of inputs that all candidates have together."""
COPIES = 16
"""So many copies are tried."""
MORE = 8
"""So many feeds are added to those asked for."""
ITERATIONS = 100
"""Maximum total number of loop iterations of a candidate."""


def choose_feeds(
    module: ModuleOp, count: int, seed: int = 0, given: Mapping[str, Any] | None = None
) -> tuple[list[Feed], list[bool]]:
    """Return `count` samples and further feeds on which failures depend.

    The second list marks the feeds with extreme floats. Error: `limit-bytes`.
    """
    first = sample_feeds(module, max(count, 1), seed, given)
    operations = list(walk(module))
    size = len(operations) + sum(_size(value) for value in first[0].values())
    total = max(FEWEST, min(CANDIDATES, WORK // size))
    fragile = [i for i, op in enumerate(operations) if may_stop(op)]
    ends = any(op.regions and not isinstance(op, ModuleOp | FuncOp) for op in operations)
    if not fragile and not ends:
        return first[:count], [is_extreme(n) for n in range(count)]
    feeds = sample_feeds(module, total, seed, given)
    outcomes = run_program(module, feeds, max_iterations=ITERATIONS)
    # What keeps a loop going says nothing, unless there is nothing else.
    usable = [n for n, o in enumerate(outcomes) if not o.is_limited and o.crash is None] or list(range(total))
    chosen = usable[:count]
    wanted = _one_for_each_failure(outcomes, feeds)
    runs = [n for n in usable if not outcomes[n].failed]
    for copy in _copies(module, fragile):
        found = _stopped(copy, feeds, runs)
        if not any(n in wanted or n in chosen for n in found):
            wanted += found[:1]
    chosen += [n for n in dict.fromkeys(wanted) if n not in chosen][:MORE]
    return [feeds[n] for n in chosen], [is_extreme(n) for n in chosen]


def may_stop(op: Operation) -> bool:
    """Return True if an operation may stop the program.

    The operations in its regions are not considered.
    """
    if op.regions or op.has_trait(IsTerminator) or isinstance(op, ModuleOp):
        return False
    return isinstance(op, cf.AssertOp) or (op.dialect_name() in ("ov", "ovseq") and not speculatable(op))


def in_front(module: ModuleOp, indices: Sequence[int], levels: int) -> ModuleOp | None:
    """Return a copy with operations moved before their enclosing guards.

    `indices` are the positions of the operations in `walk`, `levels` is the number of guards to leave.

    Operations inside a guard that they depend on move with them. The result is None if no operation can move, because it
    depends on the arguments of the guard's regions.
    """
    module = module.clone()
    operations = list(walk(module))
    moved = [_moved(operations[i], levels) for i in indices]
    return module if any(moved) else None


def _moved(op: Operation, levels: int) -> bool:
    for _ in range(levels):
        guard, block = op.parent_op(), op.parent
        if guard is None or block is None or isinstance(guard, FuncOp | ModuleOp):
            return False
        needed = _needed(op, block)
        if needed is None:
            return False
        for inner in [o for o in block.ops if o in needed]:
            inner.detach()
            assert guard.parent is not None
            guard.parent.insert_op_before(inner, guard)
    return True


def _needed(op: Operation, block: Block) -> set[Operation] | None:
    """Return the operation and its dependencies in its block.

    The result is None if they depend on a block argument.
    """
    needed = {op}
    work = [op]
    while work:
        for operand in work.pop().operands:
            if operand.owner is block:
                return None
            if isinstance(operand, OpResult) and operand.op.parent is block and operand.op not in needed:
                if operand.op.regions:
                    return None
                needed.add(operand.op)
                work.append(operand.op)
    return needed


def _copies(module: ModuleOp, fragile: Sequence[int]) -> Iterator[ModuleOp]:
    made = 0
    for group in [*([index] for index in fragile), *_guarded(module)]:
        levels = 1
        while made < COPIES and (copy := in_front(module, group, levels)) is not None:
            yield copy
            made, levels = made + 1, levels + 1


def _guarded(module: ModuleOp) -> Iterator[list[int]]:
    """The operations in each loop and branch that have no regions."""
    places: dict[Operation, list[int]] = {}
    for index, op in enumerate(walk(module)):
        guard = op.parent_op()
        plain = not op.regions and op.operands and not op.has_trait(IsTerminator)
        if plain and guard is not None and not isinstance(guard, FuncOp | ModuleOp):
            places.setdefault(guard, []).append(index)
    yield from places.values()


def _stopped(copy: ModuleOp, feeds: Sequence[Feed], runs: Sequence[int]) -> list[int]:
    """Those of the feeds of these numbers that the copy stops for."""
    outcomes = run_program(copy, [feeds[n] for n in runs], max_iterations=ITERATIONS)
    return [n for n, o in zip(runs, outcomes) if o.error is not None and not o.is_limited]


def _one_for_each_failure(outcomes: Sequence[Outcome], feeds: Sequence[Feed]) -> list[int]:
    """Return, for each failure, the feed with the smallest numbers.

    Such a feed terminates even if nothing stops the program any more.
    """
    best: dict[tuple[str, str | None, str | None], int] = {}
    for number, outcome in enumerate(outcomes):
        error = outcome.error
        if error is None or outcome.is_limited:
            continue
        key = (error.identifier, error.where.layer, error.where.op)
        if key not in best or _reach(feeds[number]) < _reach(feeds[best[key]]):
            best[key] = number
    return sorted(best.values())


def _reach(feed: Feed) -> int:
    """Return how far loops may run that a feed's single integers count.

    A negative count is no limit.
    """
    singles = [
        int(v.item())
        for v in feed.values()
        if isinstance(v, np.ndarray) and v.size == 1 and v.dtype.kind in "iu"
    ]
    return sum(v if v >= 0 else ITERATIONS for v in singles)


def _size(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.size
    return sum(_size(v) for v in value) if isinstance(value, list) else 1
