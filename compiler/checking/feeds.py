"""Seeded inputs for a program in any form, and their selection.

The module determines the inputs of `main` and generates values for them.

The feeds of a series differ on purpose: branches take both arms, loops run zero times, once and more often, indices are
inside and outside the bounds. Each input draws from a random stream of its own, selected by its name: the values of one
input are independent of those of another. Only dynamic dimensions are the same in all inputs, since they often must
agree.

| | in turn, in an order of the input's own |
|---|---|
| booleans | false, true |
| integers | 0; a small number; an extent of the program or one beside it; -1 or an end of the type or one beside it |
| strings | of `SAMPLE_TEXTS` |
| floats, both parts of complex numbers | normal; in one feed of three some are 0, -0, infinite, NaN, greatest, least, subnormal |
| dynamic dimensions | `DYNAMIC_EXTENTS`; of a bound all of it, half, 1, one less, 0 |

A check runs a program with samples, and with those among many more samples on which failures of the program depend. A pass that
moves an operation out of its guard, or drops an operation that stops the program, changes nothing for most inputs. The search
looks for feeds that reveal it:

- for each place where the program stops, and each kind of failure, a feed that stops it there;
- for each operation that may fail inside a loop or a branch, and for all operations of each loop or branch together, a feed for
  which the program runs, but would stop if they stood before the loop or branch. This is tested on copies in which they do
  (`hoist_before_guards`).

All candidates are `sample_feeds` of the seed; their number depends only on the size of the program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any
from zlib import crc32

import ml_dtypes
import numpy as np
from xdsl.dialects import cf
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, OpResult
from xdsl.traits import IsTerminator

from loomir.compiler.checking.agreement import Outcome, is_narrow_integer, is_real
from loomir.compiler.checking.running import has_boundary_form, run_program
from loomir.compiler.engines import Semantics
from loomir.compiler.feeds import SAMPLE_TEXTS, states_of
from loomir.compiler.feeds.signature import Signature
from loomir.compiler.limits import check_bytes
from loomir.compiler.option_names import MAX_BYTES
from loomir.dialects.element_types import dtype_of
from loomir.dialects.interface import argument_names, arguments_of, main_function
from loomir.dialects.ovseq.types import OptionalType, SequenceType
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.walking import walk

Feed = dict[str, Any]
"""Values by input name.

They are arrays, lists of arrays (sequences) or None (an absent optional).
"""

DYNAMIC_EXTENTS = (2, 3, 1, 4, 0)
"""Extents of an unbounded dynamic dimension, one per feed in turn.

The extent is the same in all inputs, since they often must agree.
"""
SMALL = (1, 2, 3, 5)
"""Trip counts, positions, switches."""
EXTREME = 3
"""Interval of feeds with extreme floats: one in every `EXTREME`.

Only a pass that changes no results must preserve them.
"""
SHARE = 6
"""One element of so many is extreme there."""
MANY = 1024
"""Larger arrays of integers are data: small numbers."""
MOST_ELEMENTS = 3
"""The longest sequence."""
OPEN_RANK = 2
"""The rank of an input that has none."""


@dataclass(frozen=True)
class InputSpec:
    """One input of a program.

    - `type` is the tensor, sequence or optional as the user sees it;
    - `bounds` are the largest extents of its dynamic dimensions, where they have any;
    - `fixed` is the only value that it takes, `initial` the one that a state has before the first call.
    """

    name: str
    type: Attribute
    bounds: tuple[int | None, ...] | None = None
    fixed: np.ndarray | None = None
    initial: np.ndarray | None = None


def sources_of(module: ModuleOp) -> list[InputSpec]:
    """The inputs of a module in any form."""
    main = main_function(module)
    entries = dict(zip(argument_names(main), arguments_of(main)))
    if has_boundary_form(main):
        return [InputSpec(p.name, p.type, p.bounds, entries[p.name].value) for p in Signature.of(main).inputs]
    initial = {s.name: s.initial for s in states_of(main, MAX_BYTES)}
    return [
        InputSpec(name, argument.type, entry.bounds, entry.value, initial.get(name))
        for (name, entry), argument in zip(entries.items(), main.args)
    ]


def sample_feeds(
    module: ModuleOp, count: int, seed: int = 0, given: Mapping[str, Any] | None = None
) -> list[Feed]:
    """Return `count` feeds for a module.

    `given` holds inputs that are the same in all feeds. Error: `limit-bytes`.

    A feed depends only on the seed and its number: a larger `count` begins with the same feeds.
    """
    sources = sources_of(module)
    extents = _extents_of(sources)
    feeds: list[Feed] = []
    for number in range(count):
        feed = {s.name: _sample(s, InputSampler(seed, number, s.name, extents)) for s in sources}
        feeds.append({**feed, **{name: value for name, value in (given or {}).items() if name in feed}})
    return feeds


def is_extreme(number: int) -> bool:
    """Return True if the feed with this number has extreme floats."""
    return number % EXTREME == EXTREME - 1


def _extents_of(sources: Sequence[InputSpec]) -> tuple[int, ...]:
    """The extents that inputs have or may have."""
    shapes = [s.type.get_shape() for s in sources if isinstance(s.type, TensorType)]
    found = {e for shape in shapes for e in shape if e != DYNAMIC_INDEX}
    found |= {b for s in sources for b in s.bounds or () if b is not None}
    return tuple(sorted(found)) or (DYNAMIC_EXTENTS[0],)


class InputSampler:
    """The stream of one input in one feed."""

    def __init__(self, seed: int, number: int, name: str, extents: Sequence[int]) -> None:
        self.number, self.extents = number, extents
        self._key = [seed, crc32(name.encode())]
        self.random = np.random.default_rng([*self._key, number])

    def in_turn(self, count: int) -> int:
        """Return this feed's number out of 0 … count - 1.

        Each number occurs once in `count` feeds; the order is specific to the input.
        """
        order = np.random.default_rng([*self._key, self.number // count, count, 1]).permutation(count)
        return int(order[self.number % count])

    def integers(self, low: int, high: int, shape: Sequence[int]) -> np.ndarray:
        """Return integers of a type with these limits.

        Half of the values in larger arrays are small, because such arrays are data more often than positions.
        """
        edges = sorted({low, low + 1, high - 1, high, -1 if low < 0 else high})
        nearby = sorted({n + d for n in (*self.extents, *(-e for e in self.extents)) for d in (-1, 0, 1)})
        kinds: tuple[Sequence[int], ...] = ((0,), SMALL, nearby, edges)
        size = prod(shape)
        if size == 1:
            chosen = np.full(1, self.in_turn(len(kinds)))
        else:
            chosen = self.random.choice([0, 1, 1, 1, 2, 2] + [3] * is_extreme(self.number), size)
        values = (
            [kinds[k][int(self.random.integers(len(kinds[k])))] for k in chosen] if size <= MANY else None
        )
        if values is None:
            return self.random.integers(max(low, -3), min(high, 4), shape)
        return np.array([min(max(v, low), high) for v in values], object).reshape(shape)

    def floats(self, dtype: np.dtype, shape: Sequence[int]) -> np.ndarray:
        """Normal numbers, and some extreme ones in the feeds that have them."""
        array = np.asarray(self.random.standard_normal(shape)).astype(dtype)
        if not is_extreme(self.number) or not array.size:
            return array
        with np.errstate(all="ignore"):
            limits = ml_dtypes.finfo(dtype)
            special = np.array(
                [0.0, -0.0, limits.max, limits.min, limits.smallest_subnormal, np.inf, -np.inf, np.nan]
            )
            drawn = special[self.random.integers(len(special), size=shape)].astype(dtype)
        return np.where(self.random.integers(SHARE, size=shape) == 0, drawn, array).astype(dtype)


def _sample(source: InputSpec, draws: InputSampler) -> Any:
    if source.fixed is not None:
        return source.fixed
    if source.initial is not None and draws.number == 0:
        return source.initial
    return _value(source.type, source.bounds, draws)


def _value(type_: Attribute, bounds: Sequence[int | None] | None, draws: InputSampler) -> Any:
    if isinstance(type_, OptionalType):
        return _value(type_.value, None, draws) if draws.in_turn(2) else None
    if isinstance(type_, SequenceType):
        length = draws.in_turn(MOST_ELEMENTS + 1)
        return [_value(type_.element, None, draws) for _ in range(length)]
    if isinstance(type_, UnrankedTensorType):
        type_ = TensorType(type_.element_type, [DYNAMIC_INDEX] * OPEN_RANK)
    assert isinstance(type_, TensorType), type_
    limits = bounds if bounds is not None else [None] * len(type_.get_shape())
    shape = [
        extent if extent != DYNAMIC_INDEX else _extent(limit, draws.number)
        for extent, limit in zip(type_.get_shape(), limits)
    ]
    check_bytes(type_.element_type, shape, MAX_BYTES)
    return _array(dtype_of(type_.element_type), shape, draws)


def _extent(limit: int | None, number: int) -> int:
    """A dynamic dimension: the largest one first, where there is one."""
    if limit is None:
        return DYNAMIC_EXTENTS[number % len(DYNAMIC_EXTENTS)]
    return (limit, limit // 2, min(limit, 1), max(limit - 1, 0), 0)[number % len(DYNAMIC_EXTENTS)]


def _array(dtype: np.dtype, shape: Sequence[int], draws: InputSampler) -> np.ndarray:
    single = all(extent == 1 for extent in shape)
    if dtype.kind == "b":
        array = np.full(shape, bool(draws.in_turn(2))) if single else draws.random.integers(0, 2, shape)
    elif is_real(dtype):
        array = draws.floats(dtype, shape)
    elif dtype == np.object_:
        array = np.array(
            [SAMPLE_TEXTS[k] for k in draws.random.integers(0, len(SAMPLE_TEXTS), prod(shape))], object
        ).reshape(shape)
    elif dtype.kind == "c":
        parts = np.dtype(f"f{dtype.itemsize // 2}")
        array = draws.floats(parts, (*shape, 2)).view(dtype)[..., 0]
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        array = draws.integers(int(limits.min), int(limits.max), shape)
    elif is_narrow_integer(dtype):
        limits = ml_dtypes.iinfo(dtype)
        array = draws.integers(int(limits.min), int(limits.max), shape).astype(np.int8)
    else:
        array = draws.random.standard_normal(shape)
    return np.asarray(array).astype(dtype)


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
    reached = _Reached(module)
    outcomes = run_program(module, feeds, max_iterations=ITERATIONS, watch=reached.watch)
    # What keeps a loop going says nothing, unless there is nothing else.
    usable = [n for n, o in enumerate(outcomes) if not o.is_limited and o.crash is None] or list(range(total))
    chosen = usable[:count]
    wanted = _one_for_each_failure(outcomes, feeds)
    runs = [n for n in usable if not outcomes[n].failed]
    for copy in _copies(module, fragile):
        found = _stopped(copy, feeds, runs)
        if not any(n in wanted or n in chosen for n in found):
            wanted += found[:1]
    wanted += reached.further(runs, {*chosen, *wanted})
    chosen += [n for n in dict.fromkeys(wanted) if n not in chosen][:MORE]
    return [feeds[n] for n in chosen], [is_extreme(n) for n in chosen]


class _Reached:
    """Observer for `run_program`: bodies and arms that each run reaches."""

    def __init__(self, module: ModuleOp) -> None:
        self._first = main_function(module).body.block.first_op
        self._runs: list[set[Block]] = []

    def watch(self, op: Operation, function: Semantics) -> Semantics:
        """Record the end of each block.

        Each run of `main` has a set.
        """
        if op is not self._first and not op.has_trait(IsTerminator):
            return function

        def observed(*arguments: Any) -> Any:
            if op is self._first:
                self._runs.append(set())
            if (block := op.parent) is not None:
                self._runs[-1].add(block)
            return function(*arguments)

        return observed

    def further(self, candidates: Sequence[int], chosen: Collection[int]) -> list[int]:
        """Return candidates that reach what no chosen run does."""
        found: list[int] = []
        seen = {block for n in chosen if n < len(self._runs) for block in self._runs[n]}
        for n in candidates:
            if n < len(self._runs) and not self._runs[n] <= seen:
                seen |= self._runs[n]
                found.append(n)
        return found


def may_stop(op: Operation) -> bool:
    """Return True if an operation may stop the program.

    The operations in its regions are not considered.
    """
    if op.regions or op.has_trait(IsTerminator) or isinstance(op, ModuleOp):
        return False
    return isinstance(op, cf.AssertOp) or (op.dialect_name() in ("ov", "ovseq") and not speculatable(op))


def hoist_before_guards(module: ModuleOp, indices: Sequence[int], levels: int) -> ModuleOp | None:
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
        while made < COPIES and (copy := hoist_before_guards(module, group, levels)) is not None:
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
